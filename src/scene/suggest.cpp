#include "scene/suggest.h"

#include <algorithm>
#include <cctype>

namespace glug {
namespace {

std::string lower(std::string_view text) {
  std::string r(text);
  for (char& c : r) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return r;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1, 0));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::pair<int, std::string>> found;
  for (const std::string& c : candidates) {
    const int distance = edit_distance(lower(word), lower(c));
    if (3 * distance <= static_cast<int>(std::max(word.size(), c.size()))) found.emplace_back(distance, c);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> names;
  for (auto& f : found) names.push_back(std::move(f.second));
  return names;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> names = near_names(word, candidates);
  return names.empty() ? std::string() : names.front();
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "\"" : ", \"") + n + "\"";
  return all;
}

}  // namespace glug
