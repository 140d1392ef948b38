#include "solvers/multigrid.h"

#include <algorithm>
#include <limits>

#include "core/real.h"
#include "solvers/multigrid_coarsen.h"
#include "solvers/multigrid_device.h"
#include "solvers/multigrid_loose.h"
#include "solvers/multigrid_movers.h"
#include "solvers/multigrid_packed.h"

namespace glug {
namespace {

// Small levels are not worth waking other threads for.
constexpr std::int32_t serial_unknowns = 12 * 1024;
template <int D, class T>
Exec exec_for(const Exec& exec, const MultigridLevel<D, T>& level) {
  return level.packed.A && level.packed.A->unknowns() < serial_unknowns ? Exec{1} : exec;
}

// On a device, or side by side.
template <int D, class T>
void relax(const Exec& exec, MultigridLevel<D, T>& level, Colour colour) {
  if (exec.device == Device::cuda) return relax_on_device(level, colour);
  relax_packed(exec, level, colour);
}
template <int D, class T>
void start(const Exec& exec, MultigridLevel<D, T>& level) {
  if (exec.device == Device::cuda) return start_on_device(exec, level);
  start_packed<D, T>(exec, level, nullptr);
}
template <int D, class T>
void descend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    restrict_on_device(fine, coarse);
  else
    restrict_packed(exec, fine, coarse);
  restrict_split(exec, fine, coarse);
  restrict_placeless(exec, fine, coarse);
}
template <int D, class T>
void ascend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    prolong_on_device(exec, fine, coarse);
  else
    prolong_packed(exec, fine, coarse);
  prolong_split(exec, fine, coarse);
  prolong_placeless(exec, fine, coarse);
  if (fine.loose.count() > 0) couple_touched(exec, fine);
}

// Unknowns without couplings, and a first value for the others.
template <int D, class T>
void solve_alone(const Exec& exec, MultigridLevel<D, T>& level) {
  if (exec.device == Device::cuda)
    solve_alone_on_device(exec, level);
  else
    solve_alone_packed(exec, level);
  T* x = level.loose.x.data();
  const T* b = level.loose.b.data();
  const T* inverse = level.loose.inverse_diagonal.data();
  for_each(exec, level.loose.count(), [=] GLUG_FN(std::ptrdiff_t p) { x[p] = inverse[p] * b[p]; });
}

// The right-hand side and the solution of the unknowns that are solved directly.
template <int D, class T>
void gather(const Exec& exec, const List<DirectUnknown>& list, MultigridLevel<D, T>& level,
            List<double>& values) {
  const DirectUnknown* unknown = list.data();
  const T* cells = level.b_data();
  const T* parts = level.loose.b.data();
  double* out = values.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    const DirectUnknown u = unknown[n];
    out[n] = u.part < 0 ? cells[u.cell] : parts[u.part];
  });
}
template <int D, class T>
void scatter(const Exec& exec, const List<double>& values, const List<DirectUnknown>& list,
             MultigridLevel<D, T>& level) {
  const DirectUnknown* unknown = list.data();
  T* cells = level.x_data();
  T* parts = level.loose.x.data();
  const double* in = values.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    const DirectUnknown u = unknown[n];
    (u.part < 0 ? cells[u.cell] : parts[u.part]) = static_cast<T>(in[n]);
  });
}
template <int D, class T>
void multiply_and_scatter(const Exec& exec, const List<double>& inverse, const List<double>& rhs,
                          const List<DirectUnknown>& list, MultigridLevel<D, T>& level) {
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(list.size());
  const DirectUnknown* unknown = list.data();
  T* cells = level.x_data();
  T* parts = level.loose.x.data();
  const double* column = inverse.data();
  const double* b = rhs.data();
  for_each(exec, count, [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < count; ++k) sum += column[k * count + n] * b[k];  // symmetric
    const DirectUnknown u = unknown[n];
    (u.part < 0 ? cells[u.cell] : parts[u.part]) = static_cast<T>(sum);
  });
}

