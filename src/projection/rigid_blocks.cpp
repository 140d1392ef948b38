#include "projection/rigid_blocks.h"

#include <algorithm>

#include "core/for_each.h"

namespace glug {
namespace {

constexpr int cube_width = 4;  // cells; with 8 a rope takes half as many iterations more

// Liquid is thin where cubes and their neighbours are at most this share of what there could be: ropes 5 and
// 7 cells thick have 0.5 and 0.7, a tank of 64 cells 0.9.
constexpr double thin_share = 0.8;
// The factorisation may cost this many operations for each unknown: some five multigrid cycles.
constexpr double most_work = 1000;

template <int D>
Index<D> cube_of(const Index<D>& face) {
  Index<D> c = face;
  for (int a = 0; a < D; ++a) c[a] /= cube_width;
  return c;
}

// How fast a face of an axis moves in each of its cube's motions; lengths in cells.
template <int D>
void motions_of(int axis, const Index<D>& face, double* m) {
  constexpr int count = D + D * (D - 1) / 2;
  for (int k = 0; k < count; ++k) m[k] = 0;
  m[axis] = 1;
  Vec<D, double> x{};  // from the cube's middle
  for (int a = 0; a < D; ++a) x[a] = face[a] % cube_width + (a == axis ? 0.0 : 0.5) - 0.5 * cube_width;
  int turn = D;
  for (int p = 0; p < D; ++p)
    for (int q = p + 1; q < D; ++q, ++turn) m[turn] = axis == p ? -x[q] : axis == q ? x[p] : 0;
}

// f(axis, face) for the unknowns of a cube.
template <int D, class T, class F>
void visit_unknowns(const ViscositySystem<D, T>& system, const Index<D>& cube, F&& f) {
  const Index<D> low = cube * cube_width;
  for (int a = 0; a < D; ++a) {
    const View<D, const T> anchor = system.stencil(a).read().anchor;
    const BlocksView<D> blocks = system.blocks(a);
    visit(intersection(Range<D>{low, low + Index<D>::filled(cube_width)}, blocks.grid.cell_range()),
          [&](const Index<D>& i) {
            if (blocks.slot_of_cell(i) >= 0 && anchor(i) > 0) f(a, i);
          });
  }
}

// f(axis, face, entry) over the row of A that a face has.
template <int D, class T, class F>
void visit_row(const ViscositySystem<D, T>& system, int axis, const Index<D>& i, F&& f) {
  const StencilView<D, const T> A = system.stencil(axis).read();
  f(axis, i, A.diagonal(i));
  for (int c = 0; c < D; ++c) {
    const Index<D> step = Index<D>::unit(c);
    f(axis, i - step, -static_cast<double>(A.coupling[c](i)));
    f(axis, i + step, -static_cast<double>(A.coupling[c](i + step)));
    if (c == axis) continue;
    // (V5) Edges i and i + step, each with the two faces of axis c across it.
    const View<D, const T> cross = system.cross(edge_kind<D>(axis, c));
    const Index<D> across = Index<D>::unit(axis);
    const double low = cross(i), high = cross(i + step);
    f(c, i, low);
    f(c, i - across, -low);
    f(c, i + step, -high);
    f(c, i + step - across, high);
  }
}

}  // namespace

template <int D, class T>
std::int32_t RigidBlocks<D, T>::number(const Index<D>& at) const {
  std::int64_t n = 0;
  for (int a = D - 1; a >= 0; --a) {
    if (at[a] < 0 || at[a] >= grid_.cells[a]) return -1;
    n = n * grid_.cells[a] + at[a];
  }
  return of_[static_cast<std::size_t>(n)];
}

// Only blocks near liquid are looked at. A cube lies in one block.
template <int D, class T>
void RigidBlocks<D, T>::list_cubes(const Exec& exec, const ViscositySystem<D, T>& system) {
  grid_.h = 1;
  std::size_t total = 1;
  for (int a = 0; a < D; ++a) {  // the faces along an axis are one more than the cells
    grid_.cells[a] = system.blocks(a).grid.cells[a] / cube_width + 1;
    total *= static_cast<std::size_t>(grid_.cells[a]);
  }
  of_.assign(total, -1);
  cubes_.clear();
  const Index<D> cubes = grid_.cells;
  const auto linear = [=](const Index<D>& c) {
    std::int64_t n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * cubes[a] + c[a];
    return static_cast<std::size_t>(n);
  };
  std::int32_t* has = of_.data();
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    const View<D, const T> anchor = system.stencil(axis).read().anchor;
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
      if (anchor(i) > 0) has[linear(cube_of<D>(i))] = 0;
    });
  }
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
      const Range<D> faces = intersection(blocks.indices(slot), blocks.grid.cell_range());
      if (faces.size() == 0) continue;
      visit(Range<D>{cube_of<D>(faces.lo), cube_of<D>(faces.hi - Index<D>::filled(1)) + Index<D>::filled(1)},
            [&](const Index<D>& c) {
              if (std::int32_t& n = of_[linear(c)]; n == 0) {
                n = 1 + static_cast<std::int32_t>(cubes_.size());  // numbered from 1 while 0 means new
                cubes_.push_back(c);
              }
            });
    }
  }
  for (const Index<D>& c : cubes_) --of_[linear(c)];
}

