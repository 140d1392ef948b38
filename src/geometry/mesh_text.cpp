#include <charconv>

#include "geometry/mesh_readers.h"

namespace glug {

bool take_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  const std::size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

bool take_word(std::string_view& rest, std::string_view& word) {
  const std::size_t begin = rest.find_first_not_of(" \t\r\n\v\f");
  if (begin == std::string_view::npos) return false;
  rest.remove_prefix(begin);
  const std::size_t end = std::min(rest.find_first_of(" \t\r\n\v\f"), rest.size());
  word = rest.substr(0, end);
  rest.remove_prefix(end);
  return true;
}

bool parse_number(std::string_view word, double& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto r = std::from_chars(word.data(), word.data() + word.size(), value);
  return r.ec == std::errc() && r.ptr == word.data() + word.size();
}

bool parse_integer(std::string_view word, long long& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto r = std::from_chars(word.data(), word.data() + word.size(), value);
  return r.ec == std::errc() && r.ptr == word.data() + word.size();
}

}  // namespace glug
