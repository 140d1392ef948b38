#include "solvers/movers.h"

namespace glug {

template <int D>
std::int32_t Movers<D>::add_shape(const MoverFaces<D>& faces, const MoverMatrix<D>& yield) {
  for (const std::vector<MoverFace<D>>& along : faces) {
    faces_.insert(faces_.end(), along.begin(), along.end());
    start_.push_back(static_cast<std::int32_t>(faces_.size()));
  }
  yields_.push_back(yield);
  return shapes() - 1;
}

template <int D>
std::vector<MoverMoments<D>> Movers<D>::motions(const Exec& exec, const double* x,
                                                const double* x_extra) const {
  std::vector<MoverMoments<D>> moments(movers_.size()), motions(movers_.size());
  for_each_task(exec, count(), [&](std::ptrdiff_t m) {
    for (int a = 0; a < D; ++a)
      visit_faces(static_cast<std::int32_t>(m), a,
                  [&](std::int32_t, std::ptrdiff_t cell, const AxisMoments<D>& j) {
                    for (int b = 0; b <= D; ++b) moments[m][a * (D + 1) + b] += j[b] * x[cell];
                  });
  });
  for (const ExtraMoments<D>& e : extra_)
    for (int k = 0; x_extra && k < mover_moments<D>; ++k) moments[e.mover][k] += e.j[k] * x_extra[e.unknown];
  for (std::size_t m = 0; m < movers_.size(); ++m)
    add_product<D>(yields_[movers_[m].shape], moments[m], motions[m]);
  for (const MoverLink<D>& link : links_)
    add_product<D>(link.yield, moments[link.other], motions[link.mover]);
  return motions;
}

template <int D>
double Movers<D>::apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
  if (empty()) return 0;
  const std::vector<MoverMoments<D>> s = motions(exec, x.numbers(), x.extra.data());
  double dot = 0;
  const auto push = [&](const double* j, const double* motion, int n, double x_there, double& y_there) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += j[k] * motion[k];
    y_there += sum;
    dot += x_there * sum;
  };
  for (std::int32_t m = 0; m < count(); ++m)
    for (int a = 0; a < D; ++a)
      visit_faces(m, a, [&](std::int32_t, std::ptrdiff_t cell, const AxisMoments<D>& j) {
        push(&j[0], &s[m][a * (D + 1)], D + 1, x.numbers()[cell], y.numbers()[cell]);
      });
  for (const ExtraMoments<D>& e : extra_)
    push(e.j.data(), s[e.mover].data(), mover_moments<D>, x.extra[e.unknown], y.extra[e.unknown]);
  return dot;
}

template class Movers<2>;
template class Movers<3>;

}  // namespace glug
