// table_reader.h: reads one TOML table key by key and reports the keys nobody asked for.
// Invariant: after finish(), every key of the table was either read or is in the problems.
#pragma once

#include <string>
#include <vector>

#include "geometry/pose.h"
#include "scene/toml_value.h"

namespace glug {

class TableReader {
 public:
  // `prefix` names the table in messages ("liquid", "solid[0].shape"; empty for the whole file).
  // `where` is used for what the table lacks: the place of the table itself.
  TableReader(const toml::table& table, std::string prefix, SourceLocation where, Problems& problems)
      : table_(table), prefix_(std::move(prefix)), where_(std::move(where)), problems_(problems) {}

  std::string name(const std::string& key) const { return prefix_.empty() ? key : prefix_ + "." + key; }
  const SourceLocation& where() const { return where_; }
  Problems& problems() { return problems_; }

  // The value of a key, which is known from now on; null when absent.
  const toml::node* find(const std::string& key);
  bool has(const std::string& key) const { return table_.contains(key); }
  // Reads a key where it is present; true when its value was taken.
  template <class T>
  bool read(const std::string& key, T& value) {
    const toml::node* node = find(key);
    return node && read_value(*node, name(key), problems_, value);
  }
  // `dimension` numbers; z stays 0 in 2D.
  bool read_vector(const std::string& key, int dimension, Vec3& value);
  // A number that must be positive.
  bool read_length(const std::string& key, double& value);
  // Says that a key is missing.
  void lacks(const std::string& what);
  void finish();

 private:
  const toml::table& table_;
  std::string prefix_;
  SourceLocation where_;
  Problems& problems_;
  std::vector<std::string> known_;
};

}  // namespace glug
