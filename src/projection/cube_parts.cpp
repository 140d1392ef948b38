#include "projection/cube_parts.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"

namespace glug {
namespace {

template <int D>
Index<D> cube_of(const Index<D>& face, int width) {
  Index<D> c = face;
  for (int a = 0; a < D; ++a) c[a] /= width;
  return c;
}

// Of a face among those of its axis in its cube, in the order of visit().
template <int D>
int place_in_cube(const Index<D>& face, int width) {
  int n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * width + face[a] % width;
  return n;
}

}  // namespace

template <int D, class T>
std::size_t CubeParts<D, T>::linear(const Index<D>& at) const {
  std::int64_t n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * grid_[a] + at[a];
  return static_cast<std::size_t>(n);
}

template <int D, class T>
std::int32_t CubeParts<D, T>::number(const Index<D>& at) const {
  for (int a = 0; a < D; ++a)
    if (at[a] < 0 || at[a] >= grid_[a]) return -1;
  return of_[linear(at)];
}

template <int D, class T>
int CubeParts<D, T>::cubes_around(std::int32_t part) const {
  const Index<D> c = cubes_[static_cast<std::size_t>(cube(part))];
  int count = 0;
  visit(Range<D>{c - Index<D>::filled(1), c + Index<D>::filled(2)}, [&](const Index<D>& other) {
    const std::int32_t n = number(other);
    if (n < 0) return;
    bool same = false;
    for (std::int32_t p = begin_[static_cast<std::size_t>(n)]; p < begin_[static_cast<std::size_t>(n) + 1];
         ++p)
      same = same || piece(p) == piece(part);
    count += same;
  });
  return count;
}

template <int D, class T>
std::int32_t CubeParts<D, T>::part_of(int axis, const Index<D>& face) const {
  for (int a = 0; a < D; ++a)
    if (face[a] < 0) return -1;
  const std::int32_t own = number(cube_of<D>(face, width));
  if (own < 0) return -1;
  const std::uint8_t part = local_[static_cast<std::size_t>(own) * faces +
                                   static_cast<std::size_t>(axis * volume + place_in_cube<D>(face, width))];
  return part == none ? -1 : begin_[static_cast<std::size_t>(own)] + part;
}

template <int D, class T>
template <class F>
void CubeParts<D, T>::visit_couplings(const ViscositySystem<D, T>& system, int axis, const Index<D>& i,
                                      F&& f) {
  constexpr double weak = 0.02;
  const double own = system.stencil(axis).read().diagonal(i);
  double most = 0;
  visit_row(system, axis, i, [&](int other_axis, const Index<D>& j, double entry) {
    if (other_axis != axis || j != i) most = std::max(most, std::abs(entry));
  });
  visit_row(system, axis, i, [&](int other_axis, const Index<D>& j, double entry) {
    if (entry == 0 || (other_axis == axis && j == i)) return;
    const double size = std::abs(entry);
    const bool connected =
        size >= most || (size > weak * own && size > weak * system.stencil(other_axis).read().diagonal(j));
    f(other_axis, j, connected);
  });
}

// Only blocks near liquid are looked at. A cube lies in one block.
template <int D, class T>
void CubeParts<D, T>::list_cubes(const Exec& exec, const ViscositySystem<D, T>& system) {
  std::size_t total = 1;
  for (int a = 0; a < D; ++a) {  // the faces along an axis are one more than the cells
    grid_[a] = system.blocks(a).grid.cells[a] / width + 1;
    total *= static_cast<std::size_t>(grid_[a]);
  }
  of_.assign(total, -1);
  cubes_.clear();
  std::int32_t* has = of_.data();
  const auto place = [this](const Index<D>& c) { return linear(c); };
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    const View<D, const T> anchor = system.stencil(axis).read().anchor;
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
      if (anchor(i) > 0) has[place(cube_of<D>(i, width))] = 0;
    });
  }
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
      const Range<D> inside = intersection(blocks.indices(slot), blocks.grid.cell_range());
      if (inside.size() == 0) continue;
      visit(Range<D>{cube_of<D>(inside.lo, width),
                     cube_of<D>(inside.hi - Index<D>::filled(1), width) + Index<D>::filled(1)},
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

template <int D, class T>
int CubeParts<D, T>::find_parts(const ViscositySystem<D, T>& system, std::int32_t own) {
  const Index<D> at = cubes_[static_cast<std::size_t>(own)], lo = at * width;
  int parent[faces];
  const auto place = [&](int axis, const Index<D>& i) -> int {
    for (int a = 0; a < D; ++a)
      if (i[a] < lo[a] || i[a] >= lo[a] + width) return -1;
    return axis * volume + place_in_cube<D>(i, width);
  };
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    const View<D, const T> anchor = system.stencil(axis).read().anchor;
    visit(Range<D>{lo, lo + Index<D>::filled(width)}, [&](const Index<D>& i) {
      const int n = place(axis, i);
      const bool unknown =
          blocks.grid.cell_range().contains(i) && blocks.slot_of_cell(i) >= 0 && anchor(i) > 0;
      parent[n] = unknown ? n : -1;
    });
  }
  const auto root = [&](int n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (int n = 0; n < faces; ++n) {
    if (parent[n] < 0) continue;
    const int axis = n / volume;
    Index<D> i = lo;
    for (int a = 0, rest = n % volume; a < D; ++a, rest /= width) i[a] += rest % width;
    visit_couplings(system, axis, i, [&](int other_axis, const Index<D>& j, bool connected) {
      const int m = connected ? place(other_axis, j) : -1;
      if (m < 0 || parent[m] < 0) return;
      const int p = root(n), q = root(m);
      parent[p > q ? p : q] = p > q ? q : p;
    });
  }
  std::uint8_t* local = local_.data() + static_cast<std::size_t>(own) * faces;
  int count = 0;
  for (int n = 0; n < faces; ++n) {  // a root stands before all it leads
    local[n] = parent[n] < 0 ? none : root(n) == n ? static_cast<std::uint8_t>(count++) : local[root(n)];
  }
  return count;
}

// Parts that are connected, one after another.
template <int D, class T>
void CubeParts<D, T>::join_pieces(const std::vector<std::vector<std::int32_t>>& connected) {
  std::vector<std::int32_t> parent(cube_.size());
  for (std::size_t n = 0; n < parent.size(); ++n) parent[n] = static_cast<std::int32_t>(n);
  const auto root = [&](std::int32_t n) {
    while (parent[static_cast<std::size_t>(n)] != n) {
      std::int32_t& up = parent[static_cast<std::size_t>(n)];
      n = up = parent[static_cast<std::size_t>(up)];
    }
    return n;
  };
  for (std::int32_t n = 0; n < count(); ++n)
    for (std::int32_t m : connected[static_cast<std::size_t>(n)]) {
      const std::int32_t p = root(n), q = root(m);
      parent[static_cast<std::size_t>(std::max(p, q))] = std::min(p, q);
    }
  pieces_ = 0;
  piece_.resize(cube_.size());
  for (std::int32_t n = 0; n < count(); ++n)
    piece_[static_cast<std::size_t>(n)] =
        root(n) == n ? pieces_++ : piece_[static_cast<std::size_t>(root(n))];
}

template <int D, class T>
void CubeParts<D, T>::find_leads() {
  constexpr int few = 12;
  std::vector<int> size(cube_.size(), 0);
  for (std::size_t own = 0; own < cubes_.size(); ++own)
    for (int n = 0; n < faces; ++n)
      if (const std::uint8_t part = local_[own * faces + static_cast<std::size_t>(n)]; part != none)
        ++size[static_cast<std::size_t>(begin_[own] + part)];
  lead_.resize(cube_.size());
  for (std::int32_t part = 0; part < count(); ++part) {
    std::int32_t& lead = lead_[static_cast<std::size_t>(part)];
    lead = part;
    if (size[static_cast<std::size_t>(part)] >= few) continue;
    const std::size_t own = static_cast<std::size_t>(cube(part));
    for (std::int32_t other = begin_[own]; other < begin_[own + 1]; ++other)
      if (piece(other) == piece(part) &&
          size[static_cast<std::size_t>(other)] > size[static_cast<std::size_t>(lead)])
        lead = other;
  }
}

template <int D, class T>
void CubeParts<D, T>::find(const Exec& exec, const ViscositySystem<D, T>& system) {
  list_cubes(exec, system);
  local_.assign(cubes_.size() * faces, none);
  begin_.assign(cubes_.size() + 1, 0);
  for_each_task(exec, static_cast<std::ptrdiff_t>(cubes_.size()), [&](std::ptrdiff_t own) {
    begin_[static_cast<std::size_t>(own) + 1] = find_parts(system, static_cast<std::int32_t>(own));
  });
  cube_.clear();
  for (std::size_t own = 0; own < cubes_.size(); ++own) {
    cube_.insert(cube_.end(), static_cast<std::size_t>(begin_[own + 1]), static_cast<std::int32_t>(own));
    begin_[own + 1] += begin_[own];
  }
  neighbours_.assign(cube_.size(), {});
  std::vector<std::vector<std::int32_t>> connected(cube_.size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(cube_.size()), [&](std::ptrdiff_t n) {
    const std::int32_t part = static_cast<std::int32_t>(n);
    std::vector<std::int32_t>& list = neighbours_[static_cast<std::size_t>(n)];
    std::vector<std::int32_t>& strong = connected[static_cast<std::size_t>(n)];
    const auto add = [](std::vector<std::int32_t>& to, std::int32_t other) {
      if (std::find(to.begin(), to.end(), other) == to.end()) to.push_back(other);
    };
    visit_unknowns(part, [&](int axis, const Index<D>& i) {
      visit_couplings(system, axis, i, [&](int other_axis, const Index<D>& j, bool connects) {
        const std::int32_t other = part_of(other_axis, j);
        if (other < 0 || other == part) return;
        add(list, other);
        if (connects) add(strong, other);
      });
    });
    std::sort(list.begin(), list.end());
  });
  join_pieces(connected);
  find_leads();
}

template class CubeParts<2, float>;
template class CubeParts<2, double>;
template class CubeParts<3, float>;
template class CubeParts<3, double>;

}  // namespace glug
