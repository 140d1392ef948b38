#include "projection/build_pressure_system.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/real.h"
#include "core/reduce.h"
#include "core/runs.h"
#include "projection/affine_regions.h"
#include "projection/growth_share.h"
#include "projection/rigid_bodies.h"
#include "projection/unseen_levels.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

template <int D, class T>
void list_blocks_with_unknowns(const Exec& exec, const ProjectionInput<D, T>& input,
                               PressureSystem<D, T>& system) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(system.active.total()), 0);
  std::uint8_t* flag = flags.data();
  const BlocksView<D> blocks = input.blocks;
  const View<D, const Cell> label = input.label;
  const Range<D> cells = input.grid.cell_range();
  const CellSet fluid = input.fluid();
  system.unknowns = reduce_blocks(exec, blocks, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
    std::int64_t n = 0;
    visit(intersection(blocks.indices(slot), cells),
          [&](const Index<D>& i) { n += fluid.contains(label(i)); });
    flag[blocks.ids[slot]] = n > 0;
    return n;
  });
  system.active.assign(flags);
}

// Liquid is an unknown, air p = 0 (or an unknown too), solid nothing. All labelled blocks count: the air
// beside liquid may lie in a block of its own.
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
  const CellSet fluid = input.fluid();
  for_each_long_row(exec, input.blocks, input.grid.cell_range(), [=](const Index<D>& first, int n) {
    const Cell* from = &label(first);
    CellKind* __restrict to = &out(first);
    for (int k = 0; k < n; ++k)
      to[k] = fluid.contains(from[k]) ? CellKind::interior
              : from[k] == Cell::air  ? CellKind::dirichlet
                                      : CellKind::exterior;
  });
}

// Sums of f over the cells of each component whose `wanted` flag is set.
template <int D, class F>
std::vector<double> component_sums(const Exec& exec, const BlocksView<D>& blocks,
                                   View<D, const std::int32_t> of_cell,
                                   const std::vector<std::uint8_t>& wanted, F f) {
  const std::uint8_t* want = wanted.data();
  const auto found = region_sums<D, 1>(
      exec, blocks, static_cast<std::int32_t>(wanted.size()),
      [=](const Index<D>& i) {
        const std::int32_t c = of_cell(i);
        return c >= 0 && want[c] ? c : -1;
      },
      [=](const Index<D>& i) { return std::array<double, 1>{f(i)}; });
  std::vector<double> sums;
  for (const auto& sum : found) sums.push_back(sum[0]);
  return sums;
}

// A component is closed when no cell of it is anchored to free air.
template <int D, class T>
void find_closed_components(const Exec& exec, const ProjectionInput<D, T>& input,
                            PressureSystem<D, T>& system) {
  const BlocksView<D> blocks = system.active.view();
  // A region that moves as one joins nothing: what it encloses cannot change its volume, so there, too, only
  // differences of pressure matter.
  const bool named = input.regions && !input.tiles;
  if (!named) find_components(exec, blocks, input.label, input.fluid(), input.open, system.liquid);
  const Components<D>& components = named ? *input.regions : system.liquid;
  system.body_of = components.of_cell.read();
  system.first_body = named ? input.first_body : 0;
  system.closed.assign(static_cast<std::size_t>(components.count), 1);
  std::fill_n(system.closed.begin(), system.first_body, std::uint8_t{0});
  const std::vector<std::uint8_t> all(system.closed);
  const View<D, const T> anchor = system.stencil.read().anchor;
  const std::vector<double> anchored = component_sums(
      exec, blocks, system.body_of, all, [=](const Index<D>& i) { return static_cast<double>(anchor(i)); });
  for (std::size_t c = 0; c < anchored.size(); ++c)
    if (anchored[c] > 0) system.closed[c] = 0;
  UnseenLevels unseen = find_unseen_levels(exec, input, blocks, system.body_of, system.closed);
  system.level_set = std::move(unseen.set_of);
  system.constants.assign(exec, blocks, system.body_of, system.level_set, std::move(unseen.levels));
  std::vector<UnseenLevel> of_pockets;
  for (std::int32_t p : unseen.pocket_of)
    if (p >= 0) of_pockets.push_back({{static_cast<std::int32_t>(of_pockets.size())}, {1}});
  system.pockets.assign(exec, blocks, system.body_of, unseen.pocket_of, std::move(of_pockets));
}

