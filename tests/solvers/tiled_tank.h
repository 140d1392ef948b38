// tiled_tank.h: a box of cells where movers leave holes, for tests of the packed layout: tiles with a layer
// of ordinary cells between them, and besides, as asked for, notches in their sides, cells that are missing,
// anchors, walls without thickness, and balls that are one unknown each. Couplings are 1 in the first three
// quarters along axis 0 and random behind them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "solvers/extra_unknowns.h"
#include "solvers/movers.h"
#include "solvers/stencil.h"
#include "solvers/vector_ops.h"

namespace glug {

enum class ThinWalls { none, some };

struct TankOptions {
  int tile = 8;        // cells from one separating layer to the next
  double notches = 0;  // share of the outermost cells of tiles that are ordinary
  double holes = 0;    // share of the other cells that are missing, from row 4 on
  double anchors = 0;  // of those cells that have an anchor, from row 4 on
  int balls = 0;       // up to 2
  ThinWalls walls = ThinWalls::none;
  unsigned seed = 1;
};

template <int D, class T>
struct TiledTank {
  static constexpr int ordinary = -1, hole = -2, first_ball = -3;  // further balls below it
  Grid<D> grid;
  TankOptions options;
  Blocks<D> blocks;
  Stencil<D, T> stencil;
  ExtraUnknowns<T> extras;
  Movers<D> movers;
  Field<D, std::int32_t> kind;  // or the number of the mover
  std::mt19937 random;

  TiledTank(const Index<D>& cells, const TankOptions& how)
      : grid{cells, 1.0},
        options(how),
        blocks(Blocks<D>::all(grid)),
        stencil(grid),
        kind(grid.cell_range().grown(1)),
        random(how.seed) {
    stencil.relist(Exec{}, blocks.view());
    visit(kind.range(), [&](const Index<D>& i) { kind(i) = hole; });
    visit(grid.cell_range(), [&](const Index<D>& i) { kind(i) = kind_without_tiles(i); });
    add_tiles();
    visit(grid.cell_range(), [&](const Index<D>& i) {
      if (kind(i) == ordinary && i[1] >= 4 && number() < options.holes) kind(i) = hole;
    });
    couple_cells();
    stencil.find_row_kinds(Exec{});
  }

  bool is_unknown(const Index<D>& i) const { return stencil.read().diagonal(i) > 0; }
  // f(index) for every unknown.
  template <class F>
  void visit_unknowns(F&& f) const {
    visit(grid.cell_range(), [&](const Index<D>& i) {
      if (is_unknown(i)) f(i);
    });
  }
  CellSpace<D> space(int threads = 1) const { return {Exec{threads}, blocks.view()}; }
  Vector<D> zero_vector() const {
    Vector<D> v(grid);
    v.restrict_to(Exec{}, blocks.view(), static_cast<std::size_t>(extras.count()));
    return v;
  }
  Vector<D> random_vector() {
    std::normal_distribution<double> normal;
    Vector<D> v = zero_vector();
    visit_unknowns([&](const Index<D>& i) { v.cells(i) = normal(random); });
    for (double& x : v.extra) x = normal(random);
    return v;
  }
  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
  double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    double dot = stencil.apply_dot(exec, x, y);  // sets y; the others add to it, in this order
    dot += extras.apply(exec, x, y);
    dot += movers.apply(exec, x, y);
    return dot;
  }

 private:
  using MomentMatrix = Eigen::Matrix<double, mover_moments<D>, mover_moments<D>>;
  using MomentVector = Eigen::Matrix<double, mover_moments<D>, 1>;

  double number() { return std::uniform_real_distribution<double>(0, 1)(random); }

  // Distance from the surface of a ball, in cells.
  double distance(const Index<D>& i, int ball) const {
    int least = grid.cells[0];
    for (int a = 1; a < D; ++a) least = std::min(least, grid.cells[a]);
    double squared = 0;
    for (int a = 0; a < D; ++a) squared += std::pow(i[a] + 0.5 - (ball == 0 ? 0.3 : 0.7) * grid.cells[a], 2);
    return std::sqrt(squared) - 0.12 * least - 1;
  }
  std::int32_t kind_without_tiles(const Index<D>& i) const {
    for (int ball = 0; ball < options.balls; ++ball)
      if (distance(i, ball) < 0) return first_ball - ball;
    return ordinary;
  }

