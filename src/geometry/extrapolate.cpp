#include "geometry/extrapolate.h"

#include <cstring>
#include <vector>

#include "core/for_each.h"
#include "core/rows.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

// How many faces have values.
template <int D>
GLUG_INLINE std::int32_t known_faces(const View<D, std::uint8_t>& layer, const Range<D>& faces) {
  std::int32_t known = 0;
  visit_rows(faces, [&](const Index<D>& first, int width) {
    const std::uint8_t* row = &layer(first);
    for (int i = 0; i < width; ++i) known += row[i] != 0 ? 1 : 0;
  });
  return known;
}

// Up to eight numbers of a row as the bytes of one, the first of them lowest, and the bytes of such that are
// not 0, each as its highest bit.
GLUG_INLINE std::uint64_t bytes_of(const std::uint8_t* row, int n) {
  std::uint64_t bytes = 0;
  for (int i = 0; n < 8 && i < n; ++i) bytes |= static_cast<std::uint64_t>(row[i]) << (8 * i);
  if (n == 8) std::memcpy(&bytes, row, 8);  // all our machines have the lowest byte first
  return bytes;
}
GLUG_INLINE std::uint64_t not_zero(std::uint64_t bytes) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
  return (((bytes & low) + low) | bytes) & ~low;
}

// One pass over the faces of one block along one axis. A neighbour's value may be fetched while it is being
// set, but counts only if its number says it was there before. Returns how many were set.
template <int D>
GLUG_INLINE std::int32_t extrapolate_block(const BlocksView<D>& blocks, const Range<D>& domain,
                                           std::int32_t slot, int pass, const View<D, float>& u,
                                           const View<D, std::uint8_t>& layer, const View<D, float>& along) {
  const BlockNeighbours<D> around(blocks, slot);
  const Range<D> own = intersection(around.own, domain);
  // Whether there are faces beyond each side of the block.
  bool beyond[D][2];
  for (int a = 0; a < D; ++a)
    for (int side = 0; side < 2; ++side) {
      Index<D> n = own.lo;
      n[a] = side == 0 ? own.lo[a] - 1 : own.hi[a];
      beyond[a][side] = domain.contains(n) && around.listed(n);
    }
  std::int32_t set = 0;
  visit_rows(own, [&](const Index<D>& first, int width) {
    std::uint8_t* row = &layer(first);
    float* value = &u(first);
    float* second = along.data ? &along(first) : nullptr;
    // Which neighbours exist is the same for the whole row, but for its two ends.
    std::ptrdiff_t step[2 * D], step_u[2 * D];
    int steps = 0;
    for (int a = 1; a < D; ++a)
      for (int side = -1; side <= 1; side += 2) {
        const bool last = first[a] == (side < 0 ? own.lo[a] : own.hi[a] - 1);
        if (last && !beyond[a][side > 0]) continue;
        step[steps] = side * layer.stride[a];
        step_u[steps++] = side * u.stride[a];
      }
    for (int i0 = 0; i0 < width; i0 += 8) {
      const int n = width - i0 < 8 ? width - i0 : 8;
      const bool low = i0 > 0 || beyond[0][0], high = i0 + n < width || beyond[0][1];
      const std::uint64_t known = bytes_of(row + i0, n);
      std::uint64_t unknown = ~not_zero(known) & 0x8080808080808080u;
      if (n < 8) unknown &= (std::uint64_t{1} << (8 * n)) - 1;
      if (unknown == 0) continue;
      std::uint64_t near = known >> 8 | known << 8;
      if (low) near |= row[i0 - 1];
      if (high) near |= static_cast<std::uint64_t>(row[i0 + n]) << (8 * (n - 1));
      for (int s = 0; s < steps; ++s) near |= bytes_of(row + i0 + step[s], n);
      for (std::uint64_t left = unknown & not_zero(near); left != 0; left &= left - 1) {
        const int i = i0 + __builtin_ctzll(left) / 8;
        float sum = 0, second_sum = 0;
        int count = 0;
        const auto add = [&](int k, std::ptrdiff_t at) {
          const bool usable = k != 0 && k <= pass;
          sum += usable ? value[at] : 0.0f;
          if (second) second_sum += usable ? second[at] : 0.0f;
          count += usable ? 1 : 0;
        };
        if (i > i0 || low) add(row[i - 1], i - 1);
        if (i + 1 < i0 + n || high) add(row[i + 1], i + 1);
        for (int s = 0; s < steps; ++s) add(row[i + step[s]], i + step_u[s]);
        if (count == 0) continue;
        value[i] = sum / static_cast<float>(count);
        if (second) second[i] = second_sum / static_cast<float>(count);
        row[i] = static_cast<std::uint8_t>(pass + 1);
        ++set;
      }
    }
  });
  return set;
}

}  // namespace

