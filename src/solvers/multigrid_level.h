// multigrid_level.h: one grid of the multigrid hierarchy, and the unknowns on it that share a cell.
//
// A cell of a coarse grid stands for the unknowns of a block of 2^D cells of the grid above. Where walls
// split a block into parts that do not touch inside it, the first part is the cell itself and every other one
// is a loose part: an unknown of its own that has a place (the cell) but no room in the stencil. Its
// couplings are listed: to cells, and to other loose parts. A cell with such a coupling k adds it to its
// anchor and gets k x_part added to its right-hand side, so the kernels of the stencil need not know.
// Unknowns without a place (a bubble) are carried through all levels unmerged: loose parts after those that
// have a cell. Movers (movers.h) have lists of their own on every level (multigrid_movers.h).
//
// While levels are made lists name cells by their offsets on the grid (solvers/layout.h) and parts by
// loose_part(). When the hierarchy stands each unknown gets its place (place_unknowns): on a device cells
// keep their rows (colour.h), on the CPU they lie side by side (multigrid_packed.h); loose parts come behind
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/extra_unknowns.h"
#include "solvers/multigrid_movers.h"
#include "solvers/packed_stencil.h"
#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
struct LooseParts {
  std::vector<Index<D>> cell;          // where each part is that has a place
  std::int32_t placeless = 0;          // those after them
  std::vector<T> anchor;               // without couplings
  List<T> diagonal, inverse_diagonal;  // of each part, in their order
  LinkedPlaces<T, T> to_cells;         // one row per part; those cells are touched
  CouplingRows<T> to_parts;            // one row per part
  List<std::int32_t> by_colour;        // parts of one colour do not touch each other
  std::vector<std::int32_t> colour_start;

  List<T> touched_b;                       // right-hand side without what the parts add to it
  Field<D, std::int32_t> touched_of_cell;  // by parts with a place: 1 + its number, else 0; for the CPU
  std::size_t numbered = 0;                // cells in it

  std::int32_t placed() const { return static_cast<std::int32_t>(cell.size()); }
  std::int32_t count() const { return placed() + placeless; }
  // Whether a part has couplings to cells or other parts.
  bool is_coupled(std::int32_t part) const {
    return to_cells.rows.has_entries(part) || to_parts.has_entries(part);
  }
  // Of the anchor and all couplings of a part.
  double sum(std::int32_t part) const { return anchor[part] + to_cells.rows.sum(part) + to_parts.sum(part); }
  void add_diagonal(double d) {
    diagonal.host.push_back(static_cast<T>(d));
    inverse_diagonal.host.push_back(static_cast<T>(d > 0 ? 1 / d : 0));
  }
  std::ptrdiff_t touched_count() const { return to_cells.count(); }
  void clear();
  // Completes the lists once to_cells and to_parts are made: the same couplings seen from the cells, colours.
  // known: what to_cells is to be, if that exists.
  void index(const Exec& exec, const LinkedPlaces<T, double>* known = nullptr);
  // Makes unknowns without a place, with rows to cells and to loose_part()s, the last loose parts. known:
  // they are the only ones, and these are their rows.
  void append(const Exec& exec, const CouplingRows<T>& unknowns, const LinkedPlaces<T, double>* known);
  void publish(const Exec& exec);
};

// What belongs to a coarse cell itself, where others belong to its loose parts.
inline constexpr std::int32_t main_part = -1;

// A block of 2^D cells whose unknowns do not all belong to the coarse cell.
template <int D>
struct SplitBlock {
  Index<D> coarse{};
  std::int32_t target[1 << D];             // per cell: the coarse loose part it belongs to, or main_part
  std::int32_t first_part = 0, parts = 0;  // of `parts_by_block`: the loose parts of the fine grid inside it
  std::int32_t first_made = 0, made = 0;   // the coarse loose parts it became
};

// Unknowns of split blocks, and placeless ones: where each is, what it became part of on the coarse level,
// and what the coarse cell above, whose value all cells of a block are given, has instead (place 0 for parts,
// which are given nothing: there it is 0).
struct Member {
  std::ptrdiff_t at = 0, to = 0, above = 0;
  bool is_part = false;
  std::int32_t number = 0;  // of a part; of a cell on its grid or, side by side with others, of its segment
};
template <class T>
struct Members {
  List<Member> list;               // by what they became part of
  List<std::int32_t> start;        // of those of each
  List<std::ptrdiff_t> aggregate;  // where it is on the coarse level
  List<T> residual;                // of each member

  void publish(const Exec& exec) {
    residual.make_room(exec);
    glug::publish(exec, list, start, aggregate);
  }
};

