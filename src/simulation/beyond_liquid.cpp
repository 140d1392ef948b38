#include "simulation/beyond_liquid.h"

#include <cmath>

#include "core/reduce.h"
#include "core/rows.h"
#include "core/runs.h"
#include "geometry/extrapolate.h"

namespace glug {
namespace {

template <int D>
int extrapolation_layers(const Setup<D>& s) {
  return static_cast<int>(std::ceil(s.time.cfl)) + 3;
}

// Whether any cell of a range may be thin; blocks that are not listed keep what they had.
template <int D>
GLUG_INLINE bool any_thin(const View<D, const std::uint8_t>& thickness, const Range<D>& cells) {
  int thin = 0;
  visit_rows(cells, [&](const Index<D>& first, int n) {
    const std::uint8_t* row = &thickness(first);
    for (int i = 0; i < n; ++i) thin += row[i] == thin_liquid ? 1 : 0;
  });
  return thin > 0;
}

}  // namespace

template <int D>
void extend_beyond_liquid(const Exec& exec, State<D>& state, MacView<D, float> u,
                          MacView<D, std::uint8_t> layer) {
  const Setup<D>& s = state.setup;
  extrapolate<D>(exec, state.active.view(), s.grid, extrapolation_layers(s), u, layer);
}

template <int D>
void extend_kicked(const Exec& exec, State<D>& state, MacView<D, float> u, MacView<D, float> before,
                   MacView<D, float> scratch, MacView<D, std::uint8_t> layer) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  const View<D, const std::uint8_t> thickness = state.thickness.read();
  const Range<D> cells = s.grid.cell_range();
  const std::int64_t thin_blocks =
      reduce_blocks(exec, active, std::int64_t{0}, Plus{}, [=](std::int32_t slot) -> std::int64_t {
        return any_thin(thickness, intersection(active.indices(slot), cells)) ? 1 : 0;
      });
  if (thin_blocks == 0) return extend_beyond_liquid(exec, state, u, layer);
  for (int a = 0; a < D; ++a) {
    const View<D, const float> from = before[a];
    const View<D, float> to = scratch[a];
    for_each_long_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int n) {
      const float* __restrict source = &from(first);
      float* __restrict target = &to(first);
      for (int i = 0; i < n; ++i) target[i] = source[i];
    });
  }
  extrapolate<D>(exec, active, s.grid, extrapolation_layers(s), u, layer, scratch);
  const auto is_thin_near = [=](const Index<D>& f) {
    bool thin = false;
    visit(intersection(Range<D>{f, f + Index<D>::filled(1)}.grown(1), cells), [&](const Index<D>& i) {
      thin = thin || (active.slot_of_cell(i) >= 0 && thickness(i) == thin_liquid);
    });
    return thin;
  };
  const MacView<D, const float> open = state.open.read();
  for_each_block(exec, active, [=, faces = s.grid, gravity = s.gravity](std::int32_t slot) {
    const Range<D> block = active.indices(slot);
    if (!any_thin(thickness, intersection(block.grown(1), cells))) return;
    for (int a = 0; a < D; ++a) {
      if (std::abs(gravity[a]) > 0.5 * norm(gravity)) continue;  // upwards rows bear each other
      visit(intersection(block, faces.face_range(a)), [&](const Index<D>& f) {
        if (layer[a](f) > 1 && open[a](f) > 0 && is_thin_near(f)) before[a](f) = scratch[a](f);
      });
    }
  });
}

template <int D>
void slide_along_solids(const Exec& exec, const State<D>& state, MacView<D, const float> solid_velocity,
                        MacView<D, float> u, MacView<D, const std::uint8_t> layer,
                        View<D, const std::uint8_t> leaving) {
  constrain_to_solids<D>(exec, state.active.view(), state.setup.grid, state.solid.read(), state.open.read(),
                         solid_velocity, u, leaving, layer);
}

template <int D>
void extend_transferred(const Exec& exec, State<D>& state, MacView<D, float> u,
                        MacView<D, std::uint8_t> layer) {
  for (int a = 0; a < D; ++a) {
    const View<D, std::uint8_t> known = layer[a];
    for_each_cell(exec, state.active.view(), state.setup.grid.face_range(a),
                  [=](const Index<D>& i) { known(i) = known(i) ? 1 : 0; });
  }
  extend_beyond_liquid(exec, state, u, layer);
  slide_along_solids<D>(exec, state, solid_velocity_of(state), u, layer);
}

#define GLUG_INSTANTIATE(D)                                                                    \
  template void extend_beyond_liquid<D>(const Exec&, State<D>&, MacView<D, float>,             \
                                        MacView<D, std::uint8_t>);                             \
  template void extend_kicked<D>(const Exec&, State<D>&, MacView<D, float>, MacView<D, float>, \
                                 MacView<D, float>, MacView<D, std::uint8_t>);                 \
  template void slide_along_solids<D>(const Exec&, const State<D>&, MacView<D, const float>,   \
                                      MacView<D, float>, MacView<D, const std::uint8_t>,       \
                                      View<D, const std::uint8_t>);                            \
  template void extend_transferred<D>(const Exec&, State<D>&, MacView<D, float>, MacView<D, std::uint8_t>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