// Between the unknowns that are not cells and the finest level's last parts, its only ones.
template <int D, class T>
void load_extras(const Exec& exec, MultigridLevel<D, T>& finest, const double* from, std::int32_t n) {
  T* b = finest.loose.b.data();
  for_each(exec, n, [=] GLUG_FN(std::ptrdiff_t k) { b[k] = static_cast<T>(from[k]); });
}
template <int D, class T>
void store_extras(const Exec& exec, MultigridLevel<D, T>& finest, double* to, std::int32_t n) {
  const T* x = finest.loose.x.data();
  for_each(exec, n, [=] GLUG_FN(std::ptrdiff_t k) { to[k] = x[k]; });
}

// The blocks of a list that may lie on a device, for the CPU.
template <int D>
Blocks<D> fetch_blocks(const BlocksView<D>& blocks, Memory memory) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(blocks.count));
  copy_bytes(ids.data(), Memory::host, blocks.ids, memory, ids.size() * sizeof(std::int32_t));
  Blocks<D> copy(blocks.grid);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(copy.total()), 0);
  for (std::int32_t id : ids) flags[id] = 1;
  copy.assign(flags);
  return copy;
}

}  // namespace

template <int D, class T>
Multigrid<D, T>::Multigrid(const Grid<D>& grid, Memory memory) : memory_(memory) {
  Grid<D> g = grid;
  for (bool one_cell = false; !one_cell;) {
    one_cell = g.cells == Index<D>::filled(1);
    auto level = std::make_unique<Level>();
    const Range<D> cells = solver_cells<D>(g);
    level->grid = g;
    level->inverse_diagonal = Field<D, T>(cells, memory);
    level->x = Field<D, T>(cells, memory);
    level->b = Field<D, T>(cells, memory);
    level->loose.touched_of_cell = Field<D, std::int32_t>(cells);
    if (!levels_.empty() || memory == Memory::device) level->link_of_cell = Field<D, std::int32_t>(cells);
    if (!levels_.empty()) {
      level->blocks = Blocks<D>(g);
      level->own = Stencil<D, T>(g, memory);
      level->A = &level->own;
      levels_.back()->split_of_cell = Field<D, std::int32_t>(cells);
    }
    levels_.push_back(std::move(level));
    for (int a = 0; a < D; ++a) g.cells[a] = (g.cells[a] + 1) / 2;
  }
}

template <int D, class T>
void Multigrid<D, T>::prepare(const Exec& exec, const Stencil<D, T>& stencil,
                              const ExtraUnknowns<D, T>* extras, const Movers<D>* movers,
                              const PackedSystem<D, T>* packed) {
  cycle_.forget();
  levels_[0]->A = &stencil;
  used_ = 1;
  for (const auto& level : levels_) level->packed.A = nullptr;
  levels_[0]->loose.clear();
  levels_[0]->links.clear();
  extras_ = extras ? extras->count() : 0;
  if (extras_ > 0) {
    levels_[0]->links.start.host = extras->rows().start.host;
    levels_[0]->links.entries.host = extras->rows().entries.host;
  }
  take_movers(exec, movers, yields_, *levels_[0]);
  // Many blocks hold many unknowns: there is no need to count them.
  const std::int64_t most = memory_ == Memory::host ? direct_unknowns : direct_unknowns_on_device;
  const auto is_large = [&](const Level& level) {
    return level.A->blocks().count > most || coupled_unknowns(exec, level) > most;
  };
  while (used_ < static_cast<int>(levels_.size()) && is_large(*levels_[used_ - 1])) {
    coarsen(exec, *levels_[used_ - 1], *levels_[used_]);
    coarsen_movers(exec, *levels_[used_ - 1], *levels_[used_]);
    ++used_;
  }
  for (int l = 0; l < used_; ++l) {
    if (l >= firm_level<D> && l + 1 < used_) firm_movers(exec, *levels_[l]);
    finish_level(exec, extras_, *levels_[l]);
    levels_[l]->movers.publish(exec);
    if (memory_ == Memory::device) ready_fields_on_device(exec, *levels_[l]);
  }
  prepare_direct(exec);
  if (memory_ == Memory::host) pack(exec, stencil, extras, movers, packed);
  for (int l = 0; l + 1 < used_; ++l) list_ways(exec, *levels_[l], *levels_[l + 1]);
}

