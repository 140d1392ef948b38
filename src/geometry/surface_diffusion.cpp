#include "geometry/surface_diffusion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reduce.h"
#include "core/rows.h"
#include "geometry/solid_extension.h"

namespace glug {
namespace {

// Cells inside solids, and where nothing is listed, are unknown; known ones far from the surface are held.
enum Standing : std::uint8_t { unknown, held_back, moving };

constexpr float upright = 0.06f, steep = 0.15f;  // slopes

// How much less a cell's one neighbour along an axis pulls than a mirrored one would: not at all if the
// surface stands nearly upright on what is beyond; by all of it if it is steep, so that a plane stays a
// plane.
GLUG_INLINE float less_beside_wall(float pull, float h) {
  const float share = (std::abs(pull) - upright * h) * (1 / ((steep - upright) * h));
  return -pull * clamp(share, 0.0f, 1.0f);
}

// How far the one neighbour of cell n along an axis is; 0 = there are two, or none.
template <int D>
GLUG_INLINE std::ptrdiff_t lone_neighbour(const View<D, const std::uint8_t>& at, std::ptrdiff_t n, int axis) {
  const std::ptrdiff_t s = at.stride[axis];
  const bool low = at.at(n - s) != unknown, high = at.at(n + s) != unknown;
  return low == high ? 0 : low ? -s : s;
}

// Rows of blocks that lie side by side are one: a step is bound by memory, which long rows read in order.
void join_rows(std::vector<DiffusionRow>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const DiffusionRow& a, const DiffusionRow& b) { return a.offset < b.offset; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[last].offset + rows[last].width == rows[k].offset)
      rows[last].width += rows[k].width;
    else
      rows[++last] = rows[k];
  }
  if (!rows.empty()) rows.resize(last + 1);
}

// Each row has its cells beside walls: they are put right while the row is at hand.
void share_out_walls(DiffusionCells& cells) {
  std::stable_sort(cells.at_walls.begin(), cells.at_walls.end(),
                   [](const BesideWall& a, const BesideWall& b) { return a.cell < b.cell; });
  int next = 0;
  const int count = static_cast<int>(cells.at_walls.size());
  for (DiffusionRow& row : cells.rows) {
    row.walls = next;
    while (next < count && cells.at_walls[static_cast<std::size_t>(next)].cell < row.offset + row.width)
      ++next;
  }
  cells.rows.push_back({0, 0, count});
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
                                      const View<D, const float>& phi, const View<D, const float>& solid,
                                      float reach)
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
  const float h = static_cast<float>(grid_.h);
  row_starts_.assign(static_cast<std::size_t>(near.count) + 1, 0);
  int* row_start = row_starts_.data();
  wall_starts_ = row_starts_;
  int* wall_start = wall_starts_.data();
  for_each_block(exec_, near, [=](std::int32_t slot) {
    visit_rows(intersection(near.indices(slot), cells), [&](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = at.offset(first);
      bool any = false;
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) {
        if (at.at(n) != moving) continue;
        any = true;
        moves.at(n) = 1;
        for (int a = 0; a < D; ++a) {
          for (int side = -1; side <= 1; side += 2) {
            const std::ptrdiff_t m = n + side * at.stride[a];
            if (at.at(m) == held_back) pull.at(n) += phi.at(m) - phi.at(n);
          }
          const std::ptrdiff_t lone = lone_neighbour<D>(at, n, a);
          if (lone == 0) continue;
          if (at.at(n + lone) == moving)
            ++wall_start[slot];
          else
            pull.at(n) += less_beside_wall(phi.at(n + lone) - phi.at(n), h);
        }
      }
      row_start[slot] += any ? 1 : 0;
    });
  });
  rows_.resize(static_cast<std::size_t>(exclusive_scan(exec_, row_start, near.count + 1)));
  DiffusionRow* rows = rows_.data();
  at_walls_.resize(static_cast<std::size_t>(exclusive_scan(exec_, wall_start, near.count + 1)));
  BesideWall* walls = at_walls_.data();
  for_each_block(exec_, near, [=](std::int32_t slot) {
    int next_row = row_start[slot], next_wall = wall_start[slot];
    visit_rows(intersection(near.indices(slot), cells), [&](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = at.offset(first);
      std::ptrdiff_t first_moving = -1, last_moving = -1;
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) {
        if (at.at(n) != moving) continue;
        if (first_moving < 0) first_moving = n;
        last_moving = n;
        for (int a = 0; a < D; ++a) {
          const std::ptrdiff_t lone = lone_neighbour<D>(at, n, a);
          if (lone != 0 && at.at(n + lone) == moving) walls[next_wall++] = {n, n + lone};
        }
      }
      if (first_moving >= 0)
        rows[next_row++] = {first_moving, static_cast<int>(last_moving - first_moving) + 1, 0};
    });
  });
}

