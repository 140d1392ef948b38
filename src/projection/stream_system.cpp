#include "projection/stream_system.h"

#include <algorithm>

#include "core/reduce.h"
#include "projection/face.h"

namespace glug {
namespace {

// Along its own direction the stencil, not A, couples edges of a kind beside nodes with r = 0 this much. It
// is the part of the preconditioner that says: psi is smooth there too. 0 to 1 all work; 0 would let coarse
// grids fall apart into planes.
constexpr double soft = 0.3;

}  // namespace

template <int D, class T>
StreamSystem<D, T>::StreamSystem(const Grid<D>& grid)
    : grid_(grid), common_(grid), mass_(grid, 1), momentum_(grid, 1), inner_(grid.node_range().grown(1)) {
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
void StreamSystem<D, T>::find_inner_nodes(const Exec& exec) {
  if (D == 2) return;
  const View<D, std::uint8_t> inner = inner_.view();
  const MacView<D, const T> mass = mass_.read();
  const Range<D> nodes = grid_.node_range();
  inner_known_.change(exec, common_.view(), nodes, [=](const Index<D>& i) { inner(i) = 0; });
  for_each_cell(exec, common_.view(), nodes, [=](const Index<D>& i) {
    bool whole = true;
    for (int axis = 0; axis < D; ++axis) {
      const Index<D> a = Index<D>::unit((axis + 1) % D), b = Index<D>::unit((axis + 2) % D);
      for (const Index<D>& face : {i, i - a, i - b, i - a - b}) whole &= mass[axis](face) == 1;
    }
    inner(i) = whole;
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
void StreamSystem<D, T>::list_cross(const Exec& exec, int kind) {
  const std::size_t k = static_cast<std::size_t>(kind);
  cross_rows_[k].clear();
  cross_[k].clear();
  if constexpr (D == 3) {
    const BlocksView<D> blocks = blocks_[k].view();
    const StencilView<D, const T> A = stencil_[k].read();
    const MacView<D, const T> mass = mass_.read();
    const View<D, const std::uint8_t> inner = inner_.read();
    const Index<D> a = Index<D>::unit(kind);
    const std::array<PackedSystem<D, T>, kinds>& packed = packed_;
    const auto place = [&packed](int of, const Index<D>& i) {
      return packed[static_cast<std::size_t>(of)].stencil().place(i);
    };
    const Grid<D> grid = grid_;
    // f(kind, edge, value) for what the stencil of the row i leaves out or has too much.
    const auto visit_entries = [=](const Index<D>& i, auto&& f) {
      const double r0 = inner(i), r1 = inner(i + a);
      double own = 0;
      const auto soften = [&](const Index<D>& node, double r, const Index<D>& beside) {
        if (r > 0 || !(A.coupling[kind](node) > 0)) return;
        own -= static_cast<T>(soft);
        f(kind, beside, static_cast<T>(soft));
      };
      soften(i, r0, i - a);
      soften(i + a, r1, i + a);
      if (own != 0) f(kind, i, own);
      for (int other = 0; other < D; ++other) {
        if (other == kind) continue;
        const int axis = 3 - kind - other;
        const Index<D> b = Index<D>::unit(other);
        const double m0 = mass[axis](i), m1 = mass[axis](i - b);
        if (m0 != r1) f(other, i + a, m0 - r1);
        if (m0 != r0) f(other, i, r0 - m0);
        if (m1 != r1) f(other, i + a - b, r1 - m1);
        if (m1 != r0) f(other, i - b, m1 - r0);
      }
    };
    const auto has_row = [=](const Index<D>& i) { return !(inner(i) && inner(i + a)) && A.diagonal(i) > 0; };
    std::vector<std::vector<CrossRow>> rows(static_cast<std::size_t>(blocks.count));
    std::vector<std::vector<CrossEntry>> entries(static_cast<std::size_t>(blocks.count));
    for_each_block(exec, blocks, [&](std::int32_t slot) {
      std::vector<CrossRow>& of_block = rows[static_cast<std::size_t>(slot)];
      std::vector<CrossEntry>& list = entries[static_cast<std::size_t>(slot)];
      visit(intersection(blocks.indices(slot), edge_range(grid, kind)), [&](const Index<D>& i) {
        if (!has_row(i)) return;
        const std::size_t before = list.size();
        visit_entries(i, [&](int of, const Index<D>& edge, double value) {
          if (!edge_range(grid, of).contains(edge)) return;
          if (const std::int32_t p = place(of, edge); p > 0) list.push_back({of, p, static_cast<T>(value)});
        });
        if (list.size() > before) of_block.push_back({place(kind, i), static_cast<std::int32_t>(before)});
      });
    });
    for (std::size_t slot = 0; slot < rows.size(); ++slot) {
      const std::int32_t shift = static_cast<std::int32_t>(cross_[k].size());
      for (CrossRow row : rows[slot]) cross_rows_[k].push_back({row.place, row.begin + shift});
      cross_[k].insert(cross_[k].end(), entries[slot].begin(), entries[slot].end());
    }
    cross_rows_[k].push_back({0, static_cast<std::int32_t>(cross_[k].size())});
  } else {
    (void)exec;
  }
}

template <int D, class T>
void StreamSystem<D, T>::build(const Exec& exec, const ProjectionInput<D, T>& input,
                               const StreamSolids<D>& solids) {
  solids_ = &solids;
  find_masses(exec, input);
  list_blocks(exec, input.blocks);
  find_inner_nodes(exec);
  for (int k = 0; k < kinds; ++k) {
    write_stencil(exec, k);
    packed_[static_cast<std::size_t>(k)].assign(exec, stencil(k), {}, {}, {});
  }
  for (int k = 0; k < kinds; ++k) list_cross(exec, k);
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
  for (int k = 0; k < kinds; ++k)
    dot += packed(k).stencil().apply_dot(exec, x[k].cells.data(), y[k].cells.data());
  for (int k = 0; D == 3 && k < kinds; ++k) {
    const std::size_t kind = static_cast<std::size_t>(k);
    const CrossRow* rows = cross_rows_[kind].data();
    const CrossEntry* entries = cross_[kind].data();
    const double* in[kinds];
    for (int n = 0; n < kinds; ++n) in[n] = x[n].cells.data();
    double* out = y[k].cells.data();
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(cross_rows_[kind].size()) - 1;
    const auto views = std::to_array(in);
    dot += reduce(exec, count, 0.0, Plus{}, [=](std::ptrdiff_t n) {
      double sum = 0;
      for (std::int32_t e = rows[n].begin; e < rows[n + 1].begin; ++e)
        sum += static_cast<double>(entries[e].value) *
               views[static_cast<std::size_t>(entries[e].kind)][entries[e].place];
      out[rows[n].place] += sum;
      return sum * views[kind][rows[n].place];
    });
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
