#include "solvers/mac_vector.h"

#include <cmath>

namespace glug {

template <int D>
double MacSpace<D>::dot(const MacVector<D>& x, const MacVector<D>& y) const {
  double sum = 0;
  for (int a = 0; a < D; ++a) sum += axis[a].dot(x[a], y[a]);
  return sum;
}

template <int D>
double MacSpace<D>::norm(const MacVector<D>& x) const {
  return std::sqrt(dot(x, x));
}

template <int D>
void MacSpace<D>::zero(MacVector<D>& x) const {
  for (int a = 0; a < D; ++a) axis[a].zero(x[a]);
}

template <int D>
void MacSpace<D>::copy(const MacVector<D>& x, MacVector<D>& y) const {
  for (int a = 0; a < D; ++a) axis[a].copy(x[a], y[a]);
}

template <int D>
void MacSpace<D>::xpay(const MacVector<D>& x, double s, MacVector<D>& y) const {
  for (int a = 0; a < D; ++a) axis[a].xpay(x[a], s, y[a]);
}

template <int D>
double MacSpace<D>::step(double s, const MacVector<D>& p, const MacVector<D>& q, MacVector<D>& x,
                         MacVector<D>& r) const {
  double sum = 0;
  for (int a = 0; a < D; ++a) {
    const double part = axis[a].step(s, p[a], q[a], x[a], r[a]);
    sum += part * part;
  }
  return std::sqrt(sum);
}

template <int D>
void MacSpace<D>::difference(const MacVector<D>& x, const MacVector<D>& y, MacVector<D>& z) const {
  for (int a = 0; a < D; ++a) axis[a].difference(x[a], y[a], z[a]);
}

template struct MacSpace<2>;
template struct MacSpace<3>;

}  // namespace glug
