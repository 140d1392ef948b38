// component_means.h: the null space of an operator that leaves levels unseen, each a constant on some sets of
// cells: projecting subtracts their means. Cells are listed as stretches of numbers that follow each other,
// in a fixed order: the cost follows the listed cells, and the bits do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/list.h"
#include "solvers/vector.h"

namespace glug {

// Constants on sets that are unseen together.
struct UnseenLevel {
  std::vector<std::int32_t> sets;
  std::vector<double> constants;
};

template <int D>
class ComponentMeans {
 public:
  // Numbers of one set that stand together. (Kernels for devices name no private types.)
  struct Stretch {
    std::ptrdiff_t begin, end;
    std::int32_t set;
  };

  // of_cell: the component of each cell of the listed blocks (< 0: none); set_of: the set of each component
  // (< 0: none), numbered without gaps. Numbers are offsets in a Vector's cells. levels: at right angles to
  // each other, every cell counted.
  void assign(const Exec& exec, const BlocksView<D>& blocks, View<D, const std::int32_t> of_cell,
              const std::vector<std::int32_t>& set_of, std::vector<UnseenLevel> levels);
  // The same for vectors whose cells lie elsewhere: place_of(offset), 0 where there is none, in [begin, end).
  template <class F>
  ComponentMeans renumbered(const Exec& exec, F place_of, std::int32_t begin, std::int32_t end) const;
  // Shows the lists to a device: before project() runs there.
  void publish(const Exec& exec) { glug::publish(exec, stretches_, sums_); }

  // Over each set.
  std::vector<double> sums(const Exec& exec, const double* numbers) const;
  void add(const Exec& exec, const std::vector<double>& constants, double* numbers) const;
  void project(const Exec& exec, double* numbers) const;
  template <class V>
  void project(const Exec& exec, V& v) const {
    project(exec, v.numbers());
  }
  bool empty() const { return stretches_.empty(); }
  const std::vector<UnseenLevel>& levels() const { return levels_; }

 private:
  // Appends the stretches of n numbers from `first` on; set_at(k): of the k-th, < 0: none.
  template <class F>
  static void cut(std::ptrdiff_t first, std::ptrdiff_t n, F set_at, std::vector<Stretch>& out) {
    for (std::ptrdiff_t k = 0; k < n;) {
      const std::ptrdiff_t begin = k;
      const std::int32_t set = set_at(k);
      while (k < n && set_at(k) == set) ++k;
      if (set >= 0) out.push_back({first + begin, first + k, set});
    }
  }
  void take(const std::vector<std::vector<Stretch>>& of_piece, std::vector<UnseenLevel> levels);

  List<Stretch> stretches_;
  std::vector<UnseenLevel> levels_;
  std::vector<double> norms_;  // of each, squared
  mutable List<double> sums_, constants_;
};

template <int D>
template <class F>
ComponentMeans<D> ComponentMeans<D>::renumbered(const Exec& exec, F place_of, std::int32_t begin,
                                                std::int32_t end) const {
  ComponentMeans out;
  if (empty()) return out;
  std::vector<std::int32_t> set_of(static_cast<std::size_t>(end), -1);
  for_each(exec, static_cast<std::ptrdiff_t>(stretches_.size()), [&](std::ptrdiff_t n) {
    const Stretch& s = stretches_.host[n];
    for (std::ptrdiff_t k = s.begin; k < s.end; ++k)
      if (const std::int32_t place = place_of(k); place > 0) set_of[place] = s.set;
  });
  const std::ptrdiff_t pieces = (end - begin + loop_chunk - 1) / loop_chunk;
  std::vector<std::vector<Stretch>> of_piece(static_cast<std::size_t>(pieces));
  for_each_task(exec, pieces, [&](std::ptrdiff_t piece) {
    const std::ptrdiff_t first = begin + piece * loop_chunk;
    cut(
        first, std::min(loop_chunk, end - first), [&](std::ptrdiff_t k) { return set_of[first + k]; },
        of_piece[piece]);
  });
  out.take(of_piece, levels_);
  return out;
}

}  // namespace glug
