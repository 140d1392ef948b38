#include "output/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace glug {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

const char* remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space and try again";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f) and try again";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder you may write to";
    case ENOENT:
    case ENOTDIR:
      return "its folder is missing: make it, or choose another";
    default:
      return "see to the disk and try again";
  }
}

// The name itself must reach the disk too, or a power cut may bring the old folder back.
void sync_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // some file systems refuse to sync folders; the rename itself has happened
  ::close(descriptor);
}

}  // namespace

void throw_write_error(const std::filesystem::path& path, const char* action, int error_number) {
  throw SimulationError(fmt::format("{}: cannot {}: {}; {}. What was written before is whole and safe.",
                                    path.string(), action, std::strerror(error_number),
                                    remedy(error_number)));
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  partial_ += ".partial";
  buffer_.reserve(buffer_bytes);
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_write_error(path_, "create the file", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void AtomicFile::fail(const char* action) {
  const int error_number = errno;
  ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(partial_.c_str());
  throw_write_error(path_, action, error_number);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    if (buffer_.size() == buffer_bytes) flush();
    const std::size_t n = std::min(bytes, buffer_bytes - buffer_.size());
    buffer_.insert(buffer_.end(), p, p + n);
    p += n;
    bytes -= n;
  }
}

void AtomicFile::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write");
    done += static_cast<std::size_t>(n);
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

void AtomicFile::seek(std::uint64_t position) {
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) fail("seek");
  flushed_ = position;
}

void AtomicFile::commit() {
  flush();
  // Character devices (a pipe to another program) cannot be synced; there is nothing to lose there.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail("write");
  if (::close(descriptor_) != 0) {
    const int error_number = errno;
    descriptor_ = -1;
    ::unlink(partial_.c_str());
    throw_write_error(path_, "write", error_number);
  }
  descriptor_ = -1;
  adopt_partial(partial_, path_);
}

void adopt_partial(const std::filesystem::path& partial, const std::filesystem::path& path) {
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(partial.c_str());
    throw_write_error(path, "rename the finished file", error_number);
  }
  sync_folder(path);
}

void write_file(const std::filesystem::path& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

void make_subfolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) throw_write_error(folder, "make the folder", error.value());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_write_error(folder, "make the folder", error.value());
}

}  // namespace glug
