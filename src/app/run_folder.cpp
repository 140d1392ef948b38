#include "app/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "output/atomic_file.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";
constexpr const char* entries_of_a_run[] = {"scene.toml", "stats.csv", "run.json", "movie.mp4", "surface",
                                            "particles",  "volume",    "preview",  "checkpoint"};

bool holds_foreign_files(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != lock_name) return true;
  return false;
}

}  // namespace

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw InputError({path.string(), 0, 0}, std::string("cannot be read: ") + std::strerror(errno));
  return text.str();
}

RunStatus read_status(const fs::path& folder) {
  RunStatus status;
  const fs::path path = folder / "run.json";
  if (!fs::exists(path)) {
    // The first file of a run is its scene: killed right after that, it has done nothing yet.
    if (fs::exists(folder / "scene.toml")) status.state = "running";
    return status;
  }
  try {
    const nlohmann::json json = nlohmann::json::parse(read_text(path));
    status.state = json.at("state").get<std::string>();
    status.frame = json.value("frame", 0);
    status.frames = json.value("frames", 0);
    status.seconds = json.value("seconds", 0.0);
    status.threads = json.value("threads", 0);
    status.message = json.value("message", "");
  } catch (const nlohmann::json::exception& error) {
    throw InputError({path.string(), 0, 0}, std::string("is not the status of a run: ") + error.what() +
                                                "; --overwrite starts again");
  }
  return status;
}

void write_status(const fs::path& folder, const RunStatus& status) {
  const nlohmann::ordered_json json = {{"state", status.state},     {"frame", status.frame},
                                       {"frames", status.frames},   {"seconds", status.seconds},
                                       {"threads", status.threads}, {"message", status.message}};
  write_file(folder / "run.json", json.dump(2) + "\n");
}

RunFolder::RunFolder(fs::path path, Existing existing) : path_(std::move(path)) {
  const std::string name = path_.string();
  std::error_code error;
  const bool exists = fs::exists(path_, error);
  if (!exists && existing == Existing::resume) throw InputError("there is no run to resume in " + name);
  if (exists && !fs::is_directory(path_))
    throw InputError(name + " is a file, not a folder: choose another --out");
  if (!exists) {
    created_ = fs::create_directories(path_, error);
    if (error)
      throw InputError("cannot make the folder " + name + ": " + error.message() +
                       "; choose another with --out");
  }
  lock();
  try {
    found_ = existing == Existing::overwrite && !fs::exists(path_ / "scene.toml") ? RunStatus{}
                                                                                  : read_status(path_);
  } catch (const InputError&) {
    if (existing != Existing::overwrite) throw;
    found_.state = "broken";
  }
  if (found_.state.empty() && holds_foreign_files(path_))
    throw InputError(name + " holds other files and no run: choose another folder with --out");
  if (existing == Existing::resume && found_.state.empty())
    throw InputError("there is no run to resume in " + name);
  if (existing != Existing::refuse || found_.state.empty()) return;
  if (found_.state == "finished")
    throw InputError(name +
                     " holds a finished run: --overwrite replaces it, --out chooses another folder, --resume "
                     "with more --frames goes on with it");
  throw InputError(
      fmt::format("{} holds an unfinished run ({} of {} frames): --resume goes on with it, --overwrite "
                  "starts again",
                  name, found_.frame, found_.frames));
}

void RunFolder::lock() {
  const fs::path path = path_ / lock_name;
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw InputError("cannot write to " + path_.string() + ": " + std::strerror(errno) +
                     "; choose another with --out");
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw InputError("another run is writing to " + path_.string() +
                     ": wait for it, or choose another with --out");
  }
}

RunFolder::~RunFolder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove(path_ / lock_name, ignored);
  close(lock_);
  // A run that never wrote anything leaves no empty folder behind.
  if (created_) fs::remove(path_, ignored);
}

void RunFolder::clear() const {
  for (const char* entry : entries_of_a_run) fs::remove_all(path_ / entry);
}

}  // namespace glug
