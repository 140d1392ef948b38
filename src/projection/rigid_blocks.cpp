#include "projection/rigid_blocks.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"
#include "projection/rigid_cubes.h"
#include "projection/viscosity_rows.h"

namespace glug {
namespace {

// The factorisation may cost this many operations for each unknown: some five multigrid cycles.
constexpr double most_work = 1000;

}  // namespace

// How fast a face of an axis moves in each of its part's motions; lengths in cells.
template <int D, class T>
void RigidBlocks<D, T>::motions_of(std::int32_t part, int axis, const Index<D>& face, double* m) const {
  for (int k = 0; k < motions; ++k) m[k] = 0;
  m[axis] = 1;
  const Vec<D, double>& middle = parts_.middle[static_cast<std::size_t>(part)];
  Vec<D, double> x{};
  for (int a = 0; a < D; ++a) x[a] = face[a] + (a == axis ? 0.0 : 0.5) - middle[a];
  int turn = D;
  for (int p = 0; p < D; ++p)
    for (int q = p + 1; q < D; ++q, ++turn) m[turn] = axis == p ? -x[q] : axis == q ? x[p] : 0;
}

// Cuthill and McKee's order: outwards from the first part of each piece of liquid.
template <int D, class T>
double RigidBlocks<D, T>::order_parts() {
  const std::size_t count = static_cast<std::size_t>(parts_.count);
  std::vector<std::int32_t> order;
  row_.assign(count, -1);
  first_.assign(count, 0);
  const auto append = [&](std::int32_t part) {
    if (row_[static_cast<std::size_t>(part)] >= 0) return;
    row_[static_cast<std::size_t>(part)] = static_cast<std::int32_t>(order.size());
    order.push_back(part);
  };
  for (std::int32_t start = 0; start < parts_.count; ++start) {
    std::size_t next = order.size();
    append(start);
    for (; next < order.size(); ++next)
      for (std::int32_t other : parts_.touching[static_cast<std::size_t>(order[next])]) append(other);
  }
  double work = 0;
  for (std::size_t p = 0; p < count; ++p) {
    first_[p] = row_[p];
    for (std::int32_t other : parts_.touching[p])
      first_[p] = std::min(first_[p], row_[static_cast<std::size_t>(other)]);
    const double width = motions * (row_[p] - first_[p] + 1.0);
    work += motions * width * width;
  }
  return work;
}

// Rows of different chunks by different threads; then added up in order.
template <int D, class T>
void RigidBlocks<D, T>::assemble(const Exec& exec, const ViscositySystem<D, T>& system) {
  struct Block {
    std::int32_t other = -1;
    double entry[motions][motions] = {};
  };
  std::vector<std::vector<Block>> of_chunk(parts_.chunks.size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(parts_.chunks.size()), [&](std::ptrdiff_t c) {
    const typename RigidParts<D>::Chunk& chunk = parts_.chunks[static_cast<std::size_t>(c)];
    const std::int32_t own = row_[static_cast<std::size_t>(chunk.part)];
    std::vector<Block>& blocks = of_chunk[static_cast<std::size_t>(c)];
    double here[motions], there[motions];
    for (std::size_t n = chunk.begin; n < chunk.end; ++n) {
      const typename RigidParts<D>::Face& face = parts_.faces[n];
      motions_of(chunk.part, face.axis, face.at, here);
      visit_row(system, face.axis, face.at, [&](int axis, const Index<D>& j, double entry) {
        if (entry == 0) return;
        const std::int32_t other = part_of(system, parts_, axis, j);
        if (other < 0 || row_[static_cast<std::size_t>(other)] > own) return;  // the lower triangle alone
        motions_of(other, axis, j, there);
        auto block =
            std::find_if(blocks.begin(), blocks.end(), [=](const Block& b) { return b.other == other; });
        if (block == blocks.end()) {
          blocks.push_back({});
          block = blocks.end() - 1;
          block->other = other;
        }
        for (int m = 0; m < motions; ++m)
          if (here[m] != 0)
            for (int k = 0; k < motions; ++k) block->entry[m][k] += entry * here[m] * there[k];
      });
    }
  });
  std::vector<std::int32_t> first(motions * row_.size());
  for (std::size_t p = 0; p < row_.size(); ++p)
    for (int m = 0; m < motions; ++m)
      first[static_cast<std::size_t>(motions * row_[p] + m)] = motions * first_[p];
  factor_.resize(first);
  for (std::size_t c = 0; c < of_chunk.size(); ++c) {
    const std::int32_t own = row_[static_cast<std::size_t>(parts_.chunks[c].part)];
    for (const Block& block : of_chunk[c]) {
      const std::int32_t other = row_[static_cast<std::size_t>(block.other)];
      for (int m = 0; m < motions; ++m)
        for (int k = 0; k < (other == own ? m + 1 : motions); ++k)
          factor_.at(motions * own + m, motions * other + k) += block.entry[m][k];
    }
  }
  factor_.factorise();
  x_.resize(first.size());
  sums_.resize(motions * parts_.chunks.size());
}

template <int D, class T>
void RigidBlocks<D, T>::prepare(const Exec& exec, const ViscosityInput<D, T>& input,
                                const ViscositySystem<D, T>& system) {
  find_cubes(exec, system, parts_);
  if (parts_.count > 0) list_faces(exec, system, parts_);
  if (parts_.count == 0 || order_parts() > most_work * static_cast<double>(system.unknowns())) {
    lumps_.find(exec, input, system, parts_);
    if (parts_.count == 0) return;
    list_faces(exec, system, parts_);
    if (order_parts() > most_work * static_cast<double>(system.unknowns())) parts_.count = 0;
  }
  if (parts_.count > 0) assemble(exec, system);
}

template <int D, class T>
void RigidBlocks<D, T>::add(const Exec& exec, const MacVector<D>& r, MacVector<D>& z) {
  const std::ptrdiff_t chunks = static_cast<std::ptrdiff_t>(parts_.chunks.size());
  const auto row_of = [&](std::size_t chunk) {
    return static_cast<std::size_t>(motions * row_[static_cast<std::size_t>(parts_.chunks[chunk].part)]);
  };
  for_each_task(exec, chunks, [&](std::ptrdiff_t c) {
    const typename RigidParts<D>::Chunk& chunk = parts_.chunks[static_cast<std::size_t>(c)];
    double sum[motions] = {}, m[motions];
    for (std::size_t n = chunk.begin; n < chunk.end; ++n) {
      const typename RigidParts<D>::Face& face = parts_.faces[n];
      motions_of(chunk.part, face.axis, face.at, m);
      for (int k = 0; k < motions; ++k) sum[k] += m[k] * r[face.axis].cells(face.at);
    }
    for (int k = 0; k < motions; ++k) sums_[static_cast<std::size_t>(motions * c + k)] = sum[k];
  });
  std::fill(x_.begin(), x_.end(), 0.0);
  for (std::size_t c = 0; c < parts_.chunks.size(); ++c)
    for (std::size_t k = 0; k < motions; ++k) x_[row_of(c) + k] += sums_[motions * c + k];
  factor_.solve(x_.data());
  for_each_task(exec, chunks, [&](std::ptrdiff_t c) {
    const typename RigidParts<D>::Chunk& chunk = parts_.chunks[static_cast<std::size_t>(c)];
    const double* x = x_.data() + row_of(static_cast<std::size_t>(c));
    double m[motions];
    for (std::size_t n = chunk.begin; n < chunk.end; ++n) {
      const typename RigidParts<D>::Face& face = parts_.faces[n];
      motions_of(chunk.part, face.axis, face.at, m);
      double sum = 0;
      for (int k = 0; k < motions; ++k) sum += m[k] * x[k];
      z[face.axis].cells(face.at) += sum;
    }
  });
}

template class RigidBlocks<2, Real>;
template class RigidBlocks<3, Real>;

}  // namespace glug
