#include "projection/viscosity_system.h"

#include <algorithm>
#include <cmath>

#include "core/real.h"
#include "core/reduce.h"
#include "projection/viscosity_samples.h"

namespace glug {
namespace {

// A block whose cells are all farther than this from the liquid has no unknowns and no stress.
inline constexpr double reach = 3;  // cells

}  // namespace

template <int D, class T>
ViscositySystem<D, T>::ViscositySystem(const Grid<D>& grid) : common_(grid), rhs_(grid) {
  for (int a = 0; a < D; ++a) {
    const Grid<D> faces = grid_of_faces(grid, a);
    blocks_[a] = Blocks<D>(faces);
    stencil_[a] = Stencil<D, T>(faces);
  }
  Range<D> edges = grid.cell_range().grown(1);
  edges.hi += Index<D>::filled(1);
  for (Field<D, T>& c : cross_) c = Field<D, T>(edges);
}

template <int D, class T>
void ViscositySystem<D, T>::list_blocks(const Exec& exec, const ViscosityInput<D, T>& in) {
  std::vector<std::uint8_t> near(static_cast<std::size_t>(in.blocks.count), 1);
  std::uint8_t* flag = near.data();
  const BlocksView<D> blocks = in.blocks;
  if (!(in.gas_density > 0))
    for_each_block(exec, blocks, [=](std::int32_t slot) {
      double least = HUGE_VAL;
      visit(intersection(blocks.indices(slot), in.grid.cell_range()),
            [&](const Index<D>& i) { least = in.phi(i) < least ? static_cast<double>(in.phi(i)) : least; });
      // A block that only holds the last faces of the domain has no cell to tell.
      flag[slot] = least == HUGE_VAL || least < reach * in.grid.h;
    });
  const auto assign = [&](Blocks<D>& list) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(list.total()), 0);
    const BlocksView<D> own = list.view();
    for (std::int32_t slot = 0; slot < blocks.count; ++slot)
      flags[static_cast<std::size_t>(own.linear(blocks.coordinates(blocks.ids[slot])))] = flag[slot];
    list.assign(flags);
  };
  assign(common_);
  for (Blocks<D>& list : blocks_) assign(list);
}

template <int D, class T>
void ViscositySystem<D, T>::couple_components(const Exec& exec, const ViscositySamples<D, T>& samples) {
  const BlocksView<D> blocks = common_.view();
  for (int a = 0; a < D; ++a)
    for (int b = a + 1; b < D; ++b) {
      const int kind = edge_kind<D>(a, b);
      const View<D, T> cross = cross_[kind].view();
      const Range<D> range{Index<D>{}, samples.in.grid.cells + Index<D>::unit(a) + Index<D>::unit(b)};
      crossed_[kind].change(exec, blocks, range, [=](const Index<D>& i) { cross(i) = 0; });
      for_each_cell(exec, blocks, range, [=](const Index<D>& i) {
        if (samples.deep(i)) {
          cross(i) = static_cast<T>(samples.deep_stiffness());
          return;
        }
        cross(i) = static_cast<T>(samples.across_edge(a, b, i));
      });
    }
}

template <int D, class T>
void ViscositySystem<D, T>::write_component(const Exec& exec, const ViscositySamples<D, T>& samples,
                                            int axis) {
  const BlocksView<D> blocks = blocks_[axis].view();
  stencil_[axis].relist(exec, blocks);
  rhs_[axis].restrict_to(exec, blocks);
  const StencilView<D, T> A = stencil_[axis].view();
  const View<D, double> b = rhs_[axis].cells.view();
  const View<D, const T> u = samples.in.velocity[axis];
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
    if (samples.deep(i)) {
      A.anchor(i) = 1;
      for (int c = 0; c < D; ++c)
        A.coupling[c](i) = static_cast<T>((c == axis ? 2 : 1) * samples.deep_stiffness());
      b(i) = u(i);
      return;
    }
    A.anchor(i) = 0;
    for (int c = 0; c < D; ++c) A.coupling[c](i) = 0;
    b(i) = 0;
    if (samples.held(axis, i)) return;
    double anchor = 0;
    bool stressed = false;
    for (int along = 0; along < D; ++along)
      for (int high = 0; high < 2; ++high) {
        const Index<D> upper = high ? i + Index<D>::unit(along) : i;
        const double w = samples.between(axis, along, upper);
        if (!(w > 0)) continue;
        stressed = true;
        const Index<D> neighbour = high ? upper : i - Index<D>::unit(along);
        if (samples.held(axis, neighbour)) {
          const double slope = samples.slope(axis, along, upper);
          anchor += w * slope * slope;
        } else if (!high) {
          A.coupling[along](i) = static_cast<T>(w);
        }
      }
    if (!stressed) return;
    const double mass = samples.mass(axis, i);
    const double kept = mass < least_viscous_share ? least_viscous_share : mass;
    A.anchor(i) = static_cast<T>(anchor + kept);
    b(i) = kept * u(i);
  });
  stencil_[axis].find_row_kinds(exec);
}

