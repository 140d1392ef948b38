// extra_unknowns_test.cpp: cells merged into unknowns of their own: the matrix, the V-cycle, the bits.
#include "solvers/extra_unknowns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "solvers/multigrid.h"
#include "solvers/pcg.h"
#include "solvers/tiled_tank.h"
#include "solvers/vector_ops.h"

namespace glug {
namespace {

// A cube of n^D cells with p = 0 above the last but one layer, walls elsewhere, and the cells of two blobs
// merged into one unknown each.
template <int D, class T>
struct Blobs {
  static constexpr int outside = -1, cell = 0, first_blob = 1, second_blob = 2, above = 3;
  int n;
  Grid<D> grid;
  Blocks<D> blocks;
  Stencil<D, T> stencil;
  ExtraUnknowns<T> extras;
  std::mt19937 random{1};

  explicit Blobs(int n_)
      : n(n_), grid{Index<D>::filled(n), 1.0 / n}, blocks(Blocks<D>::all(grid)), stencil(grid) {
    stencil.relist(Exec{}, blocks.view());
    const StencilView<D, T> A = stencil.view();
    std::vector<ExtraLink<T>> links;
    visit(grid.cell_range(), [&](const Index<D>& i) {
      T anchor = 0, coupling[D] = {};
      for (int a = 0; kind(i) == cell && a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          const int other = kind(high ? i + Index<D>::unit(a) : i - Index<D>::unit(a));
          const T k = face(i, a, high);
          if (other == cell && !high) coupling[a] = k;
          if (other > cell) anchor += k;
          if (other == first_blob || other == second_blob)
            links.push_back({other - first_blob, A.anchor.offset(i), k});
        }
      A.anchor(i) = anchor;
      for (int a = 0; a < D; ++a) A.coupling[a](i) = coupling[a];
    });
    std::stable_sort(links.begin(), links.end(), [](const ExtraLink<T>& x, const ExtraLink<T>& y) {
      return x.unknown != y.unknown ? x.unknown < y.unknown : x.cell < y.cell;
    });
    std::vector<ExtraLink<T>> once;
    for (const ExtraLink<T>& l : links)
      if (!once.empty() && once.back().unknown == l.unknown && once.back().cell == l.cell)
        once.back().coupling += l.coupling;
      else
        once.push_back(l);
    extras.assign({2, once});
    stencil.find_row_kinds(Exec{});
  }

