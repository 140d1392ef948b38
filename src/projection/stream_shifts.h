// stream_shifts.h: constants that psi may have on the solids, for preconditioners alone. An island of the
// solids is what hangs together along bound edges. On it psi is tied, up to gradients: e_a, the gradient of
// x_a, is as good as 0, and no curl sees the difference. Where preconditioners take each kind of edges by
// itself, however, they see a ball on which all kinds are 0 although the liquid would have them c: so c is
// one more unknown for each island and kind,
//
//   x = y - sum_a c_a grad chi_a,   chi_a = x_a - (that of the island's middle) at its nodes, 0 at all others
//
// with y and c found kind by kind, c being what the island has on its edges: docs/theory.md (Q9).
// In 2D, where there are no gradients, islands have their columns instead.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mac_field.h"
#include "projection/stream_shores.h"
#include "projection/stream_vector.h"
#include "solvers/extra_unknowns.h"
#include "solvers/packed_stencil.h"

namespace glug {

// The unknowns c of a system.
template <class T>
class StreamShifts {
 public:
  // mass: m_f; packed: where the edges are.
  void assign(const Grid<3>& grid, const std::vector<StreamShore>& shores, const MacView<3, const T>& mass,
              const PackedStencil<3, T>& packed);

  // As multigrid sees them: those of a kind after those of the one before.
  const ExtraUnknowns<T>& extras() const { return extras_; }

  // What a residual asks of them: r . x of each c.
  void gather(const StreamVector& r, std::vector<double>& c) const;
  // x = y - sum c grad chi, in place.
  void scatter(const std::vector<double>& c, StreamVector& x) const;

 private:
  struct Exit {
    std::int32_t place = 0;
    Vec<3, double> gradient{};
  };
  std::int32_t count_ = 0;  // for each kind
  ExtraUnknowns<T> extras_;
  std::vector<std::vector<Exit>> exits_;  // of each island
};

}  // namespace glug
