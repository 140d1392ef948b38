// multigrid_links.cpp: the lists around loose parts, and unknowns without a place on every level. Work of the
// CPU, proportional to the couplings listed.
#include <algorithm>

#include "core/group_by.h"
#include "core/real.h"
#include "solvers/multigrid_coarsen.h"

namespace glug {
namespace {

template <int D, class T>
void list_touched_cells(MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const View<D, std::int32_t> number = loose.touched_of_cell.view();
  const View<D, const T> cells = level.x.read();
  for (const Index<D>& i : loose.touched.host) number(i) = 0;
  const std::vector<std::int32_t> target = number_targets(
      loose.to_cells.entries.host, [=](std::ptrdiff_t to) -> std::int32_t& { return number.at(to); },
      loose.touched_at.host);
  loose.touched.host.clear();
  for (std::ptrdiff_t at : loose.touched_at.host) loose.touched.host.push_back(cells.range.at(at));
  loose.touched_b.host.resize(loose.touched.size());
  loose.to_touched = transposed(loose.to_cells, target, loose.touched.size());
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

}  // namespace

template <int D, class T>
void index_loose_parts(MultigridLevel<D, T>& level) {
  list_touched_cells(level);
  level.loose.pieces.cut(level.loose.to_cells, level.x.values().memory());
  colour_parts(level.loose);
}

template <int D, class T>
void coarsen_links(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  coarse.links.clear();
  if (fine.links.rows() == 0) return;
  std::vector<std::ptrdiff_t> linked;
  for (const auto& entry : fine.links.entries.host)
    if (entry.to >= 0) linked.push_back(entry.to);
  const CoupledCells<D, T> coupled(exec, *fine.A, std::move(linked));
  const T share = static_cast<T>(fine.anchor_share);
  const View<D, const T> fine_cells = fine.x.read(), coarse_cells = coarse.x.read();
  const View<D, std::int32_t> link_of = coarse.link_of_cell.view();
  std::vector<std::int32_t> link_of_part(coarse.loose.cell.size(), 0);
  const auto known_at = [&](std::ptrdiff_t to) -> std::int32_t& {
    return to >= 0 ? link_of.at(to) : link_of_part[loose_part(to)];
  };

  for (std::int32_t unknown = 0; unknown < fine.links.rows(); ++unknown) {
    fine.links.visit(unknown, [&](std::ptrdiff_t to, T coupling) {
      // An unknown without other couplings is solved by the smoother alone and belongs to no aggregate.
      Index<D> i;
      std::int32_t target;
      if (to < 0) {
        const std::int32_t part = static_cast<std::int32_t>(loose_part(to));
        if (!fine.loose.is_coupled(part)) return;
        i = fine.loose.cell[part];
        target = fine.part_target.host[part];
      } else {
        i = fine_cells.range.at(to);
        if (!coupled(to, i) && !fine.is_touched(i)) return;
        target = fine.target_of(i);
      }
      const std::ptrdiff_t made =
          target == SplitBlock<D>::main ? coarse_cells.offset(coarse_of<D>(i)) : loose_part(target);
      std::int32_t& known = known_at(made);
      if (known == 0) {
        coarse.links.add(made, share * coupling);
        known = static_cast<std::int32_t>(coarse.links.entries.size());
      } else {
        coarse.links.entries.host[known - 1].coupling += share * coupling;
      }
    });
    coarse.links.end_row();
    coarse.links.visit(unknown, [&](std::ptrdiff_t to, T) { known_at(to) = 0; });
  }
}

template <int D, class T>
void append_links(std::int32_t unknowns, MultigridLevel<D, T>& level) {
  if (unknowns == 0) return;
  LooseParts<D, T>& loose = level.loose;
  const std::int32_t parts = loose.placed();
  loose.placeless = unknowns;
  const std::size_t all = static_cast<std::size_t>(loose.count());
  for (List<T>* list : {&loose.anchor, &loose.inverse_diagonal, &loose.x, &loose.b})
    list->host.resize(all, 0);

  // What parts and placeless unknowns share: rows of both.
  std::vector<std::vector<typename CouplingRows<T>::Entry>> added(all);
  for (std::int32_t k = 0; k < unknowns; ++k) {
    double diagonal = 0;
    level.links.visit(k, [&](std::ptrdiff_t to, T coupling) {
      diagonal += coupling;
      if (to >= 0) return loose.to_cells.add(to, coupling);
      const std::ptrdiff_t part = loose_part(to);
      T& anchor = loose.anchor.host[part];
      anchor = anchor > coupling ? anchor - coupling : T(0);  // it is listed now
      added[part].push_back({parts + k, coupling});
      added[parts + k].push_back({part, coupling});
    });
    loose.to_cells.end_row();
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
  index_loose_parts(level);
}

#define GLUG_INSTANTIATE(D, T)                                                                        \
  template void index_loose_parts<D, T>(MultigridLevel<D, T>&);                                       \
  template void coarsen_links<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void append_links<D, T>(std::int32_t, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
