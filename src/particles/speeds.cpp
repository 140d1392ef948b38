#include "particles/speeds.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/for_each.h"
#include "core/simd.h"

namespace glug {
namespace {

// Squares of speeds by their exponent and the first bits of their mantissa: positive floats are ordered as
// their bits are.
inline constexpr int bin_shift = 20;
inline constexpr std::size_t bins = std::size_t{1} << (31 - bin_shift);
inline constexpr std::int32_t piece_size = 32;  // blocks

std::uint32_t bits_of_float(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
std::size_t bin_of(float square) { return (bits_of_float(square) & 0x7fffffffu) >> bin_shift; }
float float_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace

template <int D>
Speeds particle_speeds(const Exec& exec, const Particles<D>& particles, std::int64_t few,
                       const CellMark<D>& left_out) {
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  if (particles.count == 0) return {};
  const BlocksView<D> occupied = particles.occupied.view();
  const std::uint32_t* cell_begin = particles.cell_begin.data();
  const Range<D> cells = occupied.grid.cell_range();
  const std::ptrdiff_t pieces = (occupied.count + piece_size - 1) / piece_size;
  std::vector<std::uint32_t> histogram(static_cast<std::size_t>(pieces) * bins, 0);
  std::vector<float> maxima(static_cast<std::size_t>(pieces), 0);
  std::uint32_t* all = histogram.data();
  float* largest = maxima.data();
  for_each_task(exec, pieces, [=](std::ptrdiff_t piece) {
    std::uint32_t* own = all + static_cast<std::size_t>(piece) * bins;
    float most = 0;
    std::size_t lowest =
        0;  // more than `few` of this piece are in this bin and faster ones: no other matters
    const auto count_one = [&](std::uint32_t i, std::uint32_t each) {
      float s = 0;
      for (int a = 0; a < D; ++a) s += p.velocity[a][i] * p.velocity[a][i];
      if (most == most && !(s <= most)) most = s;  // what is not a number stays
      if (const std::size_t bin = bin_of(s); bin >= lowest) own[bin] += each;
    };
    const auto count = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t each) {
      const Float4 slow = splat(float_of_bits(static_cast<std::uint32_t>(lowest) << bin_shift));
      std::uint32_t i = begin;
      for (; i + 4 <= end; i += 4) {
        Float4 s = splat(0);
        for (int a = 0; a < D; ++a) s += load4(p.velocity[a] + i) * load4(p.velocity[a] + i);
        if (any4(~(s < slow)))
          for (std::uint32_t k = i; k < i + 4; ++k) count_one(k, each);
      }
      for (; i < end; ++i) count_one(i, each);
    };
    const auto raise_lowest = [&] {
      std::int64_t faster = 0;
      for (std::size_t bin = bin_of(most) + 1; bin > lowest; --bin) {
        faster += own[bin - 1];
        if (faster > few) lowest = bin - 1;
      }
    };
    const std::int32_t first = static_cast<std::int32_t>(piece) * piece_size;
    for (std::int32_t slot = first; slot < first + piece_size && slot < occupied.count; ++slot) {
      const std::uint32_t* begin = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
      const Range<D> block = occupied.indices(slot);
      if (!left_out.any(intersection(block, cells)))
        count(begin[0], begin[block_volume<D>], 1);
      else
        visit(intersection(block, cells), [&](const Index<D>& i) {
          const int c = cell_in_block<D>(i, block.lo);
          count(begin[c], begin[c + 1], left_out(i) ? 0 : 1);
        });
      raise_lowest();
    }
    largest[piece] = most;
  });
  Speeds speeds;
  float most = 0;
  for (float m : maxima)
    if (most == most && !(m <= most)) most = m;
  speeds.largest = std::sqrt(static_cast<double>(most));
  std::int64_t faster = 0;
  std::size_t bin = bins;
  while (bin > 0) {
    std::int64_t here = 0;
    for (std::ptrdiff_t piece = 0; piece < pieces; ++piece)
      here += histogram[static_cast<std::size_t>(piece) * bins + bin - 1];
    if (faster + here > few) break;
    faster += here;
    --bin;
  }
  const float edge = float_of_bits(static_cast<std::uint32_t>(bin) << bin_shift);
  speeds.most = bin == 0 ? 0 : std::min(speeds.largest, std::sqrt(static_cast<double>(edge)));
  if (!std::isfinite(speeds.largest)) speeds.most = speeds.largest;
  return speeds;
}

template Speeds particle_speeds<2>(const Exec&, const Particles<2>&, std::int64_t, const CellMark<2>&);
template Speeds particle_speeds<3>(const Exec&, const Particles<3>&, std::int64_t, const CellMark<3>&);

}  // namespace glug
