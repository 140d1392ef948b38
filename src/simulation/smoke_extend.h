// smoke_extend.h: density and temperature beyond the fluid, in solids, where interpolation near a wall looks.
#pragma once

#include "core/exec.h"
#include "core/field.h"
#include "regions/labels.h"

namespace glug {

// Layer by layer, cells that are no fluid become the mean of those beside them that have a value.
template <int D>
void extend_cells(const Exec& exec, const Grid<D>& grid, View<D, const Cell> label, int layers,
                  View<D, float> density, View<D, float> temperature, View<D, std::uint8_t> layer);

}  // namespace glug
