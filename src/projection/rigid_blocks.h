// rigid_blocks.h: a coarse space for the viscosity system: liquid in blocks, each of which moves as a rigid
// body. What floats turns without strain, and what is thin bends almost without; the components' stencils do
// not know that, and conjugate gradients would look for such motions one by one. In thin pieces of liquid the
// blocks are parts of cubes of four cells (cube_parts.h), a thick piece that nothing holds is one block, and
// one that walls hold has none: walls and depth leave it no such motion, and blocks would cost more than they
// save. Theory: docs/theory.md (V8).
#pragma once

#include <vector>

#include "projection/cube_parts.h"
#include "solvers/envelope_cholesky.h"

namespace glug {

template <int D, class T>
class RigidBlocks {
 public:
  static constexpr int motions = D + D * (D - 1) / 2;  // translations, then turns

  // Finds the blocks and factors P^T A P. Whether they are of use is `empty()`.
  void prepare(const Exec& exec, const ViscositySystem<D, T>& system);
  bool empty() const { return blocks_.empty(); }

  // z += P (P^T A P)^-1 P^T r.
  void add(const Exec& exec, const MacVector<D>& r, MacVector<D>& z);

 private:
  enum class Kind { left_out, thin, afloat };
  struct Block {
    Kind kind = Kind::left_out;
    Vec<D, double> middle{};          // what turns are about, in cells
    std::vector<std::int32_t> parts;  // of cubes, ascending
    std::int32_t first = 0;           // the lowest number among its neighbours' and its own
  };

  enum class ThinPieces { in_cubes, as_others };
  std::vector<Kind> kinds_of_pieces(const ViscositySystem<D, T>& system, ThinPieces thin) const;
  // Neighbours have near numbers afterwards; returns the work of factoring.
  double list_blocks(const std::vector<Kind>& kind_of_piece);
  void assemble(const Exec& exec, const ViscositySystem<D, T>& system);
  void motions_of(const Block& block, int axis, const Index<D>& face, double* m) const;

  CubeParts<D, T> parts_;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> block_of_part_;  // -1 = none
  std::vector<std::int32_t> used_;           // parts in blocks
  EnvelopeCholesky factor_;
  std::vector<double> x_, sums_;  // of each block's motions; of each part in blocks
};

}  // namespace glug
