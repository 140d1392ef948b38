#include "core/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace glug {
namespace {

// tables[k][b]: the effect of byte b followed by k zero bytes, so that eight bytes go in one round.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint32_t reflected_polynomial = 0x82f63b78u;
  Tables t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) ? (c >> 1) ^ reflected_polynomial : c >> 1;
    t[0][b] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 255];
  return t;
}
constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t crc) {
  const auto* p = static_cast<const unsigned char*>(data);
  crc = ~crc;
  if constexpr (std::endian::native == std::endian::little) {
    for (; bytes >= 8; bytes -= 8, p += 8) {
      std::uint64_t w;
      std::memcpy(&w, p, 8);
      w ^= crc;
      crc = 0;
      for (std::size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][(w >> (8 * k)) & 255];
    }
  }
  for (; bytes > 0; --bytes, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 255];
  return ~crc;
}

}  // namespace glug
