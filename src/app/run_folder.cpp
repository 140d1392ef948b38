#include "app/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "core/error.h"
#include "output/atomic_file.h"
#include "output/checkpoint_folder.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";
constexpr const char* stop_name = "stop";
// is_held() takes the lock of a run that was killed for an instant; a run that begins just then tries again.
constexpr int lock_attempts = 5;
constexpr auto lock_pause = std::chrono::milliseconds(10);
constexpr const char* files_of_a_run[] = {"stats.csv",  "bubbles.csv", "bodies.csv",
                                          "probes.csv", "movie.mp4",   stop_name};
constexpr const char* folders_of_a_run[] = {"surface", "solids",  "particles",
                                            "volume",  "preview", "checkpoint"};
constexpr const char* endings_of_frames[] = {"ply", "vtp", "vdb", "vti", "png", "glug"};

fs::path partial_of(const char* entry) { return std::string(entry) + ".partial"; }

// A run that was killed while it wrote its first file leaves no more than a part of that.
bool is_left_by_a_run(const fs::path& name) {
  return name == lock_name || name == partial_of("scene.toml") || name == partial_of("run.json");
}

// Whether a file in a folder of a run (`kind`: surface, checkpoint, ..) is one that runs write:
// KIND.0012.ply, KIND.pvd, KIND.ply.series. What users put beside theirs is not ours to remove.
bool is_written_by_runs(const std::string& kind, std::string name) {
  constexpr std::string_view partial = ".partial";
  if (name.ends_with(partial)) name.resize(name.size() - partial.size());
  if (!name.starts_with(kind + ".")) return false;
  const std::string rest = name.substr(kind.size() + 1);
  if (rest == "pvd" || rest == "ply.series") return true;
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 && digits < rest.size() && rest[digits] == '.' &&
         std::find(std::begin(endings_of_frames), std::end(endings_of_frames), rest.substr(digits + 1)) !=
             std::end(endings_of_frames);
}

// Whether a file in solids/ is one of a run with these solids.
bool is_solid_of(const std::vector<std::string>& solids, const std::string& name) {
  for (const std::string& solid : solids)
    for (const char* ending : {".ply", ".vtp", ".ply.partial", ".vtp.partial"})
      if (name == solid + ending) return true;
  return false;
}

void remove_written(const fs::path& entry, const std::vector<std::string>& solids) {
  if (!fs::is_directory(entry)) return;
  const std::string kind = entry.filename().string();
  std::vector<fs::path> written;
  for (const auto& file : fs::directory_iterator(entry)) {
    const std::string name = file.path().filename().string();
    if (!file.is_directory() &&
        (kind == "solids" ? is_solid_of(solids, name) : is_written_by_runs(kind, name)))
      written.push_back(file.path());
  }
  for (const fs::path& file : written) fs::remove(file);
  if (fs::is_empty(entry)) fs::remove(entry);
}

bool holds_foreign_files(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (!is_left_by_a_run(entry.path().filename())) return true;
  return false;
}

// Whether there is what only runs write: the table of substeps, or a checkpoint.
bool has_traces_of_a_run(const fs::path& folder) {
  std::ifstream table(folder / "stats.csv");
  std::string header;
  if (std::getline(table, header) && header.starts_with("step,frame,time,dt,")) return true;
  return !checkpoint_files(folder / "checkpoint").empty();
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
    status.recorded = false;
    if (fs::exists(folder / "scene.toml") && has_traces_of_a_run(folder)) status.state = "running";
    return status;
  }
  const std::string text = read_text(path);
  const auto refuse = [&](const std::string& why, int line = 0, int column = 0) {
    throw InputError({path.string(), line, column},
                     why +
                         ", and should say what became of the run; remove it and go on with --resume, "
                         "which writes it anew, or start again with --overwrite");
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) refuse("is empty");
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    status.state = json.at("state").get<std::string>();
    status.frame = json.value("frame", 0);
    status.frames = json.value("frames", 0);
    status.seconds = json.value("seconds", 0.0);
    status.threads = json.value("threads", 0);
    status.message = json.value("message", "");
    status.solids = json.value("solids", std::vector<std::string>());
  } catch (const nlohmann::json::parse_error& error) {
    const std::string before = text.substr(0, error.byte > 0 ? error.byte - 1 : 0);
    refuse("is not JSON from here on", 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
           static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1);
  } catch (const nlohmann::json::exception&) {
    refuse("is JSON of something else");
  }
  return status;
}

