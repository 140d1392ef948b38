// narrow_band.h: where liquid has particles, and what it is where it has none.
// With liquid.narrow_band cells far below the surface are deep: full of liquid by definition, without
// particles. What particles are elsewhere is a number there, the cell's stock: how many of them its liquid
// stands for. A particle that comes into a deep cell adds one to the stock; one that leaves it is taken from
// there; between deep cells stock flows with the liquid. So particles and stock together stay what was
// poured, exactly. Invariant between steps: marks are not_deep or is_deep, and not_deep outside `blocks`; no
// particle is in a deep cell. Theory: docs/theory.md (N1)-(N4).
#pragma once

#include <cstdint>
#include <vector>

#include "core/domain.h"
#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"
#include "particles/reseed.h"

namespace glug {

// turns_deep and ends_deep: in the course of the present step.
enum DeepMark : std::uint8_t { not_deep = 0, is_deep = 1, turns_deep = 2, ends_deep = 3 };

// Whether a cell was deep before the present step, and whether it is after it.
GLUG_INLINE bool was_deep(std::uint8_t mark) { return mark == is_deep || mark == ends_deep; }
GLUG_INLINE bool will_be_deep(std::uint8_t mark) { return mark == is_deep || mark == turns_deep; }

template <int D>
struct DeepLiquid {
  Field<D, std::uint8_t> mark;  // DeepMark of each cell, one layer around the domain; empty = no narrow band
  Field<D, float> stock;        // particles that a deep cell stands for
  Field<D, float> flowed;       // scratch: the stock after it has flowed
  Blocks<D> blocks;             // that hold a cell with a mark
  std::vector<Range<D>> boxes;  // of those cells, by slot of `blocks`
  std::vector<std::uint8_t> whole;  // by slot: whether all cells of the block are deep and stay so
  double spare = 0;                 // particles' worth of liquid that waits for a deep cell to belong to
  // Cells times particles: how far the liquid lies from the middles of the cells that its stock is in. What
  // becomes stock, or particles, moves by half a cell on paper; potential energy must not feel it.
  Vec<D, double> beside{};

  DeepLiquid() = default;
  explicit DeepLiquid(const Grid<D>& grid)
      : mark(grid.cell_range().grown(1)), stock(grid.cell_range()), flowed(grid.cell_range()), blocks(grid) {}
  bool used() const { return mark.range().size() > 0; }
  bool empty() const { return blocks.count() == 0; }
  // The deep cells, between steps.
  CellMark<D> cells() const {
    if (!used() || empty()) return {};
    return {mark.read(), is_deep};
  }
};

// (N1) Which cells may be deep.
template <int D>
struct BandInput {
  Grid<D> grid{};
  Sides<D> sides{};
  BlocksView<D> known{};           // where phi is
  View<D, const float> phi{};      // m
  View<D, const float> solid{};    // m, at nodes; cells that a solid covers wholly are not deep
  float stays = 0;                 // m below the surface; less deep liquid needs particles
  float begins = 0;                // m, of liquid that turns deep: more than `stays`, or cells would flicker
  float least_stock = 0;           // particles in an open cell; deep cells that hold less than that end to be
  int side_layers = 0;             // cells from an open side keep particles: there they leave, one by one
  CellMark<D> parting{};           // cells whose liquid leaves a wall, where the surface will be
  const Range<D>* kept = nullptr;  // cells that keep particles
  int kept_count = 0;
};

// Marks cells as they are and will be: all four marks. What a cell held when a solid came over it is laid
// out, pushed out of it as particles are, and becomes the stock of open cells.
template <int D>
void mark_deep(const Exec& exec, const BandInput<D>& input, DeepLiquid<D>& deep);

// Lists the blocks with a mark among these, their boxes, and which are whole.
template <int D>
void list_deep(const Exec& exec, const BlocksView<D>& known, DeepLiquid<D>& deep);

// What a deep cell's stock becomes when it is full: the number of particles that fill its open part.
template <int D>
void fill_stock(const Exec& exec, const Grid<D>& grid, View<D, const float> solid, int particles_per_cell,
                DeepLiquid<D>& deep);

// (N2) How stock flows between cells that are deep before and after a step.
template <int D>
struct StockFlow {
  Grid<D> grid{};
  MacView<D, const float> velocity{};      // m/s
  MacView<D, const float> displacement{};  // m, besides; data null = none
  MacView<D, const float> open{};
  View<D, const float> solid{};  // m, at nodes
  int particles_per_cell = 1;
  double dt = 0;    // s
  float share = 1;  // of the displacement
};
template <int D>
void flow_stock(const Exec& exec, const StockFlow<D>& flow, DeepLiquid<D>& deep);

// How liquid moves in a step.
template <int D>
struct DeepStep {
  double dt = 0;                           // s
  double courant = 0;                      // cells that liquid moves at most
  MacView<D, const float> displacement{};  // m, besides its velocity; data null = none
};

// (N3) The stock of deep cells that may get to where particles are in the step, as particles: sorted, one per
// sub-cell, with the velocity of the grid. They are to be moved next. What cannot get there, by the fastest
// face around, is left out: no other result depends on it.
template <int D>
Particles<D> stock_as_particles(const Exec& exec, const Reseed<D>& placing, const Grid<D>& grid,
                                const DeepStep<D>& step, int per_axis, const DeepLiquid<D>& deep,
                                const Particles<D>& like);

// Of these, moved but not sorted, those that have come out of the deep join the liquid's, which are not
// sorted either; their cells' stock falls. start: as they were before they moved.
template <int D>
void rise_from_deep(const Exec& exec, const Particles<D>& moved, const ParticleArrays<D>& start,
                    DeepLiquid<D>& deep, Particles<D>& particles);

// Notes where particles are that sorting will make stock.
template <int D>
void note_sinking(const Exec& exec, const Particles<D>& particles, DeepLiquid<D>& deep);

// Ends the step's changes after particles have been sorted, which adds those in deep cells to the stock
// (sort.h): spare stock is shared out, marks are of two kinds again.
template <int D>
void settle_deep(const Exec& exec, DeepLiquid<D>& deep);

// How many cells are deep.
template <int D>
double deep_count(const Exec& exec, const DeepLiquid<D>& deep);

// Sum of the stock, and of what is spare.
template <int D>
double deep_stock(const Exec& exec, const DeepLiquid<D>& deep);

// J per mass of a particle: of (1 - fresh) u_before + fresh u_after; and against the domain's lowest corner.
template <int D>
double deep_kinetic(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> u_before,
                    MacView<D, const float> u_after, double fresh);
template <int D>
double deep_potential(const Exec& exec, const DeepLiquid<D>& deep, const Grid<D>& grid,
                      const Vec<D, double>& gravity);

// m/s, the fastest deep liquid.
template <int D>
double deep_speed(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> velocity);

}  // namespace glug
