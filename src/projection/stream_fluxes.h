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

// momentum = m C psi on the faces of an axis in the listed blocks. psi: all kinds, in fields of one layout.
// Returns the sum of m (C psi)^2.
template <int D, class T>
double momentum_of_curl(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int axis,
                        const StreamView<D>& psi, View<D, const T> mass, View<D, double> momentum) {
  std::vector<double> partial(static_cast<std::size_t>(chunks_of(blocks)));
  double* sums = partial.data();
  const CurlTerm s = curl_term<D>(axis, 0), t = curl_term<D>(axis, D - 2);  // in 2D there is one
  const Range<D> faces = grid.face_range(axis);
  for_each_task(exec, chunks_of(blocks), [=](std::ptrdiff_t chunk) {
    PackSum<double> sum;
    visit_rows_of_chunk(blocks, faces, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          const auto& one = psi[static_cast<std::size_t>(s.kind)];
                          const auto& other = psi[static_cast<std::size_t>(t.kind)];
                          const double *p = &one(first), *p_next = p + one.stride[s.along];
                          const double *q = &other(first), *q_next = q + other.stride[t.along];
                          const T* m = &mass(first);
                          double* __restrict out = &momentum(first);
                          double flux[run_length<D>];
                          for (int i = 0; i < n; ++i) {
                            flux[i] = s.sign * (p_next[i] - p[i]);
                            if (D == 3) flux[i] += t.sign * (q_next[i] - q[i]);
                            out[i] = m[i] * flux[i];
                          }
                          for_packs<double>(n, [&](auto kind, int i) {
                            using P = decltype(kind);
                            sum.add(load<P>(flux + i) * load<P>(out + i));
                          });
                        });
    sums[chunk] = sum.total();
  });
  double total = 0;
  for (double sum : partial) total += sum;
  return total;
}

// out = Cᵀ momentum at the unknowns of `edges`, those of a kind.
template <int D, class T>
void add_up_around_edges(const Exec& exec, const PackedStencil<D, T>& edges, int kind,
                         const MacView<D, const double>& momentum, double* out) {
  constexpr int piece = 256;
  const EdgeTerm s = edge_term<D>(kind, 0), t = edge_term<D>(kind, 1);
  edges.visit_runs(exec, [=](const Index<D>& first, const PackedRun& run, int colour) {
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
