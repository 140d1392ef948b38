// transfer.h: velocity between particles and grid: PIC, FLIP, APIC with the multilinear kernel. Theory:
// (T1)-(T4).
#pragma once

#include <limits>

#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

// (T1), (T2): u_f = sum_p N_f(x_p) v_p / sum_p N_f(x_p), with v_p + c_p (x_f - x_p) for v_p when particles
// carry affine rows. `active` must hold the occupied blocks and their neighbours. Faces that no particle
// reaches get u = 0, weight = 0. Blocks of one colour (parity) never share a face and colours follow each
// other, so the sums have a fixed order.
template <int D>
void particles_to_grid(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& active,
                       const Particles<D>& particles, MacView<D, float> u, MacView<D, float> weight);

// What besides the grid acts on particles, and when their energy is taken.
template <int D>
struct ParticleUpdate {
  CellMark<D> spray;     // cells that hold spray, which feels no pressure: v += gain
  Vec<D, float> gain{};  // m/s
  // A film of it that lies on a solid is held up: it gains nothing into the solid. data null = no solids.
  View<D, const float> solid{};  // m, at nodes
  int particles_per_cell = 1;
  // (T7) No component may leave the range of the faces around it by more than `slack`, m/s, or `loose` of the
  // grid's own: it moves with the grid, so what it keeps beyond that is no speed of the liquid.
  float loose = 0.1f, slack = std::numeric_limits<float>::infinity();
  // Kinetic energy is that of (1 - fresh) v_before + fresh v_after.
  float fresh = 1;
};

// (T3): v = keep v + I(u_new - keep u_old): keep = 0 is PIC, 1 is FLIP. Returns the kinetic energy per mass
// of a particle, m^2/s^2.
template <int D>
double grid_to_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u_new,
                         MacView<D, const float> u_old, float keep, Particles<D>& particles,
                         const ParticleUpdate<D>& update = {});

// (T4): v = I(u), c = grad I(u). Returns as above.
template <int D>
double grid_to_affine_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u,
                                Particles<D>& particles, const ParticleUpdate<D>& update = {});

// The share of a particle's own velocity that survives dt when `flip_ratio` of it survives 1/24 s: neither
// the substeps nor the frame rate change the physics.
double flip_keep(double flip_ratio, double dt);

}  // namespace glug
