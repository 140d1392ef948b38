#include "projection/wall_separation.h"

#include <algorithm>
#include <cmath>

#include "core/real.h"
#include "core/reduce.h"
#include "projection/face.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

// To make the system anew costs three or four iterations: with more cells held than these it pays.
constexpr std::int64_t few_held = 200;

template <int D, class T>
GLUG_INLINE bool touches_solid(const ProjectionInput<D, T>& input, const Index<D>& i) {
  for (int a = 0; a < D; ++a)
    if (input.open[a](i) < 1 || input.open[a](i + Index<D>::unit(a)) < 1) return true;
  return false;
}

}  // namespace

template <int D, class T>
WallSeparation<D, T>::WallSeparation(const Grid<D>& grid)
    : pinned_(grid), leaving_(grid.cell_range().grown(1)), slope_(grid), free_rhs_(grid), fixed_(grid) {}

template <int D, class T>
void WallSeparation<D, T>::keep_at_walls(std::vector<Index<D>> cells) {
  kept_ = std::move(cells);
}

// (W2) Where liquid may open: not where it touches no gas, since nothing says what its pressure is less than;
// nor beside a bubble, whose own pressure holds the cell.
template <int D, class T>
void WallSeparation<D, T>::find_bounded(const Exec& exec, const ProjectionInput<D, T>& input,
                                        const PressureSystem<D, T>& system) {
  struct Found {
    BoundedUnknown unknown;
    std::int32_t body;
  };
  const BlocksView<D> blocks = system.active.view();
  const Range<D> cells = input.grid.cell_range();
  const StencilView<D, const T> A = system.stencil.read();
  const View<D, const std::int32_t> body_of = system.body_of;
  const std::uint8_t* closed = system.closed.data();
  const std::int32_t* level_set = system.level_set.data();
  const std::vector<Found> found =
      join_lists<D, Found>(exec, blocks, [=](std::int32_t slot, std::vector<Found>& list) {
        visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
          if (input.label(i) != Cell::liquid || !touches_solid(input, i)) return;
          const std::int32_t body = body_of(i);
          if (body < 0 || closed[body] || level_set[body] >= 0) return;
          const double diagonal = A.diagonal(i);
          if (!(diagonal > 0)) return;
          for (int a = 0; a < D; ++a)
            for (int high = 0; high < 2; ++high) {
              const Index<D> face = high ? i + Index<D>::unit(a) : i;
              const Index<D> other = high ? face : i - Index<D>::unit(a);
              if (input.label(other) == Cell::air && input.open[a](face) > 0 && bubble_at(input, other) >= 0)
                return;
            }
          list.push_back({{A.anchor.offset(i), 0, 1 / diagonal}, body});
        });
      });
  std::vector<std::ptrdiff_t> kept;
  for (const Index<D>& i : kept_) kept.push_back(A.anchor.offset(i));
  std::sort(kept.begin(), kept.end());
  bounded_.clear();
  body_.clear();
  for (const Found& f : found) {
    if (std::binary_search(kept.begin(), kept.end(), f.unknown.at)) continue;
    bounded_.push_back(f.unknown);
    body_.push_back(f.body);
  }
}