// Cuthill and McKee's order: outwards from the first cube of each piece of liquid.
template <int D, class T>
double RigidBlocks<D, T>::order_cubes() {
  const auto visit_neighbours = [&](std::int32_t k, auto&& f) {
    const Index<D> c = cubes_[static_cast<std::size_t>(k)];
    visit(Range<D>{c - Index<D>::filled(1), c + Index<D>::filled(2)}, [&](const Index<D>& other) {
      if (const std::int32_t n = number(other); n >= 0) f(n);
    });
  };
  std::vector<std::int32_t> order, place(cubes_.size(), -1);
  for (std::int32_t start = 0; start < static_cast<std::int32_t>(cubes_.size()); ++start) {
    if (place[static_cast<std::size_t>(start)] >= 0) continue;
    std::size_t next = order.size();
    place[static_cast<std::size_t>(start)] = static_cast<std::int32_t>(next);
    order.push_back(start);
    for (; next < order.size(); ++next)
      visit_neighbours(order[next], [&](std::int32_t n) {
        if (place[static_cast<std::size_t>(n)] >= 0) return;
        place[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(order.size());
        order.push_back(n);
      });
  }
  std::vector<Index<D>> ordered;
  for (std::int32_t k : order) ordered.push_back(cubes_[static_cast<std::size_t>(k)]);
  for (std::int32_t& n : of_)
    if (n >= 0) n = place[static_cast<std::size_t>(n)];
  cubes_.swap(ordered);
  first_.resize(cubes_.size());
  double work = 0;
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(cubes_.size()); ++k) {
    std::int32_t lowest = k;
    visit_neighbours(k, [&](std::int32_t n) { lowest = std::min(lowest, n); });
    first_[static_cast<std::size_t>(k)] = lowest;
    const double width = motions * (k - lowest + 1.0);
    work += motions * width * width;
  }
  return work;
}

// Rows of different cubes by different threads: the factor has a row for each motion of each cube.
template <int D, class T>
void RigidBlocks<D, T>::assemble(const Exec& exec, const ViscositySystem<D, T>& system) {
  std::vector<std::int32_t> first;
  for (std::size_t k = 0; k < cubes_.size(); ++k)
    for (int m = 0; m < motions; ++m) first.push_back(motions * first_[k]);
  factor_.resize(first);
  for_each_task(exec, static_cast<std::ptrdiff_t>(cubes_.size()), [&](std::ptrdiff_t cube) {
    const std::int32_t own = static_cast<std::int32_t>(cube);
    visit_unknowns(system, cubes_[static_cast<std::size_t>(cube)], [&](int axis, const Index<D>& i) {
      double here[motions], there[motions];
      motions_of<D>(axis, i, here);
      visit_row(system, axis, i, [&](int other_axis, const Index<D>& j, double entry) {
        if (entry == 0) return;
        const BlocksView<D> blocks = system.blocks(other_axis);
        if (!blocks.grid.cell_range().contains(j) || blocks.slot_of_cell(j) < 0 ||
            !(system.stencil(other_axis).read().anchor(j) > 0))
          return;
        const std::int32_t other = number(cube_of<D>(j));
        if (other < 0 || other > own) return;  // the lower triangle alone
        motions_of<D>(other_axis, j, there);
        for (int m = 0; m < motions; ++m)
          for (int n = 0; n < (other == own ? m + 1 : motions); ++n)
            factor_.at(motions * own + m, motions * other + n) += entry * here[m] * there[n];
      });
    });
  });
  factor_.factorise();
  x_.resize(first.size());
}

template <int D, class T>
void RigidBlocks<D, T>::prepare(const Exec& exec, const ViscositySystem<D, T>& system) {
  list_cubes(exec, system);
  std::int64_t neighbours = 0;
  for (const Index<D>& c : cubes_)
    visit(Range<D>{c - Index<D>::filled(1), c + Index<D>::filled(2)},
          [&](const Index<D>& other) { neighbours += number(other) >= 0; });
  const double possible = static_cast<double>(cubes_.size()) * power(3, D);
  if (static_cast<double>(neighbours) > thin_share * possible ||
      order_cubes() > most_work * static_cast<double>(system.unknowns()))
    cubes_.clear();
  if (!cubes_.empty()) assemble(exec, system);
}

template <int D, class T>
void RigidBlocks<D, T>::add(const Exec& exec, const ViscositySystem<D, T>& system, const MacVector<D>& r,
                            MacVector<D>& z) {
  for_each_task(exec, static_cast<std::ptrdiff_t>(cubes_.size()), [&](std::ptrdiff_t cube) {
    double sum[motions] = {}, m[motions];
    visit_unknowns(system, cubes_[static_cast<std::size_t>(cube)], [&](int axis, const Index<D>& i) {
      motions_of<D>(axis, i, m);
      for (int k = 0; k < motions; ++k) sum[k] += m[k] * r[axis].cells(i);
    });
    for (int k = 0; k < motions; ++k) x_[static_cast<std::size_t>(motions * cube + k)] = sum[k];
  });
  factor_.solve(x_.data());
  for_each_task(exec, static_cast<std::ptrdiff_t>(cubes_.size()), [&](std::ptrdiff_t cube) {
    double m[motions];
    visit_unknowns(system, cubes_[static_cast<std::size_t>(cube)], [&](int axis, const Index<D>& i) {
      motions_of<D>(axis, i, m);
      double sum = 0;
      for (int k = 0; k < motions; ++k) sum += m[k] * x_[static_cast<std::size_t>(motions * cube + k)];
      z[axis].cells(i) += sum;
    });
  });
}

template class RigidBlocks<2, float>;
template class RigidBlocks<2, double>;
template class RigidBlocks<3, float>;
template class RigidBlocks<3, double>;

}  // namespace glug
