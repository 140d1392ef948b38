// liquid_lumps.h: liquid cut apart at its necks. A drop that has just touched a pool hangs on it by a few
// cells: it turns and shakes on its neck almost without strain, though they are one piece of liquid.
//
// A lump is what lies around one deepest place: cells join in the order of their depth below the surface (in
// steps from cell to cell), and where two lumps meet they are one if the neck is deeper than half of the
// shallower lump, or if that is a mere bump. Lumps that walls hold are no parts.
// Theory: docs/theory.md (V9).
#pragma once

#include "projection/rigid_parts.h"

namespace glug {

template <int D>
class LiquidLumps {
 public:
  explicit LiquidLumps(const Grid<D>& grid) : number_(grid.cell_range().grown(1)) {}

  // Writes count and of_face of `parts`; count = 0 where no lump is afloat, or all liquid is one lump.
  template <class T>
  void find(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system,
            RigidParts<D>& parts);

 private:
  struct Lump {
    std::int32_t into = 0;  // the one it is part of now; itself
    std::int32_t peak = 0;  // depth of its deepest cell
    std::int32_t cells = 0;
  };

  template <class T>
  void number_cells(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system);
  void find_depths();
  void flood();
  void flood_from(std::vector<std::int32_t>& queue, std::int32_t depth);
  std::int32_t root(std::int32_t lump);
  void meet(std::int32_t a, std::int32_t b, std::int32_t depth);
  template <class F>
  void visit_neighbours(std::int32_t n, F&& f) const;

  Field<D, std::int32_t> number_;           // of each cell with an unknown, from 1 on; 0 everywhere else
  std::vector<std::ptrdiff_t> cells_;       // by number: where in number_
  std::vector<std::int32_t> depth_, lump_;  // by number
  std::vector<Lump> lumps_;
};

}  // namespace glug
