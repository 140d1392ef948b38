// checkpoint_parts.h: a checkpoint file (output/checkpoint.h draws it) as parts, and a whole one, with right
// checksums, from parts that were changed.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/crc32c.h"

namespace glug {

struct CheckpointSection {
  std::uint64_t element, count;
  std::string name, bytes;
};

struct CheckpointParts {
  std::string head;
  std::vector<CheckpointSection> sections;

  explicit CheckpointParts(const std::string& file) : head(file.substr(0, 40)) {
    std::uint64_t table = 0, count = 0;
    std::memcpy(&table, file.data() + 24, 8);
    std::memcpy(&count, file.data() + 32, 8);
    std::size_t at = 40, data = 40 + table + 4;
    for (std::uint64_t n = 0; n < count; ++n) {
      std::uint64_t entry[3];
      std::memcpy(entry, file.data() + at, sizeof entry);
      at += sizeof entry;
      sections.push_back(
          {entry[0], entry[1], file.substr(at, entry[2]), file.substr(data, entry[0] * entry[1])});
      at += entry[2];
      data += entry[0] * entry[1];
    }
  }
  CheckpointSection& named(const std::string& name) {
    for (CheckpointSection& s : sections)
      if (s.name == name) return s;
    throw std::runtime_error(name);
  }
  std::string file() const {
    const auto put = [](std::string& to, const auto& value) {
      to.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    std::string table, data, tail;
    for (const CheckpointSection& s : sections) {
      put(table, s.element);
      put(table, s.count);
      put(table, std::uint64_t{s.name.size()});
      table += s.name;
      data += s.bytes;
      put(tail, crc32c(s.bytes.data(), s.bytes.size()));
    }
    put(tail, crc32c(tail.data(), tail.size()));
    std::string front = head.substr(0, 16);
    put(front, std::uint64_t{44 + table.size() + data.size() + tail.size()});
    put(front, std::uint64_t{table.size()});
    put(front, std::uint64_t{sections.size()});
    front += table;
    put(front, crc32c(front.data(), front.size()));
    return front + data + tail;
  }
};

}  // namespace glug
