#include "output/base64.h"

#include <cstring>
#include <string>

namespace glug {
namespace {

constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The two letters of every twelve bits.
struct LetterPairs {
  char pair[4096][2];
  constexpr LetterPairs() : pair{} {
    for (int n = 0; n < 4096; ++n) {
      pair[n][0] = letters[n >> 6];
      pair[n][1] = letters[n & 63];
    }
  }
};
constexpr LetterPairs letter_pairs;

void encode(const unsigned char* in, char* out) {
  std::memcpy(out, letter_pairs.pair[in[0] << 4 | in[1] >> 4], 2);
  std::memcpy(out + 2, letter_pairs.pair[(in[1] & 15) << 8 | in[2]], 2);
}

}  // namespace

void Base64::write(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  const auto* const end = next + bytes;
  std::string text;
  text.resize((count_ + bytes) / 3 * 4);
  char* out = text.data();
  // What waits from before, whole threes, and what is left.
  while (count_ > 0 && count_ < 3 && next < end) waiting_[count_++] = *next++;
  if (count_ == 3) {
    encode(waiting_, out);
    out += 4;
    count_ = 0;
  }
  for (; end - next >= 3; next += 3, out += 4) encode(next, out);
  while (next < end) waiting_[count_++] = *next++;
  file_.write(text);
}

void Base64::finish() {
  if (count_ == 0) return;
  const std::size_t known = count_;
  while (count_ < 3) waiting_[count_++] = 0;
  char four[4];
  encode(waiting_, four);
  for (std::size_t n = known + 1; n < 4; ++n) four[n] = '=';
  file_.write(std::string_view(four, 4));
  count_ = 0;
}

}  // namespace glug
