#include "particles/drive.h"

#include <cmath>

#include "core/for_each.h"
#include "core/reduce.h"
#include "particles/batch.h"

namespace glug {
namespace {

// Emitters and the particles near them, as kernels see them.
template <int D, class T = float>
struct Nearby {
  const TapStep<D>* taps = nullptr;
  int count = 0;
  Grid<D> grid{};
  ParticleIndex<D> index{};
  ParticleViewOf<D, T> p{};

  // The emitter that a place lies in, or -1.
  GLUG_INLINE int tap_at(const Vec3& x) const {
    for (int k = count - 1; k >= 0; --k)
      if (drives(k) && taps[k].now.holds(x)) return k;
    return -1;
  }
  GLUG_INLINE bool drives(int k) const { return taps[k].now.open && !(taps[k].velocity == Vec3{}); }
  // Cells whose particles may feel an emitter.
  GLUG_INLINE Range<D> reach(int k) const { return intersection(taps[k].cells.grown(2), grid.cell_range()); }
  // Each cell belongs to one of those that reach it.
  GLUG_INLINE bool is_first(int k, const Index<D>& cell) const {
    for (int j = 0; j < k; ++j)
      if (drives(j) && reach(j).contains(cell)) return false;
    return true;
  }
  // f(number) for the particles of a cell.
  template <class F>
  GLUG_INLINE void visit_cell(const Index<D>& cell, F f) const {
    if (!grid.cell_range().contains(cell)) return;
    const std::int32_t slot = index.occupied.slot_of_cell(cell);
    if (slot < 0) return;
    const std::uint32_t* n = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D> +
                             cell_in_block<D>(cell, index.occupied.indices(slot).lo);
    for (std::uint32_t i = n[0]; i < n[1]; ++i) f(i);
  }
  // From the centre of a face along axis a to a particle, in cells.
  GLUG_INLINE Vec<D, float> from_face(int a, const Index<D>& face, const Index<D>& cell,
                                      std::uint32_t i) const {
    Vec<D, float> r{};
    for (int b = 0; b < D; ++b)
      r[b] = static_cast<float>(cell[b] - face[b]) + p.offset[b][i] - (b == a ? 0.f : 0.5f);
    return r;
  }
  GLUG_INLINE Vec3 place(const Index<D>& cell, std::uint32_t i) const {
    Vec3 x{};
    for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(p.offset[a][i])) * grid.h;
    return x;
  }
};

// Faces along axis a that an emitter may drive.
template <int D>
Range<D> faces_of(const TapStep<D>& tap, int a) {
  return intersection(tap.cells.grown(1), tap.grid.face_range(a));
}

// N of (T1).
template <int D>
GLUG_INLINE float kernel(const Vec<D, float>& r) {
  float w = 1;
  for (int b = 0; b < D; ++b) w *= std::max(0.f, 1 - std::abs(r[b]));
  return w;
}

struct Lack {
  float mean = 0;    // m/s
  float weight = 0;  // of all particles around the face
};

// What the particles of emitter k around a face lack, over the weight of all. lacks(i, r, x): the particle i
// at x, r from the face to it.
template <int D, class T, class Lacks>
GLUG_INLINE Lack lack_of_face(const Nearby<D, T>& near, int k, int a, const Index<D>& face, Lacks lacks) {
  float lack = 0, weight = 0;
  Range<D> around{face - Index<D>::filled(1), face + Index<D>::filled(2)};
  around.hi[a] = face[a] + 1;
  visit(around, [&](const Index<D>& cell) {
    near.visit_cell(cell, [&](std::uint32_t i) {
      const Vec<D, float> r = near.from_face(a, face, cell, i);
      const float w = kernel<D>(r);
      if (w == 0) return;
      weight += w;
      const Vec3 x = near.place(cell, i);
      if (near.tap_at(x) != k) return;
      lack += w * lacks(i, r, x);
    });
  });
  return {weight > 0 ? lack / weight : 0.f, weight};
}

// What the drive gives to a particle.
template <int D>
GLUG_INLINE Vec3 gain_of(const Nearby<D>& near, const Kicked<D>& kicked, const Index<D>& cell,
                         std::uint32_t i) {
  Vec3 gain{};
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = kicked.u[a];
    const View<D, const float> before = kicked.before[a];
    Range<D> faces{cell - Index<D>::filled(1), cell + Index<D>::filled(2)};
    faces.lo[a] = cell[a];
    visit(intersection(faces, near.grid.face_range(a)), [&](const Index<D>& face) {
      const float driven = u(face) - before(face) - kicked.gain[a];
      gain[a] += static_cast<double>(kernel<D>(near.from_face(a, face, cell, i)) * driven);
    });
  }
  return gain;
}

struct AddDriven {
  GLUG_INLINE Driven operator()(const Driven& a, const Driven& b) const {
    return {a.at_once + b.at_once, a.by_kick + b.by_kick};
  }
};

}  // namespace