template <int D>
GLUG_INLINE Index<D> coarse_of(const Index<D>& i) {
  Index<D> c{};
  for (int a = 0; a < D; ++a) c[a] = i[a] >> 1;
  return c;
}
template <int D>
GLUG_INLINE int place_in_block(const Index<D>& i) {
  int n = 0;
  for (int a = 0; a < D; ++a) n |= (i[a] & 1) << a;
  return n;
}
template <int D>
GLUG_INLINE Index<D> cell_in_block(const Index<D>& coarse, int place) {
  Index<D> i{};
  for (int a = 0; a < D; ++a) i[a] = 2 * coarse[a] + ((place >> a) & 1);
  return i;
}

template <int D, class T>
struct MultigridLevel {
  Grid<D> grid{};
  Blocks<D> blocks;                  // of coarse levels
  BlocksView<D> listed_blocks;       // those of A, for the CPU
  Stencil<D, T> own;                 // of coarse levels
  const Stencil<D, T>* A = nullptr;  // own, or the operator itself on the finest level
  LooseParts<D, T> loose;
  CouplingRows<T> own_links;  // of placeless unknowns on coarse levels: to cells and to loose_part()s
  const ExtraUnknowns<T>* extras = nullptr;  // of the finest level: those links
  const CouplingRows<T>& links() const { return extras ? extras->rows() : own_links; }
  LevelMovers<D, T> movers;

  // One number per unknown, loose parts from first_part on.
  Buffer<T> x, b;
  std::ptrdiff_t first_part = 0;
  Buffer<T> inverse_on_device;                  // of the diagonals of cells, 0 where there is no unknown
  RememberedBlocks<D> listed;                   // blocks these were last used on
  const PackedStencil<D, T>* packed = nullptr;  // null on a device
  PackedStencil<D, T> own_packed;               // of coarse levels

  // How this level becomes the next coarser one.
  double anchor_share = 0.5;  // of anchors and links; couplings are halved
  std::vector<SplitBlock<D>> split;
  std::vector<std::int32_t>
      parts_by_block;                     // numbers of this level's loose parts, split block by split block
  std::vector<std::int32_t> part_target;  // per loose part: the coarse loose part, or main_part
  Field<D, std::int32_t> split_of_cell;   // on the coarse grid: 1 + number of the split block, 0 = whole
  Members<T> members;

  // The coarse loose part that a cell with couplings became part of, or main_part.
  std::int32_t target_of(const Index<D>& i) const {
    const std::int32_t n = split_of_cell(coarse_of<D>(i));
    return n > 0 ? split[n - 1].target[place_in_block<D>(i)] : main_part;
  }
  // The cell of a cell or loose_part().
  Index<D> cell_of(std::ptrdiff_t name) const {
    return name >= 0 ? cells().at(name) : loose.cell[loose_part(name)];
  }
  // The cell, or loose_part(), that something in a cell of the finer grid became part of.
  std::ptrdiff_t name_of(const Index<D>& finer, std::int32_t target) const {
    return target == main_part ? cells().number_of(coarse_of<D>(finer)) : loose_part(target);
  }
  std::ptrdiff_t aggregate_of(std::ptrdiff_t name, const MultigridLevel& coarse) const {
    const Index<D> i = cell_of(name);
    return coarse.name_of(i, name >= 0 ? target_of(i) : part_target[loose_part(name)]);
  }
  // Whether loose parts touch a cell.
  bool is_touched(const Index<D>& i) const { return loose.count() > 0 && loose.touched_of_cell(i) != 0; }
  // Whether a part has couplings, or a cell some to loose parts.
  bool is_tied(std::ptrdiff_t name) const {
    return name >= 0 ? is_touched(cells().at(name))
                     : loose.is_coupled(static_cast<std::int32_t>(loose_part(name)));
  }
  // The layout of cells on the grid.
  Range<D> cells() const { return solver_cells<D>(grid); }
  // The place of a cell, 0 = none, and of a cell or loose_part() that is an unknown.
  std::ptrdiff_t at(const Index<D>& i) const {
    return packed ? packed->place(i) : ColourRows<D>(cells()).place(i);
  }
  std::ptrdiff_t place_of(std::ptrdiff_t to) const {
    return to < 0 ? first_part + loose_part(to) : at(cells().at(to));
  }
  T* part_x() { return x.data() + first_part; }
  T* part_b() { return b.data() + first_part; }
  const T* inverse_diagonal() const { return packed ? packed->inverse_diagonal() : inverse_on_device.data(); }
};

// The colours that the way down and up must see. A half sweep reads one and writes the other: so what is
// prolonged to black cells, relaxed next, need not be, and after black cells were relaxed they have no
// residual. Only movers, held anew in between, see either.
template <int D, class T>
int colours_to_pass(const MultigridLevel<D, T>& level) {
  return level.movers.lists ? 2 : 1;
}

}  // namespace glug
