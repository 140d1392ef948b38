#include "projection/rigid_parts.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"
#include "projection/viscosity_rows.h"

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

}  // namespace

template <int D, class T>
void list_faces(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  std::vector<std::size_t> first(static_cast<std::size_t>(parts.count) + 1, 0);
  visit_unknowns(system, [&](int axis, const Index<D>& i) {
    if (const std::int32_t p = parts.of_face[axis](i); p >= 0) ++first[static_cast<std::size_t>(p) + 1];
  });
  for (std::size_t p = 1; p < first.size(); ++p) first[p] += first[p - 1];
  parts.faces.resize(first.back());
  parts.middle.assign(static_cast<std::size_t>(parts.count), Vec<D, double>{});
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  visit_unknowns(system, [&](int axis, const Index<D>& i) {
    const std::int32_t p = parts.of_face[axis](i);
    if (p < 0) return;
    parts.faces[next[static_cast<std::size_t>(p)]++] = {i, axis};
    for (int a = 0; a < D; ++a)
      parts.middle[static_cast<std::size_t>(p)][a] += i[a] + (a == axis ? 0.0 : 0.5);
  });
  for (std::size_t p = 0; p < parts.middle.size(); ++p)
    for (int a = 0; a < D; ++a)
      parts.middle[p][a] /= static_cast<double>(std::max<std::size_t>(1, first[p + 1] - first[p]));
  cut_into_chunks(first, parts);
  find_touching(exec, system, parts);
}

#define GLUG_INSTANTIATE(D, T) \
  template void list_faces<D, T>(const Exec&, const ViscositySystem<D, T>&, RigidParts<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
