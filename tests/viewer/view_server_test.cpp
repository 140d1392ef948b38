// The server of a run's page, spoken to through plain sockets: requests that no browser would send, too.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "core/error.h"
#include "viewer/run_files.h"
#include "viewer/view_server.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int status = 0;
  std::string head, body;
};

class Page : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/glug_view.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    for (const char* inner : {"run/surface", "run/preview", "run/solids", "run/checkpoint", "page"})
      fs::create_directories(folder_ / inner);
    write("run/scene.toml", "title = \"Pool\"\n");
    write("run/stats.csv", "step,frame\n0,0\n1,1\n");
    for (const int n : {0, 1, 2, 4, 11}) {
      char file[64];
      std::snprintf(file, sizeof(file), "run/surface/surface.%04d.ply", n);
      write(file, "ply " + std::to_string(n));
    }
    write("run/surface/surface.0005.ply.partial", "half");
    write("run/surface/surface.ply.series", "{}");
    write("run/solids/bottle.ply", "glass");
    write("run/checkpoint/0001.glug", "state");
    write("run/.lock", "");
    write("secret.csv", "not yours");
    write("page/index.html", "<title>Glug</title>");
    write("page/.hidden", "no");
  }
  void TearDown() override {
    end();
    fs::remove_all(folder_);
  }

  void write(const fs::path& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  bool begin() {
    ViewOptions options;
    options.folder = folder_ / "run";
    options.page = folder_ / "page";
    options.run = {[] { return std::string("{\"state\":\"running\"}"); },
                   [] { return std::string("{\"title\":\"Pool\"}"); }, [this] { ++stops_; },
                   [] { throw InputError("the run is going on already"); }};
    try {
      server_.emplace(options);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("libcpp-httplib-dev"), std::string::npos) << error.what();
      return false;
    }
    serving_ = std::thread([this] { server_->serve(); });
    return true;
  }
  void end() {
    if (!serving_.joinable()) return;
    get("/");  // it is serving: before that, it cannot be stopped
    server_->stop();
    serving_.join();
  }

  Answer ask(const std::string& request) const {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Answer answer;
    std::string text;
    if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        ::send(s, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
      char buffer[65536];
      for (ssize_t got; (got = recv(s, buffer, sizeof(buffer), 0)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    }
    close(s);
    const std::size_t split = text.find("\r\n\r\n");
    if (split == std::string::npos) return answer;
    answer.head = text.substr(0, split);
    answer.body = text.substr(split + 4);
    answer.status = std::stoi(text.substr(text.find(' ') + 1));
    return answer;
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  Answer get(const std::string& target, const std::string& headers = "") const {
    return ask("GET " + target + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "\r\n");
  }
  Answer post(const std::string& target, const std::string& headers) const {
    return ask("POST " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 0\r\n" + headers +
               "\r\n");
  }

  fs::path folder_;
  std::optional<ViewServer> server_;
  std::thread serving_;
  std::atomic<int> stops_ = 0;
};

#define BEGIN_OR_SKIP \
  if (!begin()) GTEST_SKIP() << "built without cpp-httplib"

TEST_F(Page, ServesThePageAndTheFilesOfTheRun) {
  BEGIN_OR_SKIP;
  EXPECT_EQ(get("/").body, "<title>Glug</title>");
  const Answer table = get("/files/stats.csv");
  EXPECT_EQ(table.status, 200);
  EXPECT_EQ(table.body, "step,frame\n0,0\n1,1\n");
  EXPECT_NE(table.head.find("text/csv"), std::string::npos) << table.head;
  EXPECT_EQ(get("/files/surface/surface.0004.ply").body, "ply 4");
  EXPECT_EQ(get("/files/solids/bottle.ply").body, "glass");
  EXPECT_EQ(get("/api/scene").body, "{\"title\":\"Pool\"}");
}

TEST_F(Page, ListsFramesAsRangesAndLeavesOutWhatIsNotWhole) {
  BEGIN_OR_SKIP;
  const Answer run = get("/api/run");
  EXPECT_EQ(run.status, 200);
  for (const char* part : {R"("surface":{"ply":[[0,2],[4,4],[11,11]]})", R"("solids":["bottle.ply"])",
                           R"("tables":{"stats.csv":19})", R"("run":{"state":"running"})"})
    EXPECT_NE(run.body.find(part), std::string::npos) << part << " not in " << run.body;
}

TEST_F(Page, SendsTheEndOfATableThatGrew) {
  BEGIN_OR_SKIP;
  const Answer part = get("/files/stats.csv", "Range: bytes=15-\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "1,1\n");
}

TEST_F(Page, RefusesWhatLiesOutsideTheRun) {
  BEGIN_OR_SKIP;
  for (const char* target : {
           "/files/../secret.csv",
           "/files/%2e%2e/secret.csv",
           "/files/..%2fsecret.csv",
           "/files/%2e%2e%2fsecret.csv",
           "/files/..%5csecret.csv",
           "/files/surface/../../secret.csv",
           "/files/surface/..%2f..%2fsecret.csv",
           "/files//etc/passwd",
           "/files/%2fetc%2fpasswd",
           "/files/surface//secret.csv",
           "/files/%252e%252e/secret.csv",
           "/../secret.csv",
           "/%2e%2e/secret.csv",
           "/..%2fsecret.csv",
           "/files/./stats.csv",
           "/files/secret.csv",
           "/files/stats.csv%00.png",
           "/files/",
           "/files",
           "/files/surface",
           "/files/surface/",
       }) {
    const Answer answer = get(target);
    EXPECT_GE(answer.status, 400) << target;
    EXPECT_EQ(answer.body.find("not yours"), std::string::npos) << target;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos) << target;
  }
}

TEST_F(Page, RefusesWhatIsInTheRunButNotForThePage) {
  BEGIN_OR_SKIP;
  for (const char* target : {"/files/checkpoint/0001.glug", "/files/.lock", "/.hidden", "/index.htm"})
    EXPECT_EQ(get(target).status, 404) << target;
}

TEST_F(Page, FollowsNoLinksOutOfTheRun) {
  BEGIN_OR_SKIP;
  fs::create_symlink(folder_ / "secret.csv", folder_ / "run/bubbles.csv");
  fs::create_symlink(folder_, folder_ / "run/particles");
  fs::create_symlink(folder_ / "secret.csv", folder_ / "run/preview/preview.0000.png");
  for (const char* target :
       {"/files/bubbles.csv", "/files/particles/secret.csv", "/files/preview/preview.0000.png"})
    EXPECT_EQ(get(target).status, 404) << target;
  const std::string listing = get("/api/run").body;
  for (const char* name : {"bubbles", "particles", "preview"})
    EXPECT_EQ(listing.find(name), std::string::npos) << listing;
}

TEST_F(Page, AnswersOnlyToItsOwnName) {
  BEGIN_OR_SKIP;
  const std::string port = std::to_string(server_->port());
  const auto with_host = [&](const std::string& name) {
    return ask("GET /files/stats.csv HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
  };
  EXPECT_EQ(with_host("localhost:" + port).status, 200);
  for (const std::string& name :
       {std::string("evil.example"), "evil.example:" + port, "127.0.0.1.evil.example:" + port,
        std::string("127.0.0.1"), "127.0.0.1:1" + port, std::string()}) {
    const Answer answer = with_host(name);
    EXPECT_EQ(answer.status, 403) << name;
    EXPECT_EQ(answer.body.find("step"), std::string::npos);
  }
  EXPECT_EQ(ask("GET /files/stats.csv HTTP/1.0\r\n\r\n").status, 403) << "no Host at all";
}

TEST_F(Page, ChangesNothingForARequestThatAForeignPageCouldSend) {
  BEGIN_OR_SKIP;
  EXPECT_EQ(post("/api/stop", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(get("/api/stop").status, 404);
  EXPECT_EQ(stops_, 0);
  EXPECT_EQ(post("/api/stop", "X-Glug: 1\r\n").status, 200);
  EXPECT_EQ(stops_, 1);
  const Answer refused = post("/api/resume", "X-Glug: 1\r\n");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.body, "the run is going on already\n");
}

TEST_F(Page, IsNotReachedFromOtherMachines) {
  BEGIN_OR_SKIP;
  // All addresses of 127/8 are this machine's; the server listens at one of them.
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  EXPECT_NE(connect(s, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  close(s);
}

TEST_F(Page, TwentyClientsAtOnceGetEveryByte) {
  BEGIN_OR_SKIP;
  std::string mesh(3 << 20, ' ');
  for (std::size_t n = 0; n < mesh.size(); ++n) mesh[n] = static_cast<char>((n * 2654435761u) >> 13);
  write("run/surface/surface.0003.ply", mesh);
  std::atomic<int> whole = 0, listed = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 20; ++c)
    clients.emplace_back([&] {
      for (int n = 0; n < 3; ++n) {
        whole += get("/files/surface/surface.0003.ply").body == mesh;
        listed += get("/api/run").status == 200;
      }
    });
  for (std::thread& c : clients) c.join();
  EXPECT_EQ(whole, 60);
  EXPECT_EQ(listed, 60);
}

TEST_F(Page, APortThatIsTakenIsSaidWithTheRemedy) {
  BEGIN_OR_SKIP;
  ViewOptions second;
  second.folder = folder_ / "run";
  second.page = folder_ / "page";
  second.port = server_->port();
  try {
    const ViewServer other(second);
    FAIL() << "two servers on one port";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--port"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace glug
