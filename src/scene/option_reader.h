// option_reader.h: the visitor that fills declared options from a TOML table and checks their ranges.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/options.h"
#include "scene/table_reader.h"

namespace glug {

// "> 0", "between 4 and 8192": empty where every value is allowed.
std::string range_rule(const OptionInfo& info);
// The part of it that a value breaks: what is too small need not hear how large it may be.
std::string broken_rule(const OptionInfo& info, double value);
bool in_range(const OptionInfo& info, double value);

class OptionReader {
 public:
  explicit OptionReader(TableReader& table) : table_(table) {}

  template <class T>
  void option(const char* name, T& value, const OptionInfo& info) {
    T given = value;
    if (!table_.read(name, given)) return;
    if (check_range(*table_.find(name), table_.name(name), given, info)) value = std::move(given);
  }

 private:
  template <class T>
  bool check_range(const toml::node& node, const std::string& name, const T& value, const OptionInfo& info) {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>) {
      if (in_range(info, value)) return true;
      table_.problems().add(location_of(node),
                            fmt::format("{} must be {}, got {}", name, broken_rule(info, value), value));
      return false;
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      bool good = true;
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (in_range(info, value[i])) continue;
        table_.problems().add(
            location_of((*node.as_array())[i]),
            fmt::format("{}[{}] must be {}, got {}", name, i, broken_rule(info, value[i]), value[i]));
        good = false;
      }
      return good;
    }
    return true;
  }
  TableReader& table_;
};

}  // namespace glug