// (W3) Which gases each body of liquid touches.
template <int D, class T>
void WallSeparation<D, T>::find_gases(const Exec& exec, const ProjectionInput<D, T>& input,
                                      const PressureSystem<D, T>& system) {
  touches_bubble_.clear();
  touches_free_.assign(system.closed.size(), 1);
  if (system.bubble_faces.empty()) return;  // all gas is free
  for (const BubbleFace<D>& f : system.bubble_faces) {
    const Index<D> liquid = f.bubble_is_low ? f.face : f.face - Index<D>::unit(f.axis);
    const std::pair<std::int32_t, std::int32_t> pair{system.body_of(liquid), f.unknown};
    if (touches_bubble_.empty() || touches_bubble_.back() != pair) touches_bubble_.push_back(pair);
  }
  std::sort(touches_bubble_.begin(), touches_bubble_.end());
  touches_bubble_.erase(std::unique(touches_bubble_.begin(), touches_bubble_.end()), touches_bubble_.end());
  const View<D, const T> anchor = system.stencil.read().anchor;
  const View<D, const std::int32_t> body_of = system.body_of;
  const auto faces = region_sums<D, 1>(
      exec, system.active.view(), static_cast<std::int32_t>(system.closed.size()),
      [=](const Index<D>& i) { return anchor(i) > 0 ? body_of(i) : -1; },
      [=](const Index<D>& i) {
        double free = 0;
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> face = high ? i + Index<D>::unit(a) : i;
            const Index<D> other = high ? face : i - Index<D>::unit(a);
            free += input.label(other) == Cell::air && input.open[a](face) > 0 && bubble_at(input, other) < 0;
          }
        return std::array<double, 1>{free};
      });
  for (std::size_t c = 0; c < faces.size(); ++c) touches_free_[c] = faces[c][0] > 0;
}

// (W3) The bound of every body is the least pressure of the gases it touches. Returns whether all are 0.
template <int D, class T>
bool WallSeparation<D, T>::set_bounds(const Exec& exec, const PressureSystem<D, T>& system,
                                      const Vector<D>& pressure, const Vector<D>* before) {
  std::vector<double> least(system.closed.size(), 0);
  std::vector<std::uint8_t> any(touches_free_);
  for (const auto& [body, unknown] : touches_bubble_) {
    const std::size_t c = static_cast<std::size_t>(body), e = static_cast<std::size_t>(unknown);
    const double p = pressure.extra[e] + (before ? before->extra[e] : 0);
    least[c] = any[c] ? std::min(least[c], p) : p;
    any[c] = 1;
  }
  const double* of_body = least.data();
  const double* acted = before ? before->cells.read().data : nullptr;
  BoundedUnknown* bounded = bounded_.data();
  const std::int32_t* body = body_.data();
  return reduce(exec, static_cast<std::ptrdiff_t>(bounded_.size()), 0.0, Maximum{}, [=](std::ptrdiff_t n) {
           bounded[n].lower = of_body[body[n]] - (acted ? acted[bounded[n].at] : 0);
           return std::abs(bounded[n].lower);
         }) == 0;
}

// The cells of held_ at their bounds, all others solved for.
template <int D, class T>
SolveReport WallSeparation<D, T>::solve_held(const Exec& exec, const SolverOptions& how,
                                             const PressureSystem<D, T>& system, PressureSolver<D, T>& solver,
                                             const Vector<D>& rhs, Vector<D>& pressure, bool changed,
                                             double tolerance) {
  if (changed) {
    std::vector<std::ptrdiff_t> held;
    for (std::size_t n = 0; n < bounded_.size(); ++n)
      if (held_[n]) held.push_back(bounded_[n].at);
    pinned_.choose(held);
    // One system serves all policies that hold few cells.
    if (static_cast<std::int64_t>(held.size()) > few_held) {
      pinned_.pin(exec);
      solver.prepare(exec, how, system, pinned_.stencil());
      prepared_ = Prepared::pinned;
    } else if (prepared_ != Prepared::whole) {
      solver.prepare(exec, how, system);
      prepared_ = Prepared::whole;
    }
  }
  if (pinned_.cells().empty()) return solver.solve(exec, system, rhs, pressure, tolerance);

  // What is held is known: b - A x of it is left for the others.
  const CellSpace<D> space = system.space(exec);
  const std::size_t extras = static_cast<std::size_t>(system.bubbles.count());
  free_rhs_.restrict_to(exec, space.blocks, extras);
  if (bounds_are_zero_) {
    space.copy(rhs, free_rhs_);
  } else {
    for (Vector<D>* v : {&fixed_, &slope_}) v->restrict_to(exec, space.blocks, extras);
    space.zero(fixed_);
    double* fixed = fixed_.cells.view().data;
    for (std::size_t n = 0; n < bounded_.size(); ++n)
      if (held_[n]) fixed[bounded_[n].at] = bounded_[n].lower;
    system.apply(exec, fixed_, slope_);
    space.difference(rhs, slope_, free_rhs_);
  }
  double* b = free_rhs_.cells.view().data;
  for (std::ptrdiff_t cell : pinned_.cells()) b[cell] = 0;
  const double all = space.norm(rhs), free = space.norm(free_rhs_);
  // Measured by the whole right-hand side: what is left of a body that falls freely is rounding.
  const double share = free > 0 ? all / free : 1;
  SolveReport report =
      prepared_ == Prepared::pinned
          ? solver.solve(exec, system, free_rhs_, pressure, tolerance * share)
          : solver.solve_held(exec, system, free_rhs_, pressure, tolerance * share, pinned_.cells());
  report.residual /= share;
  report.right_hand_side = all;
  double* p = pressure.cells.view().data;
  for (std::size_t n = 0; n < bounded_.size(); ++n)
    if (held_[n]) p[bounded_[n].at] = bounded_[n].lower;
  return report;
}

