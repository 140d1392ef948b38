// transfer.h: velocity between particles and grid: PIC, FLIP, APIC with the multilinear kernel. Theory:
// (T1)-(T4).
#pragma once

#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/particles.h"

namespace glug {

// (T1), (T2): u_f = sum_p N_f(x_p) v_p / sum_p N_f(x_p), with v_p + c_p (x_f - x_p) for v_p when particles
// carry affine rows. `active` must hold the occupied blocks and their neighbours. Faces that no particle
// reaches get u = 0, weight = 0. Blocks of one colour (parity) never share a face and colours follow each
// other, so the sums have a fixed order.
template <int D>
void particles_to_grid(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& active,
                       const Particles<D>& particles, MacView<D, float> u, MacView<D, float> weight);

// (T3): v = keep v + I(u_new - keep u_old): keep = 0 is PIC, 1 is FLIP.
template <int D>
void grid_to_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u_new,
                       MacView<D, const float> u_old, float keep, Particles<D>& particles);

// (T4): v = I(u), c = grad I(u).
template <int D>
void grid_to_affine_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u,
                              Particles<D>& particles);

// The share of a particle's own velocity that survives a substep, so that a frame keeps `flip_ratio` of it
// however many substeps it takes.
double flip_keep(double flip_ratio, double dt, double frame_seconds);

}  // namespace glug
