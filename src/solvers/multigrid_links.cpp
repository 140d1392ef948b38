// multigrid_links.cpp: the lists around loose parts, and unknowns without a place on every level. Work of the
// CPU, proportional to the couplings listed.
#include <algorithm>

#include "core/group_by.h"
#include "core/real.h"
#include "solvers/multigrid_coarsen.h"
#include "solvers/multigrid_cycle.h"

namespace glug {
namespace {

template <int D, class T>
void list_touched_cells(MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const View<D, std::int32_t> number = loose.touched_of_cell.view();
  const Range<D> cells = level.cells();
  for (const Index<D>& i : loose.touched.host) number(i) = 0;
  loose.touched.host.clear();
  for (std::ptrdiff_t cell : loose.to_cells.places.host) {
    loose.touched.host.push_back(cells.at(cell));
    number.at(cell) = static_cast<std::int32_t>(loose.touched.size());
  }
  loose.touched_b.host.resize(loose.touched.size());
}

// Greedy: the least colour no earlier neighbour has.
template <int D, class T>
void colour_parts(LooseParts<D, T>& loose) {
  std::vector<std::int32_t> colour_of(static_cast<std::size_t>(loose.count()), 0);
  std::int32_t colours = 0;
  for (std::int32_t p = 0; p < loose.count(); ++p) {
    std::int32_t c = 0;
    for (bool taken = true; taken;) {
      taken = false;
      loose.to_parts.visit(p, [&](std::ptrdiff_t to, T) { taken |= to < p && colour_of[to] == c; });
      c += taken;
    }
    colour_of[p] = c;
    colours = std::max(colours, c + 1);
  }
  Groups by_colour = group_by(colour_of, static_cast<std::size_t>(colours));
  loose.by_colour.host = std::move(by_colour.members);
  loose.colour_start = std::move(by_colour.start);
}

// Whether cells have a coupling; loose parts among them are not asked.
template <int D, class T>
std::vector<std::uint8_t> coupled_flags(const Exec& exec, const Stencil<D, T>& stencil,
                                        List<std::ptrdiff_t>& cells) {
  const StencilView<D, const T> A = stencil.read();
  return ask<std::uint8_t>(exec, cells, [=] GLUG_FN(std::ptrdiff_t cell) -> std::uint8_t {
    return cell >= 0 && A.is_coupled(A.anchor.range.at(cell));
  });
}

}  // namespace

template <int D, class T>
void index_loose_parts(const Exec& exec, MultigridLevel<D, T>& level) {
  level.loose.to_cells.index(memory_of(exec));
  list_touched_cells(level);
  colour_parts(level.loose);
  publish(exec, level.loose.touched, level.loose.to_cells.of_places);
}

template <int D, class T>
Aggregates<D, T>::Aggregates(const Exec& exec, const MultigridLevel<D, T>& fine,
                             const MultigridLevel<D, T>& coarse, const std::vector<std::ptrdiff_t>& named)
    : fine_(fine), coarse_(coarse), here_(exec.device == Device::cpu) {
  if (here_) return;
  for (std::ptrdiff_t to : named)
    if (to >= 0) cells_.host.push_back(to);
  std::sort(cells_.host.begin(), cells_.host.end());
  cells_.host.erase(std::unique(cells_.host.begin(), cells_.host.end()), cells_.host.end());
  coupled_ = coupled_flags(exec, *fine.A, cells_);
}

template <int D, class T>
bool Aggregates<D, T>::is_coupled(std::ptrdiff_t cell, const Index<D>& i) const {
  if (here_) return fine_.A->read().is_coupled(i);
  const auto found = std::lower_bound(cells_.host.begin(), cells_.host.end(), cell);
  return coupled_[found - cells_.host.begin()] != 0;
}

template <int D, class T>
std::ptrdiff_t Aggregates<D, T>::operator()(std::ptrdiff_t to, const Index<D>& i, bool coupled) const {
  const std::int32_t part = static_cast<std::int32_t>(to < 0 ? loose_part(to) : 0);
  if (to < 0 ? !fine_.loose.is_coupled(part) : !coupled && !fine_.is_touched(i)) return none;
  const std::int32_t target = to < 0 ? fine_.part_target[part] : fine_.target_of(i);
  return coarse_.name_of(i, target);
}

template <int D, class T>
void coarsen_links(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  coarse.links.clear();
  if (fine.links.rows() == 0) return;
  List<std::ptrdiff_t> linked;
  for (const auto& entry : fine.links.entries.host) linked.host.push_back(entry.to);
  const std::vector<std::uint8_t> coupled = coupled_flags(exec, *fine.A, linked);
  const Aggregates<D, T> aggregate(exec, fine, coarse, {});
  const T share = static_cast<T>(fine.anchor_share);
  coarse.links = merged_rows<D, T, T>(exec, fine.links.rows(), [&](std::int32_t unknown, auto&& f) {
    const std::uint8_t* is_coupled = coupled.data() + fine.links.start.host[unknown];
    fine.links.visit(unknown, [&](std::ptrdiff_t to, T coupling) {
      f(aggregate(to, aggregate.cell_of(to), *is_coupled++ != 0), share * coupling);
    });
  });
}

template <int D, class T>
void append_links(const Exec& exec, std::int32_t unknowns, MultigridLevel<D, T>& level) {
  if (unknowns == 0) return;
  LooseParts<D, T>& loose = level.loose;
  const std::int32_t parts = loose.placed();
  loose.placeless = unknowns;
  const std::size_t all = static_cast<std::size_t>(loose.count());
  loose.anchor.resize(all, 0);
  loose.diagonal.host.resize(all, 0);
  loose.inverse_diagonal.host.resize(all, 0);

  // What parts and placeless unknowns share: rows of both.
  std::vector<std::vector<typename CouplingRows<T>::Entry>> added(all);
  for (std::int32_t k = 0; k < unknowns; ++k) {
    double diagonal = 0;
    level.links.visit(k, [&](std::ptrdiff_t to, T coupling) {
      diagonal += coupling;
      if (to >= 0) return loose.to_cells.rows.add(to, coupling);
      const std::ptrdiff_t part = loose_part(to);
      T& anchor = loose.anchor[part];
      anchor = anchor > coupling ? anchor - coupling : T(0);  // it is listed now
      added[part].push_back({parts + k, coupling});
      added[parts + k].push_back({part, coupling});
    });
    loose.to_cells.rows.end_row();
    loose.diagonal.host[parts + k] = static_cast<T>(diagonal);
    loose.inverse_diagonal.host[parts + k] = static_cast<T>(diagonal > 0 ? 1 / diagonal : 0);
  }
  CouplingRows<T> rows;
  for (std::size_t p = 0; p < all; ++p) {
    if (p < static_cast<std::size_t>(parts))
      loose.to_parts.visit(static_cast<std::int32_t>(p),
                           [&](std::ptrdiff_t to, T coupling) { rows.add(to, coupling); });
    for (const auto& entry : added[p]) rows.add(entry.to, entry.coupling);
    rows.end_row();
  }
  loose.to_parts = std::move(rows);
  index_loose_parts(exec, level);
}

template <int D, class T>
void place_unknowns(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level) {
  if (exec.device == Device::cuda) {
    ready_on_device(exec, level);
  } else {
    if (!given) level.own_packed.assign(exec, *level.A);
    level.packed = given ? &given->stencil() : &level.own_packed;
    level.first_part = given ? static_cast<std::ptrdiff_t>(given->room()) : level.packed->end();
  }
  // Cells that are no unknowns get places behind all others, where x stays 0.
  std::ptrdiff_t beyond = level.first_part + level.loose.count();
  const auto place_of = [&](std::ptrdiff_t to) {
    const std::ptrdiff_t place = level.place_of(to);
    return place > 0 ? place : beyond++;
  };
  level.loose.to_cells.rename(place_of);
  level.movers.own.links.rename(place_of);
  if (level.packed) {
    const std::size_t room = static_cast<std::size_t>(beyond) + 16;  // loads go beyond
    for (Buffer<T>* numbers : {&level.x, &level.b}) make_room(room, level.packed->end(), *numbers);
    // What an older system left may be no number, and couplings of 0 do not hide that.
    T* x = level.x.data();
    each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, std::ptrdiff_t, Colour) { x[i] = 0; });
  }
  publish(exec, level.loose, level.movers);
}

