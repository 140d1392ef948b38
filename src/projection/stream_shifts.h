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

#include <array>
#include <cstdint>
#include <vector>

#include "core/mac_field.h"
#include "projection/stream_shores.h"
#include "projection/stream_vector.h"
#include "solvers/packed_system.h"

namespace glug {

// The unknowns c of a system.
template <class T>
class StreamShifts {
 public:
  // mass: m_f; packed: where the edges of each kind are.
  void assign(const Grid<3>& grid, const std::vector<StreamShore>& shores, const MacView<3, const T>& mass,
              const std::array<PackedSystem<3, T>, 3>& packed);

  std::int32_t count() const { return count_; }  // for each kind
  // As a kind's multigrid sees them.
  const ExtraUnknowns<3, T>& of_kind(int kind) const { return extras_[static_cast<std::size_t>(kind)]; }

  // What a residual asks of them: r . x of each c, kind by kind.
  void gather(const StreamVector<3>& r, std::vector<double>& c) const;
  // x = y - sum c grad chi, in place.
  void scatter(const std::vector<double>& c, StreamVector<3>& x) const;

 private:
  struct Exit {
    std::int32_t kind = 0, place = 0;
    Vec<3, double> gradient{};
  };
  std::int32_t count_ = 0;
  std::array<ExtraUnknowns<3, T>, 3> extras_;
  std::vector<std::vector<Exit>> exits_;  // of each island
};

}  // namespace glug
