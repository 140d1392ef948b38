#include "solvers/multigrid.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/real.h"
#include "solvers/multigrid_coarsen.h"
#include "solvers/multigrid_cycle.h"

namespace glug {
namespace {

// Small levels are not worth waking other threads for.
constexpr std::int32_t serial_unknowns = 12 * 1024;
template <int D, class T>
Exec exec_for(const Exec& exec, const MultigridLevel<D, T>& level) {
  return level.packed && level.packed->unknowns() < serial_unknowns ? Exec{1} : exec;
}

// Unknowns that have a coupling, at most.
template <int D, class T>
std::int64_t coupled_unknowns(const Exec& exec, const MultigridLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  return level.loose.count() + level.loose.touched_count() +
         reduce_cells(exec, level.A->blocks(), level.grid.cell_range(), std::int64_t{0}, Plus{},
                      [=] GLUG_FN(const Index<D>& i) { return std::int64_t{A.is_coupled(i)}; });
}

// x = inverse b at the unknowns at these places.
template <class T>
void multiply_by(const Exec& exec, const List<double>& inverse, List<double>& rhs,
                 const List<std::ptrdiff_t>& places, const T* b, T* x) {
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(places.size());
  const std::ptrdiff_t* at = places.data();
  const double* column = inverse.data();
  double* in = rhs.data();
  const Loop gathered{count, [=] GLUG_FN(std::ptrdiff_t n) { in[n] = b[at[n]]; }};
  const Loop multiplied{count, [=] GLUG_FN(std::ptrdiff_t n) {
                          double sum = 0;
                          for (std::ptrdiff_t k = 0; k < count; ++k)
                            sum += column[k * count + n] * in[k];  // symmetric
                          x[at[n]] = static_cast<T>(sum);
                        }};
  in_turn(exec, gathered, multiplied);
}

// Between the unknowns that are not cells and the finest level's parts.
template <class From, class To>
void copy_extras(const Exec& exec, const From* from, std::int32_t n, To* to) {
  for_each(exec, n, [=] GLUG_FN(std::ptrdiff_t k) { to[k] = static_cast<To>(from[k]); });
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
    level->loose.touched_of_cell = Field<D, std::int32_t>(cells);
    level->blocks = Blocks<D>(g);
    if (!levels_.empty()) {
      level->own = Stencil<D, T>(g, memory);
      level->A = &level->own;
      levels_.back()->split_of_cell = Field<D, std::int32_t>(cells);
    }
    levels_.push_back(std::move(level));
    for (int a = 0; a < D; ++a) g.cells[a] = (g.cells[a] + 1) / 2;
  }
}

template <int D, class T>
void Multigrid<D, T>::prepare(const Exec& exec, const Stencil<D, T>& stencil, const ExtraUnknowns<T>& extras,
                              const Movers<D>& movers, const PackedSystem<D, T>* packed,
                              const Blocks<D>* listed) {
  cycle_.forget();
  Level& finest = *levels_[0];
  finest.A = &stencil;
  finest.listed_blocks = listed ? listed->view() : stencil.blocks();
  used_ = 1;
  finest.loose.clear();
  finest.extras = &extras;
  if (memory_ == Memory::host && !packed) {
    own_packed_.assign(exec, stencil, extras, movers, {});
    own_packed_.fit(packed_r_);
    own_packed_.fit(packed_z_);
    packed = &own_packed_;
  }
  finest.movers.take(exec, movers, packed ? &packed->movers() : nullptr);
  // Many blocks hold many unknowns: there is no need to count them.
  const std::int64_t most = memory_ == Memory::host ? direct_unknowns : direct_unknowns_on_device;
  const auto is_large = [&](const Level& level) {
    return level.A->blocks().count > most || coupled_unknowns(exec, level) > most;
  };
  while (used_ < static_cast<int>(levels_.size()) && is_large(*levels_[used_ - 1])) {
    Level &fine = *levels_[used_ - 1], &coarse = *levels_[used_++];
    coarsen(exec, fine, coarse);
    coarse.movers.coarsen(exec, fine, coarse);
  }
  for (int l = 0; l < used_; ++l) {
    if (l >= LevelMovers<D, T>::firm_level && l + 1 < used_) levels_[l]->movers.firm(exec, *levels_[l]);
    finish_level(exec, *levels_[l]);
  }
  prepare_direct(exec);
  for (int l = 0; l < used_; ++l) place_unknowns(exec, l == 0 ? packed : nullptr, *levels_[l]);
  for (std::ptrdiff_t& to : direct_list_.host) to = levels_[used_ - 1]->place_of(to);
  direct_x_.make_room(exec);
  publish(exec, direct_list_, inverse_);
  for (int l = 0; l + 1 < used_; ++l) list_members(exec, *levels_[l], *levels_[l + 1]);
  finest.extras = nullptr;  // it may not outlive this
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
  // The factorisation is the CPU's.
  List<std::ptrdiff_t> cells;
  const BlocksView<D>& blocks = level.listed_blocks;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    visit(intersection(blocks.indices(slot), level.grid.cell_range()),
          [&](const Index<D>& i) { cells.host.push_back(level.cells().number_of(i)); });
  const std::vector<CellCoefficients<D, T>> A = coefficients_of(exec, *level.A, cells);

  // In the order of the cells, loose parts beside theirs, so that the envelope is narrow.
  std::vector<std::ptrdiff_t>& unknowns = direct_list_.host;
  unknowns.clear();
  const std::unordered_set<std::ptrdiff_t> touched(loose.to_cells.names.begin(), loose.to_cells.names.end());
  for (std::size_t n = 0; n < A.size(); ++n)
    if (A[n].is_coupled() || touched.count(cells.host[n]) > 0) unknowns.push_back(cells.host[n]);
  for (std::int32_t p = 0; p < loose.count(); ++p) unknowns.push_back(loose_part(p));
  const auto order = [&](std::ptrdiff_t to) {
    const bool placed = to >= 0 || loose_part(to) < loose.placed();
    const std::ptrdiff_t last = std::numeric_limits<std::ptrdiff_t>::max();
    return std::pair(placed ? level.cells().number_of(level.cell_of(to)) : last, -to);
  };
  std::sort(unknowns.begin(), unknowns.end(),
            [&](std::ptrdiff_t x, std::ptrdiff_t y) { return order(x) < order(y); });
  direct_x_.host.resize(unknowns.size());
  std::unordered_map<std::ptrdiff_t, std::int32_t> number;
  for (std::ptrdiff_t to : unknowns) number.emplace(to, static_cast<std::int32_t>(number.size()));

  std::vector<EnvelopeCholesky::Entry> entries;
  const auto couple = [&](std::int32_t i, std::int32_t j, double k) {
    entries.push_back({std::max(i, j), std::min(i, j), -k});
  };
  const auto number_of = [&](std::ptrdiff_t to) {
    const auto found = number.find(to);
    return found == number.end() ? std::int32_t{-1} : found->second;
  };
  for (std::size_t n = 0; n < A.size(); ++n) {
    const std::int32_t i = number_of(cells.host[n]);
    if (i < 0) continue;
    entries.push_back({i, i, A[n].diagonal()});  // in which are couplings to loose parts
    for (int a = 0; a < D; ++a)
      if (const T k = A[n].to[2 * a]; k > 0)
        couple(i, number.at(level.cells().number_of(level.cell_of(cells.host[n]) - Index<D>::unit(a))), k);
  }
  for (std::int32_t part = 0; part < loose.count(); ++part) {
    const std::int32_t i = number.at(loose_part(part));
    entries.push_back({i, i, loose.sum(part)});
    loose.to_cells.rows.visit(part, [&](std::ptrdiff_t cell, T k) { couple(i, number.at(cell), k); });
    loose.to_parts.visit(part, [&](std::ptrdiff_t other, T k) {
      if (other < part) couple(i, number.at(loose_part(other)), k);
    });
  }
  // Movers: no unknowns here are the smoother's; no diagonal, no residual; none holds a level (R6).
  const auto mover_number = [&](std::ptrdiff_t to) {
    return to < 0 && !(loose.inverse_diagonal.host[loose_part(to)] > 0) ? -1 : number_of(to);
  };
  std::vector<double> besides(unknowns.size(), 0);
  level.movers.visit_matrix([&](std::ptrdiff_t x, std::ptrdiff_t y, double value) {
    const std::int32_t i = mover_number(x), j = mover_number(y);
    if (i >= 0 && j >= 0) besides[i] += value;
    if (i >= j && j >= 0) entries.push_back({i, j, value});
  });
  direct_.assign(unknowns.size(), entries);
  // Anchors hold the sums of loose parts' couplings, each rounded by itself, level by level.
  constexpr double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  direct_.factorise(std::max(rounding, EnvelopeCholesky::vanishing_sum), std::move(besides));
  if (memory_ == Memory::device) invert_direct(exec);
}

// Substitution is serial, which a device cannot bear: there the few unknowns are solved by their inverse.
template <int D, class T>
void Multigrid<D, T>::invert_direct(const Exec& exec) {
  const std::size_t n = direct_list_.size();
  inverse_.host.assign(n * n, 0);
  for_each_equal_task(exec, static_cast<std::ptrdiff_t>(n), [&](std::ptrdiff_t column) {
    double* of_column = inverse_.host.data() + column * static_cast<std::ptrdiff_t>(n);
    of_column[column] = 1;
    direct_.solve(of_column);
  });
}

template <int D, class T>
void Multigrid<D, T>::solve_direct(const Exec& exec, Level& level) const {
  solve_alone(exec, level);
  if (memory_ == Memory::device)
    return multiply_by(exec, inverse_, direct_x_, direct_list_, level.b.data(), level.x.data());
  // Few: one thread's.
  std::vector<double>& x = direct_x_.host;
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = level.b[direct_list_.host[n]];
  direct_.solve(x.data());
  for (std::size_t n = 0; n < x.size(); ++n) level.x[direct_list_.host[n]] = static_cast<T>(x[n]);
}

// From x red after the first half sweep to x smoothed and corrected by the coarser levels; up to the last
// sweep.
template <int D, class T>
void Multigrid<D, T>::smooth_and_descend(const Exec& all, int l) const {
  Level& fine = *levels_[l];
  const Exec exec = exec_for(all, fine);
  Level& coarse = *levels_[l + 1];
  fine.movers.release(exec);
  // Where movers are firm they are held anew before every half sweep, and one sweep more is made.
  const bool firm = !fine.movers.firmness.empty();
  const auto hold = [&] {
    if (firm) fine.movers.hold(exec, fine);
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

  fine.movers.hold(exec, fine);
  descend(exec, fine, coarse);
  cycle(all, l + 1);
  ascend(exec, fine, coarse);
  if (!firm) fine.movers.hold(exec, fine);

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
  start<D, T>(exec, level, nullptr);
  smooth_and_descend(all, l);
  relax(exec, level, Colour::red);
  relax_loose(exec, level, Order::backwards);
}

template <int D, class T>
double Multigrid<D, T>::apply_dot(const Exec& exec, const double* r, const double* r_extra, double* z,
                                  double* z_extra) const {
  Level& finest = *levels_[0];
  const std::int32_t extras = finest.loose.count();  // its only parts
  copy_extras(exec, r_extra, extras, finest.part_b());
  start(exec, finest, r);
  double dot = 0;
  if (used_ == 1) {
    solve_direct(exec, finest);
    dot = store(exec, finest, LastSweep::none, r, z);
  } else {
    start_loose(exec, finest);
    restart_touched(exec, finest);
    smooth_and_descend(exec, 0);
    dot = store(exec, finest, LastSweep::of_red, r, z);
    relax_loose(exec, finest, Order::backwards);
  }
  copy_extras(exec, finest.part_x(), extras, z_extra);
  for (std::int32_t k = 0; k < extras && exec.device == Device::cpu; ++k) dot += r_extra[k] * z_extra[k];
  return dot;
}

template <int D, class T>
void Multigrid<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const View<D, double> out = z.cells.view();
  if (memory_ == Memory::device) {
    const double* in = r.cells.read().data;
    if (recorded_r_ != in || recorded_z_ != out.data) cycle_.forget();
    recorded_r_ = in;
    recorded_z_ = out.data;
    cycle_.play(exec, [&] { apply_dot(exec, in, r.extra.data(), out.data, z.extra.data()); });
    return;
  }
  own_packed_.pack(exec, r, packed_r_);
  apply(exec, packed_r_, packed_z_);
  const BlocksView<D>& blocks = levels_[0]->A->blocks();
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) { out(i) = 0; });
  own_packed_.unpack(exec, packed_z_, z);
}

template <int D, class T>
void Multigrid<D, T>::smooth(const Exec& exec, int sweeps) const {
  for (int k = 0; k < sweeps; ++k)
    for (Colour colour : {Colour::red, Colour::black}) relax(exec, *levels_[0], colour);
}

template class Multigrid<2, Real>;
template class Multigrid<3, Real>;

}  // namespace glug
