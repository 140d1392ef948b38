// stream_work.h: what driven solids would work by the impulses of a stream function if they moved otherwise.
// The impulses hold against every psi that the liquid is free to choose (Q3), so their work at any motion of
// solids is that on one stream function of it, whatever it is in the liquid:
//
//   <I, u> = rho h^D sum_f m_f (F - g)_f (curl psi' + F_0' - (1 - w) u_s')_f              docs/theory.md
//   (Q14)
//
// Owner: allocated where it is first needed.
#pragma once

#include "projection/stream_system.h"

namespace glug {

template <int D>
class StreamWork {
 public:
  StreamWork() = default;
  explicit StreamWork(const Grid<D>& grid) : solids_(grid), psi_(grid) {}

  // Work at solids' velocities `moved.solid_velocity`, J; all else of `moved` is as the system was built
  // with. input: u* and solids' velocities that psi was solved with; bodies, whose impulses psi has too, must
  // be at rest in `moved`.
  template <class T>
  double find(const Exec& exec, const StreamSolidsInput<D, T>& moved, const ProjectionInput<D, T>& input,
              const StreamSystem<D, T>& system, const StreamView<D>& psi);

 private:
  StreamSolids<D> solids_;
  StreamSources<D> sources_;
  StreamFunction<D> psi_;
};

}  // namespace glug
