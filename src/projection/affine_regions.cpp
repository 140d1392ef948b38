#include "projection/affine_regions.h"

#include <Eigen/Cholesky>
#include <map>

#include "core/for_each.h"
#include "core/real.h"
#include "projection/face.h"

namespace glug {
namespace {

template <int D>
inline constexpr int affine_numbers = D == 2 ? 5 : 11;
template <int D>
using AffineMoments = Eigen::Matrix<double, mover_moments<D>, mover_moments<D>>;

// (F2) E: from the numbers of an affine motion without divergence to s. The last s_aa is minus the others.
template <int D>
Eigen::Matrix<double, mover_moments<D>, affine_numbers<D>> divergence_free_motions() {
  Eigen::Matrix<double, mover_moments<D>, affine_numbers<D>> E;
  E.setZero();
  const int last = D * (D + 1) - 1;  // s of the last axis along itself
  int n = 0;
  for (int row = 0; row < mover_moments<D>; ++row) {
    if (row == last) continue;
    E(row, n) = 1;
    const int axis = row / (D + 1), along = row % (D + 1) - 1;
    if (along == axis) E(last, n) = -1;
    ++n;
  }
  return E;
}

// The first corner of a tile's box, and the point its motion is told from: half-way through the box.
template <int D>
GLUG_INLINE double origin_of(const Tile<D>& tile, int axis) {
  return 0.5 * (tile.box.lo[axis] + tile.box.hi[axis]);
}
// X of a face along an axis.
template <int D>
GLUG_INLINE std::array<double, D> place_of_face(const Tile<D>& tile, int axis, const Index<D>& i) {
  std::array<double, D> x{};
  for (int b = 0; b < D; ++b) x[b] = i[b] + (b == axis ? 0.0 : 0.5) - origin_of(tile, b);
  return x;
}

// f(first, n) over the rows of faces along an axis that have a cell of the tile.
template <int D, class F>
GLUG_INLINE void visit_face_rows(const Tile<D>& tile, std::int32_t number,
                                 const View<D, const std::int32_t>& of, int axis, F&& f) {
  Range<D> faces = tile.box;
  ++faces.hi[axis];
  Range<D> rows = faces;
  const int n = faces.extent(0);
  rows.hi[0] = rows.lo[0] + 1;
  if (tile.whole()) {
    visit(rows, [&](const Index<D>& first) { f(first, n); });
    return;
  }
  visit(rows, [&](const Index<D>& row) {
    Index<D> i = row;
    for (int k = 0; k < n;) {
      const auto has = [&](int at) {
        i[0] = row[0] + at;
        return of(i) == number || of(i - Index<D>::unit(axis)) == number;
      };
      if (!has(k)) {
        ++k;
        continue;
      }
      int end = k + 1;
      while (end < n && has(end)) ++end;
      i[0] = row[0] + k;
      f(Index<D>(i), end - k);
      k = end;
    }
  });
}

// Moments of a row of faces: sums of value, and of value times X.
template <int D>
GLUG_INLINE void add_moments(const std::array<double, D>& first, double all, double ramp, double* t) {
  t[0] += all;
  for (int b = 0; b < D; ++b) t[1 + b] += first[b] * all;
  t[1] += ramp;
}

// (F2) P of a tile.
template <int D>
MoverMatrix<D> response_of(const Tile<D>& tile, std::int32_t number, const View<D, const std::int32_t>& of) {
  AffineMoments<D> G;
  G.setZero();
  for (int a = 0; a < D; ++a)
    visit_face_rows(tile, number, of, a, [&](const Index<D>& first, int n) {
      Index<D> i = first;
      for (int k = 0; k < n; ++k, ++i[0]) {
        const std::array<double, D> x = place_of_face(tile, a, i);
        double c[D + 1] = {1};
        for (int b = 0; b < D; ++b) c[1 + b] = x[b];
        for (int p = 0; p <= D; ++p)
          for (int q = 0; q <= D; ++q) G(a * (D + 1) + p, a * (D + 1) + q) += c[p] * c[q];
      }
    });
  const auto E = divergence_free_motions<D>();
  const Eigen::Matrix<double, affine_numbers<D>, affine_numbers<D>> mass = E.transpose() * G * E;
  const AffineMoments<D> P = E * mass.llt().solve(E.transpose());
  MoverMatrix<D> out{};
  for (int p = 0; p < mover_moments<D>; ++p)
    for (int q = 0; q < mover_moments<D>; ++q) out[p * mover_moments<D> + q] = 0.5 * (P(p, q) + P(q, p));
  return out;
}

// The faces between a tile and ordinary cells.
template <int D, class T>
MoverFaces<D> faces_of(const Tile<D>& tile, std::int32_t number, const View<D, const std::int32_t>& of,
                       const View<D, const T>& layout) {
  MoverFaces<D> out;
  const std::ptrdiff_t base = layout.offset(tile.box.lo);
  for (int a = 0; a < D; ++a)
    for (CellLies side : {CellLies::below, CellLies::above}) {
      Range<D> faces = tile.box;
      ++faces.hi[a];
      visit(faces, [&](const Index<D>& i) {
        const Index<D> low = i - Index<D>::unit(a);
        const Index<D> cell = side == CellLies::above ? i : low, inside = side == CellLies::above ? low : i;
        if (of(inside) == number && of(cell) != number)
          out[static_cast<std::size_t>(a)].push_back({static_cast<std::int32_t>(layout.offset(cell) - base),
                                                      moments_of_face(side, place_of_face(tile, a, i))});
      });
    }
  return out;
}

template <int D>
MoverMatrix<D> scaled(MoverMatrix<D> m, double factor) {
  for (double& v : m) v *= factor;
  return m;
}

}  // namespace

template <int D, class T>
void add_affine_regions(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system) {
  system.movers.clear();
  system.responses.clear();
  if (!input.tiles || input.tiles->list.empty()) return;
  const std::vector<Tile<D>>& tiles = input.tiles->list;
  const View<D, const std::int32_t> of = input.tiles->of_cell.read();
  const View<D, const T> layout = system.stencil.read().anchor;

  // Whole tiles of one size are alike: the first of them makes the shape.
  std::vector<std::int32_t> maker(tiles.size());
  std::map<std::array<int, D + 1>, std::int32_t> known;
  std::vector<std::int32_t> makers;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    std::int32_t first = static_cast<std::int32_t>(n);
    if (tiles[n].whole()) {
      std::array<int, D + 1> key{};
      for (int a = 0; a < D; ++a) key[static_cast<std::size_t>(a)] = tiles[n].box.extent(a);
      key[D] = static_cast<int>(tiles[n].fluid);
      first = known.emplace(key, first).first->second;
    }
    maker[n] = first;
    if (first == static_cast<std::int32_t>(n)) makers.push_back(first);
  }
  struct Made {
    MoverFaces<D> faces;
    MoverMatrix<D> response;
  };
  std::vector<Made> shapes(makers.size());
  Made* shape = shapes.data();
  const std::int32_t* make = makers.data();
  const Tile<D>* tile = tiles.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(makers.size()), [=](std::ptrdiff_t k) {
    const std::int32_t n = make[k];
    shape[k] = {faces_of(tile[n], n, of, layout), response_of(tile[n], n, of)};
  });
  std::vector<std::int32_t> number(tiles.size());
  for (std::size_t k = 0; k < makers.size(); ++k) {
    const double scale =
        input.dt / (density_of(input, tiles[static_cast<std::size_t>(makers[k])].fluid) * input.grid.h);
    number[static_cast<std::size_t>(makers[k])] =
        system.movers.add_shape(shapes[k].faces, scaled<D>(shapes[k].response, scale));
    system.responses.push_back(shapes[k].response);
  }
  for (std::size_t n = 0; n < tiles.size(); ++n)
    system.movers.add({number[static_cast<std::size_t>(maker[n])], layout.offset(tiles[n].box.lo)});
}