  void add_tiles() {
    Range<D> boxes{};
    for (int a = 0; a < D; ++a) boxes.hi[a] = grid.cells[a] / options.tile + 1;
    std::map<std::array<int, D>, std::int32_t> known;  // shapes of whole tiles
    const View<D, const T> layout = stencil.read().anchor;
    visit(boxes, [&](const Index<D>& b) {
      Range<D> box{};
      for (int a = 0; a < D; ++a) {
        box.lo[a] = std::max(options.tile * b[a] + 1, 2);
        box.hi[a] = std::min(options.tile * (b[a] + 1), grid.cells[a] - 2);
        if (box.extent(a) < options.tile / 2) return;
      }
      const std::int32_t mover = movers.count();
      std::ptrdiff_t cells = 0;
      visit(box, [&](const Index<D>& i) {
        bool inside = number() >= options.notches;
        if (box.grown(-1).contains(i)) inside = true;
        for (int ball = 0; ball < options.balls; ++ball) inside &= distance(i, ball) >= 2;
        if (inside) kind(i) = mover;
        cells += inside;
      });
      if (2 * cells < box.size()) {
        visit(box, [&](const Index<D>& i) { kind(i) = kind_without_tiles(i); });
        return;
      }
      const auto make = [&] { return movers.add_shape(faces_of(mover, box), yield_of(mover, box)); };
      std::array<int, D> key{};
      for (int a = 0; a < D; ++a) key[static_cast<std::size_t>(a)] = box.extent(a);
      if (cells < box.size())
        movers.add({make(), layout.offset(box.lo)});
      else if (const auto found = known.find(key); found != known.end())
        movers.add({found->second, layout.offset(box.lo)});
      else
        movers.add({known[key] = make(), layout.offset(box.lo)});
    });
  }
  // From the middle of the box.
  static double place_of_face(const Range<D>& box, int axis, const Index<D>& face, int b) {
    return face[b] + (axis == b ? 0.0 : 0.5) - 0.5 * (box.lo[b] + box.hi[b]);
  }
  MoverFaces<D> faces_of(std::int32_t mover, const Range<D>& box) const {
    MoverFaces<D> out;
    const View<D, const T> layout = stencil.read().anchor;
    for (int axis = 0; axis < D; ++axis) {
      Range<D> faces = box;
      ++faces.hi[axis];
      visit(faces, [&](const Index<D>& i) {
        const Index<D> below = i - Index<D>::unit(axis);
        std::array<double, D> x{};
        for (int b = 0; b < D; ++b) x[static_cast<std::size_t>(b)] = place_of_face(box, axis, i, b);
        const auto add = [&](const Index<D>& cell, const Index<D>& inside, CellLies side) {
          if (kind(inside) == mover && kind(cell) != mover)
            out[static_cast<std::size_t>(axis)].push_back(
                {static_cast<std::int32_t>(layout.offset(cell) - layout.offset(box.lo)),
                 moments_of_face(side, x)});
        };
        add(below, i, CellLies::below);
        add(i, below, CellLies::above);
      });
    }
    return out;
  }
  // Fluid that moves affinely without divergence, the mass of a face being 1: the inverse of G, the sum of
  // (1, X)(1, X)^T over its faces, on motions s with c . s = 0.
  MoverMatrix<D> yield_of(std::int32_t mover, const Range<D>& box) const {
    MomentMatrix G = MomentMatrix::Zero();
    MomentVector c = MomentVector::Zero();
    for (int a = 0; a < D; ++a) {
      c(a * (D + 1) + 1 + a) = 1;
      Range<D> faces = box;
      ++faces.hi[a];
      visit(faces, [&](const Index<D>& i) {
        if (kind(i) != mover && kind(i - Index<D>::unit(a)) != mover) return;
        Eigen::Matrix<double, D + 1, 1> x;
        x(0) = 1;
        for (int b = 0; b < D; ++b) x(1 + b) = place_of_face(box, a, i, b);
        G.template block<D + 1, D + 1>(a * (D + 1), a * (D + 1)) += x * x.transpose();
      });
    }
    const MomentMatrix inverse = G.llt().solve(MomentMatrix::Identity());
    const MomentVector Gc = inverse * c;
    const MomentMatrix P = inverse - Gc * Gc.transpose() / c.dot(Gc);
    MoverMatrix<D> out{};
    for (int p = 0; p < mover_moments<D>; ++p)
      for (int q = 0; q < mover_moments<D>; ++q)
        out[static_cast<std::size_t>(p * mover_moments<D> + q)] = 0.5 * (P(p, q) + P(q, p));
    return out;
  }

  void couple_cells() {
    const StencilView<D, T> A = stencil.view();
    std::vector<ExtraLink<T>> links;
    visit(grid.cell_range(), [&](const Index<D>& i) {
      if (kind(i) != ordinary) return;
      if (i[1] >= 4 && number() < options.anchors) A.anchor(i) = static_cast<T>(number());
      std::array<T, 2> to_ball{};
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          const int other = kind(high ? i + Index<D>::unit(a) : i - Index<D>::unit(a));
          if (other == ordinary && !high)
            A.coupling[a](i) = static_cast<T>(4 * i[0] < 3 * grid.cells[0] ? 1.0 : 0.2 + number());
          if (other <= first_ball)
            to_ball[static_cast<std::size_t>(first_ball - other)] += static_cast<T>(1 + 3 * number());
        }
      for (std::int32_t ball = 0; ball < options.balls; ++ball) {
        const T k = to_ball[static_cast<std::size_t>(ball)];
        A.anchor(i) += k;
        if (k > 0) links.push_back({ball, A.anchor.offset(i), k});
      }
      if (options.walls == ThinWalls::none) return;
      if (i[1] % 5 == 0 && i[0] % 17 != 3) A.coupling[1](i) = 0;
      if (i[0] % 7 == 0 && i[1] % 11 != 5) A.coupling[0](i) = 0;
    });
    std::stable_sort(links.begin(), links.end(),
                     [](const ExtraLink<T>& x, const ExtraLink<T>& y) { return x.unknown < y.unknown; });
    extras.assign({options.balls, links});
  }
};

}  // namespace glug
