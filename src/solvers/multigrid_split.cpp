// multigrid_split.cpp: blocks that walls split, one unknown per connected part. Work of the CPU on the split
// blocks alone: few in open liquid, most of a coarse grid in a maze, where the grids are already small. The
// coefficients it reads are gathered, those it changes are written back, wherever the levels lie.
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "core/group_by.h"
#include "core/real.h"
#include "core/union_find.h"
#include "solvers/multigrid_coarsen.h"

namespace glug {
namespace {

// A coefficient of the coarse stencil to be replaced.
template <int D>
struct Edit {
  int axis;  // of a coupling, or -1: the anchor
  Index<D> at;
  double value;
};

// What some blocks become: how they change the coarse stencil, and the loose parts they make.
template <int D, class T>
struct Coupled {
  std::vector<Edit<D>> edits;
  std::vector<T> anchors;
  CouplingRows<T> to_cells, to_parts;
};

// Reads the fine level while the coarse one is made.
template <int D, class T>
struct Splitter {
  MultigridLevel<D, T>& fine;
  MultigridLevel<D, T>& coarse;
  std::vector<CellCoefficients<D, T>> A{};  // of the cells of split blocks
  View<D, std::int32_t> split_of = fine.split_of_cell.view();
  std::vector<std::int32_t> place_of_part{};  // per fine loose part: its rank in its block

  // The cell at `place` of split block n.
  const CellCoefficients<D, T>& coefficients(std::int32_t n, int place) const { return A[(n << D) + place]; }
  bool is_present_cell(std::int32_t n, int place) const {
    return coefficients(n, place).is_coupled() ||
           fine.is_touched(cell_in_block<D>(fine.split[n].coarse, place));
  }
  // What a cell, or a cell or loose_part(), became part of.
  std::ptrdiff_t of(const Index<D>& i) const { return coarse.name_of(i, fine.target_of(i)); }
  std::ptrdiff_t of(std::ptrdiff_t name) const { return fine.aggregate_of(name, coarse); }

