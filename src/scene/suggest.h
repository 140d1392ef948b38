// suggest.h: what the user probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glug {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to a word, or nothing when none is near (more than a third of the letters differ).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// Every near candidate, nearest first.
std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& candidates);

// "a", "b", "c"
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace glug