// (B1) The faces between liquid and bubbles, and the couplings they make.
template <int D, class T>
void find_bubble_faces(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system) {
  system.bubble_faces.clear();
  if (input.air_unknowns == 0) return system.bubbles.assign({});
  const BlocksView<D> blocks = system.active.view();
  const Range<D> cells = input.grid.cell_range();
  const View<D, const T> layout = system.stencil.read().anchor;
  system.bubble_faces =
      join_lists<D, BubbleFace<D>>(exec, blocks, [=](std::int32_t slot, std::vector<BubbleFace<D>>& list) {
        visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
          if (!(layout(i) > 0)) return;  // liquid that touches no air
          for (int a = 0; a < D; ++a)
            for (int high = 0; high < 2; ++high) {
              const Index<D> face = high ? i + Index<D>::unit(a) : i;
              const Index<D> other = high ? face : i - Index<D>::unit(a);
              if (input.label(other) != Cell::air || !(input.open[a](face) > 0)) continue;
              const std::int32_t unknown = bubble_at(input, other);
              if (unknown >= 0) list.push_back({unknown, a, face, high == 0});
            }
        });
      });
  std::stable_sort(system.bubble_faces.begin(), system.bubble_faces.end(),
                   [](const BubbleFace<D>& x, const BubbleFace<D>& y) { return x.unknown < y.unknown; });

  // One link per (bubble, cell): the faces of a cell follow each other.
  const double scale = coefficient_scale(input);
  std::vector<ExtraLink<T>> links;
  links.reserve(system.bubble_faces.size());
  for (const BubbleFace<D>& f : system.bubble_faces) {
    const T k = face_at(input, scale, f.axis, f.face).coefficient;
    const Index<D> liquid = f.bubble_is_low ? f.face : f.face - Index<D>::unit(f.axis);
    const std::ptrdiff_t cell = layout.offset(liquid);
    if (!links.empty() && links.back().unknown == f.unknown && links.back().cell == cell)
      links.back().coupling += k;
    else
      links.push_back({f.unknown, cell, k});
  }
  system.bubbles.assign({input.air_unknowns, links});
}

}  // namespace

// (B5) The part of the fluxes out of bubbles that moving solids make, less what is wanted of them.
template <int D, class T>
void find_swept_fluxes(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system) {
  system.bubble_swept.clear();
  if (input.air_unknowns == 0 || (!input.solid_velocity[0].data && input.target_count == 0)) return;
  system.bubble_swept.assign(static_cast<std::size_t>(input.air_unknowns), 0);
  // What comes into a bubble leaves it less room: it pushes as much out, as if a wall came in.
  for (std::int64_t n = 0; n < input.target_count; ++n) {
    const Index<D>& i = input.target_cells[n];
    const std::int32_t k = input.label(i) == Cell::air ? bubble_at(input, i) : -1;
    if (k >= 0) system.bubble_swept[static_cast<std::size_t>(k)] -= static_cast<double>(input.target(i));
  }
  if (!input.solid_velocity[0].data) return;
  // Solids sweep through the closed part of faces; between two cells of a bubble that cancels.
  const Range<D> cells = input.grid.cell_range();
  const auto swept = region_sums<D, 1>(
      exec, input.swept, input.air_unknowns,
      [=](const Index<D>& i) {
        // Nothing is swept through faces that are open throughout.
        double open = 0;
        for (int a = 0; a < D; ++a)
          open += static_cast<double>(input.open[a](i)) + input.open[a](i + Index<D>::unit(a));
        return open < 2 * D && input.label(i) == Cell::air ? bubble_at(input, i) : -1;
      },
      [=](const Index<D>& i) {
        double sum = 0;
        const std::int32_t own = bubble_at(input, i);
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> f = high ? i + Index<D>::unit(a) : i;
            const Index<D> other = high ? f : i - Index<D>::unit(a);
            if (cells.contains(other) && input.label(other) == Cell::air && bubble_at(input, other) == own &&
                input.open[a](f) > 0)
              continue;
            const double out = (1 - static_cast<double>(input.open[a](f))) * input.solid_velocity[a](f);
            sum += high ? out : -out;
          }
        return std::array<double, 1>{sum};
      });
  for (std::size_t k = 0; k < swept.size(); ++k) system.bubble_swept[k] += swept[k][0];
}

