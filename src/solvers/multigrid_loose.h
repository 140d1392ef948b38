// multigrid_loose.h: what a cycle does to loose parts (multigrid_level.h): smoothing, and the way to the next
// coarser level and back. Each works on lists and does nothing where there are none.
#pragma once

#include "solvers/multigrid_device.h"
#include "solvers/multigrid_packed.h"

namespace glug {

// The right-hand side of touched cells, with what the loose parts add to it.
template <int D, class T>
void couple_touched(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const RowsView<T> links(loose.to_touched);
  const std::ptrdiff_t* at = loose.touched_at.data();
  const T* b = loose.touched_b.data();
  const T* parts = loose.x.data();
  T* out = level.b_data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    out[at[n]] = b[n] + links.dot(static_cast<std::int32_t>(n), parts);
  });
}

// What cells contribute to the rows of loose parts, from one on: a long row is the work of many threads.
template <int D, class T>
PieceSums<T> sum_cells(const Exec& exec, MultigridLevel<D, T>& level, std::int32_t from = 0) {
  const LooseParts<D, T>& loose = level.loose;
  const RowsView<T> to_cells(loose.to_cells);
  const T* cells = level.x_data();
  const std::int32_t first = loose.pieces.start.host[from];
  const RowPiece* piece = loose.pieces.pieces.data() + first;
  T* sum = loose.pieces.sums.data() + first;
  for_each_task(exec, loose.pieces.count() - first, [=] GLUG_FN(std::ptrdiff_t n) {
    sum[n] = to_cells.dot(piece[n].begin, piece[n].end, cells);
  });
  return PieceSums<T>(loose.pieces);
}

// Gauss-Seidel on the loose parts, colour by colour.
enum class Order { forwards, backwards };
template <int D, class T>
void relax_loose(const Exec& exec, MultigridLevel<D, T>& level, Order order) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() == 0) return;
  const RowsView<T> to_parts(loose.to_parts);
  const T* b = loose.b.data();
  const T* inverse = loose.inverse_diagonal.data();
  const PieceSums<T> of_cells = sum_cells(exec, level);  // the same for all colours
  const int colours = static_cast<int>(loose.colour_start.size()) - 1;
  for (int k = 0; k < colours; ++k) {
    const int c = order == Order::forwards ? k : colours - 1 - k;
    const std::int32_t* part = loose.by_colour.data() + loose.colour_start[c];
    T* x = loose.x.data();
    for_each(exec, loose.colour_start[c + 1] - loose.colour_start[c], [=] GLUG_FN(std::ptrdiff_t n) {
      const std::int32_t p = part[n];
      x[p] = inverse[p] * of_cells.added(b[p] + to_parts.dot(p, x), p);
    });
  }
  couple_touched(exec, level);
}

// The first sweep, from x = 0.
template <int D, class T>
void start_loose(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() == 0) return;
  T* x = level.x_data();
  const std::ptrdiff_t* at = loose.touched_at.data();
  const T* b = level.b_data();
  T* kept = loose.touched_b.data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    kept[n] = b[at[n]];
    x[at[n]] = 0;
  });
  T* parts = loose.x.data();
  for_each(exec, loose.count(), [=] GLUG_FN(std::ptrdiff_t n) { parts[n] = 0; });
  relax_loose(exec, level, Order::forwards);
}

// The first half sweep again where loose parts changed the right-hand side.
template <int D, class T>
void restart_touched(const Exec& exec, MultigridLevel<D, T>& level) {
  if (level.loose.count() == 0) return;
  const Index<D>* touched = level.loose.touched.data();
  const std::ptrdiff_t* at = level.loose.touched_at.data();
  T* x = level.x_data();
  const T* b = level.b_data();
  const T* inverse = level.inverse_data();
  for_each(exec, level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::ptrdiff_t i = at[n];
    x[i] = colour_of<D>(touched[n]) == Colour::red ? inverse[i] * b[i] : T(0);
  });
}

