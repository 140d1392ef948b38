#include "simulation/lift_off.h"

#include <algorithm>
#include <cmath>

#include "regions/cell_pairs.h"
#include "simulation/slits.h"
#include "simulation/solids.h"

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
    for (const Index<D>& i : cells) numbers.push_back(all.number_of(i));
    std::sort(numbers.begin(), numbers.end());
  }
  // -1 = not among them; else its place in the order of numbers.
  std::ptrdiff_t place(const Index<D>& i) const {
    if (!all.contains(i)) return -1;
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), all.number_of(i));
    return at != numbers.end() && *at == all.number_of(i) ? at - numbers.begin() : -1;
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
  std::vector<FilmFace<D>> faces{};
  double volume = 0;  // cells, of the gap below it

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
        const double gap = gap_in(face, a);
        if (is_liquid(j) || (inside && face == i))
          faces.push_back({face, a, std::max(slit_opening, static_cast<float>(gap))});
        if (a != down) volume += gap / (2 * (D - 1));
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
  // Part of a face that nothing closes, each solid by itself: the grid sees none between two of them.
  double gap_in(const Index<D>& face, int axis) const {
    const auto all = [](std::size_t) { return true; };
    return std::max(0.0, 1 - part_closed_by_those(state.setup.grid, solids, face, axis, all));
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

template <int D>
bool comes_before(const FilmFace<D>& x, const FilmFace<D>& y) {
  if (x.axis != y.axis) return x.axis < y.axis;
  for (int a = D - 1; a > 0; --a)
    if (x.face[a] != y.face[a]) return x.face[a] < y.face[a];
  return x.face[0] < y.face[0];
}

// How fast what is in a film now was in the last step: it keeps its momentum as a film widens, its velocity
// as one narrows. former: the films of then, in order.
template <int D>
float velocity_of_then(const State<D>& state, const std::vector<FilmFace<D>>& former,
                       const FilmFace<D>& now) {
  const auto then = std::lower_bound(former.begin(), former.end(), now, comes_before<D>);
  if (then == former.end() || comes_before(now, *then)) return state.velocity[now.axis](now.face);
  return then->velocity * std::min(1.f, then->opening / now.opening);
}

}  // namespace

template <int D>
void open_films(const Exec& exec, State<D>& state) {
  const std::vector<FilmFace<D>> former = std::move(state.film);
  state.film.clear();
  state.film_cells.clear();
  state.film_volume = 0;
  const Vec<D, double>& gravity = state.setup.gravity;
  if (state.setup.has_gas() || !(norm(gravity) > 0)) return;  // (Q12) has gaps
  int down = 0;
  for (int a = 1; a < D; ++a)
    if (std::abs(gravity[a]) > std::abs(gravity[down])) down = a;
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    const SolidBody& body = state.solids[n];
    if (!body.is_free() || !(body.density < state.setup.liquid.density)) continue;
    Film<D> film{state, solids, n, down};
    film.find(exec);
    for (FilmFace<D>& f : film.faces) {
      f.velocity = velocity_of_then(state, former, f);
      state.open[f.axis](f.face) = f.opening;
      state.slits.push_back({f.face, f.axis});
      state.film.push_back(f);
    }
    for (const Index<D>& i : film.cells) state.labels.of_cell(i) = Cell::liquid;
    state.film_cells.insert(state.film_cells.end(), film.cells.begin(), film.cells.end());
    state.film_volume += film.volume * state.setup.grid.cell_volume();
  }
  std::sort(state.film.begin(), state.film.end(), comes_before<D>);
}

template <int D>
std::vector<double> carry_films(State<D>& state, double kick) {
  std::vector<double> bare;
  const double whole = particles_per_cell<D>(state.setup.liquid);
  for (const FilmFace<D>& f : state.film) {
    const double brought = static_cast<double>(state.displacement[f.axis](f.face)) / whole;
    bare.push_back(std::max(0.0, static_cast<double>(f.opening) - brought));
    state.velocity_before[f.axis](f.face) = f.opening * f.velocity;
    state.velocity[f.axis](f.face) = f.velocity + static_cast<float>(state.setup.gravity[f.axis] * kick);
  }
  return bare;
}

template <int D>
void spread_films(State<D>& state) {
  for (FilmFace<D>& f : state.film) {
    float& u = state.velocity[f.axis](f.face);
    f.velocity = u;
    u *= f.opening;
  }
}

template <int D>
double film_kinetic(const State<D>& state, const std::vector<double>& bare, double fresh) {
  double squares = 0;
  for (std::size_t n = 0; n < state.film.size(); ++n) {
    const FilmFace<D>& f = state.film[n];
    const double before = static_cast<double>(state.velocity_before[f.axis](f.face) / f.opening);
    const double now = (1 - fresh) * before + fresh * static_cast<double>(f.velocity);
    squares += bare[n] * now * now;
  }
  return 0.5 * state.setup.liquid.density * state.setup.grid.cell_volume() * squares;
}

#define GLUG_INSTANTIATE(D)                                       \
  template void open_films<D>(const Exec&, State<D>&);            \
  template std::vector<double> carry_films<D>(State<D>&, double); \
  template void spread_films<D>(State<D>&);                       \
  template double film_kinetic<D>(const State<D>&, const std::vector<double>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
