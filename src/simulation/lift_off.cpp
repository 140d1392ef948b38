#include "simulation/lift_off.h"

#include <algorithm>
#include <cmath>

#include "regions/cell_pairs.h"
#include "simulation/slits.h"
#include "simulation/solids.h"
#include "simulation/stream_stage.h"

namespace glug {
namespace {

constexpr double mostly = 0.5;  // of a face
// Cells: what lies deeper inside a body is no film.
constexpr double deepest = 1.5;

// A set of cells that remembers the order they came in.
template <int D>
struct CellList {
  Range<D> all{};
  std::vector<Index<D>> cells{};
  std::vector<std::ptrdiff_t> numbers{};  // sorted

  void assign(std::vector<Index<D>> list) {
    cells = std::move(list);
    numbers.clear();
    for (const Index<D>& i : cells) numbers.push_back(number(i));
    std::sort(numbers.begin(), numbers.end());
  }
  std::ptrdiff_t number(const Index<D>& i) const {
    std::ptrdiff_t n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * (all.hi[a] - all.lo[a]) + (i[a] - all.lo[a]);
    return n;
  }
  // -1 = not among them; else its place in the order of numbers.
  std::ptrdiff_t place(const Index<D>& i) const {
    if (!all.contains(i)) return -1;
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), number(i));
    return at != numbers.end() && *at == number(i) ? at - numbers.begin() : -1;
  }
};

// The cells between a body and what it lies on, found from the liquid beside it.
template <int D>
struct Film {
  const State<D>& state;
  const std::vector<SolidInstance>& solids;
  std::size_t body;
  int down;                       // the axis that gravity acts along most
  std::vector<Index<D>> cells{};  // that liquid reaches
  std::vector<FaceSlit<D>> faces{};

  void find(const Exec& exec) {
    CellList<D> between{state.setup.grid.cell_range()};
    between.assign(list_between(exec));
    if (between.cells.empty()) return;
    std::vector<std::uint8_t> reached(between.numbers.size(), 0);
    const auto reach = [&](const Index<D>& i) {
      std::uint8_t& flag = reached[static_cast<std::size_t>(between.place(i))];
      if (!flag) cells.push_back(i);
      flag = 1;
    };
    for (const Index<D>& i : between.cells)
      visit_around(i, [&](const Index<D>& j, const Index<D>& face, int a) {
        if (is_liquid(j) && may_open(face, a)) reach(i);
      });
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const Index<D> i = cells[k];
      visit_around(i, [&](const Index<D>& j, const Index<D>& face, int a) {
        if (!may_open(face, a)) return;
        const bool inside = between.place(j) >= 0;
        if (inside) reach(j);
        if (is_liquid(j) || (inside && face == i)) faces.push_back({face, a});
      });
    }
  }

 private:
  std::vector<Index<D>> list_between(const Exec& exec) const {
    const Grid<D>& grid = state.setup.grid;
    const BlocksView<D> active = state.active.view();
    std::vector<std::uint8_t> flags(state.solid_known.size(), 0);
    visit(blocks_near(grid, state.solids[body], grid.h), [&](const Index<D>& b) {
      const std::int32_t id = active.linear(b);
      flags[static_cast<std::size_t>(id)] = active.slots[id] >= 0;
    });
    Blocks<D> near(grid);
    near.assign(flags);
    const BlocksView<D> blocks = near.view();
    return join_lists<D, Index<D>>(
        exec, blocks, [this, blocks, grid](std::int32_t slot, std::vector<Index<D>>& list) {
          visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
            if (is_between(i)) list.push_back(i);
          });
        });
  }
  // What it lies on is below.
  bool is_between(const Index<D>& i) const {
    const Grid<D>& grid = state.setup.grid;
    if (state.labels.of_cell(i) != Cell::solid) return false;
    const SolidInstance& own = solids[body];
    const double inside = own.shape.distance(own.pose.to_body(embed<D>(grid.cell_center(i))));
    if (std::abs(inside) > deepest * grid.h) return false;
    const Index<D> next = i + Index<D>::unit(down);
    const bool falls_low = state.setup.gravity[down] < 0;
    const Index<D> above = falls_low ? next : i, below = falls_low ? i : next;
    if (!(part_closed_by<D>(grid, own, above, down) > mostly)) return false;
    const bool high = below[down] == grid.cells[down];
    if (high || below[down] == 0) return !state.setup.sides.open[down][high];
    const auto is_other = [&](std::size_t n) { return n != body; };
    return part_closed_by_those(grid, solids, below, down, is_other) > mostly;
  }
  bool is_liquid(const Index<D>& i) const {
    return state.setup.grid.cell_range().contains(i) && state.labels.of_cell(i) == Cell::liquid;
  }
  bool may_open(const Index<D>& face, int axis) const {
    if (!state.setup.grid.cell_range().contains(face) || face[axis] == 0) return false;
    return state.open[axis](face) == 0 && !stays_closed(state, solids, face, axis);
  }
  template <class F>
  static void visit_around(const Index<D>& i, F f) {
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<D> face = high ? i + Index<D>::unit(a) : i;
        f(high ? face : i - Index<D>::unit(a), face, a);
      }
  }
};

}  // namespace

template <int D>
void open_films(const Exec& exec, State<D>& state) {
  const Vec<D, double>& gravity = state.setup.gravity;
  if (state.setup.has_gas() || uses_stream(state) || !(norm(gravity) > 0)) return;  // (Q12) has gaps
  int down = 0;
  for (int a = 1; a < D; ++a)
    if (std::abs(gravity[a]) > std::abs(gravity[down])) down = a;
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    const SolidBody& body = state.solids[n];
    if (!body.is_free() || !(body.density < state.setup.liquid.density)) continue;
    Film<D> film{state, solids, n, down};
    film.find(exec);
    state.slits.insert(state.slits.end(), film.faces.begin(), film.faces.end());
    for (const FaceSlit<D>& s : film.faces) state.open[s.axis](s.face) = slit_opening;
    for (const Index<D>& i : film.cells) state.labels.of_cell(i) = Cell::liquid;
  }
}

#define GLUG_INSTANTIATE(D) template void open_films<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