template <int D, class T>
void fit_motions(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                 MacView<D, const T> velocity, Motions<D>& motions) {
  const std::size_t count = input.tiles ? input.tiles->list.size() : 0;
  motions.assign(count, {});
  if (count == 0) return;
  const Tile<D>* tiles = input.tiles->list.data();
  const View<D, const std::int32_t> of = input.tiles->of_cell.read();
  MoverMoments<D>* out = motions.data();
  const PressureSystem<D, T>* s = &system;
  for_each_task(exec, static_cast<std::ptrdiff_t>(count), [=](std::ptrdiff_t n) {
    const Tile<D>& tile = tiles[n];
    MoverMoments<D> t{};
    for (int a = 0; a < D; ++a)
      visit_face_rows(tile, static_cast<std::int32_t>(n), of, a, [&](const Index<D>& first, int width) {
        const T* u = &velocity[a](first);
        double all = 0, ramp = 0;
        for (int k = 0; k < width; ++k) {
          all += static_cast<double>(u[k]);
          ramp += static_cast<double>(u[k]) * k;
        }
        add_moments<D>(place_of_face(tile, a, first), all, ramp, t.data() + a * (D + 1));
      });
    const MoverMatrix<D>& P =
        s->responses[static_cast<std::size_t>(s->movers.shape_of(static_cast<std::int32_t>(n)))];
    MoverMoments<D> m{};
    for (int q = 0; q < mover_moments<D>; ++q)
      for (int p = 0; p < mover_moments<D>; ++p) m[p] += P[q * mover_moments<D> + p] * t[q];
    out[n] = m;
  });
}

