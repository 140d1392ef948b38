// multigrid_split.cpp: blocks that walls split, one unknown per connected part. Host code over the split
// blocks alone: few in open liquid, most of a coarse grid in a maze, where the grids are already small.
#include <algorithm>

#include "solvers/multigrid_coarsen.h"

namespace glug {
namespace {

constexpr std::int32_t main_part = -1;

// An unknown of the coarse level: a cell, or a loose part in it.
template <int D>
struct Aggregate {
  Index<D> coarse{};
  std::int32_t part = main_part;
  friend bool operator==(const Aggregate& a, const Aggregate& b) {
    return a.coarse == b.coarse && a.part == b.part;
  }
};

// Reads the fine level while the coarse one is made.
template <int D, class T>
struct Splitter {
  MultigridLevel<D, T>& fine;
  MultigridLevel<D, T>& coarse;
  StencilView<D, const T> A = fine.A->read();
  View<D, const std::int32_t> touched = fine.loose.touched_of_cell.read();
  View<D, std::int32_t> split_of = fine.split_of_cell.view();
  View<D, const T> fine_cells = fine.x.read();
  std::vector<std::int32_t> place_of_part{};  // per fine loose part: its rank in its block

  bool has_loose() const { return fine.loose.count() > 0; }
  std::int32_t touched_number(const Index<D>& i) const { return has_loose() ? touched(i) - 1 : -1; }
  bool is_present(const Index<D>& i) const { return is_coupled(A, i) || touched_number(i) >= 0; }
  bool is_present(std::int32_t part) const {
    const LooseParts<D, T>& l = fine.loose;
    return l.to_cells.start[part + 1] > l.to_cells.start[part] ||
           l.to_parts.start[part + 1] > l.to_parts.start[part];
  }
  Index<D> cell_at(std::ptrdiff_t offset) const { return fine_cells.range.at(offset); }
  Aggregate<D> of_cell(const Index<D>& i) const {
    const Index<D> c = coarse_of<D>(i);
    const std::int32_t s = split_of(c);
    return {c, s > 0 ? fine.split[s - 1].target[place_in_block<D>(i)] : main_part};
  }
  Aggregate<D> of_part(std::int32_t p) const {
    return {coarse_of<D>(fine.loose.cell[p]), fine.part_target[p]};
  }

  // f(row entries) over the listed couplings of a loose part, or of a touched cell.
  template <class F>
  static void visit_row(const CouplingRows<T>& rows, std::int32_t n, F f) {
    for (std::int32_t e = rows.start[n]; e < rows.start[n + 1]; ++e)
      f(rows.entries[e].to, rows.entries[e].coupling);
  }

