#include "projection/stream_system.h"

#include <algorithm>

#include "core/real.h"
#include "core/reduce.h"
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
      stack_(grid),
      blocks_(stack_.grid),
      mass_(grid, 1),
      momentum_(grid, 1),
      stencil_(stack_.grid) {}

// (Q2)
template <int D, class T>
void StreamSystem<D, T>::find_masses(const Exec& exec, const ProjectionInput<D, T>& in) {
  for (int a = 0; a < D; ++a) {
    const View<D, T> mass = mass_[a].view();
    const View<D, double> momentum = momentum_[a].view();
    weighed_[static_cast<std::size_t>(a)].change(exec, in.blocks, grid_.face_range(a),
                                                 [=](const Index<D>& i) {
                                                   mass(i) = 0;
                                                   momentum(i) = 0;
                                                 });
    for_each_long_row(exec, in.blocks, grid_.face_range(a), [=](const Index<D>& first, int n) {
      const Cell *above = &in.label(first), *below = above - in.label.stride[a];
      const T* open = &in.open[a](first);
      T* __restrict out = &mass(first);
      for (int k = 0; k < n; ++k) {
        if (above[k] == Cell::liquid && below[k] == Cell::liquid && !(in.gas_density > 0)) {
          out[k] = open[k] > 0 ? static_cast<T>(1.0 / open[k]) : T(0);
          continue;
        }
        const Face<T> face = face_at(in, 1.0, a, first + Index<D>::unit(0) * k);
        out[k] = face.valid() ? static_cast<T>(face.mass / face.open) : T(0);
      }
    });
  }
  if (!bodies_) return;
  // (Q12) Gaps that liquid reaches, or air that cannot get out otherwise.
  for (const FaceFlux<D>& gap : bodies_->gaps()) {
    const Index<D> low = gap.face - Index<D>::unit(gap.axis);
    const auto is_filled = [&](const Index<D>& cell) {
      if (!in.grid.cell_range().contains(cell) || in.blocks.slot_of_cell(cell) < 0) return false;
      return in.phi(cell) < 0 || (in.label(cell) == Cell::air && bubble_at(in, cell) >= 0);
    };
    if (in.blocks.slot_of_cell(gap.face) >= 0 && (is_filled(gap.face) || is_filled(low)))
      mass_[gap.axis].view()(gap.face) = static_cast<T>(gap_mass);
  }
}

template <int D, class T>
void StreamSystem<D, T>::list_blocks(const Exec& exec, const BlocksView<D>& blocks) {
  Blocks<D> near(grid_);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(near.total()), 0);
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
  near.assign(flags);
  std::vector<std::int32_t> ids = near.dilated(1).ids();
  std::erase_if(ids, [&](std::int32_t id) { return blocks.slots[id] < 0; });  // beyond lies no edge of it
  blocks_ = stack_.blocks(blocks, ids);
}

template <int D, class T>
void StreamSystem<D, T>::write_stencil(const Exec& exec) {
  stencil_.relist(exec, blocks_.view());
  for (int k = 0; k < kinds; ++k) write_kind(exec, k);
  stencil_.find_row_kinds(exec);
}

// What is no edge of a kind stays 0.
template <int D, class T>
void StreamSystem<D, T>::write_kind(const Exec& exec, int kind) {
  const StencilView<D, T> A = stencil_.view();
  const MacView<D, const T> mass = mass_.read();
  const View<D, const std::uint8_t> bound = solids_->bound(kind);
  const Index<D> up = stack_.offset(kind);
  const Range<D> own = edge_range(grid_, kind);
  for_each_long_row(exec, blocks_.view(), {own.lo + up, own.hi + up}, [=](const Index<D>& stacked, int n) {
    const Index<D> first = stacked - up;
    // 1 at free edges, 0 at bound ones: products instead of branches.
    const auto free_at = [&](const Index<D>& at, T* __restrict out) {
      const std::uint8_t* held = &bound(at);
      for (int x = 0; x < n; ++x) out[x] = static_cast<T>(1 - held[x]);
    };
    T here[row_room<D>], below[row_room<D>], above[row_room<D>];
    free_at(first, here);
    T* __restrict anchor = &A.anchor(stacked);
    for (int x = 0; x < n; ++x) anchor[x] = 0;
    for (int side = 0; side < 2; ++side) {
      const EdgeTerm t = edge_term<D>(kind, side);
      const T *high = &mass[t.axis](first), *low = high - mass[t.axis].stride[t.along];
      free_at(first - Index<D>::unit(t.along), below);
      free_at(first + Index<D>::unit(t.along), above);
      T* __restrict coupling = &A.coupling[t.along](stacked);
      for (int x = 0; x < n; ++x) {
        coupling[x] = here[x] * below[x] * low[x];
        anchor[x] += here[x] * ((1 - below[x]) * low[x] + (1 - above[x]) * high[x]);
      }
    }
    if constexpr (D == 3) {
      // Along its own direction: 1 between edges that have only whole faces around, `soft` between others.
      T ends[2][row_room<D>];
      for (int end = 0; end < 2; ++end) {
        const Index<D> at = first - end * Index<D>::unit(kind);
        const EdgeTerm t = edge_term<D>(kind, 0), s = edge_term<D>(kind, 1);
        const T *a = &mass[t.axis](at), *a_low = a - mass[t.axis].stride[t.along];
        const T *b = &mass[s.axis](at), *b_low = b - mass[s.axis].stride[s.along];
        free_at(at, here);
        for (int x = 0; x < n; ++x) {
          const bool whole = (a[x] == 1) & (a_low[x] == 1) & (b[x] == 1) & (b_low[x] == 1);
          const bool open = a[x] + a_low[x] + b[x] + b_low[x] > 0;
          ends[end][x] = here[x] * (whole ? T(1) : open ? T(soft) : T(0));
        }
      }
      T* __restrict coupling = &A.coupling[kind](stacked);
      for (int x = 0; x < n; ++x) coupling[x] = std::min(ends[0][x], ends[1][x]);
    }
  });
}

