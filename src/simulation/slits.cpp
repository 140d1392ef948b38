#include "simulation/slits.h"

#include <array>

#include "regions/cell_pairs.h"
#include "regions/components.h"
#include "simulation/solids.h"

namespace glug {
namespace {

// Of a face.
constexpr float slit = 0.1f;
// Cells of the largest pocket: what is larger has room to flow in.
template <int D>
constexpr double most_cells = D == 2 ? 9 : 27;

// Whether solids that no pressure moves close a face by themselves.
template <int D>
bool closed_by_others(const State<D>& state, const std::vector<SolidInstance>& solids, const Index<D>& face,
                      int axis) {
  double closed = 0;
  for (std::size_t n = 0; n < solids.size(); ++n)
    if (!state.solids[n].is_free()) closed += part_closed_by<D>(state.setup.grid, solids[n], face, axis);
  return closed > 0.99;
}

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
  Components<D>& components = state.system.liquid;  // scratch here, and found anew before the solve
  find_components(exec, blocks, label, CellSet(Cell::liquid), open, components);
  const View<D, const std::int32_t> of = components.of_cell.read();
  // Cells, and openings to anything that is no part of it.
  const auto sums = region_sums<D, 2>(
      exec, blocks, components.count, [=](const Index<D>& i) { return of(i); },
      [=](const Index<D>& i) {
        double out = 0;
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> f = high ? i + Index<D>::unit(a) : i;
            const Index<D> other = high ? f : i - Index<D>::unit(a);
            const bool inside = blocks.slot_of_cell(other) >= 0 && label(other) == Cell::liquid;
            if (!inside) out += static_cast<double>(open[a](f));
          }
        return std::array<double, 2>{1.0, out};
      });
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  const auto pocket = [&](std::int32_t c) {
    return c >= 0 && sums[static_cast<std::size_t>(c)][0] <= most_cells<D> &&
           !(sums[static_cast<std::size_t>(c)][1] > 0);
  };
  state.slits =
      join_lists<D, FaceSlit<D>>(exec, blocks, [&](std::int32_t slot, std::vector<FaceSlit<D>>& list) {
        visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
          for (int a = 0; a < D; ++a) {
            const Index<D> low = i - Index<D>::unit(a);
            if (i[a] == 0 || open[a](i) > 0 || blocks.slot_of_cell(low) < 0) continue;
            if (label(i) != Cell::liquid || label(low) != Cell::liquid || of(i) == of(low)) continue;
            if ((pocket(of(i)) || pocket(of(low))) && !closed_by_others(state, solids, i, a))
              list.push_back({i, a});
          }
        });
      });
  for (const FaceSlit<D>& s : state.slits) state.open[s.axis](s.face) = slit;
}

#define GLUG_INSTANTIATE(D)                            \
  template void open_slits<D>(const Exec&, State<D>&); \
  template void close_slits<D>(State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
