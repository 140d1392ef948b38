#include "output/base64.h"

#include <string>

namespace glug {
namespace {

constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void encode(const unsigned char (&in)[3], char (&out)[4]) {
  out[0] = letters[in[0] >> 2];
  out[1] = letters[(in[0] & 3) << 4 | in[1] >> 4];
  out[2] = letters[(in[1] & 15) << 2 | in[2] >> 6];
  out[3] = letters[in[2] & 63];
}

}  // namespace

void Base64::write(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((bytes + 2) / 3 * 4 + 4);
  for (std::size_t n = 0; n < bytes; ++n) {
    waiting_[count_++] = next[n];
    if (count_ < 3) continue;
    char four[4];
    encode(waiting_, four);
    text.append(four, 4);
    count_ = 0;
  }
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
