#include "projection/stream_system.h"

#include <algorithm>

#include "core/reduce.h"
#include "projection/curl_of_curl.h"
#include "projection/face.h"

namespace glug {
namespace {

// How much edges of a kind that follow each other are coupled beside surfaces and solids, where it is 1 among
// whole faces. 0.1 to 1 differ by an iteration; 0 would let coarse grids fall apart into planes.
constexpr double soft = 0.3;

}  // namespace

template <int D, class T>
StreamSystem<D, T>::StreamSystem(const Grid<D>& grid)
    : grid_(grid),
      common_(grid),
      mass_(grid, 1),
      momentum_(grid, 1),
      inner_(grid.node_range().grown(1)),
      cut_(grid.node_range().grown(1)) {
  if constexpr (D == 3)
    for (Field<D, double>& psi : spread_) psi = Field<D, double>(grid.node_range().grown(1));
  for (int k = 0; k < kinds; ++k) {
    blocks_[static_cast<std::size_t>(k)] = Blocks<D>(grid_of_edges(grid, k));
    stencil_[static_cast<std::size_t>(k)] = Stencil<D, T>(grid_of_edges(grid, k));
  }
}

// (Q2)
template <int D, class T>
void StreamSystem<D, T>::find_masses(const Exec& exec, const ProjectionInput<D, T>& in) {
  for (int a = 0; a < D; ++a) {
    const View<D, T> mass = mass_[a].view();
    const View<D, T> momentum = momentum_[a].view();
    weighed_[static_cast<std::size_t>(a)].change(exec, in.blocks, grid_.face_range(a),
                                                 [=](const Index<D>& i) { mass(i) = momentum(i) = 0; });
    for_each_cell(exec, in.blocks, grid_.face_range(a), [=](const Index<D>& i) {
      const Face<T> face = face_at(in, 1.0, a, i);
      mass(i) = face.valid() ? static_cast<T>(face.mass / face.open) : T(0);
    });
  }
}

template <int D, class T>
void StreamSystem<D, T>::list_blocks(const Exec& exec, const BlocksView<D>& blocks) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(common_.total()), 0);
  std::uint8_t* flag = flags.data();
  const MacView<D, const T> mass = mass_.read();
  const Grid<D> grid = grid_;
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    bool any = false;
    for (int a = 0; a < D && !any; ++a)
      visit(intersection(blocks.indices(slot), grid.face_range(a)),
            [&](const Index<D>& i) { any |= mass[a](i) > 0; });
    flag[blocks.ids[slot]] = any;
  });
  common_.assign(flags);
  const Blocks<D> wide = common_.dilated(1);
  std::fill(flags.begin(), flags.end(), std::uint8_t{0});
  for (std::int32_t id : wide.ids())
    flags[static_cast<std::size_t>(id)] = blocks.slots[id] >= 0;  // beyond them lies no edge of the liquid
  common_.assign(flags);
  const BlocksView<D> near = common_.view();
  for (Blocks<D>& list : blocks_) {
    const BlocksView<D> own = list.view();
    std::vector<std::uint8_t> of_kind(static_cast<std::size_t>(list.total()), 0);
    for (std::int32_t slot = 0; slot < near.count; ++slot)
      of_kind[static_cast<std::size_t>(own.linear(near.coordinates(near.ids[slot])))] = 1;
    list.assign(of_kind);
  }
}

template <int D, class T>
void StreamSystem<D, T>::sort_nodes(const Exec& exec, const ProjectionInput<D, T>& in) {
  const View<D, std::uint8_t> inner = inner_.view(), cut = cut_.view();
  const MacView<D, const T> mass = mass_.read();
  const Grid<D> grid = grid_;
  nodes_known_.change(exec, common_.view(), grid_.node_range(),
                      [=](const Index<D>& i) { inner(i) = cut(i) = 0; });
  for_each_cell(exec, common_.view(), grid_.node_range(), [=](const Index<D>& i) {
    bool whole = true, closed = true;  // what is not whole
    for (int axis = 0; axis < D; ++axis) {
      const Index<D> a = Index<D>::unit((axis + 1) % D), b = Index<D>::unit((axis + 2) % D);
      for (const Index<D>& face : {i, i - a, i - b, i - a - b}) {
        if (mass[axis](face) == 1) continue;
        whole = false;
        closed &= !grid.face_range(axis).contains(face) || !(in.open[axis](face) > 0);
      }
    }
    inner(i) = whole;
    cut(i) = !closed;
  });
}

