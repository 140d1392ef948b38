#include "viewer/view_server.h"

#include "core/error.h"

#if GLUG_HAVE_HTTPLIB

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "viewer/run_files.h"

namespace glug {
namespace {

constexpr std::size_t threads = 32;
constexpr int waiting_connections = 256;
constexpr std::size_t chunk = 1 << 18;  // bytes of a file read at a time

nlohmann::json json_of(const RunListing& listing) {
  nlohmann::json frames = nlohmann::json::object();
  for (const auto& [kind, formats] : listing.frames)
    for (const auto& [extension, ranges] : formats) frames[kind][extension] = ranges;
  return {{"frames", frames},
          {"solids", listing.solids},
          {"tables", listing.tables},
          {"written", listing.written}};
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

void send(httplib::Response& response, OpenFile opened, const std::string& type) {
  const auto file = std::make_shared<OpenFile>(std::move(opened));
  if (file->size() == 0) {  // the library takes no length of zero
    response.set_content("", type);
    return;
  }
  response.set_content_provider(file->size(), type,
                                [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  const std::string part = file->read(offset, std::min(length, chunk));
                                  return !part.empty() && sink.write(part.data(), part.size());
                                });
}

}  // namespace

struct ViewServer::Parts {
  explicit Parts(ViewOptions given) : options(std::move(given)), files(options.folder), page(options.page) {}

  void bind() {
    server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
    // A connection that is kept alive holds a thread: with many clients there would be none left.
    server.set_keep_alive_max_count(1);
    server.set_payload_max_length(4096);
    server.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Content-Security-Policy",
          "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; "
          "frame-ancestors 'none'; form-action 'none'; base-uri 'none'"}});
    // As the library's own, but SO_REUSEPORT would let two servers share a port without a word.
    server.set_socket_options([this](socket_t s) {
      const int yes = 1;
      setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      socket = s;
    });
    if (options.port == 0)
      port = server.bind_to_any_port("127.0.0.1");
    else if (server.bind_to_port("127.0.0.1", options.port))
      port = options.port;
    if (port <= 0)
      throw InputError(
          fmt::format("port {} of this machine is taken: choose another with --port, or 0 for "
                      "any that is free",
                      options.port));
    // The library lets five connections wait; a page opens more at once.
    ::listen(socket, waiting_connections);
  }

  void route() {
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      using Answer = httplib::Server::HandlerResponse;
      const std::string host = request.get_header_value("Host");
      if (host != fmt::format("127.0.0.1:{}", port) && host != fmt::format("localhost:{}", port)) {
        refuse(response, 403, "this server answers to 127.0.0.1 and localhost only");
        return Answer::Handled;
      }
      if (request.method != "GET" && request.method != "HEAD" && !request.has_header("X-Glug")) {
        refuse(response, 403, "a request that changes something must carry the header X-Glug");
        return Answer::Handled;
      }
      return Answer::Unhandled;
    });
    server.Get("/api/run", [this](const httplib::Request&, httplib::Response& response) {
      nlohmann::json answer = {{"run", nlohmann::json::parse(asked(options.run.status))},
                               {"files", json_of(files.list())}};
      response.set_content(answer.dump(), content_type("run.json"));
    });
    server.Get("/api/scene", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(asked(options.run.scene), content_type("scene.json"));
    });
    for (const auto& [path, action] :
         {std::pair{"/api/stop", &RunActions::stop}, std::pair{"/api/resume", &RunActions::resume}})
      server.Post(path, [this, action = action](const httplib::Request&, httplib::Response& response) {
        try {
          const std::lock_guard guard(one_at_a_time);
          (options.run.*action)();
          response.set_content("{}", content_type("done.json"));
        } catch (const InputError& error) {
          refuse(response, 409, error.what());
        }
      });
    server.Get("/files/(.*)", [this](const httplib::Request& request, httplib::Response& response) {
      const std::string name = request.matches[1];
      if (OpenFile file = files.open(name))
        send(response, std::move(file), content_type(name));
      else
        refuse(response, 404, "the run has no such file");
    });
    server.Get("/([A-Za-z0-9_.-]*)", [this](const httplib::Request& request, httplib::Response& response) {
      const std::string asked_for = request.matches[1];
      const std::filesystem::path name = asked_for.empty() ? "index.html" : asked_for;
      std::error_code error;
      if (name.string().front() == '.' || !std::filesystem::is_regular_file(page / name, error))
        return refuse(response, 404, "there is no such page");
      send(response, OpenFile(::open((page / name).c_str(), O_RDONLY | O_CLOEXEC)),
           content_type(name.string()));
    });
    server.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
          try {
            std::rethrow_exception(thrown);
          } catch (const std::exception& error) {
            refuse(response, 500, error.what());
          } catch (...) {
            refuse(response, 500, "unknown error");
          }
        });
  }

  std::string asked(const std::function<std::string()>& question) {
    const std::lock_guard guard(one_at_a_time);
    return question();
  }

  ViewOptions options;
  RunFiles files;
  std::filesystem::path page;
  httplib::Server server;
  socket_t socket = -1;
  int port = 0;
  std::mutex one_at_a_time;
};

ViewServer::ViewServer(ViewOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {
  parts_->bind();
  parts_->route();
}
ViewServer::~ViewServer() = default;
int ViewServer::port() const { return parts_->port; }
void ViewServer::serve() { parts_->server.listen_after_bind(); }
void ViewServer::stop() { parts_->server.stop(); }

}  // namespace glug

#else

namespace glug {

struct ViewServer::Parts {};
ViewServer::ViewServer(ViewOptions) {
  throw InputError(
      "this program was built without its server of pages: install libcpp-httplib-dev (./glug does) and "
      "build "
      "again");
}
ViewServer::~ViewServer() = default;
int ViewServer::port() const { return 0; }
void ViewServer::serve() {}
void ViewServer::stop() {}

}  // namespace glug

#endif