template <int D>
void extrapolate(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                 MacView<D, float> u, MacView<D, std::uint8_t> layer, MacView<D, float> along) {
  const std::size_t n = static_cast<std::size_t>(blocks.count) * D;
  std::vector<std::int32_t> counts(n), next(n);  // faces that have values, per block and axis
  std::int32_t* known = counts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    for (int axis = 0; axis < D; ++axis)
      known[slot * D + axis] =
          known_faces<D>(layer[axis], intersection(blocks.indices(slot), grid.face_range(axis)));
  });
  for (int pass = 1; pass <= layers; ++pass) {
    const std::int32_t* before = counts.data();
    std::int32_t* after = next.data();
    for_each_block(exec, blocks, [=](std::int32_t slot) {
      const Index<D> b = blocks.coordinates(blocks.ids[slot]);
      for (int axis = 0; axis < D; ++axis) {
        const Range<D> domain = grid.face_range(axis);
        const std::int32_t own = before[slot * D + axis];
        bool reached = own > 0 && own < intersection(blocks.indices(slot), domain).size();
        if (own == 0)
          for (int a = 0; a < D; ++a)
            for (int side = -1; side <= 1; side += 2) {
              Index<D> m = b;
              m[a] += side;
              const std::int32_t s = blocks.slot_of_block(m);
              reached |= s >= 0 && before[s * D + axis] > 0;
            }
        after[slot * D + axis] = own + (reached ? extrapolate_block<D>(blocks, domain, slot, pass, u[axis],
                                                                       layer[axis], along[axis])
                                                : 0);
      }
    });
    counts.swap(next);
  }
}

namespace {

template <int D>
GLUG_INLINE std::int64_t closed_in(const View<D, const float>& open, const Range<D>& faces) {
  int closed = 0;
  visit_rows(faces, [&](const Index<D>& first, int width) {
    const float* row = &open(first);
    for (int i = 0; i < width; ++i) closed += row[i] == 0 ? 1 : 0;
  });
  return closed;
}

// Values around a closed face. Everything is read from u as it was; results go to a buffer of their own.
template <int D>
struct Constrain {
  BlocksView<D> blocks;
  Grid<D> grid;
  View<D, const float> nodal;
  MacView<D, const float> solid_velocity;
  MacView<D, const float> u;
  View<D, const std::uint8_t> leaving;

  // Gradient of the solid distance at the middle of a face, one-sided where nodes are missing.
  GLUG_INLINE Vec<D, float> gradient(const BlockNeighbours<D>& around, const Index<D>& f, int axis) const {
    Vec<D, float> g{};
    const std::ptrdiff_t n = nodal.offset(f);
    for (int corner = 0; corner < (1 << (D - 1)); ++corner) {
      std::ptrdiff_t m = n;
      int bit = 0;
      for (int a = 0; a < D; ++a) {
        if (a == axis) continue;
        if (corner >> bit++ & 1) m += nodal.stride[a];
      }
      const float c = nodal.at(m);
      Index<D> low = f;
      --low[axis];
      const std::ptrdiff_t s = nodal.stride[axis];
      // Nodes one past a listed block exist; one before may not.
      const bool has_low = low[axis] >= around.own.lo[axis] || low[axis] < 0 || around.listed(low);
      const float up = nodal.at(m + s) - c, down = has_low ? nodal.at(m - s) - c : -up;
      // In the middle of a thin wall the distance has a ridge: differences across it say nothing, those on
      // one side of it have the wall's normal.
      const bool ridge = up > 0 && down > 0;
      const float own = ridge ? c + 0.5f * up : c;
      bit = 0;
      for (int a = 0; a < D; ++a) {
        if (a == axis) continue;
        g[a] += corner >> bit++ & 1 ? own : -own;
      }
      // Every corner has a difference along the axis, every pair of corners one across: half as many.
      g[axis] += 0.5f * (ridge ? up : 0.5f * (up - down));
    }
    return g;
  }

  // The component of a MAC field along `other` at the middle of face f along `axis`: the mean of the faces
  // around.
  GLUG_INLINE float at_face(const MacView<D, const float>& v, const BlockNeighbours<D>& around,
                            const Index<D>& f, int axis, int other) const {
    const Range<D> faces = grid.face_range(other);
    float sum = 0;
    int known = 0;
    for (int low = 0; low < 2; ++low)
      for (int high = 0; high < 2; ++high) {
        Index<D> n = f;
        n[axis] -= low;
        n[other] += high;
        if (!faces.contains(n) || !around.listed(n)) continue;
        sum += v[other](n);
        ++known;
      }
    return known > 0 ? sum / static_cast<float>(known) : 0.0f;
  }