  void list(const std::vector<Index<D>>& candidates);
  void find_parts(SplitBlock<D>& block);
  void couple(const SplitBlock<D>& block);
  void transpose();
  void colour();
};

template <int D, class T>
void Splitter<D, T>::list(const std::vector<Index<D>>& candidates) {
  const LooseParts<D, T>& loose = fine.loose;
  const auto add = [&](const Index<D>& c) {
    if (split_of(c) != 0) return;
    SplitBlock<D> block;
    block.coarse = c;
    fine.split.push_back(block);
    split_of(c) = static_cast<std::int32_t>(fine.split.size());
  };
  for (const Index<D>& c : candidates) add(c);
  for (const Index<D>& i : loose.cell) add(coarse_of<D>(i));
  for (const Index<D>& i : loose.touched) add(coarse_of<D>(i));

  // The loose parts, block by block.
  for (const Index<D>& i : loose.cell) ++fine.split[split_of(coarse_of<D>(i)) - 1].parts;
  std::int32_t next = 0;
  for (SplitBlock<D>& block : fine.split) {
    block.first_part = next;
    next += block.parts;
    block.parts = 0;
  }
  fine.parts_by_block.resize(loose.cell.size());
  place_of_part.resize(loose.cell.size());
  for (std::int32_t p = 0; p < loose.count(); ++p) {
    SplitBlock<D>& block = fine.split[split_of(coarse_of<D>(loose.cell[p])) - 1];
    place_of_part[p] = block.parts;
    fine.parts_by_block[block.first_part + block.parts++] = p;
  }
  fine.part_target.assign(loose.cell.size(), main_part);
}

// Connected parts among the cells (nodes 0 .. 2^D - 1) and loose parts (the nodes after them) of a block.
template <int D, class T>
void Splitter<D, T>::find_parts(SplitBlock<D>& block) {
  constexpr int cells = 1 << D;
  const std::int32_t* parts = fine.parts_by_block.data() + block.first_part;
  std::vector<std::int32_t> parent(static_cast<std::size_t>(cells + block.parts));
  for (std::size_t n = 0; n < parent.size(); ++n) parent[n] = static_cast<std::int32_t>(n);
  const auto root = [&](std::int32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  const auto join = [&](std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (int p = 0; p < cells; ++p)
    for (int a = 0; a < D; ++a)
      if (((p >> a) & 1) && A.coupling[a](cell_in_block<D>(block.coarse, p)) > 0) join(p, p ^ (1 << a));
  for (std::int32_t k = 0; k < block.parts; ++k) {
    visit_row(fine.loose.to_cells, parts[k], [&](std::ptrdiff_t to, T) {
      const Index<D> i = cell_at(to);
      if (coarse_of<D>(i) == block.coarse) join(place_in_block<D>(i), cells + k);
    });
    visit_row(fine.loose.to_parts, parts[k], [&](std::ptrdiff_t to, T) {
      if (coarse_of<D>(fine.loose.cell[to]) == block.coarse) join(cells + place_of_part[to], cells + k);
    });
  }

  std::vector<std::int32_t> number(parent.size(),
                                   -2);  // of the part with this root: main_part, or a loose one
  block.first_made = coarse.loose.count();
  bool main_taken = false;
  for (std::size_t n = 0; n < parent.size(); ++n) {
    const std::int32_t node = static_cast<std::int32_t>(n);
    const bool present =
        node < cells ? is_present(cell_in_block<D>(block.coarse, node)) : is_present(parts[node - cells]);
    std::int32_t target = main_part;
    if (present) {
      std::int32_t& of_root = number[root(node)];
      if (of_root == -2) {
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
void Splitter<D, T>::couple(const SplitBlock<D>& block) {
  const StencilView<D, T> C = coarse.own.view();
  const View<D, const T> cells = coarse.x.read();
  struct Edge {
    std::int32_t part;
    bool to_part;
    std::ptrdiff_t to;
    double coupling;
  };
  std::vector<Edge> edges;
  std::vector<double> anchors(static_cast<std::size_t>(block.made), 0);
  double anchor = 0;
  double across[D][2] = {};
  const auto add_anchor = [&](const Aggregate<D>& u, double k) {
    (u.part == main_part ? anchor : anchors[u.part - block.first_made]) += k;
  };
  const auto add = [&](const Aggregate<D>& u, const Aggregate<D>& v, double k) {
    if (u == v) return;
    if (u.part != main_part) {
      const bool to_part = v.part != main_part;
      edges.push_back({u.part, to_part, to_part ? v.part : cells.offset(v.coarse), k});
    } else if (v.part == main_part) {
      for (int a = 0; a < D; ++a)
        if (v.coarse[a] != u.coarse[a]) across[a][v.coarse[a] > u.coarse[a]] += k;
    }
  };
  for (int p = 0; p < 1 << D; ++p) {
    const Index<D> i = cell_in_block<D>(block.coarse, p);
    if (!is_present(i)) continue;
    const Aggregate<D> u{block.coarse, block.target[p]};
    add_anchor(u, A.anchor(i));
    for (int a = 0; a < D; ++a) {
      const Index<D> unit = Index<D>::unit(a);
      if (A.coupling[a](i) > 0) add(u, of_cell(i - unit), A.coupling[a](i));
      if (A.coupling[a](i + unit) > 0) add(u, of_cell(i + unit), A.coupling[a](i + unit));
    }
    const std::int32_t t = touched_number(i);
    if (t >= 0)
      visit_row(fine.loose.to_touched, t,
                [&](std::ptrdiff_t to, T k) { add(u, of_part(static_cast<std::int32_t>(to)), k); });
  }
  for (std::int32_t n = 0; n < block.parts; ++n) {
    const std::int32_t p = fine.parts_by_block[block.first_part + n];
    if (!is_present(p)) continue;
    const Aggregate<D> u = of_part(p);
    add_anchor(u, fine.loose.anchor[p]);
    visit_row(fine.loose.to_cells, p, [&](std::ptrdiff_t to, T k) { add(u, of_cell(cell_at(to)), k); });
    visit_row(fine.loose.to_parts, p,
              [&](std::ptrdiff_t to, T k) { add(u, of_part(static_cast<std::int32_t>(to)), k); });
  }

  C.anchor(block.coarse) = static_cast<T>(0.5 * anchor);
  for (int a = 0; a < D; ++a) {
    // A face between two split blocks is written by the upper one.
    C.coupling[a](block.coarse) = static_cast<T>(0.5 * across[a][0]);
    const Index<D> high = block.coarse + Index<D>::unit(a);
    if (split_of(high) == 0) C.coupling[a](high) = static_cast<T>(0.5 * across[a][1]);
  }
  LooseParts<D, T>& loose = coarse.loose;
  for (double k : anchors) loose.anchor.push_back(static_cast<T>(0.5 * k));
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    if (x.part != y.part) return x.part < y.part;
    if (x.to_part != y.to_part) return x.to_part < y.to_part;
    if (x.to != y.to) return x.to < y.to;
    return x.coupling < y.coupling;  // so that both ends of an edge add alike
  });
  std::size_t e = 0;
  for (std::int32_t n = 0; n < block.made; ++n) {
    while (e < edges.size() && edges[e].part == block.first_made + n) {
      const Edge first = edges[e];
      double k = 0;
      for (; e < edges.size() && edges[e].part == first.part && edges[e].to_part == first.to_part &&
             edges[e].to == first.to;
           ++e)
        k += edges[e].coupling;
      (first.to_part ? loose.to_parts : loose.to_cells)
          .entries.push_back({first.to, static_cast<T>(0.5 * k)});
    }
    for (CouplingRows<T>* rows : {&loose.to_parts, &loose.to_cells})
      rows->start.push_back(static_cast<std::int32_t>(rows->entries.size()));
  }
}

template <int D, class T>
void Splitter<D, T>::transpose() {
  LooseParts<D, T>& loose = coarse.loose;
  const View<D, std::int32_t> number = loose.touched_of_cell.view();
  const View<D, const T> cells = coarse.x.read();
  std::vector<std::int32_t> next;
  for (const auto& entry : loose.to_cells.entries) {
    const Index<D> i = cells.range.at(entry.to);
    if (number(i) == 0) {
      loose.touched.push_back(i);
      loose.touched_at.push_back(entry.to);
      next.push_back(0);
      number(i) = static_cast<std::int32_t>(loose.touched.size());
    }
    ++next[number(i) - 1];
  }
  loose.touched_b.resize(loose.touched.size());
  CouplingRows<T>& rows = loose.to_touched;
  for (std::int32_t& n : next) {
    const std::int32_t size = n;
    n = rows.start.back();
    rows.start.push_back(n + size);
  }
  rows.entries.resize(loose.to_cells.entries.size());
  for (std::int32_t p = 0; p < loose.count(); ++p)
    visit_row(loose.to_cells, p, [&](std::ptrdiff_t to, T k) {
      rows.entries[next[number(cells.range.at(to)) - 1]++] = {p, k};
    });
}

// Greedy: the least colour no earlier neighbour has.
template <int D, class T>
void Splitter<D, T>::colour() {
  LooseParts<D, T>& loose = coarse.loose;
  std::vector<int> colour_of(loose.cell.size(), 0);
  std::vector<std::int32_t> count;
  for (std::int32_t p = 0; p < loose.count(); ++p) {
    int c = 0;
    for (bool taken = true; taken;) {
      taken = false;
      visit_row(loose.to_parts, p, [&](std::ptrdiff_t to, T) { taken |= to < p && colour_of[to] == c; });
      c += taken;
    }
    colour_of[p] = c;
    if (count.size() <= static_cast<std::size_t>(c)) count.push_back(0);
    ++count[c];
  }
  loose.colour_start.assign(1, 0);
  std::vector<std::int32_t> next;
  for (std::int32_t n : count) {
    next.push_back(loose.colour_start.back());
    loose.colour_start.push_back(next.back() + n);
  }
  loose.by_colour.resize(loose.cell.size());
  for (std::int32_t p = 0; p < loose.count(); ++p) loose.by_colour[next[colour_of[p]]++] = p;
}

}  // namespace

template <int D, class T>
void LooseParts<D, T>::clear() {
  for (const Index<D>& i : touched) touched_of_cell(i) = 0;
  cell.clear();
  anchor.clear();
  inverse_diagonal.clear();
  x.clear();
  b.clear();
  to_cells.clear();
  to_parts.clear();
  by_colour.clear();
  colour_start.assign(1, 0);
  touched.clear();
  touched_at.clear();
  touched_b.clear();
  to_touched.clear();
}

template <int D, class T>
void split_blocks(const std::vector<Index<D>>& candidates, MultigridLevel<D, T>& fine,
                  MultigridLevel<D, T>& coarse) {
  for (const SplitBlock<D>& block : fine.split) fine.split_of_cell(block.coarse) = 0;
  fine.split.clear();
  fine.parts_by_block.clear();
  fine.part_target.clear();
  coarse.loose.clear();
  if (candidates.empty() && fine.loose.count() == 0) return;
  Splitter<D, T> splitter{fine, coarse};
  splitter.list(candidates);
  for (SplitBlock<D>& block : fine.split) splitter.find_parts(block);
  for (const SplitBlock<D>& block : fine.split) splitter.couple(block);
  const std::size_t parts = coarse.loose.cell.size();
  coarse.loose.x.assign(parts, 0);
  coarse.loose.b.assign(parts, 0);
  coarse.loose.inverse_diagonal.assign(parts, 0);
  splitter.transpose();
  splitter.colour();
}

#define GLUG_INSTANTIATE(D, T)                                                          \
  template struct LooseParts<D, T>;                                                     \
  template void split_blocks<D, T>(const std::vector<Index<D>>&, MultigridLevel<D, T>&, \
                                   MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