template <int D>
DiffusionCells SurfaceDiffusion<D>::cells_in(const BlocksView<D>& blocks) const {
  DiffusionCells list;
  const BlocksView<D> near = near_.view();
  for (std::int32_t n = 0; n < blocks.count; ++n) {
    const std::int32_t slot = near.slots[blocks.ids[n]];
    if (slot < 0) continue;
    list.rows.insert(list.rows.end(), rows_.begin() + row_starts_[static_cast<std::size_t>(slot)],
                     rows_.begin() + row_starts_[static_cast<std::size_t>(slot) + 1]);
    list.at_walls.insert(list.at_walls.end(),
                         at_walls_.begin() + wall_starts_[static_cast<std::size_t>(slot)],
                         at_walls_.begin() + wall_starts_[static_cast<std::size_t>(slot) + 1]);
  }
  join_rows(list.rows);
  share_out_walls(list);
  return list;
}

template <int D>
Blocks<D> SurfaceDiffusion<D>::among(const Blocks<D>& some, const BlocksView<D>& blocks) const {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(some.total()), 0);
  for (const std::int32_t id : some.ids())
    flags[static_cast<std::size_t>(id)] = blocks.slots[id] >= 0 ? 1 : 0;
  Blocks<D> list(grid_);
  list.assign(flags);
  return list;
}

template <int D>
Blocks<D> SurfaceDiffusion<D>::around(const BlocksView<D>& blocks) const {
  return among(near_.dilated(1), blocks);
}

template <int D>
Blocks<D> SurfaceDiffusion<D>::moving_where(const View<D, const float>& positive) const {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(near_.total()), 0);
  std::uint8_t* flag = flags.data();
  const View<D, const float> moves = moves_.read(), value = positive;
  const BlocksView<D> near = near_.view();
  const Range<D> cells = grid_.cell_range();
  for_each_block(exec_, near, [=](std::int32_t slot) {
    bool any = false;
    visit_rows(intersection(near.indices(slot), cells), [&](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = value.offset(first);
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) any |= moves.at(n) * value.at(n) > 0;
    });
    flag[near.ids[slot]] = any ? 1 : 0;
  });
  Blocks<D> list(grid_);
  list.assign(flags);
  return list;
}

template <int D>
template <Held held>
void SurfaceDiffusion<D>::exchange(const DiffusionCells& cells, const View<D, const float>& from, float step,
                                   float weight, const View<D, float>& to) const {
  const View<D, const float> moves = moves_.read(), pull = held_pull_.read();
  const DiffusionRow* rows = cells.rows.data();
  const BesideWall* walls = cells.at_walls.data();
  const float h = static_cast<float>(grid_.h), change = weight * step;
  for_each(exec_, static_cast<std::ptrdiff_t>(cells.rows.size()) - 1, [=](std::ptrdiff_t k) {
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
    for (int w = rows[k].walls; w < rows[k + 1].walls; ++w) {
      const auto [n, m] = walls[w];
      to.at(n) += change * less_beside_wall(from.at(m) - from.at(n), h);
    }
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
void SurfaceDiffusion<D>::operator()(const DiffusionSteps& steps, const DiffusionCells& cells,
                                     Field<D, float>& field, Field<D, float>& other, Held held) const {
  for (const float weight : steps.weights) {
    if (held == Held::as_phi)
      exchange<Held::as_phi>(cells, field.read(), steps.step, weight, other.view());
    else
      exchange<Held::level>(cells, field.read(), steps.step, weight, other.view());
    std::swap(field, other);
  }
}

template class SurfaceDiffusion<2>;
template class SurfaceDiffusion<3>;

}  // namespace glug
