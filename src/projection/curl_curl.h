// curl_curl.h: A = Cᵀ m C of a stream function in 3D, on unknowns that lie side by side. The curl and its
// transpose are one pass: a thread goes plane by plane through a strip of rows, spreads psi of the next
// plane, forms the momenta of a row of faces and at once adds them up around the edges of that row. What lies
// between stays in its cache; unknowns are read once, and answers written once. docs/theory.md (Q1), (Q3)
// Invariant: sums are formed strip by strip and plane by plane, so that they are the same for any number of
// threads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/mac_field.h"
#include "projection/stacked_edges.h"
#include "solvers/packed_stencil.h"

namespace glug {

template <class T>
class CurlCurl {
 public:
  // Whenever the edges changed, which must outlive its use: those of a stack.
  void assign(const Exec& exec, const Grid<3>& grid, const PackedStencil<3, T>& edges);
  // y = A x at the edges; returns x . A x. mass: m_f, 0 where there is no liquid and beyond the domain.
  double apply_dot(const Exec& exec, const MacView<3, const T>& mass, const double* x, double* y) const;

 private:
  // Where along a row there are unknowns, of any kind.
  struct Span {
    std::int32_t lo = 0, hi = 0;
    bool empty() const { return lo >= hi; }
  };
  class Pass;

  // The runs of a row of a kind.
  std::span<const PackedRun> runs(int kind, int y, int z) const {
    const Index<3> at{0, y, z};
    if (!edge_range(grid_, kind).contains(at)) return {};
    return edges_->row(at + stack_.offset(kind));
  }

  const PackedStencil<3, T>* edges_ = nullptr;
  Grid<3> grid_{};
  StackedEdges<3> stack_;
  Index<3> nodes_{};
  std::int32_t strip_rows_ = 1, strips_ = 0;
  std::vector<Span> spans_;                     // of each row, those of a plane after the other
  std::vector<std::int32_t> unknowns_;          // of each plane of each strip
  mutable std::vector<Buffer<double>> memory_;  // of each thread
};

}  // namespace glug
