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
    {'$', "~464606020304443410100001 2b27"},
    {'%', "0046 ~0604242606 ~2042402220"},
    {'&', "~40051626361401000020304042"},
    {'\'', "2624"},
    {'(', "~372614123b"},
    {')', "~172634321b"},
    {'*', "2125 0442 0244"},
    {'+', "2125 0343"},
    {',', "~21202b1b"},
    {'-', "0343"},
    {'.', "2021"},
    {'/', "0046"},
    {'0', "~20101000010516263636454130202 "},
    {'1', "052620 0040"},
    {'2', "~05061626464544330000 0040"},
    {'3', "~0506264645441313 ~13134442403020000001"},
    {'4', "30360242"},
    {'5', "460603 ~03041444434240200001"},
    {'6', "~45463616050201002040414243330302"},
    {'7', "064610"},
    {'8', "~23131404051626363645443433232 ~23130302010010303040414243332323"},
    {'9', "~01001030414546362616060504130343444"},
    {':', "2021 2324"},
    {';', "~21202b1b 2324"},
    {'<', "450341"},
    {'=', "0242 0444"},
    {'>', "054301"},
    {'?', "~0506264645342322 2120"},
    {'@', "~42343212132333423141454636160501001030"},
    {'A', "002640 0832"},
    {'B', "0006 ~061636464544330303 ~033343434140301000"},
    {'C', "~4546361605010010304041"},
    {'D', "0006 ~061636464540301000"},
    {'E', "46060040 0333"},
    {'F', "460600 0333"},
    {'G', "~45463616050100103040414323"},
    {'H', "0006 4046 0343"},
    {'I', "2026 1030 1636"},
    {'J', "4642 ~42404020000001"},
    {'K', "0006 460240 "},
    {'L', "060040"},
    {'M', "0006234640"},
    {'N', "00064046"},
    {'O', "~20100001050616364645414030202 "},
    {'P', "0006 ~06163646464333130303"},
    {'Q', "~20100001050616364645414030202 2240"},
    {'R', "0006 ~06163646464333130303 2340"},
    {'S', "~45463616060403134342413010000001"},
    {'T', "0646 2026"},
    {'U', "0601 ~0602000020404246"},
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
    {'a', "~0414343433 3430 ~3231201000011222323"},
    {'b', "0600 ~0324343331301000 "},
    {'c', "~34241404000020303"},
    {'d', "3630 ~3414040000203"},
    {'e', "0232 ~323334140400002030"},
    {'f', "~3626161513 1310 0434"},
    {'g', "343b ~3b1b0b ~3414040000203"},
    {'h', "0600 ~032434343130"},
    {'i', "1410 1615"},
    {'j', "242a ~2a2b1b0b 2625"},
    {'k', "0600 340230"},
    {'l', "1611 ~1110202"},
    {'m', "0400 ~0314242220 ~2334444240"},
    {'n', "0400 ~032434343130"},
    {'o', "~1000001404343430301"},
    {'p', "040b ~0414343430100"},
    {'q', "343b ~3414040000203"},
    {'r', "0400 ~03142434"},
    {'s', "~34241404030232313000"},
    {'t', "1611 ~111020303 0434"},
    {'u', "0401 ~0401002030 3430"},
    {'v', "041034"},
    {'w', "0410233044"},
    {'x', "0034 0430"},
    {'y', "0410 341b0b"},
    {'z', "04340030"},
    {'{', "~3727252413 ~1323212b3b"},
    {'|', "272b"},
    {'}', "~1727252433 ~3323212b1b"},
    {'~', "~0214243242444"},
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
  float right = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool round = word.starts_with('~');
    if (round) word.remove_prefix(1);
    Stroke stroke;
    for (; word.size() >= 2; word.remove_prefix(2))
      stroke.push_back({coordinate(word[0]), coordinate(word[1])});
    for (const auto& p : stroke) right = p[0] > right ? p[0] : right;
    if (!stroke.empty()) glyph.strokes.push_back(round ? rounded(std::move(stroke)) : std::move(stroke));
  }
  glyph.advance = right + 1.8f;
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