// (V5) What cells that walls cut couple besides.
template <int D, class T>
void ViscositySystem<D, T>::list_cut_cells(const Exec& exec, const ViscositySamples<D, T>& samples,
                                           int axis) {
  std::vector<CutRow>& list = cut_[axis].host;
  list.clear();
  if (D == 2 || !samples.in.sticky.data) return;
  const BlocksView<D> blocks = blocks_[axis].view();
  const View<D, const T> anchor = stencil_[axis].read().anchor;
  std::vector<std::vector<CutRow>> rows(static_cast<std::size_t>(blocks.count));
  for_each_block(exec, blocks, [&](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), blocks.grid.cell_range()), [&](const Index<D>& i) {
      if (samples.deep(i) || !(anchor(i) > 0)) return;
      CutRow row{i, {}, {}};
      bool any = false;
      for (int b = 0; b < D; ++b) {
        if (b == axis) continue;
        row.below[b] = static_cast<T>(samples.across_cell(axis, b, i - Index<D>::unit(axis)));
        row.above[b] = static_cast<T>(samples.across_cell(axis, b, i));
        any = any || row.below[b] != 0 || row.above[b] != 0;
      }
      if (any) rows[static_cast<std::size_t>(slot)].push_back(row);
    });
  });
  for (const std::vector<CutRow>& of_block : rows) list.insert(list.end(), of_block.begin(), of_block.end());
  cut_[axis].publish(exec);
}

// (V6) What walls in motion add.
template <int D, class T>
void ViscositySystem<D, T>::add_walls(const Exec& exec, const ViscositySamples<D, T>& samples, int axis) {
  const BlocksView<D> blocks = blocks_[axis].view();
  const View<D, const T> anchor = stencil_[axis].read().anchor;
  const View<D, double> rhs = rhs_[axis].cells.view();
  const auto wall_step = [=](int a, int b, const Index<D>& i) { return samples.wall_step(a, b, i); };
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
    if (!(anchor(i) > 0) || samples.deep(i)) return;
    for (int along = 0; along < D; ++along)
      for (int high = 0; high < 2; ++high) {
        const Index<D> upper = high ? i + Index<D>::unit(along) : i;
        const double pull = samples.pull(axis, along, upper, wall_step);
        rhs(i) += high ? pull : -pull;
      }
  });
}

template <int D, class T>
void ViscositySystem<D, T>::build(const Exec& exec, const ViscosityInput<D, T>& input) {
  const ViscositySamples<D, T> samples{input};
  stiffness_ = samples.deep_stiffness();
  list_blocks(exec, input);
  couple_components(exec, samples);
  unknowns_ = 0;
  for (int a = 0; a < D; ++a) {
    write_component(exec, samples, a);
    list_cut_cells(exec, samples, a);
    const View<D, const T> anchor = stencil_[a].read().anchor;
    const BlocksView<D> blocks = blocks_[a].view();
    unknowns_ += reduce_cells(exec, blocks, blocks.grid.cell_range(), std::int64_t{0}, Plus{},
                              [=](const Index<D>& i) { return std::int64_t{anchor(i) > 0}; });
  }
  momentum_ = space(exec).norm(rhs_);
  if (!input.solid_velocity[0].data) return;
  double fastest = 0;
  for (int a = 0; a < D; ++a) {
    const View<D, const T> us = input.solid_velocity[a];
    fastest = reduce_cells(
        exec, common_.view(), input.grid.face_range(a), fastest, Maximum{},
        [=](const Index<D>& i) { return samples.held(a, i) ? std::abs(static_cast<double>(us(i))) : 0.0; });
  }
  if (fastest == 0) return;
  for (int a = 0; a < D; ++a) add_walls(exec, samples, a);
  momentum_ = std::hypot(momentum_, fastest * std::sqrt(static_cast<double>(unknowns_)));
}

