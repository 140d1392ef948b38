// even_rows.h: keeps liquid evenly filled along level rows, by moving particles at their own height.
// The pressure knows one density. Where particles crowd here and are sparse there, and the flow carries the
// ones up and the others down, their potential energy comes and goes, and no pressure has worked for it.
// Nothing is carried up or down on the whole where every level row is evenly filled. Moving particles along
// such a row lifts nothing, and they keep their velocities. Theory: docs/theory.md (T5).
#pragma once

#include "core/exec.h"
#include "core/mac_field.h"
#include "regions/crowding.h"

namespace glug {

template <int D>
struct EvenRowsInput {
  CrowdingInput<D> liquid{};
  MacView<D, const float> open{};
  int vertical = 1;  // the axis that rows are across of
  double share = 0;  // of what is uneven, that is to be evened out
};

// Adds to a displacement, m, along all axes but the vertical one. Cells that are deep without particles end a
// row, as solids and the surface do.
template <int D>
void even_rows(const Exec& exec, const EvenRowsInput<D>& input, const Particles<D>& particles,
               MacView<D, float> displacement);

}  // namespace glug
