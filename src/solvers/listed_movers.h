// listed_movers.h: movers (movers.h) as solvers apply them, wherever the unknowns lie: a row for each mover
// and axis, of the moments it has at every place, and the same seen from the places. A thread has a piece of
// a row, a mover or a place, and none writes where another does.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solvers/coupling_rows.h"
#include "solvers/movers.h"

namespace glug {

// S of every mover, for kernels.
template <int D>
struct MoverYields {
  List<MoverMatrix<D>> of_shape;
  List<std::int32_t> shape;  // per mover
  void publish(const Exec& exec) { glug::publish(exec, of_shape, shape); }
};

// J as kernels see it.
template <int D>
struct MoverRowsView {
  RowsView<std::int32_t> rows, of_places;  // an entry's coupling is the number of its moments
  const AxisMoments<D>* moments;
  const std::ptrdiff_t* places;

  // What the motions push at the n-th place: (J^T motion)_n.
  GLUG_INLINE double push_at(std::ptrdiff_t n, const MoverMoments<D>* motion) const {
    double sum = 0;
    for (std::int32_t k = of_places.start[n]; k < of_places.start[n + 1]; ++k)
      sum += push(moments[of_places.entries[k].coupling], of_places.entries[k].to, motion);
    return sum;
  }
  // What the motion of a row pushes at one of its entries.
  static GLUG_INLINE double push(const AxisMoments<D>& j, std::ptrdiff_t row, const MoverMoments<D>* motion) {
    const double* s = &motion[0][0] + row * (D + 1);
    double sum = 0;
    for (int b = 0; b <= D; ++b) sum += j[b] * s[b];
    return sum;
  }
};

// The moments a mover has along an axis at a place of this name.
template <int D>
struct MoverEntry {
  std::ptrdiff_t name;
  int axis;
  AxisMoments<D> j;
};

template <int D>
class ListedMovers {
 public:
  // place_of(offset of a cell): where its unknown is; 0 where there is none, which is left out.
  template <class F>
  void assign(const Exec& exec, const Movers<D>& movers, F place_of);
  // Those of a coarser level: the same S, links and unknowns that are no cells left out.
  void assign(const Exec& exec, const ListedMovers& finer, const CouplingRows<AxisMoments<D>>& rows);
  // Shows all of it to the kernels.
  void publish(const Exec& exec);

  bool empty() const { return count() == 0; }
  std::int32_t count() const { return links.rows.rows() / D; }
  std::ptrdiff_t places() const { return links.count(); }
  const MoverMatrix<D>& yield(std::int32_t mover) const {
    return yields->of_shape.host[yields->shape.host[mover]];
  }
  MoverRowsView<D> view() const {
    return {RowsView<std::int32_t>(links.rows), RowsView<std::int32_t>(links.of_places), moments.data(),
            links.places.data()};
  }

  // motion = scale S J x; change, if not null: how much that is more than motion was; dots, if not null: what
  // each adds to x . J^T motion. x_extra may be null: those unknowns are 0.
  template <class X>
  void gather(const Exec& exec, double scale, const X* x, const double* x_extra, MoverMoments<D>* motion,
              MoverMoments<D>* change, double* dots = nullptr) const;
  // y += J^T motion.
  void scatter(const Exec& exec, const MoverMoments<D>* motion, double* y, double* y_extra) const;
  // y += J^T S J x; returns how much that changes x . A x.
  double apply(const Exec& exec, const double* x, const double* x_extra, double* y, double* y_extra) const;
  template <class V>
  double apply(const Exec& exec, const V& x, V& y) const {
    return apply(exec, x.numbers(), x.extra.data(), y.numbers(), y.extra.data());
  }
  // diagonal += that of J^T S J.
  void add_diagonal(const Exec& exec, double* diagonal) const;
  // All a mover has, row by row, on the CPU.
  std::vector<MoverEntry<D>> entries_of(std::int32_t mover) const;

  // Row mover * D + axis.
  LinkedPlaces<std::int32_t, AxisMoments<D>> links;
  List<AxisMoments<D>> moments;
  std::shared_ptr<MoverYields<D>> yields;  // all levels have these
  List<ExtraMoments<D>> extras;
  List<MoverLink<D>> held;  // between movers

 private:
  void finish(const Exec& exec);
  mutable List<MoverMoments<D>> motion_;
  mutable List<double> dots_;
};

// The motion scale S j that moments along an axis make.
template <int D>
GLUG_INLINE MoverMoments<D> motion_by(const MoverMatrix<D>& S, double scale, int axis,
                                      const AxisMoments<D>& j) {
  constexpr int size = mover_moments<D>;
  MoverMoments<D> s{};
  for (int b = 0; b <= D; ++b)
    for (int k = 0; k < size; ++k) s[k] += scale * S[(axis * (D + 1) + b) * size + k] * j[b];
  return s;
}

template <int D>
template <class F>
void ListedMovers<D>::assign(const Exec& exec, const Movers<D>& movers, F place_of) {
  links.rows = make_rows<std::int32_t>(exec, movers.count() * D, [&](std::int32_t row, auto& entries) {
    movers.visit_faces(row / D, row % D, [&](std::int32_t face, std::ptrdiff_t cell, const AxisMoments<D>&) {
      if (place_of(cell) > 0) entries.push_back({cell, face});
    });
  });
  moments.host.clear();
  for (const MoverFace<D>& face : movers.faces()) moments.host.push_back(face.j);
  yields = std::make_shared<MoverYields<D>>();
  yields->of_shape.host = movers.yields();
  for (std::int32_t m = 0; m < movers.count(); ++m) yields->shape.host.push_back(movers.shape_of(m));
  extras.host = movers.extras();
  held.host = movers.links();
  finish(exec);
  links.rename(exec, place_of);
}

}  // namespace glug
