#include "projection/build_pressure_system.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "core/reduce.h"
#include "projection/face.h"
#include "solvers/runs.h"

namespace glug {
namespace {

template <int D, class T>
void list_blocks_with_liquid(const Exec& exec, const ProjectionInput<D, T>& input,
                             PressureSystem<D, T>& system) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(system.active.total()), 0);
  std::uint8_t* flag = flags.data();
  const BlocksView<D> blocks = input.blocks;
  const View<D, const Cell> label = input.label;
  const Range<D> cells = input.grid.cell_range();
  system.unknowns = reduce_blocks(exec, blocks, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
    std::int64_t n = 0;
    visit(intersection(blocks.indices(slot), cells),
          [&](const Index<D>& i) { n += label(i) == Cell::liquid; });
    flag[blocks.ids[slot]] = n > 0;
    return n;
  });
  system.active.assign(flags);
}

// Liquid is an unknown, air p = 0, solid nothing. All labelled blocks count: the air beside liquid may lie in
// a block of its own.
template <int D, class T>
void find_kinds(const Exec& exec, const ProjectionInput<D, T>& input, CellKinds<D>& kinds) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(kinds.listed().total()), 0);
  for (std::int32_t slot = 0; slot < input.blocks.count; ++slot)
    flags[static_cast<std::size_t>(input.blocks.ids[slot])] = 1;
  kinds.relist(exec, flags);
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high)
      kinds.set_outside(a, high, input.sides.open[a][high] ? CellKind::dirichlet : CellKind::exterior);
  const View<D, const Cell> label = input.label;
  const View<D, CellKind> out = kinds.view();
  for_each_long_row(exec, input.blocks, input.grid.cell_range(), [=](const Index<D>& first, int n) {
    const Cell* from = &label(first);
    CellKind* __restrict to = &out(first);
    for (int k = 0; k < n; ++k)
      to[k] = from[k] == Cell::liquid ? CellKind::interior
              : from[k] == Cell::air  ? CellKind::dirichlet
                                      : CellKind::exterior;
  });
}

// Sums per component, the same bits for any number of threads: each block sums its runs of equal components,
// and the runs are added in block order. f(i) is evaluated at the cells of components whose `wanted` flag is
// set.
template <int D, class F>
std::vector<double> component_sums(const Exec& exec, const BlocksView<D>& blocks,
                                   const Components<D>& components, const std::vector<std::uint8_t>& wanted,
                                   F f) {
  struct Run {
    std::int32_t component;
    double sum;
  };
  const View<D, const std::int32_t> of_cell = components.of_cell.read();
  const std::uint8_t* want = wanted.data();
  const Range<D> cells = blocks.grid.cell_range();
  const auto visit_runs = [=](std::int32_t slot, auto&& emit) {
    Run run{-1, 0};
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
      const std::int32_t c = of_cell(i);
      if (c < 0 || !want[c]) return;
      if (c != run.component) {
        if (run.component >= 0) emit(run);
        run = {c, 0};
      }
      run.sum += f(i);
    });
    if (run.component >= 0) emit(run);
  };
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.count));
  std::int64_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int64_t n = 0;
    visit_runs(slot, [&](const Run&) { ++n; });
    start[slot] = n;
  });
  std::vector<Run> runs(static_cast<std::size_t>(exclusive_scan(exec, start, blocks.count)));
  Run* out = runs.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    Run* next = out + start[slot];
    visit_runs(slot, [&](const Run& run) { *next++ = run; });
  });
  std::vector<double> sums(wanted.size(), 0);
  for (const Run& run : runs) sums[static_cast<std::size_t>(run.component)] += run.sum;
  return sums;
}

// A component is closed when no cell of it is anchored to free air.
template <int D, class T>
void find_closed_components(const Exec& exec, const ProjectionInput<D, T>& input,
                            PressureSystem<D, T>& system) {
  const BlocksView<D> blocks = system.active.view();
  find_components(exec, blocks, input.label, CellSet(Cell::liquid), input.open, system.liquid);
  system.closed.assign(static_cast<std::size_t>(system.liquid.count), 1);
  std::vector<std::uint8_t> all(system.closed);
  const View<D, const T> anchor = system.stencil.read().anchor;
  const std::vector<double> anchored = component_sums(
      exec, blocks, system.liquid, all, [=](const Index<D>& i) { return static_cast<double>(anchor(i)); });
  for (std::size_t c = 0; c < anchored.size(); ++c) system.closed[c] = anchored[c] > 0 ? 0 : 1;
  system.constants.assign(exec, blocks, system.liquid.of_cell.read(), system.closed);
}

}  // namespace

