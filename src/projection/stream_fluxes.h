// stream_fluxes.h: from a stream function to the momenta of faces, and from those to edges: the two halves of
// Cᵀ m C, row by row. docs/theory.md (Q1), (Q3)
#pragma once

#include <vector>

#include "core/mac_field.h"
#include "core/runs.h"
#include "projection/stream_curl.h"
#include "solvers/pack.h"
#include "solvers/packed_stencil.h"

namespace glug {

// Adds the products of two rows, four packs at a time: one by one each would wait for the one before.
template <class T>
GLUG_INLINE void add_products(const T* x, const T* y, int n, PackSum<T>& sum) {
  constexpr int lanes = pack_lanes<T>;
  const auto product = [=](auto kind, int k) {
    using P = decltype(kind);
    return load<P>(x + k) * load<P>(y + k);
  };
  int done = 0;
  for (; done + 4 * lanes <= n; done += 4 * lanes) {
    const auto at = [&](int pack) { return product(Pack<T>{}, done + pack * lanes); };
    sum.add((at(0) + at(1)) + (at(2) + at(3)));
  }
  for_packs<T>(n - done, [&](auto kind, int k) { sum.add(product(kind, done + k)); });
}

// momentum = m C psi on the faces in the listed blocks. psi: all kinds, in fields of one layout; mass is 0
// beyond the domain. Row by row for all axes, so that psi is read once. Returns the sum of m (C psi)^2.
template <int D, class T>
double momentum_of_curl(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                        const StreamView<D>& psi, const MacView<D, const T>& mass,
                        const MacView<D, double>& momentum) {
  std::vector<double> partial(static_cast<std::size_t>(chunks_of(blocks)));
  double* sums = partial.data();
  for_each_task(exec, chunks_of(blocks), [=](std::ptrdiff_t chunk) {
    PackSum<double> sum;
    visit_rows_of_chunk(blocks, grid.node_range(), static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          for (int axis = 0; axis < D; ++axis) {
                            const CurlTerm s = curl_term<D>(axis, 0);
                            const CurlTerm t = curl_term<D>(axis, D - 2);  // in 2D there is one
                            const double *p = &psi[s.kind](first), *p_next = p + psi[s.kind].stride[s.along];
                            const double *q = &psi[t.kind](first), *q_next = q + psi[t.kind].stride[t.along];
                            const T* m = &mass[axis](first);
                            double* __restrict out = &momentum[axis](first);
                            double flux[run_length<D>];
                            for (int i = 0; i < n; ++i) {
                              flux[i] = s.sign * (p_next[i] - p[i]);
                              if (D == 3) flux[i] += t.sign * (q_next[i] - q[i]);
                              out[i] = m[i] * flux[i];
                            }
                            add_products<double>(flux, out, n, sum);
                          }
                        });
    sums[chunk] = sum.total();
  });
  double total = 0;
  for (double sum : partial) total += sum;
  return total;
}

// out = Cᵀ momentum at the unknowns of a task of `edges`, those of a kind.
template <int D, class T>
void add_up_around_edges(const PackedStencil<D, T>& edges, std::ptrdiff_t task, int kind,
                         const MacView<D, const double>& momentum, double* out) {
  constexpr int piece = 256;
  const EdgeTerm s = edge_term<D>(kind, 0), t = edge_term<D>(kind, 1);
  edges.visit_runs_of(task, [=](const Index<D>& first, const PackedRun& run, int colour) {
    const double *p = &momentum[s.axis](first), *p_low = p - momentum[s.axis].stride[s.along];
    const double *q = &momentum[t.axis](first), *q_low = q - momentum[t.axis].stride[t.along];
    for (int from = 0; from < run.count; from += piece) {
      const int n = run.count - from < piece ? run.count - from : piece;
      double values[piece];
      for (int i = 0; i < n; ++i)
        values[i] = s.sign * (p_low[from + i] - p[from + i]) + t.sign * (q_low[from + i] - q[from + i]);
      double* __restrict one = out + run.place[colour] + from / 2;
      double* __restrict other = out + run.place[1 - colour] + from / 2;
      for (int i = 0; i < n / 2; ++i) {
        one[i] = values[2 * i];
        other[i] = values[2 * i + 1];
      }
      if (n % 2) one[n / 2] = values[n - 1];
    }
  });
}

}  // namespace glug