template <int D, class T>
std::vector<double> bubble_fluxes(const Exec& exec, const ProjectionInput<D, T>& input,
                                  const PressureSystem<D, T>& system) {
  std::vector<double> flux(static_cast<std::size_t>(input.air_unknowns), 0);
  if (input.air_unknowns == 0) return flux;
  // Through the faces to liquid: pieces of fixed size, added in order.
  constexpr std::ptrdiff_t chunk = 1024;
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(system.bubble_faces.size());
  const BubbleFace<D>* face = system.bubble_faces.data();
  std::vector<double> values(static_cast<std::size_t>(n));
  double* value = values.data();
  for_each_task(exec, (n + chunk - 1) / chunk, [=](std::ptrdiff_t piece) {
    for (std::ptrdiff_t k = piece * chunk; k < n && k < (piece + 1) * chunk; ++k) {
      const BubbleFace<D>& f = face[k];
      const double w = input.open[f.axis](f.face), u = input.velocity[f.axis](f.face);
      const double out = w * u;
      value[k] = f.bubble_is_low ? out : -out;
    }
  });
  for (std::ptrdiff_t k = 0; k < n; ++k) flux[static_cast<std::size_t>(face[k].unknown)] += value[k];
  for (std::size_t k = 0; k < system.bubble_swept.size(); ++k) flux[k] += system.bubble_swept[k];
  return flux;
}

template <int D, class T>
void build_pressure_system(const Exec& exec, const ProjectionInput<D, T>& input,
                           PressureSystem<D, T>& system) {
  if (!(input.dt > 0) || !(input.density > 0))
    throw SimulationError("pressure system: dt and density must be > 0, got dt = " +
                          std::to_string(input.dt) + " s, density = " + std::to_string(input.density));
  list_blocks_with_unknowns(exec, input, system);
  const BlocksView<D> blocks = system.active.view();
  system.stencil.relist(exec, blocks);
  const StencilView<D, T> A = system.stencil.view();
  const double scale = coefficient_scale(input);
  for_each_cell(exec, blocks, input.grid.cell_range(), [=](const Index<D>& i) {
    T coupling[D] = {};
    double anchor = 0;
    const std::ptrdiff_t at = input.label.offset(i);
    if (is_fluid(input, input.label.at(at), i)) {
      for (int a = 0; a < D; ++a) {
        if (is_fluid(input, input.label.at(at - input.label.stride[a]), i - Index<D>::unit(a))) {
          coupling[a] = inner_coefficient(input, scale, a, i);
        } else {
          anchor += face_at(input, scale, a, i).coefficient;
        }
        if (!is_fluid(input, input.label.at(at + input.label.stride[a]), i + Index<D>::unit(a)))
          anchor += face_at(input, scale, a, i + Index<D>::unit(a)).coefficient;
      }
    }
    A.anchor(i) = static_cast<T>(anchor);
    for (int a = 0; a < D; ++a) A.coupling[a](i) = coupling[a];
  });
  system.stencil.find_row_kinds(exec);
  find_kinds(exec, input, system.kinds);
  find_bubble_faces(exec, input, system);
  find_swept_fluxes(exec, input, system);
  system.unknowns += input.air_unknowns;
  add_affine_regions(exec, input, system);
  add_rigid_bodies(exec, input, system);
  find_closed_components(exec, input, system);
}

