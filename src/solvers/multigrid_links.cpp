// multigrid_links.cpp: the lists around loose parts, and unknowns without a place on every level. Work of the
// CPU, proportional to the couplings listed.
#include <algorithm>

#include "core/group_by.h"
#include "core/real.h"
#include "solvers/multigrid_coarsen.h"
#include "solvers/multigrid_cycle.h"

namespace glug {
namespace {

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

}  // namespace

template <int D, class T>
void LooseParts<D, T>::clear() {
  Field<D, std::int32_t> untouched = std::move(touched_of_cell);
  for (std::size_t n = 0; n < numbered; ++n) untouched.view().at(to_cells.names[n]) = 0;
  *this = {};
  touched_of_cell = std::move(untouched);
}

template <int D, class T>
void LooseParts<D, T>::index(const Exec& exec, const LinkedPlaces<T, double>* known) {
  known ? to_cells.assign(*known, memory_of(exec)) : to_cells.index(memory_of(exec));
  touched_b.host.resize(to_cells.names.size());
  colour_parts(*this);
}

template <int D, class T>
void LooseParts<D, T>::append(const Exec& exec, const CouplingRows<T>& unknowns,
                              const LinkedPlaces<T, double>* known) {
  if (unknowns.rows() == 0) return;
  placeless = unknowns.rows();
  const std::size_t all = static_cast<std::size_t>(count());
  anchor.resize(all, 0);
  // What parts and placeless unknowns share: rows of both.
  std::vector<std::vector<typename CouplingRows<T>::Entry>> of_row(all);
  for (std::int32_t p = 0; p < placed(); ++p)
    to_parts.visit(p, [&](std::ptrdiff_t to, T coupling) { of_row[p].push_back({to, coupling}); });
  for (std::int32_t k = 0; k < placeless; ++k) {
    add_diagonal(unknowns.sum(k));
    if (known) continue;
    unknowns.visit(k, [&](std::ptrdiff_t to, T coupling) {
      if (to >= 0) return to_cells.rows.add(to, coupling);
      const std::ptrdiff_t part = loose_part(to);
      anchor[part] = anchor[part] > coupling ? anchor[part] - coupling : T(0);  // it is listed now
      of_row[part].push_back({placed() + k, coupling});
      of_row[placed() + k].push_back({part, coupling});
    });
    to_cells.rows.end_row();
  }
  to_parts = CouplingRows<T>(of_row);
  index(exec, known);
}

template <int D, class T>
void LooseParts<D, T>::publish(const Exec& exec) {
  touched_b.make_room(exec);
  glug::publish(exec, diagonal, inverse_diagonal, to_cells, to_parts, by_colour);
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
  const auto place_of = [&](std::ptrdiff_t to) { return level.place_of(to); };
  level.loose.to_cells.rename(exec, place_of, &beyond);
  level.movers.own.links.rename(exec, place_of, &beyond);
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
  std::vector<Member> members;
  const auto add_part = [&](std::int32_t part, std::ptrdiff_t to) {
    members.push_back({fine.first_part + part, to, 0, true, part});
  };
  for (const SplitBlock<D>& block : fine.split) {
    const std::ptrdiff_t above = coarse.at(block.coarse);
    const auto place_of = [&](std::int32_t target) {
      return target == main_part ? above : coarse.first_part + target;
    };
    for (int p = 0; p < 1 << D; ++p) {
      const Index<D> i = cell_in_block<D>(block.coarse, p);
      const std::ptrdiff_t at = fine.grid.cell_range().contains(i) ? fine.at(i) : 0;
      if (at == 0) continue;
      const std::int32_t number = fine.packed ? fine.packed->segment_of(static_cast<std::int32_t>(at))
                                              : static_cast<std::int32_t>(fine.cells().number_of(i));
      members.push_back({at, place_of(block.target[p]), above, false, number});
    }
    for (std::int32_t k = block.first_part; k < block.first_part + block.parts; ++k)
      add_part(fine.parts_by_block[k], place_of(fine.part_target[fine.parts_by_block[k]]));
  }
  // Unknowns without a place go from level to level as they are.
  for (std::int32_t k = 0; k < fine.loose.placeless; ++k)
    add_part(fine.loose.placed() + k, coarse.first_part + coarse.loose.placed() + k);
  Members<T>& lists = fine.members;
  const std::vector<std::int32_t> became = number_targets(members, lists.aggregate.host);
  Groups groups = group_by(became, lists.aggregate.size());
  lists.start.host = std::move(groups.start);
  lists.list.host.clear();
  for (std::int32_t n : groups.members) lists.list.host.push_back(members[n]);
  lists.residual.host.resize(members.size());
  lists.publish(exec);
}

#define GLUG_INSTANTIATE(D, T)                                                                       \
  template struct LooseParts<D, T>;                                                                  \
  template void place_unknowns<D, T>(const Exec&, const PackedSystem<D, T>*, MultigridLevel<D, T>&); \
  template void list_members<D, T>(const Exec&, MultigridLevel<D, T>&, const MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
