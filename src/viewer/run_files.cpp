#include "viewer/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folders_of_frames[] = {"surface", "particles", "volume", "preview"};
constexpr std::string_view folder_of_solids = "solids";

bool ends_with(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
}

// A name of one file or folder: no separators, nothing hidden, nothing that climbs.
bool is_plain(std::string_view name) {
  if (name.empty() || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\\' && c != 127;
  });
}

bool is_served_at_the_top(std::string_view name) {
  return ends_with(name, ".csv") || name == "scene.toml" || name == "run.json" || name == "movie.mp4";
}

bool is_served_folder(std::string_view name) {
  return name == folder_of_solids || std::find(std::begin(folders_of_frames), std::end(folders_of_frames),
                                               name) != std::end(folders_of_frames);
}

// The number and extension of "surface.0012.ply" in the folder "surface"; false for any other name.
bool parse_frame(std::string_view kind, std::string_view name, int& number, std::string& extension) {
  if (name.size() <= kind.size() + 1 || name.substr(0, kind.size()) != kind || name[kind.size()] != '.')
    return false;
  const char *begin = name.data() + kind.size() + 1, *end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || number < 0 || stop == begin || stop == end || *stop != '.') return false;
  extension.assign(stop + 1, end);
  return is_plain(extension) && extension.find('.') == std::string::npos;
}

FrameRanges ranges_of(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  FrameRanges ranges;
  for (const int n : numbers) {
    if (ranges.empty() || n > ranges.back().second + 1)
      ranges.emplace_back(n, n);
    else
      ranges.back().second = n;
  }
  return ranges;
}

}  // namespace

OpenFile::OpenFile(int descriptor) : descriptor_(descriptor) {
  struct stat status;
  if (descriptor_ < 0) return;
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
  } else {
    close(descriptor_);
    descriptor_ = -1;
  }
}
OpenFile::OpenFile(OpenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}
OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string OpenFile::read(std::uint64_t offset, std::size_t bytes) const {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(descriptor_, text.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

RunFiles::RunFiles(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (!fs::is_directory(folder_, error)) throw InputError("there is no folder " + folder_.string());
}

OpenFile RunFiles::open(std::string_view name) const {
  const std::size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  const std::string file(slash == std::string_view::npos ? first : name.substr(slash + 1));
  if (!is_plain(first) || !is_plain(file)) return {};
  if (slash == std::string_view::npos ? !is_served_at_the_top(file) : !is_served_folder(first)) return {};
  // By its name every time: a run that is started again may have replaced the folder.
  int parent = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent >= 0 && slash != std::string_view::npos) {
    const int inner =
        openat(parent, std::string(first).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(parent);
    parent = inner;
  }
  if (parent < 0) return {};
  OpenFile opened(openat(parent, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  close(parent);
  return opened;
}

RunListing RunFiles::list() const {
  RunListing listing;
  std::error_code error;
  const auto is_own_folder = [&](const fs::path& path) {
    return fs::is_directory(fs::symlink_status(path, error));
  };
  const auto is_own_file = [&](const fs::directory_entry& entry) {
    return fs::is_regular_file(entry.symlink_status(error));
  };
  for (const std::string_view kind : folders_of_frames) {
    if (!is_own_folder(folder_ / kind)) continue;
    std::map<std::string, std::vector<int>> numbers;
    for (const auto& entry : fs::directory_iterator(folder_ / kind, error)) {
      int number = 0;
      std::string extension;
      if (parse_frame(kind, entry.path().filename().string(), number, extension) && is_own_file(entry))
        numbers[extension].push_back(number);
    }
    for (auto& [extension, list] : numbers) listing.frames[std::string(kind)][extension] = ranges_of(list);
  }
  if (is_own_folder(folder_ / folder_of_solids))
    for (const auto& entry : fs::directory_iterator(folder_ / folder_of_solids, error)) {
      const std::string name = entry.path().filename().string();
      if (is_plain(name) && !ends_with(name, ".partial") && is_own_file(entry))
        listing.solids.push_back(name);
    }
  std::sort(listing.solids.begin(), listing.solids.end());
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (is_plain(name) && ends_with(name, ".csv") && is_own_file(entry))
      listing.tables[name] = static_cast<std::uint64_t>(entry.file_size(error));
  }
  struct stat scene;
  if (stat((folder_ / "scene.toml").c_str(), &scene) == 0)
    listing.written = std::int64_t{scene.st_mtim.tv_sec} * 1000 + scene.st_mtim.tv_nsec / 1000000;
  return listing;
}

std::string content_type(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> types[] = {{".html", "text/html; charset=utf-8"},
                                                                {".js", "text/javascript; charset=utf-8"},
                                                                {".css", "text/css; charset=utf-8"},
                                                                {".svg", "image/svg+xml"},
                                                                {".png", "image/png"},
                                                                {".mp4", "video/mp4"},
                                                                {".json", "application/json"},
                                                                {".csv", "text/csv; charset=utf-8"},
                                                                {".toml", "text/plain; charset=utf-8"}};
  for (const auto& [end, type] : types)
    if (ends_with(name, end)) return type;
  return "application/octet-stream";
}

}  // namespace glug