// (W5) Where policies went round in circles, which movers may make them do.
template <int D, class T>
SolveReport WallSeparation<D, T>::project_gradients(const Exec& exec, const SolverOptions& how,
                                                    const PressureSystem<D, T>& system, const Vector<D>& rhs,
                                                    Vector<D>& pressure) {
  PackedSystem<D, T> packed;
  packed.assign(exec, system.stencil, system.bubbles, system.movers, system.constants, system.stiff);
  PackedDiagonal M;
  M.prepare(exec, packed);
  const Range<D> layout = solver_cells<D>(system.active.view().grid);
  std::vector<BoundedUnknown> bounded = bounded_;
  for (BoundedUnknown& c : bounded) c.at = packed.stencil().place(layout.at(c.at));
  PackedVector b = packed.vector(), x = packed.vector();
  packed.pack(exec, rhs, b);
  packed.pack(exec, pressure, x);
  BoundedWork<PackedVector> work{packed.vector(), packed.vector(), packed.vector(), packed.vector(),
                                 packed.vector()};
  const SolveReport report = bounded_gradients(packed.space(exec), packed, M, packed.constants(), bounded, b,
                                               x, work, PcgOptions{how.tolerance, how.max_iterations});
  packed.unpack(exec, x, pressure);
  const double* p = pressure.cells.read().data;
  std::vector<std::ptrdiff_t> held;
  for (std::size_t n = 0; n < bounded_.size(); ++n) {
    held_[n] = p[bounded_[n].at] <= bounded_[n].lower;
    if (held_[n]) held.push_back(bounded_[n].at);
  }
  pinned_.choose(held);
  return report;
}