void write_status(const fs::path& folder, const RunStatus& status) {
  const nlohmann::ordered_json json = {{"state", status.state},     {"frame", status.frame},
                                       {"frames", status.frames},   {"seconds", status.seconds},
                                       {"threads", status.threads}, {"message", status.message},
                                       {"solids", status.solids}};
  write_file(folder / "run.json", json.dump(2) + "\n");
}

bool is_held(const fs::path& folder) {
  const int descriptor = open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  close(descriptor);
  return held;
}

void ask_to_stop(const fs::path& folder) { write_file(folder / stop_name, ""); }

FolderLock::FolderLock(const fs::path& folder, Existing existing) : folder_(folder) {
  const std::string name = folder.string();
  std::error_code error;
  if (!fs::exists(folder, error)) {
    if (existing == Existing::resume) throw InputError("there is no run to resume in " + name);
    created_ = fs::create_directories(folder, error);
    if (error)
      throw InputError("cannot make the folder " + name + ": " + error.message() +
                       "; choose another with --out");
  } else if (!fs::is_directory(folder)) {
    throw InputError(name + " is a file, not a folder: choose another --out");
  }
  // Again where another run ended and removed its lock between our two calls.
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0)
      throw InputError("cannot write to " + name + ": " + std::strerror(errno) +
                       (existing == Existing::resume ? "" : "; choose another with --out"));
    int taken = flock(descriptor_, LOCK_EX | LOCK_NB);
    for (int n = 1; taken != 0 && n < lock_attempts; ++n) {
      std::this_thread::sleep_for(lock_pause);
      taken = flock(descriptor_, LOCK_EX | LOCK_NB);
    }
    if (taken != 0) {
      close(descriptor_);
      throw InputError("another run is writing to " + name + ": wait for it" +
                       (existing == Existing::resume ? "" : ", or choose another with --out"));
    }
  } while (!held());
}

bool FolderLock::held() const {
  struct stat ours, there;
  return fstat(descriptor_, &ours) == 0 && stat((folder_ / lock_name).c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  const bool ours = held();
  if (ours) fs::remove(folder_ / lock_name, ignored);
  close(descriptor_);
  if (!ours) return;
  if (created_) fs::remove(folder_, ignored);  // only if it is empty
}

RunFolder::RunFolder(fs::path path, Existing existing) : path_(std::move(path)), lock_(path_, existing) {
  const std::string name = path_.string();
  try {
    found_ = read_status(path_);
  } catch (const InputError&) {
    if (existing != Existing::overwrite) throw;
    if (has_traces_of_a_run(path_)) found_.state = "broken";
  }
  if (found_.state.empty() && holds_foreign_files(path_))
    throw InputError(
        name +
        (fs::exists(path_ / "scene.toml") ? " holds a scene and no run" : " holds other files and no run") +
        ": choose another folder with --out");
  if (existing == Existing::resume && found_.state.empty())
    throw InputError("there is no run to resume in " + name);
  if (existing != Existing::refuse || found_.state.empty()) {
    fs::remove(path_ / stop_name);  // it was meant for a run before
    return;
  }
  if (found_.state == "finished")
    throw InputError(name +
                     " holds a finished run: --overwrite replaces it, --out chooses another folder, --resume "
                     "with more --frames goes on with it");
  throw InputError(
      fmt::format("{} holds an unfinished run ({} of {} frames): --resume goes on with it, --overwrite "
                  "starts again",
                  name, found_.frame, found_.frames));
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (held()) fs::remove(path_ / stop_name, ignored);
}

bool RunFolder::asked_to_stop() const {
  std::error_code ignored;
  return fs::exists(path_ / stop_name, ignored);
}

void RunFolder::demand_held() const {
  if (!held()) throw SimulationError(path_.string() + " was deleted or replaced while the run wrote to it");
}

void RunFolder::clear() const {
  for (const char* file : files_of_a_run) {
    fs::remove(path_ / partial_of(file));
    if (!fs::is_directory(path_ / file)) fs::remove(path_ / file);
  }
  for (const char* file : {"run.json", "scene.toml"}) fs::remove(path_ / partial_of(file));
  for (const char* folder : folders_of_a_run) remove_written(path_ / folder, found_.solids);
}

}  // namespace glug
