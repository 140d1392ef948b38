// files.h: whole files as bytes.
#pragma once

#include <filesystem>
#include <string>

namespace glug::fuzz {

std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

// A folder of its own below `inside`, removed with all it holds when this goes.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& inside);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace glug::fuzz
