// estimate.h: what a scene will hold and how much memory it needs, from a sample of its cells and without
// running it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace glug {

// The plan (docs/performance.md): dense fields of the domain and everything a FLIP particle carries, with its
// scratch.
inline constexpr double bytes_per_cell = 155;
inline constexpr double bytes_per_particle = 100;
// More with air.model = two_phase: two face fields and layers of the gas, what bubbles take.
inline constexpr double bytes_per_gas_cell = 50;
inline constexpr double bytes_per_smoke_cell = 110;  // density, temperature, and all that is carried, thrice
// Of viscous fluid, besides: six vectors, a stencil and a hierarchy for each component.
inline constexpr double bytes_per_viscous_cell = 270;
inline constexpr double bytes_per_stream_node = 140, bytes_per_stream_cell = 420;  // 2D, 3D
// With surface tension: the smoothed surface and its curvature.
inline constexpr double bytes_per_tense_cell = 16;
// With solver.wall_separation: slope, right-hand side, a stencil, marks.
inline constexpr double bytes_per_parting_cell = 35;

struct BodyEstimate {
  double cells = 0;      // of the domain inside the body
  double in_solids = 0;  // share of them inside solids at time 0
  double in_air = 0;     // share of them inside bodies of air and not inside solids
  double deep = 0;       // cells of these without particles, with liquid.narrow_band
  bool outside = false;  // its bounding box does not meet the domain
  // Cells that solids and bodies of air leave to it.
  double left() const { return std::max(0.0, cells * (1 - in_solids - in_air)); }
};

struct Estimate {
  std::vector<int> cells;  // along each axis
  double total_cells = 0;
  double particles = 0;  // with air.model = two_phase, those of the gas too
  std::int64_t bytes = 0;
  std::vector<BodyEstimate> bodies, air_bodies;
  std::vector<BodyEstimate> emitters, drains;  // as they are at the start
};

Estimate estimate_scene(const Scene& scene);

// "3.2 GB" (powers of 1000).
std::string bytes_text(std::int64_t bytes);

// Memory this process may still take: of the machine, or of its control group where that is less. 0 =
// unknown.
std::int64_t available_memory();

}  // namespace glug
