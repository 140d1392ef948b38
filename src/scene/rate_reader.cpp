#include "scene/rate_reader.h"

#include <optional>

namespace glug {
namespace {

void check_share(const toml::node& node, const std::string& name, double rate, Problems& problems) {
  if (!(rate >= 0 && rate <= 1))
    problems.add(location_of(node), fmt::format("{} must be between 0 and 1, got {}", name, rate));
}

// Nothing where it has no time: that is said, and its order is not judged.
std::optional<RateKey> read_key(const toml::node& node, const std::string& name, Problems& problems) {
  RateKey key;
  const toml::table* given = node.as_table();
  if (!given) {
    problems.add(location_of(node), fmt::format("{} must be a table such as {{ time = 0, rate = 1 }}, got {}",
                                                name, described(node)));
    return {};
  }
  TableReader table(*given, name, location_of(node), problems);
  for (const char* wanted : {"time", "rate"})
    if (!table.has(wanted)) table.lacks(std::string("a ") + wanted);
  const bool timed = table.read("time", key.time);
  if (table.read("rate", key.rate)) check_share(*given->get("rate"), table.name("rate"), key.rate, problems);
  table.finish();
  return timed ? std::optional(key) : std::nullopt;
}

void read_rate(const toml::node& node, const std::string& name, Problems& problems, Rate& rate) {
  const toml::array* array = node.as_array();
  if (!array) {
    RateKey key;
    if (!read_value(node, name, problems, key.rate)) return;
    check_share(node, name, key.rate, problems);
    rate.keys = {key};
    return;
  }
  if (array->empty())
    problems.add(location_of(node), name + " must be a number, or keys such as { time = 0, rate = 1 }");
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::optional<RateKey> key = read_key((*array)[i], fmt::format("{}[{}]", name, i), problems);
    if (!key) continue;
    if (!rate.keys.empty() && !(key->time > rate.keys.back().time))
      problems.add(location_of((*array)[i]), fmt::format("{}[{}].time must be later than the key before it, "
                                                         "{}, got {}",
                                                         name, i, rate.keys.back().time, key->time));
    rate.keys.push_back(*key);
  }
}

}  // namespace

void read_hours(TableReader& table, TapHours& hours) {
  table.read("start", hours.start);
  table.read("stop", hours.stop);
  if (const toml::node* rate = table.find("rate"))
    read_rate(*rate, table.name("rate"), table.problems(), hours.rate);
}

}  // namespace glug
