#include "fuzz/mutate.h"

#include <algorithm>
#include <cctype>

namespace glug::fuzz {
namespace {

struct Span {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

// The longest runs of characters that belong to one.
template <class Belongs>
std::vector<Span> runs(const std::string& text, Belongs&& belongs) {
  std::vector<Span> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && belongs(static_cast<unsigned char>(text[end]))) ++end;
    if (end > at) found.push_back({at, end});
    at = std::max(end, at + 1);
  }
  return found;
}

std::vector<Span> numbers_of(const std::string& text) {
  return runs(text, [](unsigned char c) { return std::isdigit(c) || c == '.' || c == '-' || c == '+'; });
}
std::vector<Span> words_of(const std::string& text) {
  return runs(text, [](unsigned char c) { return std::isgraph(c) && c != ',' && c != '=' && c != '"'; });
}
// With their ends.
std::vector<Span> lines_of(const std::string& text) {
  std::vector<Span> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back({at, end});
    at = end;
  }
  return lines;
}

void exchange(std::string& text, Span a, Span b) {
  if (a.begin == b.begin) return;
  if (b.begin < a.begin) std::swap(a, b);
  const std::string first = text.substr(a.begin, a.size()), second = text.substr(b.begin, b.size());
  text.replace(b.begin, b.size(), first);
  text.replace(a.begin, a.size(), second);
}

void change_bytes(Dice& dice, std::string& bytes) {
  const std::size_t at = dice.below(bytes.size());
  switch (dice.below(5)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice.below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(dice.below(256));
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.erase(at, dice.below(64) + 1);
      break;
    default:
      const auto from = dice.below(bytes.size());
      bytes.insert(at, bytes.substr(from, dice.below(64) + 1));
  }
}

void change_text(Dice& dice, std::string& text) {
  const std::vector<Span> lines = lines_of(text), numbers = numbers_of(text), words = words_of(text);
  const Span line = dice.pick(lines);
  switch (dice.below(6)) {
    case 0:
      text.insert(line.begin, text.substr(line.begin, line.size()));
      break;
    case 1:
      text.erase(line.begin, line.size());
      break;
    case 2:
      exchange(text, line, dice.pick(lines));
      break;
    case 3:
      if (!words.empty()) exchange(text, dice.pick(words), dice.pick(words));
      break;
    default:
      if (const Span number = numbers.empty() ? Span{0, 0} : dice.pick(numbers); number.size() > 0)
        text.replace(number.begin, number.size(), unlikely_value(dice));
  }
}

}  // namespace

std::string unlikely_value(Dice& dice) {
  return dice.word({"0",          "-1",    "1",      "nan",   "inf",
                    "-inf",       "1e308", "1e-308", "-0.0",  "1e39",
                    "1e12",       "1e-12", "99",     "3.7",   "2147483648",
                    "4294967296", "0x10",  "1e400",  "007",   "-",
                    "1_000",      "64",    "0.001",  "-1e10", "9223372036854775808",
                    "true",       "\"2\"", "[]"});
}

std::string mutated(Dice& dice, std::string bytes) {
  const bool binary = bytes.find('\0') != std::string::npos;
  for (int n = dice.whole(1, 4); n > 0 && !bytes.empty(); --n)
    if (dice.chance(binary ? 0.8 : 0.25))
      change_bytes(dice, bytes);
    else
      change_text(dice, bytes);
  return bytes;
}

}  // namespace glug::fuzz
