#include "simulation/even_stage.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "regions/even_rows.h"
#include "simulation/crowding_input.h"

namespace glug {
namespace {

// What is uneven is evened out in so many sqrt(h / g): sooner, and particles follow the noise of their
// counts; later, and the flow has carried them up or down meanwhile.
inline constexpr double evening_time = 3;
inline constexpr int steps_between = 4;

// The axis of gravity, or -1 if it is none.
template <int D>
int level_axis(const Vec<D, double>& gravity) {
  for (int a = 0; a < D; ++a)
    if (std::abs(gravity[a]) > 0 && std::abs(gravity[a]) >= norm(gravity) * (1 - 1e-9)) return a;
  return -1;
}

}  // namespace

template <int D>
void even_out(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  const int vertical = level_axis(s.gravity);
  if (vertical < 0 || s.has_gas() || !state.deep.empty() || state.step % steps_between != 0) return;
  const MacView<D, float> displacement = state.displacement.view();
  const BlocksView<D> blocks = state.active.view();
  for (int a = 0; a < D && !state.displaced; ++a) {  // its memory held the transfer's weights
    const View<D, float> d = displacement[a];
    for_each_cell(exec, blocks, s.grid.face_range(a), [=](const Index<D>& i) { d(i) = 0; });
  }
  state.displaced = true;
  EvenRowsInput<D> in;
  in.liquid = crowding_input(state);
  in.open = state.open.read();
  in.vertical = vertical;
  in.share = std::min(1.0, steps_between * dt / (evening_time * std::sqrt(s.grid.h / norm(s.gravity))));
  even_rows(exec, in, state.particles, displacement);
}

template void even_out<2>(const Exec&, State<2>&, double);
template void even_out<3>(const Exec&, State<3>&, double);

}  // namespace glug