template <int D, class T>
void push_motions(const Exec& exec, const PressureSystem<D, T>& system, View<D, const double> pressure,
                  Motions<D>& motions) {
  if (motions.empty()) return;
  const Motions<D> change = system.movers.motions(exec, pressure.data);  // tiles come first
  for (std::size_t n = 0; n < motions.size(); ++n)
    for (int k = 0; k < mover_moments<D>; ++k) motions[n][k] += change[n][k];
}

template <int D, class T>
void write_motions(const Exec& exec, const ProjectionInput<D, T>& input, const Motions<D>& motions,
                   MacView<D, T> velocity, MacView<D, std::uint8_t> layer) {
  if (motions.empty()) return;
  const Tile<D>* tiles = input.tiles->list.data();
  const View<D, const std::int32_t> of = input.tiles->of_cell.read();
  const MoverMoments<D>* motion = motions.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(motions.size()), [=](std::ptrdiff_t n) {
    const Tile<D>& tile = tiles[n];
    for (int a = 0; a < D; ++a) {
      const double* s = motion[n].data() + a * (D + 1);
      visit_face_rows(tile, static_cast<std::int32_t>(n), of, a, [&](const Index<D>& first, int width) {
        const std::array<double, D> x = place_of_face(tile, a, first);
        double value = s[0];
        for (int b = 0; b < D; ++b) value += s[1 + b] * x[b];
        T* u = &velocity[a](first);
        for (int k = 0; k < width; ++k) u[k] = static_cast<T>(value + s[1] * k);
        if (!layer[a].data) return;
        std::uint8_t* valid = &layer[a](first);
        for (int k = 0; k < width; ++k) valid[k] = 1;
      });
    }
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                              \
  template void add_affine_regions<D, T>(const Exec&, const ProjectionInput<D, T>&, PressureSystem<D, T>&); \
  template void fit_motions<D, T>(const Exec&, const ProjectionInput<D, T>&, const PressureSystem<D, T>&,   \
                                  MacView<D, const T>, Motions<D>&);                                        \
  template void push_motions<D, T>(const Exec&, const PressureSystem<D, T>&, View<D, const double>,         \
                                   Motions<D>&);                                                            \
  template void write_motions<D, T>(const Exec&, const ProjectionInput<D, T>&, const Motions<D>&,           \
                                    MacView<D, T>, MacView<D, std::uint8_t>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
