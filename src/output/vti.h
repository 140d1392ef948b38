// vti.h: the grid of a frame as VTK image data (.vti) for ParaView.
// Cell data: phi (m, of the surface that is shown), velocity (m/s, the mean of a cell's faces), pressure
// (Pa), solid_fraction (0 open, 1 solid); of smoke density and temperature (K) instead of phi. A 2D frame is
// one layer of cells.
#pragma once

#include <filesystem>

#include "output/shown_surface.h"

namespace glug {

template <int D>
void write_volume_vti(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                      const std::filesystem::path& path);

template <int D>
void write_smoke_vti(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);

}  // namespace glug