template <int D, class T>
void list_members(const Exec& exec, MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse) {
  std::vector<std::ptrdiff_t>& aggregates = fine.members.aggregate.host;
  aggregates.clear();
  std::vector<Member> members;
  std::vector<std::int32_t> aggregate_of;
  const auto add = [&](Member member, std::size_t aggregate) {
    member.to = aggregates[aggregate];
    members.push_back(member);
    aggregate_of.push_back(static_cast<std::int32_t>(aggregate));
  };
  for (const SplitBlock<D>& block : fine.split.host) {
    const std::size_t first = aggregates.size();  // the coarse cell, then the loose parts
    const auto aggregate = [&](std::int32_t target) {
      return target == SplitBlock<D>::main ? first
                                           : first + 1 + static_cast<std::size_t>(target - block.first_made);
    };
    const std::ptrdiff_t above = coarse.at(block.coarse);
    aggregates.push_back(above);
    for (std::int32_t k = 0; k < block.made; ++k)
      aggregates.push_back(coarse.first_part + block.first_made + k);
    for (int p = 0; p < 1 << D; ++p) {
      const Index<D> i = cell_in_block<D>(block.coarse, p);
      const std::ptrdiff_t at = fine.grid.cell_range().contains(i) ? fine.at(i) : 0;
      if (at == 0) continue;
      const std::int32_t segment = fine.packed ? fine.packed->segment_of(static_cast<std::int32_t>(at)) : 0;
      add({at, 0, above, false, segment}, aggregate(block.target[p]));
    }
    for (std::int32_t k = block.first_part; k < block.first_part + block.parts; ++k) {
      const std::int32_t part = fine.parts_by_block[k];
      add({fine.first_part + part, 0, 0, true, part}, aggregate(fine.part_target[part]));
    }
  }
  // Unknowns without a place go from level to level as they are.
  for (std::int32_t k = 0; k < fine.loose.placeless; ++k) {
    const std::int32_t part = fine.loose.placed() + k;
    aggregates.push_back(coarse.first_part + coarse.loose.placed() + k);
    add({fine.first_part + part, 0, 0, true, part}, aggregates.size() - 1);
  }
  Groups groups = group_by(aggregate_of, aggregates.size());
  fine.members.start.host = std::move(groups.start);
  fine.members.list.host.clear();
  for (std::int32_t n : groups.members) fine.members.list.host.push_back(members[n]);
  fine.members.residual.host.resize(members.size());
  fine.members.publish(exec);
}

#define GLUG_INSTANTIATE(D, T)                                                                        \
  template class Aggregates<D, T>;                                                                    \
  template void index_loose_parts<D, T>(const Exec&, MultigridLevel<D, T>&);                          \
  template void coarsen_links<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void append_links<D, T>(const Exec&, std::int32_t, MultigridLevel<D, T>&);                 \
  template void place_unknowns<D, T>(const Exec&, const PackedSystem<D, T>*, MultigridLevel<D, T>&);  \
  template void list_members<D, T>(const Exec&, MultigridLevel<D, T>&, const MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