template <int D, class T>
void StreamSystem<D, T>::build(const Exec& exec, const ProjectionInput<D, T>& input,
                               const StreamSolids<D>& solids, const StreamBodies<D>* bodies) {
  solids_ = &solids;
  bodies_ = bodies;
  find_masses(exec, input);
  list_blocks(exec, input.blocks);
  write_stencil(exec);
  packed_.assign(exec, stencil_, {}, {}, {});
  if constexpr (D == 3) curl_curl_.assign(exec, grid_, packed_.stencil());
  columns_.assign(grid_, solids, bodies, mass_.read(), packed_.stencil());
  sources_.find(input, bodies ? bodies->owner() : MacView<D, const std::int32_t>{}, solids.missing());
}

// (Q3)
template <int D, class T>
void StreamSystem<D, T>::find_rhs(const Exec& exec, const ProjectionInput<D, T>& in, StreamVector& b) {
  const MacView<D, const T> mass = mass_.read();
  const MacView<D, const double> sources = sources_.flux();
  for (int a = 0; a < D; ++a) {
    const View<D, double> momentum = momentum_[a].view();
    for_each_long_row(exec, in.blocks, grid_.face_range(a), [=](const Index<D>& first, int n) {
      const T *m = &mass[a](first), *w = &in.open[a](first), *u = &in.velocity[a](first);
      double flux[row_room<D>];
      for (int x = 0; x < n; ++x) flux[x] = static_cast<double>(w[x]) * u[x];
      if (in.solid_velocity[a].data) {
        const T* carried = &in.solid_velocity[a](first);
        for (int x = 0; x < n; ++x) flux[x] += (1 - static_cast<double>(w[x])) * carried[x];
      }
      if (sources[a].data) {
        const double* source = &sources[a](first);
        for (int x = 0; x < n; ++x) flux[x] -= source[x];
      }
      double* __restrict out = &momentum(first);
      for (int x = 0; x < n; ++x) out[x] = m[x] > 0 ? m[x] * flux[x] : 0.0;
    });
  }
  add_up(exec, b);
  columns_.add_rhs(momentum_.read(), b);
}

template <int D, class T>
void StreamSystem<D, T>::add_up(const Exec& exec, StreamVector& y) const {
  constexpr int piece = 256;
  const MacView<D, const double> momentum = momentum_.read();
  const StackedEdges<D> stack = stack_;
  double* out = y.cells.data();
  packed_.stencil().visit_runs(exec, [=](const Index<D>& stacked, const PackedRun& run) {
    const int kind = stack.kind_of(stacked);
    const Index<D> first = stacked - stack.offset(kind);
    const EdgeTerm s = edge_term<D>(kind, 0), t = edge_term<D>(kind, 1);
    const double *p = &momentum[s.axis](first), *p_low = p - momentum[s.axis].stride[s.along];
    const double *q = &momentum[t.axis](first), *q_low = q - momentum[t.axis].stride[t.along];
    for (int from = 0; from < run.count; from += piece) {
      const int n = run.count - from < piece ? run.count - from : piece;
      double values[piece];
      for (int i = 0; i < n; ++i)
        values[i] = s.sign * (p_low[from + i] - p[from + i]) + t.sign * (q_low[from + i] - q[from + i]);
      split_colours(values, n, out + run.place[0] + from / 2, out + run.place[1] + from / 2);
    }
  });
}

template <int D, class T>
double StreamSystem<D, T>::apply_dot(const Exec& exec, const StreamVector& x, StreamVector& y) const {
  double dot = 0;
  if constexpr (D == 2)
    dot = packed_.stencil().apply_dot(exec, x.cells.data(), y.cells.data());
  else
    dot = curl_curl_.apply_dot(exec, mass_.read(), x.cells.data(), y.cells.data());
  return dot + columns_.apply(x, y);
}

