#include "simulation/slits.h"

#include <algorithm>
#include <array>

#include "regions/cell_pairs.h"
#include "regions/components.h"
#include "simulation/solids.h"

namespace glug {
namespace {

// Cells of the largest pocket: what is larger has room to flow in.
template <int D>
constexpr double most_cells = D == 2 ? 16 : 64;

// Closed cells that a way out may lead through.
constexpr int most_closed = 2;

// From a pocket to fluid that is no part of it, through faces that bodies close: all that lie between, or the
// shortest way through cells that are closed altogether.
template <int D>
struct WayOut {
  struct Step {
    Index<D> cell{};
    FaceSlit<D> face{};  // that led there
    std::int32_t from = -1;
  };
  const State<D>& state;
  const std::vector<SolidInstance>& solids;
  BlocksView<D> blocks;
  View<D, const std::int32_t> of;
  std::vector<Step> steps;  // at first the pocket's cells
  std::vector<FaceSlit<D>> faces;

  void find() {
    const std::int32_t pocket = of(steps[0].cell);
    std::size_t begin = 0;
    for (int closed = 0; closed <= most_closed && faces.empty(); ++closed) {
      const std::size_t end = steps.size();
      for (std::size_t k = begin; k < end; ++k)
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            if (closed > 0 && !faces.empty()) return;
            look(k, a, high, pocket);
          }
      begin = end;
    }
  }

 private:
  void look(std::size_t k, int a, int high, std::int32_t pocket) {
    const View<D, const Cell> label = state.labels.read();
    const Index<D> i = steps[k].cell, face = high ? i + Index<D>::unit(a) : i;
    const Index<D> other = high ? face : i - Index<D>::unit(a);
    if (!state.setup.grid.cell_range().contains(other) || blocks.slot_of_cell(other) < 0) return;
    if (state.open.read()[a](face) > 0 || stays_closed(state, solids, face, a)) return;
    const bool fluid = label(other) == Cell::liquid || label(other) == Cell::air;
    const bool to_air = label(i) == Cell::air && label(other) == Cell::air && !state.setup.has_gas();
    if (fluid && of(other) != pocket && !to_air) {
      faces.push_back({face, a});
      for (std::size_t at = k; steps[at].from >= 0; at = static_cast<std::size_t>(steps[at].from))
        faces.push_back(steps[at].face);
    } else if (label(other) == Cell::solid) {
      for (const Step& s : steps)
        if (s.cell == other) return;
      steps.push_back({other, {face, a}, static_cast<std::int32_t>(k)});
    }
  }
};

}  // namespace

template <int D>
void close_slits(State<D>& state) {
  for (const FaceSlit<D>& s : state.slits) state.open[s.axis](s.face) = 0;
  state.slits.clear();
}

template <int D>
void open_slits(const Exec& exec, State<D>& state) {
  const Grid<D>& grid = state.setup.grid;
  std::vector<std::uint8_t> flags(state.solid_known.size(), 0);
  const BlocksView<D> active = state.active.view();
  for (const SolidBody& body : state.solids)
    if (body.is_free())
      visit(blocks_near(grid, body, 2 * grid.h), [&](const Index<D>& b) {
        const std::int32_t id = active.linear(b);
        flags[static_cast<std::size_t>(id)] = active.slots[id] >= 0;
      });
  Blocks<D> near(grid);
  near.assign(flags);
  if (near.count() == 0) return;
  const BlocksView<D> blocks = near.view();
  const View<D, const Cell> label = state.labels.read();
  const MacView<D, const float> open = state.open.read();
  // Air with the liquid: a bubble that keeps its volume is no way out, and a hole may yet count as liquid.
  const CellSet fluid = CellSet(Cell::liquid) | Cell::air;
  Components<D>& components = state.system.liquid;  // scratch here, and found anew before the solve
  find_components(exec, blocks, label, fluid, open, components);
  const View<D, const std::int32_t> of = components.of_cell.read();
  // Cells, those of them that keep their volume, and openings to anything that is no part of it.
  const bool gas = state.setup.has_gas();
  const auto sums = region_sums<D, 3>(
      exec, blocks, components.count, [=](const Index<D>& i) { return of(i); },
      [=](const Index<D>& i) {
        double out = 0;
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> f = high ? i + Index<D>::unit(a) : i;
            const Index<D> other = high ? f : i - Index<D>::unit(a);
            const bool inside = blocks.slot_of_cell(other) >= 0 && fluid.contains(label(other));
            if (!inside) out += static_cast<double>(open[a](f));
          }
        return std::array<double, 3>{1.0, gas || label(i) == Cell::liquid ? 1.0 : 0.0, out};
      });
  const auto is_pocket = [&](std::int32_t c) {
    if (c < 0) return false;
    const std::array<double, 3>& sum = sums[static_cast<std::size_t>(c)];
    return sum[0] <= most_cells<D> && sum[1] > 0 && !(sum[2] > 0);
  };
  std::vector<Index<D>> cells =
      join_lists<D, Index<D>>(exec, blocks, [&](std::int32_t slot, std::vector<Index<D>>& list) {
        visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
          if (is_pocket(of(i))) list.push_back(i);
        });
      });
  if (cells.empty()) return;
  std::stable_sort(cells.begin(), cells.end(),
                   [&](const Index<D>& x, const Index<D>& y) { return of(x) < of(y); });
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  struct Passed {
    Index<D> cell;
    Cell label;
  };
  std::vector<Passed> passed;
  for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
    while (end < cells.size() && of(cells[end]) == of(cells[first])) ++end;
    WayOut<D> way{state, solids, blocks, of, {}, {}};
    for (std::size_t k = first; k < end; ++k) way.steps.push_back({cells[k], {}, -1});
    way.find();
    state.slits.insert(state.slits.end(), way.faces.begin(), way.faces.end());
    for (const FaceSlit<D>& s : way.faces)
      for (int high = 0; high < 2; ++high) {
        const Index<D> i = high ? s.face : s.face - Index<D>::unit(s.axis);
        const Cell own = gas ? label(cells[first]) : Cell::liquid;
        if (label(i) == Cell::solid) passed.push_back({i, own});
      }
  }
  for (const FaceSlit<D>& s : state.slits) state.open[s.axis](s.face) = slit_opening;
  for (const Passed& p : passed) state.labels.of_cell(p.cell) = p.label;
}

#define GLUG_INSTANTIATE(D)                            \
  template void open_slits<D>(const Exec&, State<D>&); \
  template void close_slits<D>(State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
