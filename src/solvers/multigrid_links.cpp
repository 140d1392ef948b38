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
  const auto& entries = loose.to_cells.entries.host;
  const Groups by_cell = group_by(
      number_targets(
          entries, [=](std::ptrdiff_t to) -> std::int32_t& { return number.at(to); }, loose.touched_at.host),
      loose.touched_at.size());
  loose.touched.host.clear();
  for (std::ptrdiff_t at : loose.touched_at.host) loose.touched.host.push_back(cells.range.at(at));
  loose.touched_b.host.resize(loose.touched.size());
  const std::vector<std::int32_t> part_of = rows_of_entries(loose.to_cells.start.host);
  loose.to_touched.clear();
  loose.to_touched.start.host = by_cell.start;
  for (std::int32_t e : by_cell.members)
    loose.to_touched.entries.host.push_back({part_of[e], entries[e].coupling});
}

template <int D, class T>
void cut_rows(std::int32_t length, LooseParts<D, T>& loose) {
  loose.pieces.host.clear();
  loose.piece_start.host.assign(1, 0);
  for (std::int32_t p = 0; p < loose.count(); ++p) {
    const std::int32_t end = loose.to_cells.start.host[p + 1];
    for (std::int32_t begin = loose.to_cells.start.host[p]; begin < end; begin += length)
      loose.pieces.host.push_back({p, begin, std::min(begin + length, end)});
    loose.piece_start.host.push_back(static_cast<std::int32_t>(loose.pieces.size()));
  }
  loose.piece_sum.host.assign(loose.pieces.size(), 0);
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
      for (std::int32_t e = loose.to_parts.start.host[p]; e < loose.to_parts.start.host[p + 1]; ++e) {
        const std::ptrdiff_t to = loose.to_parts.entries.host[e].to;
        taken |= to < p && colour_of[to] == c;
      }
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
  cut_rows(row_piece(level.x.values().memory()), level.loose);
  colour_parts(level.loose);
}

template <int D, class T>
void coarsen_links(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  coarse.links.clear();
  if (fine.links.empty()) return;
  std::vector<std::ptrdiff_t> linked;
  for (const LevelLink<T>& link : fine.links)
    if (!link.to_part) linked.push_back(link.to);
  const std::vector<std::uint8_t> coupled = coupled_flags(exec, *fine.A, linked);
  std::size_t cell_link = 0;
  const View<D, const T> fine_cells = fine.x.read(), coarse_cells = coarse.x.read();
  const View<D, std::int32_t> link_of = coarse.link_of_cell.view();
  std::vector<std::int32_t> link_of_part(coarse.loose.cell.size(), 0);

  for (std::size_t first = 0; first < fine.links.size();) {
    const std::int32_t unknown = fine.links[first].unknown;
    const std::size_t begin = coarse.links.size();
    for (; first < fine.links.size() && fine.links[first].unknown == unknown; ++first) {
      const LevelLink<T>& link = fine.links[first];
      LevelLink<T> made{unknown, false, 0, T(0.5) * link.coupling};
      // An unknown without other couplings is solved by the smoother alone and belongs to no aggregate.
      if (link.to_part) {
        if (!fine.loose.is_coupled(static_cast<std::int32_t>(link.to))) continue;
        const std::int32_t target = fine.part_target.host[link.to];
        made.to_part = target != SplitBlock<D>::main;
        made.to = made.to_part ? target : coarse_cells.offset(coarse_of<D>(fine.loose.cell[link.to]));
      } else {
        const Index<D> i = fine_cells.range.at(link.to);
        if (coupled[cell_link++] == 0 && !fine.is_touched(i)) continue;
        const std::int32_t target = fine.target_of(i);
        made.to_part = target != SplitBlock<D>::main;
        made.to = made.to_part ? target : coarse_cells.offset(coarse_of<D>(i));
      }
      std::int32_t& known = made.to_part ? link_of_part[made.to] : link_of.at(made.to);
      if (known == 0) {
        coarse.links.push_back(made);
        known = static_cast<std::int32_t>(coarse.links.size());
      } else {
        coarse.links[known - 1].coupling += made.coupling;
      }
    }
    for (std::size_t k = begin; k < coarse.links.size(); ++k) {
      const LevelLink<T>& link = coarse.links[k];
      (link.to_part ? link_of_part[link.to] : link_of.at(link.to)) = 0;
    }
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
  std::vector<double> diagonal(static_cast<std::size_t>(unknowns), 0);
  std::size_t next = 0;
  for (std::int32_t k = 0; k < unknowns; ++k) {
    for (; next < level.links.size() && level.links[next].unknown == k; ++next) {
      const LevelLink<T>& link = level.links[next];
      diagonal[k] += link.coupling;
      if (!link.to_part) {
        loose.to_cells.entries.host.push_back({link.to, link.coupling});
        continue;
      }
      T& anchor = loose.anchor.host[link.to];
      anchor = anchor > link.coupling ? anchor - link.coupling : T(0);  // it is listed now
      added[link.to].push_back({parts + k, link.coupling});
      added[parts + k].push_back({link.to, link.coupling});
    }
    loose.to_cells.start.host.push_back(static_cast<std::int32_t>(loose.to_cells.entries.size()));
    const double d = diagonal[k];
    loose.inverse_diagonal.host[parts + k] = static_cast<T>(d > 0 ? 1 / d : 0);
  }
  CouplingRows<T> rows;
  for (std::size_t p = 0; p < all; ++p) {
    if (p < static_cast<std::size_t>(parts))
      for (std::int32_t e = loose.to_parts.start.host[p]; e < loose.to_parts.start.host[p + 1]; ++e)
        rows.entries.host.push_back(loose.to_parts.entries.host[e]);
    for (const auto& entry : added[p]) rows.entries.host.push_back(entry);
    rows.start.host.push_back(static_cast<std::int32_t>(rows.entries.size()));
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