template <int D, class T>
void StreamSystem<D, T>::fit(StreamVector& x) const {
  packed_.fit(x);
  x.columns() = Buffer<double>(columns_.count());
}

template <int D, class T>
void StreamSystem<D, T>::gather(const Exec& exec, const StreamFunction<D>& psi, StreamVector& x) const {
  packed_.stencil().pack(exec, psi.edges.cells.read(), x.cells.data());
  for (std::size_t n = 0; n < columns_.count(); ++n) {
    x.columns()[n] = 0;
    if (n >= solids_->columns().size()) continue;
    for (const StreamColumn& c : psi.columns)
      if (c.key == solids_->keys()[n]) x.columns()[n] = c.value;
  }
}

template <int D, class T>
void StreamSystem<D, T>::scatter(const Exec& exec, const StreamVector& x, StreamFunction<D>& psi) const {
  const BlocksView<D> blocks = blocks_.view();
  psi.edges.restrict_to(exec, blocks);
  CellSpace<D>{exec, blocks, nullptr}.zero(psi.edges);
  packed_.stencil().unpack(exec, x.cells.data(), psi.edges.cells.view());
  const auto add = [&](const std::vector<SolidEdge<D>>& edges, double factor) {
    for (const SolidEdge<D>& e : edges) {
      const Index<D> edge = e.edge + stack_.offset(static_cast<int>(e.kind));
      if (blocks.slot_of_cell(edge) >= 0) psi.edges.cells(edge) += factor * e.value;
    }
  };
  add(solids_->known(), 1);
  psi.columns.clear();
  const std::size_t of_solids = solids_->columns().size();
  for (std::size_t n = 0; n < of_solids; ++n) {
    add(solids_->columns()[n], x.columns()[n]);
    psi.columns.push_back({solids_->keys()[n], x.columns()[n]});
  }
  if (!bodies_) return;
  add(bodies_->known(), 1);
  for (std::size_t n = of_solids; n < columns_.count(); ++n)
    add(bodies_->edges_of(bodies_->columns()[n - of_solids].motions), x.columns()[n]);
}

template <int D, class T>
double write_stream_velocity(const Exec& exec, const ProjectionInput<D, T>& in,
                             const StreamSystem<D, T>& system, const StreamView<D>& psi,
                             MacView<D, T> velocity, MacView<D, std::uint8_t> layer) {
  const MacView<D, const T> mass = system.mass();
  const MacView<D, const double> sources = system.sources().flux();
  double work = 0;
  for (int a = 0; a < D; ++a) {
    const View<D, const T> m = mass[a], open = in.open[a], solid = in.solid_velocity[a];
    const View<D, const double> source = sources[a];
    const View<D, T> u = velocity[a];
    const View<D, std::uint8_t> known = layer[a];
    const CurlTerm s = curl_term<D>(a, 0), t = curl_term<D>(a, D - 2);  // in 2D there is one
    work += reduce_blocks(exec, in.blocks, 0.0, Plus{}, [=](std::int32_t slot) {
      double sum = 0;
      visit_rows(intersection(in.blocks.indices(slot), in.grid.face_range(a)),
                 [&](const Index<D>& first, int n) {
                   const auto& one = psi[static_cast<std::size_t>(s.kind)];
                   const auto& other = psi[static_cast<std::size_t>(t.kind)];
                   const double *p = &one(first), *p_next = p + one.stride[s.along];
                   const double *q = &other(first), *q_next = q + other.stride[t.along];
                   const T *mass_here = &m(first), *w = &open(first);
                   const T* carried = solid.data ? &solid(first) : nullptr;
                   const double* more = source.data ? &source(first) : nullptr;
                   T* __restrict out = &u(first);
                   std::uint8_t* __restrict is_known = &known(first);
                   for (int i = 0; i < n; ++i) {
                     is_known[i] = mass_here[i] > 0 && w[i] > 0;
                     if (!(mass_here[i] > 0)) continue;
                     double flux = s.sign * (p_next[i] - p[i]);
                     if (D == 3) flux += t.sign * (q_next[i] - q[i]);
                     if (more) flux += more[i];
                     const double share = w[i];
                     if (carried) flux -= (1 - share) * carried[i];
                     if (!is_known[i]) {  // a gap: what it takes no solid has worked less (Q12)
                       sum += mass_here[i] * flux * flux;
                       continue;
                     }
                     const double before = out[i], after = flux / share;
                     out[i] = static_cast<T>(after);
                     sum += mass_here[i] * share * share * after * (after - before);
                   }
                 });
      return sum;
    });
  }
  return work * in.density * in.grid.cell_volume();
}

#define GLUG_INSTANTIATE(D, T)                                                                 \
  template class StreamSystem<D, T>;                                                           \
  template double write_stream_velocity<D, T>(const Exec&, const ProjectionInput<D, T>&,       \
                                              const StreamSystem<D, T>&, const StreamView<D>&, \
                                              MacView<D, T>, MacView<D, std::uint8_t>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