template <int D, class T>
SeparationReport WallSeparation<D, T>::solve(const Exec& exec, const SolverOptions& how,
                                             const ProjectionInput<D, T>& input,
                                             const PressureSystem<D, T>& system, PressureSolver<D, T>& solver,
                                             const Vector<D>& rhs, Vector<D>& pressure,
                                             const Vector<D>* before) {
  pinned_.take(system.stencil);
  prepared_ = Prepared::nothing;
  find_bounded(exec, input, system);
  SeparationReport report;
  if (bounded_.empty()) {
    solver.prepare(exec, how, system);
    prepared_ = Prepared::whole;
    report.solve = solver.solve(exec, system, rhs, pressure);
    return report;
  }
  find_gases(exec, input, system);
  const BlocksView<D> blocks = system.active.view();
  const std::size_t extras = static_cast<std::size_t>(system.bubbles.count());
  pressure.restrict_to(exec, blocks, extras);
  slope_.restrict_to(exec, blocks, extras);

  // (W4) What all is measured by: the largest pressure, or what would stop the liquid at the walls in one
  // step. The second is what rounding of velocities must be told from.
  const BoundedUnknown* bounded = bounded_.data();
  const Range<D> layout = solver_cells<D>(input.grid);
  const double speed =
      reduce(exec, static_cast<std::ptrdiff_t>(bounded_.size()), 0.0, Maximum{}, [=](std::ptrdiff_t n) {
        const Index<D> i = layout.at(bounded[n].at);
        double most = 0;
        for (int a = 0; a < D; ++a)
          for (const Index<D>& f : {i, i + Index<D>::unit(a)})
            if (input.open[a](f) > 0)
              most = Maximum{}(most, std::abs(static_cast<double>(input.velocity[a](f))));
        return most;
      });
  const double stopping = input.density * input.grid.h * speed / input.dt;
  const auto slope = [&] {
    bounds_are_zero_ = set_bounds(exec, system, pressure, before);
    system.apply(exec, pressure, slope_);
    double* w = slope_.cells.view().data;
    const double* b = rhs.cells.read().data;
    const BoundedUnknown* cells = bounded_.data();
    for_each(exec, static_cast<std::ptrdiff_t>(bounded_.size()),
             [=](std::ptrdiff_t n) { w[cells[n].at] -= b[cells[n].at]; });
    const View<D, const double> p = pressure.cells.read();
    const View<D, const Cell> label = input.label;
    const double largest =
        reduce_cells(exec, blocks, input.grid.cell_range(), 0.0, Maximum{},
                     [=](const Index<D>& i) { return label(i) == Cell::liquid ? std::abs(p(i)) : 0.0; });
    return std::max(largest, stopping);
  };
  PolicyOptions options;
  options.tolerance = how.tolerance;
  PolicyReport policies = policy_iteration(
      exec, bounded_, held_, pressure.cells.read().data, slope_.cells.read().data,
      [&](bool changed, double tolerance) {
        return solve_held(exec, how, system, solver, rhs, pressure, changed, tolerance);
      },
      slope, options);
  report.policies = policies.policies;
  report.settled = policies.settled;
  report.solve = policies.solve;
  report.gap = policies.violation;
  report.separated = policies.held;
  if (policies.settled) return report;
  SolveReport gradients = project_gradients(exec, how, system, rhs, pressure);
  gradients.iterations += policies.solve.iterations;
  report.solve = gradients;
  const double size = slope();
  report.gap = largest_gap(exec, bounded_, pressure.cells.read().data, slope_.cells.read().data) / size;
  report.separated = static_cast<std::int64_t>(pinned_.cells().size());
  return report;
}

template <int D, class T>
std::vector<Index<D>> WallSeparation<D, T>::opened() const {
  const Range<D>& range = pinned_.mask().range;
  std::vector<Index<D>> cells;
  for (std::ptrdiff_t at : pinned_.cells()) cells.push_back(range.at(at));
  return cells;
}

template <int D, class T>
View<D, const std::uint8_t> WallSeparation<D, T>::leaving(const Exec& exec,
                                                          const ProjectionInput<D, T>& input) {
  const View<D, std::uint8_t> mark = leaving_.view();
  const Range<D> cells = input.grid.cell_range();
  leaving_listed_.change(exec, input.blocks, cells, [=](const Index<D>& i) { mark(i) = Leaving::held; });
  const View<D, const std::uint8_t> opened = pinned_.mask();
  for_each_cell(exec, input.blocks, cells, [=](const Index<D>& i) {
    mark(i) = opened(i)                                                ? Leaving::around
              : input.label(i) == Cell::air && touches_solid(input, i) ? Leaving::here
                                                                       : Leaving::held;
  });
  return mark;
}

template class WallSeparation<2, Real>;
template class WallSeparation<3, Real>;

}  // namespace glug
