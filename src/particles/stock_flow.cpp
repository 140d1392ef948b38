// How stock flows between cells that are deep (narrow_band.h). Theory: (N2).
#include <algorithm>
#include <cmath>

#include "core/reduce.h"
#include "core/runs.h"
#include "geometry/volume.h"
#include "particles/largest.h"
#include "particles/narrow_band.h"

namespace glug {
namespace {

// Which of what a cell holds is moved: 1 or 0 times what fills it, and what it holds beyond that. ahead: in
// how many times the flow's step what fills cells will have moved.
struct Moved {
  float full = 1, excess = 1, ahead = 1;
};

// The part of a cell that passes a face upwards, displacement included.
template <int D>
GLUG_INLINE float passes(const StockFlow<D>& flow, int axis, const Index<D>& face) {
  const float step = static_cast<float>(flow.dt / flow.grid.h),
              per_cell = flow.share / static_cast<float>(flow.grid.h);
  float moved = flow.velocity[axis](face) * step;
  if (flow.displacement[axis].data) moved += flow.displacement[axis](face) * per_cell;
  return moved;
}

// Into a cell through all its faces.
template <int D>
GLUG_INLINE float inflow(const StockFlow<D>& flow, const Index<D>& i) {
  float in = 0;
  for (int a = 0; a < D; ++a) {
    const Index<D> high = i + Index<D>::unit(a);
    in += passes(flow, a, i) * flow.open[a](i) - passes(flow, a, high) * flow.open[a](high);
  }
  return in;
}

// Out of a cell, through those of its faces that let out.
template <int D>
GLUG_INLINE float outflow(const StockFlow<D>& flow, const Index<D>& i) {
  float out = 0;
  for (int a = 0; a < D; ++a) {
    const Index<D> high = i + Index<D>::unit(a);
    out += std::max(0.f, passes(flow, a, high) * flow.open[a](high)) +
           std::max(0.f, -passes(flow, a, i) * flow.open[a](i));
  }
  return out;
}

// The largest part of a cell of a run that flows out of it; where it is surely less than all, what is sure.
template <int D>
GLUG_INLINE float largest_outflow(const StockFlow<D>& flow, const View<D, const std::uint8_t>& mark,
                                  const Range<D>& box) {
  const float step = static_cast<float>(flow.dt / flow.grid.h),
              per_cell = flow.share / static_cast<float>(flow.grid.h);
  float sure = 0;
  for (int a = 0; a < D; ++a) {
    const Range<D> faces{box.lo, box.hi + Index<D>::unit(a)};
    sure += 2 * step * largest_of<D>(flow.velocity[a], faces);
    if (flow.displacement[a].data) sure += 2 * per_cell * largest_of<D>(flow.displacement[a], faces);
  }
  if (sure <= 1) return sure;
  float most = 0;
  visit(box, [&](const Index<D>& i) {
    if (mark(i) == is_deep) most = std::max(most, outflow(flow, i));
  });
  return most;
}

// The cells of a run of blocks (core/runs.h) and one layer around them.
template <int D>
struct StockTile {
  static constexpr int length = run_length<D> + 2, width = block_edge<D> + 2;
  static constexpr int size = length * power(width, D - 1);
  float excess[size];  // what a cell holds beyond being full, per volume of its open part
  float gain[size];
  std::uint8_t deep[size];
  Index<D> lo;  // of the tile
  bool everywhere;

  static GLUG_INLINE constexpr int stride(int axis) {
    return axis == 0 ? 1 : length * power(width, axis - 1);
  }
  GLUG_INLINE int at(const Index<D>& i) const {
    int n = 0;
    for (int a = 0; a < D; ++a) n += (i[a] - lo[a]) * stride(a);
    return n;
  }