template <int D>
Driven drive(const Exec& exec, const std::vector<TapStep<D>>& taps, const CellMark<D>& spray,
             const Kicked<D>& kicked, Particles<D>& particles) {
  Driven all;
  if (taps.empty() || particles.count == 0) return all;
  const Nearby<D> near{taps.data(), static_cast<int>(taps.size()), taps[0].grid, particle_index(particles),
                       particles.arrays.view()};
  for (int k = 0; k < near.count; ++k) {
    if (!near.drives(k)) continue;
    for (int a = 0; a < D; ++a) {
      const Range<D> faces = faces_of(taps[static_cast<std::size_t>(k)], a);
      const View<D, float> u = kicked.u[a];
      const float h = static_cast<float>(near.grid.h), falls = kicked.gain[a];
      for_each(exec, faces.size(), [=](std::ptrdiff_t n) {
        const Index<D> face = faces.at(n);
        const Lack lack =
            lack_of_face(near, k, a, face, [=](std::uint32_t i, const Vec<D, float>& r, const Vec3& x) {
              float own = near.p.velocity[a][i] + falls;
              for (int b = 0; b < D; ++b)
                if (near.p.affine[0]) own -= near.p.affine[a * D + b][i] * r[b] * h;
              return static_cast<float>(stream_velocity(near.taps[k], x)[a]) - own;
            });
        if (lack.mean != 0) u(face) += lack.mean;
      });
    }
  }
  const BlocksView<D> occupied = near.index.occupied;
  Vec3 falls{};
  for (int a = 0; a < D; ++a) falls[a] = static_cast<double>(kicked.gain[a]);
  for (int k = 0; k < near.count; ++k) {
    if (!near.drives(k)) continue;
    const Range<D> reach = near.reach(k);
    const Driven driven = reduce_blocks(exec, occupied, Driven{}, AddDriven{}, [=](std::int32_t slot) {
      Driven sum;
      visit(intersection(occupied.indices(slot), reach), [&](const Index<D>& cell) {
        if (!near.is_first(k, cell)) return;
        const bool flies = spray(cell);
        near.visit_cell(cell, [&](std::uint32_t i) {
          const Vec3 x = near.place(cell, i);
          const int owner = near.tap_at(x);
          if (flies && owner < 0) return;
          const Vec3 gain = flies ? Vec3{} : gain_of(near, kicked, cell, i);
          Vec3 own{};
          for (int a = 0; a < D; ++a) own[a] = static_cast<double>(near.p.velocity[a][i]);
          const Vec3 after = owner < 0 ? own + gain : stream_velocity(near.taps[owner], x);
          // Gravity completes it too, and is no work of the emitter's.
          const Vec3 kept = owner < 0 ? own : after - gain;
          const Vec3 left = owner < 0 || flies ? kept : kept - falls;
          for (int a = 0; a < D; ++a) near.p.velocity[a][i] = static_cast<float>(left[a]);
          sum.at_once += 0.5 * (dot(left, left) - dot(own, own));
          sum.by_kick += 0.5 * (dot(after, after) - dot(kept, kept));
        });
      });
      return sum;
    });
    all = AddDriven{}(all, driven);
  }
  return all;
}

template <int D>
Buffer<float> faces_near(const Exec& exec, const std::vector<TapStep<D>>& taps, MacView<D, const float> u) {
  std::ptrdiff_t total = 0;
  for (const TapStep<D>& tap : taps)
    for (int a = 0; a < D; ++a) total += faces_of(tap, a).size();
  Buffer<float> found(static_cast<std::size_t>(total));
  float* at = found.data();
  for (const TapStep<D>& tap : taps)
    for (int a = 0; a < D; ++a) {
      const Range<D> faces = faces_of(tap, a);
      const View<D, const float> component = u[a];
      for_each(exec, faces.size(), [=](std::ptrdiff_t n) { at[n] = component(faces.at(n)); });
      at += faces.size();
    }
  return found;
}

template <int D>
double give_back(const Exec& exec, const std::vector<TapStep<D>>& taps, const Buffer<float>& had,
                 MacView<D, float> u, const Particles<D>& particles) {
  double work = 0;
  if (taps.empty() || particles.count == 0) return work;
  const Nearby<D, const float> near{taps.data(), static_cast<int>(taps.size()), taps[0].grid,
                                    particle_index(particles), particles.arrays.view()};
  const float* at = had.data();
  for (int k = 0; k < near.count; ++k)
    for (int a = 0; a < D; ++a) {
      const Range<D> faces = faces_of(taps[static_cast<std::size_t>(k)], a);
      const float* kept = at;
      at += faces.size();
      if (!near.drives(k)) continue;
      const View<D, float> component = u[a];
      work += reduce(exec, faces.size(), 0.0, Plus{}, [=](std::ptrdiff_t n) {
        float& now = component(faces.at(n));
        const float before = now, lacks = kept[n] - now;
        const Lack lack = lack_of_face(
            near, k, a, faces.at(n), [=](std::uint32_t, const Vec<D, float>&, const Vec3&) { return lacks; });
        if (lack.mean != 0) now += lack.mean;
        return 0.5 * static_cast<double>(lack.weight) *
               (static_cast<double>(now) * now - static_cast<double>(before) * before);
      });
    }
  return work;
}

#define GLUG_INSTANTIATE(D)                                                                       \
  template Driven drive<D>(const Exec&, const std::vector<TapStep<D>>&, const CellMark<D>&,       \
                           const Kicked<D>&, Particles<D>&);                                      \
  template Buffer<float> faces_near<D>(const Exec&, const std::vector<TapStep<D>>&,               \
                                       MacView<D, const float>);                                  \
  template double give_back<D>(const Exec&, const std::vector<TapStep<D>>&, const Buffer<float>&, \
                               MacView<D, float>, const Particles<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