template <int D, class T>
void StreamSystem<D, T>::write_stencil(const Exec& exec, int kind) {
  const std::size_t k = static_cast<std::size_t>(kind);
  const BlocksView<D> blocks = blocks_[k].view();
  stencil_[k].relist(exec, blocks);
  const StencilView<D, T> A = stencil_[k].view();
  const MacView<D, const T> mass = mass_.read();
  const View<D, const std::uint8_t> bound = solids_->bound(kind), inner = inner_.read();
  const Index<D> own = Index<D>::unit(kind);
  const auto is_unknown = [=](const Index<D>& i) {
    if (bound(i)) return false;
    bool any = false;
    visit_faces_of_edge<D>(kind, i,
                           [&](int axis, const Index<D>& face, int) { any |= mass[axis](face) > 0; });
    return any;
  };
  const auto beside_bound = [=](const Index<D>& i) {
    const Index<D> a = Index<D>::unit(edge_term<D>(kind, 0).along),
                   b = Index<D>::unit(edge_term<D>(kind, 1).along);
    return bound(i - a) | bound(i + a) | bound(i - b) | bound(i + b);
  };
  if constexpr (D == 3) {
    const View<D, double> psi = spread_[k].view();
    spread_known_[k].change(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) { psi(i) = 0; });
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) { psi(i) = 0; });
  }
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
    A.anchor(i) = 0;
    const bool is_plain = D == 3 && inner(i) && inner(i + own) && !beside_bound(i);
    for (int a = 0; a < D; ++a) A.coupling[a](i) = is_plain;
    if (is_plain || !is_unknown(i)) return;
    double anchor = 0;
    for (int n = 0; n < 2; ++n) {
      const EdgeTerm t = edge_term<D>(kind, n);
      const Index<D> step = Index<D>::unit(t.along);
      const T low = mass[t.axis](i - step), high = mass[t.axis](i);
      if (bound(i - step))
        anchor += low;
      else
        A.coupling[t.along](i) = low;
      if (bound(i + step)) anchor += high;
    }
    A.anchor(i) = static_cast<T>(anchor);
    if (D == 3 && i[kind] > 0 && is_unknown(i - own)) A.coupling[kind](i) = inner(i) ? T(1) : T(soft);
  });
  stencil_[k].find_row_kinds(exec);
}

template <int D, class T>
void StreamSystem<D, T>::build(const Exec& exec, const ProjectionInput<D, T>& input,
                               const StreamSolids<D>& solids) {
  solids_ = &solids;
  find_masses(exec, input);
  list_blocks(exec, input.blocks);
  sort_nodes(exec, input);
  for (int k = 0; k < kinds; ++k) {
    write_stencil(exec, k);
    packed_[static_cast<std::size_t>(k)].assign(exec, stencil(k), {}, {}, {});
  }
  columns_.assign(grid_, solids, mass_.read(), packed_);
}

// (Q3)
template <int D, class T>
void StreamSystem<D, T>::find_rhs(const Exec& exec, const ProjectionInput<D, T>& in, StreamVector<D>& b) {
  const MacView<D, const T> mass = mass_.read();
  for (int a = 0; a < D; ++a) {
    const View<D, T> momentum = momentum_[a].view();
    for_each_cell(exec, in.blocks, grid_.face_range(a), [=](const Index<D>& i) {
      const double m = mass[a](i);
      if (!(m > 0)) {
        momentum(i) = 0;
        return;
      }
      const double w = in.open[a](i);
      double flux = w * in.velocity[a](i);
      if (in.solid_velocity[a].data) flux += (1 - w) * in.solid_velocity[a](i);
      momentum(i) = static_cast<T>(m * flux);
    });
  }
  const MacView<D, const T> momentum = momentum_.read();
  for (int k = 0; k < kinds; ++k) {
    double* out = b[k].cells.data();
    packed(k).stencil().visit_runs(exec, [=](const Index<D>& first, const PackedRun& run, int colour) {
      const EdgeTerm t = edge_term<D>(k, 0), s = edge_term<D>(k, 1);
      const T *p = &momentum[t.axis](first), *p_low = p - momentum[t.axis].stride[t.along];
      const T *q = &momentum[s.axis](first), *q_low = q - momentum[s.axis].stride[s.along];
      for (int n = 0; n < run.count; ++n)
        out[run.place[n % 2 ? 1 - colour : colour] + n / 2] =
            t.sign * (static_cast<double>(p_low[n]) - p[n]) + s.sign * (static_cast<double>(q_low[n]) - q[n]);
    });
  }
  columns_.add_rhs(momentum, b);
}

template <int D, class T>
double StreamSystem<D, T>::apply_dot(const Exec& exec, const StreamVector<D>& x, StreamVector<D>& y) const {
  double dot = 0;
  if constexpr (D == 2) {
    dot = packed(0).stencil().apply_dot(exec, x[0].cells.data(), y[0].cells.data());
  } else {
    StreamView<D> psi;
    for (int k = 0; k < kinds; ++k) {
      Field<D, double>& to = spread_[static_cast<std::size_t>(k)];
      packed(k).stencil().unpack(exec, x[k].cells.data(), to.view());
      psi[static_cast<std::size_t>(k)] = to.read();
    }
    for (int k = 0; k < kinds; ++k)
      dot += curl_of_curl(exec, packed(k).stencil(), k, psi, mass_.read(), y[k].cells.data());
  }
  return dot + columns_.apply(x, y);
}