template <int D, class T>
void Multigrid<D, T>::pack(const Exec& exec, const Stencil<D, T>& stencil, const ExtraUnknowns<D, T>* extras,
                           const Movers<D>* movers, const PackedSystem<D, T>* packed) {
  packed_ = packed;
  if (!packed) {
    own_packed_.assign(exec, stencil, extras ? *extras : ExtraUnknowns<D, T>{},
                       movers ? *movers : Movers<D>{}, {});
    packed_ = &own_packed_;
    own_packed_.fit(packed_r_);
    own_packed_.fit(packed_z_);
  }
  for (int l = 0; l < used_; ++l) pack_level(exec, l == 0 ? packed_ : nullptr, *levels_[l]);
  const Level& coarsest = *levels_[used_ - 1];
  for (DirectUnknown& u : direct_list_.host)
    if (u.part < 0) u.cell = coarsest.at(coarsest.x.range().at(u.cell));
}

template <int D, class T>
std::int64_t Multigrid<D, T>::loose_parts() const {
  std::int64_t n = 0;
  for (int l = 0; l < used_; ++l) n += levels_[l]->loose.count();
  return n;
}

template <int D, class T>
void Multigrid<D, T>::prepare_direct(const Exec& exec) {
  Level& level = *levels_[used_ - 1];
  const LooseParts<D, T>& loose = level.loose;
  const View<D, const T> cells = level.x.read();  // for its layout
  const View<D, const std::int32_t> touched = loose.touched_of_cell.read();
  // The factorisation is the CPU's.
  Blocks<D> fetched_blocks;
  Stencil<D, T> fetched;
  if (memory_ == Memory::device) {
    fetched_blocks = fetch_blocks(level.A->blocks(), memory_);
    fetched = Stencil<D, T>(level.grid);
    fetched.copy_from(Exec{1}, *level.A, fetched_blocks.view());
  }
  const Stencil<D, T>& operator_here = memory_ == Memory::device ? fetched : *level.A;
  const StencilView<D, const T> A = operator_here.read();
  const BlocksView<D> blocks = operator_here.blocks();

  // In the order of the cells, loose parts beside theirs, so that the envelope is narrow.
  std::vector<DirectUnknown>& unknowns = direct_list_.host;
  unknowns.clear();
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    visit(intersection(blocks.indices(slot), level.grid.cell_range()), [&](const Index<D>& i) {
      if (is_coupled(A, i) || (loose.count() > 0 && touched(i) != 0))
        unknowns.push_back({cells.offset(i), -1});
    });
  for (std::int32_t p = 0; p < loose.count(); ++p)
    unknowns.push_back(
        {p < loose.placed() ? cells.offset(loose.cell[p]) : std::numeric_limits<std::ptrdiff_t>::max(), p});
  std::sort(unknowns.begin(), unknowns.end(), [](const DirectUnknown& x, const DirectUnknown& y) {
    return x.cell != y.cell ? x.cell < y.cell : x.part < y.part;
  });
  const std::int32_t n = static_cast<std::int32_t>(unknowns.size());
  direct_x_.host.resize(unknowns.size());

  std::vector<std::pair<std::ptrdiff_t, std::int32_t>> number_of_cell;  // ascending offsets
  std::vector<std::int32_t> number_of_part(static_cast<std::size_t>(loose.count()));
  for (std::int32_t i = 0; i < n; ++i)
    if (unknowns[i].part < 0)
      number_of_cell.emplace_back(unknowns[i].cell, i);
    else
      number_of_part[unknowns[i].part] = i;
  // -1 for what is no unknown here.
  const auto number_at = [&](std::ptrdiff_t cell) {
    const auto found =
        std::lower_bound(number_of_cell.begin(), number_of_cell.end(), std::make_pair(cell, std::int32_t{0}));
    return found != number_of_cell.end() && found->first == cell ? found->second : std::int32_t{-1};
  };
  std::vector<EnvelopeCholesky::Entry> entries;
  const auto couple = [&](std::int32_t i, std::int32_t j, double k) {
    entries.push_back({std::max(i, j), std::min(i, j), -k});
    // The anchors of touched cells hold the couplings of loose parts already.
    const bool listed = unknowns[i].part >= 0 || unknowns[j].part >= 0;
    for (std::int32_t end : {i, j})
      if (!listed || unknowns[end].part >= 0) entries.push_back({end, end, k});
  };
  for (std::int32_t i = 0; i < n; ++i) {
    const DirectUnknown& u = unknowns[i];
    if (u.part < 0) {
      const Index<D> c = cells.range.at(u.cell);
      entries.push_back({i, i, A.anchor(c)});
      for (int a = 0; a < D; ++a)
        if (A.coupling[a](c) > 0) couple(i, number_at(u.cell - cells.stride[a]), A.coupling[a](c));
      continue;
    }
    entries.push_back({i, i, loose.anchor.host[u.part]});
    loose.to_cells.visit(u.part, [&](std::ptrdiff_t to, T k) { couple(i, number_at(to), k); });
    loose.to_parts.visit(u.part, [&](std::ptrdiff_t to, T k) {
      if (number_of_part[to] < i) couple(i, number_of_part[to], k);
    });
  }
  // Of movers what is no unknown here is left to the smoother; what has no diagonal is given no residual.
  const auto number_of = [&](std::ptrdiff_t to) {
    if (to >= 0) return number_at(to);
    const std::ptrdiff_t part = loose_part(to);
    return loose.inverse_diagonal.host[part] > 0 ? number_of_part[part] : std::int32_t{-1};
  };
  visit_mover_matrix(level, [&](std::ptrdiff_t x, std::ptrdiff_t y, double value) {
    const std::int32_t i = number_of(x), j = number_of(y);
    if (i >= j && j >= 0) entries.push_back({i, j, value});
  });
  direct_.assign(unknowns.size(), entries);
  // Anchors hold the sums of loose parts' couplings, each rounded by itself, level by level.
  constexpr double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  direct_.factorise(std::max(rounding, EnvelopeCholesky::vanishing_sum));
  if (memory_ == Memory::device) invert_direct();
  publish(exec, direct_list_, direct_x_, inverse_);
}