// Split blocks: residuals go to the part they belong to.
template <int D, class T>
void restrict_split(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (fine.split.empty()) return;
  const T* x = fine.x_data();
  T* b_coarse = coarse.b_data();
  const T* inverse_coarse = coarse.inverse_data();
  const std::ptrdiff_t* coarse_at = fine.split_coarse.data();
  const SplitBlock<D>* split = fine.split.data();
  const RowsView<T> to_cells(fine.loose.to_cells), to_parts(fine.loose.to_parts);
  const std::int32_t* parts = fine.parts_by_block.data();
  const std::int32_t* part_target = fine.part_target.data();
  const T* part_anchor = fine.loose.anchor.data();
  const T* part_x = fine.loose.x.data();
  const T* part_b = fine.loose.b.data();
  // The residuals of all their cells first: many small loops instead of few long ones.
  T* residuals = fine.split_residual.data();
  if (exec.device == Device::cuda)
    split_residuals_on_device(exec, fine, residuals);
  else
    split_residuals_packed(exec, fine, residuals);
  const T* coarse_inverse = coarse.loose.inverse_diagonal.data();
  T* coarse_b = coarse.loose.b.data();
  for_each(exec, fine.split_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const SplitBlock<D>& block = split[n];
    T whole = 0;
    for (std::int32_t k = 0; k < block.made; ++k) coarse_b[block.first_made + k] = 0;
    const auto add = [&](std::int32_t target, T r) {
      if (target == SplitBlock<D>::main)
        whole += r;
      else
        coarse_b[target] += r;
    };
    for (int p = 0; p < 1 << D; ++p) add(block.target[p], residuals[(n << D) + p]);
    for (std::int32_t k = 0; k < block.parts; ++k) {
      const std::int32_t p = parts[block.first_part + k];
      const T diagonal = static_cast<T>(part_anchor[p] + to_cells.sum(p) + to_parts.sum(p));
      add(part_target[p], part_b[p] - diagonal * part_x[p] + to_cells.dot(p, x) + to_parts.dot(p, part_x));
    }
    const std::ptrdiff_t at = coarse_at[n];
    b_coarse[at] = inverse_coarse[at] > 0 ? whole : T(0);
    for (std::int32_t k = block.first_made; k < block.first_made + block.made; ++k)
      if (!(coarse_inverse[k] > 0)) coarse_b[k] = 0;
  });
}

template <int D, class T>
void prolong_split(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (fine.split.empty()) return;
  const SplitBlock<D>* split = fine.split.data();
  const std::int32_t* parts = fine.parts_by_block.data();
  const std::int32_t* part_target = fine.part_target.data();
  const T* coarse_x = coarse.loose.x.data();
  T* part_x = fine.loose.x.data();
  T* x = fine.x_data();
  const T* x_coarse = coarse.x_data();
  const std::ptrdiff_t *coarse_at = fine.split_coarse.data(), *cell_at = fine.split_cells.data();
  for_each(exec, fine.split_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const SplitBlock<D>& block = split[n];
    const T whole = x_coarse[coarse_at[n]];
    for (int p = 0; p < 1 << D; ++p)
      if (block.target[p] != SplitBlock<D>::main)
        x[cell_at[(n << D) + p]] += coarse_x[block.target[p]] - whole;
    for (std::int32_t k = 0; k < block.parts; ++k) {
      const std::int32_t p = parts[block.first_part + k];
      part_x[p] += part_target[p] == SplitBlock<D>::main ? whole : coarse_x[part_target[p]];
    }
  });
}

// Unknowns without a place go from level to level as they are.
template <int D, class T>
void restrict_placeless(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  LooseParts<D, T>& f = fine.loose;
  if (f.placeless == 0) return;
  const RowsView<T> to_parts(f.to_parts);
  const PieceSums<T> of_cells = sum_cells(exec, fine, f.placed());
  const T* x = f.x.data();
  const T* b = f.b.data();
  const T* inverse = f.inverse_diagonal.data();
  T* out = coarse.loose.b.data();
  const T* coarse_inverse = coarse.loose.inverse_diagonal.data();
  const std::int32_t here = f.placed(), there = coarse.loose.placed();
  for_each(exec, f.placeless, [=] GLUG_FN(std::ptrdiff_t k) {
    const std::int32_t p = here + static_cast<std::int32_t>(k);
    T r = of_cells.added(b[p] + to_parts.dot(p, x), p);
    if (inverse[p] > 0) r -= x[p] / inverse[p];
    out[there + k] = coarse_inverse[there + k] > 0 ? r : T(0);
  });
}

template <int D, class T>
void prolong_placeless(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  T* x = fine.loose.x.data() + fine.loose.placed();
  const T* from = coarse.loose.x.data() + coarse.loose.placed();
  for_each(exec, fine.loose.placeless, [=] GLUG_FN(std::ptrdiff_t k) { x[k] += from[k]; });
}

}  // namespace glug