  GLUG_INLINE float operator()(const BlockNeighbours<D>& around, const Index<D>& f, int axis) const {
    Vec<D, float> normal = gradient(around, f, axis);
    const float length = norm(normal);
    const float own = u[axis](f);
    if (!(length > 0)) return own;
    float across = 0;
    for (int a = 0; a < D; ++a) {
      float relative = a == axis ? own : at_face(u, around, f, axis, a);
      if (solid_velocity[a].data)
        relative -= a == axis ? solid_velocity[a](f) : at_face(solid_velocity, around, f, axis, a);
      normal[a] /= length;
      across += relative * normal[a];
    }
    if (leaving.data && across > 0 && leaves(f, axis)) return own;
    return own - across * (1 + beyond_wall(f, axis)) * normal[axis];
  }

  // As the cells around the face say.
  GLUG_INLINE bool leaves(const Index<D>& f, int axis) const {
    Range<D> around{f, f + Index<D>::filled(1)};
    for (int a = 0; a < D; ++a) {
      --around.lo[a];
      if (a != axis) ++around.hi[a];
    }
    bool any = leaving(f) == Leaving::here || leaving(f - Index<D>::unit(axis)) == Leaving::here;
    visit(around, [&](const Index<D>& i) { any |= leaving(i) == Leaving::around; });
    return any;
  }

  // How far the normal component changes sign behind the wall: it is to vanish at the wall itself, not here.
  // The values that were copied here come from faces outside, a cell farther along the normal: with the wall
  // at the depth d above this face they lie h - d outside of it. Not more than mirrored and a half: a face
  // just outside a wall has hardly a normal velocity to speak of.
  GLUG_INLINE float beyond_wall(const Index<D>& f, int axis) const {
    float distance = 0;
    const std::ptrdiff_t n = nodal.offset(f);
    for (int corner = 0; corner < (1 << (D - 1)); ++corner) {
      std::ptrdiff_t m = n;
      int bit = 0;
      for (int a = 0; a < D; ++a)
        if (a != axis && (corner >> bit++ & 1)) m += nodal.stride[a];
      distance += nodal.at(m);
    }
    const float depth = -distance / static_cast<float>((1 << (D - 1)) * grid.h);
    if (!(depth > 0)) return 0;
    if (depth >= 1) return 1;
    const float outside = 1 - depth;
    return depth < 1.5f * outside ? depth / outside : 1.5f;
  }
};

}  // namespace

template <int D>
void constrain_to_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                         ReadView<D, float> nodal, ReadMac<D, float> open, ReadMac<D, float> solid_velocity,
                         MacView<D, float> u, View<D, const std::uint8_t> leaving,
                         ReadMac<D, std::uint8_t> reached) {
  // Closed faces per block, then their new values side by side: u is read whole before any of it is written.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.count) + 1, 0);
  std::int64_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int64_t closed = 0;
    for (int axis = 0; axis < D; ++axis)
      closed += closed_in<D>(open[axis], intersection(blocks.indices(slot), grid.face_range(axis)));
    start[slot + 1] = closed;
  });
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) start[slot + 1] += start[slot];
  std::vector<float> values(static_cast<std::size_t>(start[blocks.count]));
  float* value = values.data();

  const Constrain<D> constrain{blocks, grid, nodal, solid_velocity, u, leaving};
  const auto closed_faces = [=](std::int32_t slot, auto&& f) {
    if (start[slot] == start[slot + 1]) return;
    std::int64_t n = start[slot];
    for (int axis = 0; axis < D; ++axis)
      visit(intersection(blocks.indices(slot), grid.face_range(axis)), [&](const Index<D>& i) {
        if (open[axis](i) == 0) f(i, axis, n++);
      });
  };
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const BlockNeighbours<D> around(blocks, slot);
    closed_faces(slot, [&](const Index<D>& f, int axis, std::int64_t n) {
      if (reached[axis].data && reached[axis](f) == 0)
        value[n] = solid_velocity[axis].data ? solid_velocity[axis](f) : 0.0f;
      else
        value[n] = constrain(around, f, axis);
    });
  });
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    closed_faces(slot, [&](const Index<D>& f, int axis, std::int64_t n) { u[axis](f) = value[n]; });
  });
}

template void extrapolate<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, int, MacView<2, float>,
                             MacView<2, std::uint8_t>, MacView<2, float>);
template void extrapolate<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, int, MacView<3, float>,
                             MacView<3, std::uint8_t>, MacView<3, float>);
template void constrain_to_solids<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, View<2, const float>,
                                     MacView<2, const float>, MacView<2, const float>, MacView<2, float>,
                                     View<2, const std::uint8_t>, MacView<2, const std::uint8_t>);
template void constrain_to_solids<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, View<3, const float>,
                                     MacView<3, const float>, MacView<3, const float>, MacView<3, float>,
                                     View<3, const std::uint8_t>, MacView<3, const std::uint8_t>);

}  // namespace glug
