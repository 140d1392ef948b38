// runs.h: loops over the cells of listed blocks by long rows. Blocks that follow each other along axis 0 are
// visited as one run of up to `run_blocks`, row by row: memory is read in stretches of a kilobyte instead of
// 64 bytes, which made a stencil five times faster at 128^3. Runs depend on the list alone, never on the
// number of threads.
#pragma once

#include <type_traits>

#include "core/for_each.h"
#include "core/reduce.h"
#include "core/rows.h"
#include "solvers/pack.h"

namespace glug {

inline constexpr int run_blocks = 16;
template <int D>
inline constexpr int run_length = run_blocks* block_edge<D>;  // cells in the longest row

// Room for one number per cell of a row, inside a kernel: on a device rows have one cell (or one block of
// 2^D).
#ifdef __CUDA_ARCH__
template <int D>
inline constexpr int row_room = 2;
#else
template <int D>
inline constexpr int row_room = run_length<D>;
#endif

// The indices of the run that starts at this slot, clipped; empty where the slot continues an earlier run.
template <int D>
GLUG_INLINE Range<D> run_at(const BlocksView<D>& blocks, std::int32_t slot, const Range<D>& clip) {
  const std::int32_t id = blocks.ids[slot];
  const int x = id % blocks.blocks[0];
  if (slot > 0 && x % run_blocks != 0 && blocks.ids[slot - 1] == id - 1) return {};
  int n = 1;
  while (slot + n < blocks.count && x + n < blocks.blocks[0] && (x + n) % run_blocks != 0 &&
         blocks.ids[slot + n] == id + n)
    ++n;
  Range<D> run = blocks.indices(slot);
  run.hi[0] += (n - 1) * block_edge<D>;
  return intersection(run, clip);
}

// Runs are visited by the dozen, plane by plane: the rows of a plane follow each other in memory, so that it
// is read in stretches of tens of kilobytes, which the processor foresees; a run alone is left after eight
// rows.
inline constexpr std::int32_t slots_at_once = 64;
template <int D>
GLUG_INLINE std::int32_t chunks_of(const BlocksView<D>& blocks) {
  return (blocks.count + slots_at_once - 1) / slots_at_once;
}
// f(slot, first, n) for the rows of the runs that start among the slots of a chunk.
template <int D, class F>
GLUG_INLINE void visit_rows_of_chunk(const BlocksView<D>& blocks, const Range<D>& clip, std::int32_t chunk,
                                     F&& f) {
  const std::int32_t begin = chunk * slots_at_once;
  const std::int32_t end = begin + slots_at_once < blocks.count ? begin + slots_at_once : blocks.count;
  struct Run {
    Range<D> cells;
    std::int32_t slot;
  };
  Run runs[slots_at_once];
  int count = 0;
  for (std::int32_t slot = begin; slot < end; ++slot) {
    const Range<D> cells = run_at(blocks, slot, clip);
    if (cells.size() > 0) runs[count++] = {cells, slot};
  }
  // Runs of one layer of blocks have the same planes.
  for (int first = 0; first < count;) {
    int last = first;
    const int layer = runs[first].cells.lo[D - 1] / block_edge<D>;
    while (last < count && runs[last].cells.lo[D - 1] / block_edge<D> == layer) ++last;
    for (int plane = layer * block_edge<D>; plane < (layer + 1) * block_edge<D>; ++plane)
      for (int k = first; k < last; ++k) {
        Range<D> rows = runs[k].cells;
        if (plane < rows.lo[D - 1] || plane >= rows.hi[D - 1]) continue;
        rows.lo[D - 1] = plane;
        rows.hi[D - 1] = plane + 1;
        visit_rows(rows, [&](const Index<D>& at, int n) { f(runs[k].slot, at, n); });
      }
    first = last;
  }
}

// Numbers that are 0, as a row beside one that has none there.
template <class T, int D>
inline constexpr T no_row[run_length<D> + 16] = {};
template <class T, int D>
GLUG_INLINE const T* absent_row() {
#ifdef __CUDA_ARCH__
  return nullptr;  // a device knows no such rows
#else
  return no_row<T, D>;
#endif
}

// The rows beside a row of x, those of absent sides replaced by another; and how many sides there are.
template <int D, class T>
struct RowSides {
  const T* beside[D > 1 ? 2 * (D - 1) : 1];
  int count = 0;

