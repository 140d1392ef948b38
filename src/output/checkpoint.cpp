#include "output/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/crc32c.h"
#include "core/error.h"
#include "output/atomic_file.h"

namespace glug {
namespace {

constexpr char magic[8] = {'G', 'L', 'U', 'G', 'C', 'H', 'K', '\0'};
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr const char* use_older = "delete it, resume uses the one before";

struct Head {
  char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t file_bytes;
  std::uint64_t table_bytes;
  std::uint64_t sections;
};
static_assert(sizeof(Head) == 40);

struct TableEntry {  // the name follows
  std::uint64_t element;
  std::uint64_t count;
  std::uint64_t name_bytes;
};

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// A file opened for reading at given places.
class Input {
 public:
  explicit Input(const std::filesystem::path& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0)
      throw InputError(
          fmt::format("{}: cannot open the checkpoint: {}", path.string(), std::strerror(errno)));
    const off_t end = ::lseek(descriptor_, 0, SEEK_END);
    if (end < 0) {
      ::close(descriptor_);
      throw InputError(fmt::format("{}: is not a file that can be read as a checkpoint", path.string()));
    }
    size_ = static_cast<std::uint64_t>(end);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() { ::close(descriptor_); }

  std::uint64_t size() const { return size_; }
  void read(std::uint64_t offset, void* data, std::size_t bytes) const {
    char* p = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t n = ::pread(descriptor_, p, bytes, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        throw InputError(fmt::format("{}: cannot read the checkpoint at byte {}: {}; {}", path_.string(),
                                     offset, n < 0 ? std::strerror(errno) : "the file ends there",
                                     use_older));
      p += n;
      offset += static_cast<std::uint64_t>(n);
      bytes -= static_cast<std::size_t>(n);
    }
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: {}; {}", path.string(), why, use_older));
}

Head read_head(const std::filesystem::path& path, const Input& file) {
  Head head{};
  const std::size_t present = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), sizeof(Head)));
  file.read(0, &head, present);
  const std::size_t magic_present = std::min(present, sizeof(magic));
  if (std::memcmp(head.magic, magic, magic_present) != 0)
    throw InputError(
        fmt::format("{}: is not a Glug checkpoint (its first bytes are foreign)", path.string()));
  if (present < sizeof(Head))
    refuse(path, fmt::format("is truncated: {} of at least {} bytes", file.size(), sizeof(Head)));
  if (head.byte_order != byte_order_mark)
    throw InputError(
        fmt::format("{}: was written on a machine with another byte order (mark {:08x}); resume there",
                    path.string(), head.byte_order));
  if (head.version != checkpoint_version)
    throw InputError(
        fmt::format("{}: has checkpoint version {}, this program reads version {}; resume with the "
                    "program that wrote it, or start again",
                    path.string(), head.version, checkpoint_version));
  if (file.size() < head.file_bytes)
    refuse(path, fmt::format("is truncated: {} of {} bytes", file.size(), head.file_bytes));
  if (file.size() > head.file_bytes)
    refuse(path, fmt::format("has {} bytes where {} were written", file.size(), head.file_bytes));
  if (head.table_bytes > head.file_bytes) refuse(path, "is damaged: its table cannot be that long");
  return head;
}

}  // namespace

std::uint64_t CheckpointWriter::size() const {
  std::uint64_t bytes = sizeof(Head) + sizeof(std::uint32_t);
  for (const Section& s : sections_)
    bytes += sizeof(TableEntry) + s.name.size() + s.element * s.count + sizeof(std::uint32_t);
  return bytes + sizeof(std::uint32_t);
}

void CheckpointWriter::commit(const std::filesystem::path& path) const {
  std::string table;
  for (const Section& s : sections_) {
    put(table, TableEntry{s.element, s.count, s.name.size()});
    table += s.name;
  }
  Head head{};
  std::memcpy(head.magic, magic, sizeof(magic));
  head.version = checkpoint_version;
  head.byte_order = byte_order_mark;
  head.file_bytes = size();
  head.table_bytes = table.size();
  head.sections = sections_.size();
  std::string front;
  put(front, head);
  front += table;
  put(front, crc32c(front.data(), front.size()));

  AtomicFile file(path);
  file.write(front);
  std::string tail;
  for (const Section& s : sections_) {
    const char* p = static_cast<const char*>(s.data);
    std::uint32_t checksum = 0;
    for (std::size_t left = s.element * s.count; left > 0;) {
      const std::size_t n = std::min(left, chunk_bytes);
      checksum = crc32c(p, n, checksum);
      file.write(p, n);
      p += n;
      left -= n;
    }
    put(tail, checksum);
  }
  put(tail, crc32c(tail.data(), tail.size()));
  file.write(tail);
  file.commit();
}