template <int D, class T>
RhsReport velocity_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                       const PressureSystem<D, T>& system, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  rhs.restrict_to(exec, blocks, static_cast<std::size_t>(input.air_unknowns));
  const std::vector<double> fluxes = bubble_fluxes(exec, input, system);
  for (std::size_t k = 0; k < fluxes.size(); ++k) rhs.extra[k] = -fluxes[k];
  const View<D, double> b = rhs.cells.view();
  const Range<D> cells = input.grid.cell_range();
  const CellSet fluid = input.fluid();
  for_each_long_row(exec, blocks, cells, [=](const Index<D>& first, int n) {
    double net[run_length<D>];
    net_fluxes(input, first, n, net);
    const Cell* label = &input.label(first);
    double* out = &b(first);
    for (int k = 0; k < n; ++k) out[k] = fluid.contains(label[k]) ? -net[k] : 0;
  });

  // (P6) A closed component cannot change its volume: what is asked beyond that is taken from all its cells
  // alike. So of every level that A does not see.
  RhsReport report;
  const std::vector<UnseenLevel>& levels = system.constants.levels();
  if (levels.empty()) return report;
  const std::vector<std::int32_t>& sets = system.level_set;
  std::size_t count = 0;
  std::vector<std::uint8_t> kept(sets.size());
  for (std::size_t c = 0; c < kept.size(); ++c) {
    kept[c] = sets[c] >= 0;
    count = std::max(count, static_cast<std::size_t>(sets[c] + 1));
  }
  const auto sum = [&](auto f) {
    const std::vector<double> of_component = component_sums(exec, blocks, system.body_of, kept, f);
    std::vector<double> of_set(count, 0);
    for (std::size_t c = 0; c < kept.size(); ++c)
      if (kept[c]) of_set[static_cast<std::size_t>(sets[c])] += of_component[c];
    return of_set;
  };
  const std::vector<double> net = sum([=](const Index<D>& i) { return b(i); });
  const std::vector<double> size = sum([=](const Index<D>& i) { return std::abs(b(i)); });
  const std::vector<double> volume = sum([=](const Index<D>& i) { return volume_weight(input, i); });
  for (const UnseenLevel& l : levels) {
    double of_level = 0, of_size = 0;
    for (std::size_t k = 0; k < l.sets.size(); ++k) {
      of_level += l.constants[k] * net[static_cast<std::size_t>(l.sets[k])];
      of_size += std::abs(l.constants[k]) * size[static_cast<std::size_t>(l.sets[k])];
    }
    report.removed += std::abs(of_level);
    // Stored velocities are rounded, and their errors add up: only what is larger was asked for.
    constexpr double rounding = sizeof(T) == sizeof(float) ? 1e-5 : 1e-12;
    report.incompatible += std::abs(of_level) > rounding * of_size;
  }
  const std::vector<double> rates = rates_to_remove(system, net, volume);
  const double* rate = rates.data();
  const std::int32_t* set_of = sets.data();
  const View<D, const std::int32_t> of_cell = system.body_of;
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
    const std::int32_t c = of_cell(i);
    if (c >= 0 && set_of[c] >= 0) b(i) -= rate[set_of[c]] * volume_weight(input, i);
  });
  return report;
}

namespace {

// The weights of each component that touches air, added up; 0 for all others.
template <int D, class T>
std::vector<double> weights_of_bodies(const Exec& exec, const ProjectionInput<D, T>& input,
                                      const PressureSystem<D, T>& system, const double* changes) {
  std::vector<std::uint8_t> wanted(system.closed.size());
  for (std::size_t c = 0; c < wanted.size(); ++c)
    wanted[c] = c >= static_cast<std::size_t>(system.first_body) && !system.closed[c];
  const View<D, const std::int32_t> body_of = system.body_of;
  const std::int32_t first = system.first_body;
  return component_sums(exec, system.active.view(), body_of, wanted, [=](const Index<D>& i) {
    return growth_share(input, i, changes ? changes[body_of(i) - first] : 1.0);
  });
}

}  // namespace