template <int D, class T>
void build_pressure_system(const Exec& exec, const ProjectionInput<D, T>& input,
                           PressureSystem<D, T>& system) {
  if (!(input.dt > 0) || !(input.density > 0))
    throw SimulationError("pressure system: dt and density must be > 0, got dt = " +
                          std::to_string(input.dt) + " s, density = " + std::to_string(input.density));
  list_blocks_with_liquid(exec, input, system);
  const BlocksView<D> blocks = system.active.view();
  system.stencil.relist(exec, blocks);
  const StencilView<D, T> A = system.stencil.view();
  const double scale = coefficient_scale(input);
  for_each_cell(exec, blocks, input.grid.cell_range(), [=](const Index<D>& i) {
    T coupling[D] = {};
    double anchor = 0;
    const std::ptrdiff_t at = input.label.offset(i);
    if (input.label.at(at) == Cell::liquid) {
      for (int a = 0; a < D; ++a) {
        if (input.label.at(at - input.label.stride[a]) == Cell::liquid) {
          coupling[a] = face_coefficient(scale, input.open[a](i), 1.0);
        } else {
          anchor += face_at(input, scale, a, i).coefficient;
        }
        if (input.label.at(at + input.label.stride[a]) != Cell::liquid)
          anchor += face_at(input, scale, a, i + Index<D>::unit(a)).coefficient;
      }
    }
    A.anchor(i) = static_cast<T>(anchor);
    for (int a = 0; a < D; ++a) A.coupling[a](i) = coupling[a];
  });
  system.stencil.find_uniform_rows(exec);
  find_kinds(exec, input, system.kinds);
  find_closed_components(exec, input, system);
}

template <int D, class T>
RhsReport velocity_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                       const PressureSystem<D, T>& system, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  rhs.restrict_to(exec, blocks);
  const View<D, double> b = rhs.cells.view();
  const Range<D> cells = input.grid.cell_range();
  for_each_long_row(exec, blocks, cells, [=](const Index<D>& first, int n) {
    double net[run_length<D>];
    net_fluxes(input, first, n, net);
    const Cell* label = &input.label(first);
    double* out = &b(first);
    for (int k = 0; k < n; ++k) out[k] = label[k] == Cell::liquid ? -net[k] : 0;
  });

  // (P6) A closed component cannot change its volume: what is asked beyond that is taken from all its cells
  // alike.
  RhsReport report;
  if (system.constants.empty()) return report;
  const auto sum = [&](auto f) { return component_sums(exec, blocks, system.liquid, system.closed, f); };
  const std::vector<double> net = sum([=](const Index<D>& i) { return b(i); });
  const std::vector<double> size = sum([=](const Index<D>& i) { return std::abs(b(i)); });
  const std::vector<double> volume = sum([=](const Index<D>& i) { return volume_weight(input, i); });
  std::vector<double> shares(net.size(), 0);
  for (std::size_t c = 0; c < net.size(); ++c) {
    if (!system.closed[c]) continue;
    shares[c] = net[c] / volume[c];
    report.removed += std::abs(net[c]);
    // Stored velocities are rounded, and their errors add up: only what is larger was asked for.
    constexpr double rounding = sizeof(T) == sizeof(float) ? 1e-5 : 1e-12;
    report.incompatible += std::abs(net[c]) > rounding * size[c];
  }
  const double* share = shares.data();
  const std::uint8_t* closed = system.closed.data();
  const View<D, const std::int32_t> of_cell = system.liquid.of_cell.read();
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
    const std::int32_t c = of_cell(i);
    if (c >= 0 && closed[c]) b(i) -= share[c] * volume_weight(input, i);
  });
  return report;
}

template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, double volume_change, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  rhs.restrict_to(exec, blocks);
  const View<D, double> b = rhs.cells.view();
  const View<D, const std::int32_t> of_cell = system.liquid.of_cell.read();
  const std::uint8_t* closed = system.closed.data();
  const Range<D> cells = input.grid.cell_range();
  const auto weight = [=](const Index<D>& i) {
    const std::int32_t c = of_cell(i);
    return c >= 0 && !closed[c] ? volume_weight(input, i) : 0.0;
  };
  const double total = reduce_cells(exec, blocks, cells, 0.0, Plus{}, weight);
  const double growth = total > 0 ? volume_change / (input.grid.face_area() * total) : 0;
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { b(i) = growth * weight(i); });
}

#define GLUG_INSTANTIATE(D, T)                                                         \
  template void build_pressure_system<D, T>(const Exec&, const ProjectionInput<D, T>&, \
                                            PressureSystem<D, T>&);                    \
  template RhsReport velocity_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&,     \
                                        const PressureSystem<D, T>&, Vector<D>&);      \
  template void volume_correction_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&, \
                                            const PressureSystem<D, T>&, double, Vector<D>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
