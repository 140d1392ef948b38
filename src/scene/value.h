// value.h: a scene written down in a program instead of a file: tables of named values.
//
//   Table scene{{"grid", Table{{"dimension", 2}, {"resolution", 64}}},
//               {"liquid", Table{{"body", Values{Table{{"shape", Table{{"type", "sphere"}, ...}}}}}}}};
//
// Keys, defaults, ranges and messages are those of scene files (docs/reference.md).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace glug {

struct Value;

// An array, or the entries of [[solid]] and the like.
struct Values {
  std::vector<Value> items;
  Values() = default;
  Values(std::initializer_list<Value> list);
};

// Keys and their values; a key that comes twice has its last value.
struct Table {
  std::vector<std::pair<std::string, Value>> entries;
  Table() = default;
  Table(std::initializer_list<std::pair<std::string, Value>> list);
};

struct Value {
  std::variant<bool, std::int64_t, double, std::string, Values, Table> is;
  Value(bool v) : is(v) {}
  Value(int v) : is(std::int64_t{v}) {}
  Value(std::int64_t v) : is(v) {}
  Value(double v) : is(v) {}
  Value(const char* v) : is(std::string(v)) {}
  Value(std::string v) : is(std::move(v)) {}
  Value(Values v) : is(std::move(v)) {}
  Value(Table v) : is(std::move(v)) {}
};

inline Values::Values(std::initializer_list<Value> list) : items(list) {}
inline Table::Table(std::initializer_list<std::pair<std::string, Value>> list) : entries(list) {}

}  // namespace glug
