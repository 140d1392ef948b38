// crc32c.h: the CRC-32C (Castagnoli) checksum of bytes: finds every burst of up to 32 wrong bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace glug {

// Continues from `crc`; 0 to start. crc32c("123456789") = 0xe3069283.
std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t crc = 0);

}  // namespace glug
