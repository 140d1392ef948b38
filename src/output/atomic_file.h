// atomic_file.h: files that are complete or absent, never partial.
// Bytes go to `name.partial` in the same folder; commit() brings them to the disk and renames. Without commit
// (an exception on the way, a full disk) the partial file is removed and whatever had the name before is
// untouched.
//
//   AtomicFile file("surface/surface.0001.ply");
//   file.write(header);
//   file.write(points.data(), points.size() * sizeof(points[0]));
//   file.commit();
//
// Every failure is a SimulationError that names the file and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace glug {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Moves the place of the next write, so that a table at the front can be filled in last.
  void seek(std::uint64_t position);
  std::uint64_t position() const { return flushed_ + buffer_.size(); }
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* action);
  std::filesystem::path path_, partial_;
  std::vector<char> buffer_;
  std::uint64_t flushed_ = 0;  // bytes before the buffer's first
  int descriptor_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view contents);

// The SimulationError for a write that failed with this errno: which file, why, what is safe.
[[noreturn]] void throw_write_error(const std::filesystem::path& path, const char* action, int error_number);

// Gives a finished partial file (one that another program wrote) its name.
void adopt_partial(const std::filesystem::path& partial, const std::filesystem::path& path);

// Makes a folder and its parents.
void make_folder(const std::filesystem::path& folder);
// Makes a folder inside one that must be there: what somebody deleted is not made anew.
void make_subfolder(const std::filesystem::path& folder);

}  // namespace glug