  GLUG_INLINE RowSides(const T* x, const std::ptrdiff_t* stride, unsigned sides,
                       const T* absent = absent_row<T, D>()) {
    for (int a = 1; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const int n = 2 * (a - 1) + high;
        const bool present = (sides >> n) & 1u;
        beside[n] = present ? x + (high ? stride[a] : -stride[a]) : absent;
        count += present;
      }
  }
  GLUG_INLINE T differences(T centre, int k) const {
    T total = centre - beside[0][k];
    for (int n = 1; n < 2 * (D - 1); ++n) total += centre - beside[n][k];
    return total;
  }
  template <class P>
  GLUG_INLINE P sum(int k) const {
    P total = load<P>(beside[0] + k);
    for (int n = 1; n < 2 * (D - 1); ++n) total += load<P>(beside[n] + k);
    return total;
  }
};

template <int D, class F>
void for_each_long_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t, const Index<D>& i) { f(i, 1); });
  for_each_task(exec, chunks_of(blocks), [=] GLUG_FN(std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, clip, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) { f(first, n); });
  });
}

// What a stencil knows of the part of a row that lies in one block.
enum class RowKind : std::uint8_t {
  general = 0,
  uniform,  // all couplings, to all sides, are one number, and nothing is anchored
  empty,    // no unknowns: kernels leave it out, and what stands there means nothing
  first,    // nothing but its first cell
  even      // as uniform, but whole sides of it may be uncoupled
};
// The kinds of a row's parts, the m-th for the m-th block of its run: the kind, and above it which sides are
// coupled, bit 2 (axis - 1) below and the next bit above, for axes from 1 on. Kept at the first slot of a
// run; on a device every block is a run of its own, and its parts are uniform or general.
struct RowMarks {
  static constexpr int side_shift = 4;
  std::uint8_t part[run_blocks] = {};
  GLUG_INLINE RowKind kind(int m) const { return static_cast<RowKind>(part[m] & 15); }
  GLUG_INLINE unsigned sides(int m) const { return part[m] >> side_shift; }
};
template <int D>
inline constexpr int block_rows = block_volume<D> / block_edge<D>;
template <int D>
GLUG_INLINE int row_in_block(const Index<D>& i) {
  int n = 0;
  for (int a = D - 1; a > 0; --a) n = n * block_edge<D> + i[a] % block_edge<D>;
  return n;
}

// What kernels are told of a stretch: its kind, a constant of the compiler, and the sides that are coupled.
template <RowKind K>
struct Stretch {
  static constexpr RowKind kind = K;
  unsigned sides = 0;
};

// f(k, count, stretch) over the stretches of a row of n cells that hold unknowns, count cells from k on;
// `first` is told as general.
template <int D, class F>
GLUG_INLINE void visit_stretches(int n, const RowMarks& marks, F&& f) {
  for (int k = 0, m = 0; k < n;) {
    const std::uint8_t part = marks.part[m];
    const RowKind kind = marks.kind(m);
    if (kind == RowKind::empty || kind == RowKind::first) {
      if (kind == RowKind::first) f(k, 1, Stretch<RowKind::general>{});
      k += block_edge<D>;
      ++m;
      continue;
    }
    const unsigned sides = marks.sides(m);
    int end = k;
    for (; end < n && marks.part[m] == part; ++m) end += block_edge<D>;
    if (end > n) end = n;
    if (kind == RowKind::uniform)
      f(k, end - k, Stretch<RowKind::uniform>{});
    else if (kind == RowKind::even)
      f(k, end - k, Stretch<RowKind::even>{sides});
    else
      f(k, end - k, Stretch<RowKind::general>{});
    k = end;
  }
}

