#include "output/stroke_font.h"

#include <array>
#include <string_view>

namespace glug {
namespace {

struct GlyphSource {
  char character;
  const char* strokes;
};

constexpr GlyphSource sources[] = {
    {'!', "2622 2120"},
    {'"', "1614 3634"},
    {'#', "1016 3036 0242 0444"},
    {'$', "~453616050413334241301001 2a27"},
    {'%', "0046 0605151606 3031414030"},
    {'&', "~4014152635340201102042"},
    {'\'', "2624"},
    {'(', "~372614123b"},
    {')', "~172634321b"},
    {'*', "2125 0442 0244"},
    {'+', "2125 0343"},
    {',', "~21202b1b"},
    {'-', "0343"},
    {'.', "2021"},
    {'/', "0046"},
    {'0', "~100105163645413010"},
    {'1', "052620 0040"},
    {'2', "~051636454400 0040"},
    {'3', "~05163645443313 ~334241301001"},
    {'4', "30360242"},
    {'5', "460603 ~03334241301001"},
    {'6', "~453616050110304142331302"},
    {'7', "064610"},
    {'8', "~13040516364544331302011030414233"},
    {'9', "~011030414536160504133344"},
    {':', "2021 2324"},
    {';', "~21202b1b 2324"},
    {'<', "450341"},
    {'=', "0242 0444"},
    {'>', "054301"},
    {'?', "~0506264645342322 2120"},
    {'@', "3414123234 ~324245361605011040"},
    {'A', "002640 1232"},
    {'B', "0006 ~063645443303 ~033342413000"},
    {'C', "~4536160501103041"},
    {'D', "0006 ~063645413000"},
    {'E', "46060040 0333"},
    {'F', "460600 0333"},
    {'G', "~4536160501103041 414323"},
    {'H', "0006 4046 0343"},
    {'I', "2026 1030 1636"},
    {'J', "~4641301001"},
    {'K', "0006 460240 "},
    {'L', "060040"},
    {'M', "0006234640"},
    {'N', "00064046"},
    {'O', "~100105163645413010"},
    {'P', "0006 ~063645443303"},
    {'Q', "~100105163645413010 2240"},
    {'R', "0006 ~063645443303 2340"},
    {'S', "~453616050413334241301001"},
    {'T', "0646 2026"},
    {'U', "~060110304146"},
    {'V', "062046"},
    {'W', "0610243046"},
    {'X', "0046 0640"},
    {'Y', "062346 2320"},
    {'Z', "06460040"},
    {'[', "37171b3b"},
    {'\\', "0640"},
    {']', "17373b1b"},
    {'^', "042644"},
    {'_', "0a4a"},
    {'`', "1625"},
    {'a', "~042433 3330 ~321201102031"},
    {'b', "0600 ~0314243331201001"},
    {'c', "~341403011030"},
    {'d', "3630 ~3324140301102031"},
    {'e', "0232 ~3233241403011030"},
    {'f', "~36261510 0434"},
    {'g', "343a ~3a2b0b ~3324140301102031"},
    {'h', "0600 ~032434343130"},
    {'i', "1410 1615"},
    {'j', "~242a1b0b 2625"},
    {'k', "0600 340230"},
    {'l', "~161120"},
    {'m', "0400 ~0314242220 ~2334444240"},
    {'n', "0400 ~032434343130"},
    {'o', "~100103142433312010"},
    {'p', "040b ~0314243331201001"},
    {'q', "343b ~3324140301102031"},
    {'r', "0400 ~03142434"},
    {'s', "~340402323000"},
    {'t', "~16112030 0434"},
    {'u', "~0401102031 3430"},
    {'v', "041034"},
    {'w', "0410233044"},
    {'x', "0034 0430"},
    {'y', "0410 341b0b"},
    {'z', "04340030"},
    {'{', "~3727252413 ~1323212b3b"},
    {'|', "272b"},
    {'}', "~1727252433 ~3323212b1b"},
    {'~', "~0213243344"},
};

using Stroke = std::vector<Vec<2, float>>;

// Chaikin's corner cutting, twice: ends stay, corners become round.
Stroke rounded(Stroke s) {
  for (int pass = 0; pass < 2; ++pass) {
    if (s.size() < 3) return s;
    Stroke cut{s.front()};
    for (std::size_t n = 0; n + 1 < s.size(); ++n) {
      if (n > 0) cut.push_back(s[n] * 0.75f + s[n + 1] * 0.25f);
      if (n + 2 < s.size()) cut.push_back(s[n] * 0.25f + s[n + 1] * 0.75f);
    }
    cut.push_back(s.back());
    s = std::move(cut);
  }
  return s;
}

float coordinate(char c) { return c == 'a' ? -1.0f : c == 'b' ? -2.0f : static_cast<float>(c - '0'); }

Glyph glyph_from(std::string_view text) {
  Glyph glyph;
  float left = 1e9f, right = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool round = word.starts_with('~');
    if (round) word.remove_prefix(1);
    Stroke stroke;
    for (; word.size() >= 2; word.remove_prefix(2))
      stroke.push_back({coordinate(word[0]), coordinate(word[1])});
    for (const auto& p : stroke) {
      left = p[0] < left ? p[0] : left;
      right = p[0] > right ? p[0] : right;
    }
    if (!stroke.empty()) glyph.strokes.push_back(round ? rounded(std::move(stroke)) : std::move(stroke));
  }
  for (auto& stroke : glyph.strokes)
    for (auto& p : stroke) p[0] -= left;
  glyph.advance = right - left + 1.8f;
  return glyph;
}

std::array<Glyph, 128> make_glyphs() {
  std::array<Glyph, 128> glyphs;
  glyphs.fill(glyph_from("0006464000"));
  glyphs[' '] = Glyph{{}, 3.2f};
  for (const GlyphSource& s : sources) glyphs[static_cast<std::size_t>(s.character)] = glyph_from(s.strokes);
  return glyphs;
}

}  // namespace

const Glyph& glyph_of(char character) {
  static const std::array<Glyph, 128> glyphs = make_glyphs();
  const auto code = static_cast<unsigned char>(character);
  return glyphs[code < 128 ? code : 127];
}

}  // namespace glug
