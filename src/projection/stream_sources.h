// stream_sources.h: solids that change the volume between them: a piston, two that close on each other, one
// that comes in through a side. No curl has what they ask for, so the liquid's flux is
//
//   F = curl psi + F_0,   F_0: what is missing on closed faces, on through open ones to free air
//                                                                                       docs/theory.md (Q13)
//
// Which way F_0 takes does not matter: psi answers it, and F is that of least energy among all that end in
// free air as F_0 does. Where a closed body of liquid reaches none, what cannot be done is taken from all its
// cells, as by the pressure (P5).
// Invariant: the net flux of curl psi + F_0 is 0 out of every cell of liquid and of bubbles that keep their
// volume, but for what is removed. Owner: allocated where it is first needed; the same for any number of
// threads.
#pragma once

#include <vector>

#include "projection/build_pressure_system.h"
#include "projection/stream_solids.h"

namespace glug {

template <int D>
class StreamSources {
 public:
  // owner: of closed faces, as StreamSolidsInput has it: gaps let F_0 pass.
  template <class T>
  void find(const ProjectionInput<D, T>& input, MacView<D, const std::int32_t> owner,
            const std::vector<FaceFlux<D>>& missing);

  // F_0 on faces that are not closed, m/s; data null = 0.
  MacView<D, const double> flux() const { return used_.empty() ? MacView<D, const double>{} : flux_.read(); }
  // What closed bodies of liquid are asked for and cannot do: their net fluxes / face area, m/s.
  double removed() const { return removed_; }

 private:
  MacField<D, double> flux_;
  std::vector<FaceFlux<D>> used_;  // where it is not 0
  double removed_ = 0;
};

}  // namespace glug