  int kind(const Index<D>& i) const {
    if (!grid.cell_range().contains(i)) return outside;
    if (i[D - 1] >= n - 2) return above;
    const auto within = [&](double center, double radius) {
      double r = 0;
      for (int a = 0; a < D; ++a) r += std::pow(i[a] + 0.5 - n * center, 2);
      return r < std::pow(n * radius, 2);
    };
    return within(0.4, 0.2) ? first_blob : within(0.8, 0.1) ? second_blob : cell;
  }
  // As a ghost fluid makes them: 1 between cells, up to 10 towards blobs and the air above.
  T face(const Index<D>& i, int a, int high) const {
    const int other = kind(high ? i + Index<D>::unit(a) : i - Index<D>::unit(a));
    if (other == cell) return T(1);
    unsigned hash = 17;
    for (int x = 0; x < D; ++x) hash = hash * 31u + static_cast<unsigned>(i[x]);
    hash = (hash * 2u + static_cast<unsigned>(high)) * 3u + static_cast<unsigned>(a);
    return static_cast<T>(1 / (0.1 + 0.9 * ((hash * 2654435761u) >> 16 & 0xff) / 255.0));
  }

  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
  double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    const double dot = stencil.apply_dot(exec, x, y);
    return dot + extras.apply(exec, x, y);
  }
  CellSpace<D> space(int threads = 1) const { return {Exec{threads}, blocks.view()}; }
  Vector<D> zero_vector() const {
    Vector<D> v(grid);
    v.restrict_to(Exec{}, blocks.view(), 2);
    return v;
  }
  Vector<D> random_vector() {
    std::normal_distribution<double> normal;
    Vector<D> v = zero_vector();
    visit(grid.cell_range(), [&](const Index<D>& i) { v.cells(i) = kind(i) == cell ? normal(random) : 0; });
    for (std::size_t k = 0; k < 2; ++k) v.extra[k] = normal(random);
    return v;
  }
  SolveReport solve(const Vector<D>& b, Vector<D>& x, double tolerance, int threads = 1) const {
    Multigrid<D, T> M(grid);
    M.prepare(Exec{threads}, stencil, extras);
    PcgWork<Vector<D>> work{zero_vector(), zero_vector(), zero_vector(), zero_vector()};
    return pcg(space(threads), *this, M, NoNullSpace{}, b, x, work, PcgOptions{tolerance, 500});
  }
};

// y = A x straight from the faces.
template <int D, class T>
void expect_merged_cells(int n) {
  Blobs<D, T> s(n);
  const Vector<D> x = s.random_vector();
  Vector<D> y = s.zero_vector(), expected = s.zero_vector();
  using B = Blobs<D, T>;
  visit(s.grid.cell_range(), [&](const Index<D>& i) {
    if (s.kind(i) != B::cell) return;
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<D> o = high ? i + Index<D>::unit(a) : i - Index<D>::unit(a);
        const int other = s.kind(o);
        if (other == B::outside) continue;
        const double k = s.face(i, a, high);
        const bool blob = other == B::first_blob || other == B::second_blob;
        const std::size_t e = blob ? static_cast<std::size_t>(other - B::first_blob) : 0;
        const double far = other == B::cell ? x.cells(o) : blob ? x.extra[e] : 0.0;
        expected.cells(i) += k * (x.cells(i) - far);
        if (blob) expected.extra[e] += k * (far - x.cells(i));
      }
  });
  const double xAx = s.apply_dot(Exec{2}, x, y);
  const double rounding = sizeof(T) == sizeof(float) ? 1e-5 : 1e-12;  // of anchors and links of several faces
  visit(s.grid.cell_range(),
        [&](const Index<D>& i) { ASSERT_NEAR(y.cells(i), expected.cells(i), 100 * rounding); });
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(y.extra[k], expected.extra[k], rounding * 10000);
  EXPECT_NEAR(xAx, s.space().dot(x, y), 1e-12 * xAx);
}

TEST(ExtraUnknowns, AreCellsWithManyFaces) {
  expect_merged_cells<2, double>(33);
  expect_merged_cells<3, double>(20);
  expect_merged_cells<2, float>(40);
}

template <int D>
void expect_symmetric_positive(int n) {
  Blobs<D, double> s(n);
  Multigrid<D, double> M(s.grid);
  M.prepare(Exec{2}, s.stencil, s.extras);
  const CellSpace<D> space = s.space();
  Vector<D> x2 = s.zero_vector(), y2 = s.zero_vector();
  for (int k = 0; k < 5; ++k) {
    Vector<D> x = s.random_vector(), y = s.random_vector();
    // All in the extra unknowns, once: random cells outweigh them.
    if (k == 0) {
      space.zero(x);
      x.extra[0] = 1;
    }
    if (k == 1) {
      space.zero(x);
      space.zero(y);
      x.extra[0] = y.extra[1] = 1;
    }
    s.apply(Exec{2}, x, x2);
    s.apply(Exec{2}, y, y2);
    EXPECT_NEAR(space.dot(x, y2), space.dot(y, x2), 1e-10 * std::sqrt(space.dot(x, x2) * space.dot(y, y2)));
    EXPECT_GT(space.dot(x, x2), 0);
    M.apply(Exec{2}, x, x2);
    M.apply(Exec{2}, y, y2);
    EXPECT_NEAR(space.dot(x, y2), space.dot(y, x2), 1e-10 * std::sqrt(space.dot(x, x2) * space.dot(y, y2)));
    EXPECT_GT(space.dot(x, x2), 0);
    EXPECT_GT(space.dot(y, y2), 0);
  }
}

TEST(ExtraUnknowns, LeaveMatrixAndVCycleSymmetricAndPositive) {
  expect_symmetric_positive<2>(32);
  expect_symmetric_positive<2>(33);
  expect_symmetric_positive<2>(128);
  expect_symmetric_positive<3>(24);
  expect_symmetric_positive<3>(33);
}