template <int D, class T>
void ViscositySystem<D, T>::extend_rhs(const double* values, std::size_t count) {
  rhs_[0].extra = Buffer<double>(count);
  std::copy(values, values + count, rhs_[0].extra.data());
}

template <int D, class T>
MacSpace<D> ViscositySystem<D, T>::space(const Exec& exec) const {
  MacSpace<D> s{exec, {}};
  for (int a = 0; a < D; ++a) s.part[a] = {exec, blocks_[a].view(), stencil_[a].row_kinds()};
  return s;
}

// (V5)
template <int D, class T>
void ViscositySystem<D, T>::apply(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const {
  for (int a = 0; a < D; ++a) {
    stencil_[a].apply(exec, x[a], y[a]);
    const View<D, const T> anchor = stencil_[a].read().anchor;
    const View<D, double> ya = y[a].cells.view();
    for (int b = 0; b < D; ++b) {
      if (b == a) continue;
      const View<D, const T> cross = cross_[edge_kind<D>(a, b)].read();
      const View<D, const double> xb = x[b].cells.read();
      const std::ptrdiff_t below = xb.stride[a], above = xb.stride[b], next = cross.stride[b];
      for_each_stretch(exec, blocks_[a].view(), blocks_[a].view().grid.cell_range(), stencil_[a].row_kinds(),
                       [=](const Index<D>& first, int n) {
                         const double* v = &xb(first);
                         const T* c = &cross(first);
                         const T* own = &anchor(first);
                         double* out = &ya(first);
                         for (int k = 0; k < n; ++k) {
                           const double low = c[k] * (v[k] - v[k - below]);
                           const double high = c[k + next] * (v[k + above] - v[k + above - below]);
                           out[k] += own[k] > 0 ? low - high : 0;
                         }
                       });
    }
  }
  for (int a = 0; D == 3 && a < D; ++a) {
    const CutRow* rows = cut_[a].data();
    const View<D, double> ya = y[a].cells.view();
    std::array<View<D, const double>, D> in;
    for (int b = 0; b < D; ++b) in[b] = x[b].cells.read();
    for_each(exec, static_cast<std::ptrdiff_t>(cut_[a].size()), [=](std::ptrdiff_t n) {
      const CutRow row = rows[n];
      double sum = 0;
      for (int b = 0; b < D; ++b) {
        if (b == a) continue;
        const Index<D> up = Index<D>::unit(b), below = row.face - Index<D>::unit(a);
        sum += row.below[b] * (in[b](below + up) - in[b](below));
        sum -= row.above[b] * (in[b](row.face + up) - in[b](row.face));
      }
      ya(row.face) += sum;
    });
  }
}

template <int D, class T>
double ViscositySystem<D, T>::apply_dot(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const {
  apply(exec, x, y);
  return space(exec).dot(x, y);
}

template <int D, class T>
double viscous_wall_work(const Exec& exec, const ViscosityInput<D, T>& input, const MacVector<D>& x) {
  if (!input.solid_velocity[0].data) return 0;
  const ViscositySamples<D, T> samples{input};
  std::array<View<D, const double>, D> motion;
  for (int a = 0; a < D; ++a) motion[a] = x[a].cells.read();
  // As seen from walls: x is 0 where one says how a face moves.
  const auto step = [=](int a, int b, const Index<D>& i) {
    return samples.wall_step(a, b, i) + motion[a](i) - motion[a](i - Index<D>::unit(b));
  };
  Range<D> range = input.grid.cell_range();
  range.hi += Index<D>::filled(1);
  double work = 0;
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b)
      work += reduce_cells(exec, input.blocks, range, 0.0, Plus{}, [=](const Index<D>& i) {
        const double wall = samples.wall_step(a, b, i);
        return wall == 0 ? 0.0 : wall * samples.pull(a, b, i, step);
      });
  return work * input.density * input.grid.cell_volume();
}

#define GLUG_INSTANTIATE(D, T)          \
  template class ViscositySystem<D, T>; \
  template double viscous_wall_work<D, T>(const Exec&, const ViscosityInput<D, T>&, const MacVector<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
