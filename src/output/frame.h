// frame.h: one frame as writers see it: views into the simulation, nothing owned.
// Field values are meaningful in the listed blocks only; everywhere else there is air.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks.h"
#include "core/domain.h"
#include "core/mac_field.h"
#include "geometry/shape.h"
#include "scene/formats.h"
#include "simulation/setup.h"

namespace glug {

struct FrameSolid {
  const ShapeSdf* shape = nullptr;
  Pose pose;
  bool moves = false;
  Look look = Look::matte;
  std::string name{};
};

// Of each particle, besides position, velocity and id (output.particle_attributes).
struct FrameAttribute {
  const char* name = "";
  const float* values = nullptr;
};

template <int D>
struct Frame {
  int number = 0;
  double time = 0;  // s
  double fps = 24;  // frames per second
  Grid<D> grid;
  Sides<D> sides;
  BlocksView<D> blocks;
  View<D, const float> phi;    // signed distance to the liquid's surface at cell centres, m, negative inside
  View<D, const float> solid;  // signed distance to solids and walls at nodes, m, negative inside
  MacView<D, const float> velocity;  // m/s
  View<D, const double> pressure;    // Pa, at cell centres
  std::optional<double> volume{};    // of the liquid, m^D, as stats.csv has it; none = not known
  std::int64_t particle_count = 0;
  const Vec<D, float>* positions = nullptr;   // m
  const Vec<D, float>* velocities = nullptr;  // m/s
  const std::uint32_t* ids = nullptr;
  std::vector<FrameAttribute> attributes;
  std::vector<FrameSolid> solids;
  // Trapped air: the pocket of each air cell (beyond the last id: liquid), and the id of each pocket, 0 =
  // free air; data null = there is none.
  View<D, const std::int32_t> air{};
  std::vector<std::int64_t> bubble_ids;
  // The tile of each cell that moves as one, -1 elsewhere; data null = nothing does.
  View<D, const std::int32_t> tile{};

  // The stream function over h, m/s: on nodes, in 3D on the edges along each axis; data null = there is none.
  std::array<View<D, const double>, D == 2 ? 1 : 3> stream{};

  // Of smoke, at cell centres; data null: there is none.
  View<D, const float> density{}, temperature{};

  // How files are written (scene/scene.h, OutputOptions).
  UpAxis up_axis = UpAxis::y;
  VdbFloats vdb_floats = VdbFloats::full;
  int first_frame = 0;
  std::string title{};

  // In the names of its files.
  int file_number() const { return number + first_frame; }
  bool is_smoke() const { return density.data != nullptr; }
  float phi_at(const Index<D>& i) const {
    const bool listed = grid.cell_range().contains(i) && blocks.slot_of_cell(i) >= 0;
    return listed ? phi(i) : static_cast<float>(3 * grid.h);
  }
};

}  // namespace glug