CheckpointReader::CheckpointReader(std::filesystem::path path) : path_(std::move(path)) {
  const Input file(path_);
  const Head head = read_head(path_, file);

  const std::size_t front_bytes = sizeof(Head) + static_cast<std::size_t>(head.table_bytes);
  if (front_bytes + sizeof(std::uint32_t) > head.file_bytes)
    refuse(path_, "is damaged: its table has no room");
  std::string front(front_bytes, '\0');
  file.read(0, front.data(), front.size());
  std::uint32_t stored = 0;
  file.read(front_bytes, &stored, sizeof(stored));
  if (crc32c(front.data(), front.size()) != stored)
    refuse(path_, "is damaged: the checksum of its table is wrong");

  std::size_t at = sizeof(Head);
  std::uint64_t offset = front_bytes + sizeof(std::uint32_t);
  // A right checksum says that nothing was damaged, not that a table makes sense.
  const auto demand = [&](bool sound) {
    if (!sound) refuse(path_, "is not what this program writes: its table does not fit the file");
  };
  for (std::uint64_t n = 0; n < head.sections; ++n) {
    TableEntry entry{};
    demand(front.size() - at >= sizeof(entry));
    std::memcpy(&entry, front.data() + at, sizeof(entry));
    at += sizeof(entry);
    demand(front.size() - at >= entry.name_bytes);
    demand(entry.element > 0 && entry.count <= (head.file_bytes - offset) / entry.element);
    sections_.push_back({front.substr(at, entry.name_bytes), entry.element, entry.count, offset, 0});
    at += entry.name_bytes;
    offset += entry.element * entry.count;
  }
  demand(at == front.size() && head.file_bytes - offset == (sections_.size() + 1) * sizeof(std::uint32_t));

  std::string tail(sections_.size() * sizeof(std::uint32_t), '\0');
  file.read(offset, tail.data(), tail.size());
  file.read(offset + tail.size(), &stored, sizeof(stored));
  if (crc32c(tail.data(), tail.size()) != stored)
    refuse(path_, "is damaged: the checksum of its tail is wrong");
  std::vector<char> chunk(chunk_bytes);
  for (std::size_t n = 0; n < sections_.size(); ++n) {
    Section& s = sections_[n];
    std::memcpy(&s.checksum, tail.data() + n * sizeof(std::uint32_t), sizeof(std::uint32_t));
    std::uint32_t checksum = 0;
    std::uint64_t place = s.offset;
    for (std::uint64_t left = s.element * s.count; left > 0;) {
      const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk_bytes));
      file.read(place, chunk.data(), piece);
      checksum = crc32c(chunk.data(), piece, checksum);
      place += piece;
      left -= piece;
    }
    if (checksum != s.checksum)
      refuse(path_, fmt::format("is damaged: the checksum of '{}' is wrong", s.name));
  }
}

bool CheckpointReader::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
}

std::uint64_t CheckpointReader::count(std::string_view name) const {
  for (const Section& s : sections_)
    if (s.name == name) return s.count;
  return 0;
}

const CheckpointReader::Section& CheckpointReader::section(std::string_view name, std::size_t element) const {
  for (const Section& s : sections_) {
    if (s.name != name) continue;
    if (s.element != element)
      throw InputError(
          fmt::format("{}: elements of '{}' have {} bytes where this program expects {}; it was written by "
                      "another build, start again",
                      path_.string(), name, s.element, element));
    return s;
  }
  throw InputError(
      fmt::format("{}: holds no '{}'; it was written by another build, start again", path_.string(), name));
}

const CheckpointReader::Section& CheckpointReader::section(std::string_view name, std::size_t element,
                                                           std::size_t count) const {
  const Section& s = section(name, element);
  if (s.count != count)
    throw InputError(
        fmt::format("{}: '{}' has {} elements where the scene needs {}; it belongs to another scene",
                    path_.string(), name, s.count, count));
  return s;
}

void CheckpointReader::read(const Section& section, void* data) const {
  Input(path_).read(section.offset, data, static_cast<std::size_t>(section.element * section.count));
}

std::string CheckpointReader::text(std::string_view name) const {
  const Section& s = section(name, 1);
  std::string result(static_cast<std::size_t>(s.count), '\0');
  read(s, result.data());
  return result;
}

}  // namespace glug
