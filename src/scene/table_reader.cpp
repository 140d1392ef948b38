#include "scene/table_reader.h"

#include <algorithm>

#include "scene/known_keys.h"

namespace glug {
namespace {

// The key of a shape that is meant by a word beside it, or nothing: a solid turned by `rotation = 20`.
std::string key_of_shape(const std::string& given) {
  static constexpr const char* meanings[][2] = {
      {"rotate", "rotate"},
      {"rotation", "rotate"},
      {"angle", "rotate"},
      {"translate", "translate"},
      {"position", "translate"},
      {"offset", "translate"},
      {"scale", "scale"},
      {"pivot", "pivot"},
      {"type", "type"},
      {"center", "center"},
      {"radius", "radius"},
      {"min", "min"},
      {"max", "max"},
      {"file", "file"},
      {"of", "of"},
  };
  for (const auto& [word, key] : meanings)
    if (given == word) return std::string("shape.") + key;
  return {};
}

}  // namespace

const toml::node* TableReader::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return table_.get(key);
}

bool TableReader::read_vector(const std::string& key, int dimension, Vec3& value) {
  const toml::node* node = find(key);
  if (!node) return false;
  std::vector<double> numbers;
  if (!read_value(*node, name(key), problems_, numbers)) return false;
  if (static_cast<int>(numbers.size()) != dimension) {
    problems_.add(location_of(*node), fmt::format("{} must have {} numbers in {}D, got {}", name(key),
                                                  dimension, dimension, numbers.size()));
    return false;
  }
  value = {};
  for (int a = 0; a < dimension; ++a) value[a] = numbers[static_cast<std::size_t>(a)];
  return true;
}

bool TableReader::read_length(const std::string& key, double& value) {
  const toml::node* node = find(key);
  double x = 0;
  if (!node || !read_value(*node, name(key), problems_, x)) return false;
  if (x <= 0) {
    problems_.add(location_of(*node), fmt::format("{} must be > 0, got {}", name(key), x));
    return false;
  }
  value = x;
  return true;
}

void TableReader::lacks(const std::string& what) {
  problems_.add(where_, (prefix_.empty() ? std::string() : prefix_ + " ") + "needs " + what);
}

void TableReader::finish() {
  for (const auto& [key, value] : table_) {
    const std::string given(key.str());
    if (std::find(known_.begin(), known_.end(), given) != known_.end()) continue;
    if (const std::string renamed = renamed_key(name(given)); !renamed.empty()) {
      problems_.add(location_of(key, value), renamed);
      continue;
    }
    std::string meant = nearest(given, known_);
    if (meant.empty() && std::find(known_.begin(), known_.end(), "shape") != known_.end())
      meant = key_of_shape(given);
    if (!meant.empty()) meant = name(meant);
    if (meant.empty()) meant = option_named(given);
    std::string hint;
    if (!meant.empty()) {
      hint = ": did you mean " + meant + "?";
    } else {
      for (const std::string& k : known_) hint += (hint.empty() ? "; known here: " : ", ") + k;
    }
    problems_.add(location_of(key, value), "unknown key " + name(given) + hint);
  }
}

}  // namespace glug
