// checkpoint.h: named arrays in one file that is either whole and verified, or refused.
//
//   head:  magic "GLUGCHK\0", version, byte-order mark, bytes of the whole file, bytes of the table, sections
//   table: per section the size of an element, their count, length of the name, name; then a CRC-32C of head
//   and table the sections' bytes, one after another tail:  a CRC-32C per section, then one of the tail
//   itself: every byte of the file is under exactly one checksum
//
//   CheckpointWriter w;                                   CheckpointReader r(path);
//   w.add("positions", x.data(), x.size());               Buffer<Vec<3, float>> x = r.get<Vec<3,
//   float>>("positions"); w.add_value("time", time);                            double time =
//   r.value<double>("time"); w.commit(path);
//
// The writer keeps pointers, not copies: what was added must live and stay unchanged until commit (values are
// copied).
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/buffer.h"

namespace glug {

inline constexpr std::uint32_t checkpoint_version = 14;

class CheckpointWriter {
 public:
  template <class T>
  void add(std::string_view name, const T* data, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    sections_.push_back({std::string(name), data, sizeof(T), count});
  }
  template <class T>
  void add_value(std::string_view name, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::string& copy = values_.emplace_back(sizeof(T), '\0');
    std::memcpy(copy.data(), &value, sizeof(T));
    sections_.push_back({std::string(name), copy.data(), sizeof(T), 1});
  }
  void add_text(std::string_view name, std::string_view text) {
    const std::string& copy = values_.emplace_back(text);
    add(name, copy.data(), copy.size());
  }
  // Bytes of the file that commit() will write.
  std::uint64_t size() const;
  void commit(const std::filesystem::path& path) const;

 private:
  struct Section {
    std::string name;
    const void* data = nullptr;
    std::size_t element = 0;
    std::size_t count = 0;
  };
  std::vector<Section> sections_;
  std::deque<std::string> values_;  // a deque: growing it moves no value
};

class CheckpointReader {
 public:
  // Reads and verifies the whole file; InputError says what is wrong with it and what to do.
  explicit CheckpointReader(std::filesystem::path path);

  bool has(std::string_view name) const;
  // How many elements a section has; 0 where there is none.
  std::uint64_t count(std::string_view name) const;
  template <class T>
  Buffer<T> get(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Section& s = section(name, sizeof(T));
    Buffer<T> values(s.count);
    read(s, values.data());
    return values;
  }
  template <class T>
  std::vector<T> get_vector(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Section& s = section(name, sizeof(T));
    std::vector<T> values(s.count);
    read(s, values.data());
    return values;
  }
  template <class T>
  T value(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T result;
    read(section(name, sizeof(T), 1), &result);
    return result;
  }
  std::string text(std::string_view name) const;
  // Reads into memory that already exists; its size must be the section's.
  template <class T>
  void copy_to(std::string_view name, T* data, std::size_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    read(section(name, sizeof(T), count), data);
  }

 private:
  struct Section {
    std::string name;
    std::uint64_t element = 0, count = 0, offset = 0;
    std::uint32_t checksum = 0;
  };
  const Section& section(std::string_view name, std::size_t element) const;
  const Section& section(std::string_view name, std::size_t element, std::size_t count) const;
  void read(const Section& section, void* data) const;
  std::filesystem::path path_;
  std::vector<Section> sections_;
};

}  // namespace glug
