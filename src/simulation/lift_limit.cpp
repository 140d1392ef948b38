#include "simulation/lift_limit.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/reduce.h"
#include "projection/face.h"

namespace glug {

double lift_share(double work, double room, double least) {
  if (work <= room) return 1;
  return std::clamp(std::max(room, 0.0) / work, std::min(1.0, least), 1.0);
}

double seconds_to_grow(double lack) {
  return std::clamp(liquid_lift_seconds * large_lack / std::max(lack, 1e-9), liquid_lift_seconds / 1.5,
                    lift_seconds);
}

double sure_share(double cells, double missing) {
  const double unsure = unsure_cells * std::min(1.0, unsure_bubble / std::max(cells, 1.0));
  return missing > unsure ? 1 - unsure / missing : 0;
}

template <int D>
double lift_of(const Exec& exec, const ProjectionInput<D, float>& in, const Vec<D, double>& gravity,
               MacView<D, const float> displacement) {
  const double scale = coefficient_scale(in);
  double moment = 0;
  for (int a = 0; a < D; ++a) {
    if (gravity[a] == 0) continue;
    const View<D, const float> d = displacement[a];
    moment -= gravity[a] *
              reduce_cells(exec, in.blocks, in.grid.face_range(a), 0.0, Plus{}, [=](const Index<D>& i) {
                const Face<float> face = face_at(in, scale, a, i);
                return face.valid() ? face.open * face.mass * d(i) : 0.0;
              });
  }
  return moment * in.density * in.grid.cell_volume();
}

template <int D>
bool book_holds(const Setup<D>& s) {
  const bool walls_pull = s.liquid.surface_tension > 0 && s.liquid.contact_angle != 90;
  return !s.has_gas() && !walls_pull;
}

template <int D>
double lift_room(const State<D>& state) {
  if (!book_holds(state.setup)) return 0;
  const EnergyBook& book = state.ledger.energy;
  // What sinks under way lowers the least as well: it is no room for the next.
  return std::min(book.room(), EnergyBook::share * book.released + book.grain);
}

template <int D>
LiftLimit<D>::LiftLimit(State<D>& state, double seconds)
    : state_(&state), seconds_(seconds), room_(lift_room(state)), holds_(book_holds(state.setup)) {
  state.ledger.energy.lifting = 0;
}

template <int D>
double LiftLimit<D>::share_of_liquid(const Exec& exec, double growth) {
  const CellSpace<D> cells{exec, state_->system.active.view(), nullptr};
  const double work = power(state_->setup.grid.h, D - 1) * cells.dot(state_->rhs, state_->pressure);
  const double share = lift_share(work, room_, seconds_ / seconds_to_grow(growth / state_->target_volume));
  lift(share * work);
  return share;
}

template <int D>
void LiftLimit<D>::cut_bubbles(std::vector<double>& growth) {
  if (!holds_) return;
  std::vector<const Bubble<D>*> lifting;
  for (const Bubble<D>& b : state_->bubbles.list) {
    if (b.unknown < 0) continue;
    const double work = b.pressure * growth[static_cast<std::size_t>(b.unknown)];
    if (work > 0)
      lifting.push_back(&b);
    else
      lift(work);
  }
  std::stable_sort(lifting.begin(), lifting.end(),
                   [](const Bubble<D>* x, const Bubble<D>* y) { return x->rest_volume > y->rest_volume; });
  for (const Bubble<D>* b : lifting) {
    double& grown = growth[static_cast<std::size_t>(b->unknown)];
    const double cells = b->rest_volume / state_->setup.grid.cell_volume();
    const double sure = sure_share(cells, cells - b->volume / state_->setup.grid.cell_volume());
    grown *= lift_share(b->pressure * grown, room_ - lifted_, sure * seconds_ / lift_seconds);
    lift(b->pressure * grown);
  }
}

template <int D>
void LiftLimit<D>::cut_displacement(const Exec& exec, const ProjectionInput<D, float>& in,
                                    MacView<D, float> displacement) {
  constexpr double as_told = 1.25;  // of what pressures say: they tell it to a few per cent
  if (!holds_ || in.tiles) return;
  const double lift = lift_of<D>(exec, in, state_->setup.gravity, displacement);
  const double share = lift_share(lift, as_told * std::max(room_, lifted_), seconds_ / lift_seconds);
  state_->ledger.energy.lifting = share * lift;
  if (share == 1) return;
  for (int a = 0; a < D; ++a) {
    const View<D, float> d = displacement[a];
    for_each_cell(exec, in.blocks, in.grid.face_range(a),
                  [=](const Index<D>& i) { d(i) *= static_cast<float>(share); });
  }
}

template double lift_of<2>(const Exec&, const ProjectionInput<2, float>&, const Vec<2, double>&,
                           MacView<2, const float>);
template double lift_of<3>(const Exec&, const ProjectionInput<3, float>&, const Vec<3, double>&,
                           MacView<3, const float>);
template double lift_room<2>(const State<2>&);
template double lift_room<3>(const State<3>&);
template class LiftLimit<2>;
template class LiftLimit<3>;

}  // namespace glug