  void list(const Exec& exec, const std::vector<SplitCandidate<D, T>>& candidates);
  void find_parts(std::int32_t number);
  void couple(std::int32_t number, Coupled<D, T>& out) const;
};

template <int D, class T>
void Splitter<D, T>::list(const Exec& exec, const std::vector<SplitCandidate<D, T>>& candidates) {
  const LooseParts<D, T>& loose = fine.loose;
  const auto add = [&](const Index<D>& c) {
    if (split_of(c) != 0) return;
    SplitBlock<D> block;
    block.coarse = c;
    fine.split.push_back(block);
    split_of(c) = static_cast<std::int32_t>(fine.split.size());
  };
  for (const SplitCandidate<D, T>& c : candidates) {
    add(c.coarse);
    A.insert(A.end(), std::begin(c.cells), std::end(c.cells));
  }
  for (const Index<D>& i : loose.cell) add(coarse_of<D>(i));
  for (std::ptrdiff_t touched : loose.to_cells.names) add(coarse_of<D>(fine.cell_of(touched)));
  List<std::ptrdiff_t> others;
  for (std::size_t n = candidates.size(); n < fine.split.size(); ++n)
    for (int p = 0; p < 1 << D; ++p)
      others.host.push_back(fine.cells().number_of(cell_in_block<D>(fine.split[n].coarse, p)));
  if (!others.empty())
    for (const CellCoefficients<D, T>& of_cell : coefficients_of(exec, *fine.A, others)) A.push_back(of_cell);

  // The loose parts, block by block.
  std::vector<std::int32_t> block_of;
  for (const Index<D>& i : loose.cell) block_of.push_back(split_of(coarse_of<D>(i)) - 1);
  Groups by_block = group_by(block_of, fine.split.size());
  place_of_part.resize(loose.cell.size());
  for (std::size_t n = 0; n < fine.split.size(); ++n) {
    SplitBlock<D>& block = fine.split[n];
    block.first_part = by_block.start[n];
    block.parts = by_block.start[n + 1] - block.first_part;
    for (std::int32_t k = 0; k < block.parts; ++k) place_of_part[by_block.members[block.first_part + k]] = k;
  }
  fine.parts_by_block = std::move(by_block.members);
  fine.part_target.assign(loose.cell.size(), main_part);
}

// Connected parts among the cells (nodes 0 .. 2^D - 1) and loose parts (the nodes after them) of a block.
template <int D, class T>
void Splitter<D, T>::find_parts(std::int32_t at) {
  SplitBlock<D>& block = fine.split[at];
  constexpr int cells = 1 << D;
  const std::int32_t* parts = fine.parts_by_block.data() + block.first_part;
  UnionFind connected(static_cast<std::size_t>(cells + block.parts));
  for (int p = 0; p < cells; ++p)
    for (int a = 0; a < D; ++a)
      if (((p >> a) & 1) && coefficients(at, p).to[2 * a] > 0) connected.join(p, p ^ (1 << a));
  for (std::int32_t k = 0; k < block.parts; ++k) {
    fine.loose.to_cells.rows.visit(parts[k], [&](std::ptrdiff_t to, T) {
      const Index<D> i = fine.cell_of(to);
      if (coarse_of<D>(i) == block.coarse) connected.join(place_in_block<D>(i), cells + k);
    });
    fine.loose.to_parts.visit(parts[k], [&](std::ptrdiff_t to, T) {
      if (coarse_of<D>(fine.loose.cell[to]) == block.coarse)
        connected.join(cells + place_of_part[to], cells + k);
    });
  }

  // Of the part with this root: main_part, or a loose one.
  constexpr std::int32_t unnumbered = -2;
  std::vector<std::int32_t> number(static_cast<std::size_t>(cells + block.parts), unnumbered);
  block.first_made = coarse.loose.count();
  bool main_taken = false;
  for (std::int32_t node = 0; node < cells + block.parts; ++node) {
    const bool present =
        node < cells ? is_present_cell(at, node) : fine.loose.is_coupled(parts[node - cells]);
    std::int32_t target = main_part;
    if (present) {
      std::int32_t& of_root = number[connected.root(node)];
      if (of_root == unnumbered) {
        of_root = main_taken ? coarse.loose.count() : main_part;
        if (main_taken) coarse.loose.cell.push_back(block.coarse);
        main_taken = true;
      }
      target = of_root;
    }
    if (node < cells)
      block.target[node] = target;
    else
      fine.part_target[parts[node - cells]] = target;
  }
  block.made = coarse.loose.count() - block.first_made;
}

// The couplings of the aggregates of a block.
template <int D, class T>
void Splitter<D, T>::couple(std::int32_t at, Coupled<D, T>& out) const {
  const SplitBlock<D>& block = fine.split[at];
  const Range<D> cells = coarse.cells();
  std::vector<ExtraLink<double>> edges;
  std::vector<double> anchors(static_cast<std::size_t>(block.made), 0);
  double anchor = 0;
  double across[D][2] = {};
  const auto add_anchor = [&](std::ptrdiff_t u, double k) {
    (u >= 0 ? anchor : anchors[loose_part(u) - block.first_made]) += k;
  };
  const auto add = [&](std::ptrdiff_t u, std::ptrdiff_t v, double k) {
    if (u == v) return;
    if (u < 0)
      edges.push_back({static_cast<std::int32_t>(loose_part(u)), v, k});
    else if (v >= 0)
      for (int a = 0; a < D; ++a)
        for (int above = 0; above < 2; ++above)
          if (v == cells.number_of(block.coarse + Index<D>::unit(a) * (2 * above - 1))) across[a][above] += k;
  };
  for (int p = 0; p < 1 << D; ++p) {
    const Index<D> i = cell_in_block<D>(block.coarse, p);
    if (!is_present_cell(at, p)) continue;
    const std::ptrdiff_t u = of(i);
    add_anchor(u, coefficients(at, p).anchor);
    for (int side = 0; side < 2 * D; ++side)
      if (const T k = coefficients(at, p).to[side]; k > 0)
        add(u, of(i + Index<D>::unit(side / 2) * (2 * (side % 2) - 1)), k);
    if (fine.is_touched(i))
      fine.loose.to_cells.of_places.visit(fine.loose.touched_of_cell(i) - 1,
                                          [&](std::ptrdiff_t part, T k) { add(u, of(loose_part(part)), k); });
  }
  for (std::int32_t n = 0; n < block.parts; ++n) {
    const std::int32_t p = fine.parts_by_block[block.first_part + n];
    if (!fine.loose.is_coupled(p)) continue;
    const std::ptrdiff_t u = of(loose_part(p));
    add_anchor(u, fine.loose.anchor[p]);
    fine.loose.to_cells.rows.visit(p, [&](std::ptrdiff_t to, T k) { add(u, of(to), k); });
    fine.loose.to_parts.visit(p, [&](std::ptrdiff_t part, T k) { add(u, of(loose_part(part)), k); });
  }

  out.edits.push_back({-1, block.coarse, fine.anchor_share * anchor});
  for (int a = 0; a < D; ++a) {
    // A face between two split blocks is written by the upper one.
    out.edits.push_back({a, block.coarse, 0.5 * across[a][0]});
    const Index<D> high = block.coarse + Index<D>::unit(a);
    if (split_of(high) == 0) out.edits.push_back({a, high, 0.5 * across[a][1]});
  }
  for (double k : anchors) out.anchors.push_back(static_cast<T>(fine.anchor_share * k));
  // Cells first, then parts; by their couplings before, so that both ends of an edge add alike.
  using Edge = ExtraLink<double>;
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) { return x.coupling < y.coupling; });
  merge_by_key(
      edges, [](const Edge& e) { return std::tuple(e.unknown, e.cell < 0, std::abs(e.cell)); },
      [](Edge& x, const Edge& y) { x.coupling += y.coupling; });
  auto edge = edges.begin();
  for (std::int32_t n = 0; n < block.made; ++n) {
    for (; edge < edges.end() && edge->unknown == block.first_made + n; ++edge)
      if (edge->cell >= 0)
        out.to_cells.add(edge->cell, static_cast<T>(0.5 * edge->coupling));
      else
        out.to_parts.add(loose_part(edge->cell), static_cast<T>(0.5 * edge->coupling));
    out.to_parts.end_row();
    out.to_cells.end_row();
  }
}

}  // namespace

