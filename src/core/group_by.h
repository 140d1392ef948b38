// group_by.h: items sorted into groups, those of a group in their order, or added up; lists joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glug {

// members[start[g]] .. members[start[g + 1] - 1] are the items of group g.
struct Groups {
  std::vector<std::int32_t> start, members;
};

// group: that of each item, less than `count`.
inline Groups group_by(const std::vector<std::int32_t>& group, std::size_t count) {
  Groups groups;
  groups.start.assign(count + 1, 0);
  for (std::int32_t g : group) ++groups.start[g + 1];
  for (std::size_t g = 0; g < count; ++g) groups.start[g + 1] += groups.start[g];
  std::vector<std::int32_t> next = groups.start;
  groups.members.resize(group.size());
  for (std::size_t n = 0; n < group.size(); ++n)
    groups.members[next[group[n]]++] = static_cast<std::int32_t>(n);
  return groups;
}

// The other way: the row of each entry, of rows that start so.
inline std::vector<std::int32_t> rows_of_entries(const std::vector<std::int32_t>& start) {
  std::vector<std::int32_t> row;
  for (std::size_t n = 0; n + 1 < start.size(); ++n)
    row.resize(static_cast<std::size_t>(start[n + 1]), static_cast<std::int32_t>(n));
  return row;
}

// Numbers what entries lead to, their `to`, in the order in which it first appears: in `found` each once;
// returns the number for each entry.
template <class Entry>
std::vector<std::int32_t> number_targets(const std::vector<Entry>& entries,
                                         std::vector<std::ptrdiff_t>& found) {
  // A table of open addresses at most half full: one more than the numbers, 0 where there is none. What lies
  // side by side stays so, in sixteens: lists often lead along rows.
  constexpr std::uint64_t beside = 16;
  std::uint64_t room = beside;
  while (room < 2 * entries.size()) room *= 2;
  std::vector<std::int32_t> table(room, 0);
  found.clear();
  std::vector<std::int32_t> target;
  target.reserve(entries.size());
  for (const Entry& entry : entries) {
    const auto to = static_cast<std::uint64_t>(entry.to);
    const std::uint64_t scattered = (to / beside * 0x9e3779b97f4a7c15u) >> 24;
    std::uint64_t at = (scattered * beside + to % beside) & (room - 1);
    while (table[at] != 0 && found[table[at] - 1] != entry.to) at = (at + 1) & (room - 1);
    if (table[at] == 0) {
      found.push_back(entry.to);
      table[at] = static_cast<std::int32_t>(found.size());
    }
    target.push_back(table[at] - 1);
  }
  return target;
}

// Lists one after the other.
template <class Item>
std::vector<Item> joined(const std::vector<std::vector<Item>>& lists) {
  std::size_t size = 0;
  for (const std::vector<Item>& list : lists) size += list.size();
  std::vector<Item> all;
  all.reserve(size);
  for (const std::vector<Item>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Adds up what has the same key; ascending.
template <class Item, class Key, class Add>
void merge_by_key(std::vector<Item>& items, Key key, Add add) {
  std::stable_sort(items.begin(), items.end(), [&](const Item& x, const Item& y) { return key(x) < key(y); });
  std::size_t kept = 0;
  for (std::size_t n = 0; n < items.size(); ++n)
    if (kept > 0 && key(items[kept - 1]) == key(items[n]))
      add(items[kept - 1], items[n]);
    else
      items[kept++] = items[n];
  items.resize(kept);
}

}  // namespace glug
