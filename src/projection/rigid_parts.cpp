#include "projection/rigid_parts.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"
#include "projection/viscosity_rows.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

template <int D>
void cut_into_chunks(const std::vector<std::size_t>& first, RigidParts<D>& parts) {
  parts.chunks.clear();
  for (std::int32_t p = 0; p < parts.count; ++p) {
    const std::size_t end = first[static_cast<std::size_t>(p) + 1];
    for (std::size_t n = first[static_cast<std::size_t>(p)]; n < end; n += RigidParts<D>::chunk_size)
      parts.chunks.push_back({p, n, std::min(end, n + RigidParts<D>::chunk_size)});
  }
}

template <int D, class T>
void find_touching(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  std::vector<std::vector<std::int32_t>> seen(parts.chunks.size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(parts.chunks.size()), [&](std::ptrdiff_t c) {
    const typename RigidParts<D>::Chunk& chunk = parts.chunks[static_cast<std::size_t>(c)];
    std::vector<std::int32_t>& others = seen[static_cast<std::size_t>(c)];
    for (std::size_t n = chunk.begin; n < chunk.end; ++n)
      visit_row(system, parts.faces[n].axis, parts.faces[n].at,
                [&](int axis, const Index<D>& j, double entry) {
                  if (entry == 0) return;
                  const std::int32_t p = part_of(system, parts, axis, j);
                  if (p >= 0 && p != chunk.part && std::find(others.begin(), others.end(), p) == others.end())
                    others.push_back(p);
                });
  });
  parts.touching.assign(static_cast<std::size_t>(parts.count), {});
  for (std::size_t c = 0; c < seen.size(); ++c) {
    std::vector<std::int32_t>& all = parts.touching[static_cast<std::size_t>(parts.chunks[c].part)];
    all.insert(all.end(), seen[c].begin(), seen[c].end());
  }
  for (std::vector<std::int32_t>& all : parts.touching) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
}

// The part of each unknown of an axis, -1 at other faces.
template <int D, class T>
struct PartOfUnknown {
  BlocksView<D> blocks;
  View<D, const T> anchor;
  View<D, const std::int32_t> of_face;

  GLUG_INLINE std::int32_t operator()(const Index<D>& i) const { return anchor(i) > 0 ? of_face(i) : -1; }
  // f(face, part) for the faces of a block that have one.
  template <class F>
  GLUG_INLINE void visit_block(std::int32_t slot, F&& f) const {
    visit(intersection(blocks.indices(slot), blocks.grid.cell_range()), [&](const Index<D>& i) {
      if (const std::int32_t p = (*this)(i); p >= 0) f(i, p);
    });
  }
};

template <int D, class T>
PartOfUnknown<D, T> part_of_unknown(const ViscositySystem<D, T>& system, const RigidParts<D>& parts,
                                    int axis) {
  return {system.blocks(axis), system.stencil(axis).read().anchor, parts.of_face[axis].read()};
}

}  // namespace

template <int D, class T>
void list_faces(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  const std::size_t count = static_cast<std::size_t>(parts.count);
  // How many faces each block has of each part: (part, slot).
  std::array<std::vector<RegionPair>, D> runs;
  std::vector<std::size_t> first(count + 1, 0);
  parts.middle.assign(count, Vec<D, double>{});
  for (int axis = 0; axis < D; ++axis) {
    const PartOfUnknown<D, T> part = part_of_unknown(system, parts, axis);
    runs[axis] =
        join_lists<D, RegionPair>(exec, part.blocks, [=](std::int32_t slot, std::vector<RegionPair>& list) {
          part.visit_block(slot, [&](const Index<D>&, std::int32_t p) { add_pair(list, p, slot, 1); });
        });
    for (const RegionPair& run : runs[axis])
      first[static_cast<std::size_t>(run.first) + 1] += static_cast<std::size_t>(run.count);
    const auto sums = region_sums<D, D>(exec, part.blocks, parts.count, part, [=](const Index<D>& i) {
      std::array<double, D> x;
      for (int a = 0; a < D; ++a) x[a] = i[a] + (a == axis ? 0.0 : 0.5);
      return x;
    });
    for (std::size_t p = 0; p < count; ++p)
      for (int a = 0; a < D; ++a) parts.middle[p][a] += sums[p][a];
  }
  for (std::size_t p = 1; p < first.size(); ++p) first[p] += first[p - 1];
  for (std::size_t p = 0; p < count; ++p)
    parts.middle[p] *= 1.0 / static_cast<double>(std::max<std::size_t>(1, first[p + 1] - first[p]));
  parts.faces.resize(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (int axis = 0; axis < D; ++axis) {
    const PartOfUnknown<D, T> part = part_of_unknown(system, parts, axis);
    // Where each run's faces stand, and which runs are a block's.
    std::vector<std::size_t> run_of(static_cast<std::size_t>(part.blocks.count) + 1, 0), place;
    for (const RegionPair& run : runs[axis]) {
      ++run_of[static_cast<std::size_t>(run.second) + 1];
      place.push_back(next[static_cast<std::size_t>(run.first)]);
      next[static_cast<std::size_t>(run.first)] += static_cast<std::size_t>(run.count);
    }
    for (std::size_t slot = 1; slot < run_of.size(); ++slot) run_of[slot] += run_of[slot - 1];
    for_each_block(exec, part.blocks,
                   [=, begin = run_of.data(), run = runs[axis].data(), at = place.data(),
                    faces = parts.faces.data()](std::int32_t slot) {
                     std::size_t r = begin[slot];
                     part.visit_block(slot, [&](const Index<D>& i, std::int32_t p) {
                       if (run[r].first != p)
                         for (r = begin[slot]; run[r].first != p;) ++r;
                       faces[at[r]++] = {i, axis};
                     });
                   });
  }
  cut_into_chunks(first, parts);
  find_touching(exec, system, parts);
}

#define GLUG_INSTANTIATE(D, T) \
  template void list_faces<D, T>(const Exec&, const ViscositySystem<D, T>&, RigidParts<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
