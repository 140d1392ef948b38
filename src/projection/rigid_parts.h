// rigid_parts.h: which unknowns of a viscosity system move as one: each belongs to one part, or to none.
// rigid_cubes.h and liquid_lumps.h say which parts there are; rigid_blocks.h makes a coarse space of them.
// Invariant: the faces of a part stand together, in the order of blocks, and are summed by chunks of a fixed
// size: the same bits for any number of threads.
#pragma once

#include <array>
#include <vector>

#include "projection/viscosity_system.h"

namespace glug {

template <int D>
struct RigidParts {
  static constexpr std::int32_t none = -1;
  static constexpr std::size_t chunk_size = 2048;  // faces, at most

  struct Face {
    Index<D> at{};
    std::int32_t axis = 0;
  };
  struct Chunk {
    std::int32_t part = none;
    std::size_t begin = 0, end = 0;  // of its faces
  };

  std::int32_t count = 0;
  std::array<Field<D, std::int32_t>, D> of_face;  // the part of every unknown; meaningless at other faces

  // By list_faces:
  std::vector<Vec<D, double>> middle;               // of each part's faces, in cells
  std::vector<Face> faces;                          // by part
  std::vector<Chunk> chunks;                        // by part
  std::vector<std::vector<std::int32_t>> touching;  // the parts whose motion strains each, ascending

  RigidParts() = default;
  explicit RigidParts(const Grid<D>& grid) {
    for (int a = 0; a < D; ++a) of_face[a] = Field<D, std::int32_t>(grid_of_faces(grid, a).cell_range());
  }
};

// The part of a face of the matrix' rows; none where it is no unknown.
template <int D, class T>
std::int32_t part_of(const ViscositySystem<D, T>& system, const RigidParts<D>& parts, int axis,
                     const Index<D>& face) {
  const BlocksView<D> blocks = system.blocks(axis);
  if (!blocks.grid.cell_range().contains(face) || blocks.slot_of_cell(face) < 0 ||
      !(system.stencil(axis).read().anchor(face) > 0))
    return RigidParts<D>::none;
  return parts.of_face[axis](face);
}

// Fills the rest from count and of_face.
template <int D, class T>
void list_faces(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts);

}  // namespace glug
