#include "fuzz/files.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace glug::fuzz {

namespace fs = std::filesystem;

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

ScratchFolder::ScratchFolder(const fs::path& inside) {
  std::string name = (inside / "glug_fuzz.XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no folder can be made in " + inside.string());
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace glug::fuzz