  GLUG_INLINE void load(const StockFlow<D>& flow, const Moved& moved, const View<D, const std::uint8_t>& mark,
                        const View<D, const float>& stock, const Range<D>& box) {
    lo = box.lo - Index<D>::filled(1);
    const double h = flow.grid.h;
    const float far = static_cast<float>(2 * h);  // from a solid: no part of the cell is in it
    const float full = static_cast<float>(flow.particles_per_cell);
    const Range<D> cells = flow.grid.cell_range();
    int others = 0;
    // Beyond the domain is a layer of marks.
    visit_rows(box.grown(1), [&](const Index<D>& first, int n) {
      const int t = at(first);
      const std::uint8_t* marks = &mark(first);
      int deep_ones = 0;
      for (int k = 0; k < n; ++k) {
        gain[t + k] = 0;
        excess[t + k] = 0;
        deep[t + k] = marks[k] == is_deep;
        deep_ones += deep[t + k];
      }
      others += n - deep_ones;
      if (deep_ones == 0) return;
      // Of stock there is no such layer.
      const int begin = std::max(cells.lo[0] - first[0], 0);
      const int end = std::min<int>(cells.hi[0] - first[0], n);
      const float *held = &stock(first), *distance = &flow.solid(first);
      int near_solid = 0;
      if (begin == 0 && end == n) {
        for (int k = 0; k < n; ++k) excess[t + k] = deep[t + k] ? held[k] - full : 0.f;
      } else {
        for (int k = begin; k < end; ++k) excess[t + k] = deep[t + k] ? held[k] - full : 0.f;
      }
      for (int k = 0; k < n; ++k) near_solid += distance[k] <= far;
      if (near_solid == 0) return;
      for (int k = begin; k < end; ++k) {
        if (!deep[t + k] || distance[k] > far) continue;
        Index<D> i = first;
        i[0] += k;
        // Solids are where they will be: what they push out in the step is no excess.
        const double open = cell_open_fraction<D>(flow.solid, h, i);
        const float there = held[k] + full * moved.ahead * inflow(flow, i);
        // No more of it leaves than there is, however little of the cell is open.
        const double room = std::max({open, 0.25, static_cast<double>(outflow(flow, i))});
        excess[t + k] = static_cast<float>((there - full * open) / room);
      }
    });
    everywhere = others == 0;
  }

  // Between deep cells on both sides of the faces along this axis and later ones: all that is there goes with
  // the flow.
  template <int Axis>
  GLUG_INLINE void pass(const StockFlow<D>& flow, const Moved& moved, const Range<D>& box) {
    const float step = static_cast<float>(flow.dt / flow.grid.h),
                per_cell = flow.share / static_cast<float>(flow.grid.h);
    const float full = moved.full * static_cast<float>(flow.particles_per_cell);
    const int below = stride(Axis);
    visit_rows(Range<D>{box.lo, box.hi + Index<D>::unit(Axis)}, [&](const Index<D>& first, int n) {
      const int t = at(first);
      const float *u = &flow.velocity[Axis](first), *open = &flow.open[Axis](first);
      const float* shift = flow.displacement[Axis].data ? &flow.displacement[Axis](first) : nullptr;
      float up[run_length<D> + 1], flux[run_length<D> + 1];
      for (int k = 0; k < n; ++k) up[k] = u[k] * step;
      if (shift)
        for (int k = 0; k < n; ++k) up[k] += shift[k] * per_cell;
      for (int k = 0; k < n; ++k) {
        up[k] *= open[k];
        const float here = excess[t + k], from_below = excess[t + k - below];
        flux[k] = up[k] * (full + moved.excess * (up[k] > 0 ? from_below : here));
      }
      if (!everywhere)
        for (int k = 0; k < n; ++k) flux[k] = deep[t + k] & deep[t + k - below] ? flux[k] : 0.f;
      for (int k = 0; k < n; ++k) gain[t + k] += flux[k];
      for (int k = 0; k < n; ++k) gain[t + k - below] -= flux[k];
    });
    if constexpr (Axis + 1 < D) pass<Axis + 1>(flow, moved, box);
  }
};

// How far stock moves that passes between a deep cell and one that is not: from the cell's middle to its
// side, where particles begin, and, of what passes it, beyond. All that the cell holds goes that way, not
// only what would fill it. Cells times particles.
template <int D>
GLUG_INLINE Vec<D, double> way_to_the_edge(const StockFlow<D>& flow, const Moved& moved,
                                           const StockTile<D>& tile, const Range<D>& box) {
  const Range<D> cells = flow.grid.cell_range();
  // Along b, at the middle of a face along a, cells.
  const auto moved_across = [&](int b, int a, const Index<D>& face) {
    double sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      Index<D> i = face;
      if (corner & 1) i = i + Index<D>::unit(b);
      if (corner & 2) i = i - Index<D>::unit(a);
      sum += passes(flow, b, i);
    }
    return 0.25 * sum;
  };
  Vec<D, double> way{};
  const auto add_cell = [&](const Index<D>& i, int t) {
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const int step = StockTile<D>::stride(a);
        if (tile.deep[high ? t + step : t - step]) continue;
        const Index<D> face = high ? i + Index<D>::unit(a) : i;
        if (!cells.contains(high ? face : i - Index<D>::unit(a))) continue;
        const double up = passes(flow, a, face) * flow.open[a](face);
        const double out = high ? up : -up, held = static_cast<double>(moved.excess * tile.excess[t]) +
                                                   static_cast<double>(moved.full) * flow.particles_per_cell;
        for (int b = 0; b < D; ++b) {
          const double along = b == a ? up : moved_across(b, a, face);
          way[b] += 0.5 * held * ((b == a ? up : 0.0) + along * out);
        }
      }
  };
  visit_rows(box, [&](const Index<D>& first, int n) {
    const std::uint8_t* deep = tile.deep + tile.at(first);
    std::uint8_t at_edge[run_length<D>];  // deep, and not all around it is
    int count = 0;
    for (int k = 0; k < n; ++k) {
      std::uint8_t around = 1;
      for (int a = 0; a < D; ++a)
        around = static_cast<std::uint8_t>(around & deep[k - StockTile<D>::stride(a)] &
                                           deep[k + StockTile<D>::stride(a)]);
      at_edge[k] = deep[k] & static_cast<std::uint8_t>(around ^ 1);
      count += at_edge[k];
    }
    if (count == 0) return;
    for (int k = 0; k < n; ++k) {
      if (!at_edge[k]) continue;
      Index<D> i = first;
      i[0] += k;
      add_cell(i, tile.at(i));
    }
  });
  return way;
}

