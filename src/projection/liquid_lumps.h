// liquid_lumps.h: liquid cut apart at its necks. A drop that has just touched a pool hangs on it by a few
// cells: it turns and shakes on its neck almost without strain, though they are one piece of liquid.
//
// A lump is what lies around one deepest place: cells join in the order of their depth below the surface, and
// at one depth in rounds outwards from the lumps; where two lumps meet they are one if the neck is deeper
// than half of the shallower lump, or if that is a mere bump. Lumps that walls hold are no parts.
// Theory: docs/theory.md (V9).
#pragma once

#include "core/union_find.h"
#include "projection/liquid_depths.h"
#include "projection/rigid_parts.h"

namespace glug {

template <int D>
class LiquidLumps {
 public:
  explicit LiquidLumps(const Grid<D>& grid) : depths_(grid) {}

  // Writes count and of_face of `parts`; count = 0 where no lump is afloat, or all liquid is one lump.
  template <class T>
  void find(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system,
            RigidParts<D>& parts);

 private:
  struct Lump {
    std::int32_t peak = 0;  // depth of its deepest cell
    std::int64_t cells = 0;
  };
  // A cell that joins a lump.
  struct Joining {
    std::int32_t cell = 0, lump = 0;
  };

  void flood(const Exec& exec);
  void spread(const Exec& exec, std::int32_t depth);
  void begin_lumps(const Exec& exec, std::int32_t depth);
  void join(const Exec& exec, const std::vector<Joining>& cells, std::int32_t depth);
  void meet(std::int32_t a, std::int32_t b, std::int32_t depth);
  bool is_piece(std::int32_t lump) const;

  LiquidDepths<D> depths_;
  std::vector<std::int32_t> lump_;            // of each cell; -1 = not yet
  std::vector<std::int32_t> label_, lesser_;  // of each cell, scratch
  std::vector<Lump> lumps_;                   // what a set holds stands at its root
  UnionFind sets_{0};                         // of lumps that became one
  std::vector<std::int32_t> root_;            // of each lump, as kernels see it
};

}  // namespace glug