template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, double volume_change, Vector<D>& rhs,
                           const double* bubble_changes) {
  const std::vector<double> alike(system.closed.size() - static_cast<std::size_t>(system.first_body),
                                  volume_change);
  const std::vector<double> weights = weights_of_bodies(exec, input, system, alike.data());
  double total = 0;
  for (double w : weights) total += w;
  std::vector<double> changes;
  for (std::size_t c = static_cast<std::size_t>(system.first_body); c < weights.size(); ++c)
    changes.push_back(total > 0 ? volume_change * weights[c] / total : 0);
  volume_correction_rhs(exec, input, system, changes.data(), bubble_changes, rhs);
}

template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, const double* body_changes,
                           const double* bubble_changes, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  rhs.restrict_to(exec, blocks, static_cast<std::size_t>(input.air_unknowns));
  for (std::size_t k = 0; k < rhs.extra.size(); ++k)
    rhs.extra[k] = bubble_changes ? bubble_changes[k] / input.grid.face_area() : 0;
  std::vector<double> growths(system.closed.size(), 0);
  if (body_changes) {
    const std::vector<double> weights = weights_of_bodies(exec, input, system, body_changes);
    for (std::size_t c = static_cast<std::size_t>(system.first_body); c < weights.size(); ++c)
      if (weights[c] > 0)
        growths[c] = body_changes[c - static_cast<std::size_t>(system.first_body)] /
                     (input.grid.face_area() * weights[c]);
  }
  const double* growth = growths.data();
  const View<D, double> b = rhs.cells.view();
  const View<D, const std::int32_t> of_cell = system.body_of;
  for_each_cell(exec, blocks, input.grid.cell_range(), [=](const Index<D>& i) {
    const std::int32_t c = of_cell(i);
    b(i) = c >= 0 && growth[c] != 0 ? growth[c] * growth_share(input, i, growth[c]) : 0;
  });
}

template <int D, class T>
double solid_work(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                  const Vector<D>& pressure) {
  const bool moving = input.solid_velocity[0].data;
  if (!moving && !input.target.data) return 0;
  const View<D, const double> p = pressure.cells.read();
  double power =
      reduce_cells(exec, system.active.view(), input.grid.cell_range(), 0.0, Plus{}, [=](const Index<D>& i) {
        if (!is_fluid(input, input.label(i), i)) return 0.0;
        // What flows in at a source is pushed in, as a wall would.
        double inward = input.target.data ? static_cast<double>(input.target(i)) : 0;
        for (int a = 0; a < D && moving; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> f = high ? i + Index<D>::unit(a) : i;
            const double along = (1 - static_cast<double>(input.open[a](f))) * input.solid_velocity[a](f);
            inward += high ? -along : along;
          }
        return inward == 0 ? 0.0 : p(i) * inward;
      });
  for (std::size_t k = 0; k < system.bubble_swept.size(); ++k)
    power -= pressure.extra[k] * system.bubble_swept[k];
  return power * input.grid.face_area() * input.dt;
}

#define GLUG_INSTANTIATE(D, T)                                                                               \
  template void find_swept_fluxes<D, T>(const Exec&, const ProjectionInput<D, T>&, PressureSystem<D, T>&);   \
  template void build_pressure_system<D, T>(const Exec&, const ProjectionInput<D, T>&,                       \
                                            PressureSystem<D, T>&);                                          \
  template RhsReport velocity_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&,                           \
                                        const PressureSystem<D, T>&, Vector<D>&);                            \
  template void volume_correction_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&,                       \
                                            const PressureSystem<D, T>&, double, Vector<D>&, const double*); \
  template void volume_correction_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&,                       \
                                            const PressureSystem<D, T>&, const double*, const double*,       \
                                            Vector<D>&);                                                     \
  template double solid_work<D, T>(const Exec&, const ProjectionInput<D, T>&, const PressureSystem<D, T>&,   \
                                   const Vector<D>&);                                                        \
  template std::vector<double> bubble_fluxes<D, T>(const Exec&, const ProjectionInput<D, T>&,                \
                                                   const PressureSystem<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
