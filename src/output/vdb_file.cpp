#ifdef GLUG_HAVE_OPENVDB

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <streambuf>

#include "core/buffer.h"
#include "core/crc32c.h"
#include "output/atomic_file.h"
#include "output/vdb_layout.h"

namespace glug {
namespace {

// Every .vdb file has a tag of its own, by which readers know that it changed: 36 characters, after two magic
// numbers, the library's version and a byte. OpenVDB draws it at random; ours follows from all other bytes,
// so that the same frame is the same file.
constexpr std::uint64_t tag_begin = 21, tag_end = tag_begin + 36;

// A stream that writes through an AtomicFile, so that a full disk is noticed where it happens.
class AtomicStream : public std::streambuf {
 public:
  explicit AtomicStream(AtomicFile& file) : file_(file) {}

  // The tag that belongs to what was written.
  std::string tag() const {
    const std::uint64_t sum = (std::uint64_t{sum_} << 32 | sum_) ^ bytes_;
    const std::uint64_t a = sum * 0x9e3779b97f4a7c15u, b = (a ^ (a >> 29)) * 0xbf58476d1ce4e5b9u;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xffff,
                       b >> 48, b & 0xffffffffffff);
  }

 protected:
  int_type overflow(int_type c) override {
    const char byte = traits_type::to_char_type(c);
    write(&byte, 1);
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* data, std::streamsize bytes) override {
    write(data, static_cast<std::size_t>(bytes));
    return bytes;
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const auto here = static_cast<off_type>(file_.position());
    end_ = std::max(end_, here);
    const off_type base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? here : end_;
    if (base + offset != here) file_.seek(static_cast<std::uint64_t>(base + offset));
    return base + offset;
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(position, std::ios_base::beg, which);
  }

 private:
  void write(const char* data, std::size_t bytes) {
    // What lies before the tag, and what after.
    const std::uint64_t begin = file_.position(), end = begin + bytes;
    if (begin < tag_begin) add(data, std::min(end, tag_begin) - begin);
    if (end > tag_end) add(data + (std::max(begin, tag_end) - begin), end - std::max(begin, tag_end));
    file_.write(data, bytes);
  }

  void add(const char* data, std::uint64_t bytes) {
    sum_ = crc32c(data, static_cast<std::size_t>(bytes), sum_);
    bytes_ += bytes;
  }

  AtomicFile& file_;
  off_type end_ = 0;
  std::uint32_t sum_ = 0;
  std::uint64_t bytes_ = 0;
};

// io::File opens its files itself and does not look whether the bytes arrive; its base class writes to any
// stream.
struct Archive : openvdb::io::Archive {
  using openvdb::io::Archive::write;
};

// The compressor does not look whether it got the memory it asks for. It is asked for here, and given back.
constexpr std::size_t compressor_bytes = std::size_t{16} << 20;

}  // namespace

void write_vdb(const openvdb::MetaMap& metadata, VdbFloats floats, const openvdb::GridPtrVec& grids,
               const std::filesystem::path& path) {
  if (floats == VdbFloats::half)
    for (const openvdb::GridBase::Ptr& grid : grids) grid->setSaveFloatAsHalf(true);
  (void)Buffer<char>(compressor_bytes);
  AtomicFile file(path);
  AtomicStream buffer(file);
  std::ostream stream(&buffer);
  stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  Archive archive;
  archive.write(stream, grids, /*seekable=*/true, metadata);
  file.seek(tag_begin);
  file.write(buffer.tag());
  file.commit();
}

}  // namespace glug

#endif
