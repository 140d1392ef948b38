#include "simulation/lift_limit.h"

#include <algorithm>

#include "simulation/stream_stage.h"

namespace glug {

double lift_share(double work, double room, double least) {
  if (work <= room) return 1;
  return std::clamp(std::max(room, 0.0) / work, std::min(1.0, least), 1.0);
}

double sure_share(double cells, double missing) {
  const double unsure = unsure_cells * std::min(1.0, unsure_bubble / std::max(cells, 1.0));
  return missing > unsure ? 1 - unsure / missing : 0;
}

template <int D>
LiftLimit<D>::LiftLimit(State<D>& state, double seconds) : state_(&state), seconds_(seconds) {
  const EnergyBook& book = state.ledger.energy;
  // What sinks under way lowers the least as well: it is no room for the next.
  room_ = std::min(book.room(), EnergyBook::share * book.released + book.grain);
  const Setup<D>& s = state.setup;
  const bool walls_pull = s.liquid.surface_tension > 0 && s.liquid.contact_angle != 90;
  holds_ = !s.has_gas() && !walls_pull && !uses_stream(state);
  state.ledger.energy.lifting = 0;
}

template <int D>
double LiftLimit<D>::share_of_liquid(const Exec& exec) {
  const CellSpace<D> cells{exec, state_->system.active.view(), nullptr};
  const double work = power(state_->setup.grid.h, D - 1) * cells.dot(state_->rhs, state_->pressure);
  const double share = lift_share(work, room_, seconds_ / liquid_lift_seconds);
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

template class LiftLimit<2>;
template class LiftLimit<3>;

}  // namespace glug
