// extrapolate.h: velocity beyond the liquid, so that particles and the next step find one there.
#pragma once

#include <cstdint>

#include "core/blocks.h"
#include "geometry/views.h"

namespace glug {

// Layer by layer, each axis on its own: a face without a value becomes the mean of its neighbours that have
// one. On entry layer(f) is 1 where u is valid and 0 elsewhere; on return k + 1 for the faces set in pass k,
// 0 where the layers did not reach. Pass k reads only faces numbered 1..k, so it needs no second buffer.
// Faces of listed blocks only. u and layer cover at least the faces of the domain. along: another field, laid
// out as u is, that is continued from the same faces (null data: none).
template <int D>
void extrapolate(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                 MacView<D, float> u, MacView<D, std::uint8_t> layer, MacView<D, float> along = {});

// Per cell: whether u may lead away from a solid on its own closed faces, or also on those within a cell.
struct Leaving {
  enum : std::uint8_t { held = 0, here = 1, around = 2 };
};

// On closed faces (open == 0): takes away the part of u - solid_velocity across the solid's surface, so
// particles near a wall slide along it; both ways, as the pressure solve has it: keeping what leads away from
// walls would draw particles off them in every wave. Where `leaving` says so only what leads into the solid
// is taken. Components on other axes are the mean of the faces around; all are read before any is written.
// solid_velocity and leaving may have null data: solids at rest, nothing leaves. u keeps its values on faces
// with open > 0. reached: as extrapolate() left its layers; closed faces that it did not reach move with the
// solid, whatever particles that are caught in there say (null: all were reached).
template <int D>
void constrain_to_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                         ReadView<D, float> nodal, ReadMac<D, float> open, ReadMac<D, float> solid_velocity,
                         MacView<D, float> u, View<D, const std::uint8_t> leaving = {},
                         ReadMac<D, std::uint8_t> reached = {});

}  // namespace glug
