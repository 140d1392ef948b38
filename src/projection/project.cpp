#include "projection/project.h"

#include <cmath>

#include "core/real.h"
#include "core/reduce.h"
#include "core/team.h"
#include "projection/face.h"
#include "projection/pocket_levels.h"
#include "projection/stiff_movers.h"
#include "solvers/row_kinds.h"

namespace glug {

template <int D, class T>
PressureSolver<D, T>::PressureSolver(const Grid<D>& grid)
    : multigrid_(grid),
      papers_(grid),
      work_{Vector<D>(grid), Vector<D>(grid), Vector<D>(grid), Vector<D>(grid)} {}

template <int D, class T>
void PressureSolver<D, T>::prepare(const Exec& exec, const SolverOptions& how,
                                   const PressureSystem<D, T>& system, const Stencil<D, T>& stencil) {
  how_ = how;
  stencil_ = &stencil;
  preconditioner_ready_ = false;
  with_team(exec, [&](const Exec& together) {
    if (how.iteration == Iteration::multigrid || how.preconditioner == Preconditioner::geometric)
      papers_.prepare_grids(together, system.stencil, system.kinds);
    if (how.iteration == Iteration::pcg) prepare_preconditioner(together, system);
    const BlocksView<D> blocks = system.active.view();
    const std::size_t extras = static_cast<std::size_t>(system.bubbles.count());
    for (Vector<D>* v : {&work_.r, &work_.z, &work_.p, &work_.Ap}) v->restrict_to(together, blocks, extras);
  });
}

template <int D, class T>
void PressureSolver<D, T>::prepare_preconditioner(const Exec& exec, const PressureSystem<D, T>& system) {
  if (preconditioner_ready_) return;
  is_packed_ =
      (how_.preconditioner == Preconditioner::multigrid || how_.preconditioner == Preconditioner::diagonal);
  if (is_packed_)
    packed_.assign(exec, *stencil_, system.bubbles, system.movers, system.constants, system.stiff,
                   system.pockets);
  if (how_.preconditioner == Preconditioner::multigrid)
    multigrid_.prepare(exec, *stencil_, system.bubbles, system.movers, is_packed_ ? &packed_ : nullptr);
  if (!is_packed_)
    papers_.prepare(exec,
                    how_.preconditioner == Preconditioner::geometric
                        ? PaperPreconditioner::geometric
                        : PaperPreconditioner::incomplete_cholesky,
                    system.stencil, system.bubbles, {how_.bubble_band, how_.bubble_sweeps});
  if (is_packed_) {
    for (PackedVector* v : {&packed_work_.r, &packed_work_.z, &packed_work_.p, &packed_work_.Ap, &packed_rhs_,
                            &packed_pressure_})
      packed_.fit(*v);
    if (how_.preconditioner == Preconditioner::diagonal) diagonal_.prepare(exec, packed_);
  }
  preconditioner_ready_ = true;
}

// Values at cells that are no unknowns.
template <int D, class T>
void PressureSolver<D, T>::drop_others(const Exec& exec, const PressureSystem<D, T>& system,
                                       Vector<D>& pressure) const {
  const BlocksView<D> blocks = system.active.view();
  pressure.restrict_to(exec, blocks, static_cast<std::size_t>(system.bubbles.count()));
  const View<D, double> p = pressure.cells.view();
  const StencilView<D, const T> A = stencil_->read();
  const RowKind* of_slots = stencil_->row_kinds();
  for_each_row_of_runs(exec, blocks, blocks.grid.cell_range(),
                       [=](std::int32_t slot, const Index<D>& first, int n) {
                         const RowMarks<D> kinds = marks_of_row<D>(of_slots, slot, first);
                         for (int k = 0, m = 0; k < n; k += block_edge<D>, ++m) {
                           if (kinds[m] == RowKind::uniform) continue;  // all unknowns
                           Index<D> i = first;
                           i[0] += k;
                           for (int j = k; j < n && j < k + block_edge<D>; ++j, ++i[0])
                             if (!(A.diagonal(i) > 0)) p(i) = 0;
                         }
                       });
}

template <int D, class T>
SolveReport PressureSolver<D, T>::solve(const Exec& exec, const PressureSystem<D, T>& system,
                                        const Vector<D>& rhs, Vector<D>& pressure, double tolerance) {
  return with_team(exec, [&](const Exec& together) {
    drop_others(together, system, pressure);
    return how_.iteration == Iteration::pcg ? solve_by_gradients(together, system, rhs, pressure, tolerance)
                                            : solve_by_cycles(together, system, rhs, pressure, tolerance);
  });
}

template <int D, class T>
SolveReport PressureSolver<D, T>::solve_held(const Exec& exec, const PressureSystem<D, T>& system,
                                             const Vector<D>& rhs, Vector<D>& pressure, double tolerance,
                                             const std::vector<std::ptrdiff_t>& cells) {
  drop_others(exec, system, pressure);
  const Range<D> layout = solver_cells<D>(system.active.view().grid);
  double* p = pressure.cells.view().data;
  HeldPlaces held;
  for (std::ptrdiff_t cell : cells) {
    p[cell] = 0;
    held.push_back(packed_.stencil().place(layout.at(cell)));
  }
  return solve_packed(exec, rhs, pressure, tolerance, held);
}

template <int D, class T>
SolveReport PressureSolver<D, T>::solve_by_gradients(const Exec& exec, const PressureSystem<D, T>& system,
                                                     const Vector<D>& rhs, Vector<D>& pressure,
                                                     double tolerance) {
  if (is_packed_) return solve_packed(exec, rhs, pressure, tolerance);
  return papers_.precondition(system.bubbles, [&](const auto& preconditioner) {
    return pcg(system.space(exec), system, preconditioner, system.constants, rhs, pressure, work_,
               PcgOptions{tolerance, how_.max_iterations});
  });
}

template <int D, class T>
SolveReport PressureSolver<D, T>::solve_packed(const Exec& exec, const Vector<D>& rhs, Vector<D>& pressure,
                                               double tolerance, const HeldPlaces& held) {
  packed_.pack(exec, rhs, packed_rhs_);
  packed_.pack(exec, pressure, packed_pressure_);
  const PcgOptions options{tolerance, how_.max_iterations};
  const auto run = [&](const auto& preconditioner) {
    if (held.empty())
      return pcg(packed_.space(exec), packed_, preconditioner, packed_.constants(), packed_rhs_,
                 packed_pressure_, packed_work_, options);
    const HeldOperator<PackedSystem<D, T>> free{packed_, held};
    const HeldPreconditioner<std::decay_t<decltype(preconditioner)>> among{preconditioner, held};
    return pcg(packed_.space(exec), free, among, packed_.constants(), packed_rhs_, packed_pressure_,
               packed_work_, options);
  };
  const auto with_pockets = [&](const auto& rest) {
    if (packed_.pockets().empty()) return run(rest);
    return run(PocketLevels<D, T, std::decay_t<decltype(rest)>>(exec, packed_, rest));
  };
  const bool by_multigrid = how_.preconditioner == Preconditioner::multigrid;
  const SolveReport report = by_multigrid && packed_.stiff().count() > 0
                                 ? with_pockets(StiffMovers<D, T, Multigrid<D, T>>(exec, packed_, multigrid_))
                             : by_multigrid ? with_pockets(multigrid_)
                                            : with_pockets(diagonal_);
  packed_.unpack(exec, packed_pressure_, pressure);
  return report;
}

template <int D, class T>
SolveReport PressureSolver<D, T>::solve_by_cycles(const Exec& exec, const PressureSystem<D, T>& system,
                                                  const Vector<D>& rhs, Vector<D>& pressure,
                                                  double tolerance) {
  for (double& z : work_.z.extra) z = 0;  // the cycles know cells alone: bubbles wait for the gradients
  const SolveReport cycles =
      iterate_cycles(system.space(exec), system, papers_.cycles(how_.sweeps), system.constants, rhs, pressure,
                     work_, CycleOptions{tolerance, how_.full_cycles, how_.v_cycles});
  if (cycles.handed_over == HandOver::none) return cycles;
  prepare_preconditioner(exec, system);
  SolveReport report = solve_by_gradients(exec, system, rhs, pressure, tolerance);
  report.iterations += cycles.iterations;
  report.cycles = cycles.cycles;
  report.handed_over = cycles.handed_over;
  report.handed_over_at = cycles.handed_over_at;
  return report;
}

template <int D, class T>
SolveReport solve_pressure(const Exec& exec, const SolverOptions& how, const PressureSystem<D, T>& system,
                           const Vector<D>& rhs, Vector<D>& pressure) {
  PressureSolver<D, T> solver(system.active.view().grid);
  solver.prepare(exec, how, system);
  return solver.solve(exec, system, rhs, pressure);
}

namespace {

// Of a cell without an unknown of its own: its bubble's, or 0.
template <int D, class T>
GLUG_INLINE double air_pressure(const ProjectionInput<D, T>& input, const double* bubbles,
                                const Index<D>& i) {
  if (!bubbles || input.air_unknowns == 0 || input.label(i) != Cell::air) return 0;
  const std::int32_t unknown = bubble_at(input, i);
  return unknown < 0 ? 0.0 : bubbles[unknown];
}

// (P7) f(axis, i, valid, change) on every face of the listed blocks, change = -k_f/w_f (p_H - p_L) where it
// is valid. Pressure is read at cells with an unknown only: elsewhere it is 0, whatever an older solve left
// there.
template <int D, class T, class F>
void for_each_face(const Exec& exec, const ProjectionInput<D, T>& input, View<D, const double> pressure,
                   const double* bubbles, F f) {
  const double scale = coefficient_scale(input);
  for (int a = 0; a < D; ++a)
    for_each_long_row(exec, input.blocks, input.grid.face_range(a), [=](const Index<D>& first, int n) {
      const Cell* label = &input.label(first);
      const Cell* label_low = label - input.label.stride[a];
      const double* p = &pressure(first);
      const double* p_low = p - pressure.stride[a];
      const T* open = &input.open[a](first);
      Index<D> i = first;
      for (int k = 0; k < n; ++k, ++i[0]) {
        const bool low = is_fluid(input, label_low[k], i - Index<D>::unit(a)),
                   high = is_fluid(input, label[k], i);
        const bool of_region = label_low[k] == Cell::affine || label[k] == Cell::affine;
        if ((!low && !high) || of_region || !(open[k] > 0)) {
          f(a, i, false, 0.0);
          continue;
        }
        const T coefficient =
            low && high ? inner_coefficient(input, scale, a, i) : face_at(input, scale, a, i).coefficient;
        const double difference = (high ? p[k] : air_pressure(input, bubbles, i)) -
                                  (low ? p_low[k] : air_pressure(input, bubbles, i - Index<D>::unit(a)));
        f(a, i, true, -(static_cast<double>(coefficient) / open[k]) * difference);
      }
    });
}

}  // namespace

template <int D, class T>
void subtract_pressure_gradient(const Exec& exec, const ProjectionInput<D, T>& input,
                                View<D, const double> pressure, MacView<D, T> velocity,
                                MacView<D, std::uint8_t> layer, const double* bubble_pressure) {
  for_each_face(exec, input, pressure, bubble_pressure,
                [=](int a, const Index<D>& i, bool valid, double change) {
                  layer[a](i) = valid ? 1 : 0;
                  if (valid) velocity[a](i) = static_cast<T>(velocity[a](i) + change);
                });
}

template <int D, class T>
double divergence_max(const Exec& exec, const ProjectionInput<D, T>& input) {
  const CellSet fluid = input.fluid();
  return reduce_runs(exec, input.blocks, input.grid.cell_range(), 0.0, Maximum{}, [=](const Range<D>& run) {
    double largest = 0;
    visit_rows(run, [&](const Index<D>& first, int n) {
      double net[run_length<D>];
      net_fluxes(input, first, n, net);
      const Cell* label = &input.label(first);
      const std::uint8_t* separated = input.separated.data ? &input.separated(first) : nullptr;
      for (int k = 0; k < n; ++k)
        if (fluid.contains(label[k]) && !(separated && separated[k]))
          largest = Maximum{}(largest, std::abs(net[k]));
    });
    return largest;
  });
}

template <int D, class T>
double kinetic_energy(const Exec& exec, const ProjectionInput<D, T>& input) {
  const double scale = coefficient_scale(input);
  double sum = 0;
  for (int a = 0; a < D; ++a)
    sum += reduce_cells(exec, input.blocks, input.grid.face_range(a), 0.0, Plus{}, [=](const Index<D>& i) {
      const Face<T> face = face_at(input, scale, a, i);
      const double u = input.velocity[a](i);
      for (const Index<D>& side : {i, i - Index<D>::unit(a)})
        if (input.label(side) == Cell::affine)
          return density_of(input,
                            input.tiles->list[static_cast<std::size_t>(input.tiles->of_cell(side))].fluid) /
                 input.density * u * u;
      return face.valid() ? face.open * face.mass * u * u : 0.0;
    });
  return 0.5 * input.density * input.grid.cell_volume() * sum;
}

template <int D, class T>
std::int64_t volume_displacement(const Exec& exec, const ProjectionInput<D, T>& input,
                                 View<D, const double> solution, MacView<D, T> displacement,
                                 MacView<D, std::uint8_t> layer, const double* bubble_solution) {
  const double cap = displacement_cap * input.grid.h;
  for_each_face(exec, input, solution, bubble_solution,
                [=](int a, const Index<D>& i, bool valid, double change) {
                  layer[a](i) = valid ? 1 : 0;
                  displacement[a](i) = static_cast<T>(clamp(change, -cap, cap));
                });
  // A face at the cap was cut down to it: nothing else ends exactly there.
  const T limit = static_cast<T>(cap);
  std::int64_t capped = 0;
  for (int a = 0; a < D; ++a)
    capped += reduce_runs(exec, input.blocks, input.grid.face_range(a), std::int64_t{0}, Plus{},
                          [=](const Range<D>& run) {
                            std::int64_t count = 0;
                            visit_rows(run, [&](const Index<D>& first, int n) {
                              const T* row = &displacement[a](first);
                              int at_cap = 0;
                              for (int k = 0; k < n; ++k) at_cap += std::abs(row[k]) >= limit;
                              count += at_cap;
                            });
                            return count;
                          });
  return capped;
}

#define GLUG_INSTANTIATE(D, T)                                                                              \
  template class PressureSolver<D, T>;                                                                      \
  template SolveReport solve_pressure<D, T>(const Exec&, const SolverOptions&, const PressureSystem<D, T>&, \
                                            const Vector<D>&, Vector<D>&);                                  \
  template void subtract_pressure_gradient<D, T>(const Exec&, const ProjectionInput<D, T>&,                 \
                                                 View<D, const double>, MacView<D, T>,                      \
                                                 MacView<D, std::uint8_t>, const double*);                  \
  template double divergence_max<D, T>(const Exec&, const ProjectionInput<D, T>&);                          \
  template double kinetic_energy<D, T>(const Exec&, const ProjectionInput<D, T>&);                          \
  template std::int64_t volume_displacement<D, T>(const Exec&, const ProjectionInput<D, T>&,                \
                                                  View<D, const double>, MacView<D, T>,                     \
                                                  MacView<D, std::uint8_t>, const double*);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