// f(first, n, marks) over all rows; `of_slots` may be null: nothing is marked.
template <int D, class F>
GLUG_INLINE void visit_marked_rows(const Range<D>& run, const RowMarks* of_slots, std::int32_t slot, F&& f) {
  const RowMarks* marks = of_slots ? of_slots + std::ptrdiff_t{slot} * block_rows<D> : nullptr;
  visit_rows(run, [&](const Index<D>& first, int n) {
    f(first, n, marks ? marks[row_in_block<D>(first)] : RowMarks{});
  });
}
// On a device.
template <int D>
GLUG_INLINE bool is_uniform_at(const RowMarks* of_slots, std::int32_t slot, const Index<D>& i) {
  return of_slots &&
         of_slots[std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(i)].kind(0) == RowKind::uniform;
}
template <int D>
GLUG_INLINE RowMarks marks_of_cell(const RowMarks* of_slots, std::int32_t slot, const Index<D>& i) {
  RowMarks marks;
  marks.part[0] =
      static_cast<std::uint8_t>(is_uniform_at<D>(of_slots, slot, i) ? RowKind::uniform : RowKind::general);
  return marks;
}
template <int D, class F>
void for_each_marked_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                         const RowMarks* of_slots, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
      f(i, 1, marks_of_cell<D>(of_slots, slot, i));
    });
  for_each_task(exec, chunks_of(blocks), [=] GLUG_FN(std::ptrdiff_t chunk) {
    visit_rows_of_chunk(
        blocks, clip, static_cast<std::int32_t>(chunk), [&](std::int32_t slot, const Index<D>& first, int n) {
          const RowMarks* marks = of_slots ? of_slots + std::ptrdiff_t{slot} * block_rows<D> : nullptr;
          f(first, n, marks ? marks[row_in_block<D>(first)] : RowMarks{});
        });
  });
}

// f(first, n) over the stretches of rows that hold unknowns.
template <int D, class F>
void for_each_stretch(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                      const RowMarks* of_slots, F f) {
  for_each_marked_row(
      exec, blocks, clip, of_slots, [=] GLUG_FN(const Index<D>& first, int n, const RowMarks& marks) {
        visit_stretches<D>(
            n, marks, [&](int begin, int length, auto) { f(first + Index<D>::unit(0) * begin, length); });
      });
}

// The sum over all rows of what f(first, n, marks, sum) adds to its PackSum.
template <int D, class F>
double sum_marked_rows(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                       const RowMarks* of_slots, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(blocks, clip, 0.0, Plus{}, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
      PackSum<double> sum;
      f(i, 1, marks_of_cell<D>(of_slots, slot, i), sum);
      return sum.total();
    });
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=] GLUG_FN(std::int32_t slot) {
    PackSum<double> sum;
    visit_marked_rows<D>(
        run_at(blocks, slot, clip), of_slots, slot,
        [&](const Index<D>& first, int n, const RowMarks& marks) { f(first, n, marks, sum); });
    return sum.total();
  });
}

// combine(..., f(run)) over the runs in slot order.
template <int D, class T, class Combine, class F>
T reduce_runs(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, T identity,
              Combine combine, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(blocks, clip, identity, combine, [=] GLUG_FN(std::int32_t, const Index<D>& i) {
      return f(Range<D>{i, i + Index<D>::filled(1)});
    });
  return reduce_blocks(exec, blocks, identity, combine, [=] GLUG_FN(std::int32_t slot) {
    const Range<D> run = run_at(blocks, slot, clip);
    return run.extent(0) > 0 ? f(run) : identity;
  });
}

}  // namespace glug