// On coarse levels a part of a block may have no other coupling left than that to a ball.
TEST(ExtraUnknowns, LeaveTheVCycleSymmetricWhereWallsCutOffWhatTouchesThem) {
  TiledTank<2, double> tank({163, 150}, {16, 0.1, 0.0, 0.3, 2, ThinWalls::some, 1});
  Multigrid<2, double> M(tank.grid);
  M.prepare(Exec{2}, tank.stencil, tank.extras);
  EXPECT_GT(M.loose_parts(), 1000);
  const CellSpace<2> space = tank.space();
  Vector<2> Mx = tank.zero_vector(), My = tank.zero_vector();
  for (int k = 0; k < 3; ++k) {
    const Vector<2> x = tank.random_vector(), y = tank.random_vector();
    M.apply(Exec{2}, x, Mx);
    M.apply(Exec{2}, y, My);
    const double xMx = space.dot(x, Mx), yMy = space.dot(y, My);
    EXPECT_GT(xMx, 0);
    EXPECT_GT(yMy, 0);
    EXPECT_NEAR(space.dot(x, My), space.dot(y, Mx), 1e-10 * std::sqrt(xMx * yMy));
  }
}

template <int D, class T>
void expect_few_iterations(int n, int at_most) {
  Blobs<D, T> s(n);
  const Vector<D> exact = s.random_vector();
  Vector<D> b = s.zero_vector(), x = s.zero_vector();
  s.apply(Exec{2}, exact, b);
  const SolveReport report = s.solve(b, x, 1e-10, 2);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, at_most) << D << "D, " << n << " cells";
  EXPECT_NEAR(x.extra[0], exact.extra[0], 1e-6);
  EXPECT_NEAR(x.extra[1], exact.extra[1], 1e-6);
  // A random right-hand side holds what is slow.
  const Vector<D> noise = s.random_vector();
  s.space().zero(x);
  const SolveReport slow = s.solve(noise, x, 1e-10, 2);
  EXPECT_TRUE(slow.converged);
  EXPECT_LE(slow.iterations, at_most) << D << "D, " << n << " cells";
}

TEST(ExtraUnknowns, CostConjugateGradientsFewIterationsAtAnyResolution) {
  expect_few_iterations<2, double>(33, 18);
  expect_few_iterations<2, double>(128, 18);
  expect_few_iterations<2, float>(128, 18);
  expect_few_iterations<3, double>(33, 18);
  expect_few_iterations<3, float>(48, 18);
}

template <int D>
void expect_same_bits(int n) {
  Blobs<D, float> s(n);
  const Vector<D> b = s.random_vector();
  Vector<D> expected = s.zero_vector(), x = s.zero_vector(), Ax = s.zero_vector(), Ay = s.zero_vector();
  const SolveReport one = s.solve(b, expected, 1e-8, 1);
  const double dot = s.apply_dot(Exec{1}, expected, Ax);
  for (int threads : {2, 7}) {
    s.space().zero(x);
    const SolveReport many = s.solve(b, x, 1e-8, threads);
    EXPECT_EQ(many.iterations, one.iterations);
    EXPECT_EQ(many.residual, one.residual);
    EXPECT_EQ(s.apply_dot(Exec{threads}, x, Ay), dot);
    visit(s.grid.cell_range(), [&](const Index<D>& i) {
      ASSERT_EQ(x.cells(i), expected.cells(i));
      ASSERT_EQ(Ax.cells(i), Ay.cells(i));
    });
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(x.extra[k], expected.extra[k]);
      EXPECT_EQ(Ax.extra[k], Ay.extra[k]);
    }
  }
}

TEST(ExtraUnknowns, GiveTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits<2>(65);
  expect_same_bits<3>(41);
}

TEST(ExtraUnknowns, ComeAndGoInTheSameMultigrid) {
  // With, without and with them again: as if the last had been alone.
  Blobs<2, double> s(50);
  const Vector<2> r = s.random_vector();
  Vector<2> expected = s.zero_vector(), z = s.zero_vector();
  Multigrid<2, double> fresh(s.grid), used(s.grid);
  fresh.prepare(Exec{}, s.stencil, s.extras);
  fresh.apply(Exec{}, r, expected);
  used.prepare(Exec{}, s.stencil, s.extras);
  used.prepare(Exec{}, s.stencil);
  used.apply(Exec{}, r, z);
  used.prepare(Exec{}, s.stencil, s.extras);
  used.apply(Exec{}, r, z);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { ASSERT_EQ(z.cells(i), expected.cells(i)); });
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(z.extra[k], expected.extra[k]);
}

}  // namespace
}  // namespace glug
