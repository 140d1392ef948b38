// view_server.h: the page of one run, served to browsers of this machine.
// Bound to 127.0.0.1. A request must name this server in its Host header (else a foreign page could reach it
// under a name of its own), and one that changes something must carry a header that no foreign page can send.
//
//   GET  /, /NAME       the page (viewer/, built by npm)
//   GET  /api/run       {"run": what RunActions::status says, "files": frames, solids, tables}
//   GET  /api/scene     the resolved scene
//   GET  /files/NAME    files of the run (run_files.h); parts of them by Range
//   POST /api/stop, /api/resume    200, or 409 with the reason; need the header X-Glug
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace glug {

// What the page may learn and ask for beyond the files. Called from several threads, one at a time.
struct RunActions {
  std::function<std::string()> status, scene;  // JSON
  std::function<void()> stop, resume;          // throw InputError with the reason why not
};

struct ViewOptions {
  std::filesystem::path folder;  // of the run
  std::filesystem::path page;    // index.html and what it loads
  int port = 0;                  // 0 = any that is free
  RunActions run;
};

class ViewServer {
 public:
  // Bound from here on. InputError if the port is taken, or this build has no server.
  explicit ViewServer(ViewOptions options);
  ~ViewServer();
  int port() const;
  // Answers until stop(), which another thread calls.
  void serve();
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace glug
