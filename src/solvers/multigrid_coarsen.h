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

// What the unknowns of a level became part of, for lists that the CPU makes.
template <int D, class T>
class Aggregates {
 public:
  // named: all that may be asked for; on a device their coefficients are asked for at once. Both levels must
  // outlive its use.
  Aggregates(const Exec& exec, const MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse,
             const std::vector<std::ptrdiff_t>& named);

  // Of a cell or loose_part(), the same on the coarse level; `none` for an unknown without couplings, which
  // the smoother alone solves.
  static constexpr std::ptrdiff_t none = std::numeric_limits<std::ptrdiff_t>::min();
  std::ptrdiff_t operator()(std::ptrdiff_t to) const {
    const Index<D> i = cell_of(to);
    return (*this)(to, i, to >= 0 && is_coupled(to, i));
  }
  // The same, for who knows whether the cell has a coupling.
  std::ptrdiff_t operator()(std::ptrdiff_t to, const Index<D>& i, bool coupled) const;
  // The cell it is in.
  Index<D> cell_of(std::ptrdiff_t to) const {
    return to >= 0 ? fine_.cells().at(to) : fine_.loose.cell[loose_part(to)];
  }

 private:
  bool is_coupled(std::ptrdiff_t cell, const Index<D>& i) const;
  const MultigridLevel<D, T>&fine_, &coarse_;
  bool here_;                          // with the CPU
  List<std::ptrdiff_t> cells_;         // else: all named, ascending
  std::vector<std::uint8_t> coupled_;  // whether they have a coupling
};

// Rows P: those that visit(row, f(to, coupling)) tells of the fine level by what its unknowns became, where
// what is merged adds up.
template <int D, class T, class C, class F>
CouplingRows<C> merged_rows(const Exec& exec, std::int32_t count, F visit) {
  using Entry = typename CouplingRows<C>::Entry;
  return make_rows<C>(exec, count, [&](std::int32_t row, std::vector<Entry>& entries) {
    visit(row, [&](std::ptrdiff_t made, const C& coupling) {
      if (made == Aggregates<D, T>::none) return;
      if (!entries.empty() && entries.back().to == made)
        entries.back().coupling += coupling;
      else
        entries.push_back({made, coupling});
    });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& x, const Entry& y) { return x.to < y.to; });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < entries.size(); ++k)
      if (kept > 0 && entries[kept - 1].to == entries[k].to)
        entries[kept - 1].coupling += entries[k].coupling;
      else
        entries[kept++] = entries[k];
    entries.resize(kept);
  });
}

// The couplings of placeless unknowns on the coarse level: those of the cells and parts that were merged,
// halved.
template <int D, class T>
void coarsen_links(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);

// Makes the placeless unknowns the last loose parts of a level.
template <int D, class T>
void append_links(const Exec& exec, std::int32_t unknowns, MultigridLevel<D, T>& level);

// Completes the lists of a level's loose parts after to_cells and to_parts are made: the same couplings seen
// from the cells, and colours.
template <int D, class T>
void index_loose_parts(const Exec& exec, MultigridLevel<D, T>& level);

// To be called once per level when the hierarchy stands: adds the couplings of loose parts to the anchors of
// the cells they touch and inverts the diagonals.
template <int D, class T>
void finish_level(const Exec& exec, std::int32_t placeless, MultigridLevel<D, T>& level);

// Unknowns that have a coupling, at most.
template <int D, class T>
std::int64_t coupled_unknowns(const Exec& exec, const MultigridLevel<D, T>& level);

// Splits blocks into connected parts (multigrid_split.cpp): lists fine.split from the blocks that may be
// split and those that hold loose parts, makes coarse.loose, and corrects the coarse stencil around them.
template <int D, class T>
void split_blocks(const Exec& exec, const std::vector<Index<D>>& candidates, MultigridLevel<D, T>& fine,
                  MultigridLevel<D, T>& coarse);

// Gives the unknowns of a level their places, once the whole hierarchy stands, and shows its lists to the
// kernels. given: its packed system, if it exists already.
template <int D, class T>
void place_unknowns(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level);
// Then lists the members of split blocks.
template <int D, class T>
void list_members(const Exec& exec, MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse);

}  // namespace glug
