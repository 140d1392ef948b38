// multigrid_coarsen.h: from one level of the multigrid to the next.
//
//   A_coarse = 1/2 P^T A P,   P piecewise constant on aggregates
//
// An aggregate is what is connected, by couplings > 0, among the unknowns of a block of 2^D cells. So a
// coarse coupling is half the sum of the fine ones between two aggregates, a coarse anchor half the sum of
// the anchors. The half makes up for the stiffness piecewise constants add: without it twice as many
// iterations are needed. It takes what anchors tie to for half a cell away from the outermost unknowns; who
// knows that it is a whole cell away gives the second level more of them (Multigrid::set_anchor_share). An
// unknown without couplings is solved by the smoother alone and belongs to no aggregate. Source:
// over-corrected aggregation after Braess 1995; an unknown per connected part after Dick et al. 2016.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/for_each.h"
#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

// Fills coarse.blocks, coarse.own and coarse.loose (all but their diagonals) and how fine maps to them.
template <int D, class T>
void coarsen(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);

// What f(item) says of each item of a list, asked where the coefficients lie.
template <class Answer, class Item, class F>
std::vector<Answer> ask(const Exec& exec, List<Item>& items, F f) {
  items.publish(exec);
  List<Answer> answers;
  answers.host.resize(items.size());
  answers.make_room(exec);
  const Item* item = items.data();
  Answer* out = answers.data();
  for_each(exec, static_cast<std::ptrdiff_t>(items.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { out[n] = f(item[n]); });
  answers.fetch();
  return std::move(answers.host);
}

// All coefficients of a cell.
template <int D, class T>
struct CellCoefficients {
  T anchor, to[2 * D];  // as RowCouplings has them
  double diagonal() const { return std::accumulate(to, to + 2 * D, static_cast<double>(anchor)); }
  bool is_coupled() const {
    return std::any_of(to, to + 2 * D, [](T coupling) { return coupling > 0; });
  }
};
template <int D, class T>
GLUG_INLINE CellCoefficients<D, T> coefficients_at(const StencilView<D, const T>& A, const Index<D>& i) {
  const RowCouplings<D, T> row(A, i);
  CellCoefficients<D, T> c{row.anchor[0], {}};
  for (int side = 0; side < row.sides; ++side) c.to[side] = row.to[side][0];
  return c;
}
// A block whose cells are not all connected inside it, and theirs.
template <int D, class T>
struct SplitCandidate {
  Index<D> coarse{};
  CellCoefficients<D, T> cells[1 << D];
};
template <int D, class T>
GLUG_INLINE SplitCandidate<D, T> candidate_at(const StencilView<D, const T>& A, const Index<D>& coarse) {
  SplitCandidate<D, T> block{coarse, {}};
  for (int p = 0; p < 1 << D; ++p) block.cells[p] = coefficients_at(A, cell_in_block<D>(coarse, p));
  return block;
}
// Those of listed cells, for the CPU.
template <int D, class T>
std::vector<CellCoefficients<D, T>> coefficients_of(const Exec& exec, const Stencil<D, T>& stencil,
                                                    List<std::ptrdiff_t>& cells) {
  const StencilView<D, const T> A = stencil.read();
  return ask<CellCoefficients<D, T>>(
      exec, cells, [=] GLUG_FN(std::ptrdiff_t cell) { return coefficients_at(A, A.anchor.range.at(cell)); });
}

// Adds to the anchors of listed cells; loose parts among them are left out.
template <int D, class T, class V>
void add_to_anchors(const Exec& exec, List<std::ptrdiff_t>& cells, List<V>& values,
                    const StencilView<D, T>& A) {
  publish(exec, cells, values);
  const std::ptrdiff_t* cell = cells.data();
  const V* value = values.data();
  for_each(exec, static_cast<std::ptrdiff_t>(cells.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    if (cell[n] >= 0) A.anchor.at(cell[n]) = static_cast<T>(A.anchor.at(cell[n]) + value[n]);
  });
}

// What an unknown without couplings belongs to, which the smoother alone solves.
inline constexpr std::ptrdiff_t no_aggregate = std::numeric_limits<std::ptrdiff_t>::min();
// What unknowns of a level, cells or loose_part()s, became part of: the same on the coarse level.
template <int D, class T>
std::vector<std::ptrdiff_t> aggregates(const Exec& exec, const MultigridLevel<D, T>& fine,
                                       const MultigridLevel<D, T>& coarse,
                                       const std::vector<std::ptrdiff_t>& names) {
  List<std::ptrdiff_t> asked;
  asked.host = names;
  const StencilView<D, const T> A = fine.A->read();
  const auto coupled = ask<std::uint8_t>(exec, asked, [=] GLUG_FN(std::ptrdiff_t name) -> std::uint8_t {
    return name >= 0 && A.is_coupled(A.anchor.range.at(name));
  });
  std::vector<std::ptrdiff_t> made(names.size(), no_aggregate);
  for_each_equal_task(exec, static_cast<std::ptrdiff_t>(names.size()), [&](std::ptrdiff_t n) {
    if (coupled[n] || fine.is_tied(names[n])) made[n] = fine.aggregate_of(names[n], coarse);
  });
  return made;
}

// Rows P: those of the fine level by what its unknowns became, made(entry), where what is merged adds up.
// coupling_of: what they have instead of their couplings.
template <class C, class T, class Made, class F>
CouplingRows<C> merged_rows(const Exec& exec, const CouplingRows<T>& rows, const Made& made, F coupling_of) {
  using Entry = typename CouplingRows<C>::Entry;
  return make_rows<C>(exec, rows.rows(), [&](std::int32_t row, std::vector<Entry>& entries) {
    for (std::int32_t e = rows.start.host[row]; e < rows.start.host[row + 1]; ++e) {
      const std::ptrdiff_t to = made(e);
      if (to == no_aggregate) continue;
      const C coupling = coupling_of(rows.entries.host[e].coupling);
      if (!entries.empty() && entries.back().to == to)
        entries.back().coupling += coupling;
      else
        entries.push_back({to, coupling});
    }
    merge_by_key(
        entries, [](const Entry& entry) { return entry.to; },
        [](Entry& x, const Entry& y) { x.coupling += y.coupling; });
  });
}

// To be called once per level when the hierarchy stands: adds the couplings of loose parts to the anchors of
// the cells they touch, inverts the diagonals and makes placeless unknowns the last loose parts.
template <int D, class T>
void finish_level(const Exec& exec, MultigridLevel<D, T>& level);

// Splits blocks into connected parts (multigrid_split.cpp): lists fine.split from the blocks that may be
// split and those that hold loose parts, makes coarse.loose, and corrects the coarse stencil around them.
template <int D, class T>
void split_blocks(const Exec& exec, const std::vector<SplitCandidate<D, T>>& candidates,
                  MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);

// Gives the unknowns of a level their places, once the whole hierarchy stands, and shows its lists to the
// kernels. given: its packed system, if it exists already.
template <int D, class T>
void place_unknowns(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level);
// Then lists the members of split blocks.
template <int D, class T>
void list_members(const Exec& exec, MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse);

}  // namespace glug