// What has moved, and how.
template <int D>
struct Flowed {
  Vec<D, double> way{};   // way_to_the_edge, of all runs
  float largest_out = 0;  // part of a cell
  Flowed operator+(const Flowed& o) const { return {way + o.way, std::max(largest_out, o.largest_out)}; }
};

// The stock after the flow, into deep.flowed.
template <int D>
Flowed<D> flow_once(const Exec& exec, const StockFlow<D>& given, const Moved& moved, DeepLiquid<D>& deep) {
  const StockFlow<D> flow = given;
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const View<D, const float> stock = deep.stock.read();
  const View<D, float> flowed = deep.flowed.view();
  return reduce_runs(exec, deep.blocks.view(), flow.grid.cell_range(), Flowed<D>{}, Plus{},
                     [=](const Range<D>& box) {
                       StockTile<D> tile;
                       tile.load(flow, moved, mark, stock, box);
                       tile.template pass<0>(flow, moved, box);
                       visit_rows(box, [&](const Index<D>& first, int n) {
                         const int t = tile.at(first);
                         const float* from = &stock(first);
                         float* to = &flowed(first);
                         for (int k = 0; k < n; ++k) to[k] = from[k] + tile.gain[t + k];
                       });
                       Flowed<D> result;
                       if (!tile.everywhere) result.way = way_to_the_edge(flow, moved, tile, box);
                       result.largest_out = largest_outflow(flow, mark, box);
                       return result;
                     });
}

template <int D>
void accept_flow(const Flowed<D>& flowed, DeepLiquid<D>& deep) {
  deep.beside += flowed.way;
  std::swap(deep.stock, deep.flowed);
}

}  // namespace

template <int D>
void flow_stock(const Exec& exec, const StockFlow<D>& flow, DeepLiquid<D>& deep) {
  const Flowed<D> at_once = flow_once(exec, flow, Moved{}, deep);
  // Upwind differences are stable while no more leaves a cell than it holds.
  const int parts = std::max(1, static_cast<int>(std::ceil(at_once.largest_out)));
  if (parts == 1) return accept_flow(at_once, deep);
  // What fills cells goes at once: beside the deep's edge it is missed until particles have come in, and what
  // is missed there must not flow on.
  StockFlow<D> part = flow;
  part.dt /= parts;
  part.share = 1.f / static_cast<float>(parts);
  for (int n = 0; n < parts; ++n)
    accept_flow(flow_once(exec, part, Moved{0, 1, static_cast<float>(parts)}, deep), deep);
  accept_flow(flow_once(exec, flow, Moved{1, 0}, deep), deep);
}

#define GLUG_INSTANTIATE(D) template void flow_stock<D>(const Exec&, const StockFlow<D>&, DeepLiquid<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