// Substitution is serial, which a device cannot bear: there the few unknowns are solved by their inverse.
template <int D, class T>
void Multigrid<D, T>::invert_direct() {
  const std::size_t n = direct_list_.size();
  inverse_.host.assign(n * n, 0);
  for (std::size_t column = 0; column < n; ++column) {
    inverse_.host[column * n + column] = 1;
    direct_.solve(inverse_.host.data() + column * n);
  }
}

template <int D, class T>
void Multigrid<D, T>::solve_direct(const Exec& exec, Level& level) const {
  solve_alone(exec, level);
  gather(exec, direct_list_, level, direct_x_);
  if (memory_ == Memory::device)
    multiply_and_scatter(exec, inverse_, direct_x_, direct_list_, level);
  else {
    direct_.solve(direct_x_.host.data());
    scatter(exec, direct_x_, direct_list_, level);
  }
}

// From x red after the first half sweep to x smoothed and corrected by the coarser levels; up to the last
// sweep.
template <int D, class T>
void Multigrid<D, T>::smooth_and_descend(const Exec& all, int l) const {
  Level& fine = *levels_[l];
  const Exec exec = exec_for(all, fine);
  Level& coarse = *levels_[l + 1];
  release_movers(exec, fine);
  // Where movers are firm they are held anew before every half sweep, and one sweep more is made.
  const bool firm = !fine.movers.firmness.empty();
  const auto hold = [&] {
    if (firm) hold_movers(exec, fine);
  };
  const auto relax_cells = [&](Colour colour) {
    hold();
    relax(exec, fine, colour);
  };
  const auto relax_parts = [&](Order order) {
    if (fine.loose.count() == 0) return;
    hold();
    relax_loose(exec, fine, order);
  };
  relax_cells(Colour::black);
  relax_parts(Order::forwards);
  for (int sweep = firm ? 2 : 1; sweep > 0; --sweep) {
    relax_cells(Colour::red);
    relax_cells(Colour::black);
  }

  hold_movers(exec, fine);
  descend(exec, fine, coarse);
  cycle(all, l + 1);
  ascend(exec, fine, coarse);
  if (!firm) hold_movers(exec, fine);

  for (int sweep = firm ? 2 : 1; sweep > 0; --sweep) {
    relax_cells(Colour::black);
    relax_cells(Colour::red);
  }
  relax_parts(Order::backwards);
  relax_cells(Colour::black);
  hold();
}

