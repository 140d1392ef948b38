#include "projection/stream_work.h"

#include "core/real.h"
#include "core/reduce.h"

namespace glug {

// (Q14)
template <int D>
template <class T>
double StreamWork<D>::find(const Exec& exec, const StreamSolidsInput<D, T>& moved,
                           const ProjectionInput<D, T>& in, const StreamSystem<D, T>& system,
                           const StreamView<D>& psi) {
  const auto write = [&](double factor) {
    for (const SolidEdge<D>& e : solids_.known())
      psi_.kind(static_cast<int>(e.kind))(e.edge) = factor * e.value;
  };
  solids_.find(exec, moved);
  sources_.find(in, moved.owner, solids_.missing());
  write(1);
  const StreamView<D> other = psi_.read();
  const MacView<D, const T> mass = system.mass();
  const MacView<D, const double> sources = system.sources().flux(), other_sources = sources_.flux();
  double work = 0;
  for (int a = 0; a < D; ++a)
    work += reduce_cells(exec, in.blocks, in.grid.face_range(a), 0.0, Plus{}, [=](const Index<D>& i) {
      const double m = mass[a](i);
      if (!(m > 0)) return 0.0;
      const double w = in.open[a](i);
      double change = curl_at<D>(psi, a, i) - w * in.velocity[a](i);
      if (in.solid_velocity[a].data) change -= (1 - w) * in.solid_velocity[a](i);
      if (sources[a].data) change += sources[a](i);
      double flux = curl_at<D>(other, a, i) - (1 - w) * moved.solid_velocity[a](i);
      if (other_sources[a].data) flux += other_sources[a](i);
      return m * change * flux;
    });
  write(0);
  return work * in.density * in.grid.cell_volume();
}

#define GLUG_INSTANTIATE(D)                                                                                \
  template class StreamWork<D>;                                                                            \
  template double StreamWork<D>::find<Real>(const Exec&, const StreamSolidsInput<D, Real>&,                \
                                            const ProjectionInput<D, Real>&, const StreamSystem<D, Real>&, \
                                            const StreamView<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
