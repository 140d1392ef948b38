// run_files.h: the files of one run that the page may read, and nothing else on the machine.
// A name is "stats.csv" or "surface/surface.0001.ply": whole names, no dots in front, at most one folder
// deep, of the kinds that runs write. Every part is opened by itself, inside the folder opened before it, and
// no link is followed: what a name leads to lies in the folder, whatever happens there meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glug {

// An open file, closed with its owner.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int descriptor);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();
  explicit operator bool() const { return descriptor_ >= 0; }
  std::uint64_t size() const { return size_; }
  // Up to `bytes` of them from `offset` on; fewer only at the end.
  std::string read(std::uint64_t offset, std::size_t bytes) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// Numbers of frames, as [first, last] of each unbroken sequence.
using FrameRanges = std::vector<std::pair<int, int>>;

struct RunListing {
  std::map<std::string, std::map<std::string, FrameRanges>> frames;  // by kind, then by extension
  std::vector<std::string> solids;                                   // names of files in solids/
  std::map<std::string, std::uint64_t> tables;                       // bytes of each .csv
  std::int64_t written = 0;  // when scene.toml was: anew by every start and resume of the run
};

class RunFiles {
 public:
  // Throws InputError if the folder cannot be opened.
  explicit RunFiles(std::filesystem::path folder);
  // Nothing where there is no such file, or the page may not read it.
  OpenFile open(std::string_view name) const;
  RunListing list() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// What a browser is told about a file with this name.
std::string content_type(std::string_view name);

}  // namespace glug
