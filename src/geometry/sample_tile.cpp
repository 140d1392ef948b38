#include "geometry/sample_tile.h"

#include "core/rows.h"

namespace glug {
namespace {

enum class ValuesAt : std::uint8_t { cells, nodes };

// Values on a line become samples: sample j is `near` of one value and the rest of another. Of cells, values
// begin one cell (of halves; of wholes none) before the first sample's, of nodes with its low one.
template <int Parts, ValuesAt where>
struct Taps {
  static constexpr int values(int samples) {
    return Parts == 2 ? samples / 2 + (where == ValuesAt::cells ? 2 : 1)
                      : samples + (where == ValuesAt::cells ? 0 : 1);
  }
  static constexpr float near = Parts == 2 ? 0.75f : where == ValuesAt::cells ? 1.0f : 0.5f;
  static constexpr int nearest(int j) {
    if (Parts == 1) return j;
    return where == ValuesAt::cells ? j / 2 + 1 : j / 2 + j % 2;
  }
  static constexpr int second(int j) {
    if (Parts == 1) return where == ValuesAt::cells ? j : j + 1;
    return where == ValuesAt::cells ? nearest(j) + (j % 2 ? 1 : -1) : j / 2 + 1 - j % 2;
  }
};

// The values at `first` and after, `Count` along each axis, where `range` ends repeated; less `lift`.
template <int D, int Count>
GLUG_INLINE void gather(const View<D, const float>& view, const Range<D>& range, const Index<D>& first,
                        float lift, float* out) {
  const bool whole = first[0] >= range.lo[0] && first[0] + Count <= range.hi[0];
  Range<D> starts{first, first + Index<D>::filled(Count)};
  starts.hi[0] = starts.lo[0] + 1;
  visit(starts, [&](const Index<D>& i) {
    const float* row = &view(range.clamped(i));
    if (whole)
      for (int n = 0; n < Count; ++n) out[n] = row[n] - lift;
    else
      for (int n = 0; n < Count; ++n)
        out[n] =
            row[clamp(i[0] + n, range.lo[0], range.hi[0] - 1) - clamp(i[0], range.lo[0], range.hi[0] - 1)] -
            lift;
    out += Count;
  });
}

// Samples of a tile from values on the grid, one axis after the other.
template <int D, int Parts, ValuesAt where>
GLUG_INLINE void interpolate(const View<D, const float>& view, const Range<D>& range, const Index<D>& first,
                             float lift, float* out) {
  using T = Taps<Parts, where>;
  constexpr int W = SampleTile<D>::width, C = T::values(W);
  constexpr float far = 1 - T::near;
  alignas(16) float values[power(C, D)];
  gather<D, C>(view, range, first, lift, values);
  alignas(16) float rows[power(C, D - 1) * W];
  for (int r = 0; r < power(C, D - 1); ++r)
    for (int j = 0; j < W; ++j)
      rows[r * W + j] = T::near * values[r * C + T::nearest(j)] + far * values[r * C + T::second(j)];
  alignas(16) float planes[D == 3 ? C * W * W : 1];
  float* second = D == 3 ? planes : out;
  for (int plane = 0; plane < power(C, D - 2); ++plane)
    for (int j = 0; j < W; ++j) {
      const float *a = rows + (plane * C + T::nearest(j)) * W, *b = rows + (plane * C + T::second(j)) * W;
      float* to = second + (plane * W + j) * W;
      for (int n = 0; n < W; ++n) to[n] = T::near * a[n] + far * b[n];
    }
  if constexpr (D == 3)
    for (int j = 0; j < W; ++j) {
      const float *a = planes + T::nearest(j) * W * W, *b = planes + T::second(j) * W * W;
      for (int n = 0; n < W * W; ++n) out[j * W * W + n] = T::near * a[n] + far * b[n];
    }
}

template <int D, int Parts>
void interpolate_both(const LiquidSamples<D>& liquid, const Index<D>& lo, SampleTile<D>& tile) {
  Index<D> cell = lo;
  for (int a = 0; a < D; ++a) cell[a] /= Parts;  // lo is even
  interpolate<D, Parts, ValuesAt::cells>(liquid.phi, liquid.grid.cell_range(),
                                         cell - Index<D>::filled(Parts - 1), liquid.lift, tile.phi);
  if (liquid.solid.data)
    interpolate<D, Parts, ValuesAt::nodes>(liquid.solid, liquid.grid.node_range(), cell, 0, tile.solid);
  else
    for (float& s : tile.solid) s = liquid.outside();
}

// Whether all cells that a tile looks at lie in listed blocks, but for those outside the domain.
template <int D>
bool all_listed(const LiquidSamples<D>& liquid, const Range<D>& samples) {
  Range<D> blocks;
  for (int a = 0; a < D; ++a) {
    const int low = samples.lo[a] / liquid.parts - 1, high = (samples.hi[a] - 1) / liquid.parts + 1;
    blocks.lo[a] = clamp(low, 0, liquid.grid.cells[a] - 1) / block_edge<D>;
    blocks.hi[a] = clamp(high, 0, liquid.grid.cells[a] - 1) / block_edge<D> + 1;
  }
  bool all = true;
  visit(blocks, [&](const Index<D>& b) { all = all && liquid.blocks.slot_of_block(b) >= 0; });
  return all;
}

// N samples side by side, or n where N is 0: no farther inside than the sides of the domain are, along the
// row and across it, and solids.
template <int N>
GLUG_INLINE void clip_row(const float* __restrict along, float across, float* __restrict phi,
                          float* __restrict solid, int n) {
  const int count = N > 0 ? N : n;
  for (int k = 0; k < count; ++k) {
    float wall = along[k] < across ? along[k] : across;
    wall = solid[k] < wall ? solid[k] : wall;
    solid[k] = wall;
    phi[k] = phi[k] > -wall ? phi[k] : -wall;
  }
}

// The samples of a tile that lie in the domain (`within`), as one distance (Clipping::level_set).
template <int D>
void clip_samples(const LiquidSamples<D>& liquid, const Range<D>& within, const Index<D>& lo,
                  SampleTile<D>& tile) {
  constexpr int margin = SampleTile<D>::margin, W = SampleTile<D>::width;
  const Grid<D> grid = liquid.sample_grid();
  const float h = static_cast<float>(grid.h);
  float side[D][W];  // how far each sample is from the domain's sides along an axis
  for (int a = 0; a < D; ++a)
    for (int k = 0; k < W; ++k) {
      const int sample = lo[a] - margin + k;
      const float low = (static_cast<float>(sample) + 0.5f) * h;
      const float high = (static_cast<float>(grid.cells[a] - sample) - 0.5f) * h;
      side[a][k] = low < high ? low : high;
    }
  visit_rows(within, [&](const Index<D>& first, int n) {
    float across = 1e30f;
    for (int a = 1; a < D; ++a) {
      const float d = side[a][first[a] - lo[a] + margin];
      across = d < across ? d : across;
    }
    const int at = SampleTile<D>::at(first - lo);
    const float* along = side[0] + first[0] - lo[0] + margin;
    if (n == W)
      clip_row<W>(along, across, tile.phi + at, tile.solid + at, W);
    else
      clip_row<0>(along, across, tile.phi + at, tile.solid + at, n);
  });
}

// A row across the sides of the domain, so far beyond them, from the nearest row in it.
template <int D>
void copy_beyond(float distance, SampleTile<D>& tile, int from, int to, int n) {
#pragma GCC ivdep
  for (int k = 0; k < n; ++k) {
    const float wall = tile.solid[from + k] < -distance ? tile.solid[from + k] : -distance;
    const float phi = tile.phi[from + k];
    tile.solid[to + k] = wall;
    tile.phi[to + k] = phi > -wall ? phi : -wall;
  }
}

}  // namespace

template <int D>
void load_samples(const LiquidSamples<D>& liquid, const Range<D>& own, SampleTile<D>& tile) {
  using Tile = SampleTile<D>;
  const Range<D> samples = own.grown(Tile::margin), domain = liquid.sample_grid().cell_range();
  const Range<D> within = intersection(samples, domain);
  const auto keep = [&](int n, const LiquidSample& s) {
    tile.phi[n] = s.phi;
    tile.solid[n] = s.solid;
  };
  // A tile beyond the domain has no row of it to go by.
  if (within.size() == 0 || !all_listed(liquid, samples)) {
    int n = 0;
    visit(samples, [&](const Index<D>& i) { keep(n++, liquid(i)); });
    return;
  }
  if (liquid.parts == 2)
    interpolate_both<D, 2>(liquid, samples.lo, tile);
  else
    interpolate_both<D, 1>(liquid, samples.lo, tile);
  const bool sharp = liquid.clipping == Clipping::sharp;
  if (!sharp) clip_samples<D>(liquid, within, own.lo, tile);
  if (within.size() == samples.size()) return;
  const LiquidSample air{liquid.outside(), liquid.outside()};
  const int begin = within.lo[0] - samples.lo[0], end = within.hi[0] - samples.lo[0];
  int n = 0;
  visit_rows(samples, [&](const Index<D>& first, int width) {
    Index<D> i = domain.clamped(first);
    i[0] = first[0];
    const int inner = Tile::at(i - own.lo);  // the nearest row in the domain
    const auto beyond = [&](int k) {
      i = first;
      i[0] += k;
      const int m = inner + domain.clamped(i)[0] - first[0];
      keep(n + k, sharp ? air : liquid.clipped(i, {tile.phi[m], tile.solid[m]}));
    };
    for (int k = 0; k < begin; ++k) beyond(k);
    for (int k = end; k < width; ++k) beyond(k);
    if (inner != n && sharp)
      for (int k = begin; k < end; ++k) keep(n + k, air);
    if (inner != n && !sharp && begin < end) {
      i = first;
      i[0] += begin;
      copy_beyond<D>(liquid.distance_to_domain(i), tile, inner + begin, n + begin, end - begin);
    }
    n += width;
  });
}

template <int D>
SampleExtremes sample_extremes(const LiquidSamples<D>& liquid, const Range<D>& samples) {
  SampleExtremes found;
  const Range<D> domain = liquid.grid.cell_range();
  Range<D> cells, blocks;  // that the samples are made of
  for (int a = 0; a < D; ++a) {
    found.all_known &= samples.lo[a] >= 0 && samples.hi[a] <= domain.hi[a] * liquid.parts;
    const int around = liquid.parts - 1;
    cells.lo[a] = clamp(samples.lo[a] / liquid.parts - around, 0, domain.hi[a] - 1);
    cells.hi[a] = clamp((samples.hi[a] - 1) / liquid.parts + around, 0, domain.hi[a] - 1) + 1;
    blocks.lo[a] = cells.lo[a] / block_edge<D>;
    blocks.hi[a] = (cells.hi[a] - 1) / block_edge<D> + 1;
  }
  const auto listed_parts = [&](auto&& f) {
    visit(blocks, [&](const Index<D>& b) {
      if (liquid.blocks.slot_of_block(b) < 0)
        found.all_known = false;
      else
        f(intersection(cells, Range<D>{b * block_edge<D>, (b + Index<D>::filled(1)) * block_edge<D>}));
    });
  };
  float low = 1e30f, high = -1e30f, nearest = 1e30f;
  listed_parts([&](const Range<D>& part) {
    visit_rows(part, [&](const Index<D>& first, int n) {
      const float* row = &liquid.phi(first);
      for (int k = 0; k < n; ++k) {
        low = row[k] < low ? row[k] : low;
        high = row[k] > high ? row[k] : high;
      }
    });
  });
  found.lowest = low - liquid.lift;
  found.highest = high - liquid.lift;
  if (!liquid.solid.data || found.highest >= 0) return found;
  listed_parts([&](const Range<D>& part) {
    visit_rows(Range<D>{part.lo, part.hi + Index<D>::filled(1)}, [&](const Index<D>& first, int n) {
      const float* row = &liquid.solid(first);
      for (int k = 0; k < n; ++k) nearest = row[k] < nearest ? row[k] : nearest;
    });
  });
  found.nearest = nearest;
  return found;
}

template <int D>
void find_inside(const SampleTile<D>& tile, InsideRows<D>& inside) {
  constexpr int W = SampleTile<D>::width;
  for (int r = 0; r < InsideRows<D>::rows; ++r) {
    const float *phi = tile.phi + r * W, *solid = tile.solid + r * W;
    std::uint32_t bits = 0;
    for (int n = 0; n < W; ++n) bits |= phi[n] < 0 && solid[n] > 0 ? 1u << n : 0u;
    inside.bits[r] = bits;
  }
}

#define GLUG_INSTANTIATE(D)                                                                \
  template void load_samples<D>(const LiquidSamples<D>&, const Range<D>&, SampleTile<D>&); \
  template SampleExtremes sample_extremes<D>(const LiquidSamples<D>&, const Range<D>&);    \
  template void find_inside<D>(const SampleTile<D>&, InsideRows<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
