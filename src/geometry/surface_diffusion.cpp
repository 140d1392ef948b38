#include "geometry/surface_diffusion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reduce.h"
#include "core/rows.h"
#include "geometry/solid_extension.h"

namespace glug {
namespace {

constexpr float reach = 4;  // cells from the surface

// Cells inside solids, and where nothing is listed, are unknown; known ones far from the surface are held.
enum Standing : std::uint8_t { unknown, held_back, moving };

constexpr float upright = 0.06f, steep = 0.15f;  // slopes

// How much less a cell's one neighbour along an axis pulls than a mirrored one would: not at all if the
// surface stands nearly upright on what is beyond; by all of it if it is steep, so that a plane stays a
// plane.
GLUG_INLINE float less_beside_wall(float pull, float h) {
  const float share = (std::abs(pull) - upright * h) / ((steep - upright) * h);
  return share > 0 ? -pull * (share < 1 ? share : 1.0f) : 0.0f;
}

// Along which axes cell n has a neighbour on one side alone; false = along none.
template <int D>
GLUG_INLINE bool is_beside_wall(const View<D, const std::uint8_t>& at, std::ptrdiff_t n,
                                CellBesideWall<D>& cell) {
  bool any = false;
  cell = {n, {}, {}};
  for (int a = 0; a < D; ++a) {
    const std::uint8_t low = at.at(n - at.stride[a]), high = at.at(n + at.stride[a]);
    if ((low == unknown) == (high == unknown)) continue;
    const bool up = low == unknown;
    cell.beside[a] = up ? at.stride[a] : -at.stride[a];
    cell.moves[a] = (up ? high : low) == moving;
    any = true;
  }
  return any;
}

// A step in `n` cells side by side.
template <int D, Held held>
struct RowStep {
  std::ptrdiff_t stride[D];
  const float *here, *moves, *pull;  // pull: of held neighbours
  float step, weight;
  float* out;

  GLUG_INLINE void operator()(int n) const {
    float* to = out;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i) {
      const float v = here[i];
      float change = held == Held::as_phi ? pull[i] : 0.0f;
      for (int a = 0; a < D; ++a) {
        const std::ptrdiff_t s = stride[a];
        change += moves[i - s] * (here[i - s] - v) + moves[i + s] * (here[i + s] - v);
      }
      to[i] = weight * (v - to[i] + step * (moves[i] * change)) + to[i];
    }
  }
};

}  // namespace

DiffusionSteps DiffusionSteps::plain(int dimension, int count) {
  return {0.75f / static_cast<float>(2 * dimension), std::vector<float>(static_cast<std::size_t>(count), 1)};
}

DiffusionSteps DiffusionSteps::chebyshev(int dimension, int degree) {
  // (S7) T_m(x(lambda)) / T_m(x(0)), small beyond lambda = least: x0 = x(0) such that T_m(x0) is `damping`.
  constexpr double damping = 450;
  const double x0 = std::cosh(std::acosh(damping) / degree);
  const double most = 4.0 * dimension, least = most * (x0 - 1) / (x0 + 1);
  DiffusionSteps steps{static_cast<float>(2 / (most + least)), {1}};
  double before = 1, now = x0;  // T_k(x0)
  while (static_cast<int>(steps.weights.size()) < degree) {
    const double next = 2 * x0 * now - before;
    steps.weights.push_back(static_cast<float>(2 * x0 * now / next));
    before = now;
    now = next;
  }
  return steps;
}

template <int D>
SurfaceDiffusion<D>::SurfaceDiffusion(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                                      const View<D, const float>& phi, const View<D, const float>& solid)
    : exec_(exec), grid_(grid), phi_(phi), near_(grid), moves_(phi.range), held_pull_(phi.range) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(near_.total()), 0);
  std::uint8_t* flag = flags.data();
  Field<D, std::uint8_t> standing(phi.range);
  const View<D, std::uint8_t> at = standing.view();
  const float far = reach * static_cast<float>(grid.h);
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
      if (solid_centred<D, float>(solid, i)) return;
      const bool moves = std::abs(phi(i)) < far;
      at(i) = moves ? moving : held_back;
      if (moves) flag[blocks.ids[slot]] = 1;
    });
  });
  near_.assign(flags);
  list_rows_and_walls(standing.read());
}

// Count, then list: the order does not depend on threads.
template <int D>
void SurfaceDiffusion<D>::list_rows_and_walls(const View<D, const std::uint8_t>& standing) {
  const View<D, const std::uint8_t> at = standing;
  const View<D, const float> phi = phi_;
  const BlocksView<D> near = near_.view();
  const Range<D> cells = grid_.cell_range();
  const View<D, float> moves = moves_.view(), pull = held_pull_.view();
  std::vector<int> row_starts(static_cast<std::size_t>(near.count) + 1, 0), wall_starts = row_starts;
  int *row_start = row_starts.data(), *wall_start = wall_starts.data();
  for_each_block(exec_, near, [=](std::int32_t slot) {
    visit_rows(intersection(near.indices(slot), cells), [&](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = at.offset(first);
      bool any = false;
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) {
        if (at.at(n) != moving) continue;
        any = true;
        moves.at(n) = 1;
        for (int a = 0; a < D; ++a)
          for (int side = -1; side <= 1; side += 2) {
            const std::ptrdiff_t m = n + side * at.stride[a];
            if (at.at(m) == held_back) pull.at(n) += phi.at(m) - phi.at(n);
          }
        CellBesideWall<D> cell;
        wall_start[slot] += is_beside_wall<D>(at, n, cell) ? 1 : 0;
      }
      row_start[slot] += any ? 1 : 0;
    });
  });
  rows_.resize(static_cast<std::size_t>(exclusive_scan(exec_, row_start, near.count + 1)));
  at_walls_.resize(static_cast<std::size_t>(exclusive_scan(exec_, wall_start, near.count + 1)));
  Row* rows = rows_.data();
  CellBesideWall<D>* walls = at_walls_.data();
  for_each_block(exec_, near, [=](std::int32_t slot) {
    int next_row = row_start[slot], next_wall = wall_start[slot];
    visit_rows(intersection(near.indices(slot), cells), [&](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = at.offset(first);
      bool any = false;
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) {
        if (at.at(n) != moving) continue;
        any = true;
        CellBesideWall<D> cell;
        if (is_beside_wall<D>(at, n, cell)) walls[next_wall++] = cell;
      }
      if (any) rows[next_row++] = {begin, width};
    });
  });
  join_rows();
}