template <int D, class T>
void Multigrid<D, T>::cycle(const Exec& all, int l) const {
  Level& level = *levels_[l];
  const Exec exec = exec_for(all, level);
  if (l + 1 == used_) return solve_direct(exec, level);
  start_loose(exec, level);
  start(exec, level);
  smooth_and_descend(all, l);
  relax(exec, level, Colour::red);
  relax_loose(exec, level, Order::backwards);
}

template <int D, class T>
void Multigrid<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  if (memory_ == Memory::device) return apply_on_device(exec, r, z);
  own_packed_.pack(exec, r, packed_r_);
  apply(exec, packed_r_, packed_z_);
  const View<D, double> out = z.cells.view();
  const BlocksView<D>& blocks = levels_[0]->A->blocks();
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) { out(i) = 0; });
  own_packed_.unpack(exec, packed_z_, z);
}

template <int D, class T>
void Multigrid<D, T>::apply_on_device(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const View<D, const double> in = r.cells.read();
  const View<D, double> out = z.cells.view();
  const double* extra_in = r.extra.data();
  double* extra_out = z.extra.data();
  if (recorded_r_ != in.data || recorded_z_ != out.data) cycle_.forget();
  recorded_r_ = in.data;
  recorded_z_ = out.data;
  cycle_.play(exec, [&] {
    Level& finest = *levels_[0];
    load_extras(exec, finest, extra_in, extras_);
    start_on_device(exec, finest, in);
    if (used_ == 1) {
      solve_direct(exec, finest);
      store_on_device(exec, finest, out);
    } else {
      start_loose(exec, finest);
      restart_touched(exec, finest);
      smooth_and_descend(exec, 0);
      if (extras_ == 0) {
        relax_into_on_device(finest, out);
      } else {  // which read what was relaxed last
        relax(exec, finest, Colour::red);
        store_on_device(exec, finest, out);
        relax_loose(exec, finest, Order::backwards);
      }
    }
    store_extras(exec, finest, extra_out, extras_);
  });
}

template <int D, class T>
double Multigrid<D, T>::apply_dot(const Exec& exec, const double* r, const double* r_extra, double* z,
                                  double* z_extra) const {
  Level& finest = *levels_[0];
  load_extras(exec, finest, r_extra, extras_);
  double dot = 0;
  if (used_ == 1) {
    start_packed(exec, finest, r);
    solve_direct(exec, finest);
    dot = store_packed(exec, finest, r, z);
  } else {
    start_packed(exec, finest, r);
    start_loose(exec, finest);
    restart_touched(exec, finest);
    smooth_and_descend(exec, 0);
    dot = relax_packed_into(exec, finest, r, z);
    relax_loose(exec, finest, Order::backwards);
  }
  store_extras(exec, finest, z_extra, extras_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(extras_); ++k) dot += r_extra[k] * z_extra[k];
  return dot;
}

template <int D, class T>
void Multigrid<D, T>::smooth(const Exec& exec, int sweeps) const {
  for (int k = 0; k < sweeps; ++k)
    for (Colour colour : {Colour::red, Colour::black}) relax(exec, *levels_[0], colour);
}

template class Multigrid<2, Real>;
template class Multigrid<3, Real>;

}  // namespace glug
