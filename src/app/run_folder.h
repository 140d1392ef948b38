// run_folder.h: the folder of a run: who may write into it, what is in it, what may be removed.
// run.json says what became of the run: running, finished, interrupted or failed. A run that says "running"
// while nobody holds the folder's lock was killed. It is the first file of a run: a scene.toml without it,
// and without tables or checkpoints that only runs write, is a user's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands.h"

namespace glug {

struct RunStatus {
  std::string state;  // "running", "finished", "interrupted", "failed"; empty = no run here
  int frame = 0;      // last one completed
  int frames = 0;
  double seconds = 0;  // of computing, over all sessions
  int threads = 0;
  std::string message;              // why it failed
  std::vector<std::string> solids;  // what their files are called, [[solid]] before [[rigid]]
  bool recorded = true;             // false: run.json is gone, other files tell that there is a run
};

// What run.json says; an empty state where there is no run.
RunStatus read_status(const std::filesystem::path& folder);
// Complete or absent, as all files of a run.
void write_status(const std::filesystem::path& folder, const RunStatus& status);

std::string read_text(const std::filesystem::path& path);

// Whether a program holds the folder now.
bool is_held(const std::filesystem::path& folder);
// Asks the run that holds the folder to end as Ctrl-C does, by a file named "stop" in it.
void ask_to_stop(const std::filesystem::path& folder);

// Makes the folder if needed and keeps a second program out of it. Leaves no lock file and no empty folder
// behind.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, Existing existing);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();
  // Whether the lock is still the folder's: false once somebody removed it, or the folder, however new what
  // stands in its place.
  bool held() const;

 private:
  std::filesystem::path folder_;
  bool created_ = false;
  int descriptor_ = -1;
};

// Holds the folder for one run: made if needed, locked against a second program.
class RunFolder {
 public:
  // Throws InputError when the folder may not be used as asked; changes nothing in it then.
  RunFolder(std::filesystem::path path, Existing existing);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoint"; }
  // Throws SimulationError if the folder is not ours any more: before anything is written to it.
  void demand_held() const;
  bool held() const { return lock_.held(); }
  // Whether somebody made a file named "stop" in the folder since the run began.
  bool asked_to_stop() const;
  // The run that was found.
  const RunStatus& found() const { return found_; }
  // Removes the files of the run that was there (and nothing else), except run.json and scene.toml, which the
  // next run replaces: killed in between, there is a run to go on with at any instant.
  void clear() const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
  RunStatus found_;
};

}  // namespace glug