template <int D, class T>
StreamSpace<D> StreamSystem<D, T>::space(const Exec& exec) const {
  StreamSpace<D> s{exec, {}};
  for (int k = 0; k < kinds; ++k) s.kind[static_cast<std::size_t>(k)] = packed(k).space(exec);
  return s;
}

template <int D, class T>
void StreamSystem<D, T>::list_band(const Exec& exec, StreamBand<D, T>& band) const {
  std::array<BlocksView<D>, kinds> blocks;
  for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k] = blocks_[k].view();
  band.assign(exec, blocks, packed_, mass_.read(), cut_.read());
}

template <int D, class T>
void StreamSystem<D, T>::fit(StreamVector<D>& x) const {
  for (int k = 0; k < kinds; ++k) packed(k).fit(x[k]);
  x.columns() = Buffer<double>(columns_.count());
}

template <int D, class T>
void StreamSystem<D, T>::gather(const Exec& exec, const StreamFunction<D>& psi, StreamVector<D>& x) const {
  for (int k = 0; k < kinds; ++k)
    packed(k).stencil().pack(exec, psi.kind[static_cast<std::size_t>(k)].cells.read(), x[k].cells.data());
  for (std::size_t n = 0; n < columns_.count(); ++n) {
    x.columns()[n] = 0;
    for (const StreamColumn& c : psi.columns)
      if (c.key == solids_->keys()[n]) x.columns()[n] = c.value;
  }
}

template <int D, class T>
void StreamSystem<D, T>::scatter(const Exec& exec, const StreamVector<D>& x, StreamFunction<D>& psi) const {
  for (int k = 0; k < kinds; ++k) {
    Vector<D>& to = psi.kind[static_cast<std::size_t>(k)];
    const BlocksView<D> blocks = blocks_[static_cast<std::size_t>(k)].view();
    to.restrict_to(exec, blocks);
    CellSpace<D>{exec, blocks, nullptr}.zero(to);
    packed(k).stencil().unpack(exec, x[k].cells.data(), to.cells.view());
  }
  const auto add = [&](const std::vector<SolidEdge<D>>& edges, double factor) {
    for (const SolidEdge<D>& e : edges) {
      const std::size_t k = static_cast<std::size_t>(e.kind);
      if (blocks_[k].view().slot_of_cell(e.edge) >= 0) psi.kind[k].cells(e.edge) += factor * e.value;
    }
  };
  add(solids_->known(), 1);
  psi.columns.clear();
  for (std::size_t n = 0; n < columns_.count(); ++n) {
    add(solids_->columns()[n], x.columns()[n]);
    psi.columns.push_back({solids_->keys()[n], x.columns()[n]});
  }
}

template <int D, class T>
std::int64_t StreamSystem<D, T>::unknowns() const {
  std::int64_t n = static_cast<std::int64_t>(columns_.count());
  for (int k = 0; k < kinds; ++k) n += packed(k).stencil().unknowns();
  return n;
}

template <int D, class T>
double write_stream_velocity(const Exec& exec, const ProjectionInput<D, T>& in,
                             const StreamSystem<D, T>& system, const StreamView<D>& psi,
                             MacView<D, T> velocity, MacView<D, std::uint8_t> layer) {
  const MacView<D, const T> mass = system.mass();
  double work = 0;
  for (int a = 0; a < D; ++a)
    work += reduce_cells(exec, in.blocks, in.grid.face_range(a), 0.0, Plus{}, [=](const Index<D>& i) {
      const double m = mass[a](i), w = in.open[a](i);
      layer[a](i) = m > 0;
      if (!(m > 0)) return 0.0;
      double flux = curl_at<D>(psi, a, i);
      if (in.solid_velocity[a].data) flux -= (1 - w) * in.solid_velocity[a](i);
      const double before = velocity[a](i), after = flux / w;
      velocity[a](i) = static_cast<T>(after);
      return m * w * w * after * (after - before);
    });
  return work * in.density * in.grid.cell_volume();
}

#define GLUG_INSTANTIATE(D, T)                                                                 \
  template class StreamSystem<D, T>;                                                           \
  template double write_stream_velocity<D, T>(const Exec&, const ProjectionInput<D, T>&,       \
                                              const StreamSystem<D, T>&, const StreamView<D>&, \
                                              MacView<D, T>, MacView<D, std::uint8_t>);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
