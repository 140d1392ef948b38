// curl_of_curl.h: Cᵀ m C of a stream function in 3D, for the edges of one kind. docs/theory.md (Q3)
//
// An edge along k has four faces around it, two across each of the other axes a, b, and each is told by its
// four edges:
//
//   F_a(j) = psi_k(j + b) - psi_k(j) - psi_b(j + k) + psi_b(j)
//   F_b(j) = psi_a(j + k) - psi_a(j) - psi_k(j + a) + psi_k(j)
//   (Cᵀ m C psi)(i) = (m F)_a(i - b) - (m F)_a(i) + (m F)_b(i) - (m F)_b(i - a)
//
// Every flux is formed four times instead of being stored once: loads from near are cheaper than arrays.
#pragma once

#include <algorithm>
#include <vector>

#include "core/for_each.h"
#include "projection/stream_curl.h"
#include "solvers/pack.h"
#include "solvers/packed_stencil.h"

namespace glug {

// One run of them, cut into pieces that fit the stack; adds psi . out.
template <class T>
class CurlOfCurl {
 public:
  CurlOfCurl(int kind, const StreamView<3>& psi, const MacView<3, const T>& mass, double* out)
      : a_((kind + 1) % 3),
        b_((kind + 2) % 3),
        own_(psi[static_cast<std::size_t>(kind)]),
        psi_a_(psi[static_cast<std::size_t>(a_)]),
        psi_b_(psi[static_cast<std::size_t>(b_)]),
        mass_a_(mass[a_]),
        mass_b_(mass[b_]),
        to_k_(own_.stride[kind]),
        to_a_(own_.stride[a_]),
        to_b_(own_.stride[b_]),
        out_(out) {}

  void write(const Index<3>& first, const PackedRun& run, int colour, PackSum<double>& dot) const {
    for (int from = 0; from < run.count; from += piece) {
      const int n = std::min(piece, run.count - from);
      double values[piece];
      find(first, from, n, values);
      const double* p = &own_(first) + from;
      for_packs<double>(n, [&](auto kind, int i) {
        using P = decltype(kind);
        dot.add(load<P>(p + i) * load<P>(values + i));
      });
      double* __restrict one = out_ + run.place[colour] + from / 2;
      double* __restrict other = out_ + run.place[1 - colour] + from / 2;
      for (int i = 0; i < n / 2; ++i) {
        one[i] = values[2 * i];
        other[i] = values[2 * i + 1];
      }
      if (n % 2) one[n / 2] = values[n - 1];
    }
  }

 private:
  static constexpr int piece = 256;

  void find(const Index<3>& first, int from, int n, double* __restrict values) const {
    const double *p = &own_(first) + from, *pa = &psi_a_(first) + from, *pb = &psi_b_(first) + from;
    const T *ma = &mass_a_(first) + from, *mb = &mass_b_(first) + from;
    const T *ma_low = ma - mass_a_.stride[b_], *mb_low = mb - mass_b_.stride[a_];
    const double *p_a = p + to_a_, *p_a_low = p - to_a_, *p_b = p + to_b_, *p_b_low = p - to_b_;
    const double *pa_k = pa + to_k_, *pa_low = pa - to_a_, *pa_k_low = pa_k - to_a_;
    const double *pb_k = pb + to_k_, *pb_low = pb - to_b_, *pb_k_low = pb_k - to_b_;
    for (int i = 0; i < n; ++i)
      values[i] = ma_low[i] * ((p[i] - p_b_low[i]) - (pb_k_low[i] - pb_low[i])) -
                  ma[i] * ((p_b[i] - p[i]) - (pb_k[i] - pb[i])) +
                  mb[i] * ((pa_k[i] - pa[i]) - (p_a[i] - p[i])) -
                  mb_low[i] * ((pa_k_low[i] - pa_low[i]) - (p[i] - p_a_low[i]));
  }

  int a_, b_;
  View<3, const double> own_, psi_a_, psi_b_;
  View<3, const T> mass_a_, mass_b_;
  std::ptrdiff_t to_k_, to_a_, to_b_;
  double* out_;
};

// out: at the unknowns of `edges`, those of the kind; psi: all kinds, in fields of one layout, 0 where there
// is no unknown. Returns psi . out.
template <class T>
double curl_of_curl(const Exec& exec, const PackedStencil<3, T>& edges, int kind, const StreamView<3>& psi,
                    const MacView<3, const T>& mass, double* out) {
  const CurlOfCurl<T> kernel(kind, psi, mass, out);
  std::vector<double> partial(static_cast<std::size_t>(edges.tasks()));
  double* sums = partial.data();
  const PackedStencil<3, T>* at = &edges;
  for_each_task(exec, edges.tasks(), [=](std::ptrdiff_t task) {
    PackSum<double> sum;
    at->visit_runs_of(task, [&](const Index<3>& first, const PackedRun& run, int colour) {
      kernel.write(first, run, colour, sum);
    });
    sums[task] = sum.total();
  });
  double total = 0;
  for (double sum : partial) total += sum;
  return total;
}

}  // namespace glug