template <int D, class T>
void split_blocks(const Exec& exec, const std::vector<SplitCandidate<D, T>>& candidates,
                  MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  for (const SplitBlock<D>& block : fine.split) fine.split_of_cell(block.coarse) = 0;
  fine.split.clear();
  fine.parts_by_block.clear();
  fine.part_target.clear();
  coarse.loose.clear();
  if (candidates.empty() && fine.loose.count() == 0) return;
  Splitter<D, T> splitter{fine, coarse};
  splitter.list(exec, candidates);
  const std::int32_t blocks = static_cast<std::int32_t>(fine.split.size());
  for (std::int32_t n = 0; n < blocks; ++n) splitter.find_parts(n);
  constexpr std::int32_t at_once = 8;
  std::vector<Coupled<D, T>> coupled(static_cast<std::size_t>((blocks + at_once - 1) / at_once));
  for_each_equal_task(exec, static_cast<std::ptrdiff_t>(coupled.size()), [&](std::ptrdiff_t task) {
    const std::int32_t first = static_cast<std::int32_t>(task) * at_once;
    for (std::int32_t n = first; n < std::min(first + at_once, blocks); ++n)
      splitter.couple(n, coupled[task]);
  });
  List<Edit<D>> edits;
  LooseParts<D, T>& loose = coarse.loose;
  for (const Coupled<D, T>& part : coupled) {
    edits.host.insert(edits.host.end(), part.edits.begin(), part.edits.end());
    loose.anchor.insert(loose.anchor.end(), part.anchors.begin(), part.anchors.end());
    loose.to_cells.rows.append(part.to_cells);
    loose.to_parts.append(part.to_parts);
  }
  edits.publish(exec);
  const Edit<D>* edit = edits.data();
  const StencilView<D, T> C = coarse.own.view();
  for_each(exec, static_cast<std::ptrdiff_t>(edits.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    const Edit<D>& e = edit[n];
    (e.axis < 0 ? C.anchor(e.at) : C.coupling[e.axis](e.at)) = static_cast<T>(e.value);
  });
  loose.index(exec);
  for (std::ptrdiff_t cell : loose.to_cells.names)
    loose.touched_of_cell.view().at(cell) = static_cast<std::int32_t>(++loose.numbered);
}

#define GLUG_INSTANTIATE(D, T)                                                            \
  template void split_blocks<D, T>(const Exec&, const std::vector<SplitCandidate<D, T>>&, \
                                   MultigridLevel<D, T>&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
