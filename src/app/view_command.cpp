// The command `view`: the page of a run, served until Ctrl-C. What the page may ask of a run is here: how it
// stands, its scene, to stop and to go on.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/background_run.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/run_folder.h"
#include "core/error.h"
#include "scene/find_scene.h"
#include "viewer/view_server.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

constexpr int usual_port = 8137;

fs::path page_folder() {
  const char* given = std::getenv("GLUG_VIEWER");
  const fs::path installed = scenes_folder().parent_path() / "page";  // share/glug/page
  const fs::path folder = given && *given                        ? given
                          : fs::exists(installed / "index.html") ? installed
                                                                 : GLUG_VIEWER_DIR;
  if (!fs::exists(folder / "index.html"))
    throw InputError("the page of glug view is not built (no " + (folder / "index.html").string() +
                     "): ./glug view builds it, as does `npm ci && npm run build` in viewer/; the variable "
                     "GLUG_VIEWER may name another folder");
  return folder;
}

class ViewedRun {
 public:
  explicit ViewedRun(fs::path folder) : folder_(std::move(folder)) {
    if (!fs::exists(folder_ / "scene.toml"))
      throw InputError(folder_.string() + " is not the folder of a run: it has no scene.toml");
  }

  std::string status() {
    const bool ours = resumed_.going();
    const RunStatus status = read_status(folder_);
    const bool held = is_held(folder_);
    std::string state = status.state, message = status.message;
    if (ours && !held) state = "starting";
    if (!ours && !held && state == "running") state = "killed";
    if (!ours && !resumed_.last_words().empty()) message = resumed_.last_words();
    return nlohmann::json{{"state", state},
                          {"stopping", held && fs::exists(folder_ / "stop")},
                          {"frame", status.frame},
                          {"frames", status.frames},
                          {"seconds", status.seconds},
                          {"threads", status.threads},
                          {"message", message},
                          {"solids", status.solids},
                          {"folder", fs::absolute(folder_).lexically_normal().string()}}
        .dump();
  }

  std::string scene() const {
    const fs::path path = folder_ / "scene.toml";
    std::ostringstream json;
    try {
      json << toml::json_formatter(toml::parse(read_text(path), path.string()));
    } catch (const toml::parse_error& error) {
      throw InputError({path.string(), static_cast<int>(error.source().begin.line), 1},
                       "is not TOML: " + std::string(error.description()));
    }
    return json.str();
  }

  void stop() {
    if (!is_held(folder_)) throw InputError("no run is going on in " + folder_.string());
    ask_to_stop(folder_);
  }

  void resume() {
    if (resumed_.going() || is_held(folder_)) throw InputError("the run is going on already");
    const RunStatus status = read_status(folder_);
    if (status.state == "finished") throw InputError("the run is finished: there is nothing to go on with");
    std::vector<std::string> arguments{
        "run", (folder_ / "scene.toml").string(), "--out", folder_.string(), "--resume", "--quiet"};
    if (status.threads > 0)
      arguments.insert(arguments.end(), {"--threads", fmt::format("{}", status.threads)});
    resumed_.start(arguments);
  }

 private:
  fs::path folder_;
  BackgroundRun resumed_;
};

}  // namespace

void view_command(const ViewCommandOptions& options) {
  ViewedRun run(options.folder);
  ViewOptions view;
  view.folder = options.folder;
  view.page = page_folder();
  view.port = options.port.value_or(usual_port);
  view.run = {[&] { return run.status(); }, [&] { return run.scene(); }, [&] { run.stop(); },
              [&] { run.resume(); }};
  std::unique_ptr<ViewServer> server;
  try {
    server = std::make_unique<ViewServer>(view);
  } catch (const InputError&) {
    if (options.port) throw;
    view.port = 0;  // the usual one is taken
    server = std::make_unique<ViewServer>(view);
  }
  fmt::print("http://127.0.0.1:{}/   the page of {}; Ctrl-C ends it, not the run\n", server->port(),
             options.folder.string());
  std::fflush(stdout);
  const InterruptGuard interrupt;
  std::atomic<bool> served = false;
  std::thread watch([&] {
    while (!served) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (interrupt.asked()) server->stop();
    }
  });
  server->serve();
  served = true;
  watch.join();
}

}  // namespace glug