// Rows of blocks that lie side by side are one: a step is bound by memory, which long rows read in order.
template <int D>
void SurfaceDiffusion<D>::join_rows() {
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < rows_.size(); ++k) {
    if (rows_[last].offset + rows_[last].width == rows_[k].offset)
      rows_[last].width += rows_[k].width;
    else
      rows_[++last] = rows_[k];
  }
  if (!rows_.empty()) rows_.resize(last + 1);
}

template <int D>
Blocks<D> SurfaceDiffusion<D>::around(const BlocksView<D>& blocks) const {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(near_.total()), 0);
  const Blocks<D> wider = near_.dilated(1);
  for (const std::int32_t id : wider.ids())
    flags[static_cast<std::size_t>(id)] = blocks.slot_of_block(blocks.coordinates(id)) >= 0 ? 1 : 0;
  Blocks<D> list(grid_);
  list.assign(flags);
  return list;
}

template <int D>
template <Held held>
void SurfaceDiffusion<D>::exchange(const View<D, const float>& from, float step, float weight,
                                   const View<D, float>& to) const {
  const View<D, const float> moves = moves_.read(), pull = held_pull_.read();
  const Row* rows = rows_.data();
  for_each(exec_, static_cast<std::ptrdiff_t>(rows_.size()), [=](std::ptrdiff_t k) {
    const std::ptrdiff_t at = rows[k].offset;
    RowStep<D, held> row;
    for (int a = 0; a < D; ++a) row.stride[a] = from.stride[a];
    row.here = from.data + at;
    row.moves = moves.data + at;
    row.pull = pull.data + at;
    row.step = step;
    row.weight = weight;
    row.out = to.data + at;
    row(rows[k].width);
  });
}

template <int D>
void SurfaceDiffusion<D>::yield_to_walls(const View<D, const float>& from, Held held, float change,
                                         const View<D, float>& to) const {
  const CellBesideWall<D>* cells = at_walls_.data();
  const float h = static_cast<float>(grid_.h);
  const View<D, const float> phi = phi_;
  for_each(exec_, static_cast<std::ptrdiff_t>(at_walls_.size()), [=](std::ptrdiff_t k) {
    const std::ptrdiff_t n = cells[k].offset;
    float sum = 0;
    for (int a = 0; a < D; ++a) {
      const std::ptrdiff_t m = n + cells[k].beside[a];  // n itself where there is no such neighbour
      if (cells[k].moves[a])
        sum += less_beside_wall(from.at(m) - from.at(n), h);
      else if (held == Held::as_phi)
        sum += less_beside_wall(phi.at(m) - phi.at(n), h);
    }
    if (sum != 0) to.at(n) += change * sum;
  });
}

template <int D>
void SurfaceDiffusion<D>::find_bends(const View<D, const float>& field, const View<D, float>& bend,
                                     const View<D, float>& copy) const {
  const View<D, const float> moves = moves_.read();
  const View<D, const float> u = field;
  for_each_cell(exec_, near_.view(), grid_.cell_range(), [=](const Index<D>& i) {
    const std::ptrdiff_t n = u.offset(i);
    float sum = 0, steepest = -1, along_it = 0;
    for (int a = 0; a < D; ++a) {
      const std::ptrdiff_t step = u.stride[a];
      const float lower = moves.at(n) * moves.at(n - step), upper = moves.at(n) * moves.at(n + step);
      const float low = lower * (u.at(n - step) - u.at(n));
      const float high = upper * (u.at(n + step) - u.at(n));
      const bool both = lower * upper > 0;
      const float slope = std::abs(high - low), second = both ? std::abs(low + high) : 0.0f;
      sum += second;
      if (slope <= steepest) continue;
      steepest = slope;
      along_it = second;
    }
    bend.at(n) = copy.at(n) = sum - along_it;
  });
}

template <int D>
void SurfaceDiffusion<D>::operator()(const DiffusionSteps& steps, Field<D, float>& field,
                                     Field<D, float>& other, Held held) const {
  for (const float weight : steps.weights) {
    if (held == Held::as_phi)
      exchange<Held::as_phi>(field.read(), steps.step, weight, other.view());
    else
      exchange<Held::level>(field.read(), steps.step, weight, other.view());
    yield_to_walls(field.read(), held, weight * steps.step, other.view());
    std::swap(field, other);
  }
}

template class SurfaceDiffusion<2>;
template class SurfaceDiffusion<3>;

}  // namespace glug
