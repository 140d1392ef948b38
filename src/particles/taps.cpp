#include "particles/taps.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/random.h"
#include "core/reduce.h"
#include "geometry/solid_extension.h"
#include "particles/append.h"
#include "particles/collide.h"
#include "particles/drive.h"

namespace glug {
namespace {

// How a particle comes: where nothing was, with the stream where nothing has made room for it, or with the
// stream and air behind it.
enum class Arrival : std::uint8_t { fills, pushed, streamed };

// A particle of the stream.
template <int D>
struct LatticePoint {
  bool comes = false;                // it is let in
  Arrival arrival = Arrival::fills;  // .. so
  Index<D> cell{};
  Vec<D, float> offset{};
  Vec<D, float> velocity{};
};

// Points of the lattice by number.
template <int D>
struct Lattice {
  Range<D> points{};  // that may lie in the shape at the end of the step
  double spacing = 0;

  explicit Lattice(const TapStep<D>& tap) {
    spacing = tap.grid.h / tap.per_axis;
    for (int a = 0; a < D; ++a) {
      points.lo[a] = static_cast<int>(std::floor((tap.low[a] - tap.way[a]) / spacing)) - 1;
      points.hi[a] = static_cast<int>(std::ceil((tap.high[a] - tap.way[a]) / spacing)) + 1;
    }
  }
  // Where it stands in the shape's frame at the end of the step.
  GLUG_INLINE Vec3 own(const TapStep<D>& tap, std::int64_t number) const {
    const Index<D> k = points.at(number);
    Rng rng(0x57ea, key(k));
    Vec3 x{};
    for (int a = 0; a < D; ++a) x[a] = (k[a] + static_cast<double>(rng.uniform())) * spacing + tap.way[a];
    return x;
  }
  // Another number of it in [0, 1).
  GLUG_INLINE double chance(std::int64_t number) const {
    Rng rng(0x7007, key(points.at(number)));
    return static_cast<double>(rng.uniform());
  }

 private:
  GLUG_INLINE std::uint64_t key(const Index<D>& k) const {
    std::uint64_t bits = 0x7a95;
    for (int a = 0; a < D; ++a) bits = mix_bits(bits ^ static_cast<std::uint32_t>(k[a]));
    return bits;
  }
};

// Whether there is liquid or a solid at a place; beyond the domain, what is at its side.
template <int D>
GLUG_INLINE bool is_filled(const TapStep<D>& tap, const Vec3& x) {
  Index<D> cell{};
  Vec<D, float> offset{};
  for (int a = 0; a < D; ++a) {
    const double at = clamp(x[a] / tap.grid.h, 0.0, static_cast<double>(tap.grid.cells[a]));
    cell[a] = std::min(static_cast<int>(at), tap.grid.cells[a] - 1);
    offset[a] = static_cast<float>(at - cell[a]);
  }
  return !(solid_distance_at<D>(tap.solid, 1, cell, offset) > 0) ||
         (tap.known.slot_of_cell(cell) >= 0 && tap.phi(cell) < 0);
}

// Where a place of the shape's own frame lies on the grid; false in solids and beyond the tap's cells.
template <int D>
GLUG_INLINE bool place_on_grid(const TapStep<D>& tap, const Vec3& own, LatticePoint<D>& p) {
  const Vec3 x = tap.now.pose.to_world(own);
  for (int a = 0; a < D; ++a) {
    const double at = x[a] / tap.grid.h;
    p.cell[a] = static_cast<int>(std::floor(at));
    p.offset[a] = clamp(static_cast<float>(at - p.cell[a]), 0.f, 1 - 0x1p-24f);
  }
  if (!tap.cells.contains(p.cell)) return false;
  return solid_distance_at<D>(tap.solid, 1, p.cell, p.offset) > 0;
}

// The point as it would come in; `held` counts the particles of each of the tap's cells.
template <int D>
GLUG_INLINE LatticePoint<D> point_of(const TapStep<D>& tap, const Lattice<D>& lattice,
                                     const std::int32_t* held, std::int64_t number) {
  LatticePoint<D> p;
  Vec3 own = lattice.own(tap, number);
  if (!tap.now.holds_own(own)) return p;
  // Opened wider, a stream widens from its beginning, not at its whole length at once.
  const Vec3 start = own - tap.velocity * tap.dt;
  const bool entered = tap.was_open && !tap.now.holds_own(start);
  const bool fills = !tap.was_open || tap.velocity == Vec3{};
  const bool pushed = entered && is_filled(tap, tap.now.pose.to_world(start - tap.now.along * tap.grid.h));
  // The liquid parts within the first cell of the stream whose centre is open, so all of that gets new
  // particles: what a solid leaves of the cell before it stands still.
  Vec3 ahead = own + tap.now.along * (tap.grid.h * lattice.chance(number));
  if (pushed && place_on_grid(tap, ahead, p) && solid_centred<D, float>(tap.solid, p.cell))
    ahead += tap.now.along * tap.grid.h;
  if (pushed && tap.now.holds_own(ahead) && place_on_grid(tap, ahead, p))
    own = ahead;
  else if (!place_on_grid(tap, own, p))
    return p;
  p.arrival = pushed ? Arrival::pushed : entered ? Arrival::streamed : Arrival::fills;
  p.comes = entered || (fills && held[tap.cells.number_of(p.cell)] == 0);
  const Vec3 v = stream_velocity(tap, tap.now.pose.to_world(own));
  for (int a = 0; a < D; ++a) p.velocity[a] = static_cast<float>(v[a]);
  return p;
}

inline constexpr int counting_pieces = 8;

// Particles in each of the tap's cells, by where they are going.
template <int D>
std::vector<std::int32_t> count_held(const Exec& exec, const TapStep<D>& tap, const Particles<D>& particles) {
  const std::size_t size = static_cast<std::size_t>(tap.cells.size());
  std::vector<std::int32_t> counts(size * counting_pieces, 0);
  std::int32_t* count = counts.data();
  const std::uint32_t* key = particles.key.data();
  const BlocksView<D> blocks = particles.occupied.view();
  const Range<D> cells = tap.cells;
  const std::int64_t n = particles.count;
  for_each_task(exec, counting_pieces, [=](std::ptrdiff_t piece) {
    std::int32_t* own = count + static_cast<std::size_t>(piece) * size;
    for (std::int64_t i = n * piece / counting_pieces; i < n * (piece + 1) / counting_pieces; ++i) {
      if (key[i] == particle_gone) continue;
      const Index<D> cell = cell_of_key(blocks, key[i]);
      if (cells.contains(cell)) ++own[cells.number_of(cell)];
    }
  });
  for (int piece = 1; piece < counting_pieces; ++piece)
    for (std::size_t c = 0; c < size; ++c) counts[c] += counts[static_cast<std::size_t>(piece) * size + c];
  counts.resize(size);
  return counts;
}

template <int D>
void add_flow(std::vector<CellFlow<D>>& flows, const CellFlow<D>& flow) {
  if (flow.particles != 0) flows.push_back(flow);
}

}  // namespace

template <int D>
LetIn let_in(const Exec& exec, const TapStep<D>& tap, Particles<D>& particles,
             std::vector<CellFlow<D>>& flows) {
  LetIn sum;
  if (!tap.now.open || tap.cells.size() == 0) return sum;
  const std::vector<std::int32_t> held = count_held(exec, tap, particles);
  const std::int32_t* had = held.data();
  const Lattice<D> lattice(tap);
  const std::int64_t points = lattice.points.size();
  Buffer<std::uint32_t> place(static_cast<std::size_t>(points) + 1);
  std::uint32_t* at = place.data();
  for_each(exec, points, [=](std::ptrdiff_t n) { at[n] = point_of(tap, lattice, had, n).comes ? 1 : 0; });
  at[points] = 0;
  const std::int64_t first = particles.count;
  sum.particles = exclusive_scan(exec, at, static_cast<std::ptrdiff_t>(points));
  at[points] = static_cast<std::uint32_t>(sum.particles);
  if (sum.particles == 0) return sum;
  reserve_more(exec, particles, sum.particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  std::uint32_t *id = particles.arrays.id.data(), *key = particles.key.data();
  const BlocksView<D> blocks = particles.occupied.view();
  const std::uint32_t next_id = particles.next_id;
  Buffer<Arrival> arrivals(static_cast<std::size_t>(sum.particles));
  Arrival* arrival = arrivals.data();
  for_each(exec, points, [=](std::ptrdiff_t n) {
    if (at[n] == at[n + 1]) return;
    const LatticePoint<D> point = point_of(tap, lattice, had, n);
    const std::int64_t i = first + at[n];
    for (int a = 0; a < D; ++a) {
      p.offset[a][i] = point.offset[a];
      p.velocity[a][i] = point.velocity[a];
    }
    for (int a = 0; a < D * D; ++a)
      if (p.affine[a]) p.affine[a][i] = 0;
    id[i] = next_id + at[n];
    key[i] = key_of_cell(blocks, point.cell);
    arrival[at[n]] = point.arrival;
  });
  particles.count += sum.particles;
  particles.next_id += static_cast<std::uint32_t>(sum.particles);
  // What each cell got.
  std::vector<CellFlow<D>> came(static_cast<std::size_t>(tap.cells.size()));
  for (std::int64_t i = first; i < particles.count; ++i) {
    const Index<D> cell = cell_of_key(blocks, key[i]);
    CellFlow<D>& flow = came[static_cast<std::size_t>(tap.cells.number_of(cell))];
    flow.cell = cell;
    ++flow.particles;
    flow.pushed += arrival[i - first] == Arrival::pushed;
    flow.streamed += arrival[i - first] == Arrival::streamed;
    Vec3 x{};
    for (int a = 0; a < D; ++a) {
      x[a] = (cell[a] + static_cast<double>(p.offset[a][i])) * tap.grid.h;
      sum.kinetic += 0.5 * static_cast<double>(p.velocity[a][i]) * static_cast<double>(p.velocity[a][i]);
    }
    sum.place += x;
  }
  for (const CellFlow<D>& flow : came) add_flow(flows, flow);
  return sum;
}

template <int D>
std::vector<RoomRate<D>> stream_rates(const Exec& exec, const TapStep<D>& tap) {
  std::vector<RoomRate<D>> room;
  const std::ptrdiff_t cells = tap.cells.size();
  if (!tap.now.open || tap.velocity == Vec3{} || cells == 0) return room;
  // Samples that lie inside more than their neighbours upstream: one layer of them. (Taken as inside or
  // outside altogether, a side that the stream crosses at a small angle counts whole or not at all.)
  constexpr int per_axis = 4;
  const double spacing = tap.grid.h / per_axis, reach = tap.grid.h * (0.5 * std::sqrt(D) + 2.0 / per_axis);
  struct Begins {
    double without_room = 0, with_room = 0;  // samples
  };
  Buffer<Begins> begin(static_cast<std::size_t>(cells));
  Begins* count = begin.data();
  for_each(exec, cells, [=](std::ptrdiff_t c) {
    const Index<D> cell = tap.cells.at(c);
    Begins begins;
    count[c] = begins;
    if (!tap.now.may_begin_near(tap.now.pose.to_body(embed<D>(tap.grid.cell_center(cell))), reach)) return;
    visit(Range<D>{Index<D>{}, Index<D>::filled(per_axis)}, [&](const Index<D>& k) {
      Vec3 x{};
      for (int a = 0; a < D; ++a) x[a] = (cell[a] + (k[a] + 0.5) / per_axis) * tap.grid.h;
      const Vec3 own = tap.now.pose.to_body(x);
      const double begun =
          tap.now.share_of(own, spacing) - tap.now.share_of(own - tap.now.along * spacing, spacing);
      if (!(begun > 0)) return;
      LatticePoint<D> here;
      if (!place_on_grid(tap, own, here) && !place_on_grid(tap, own + tap.now.along * tap.grid.h, here))
        return;
      const bool filled = is_filled(tap, tap.now.pose.to_world(own - tap.now.along * tap.grid.h));
      (filled ? begins.without_room : begins.with_room) += begun;
    });
    count[c] = begins;
  });
  const double rate = tap.grid.cell_volume() / (std::pow(per_axis, D) * spacing) * norm(tap.velocity);
  for (std::ptrdiff_t c = 0; c < cells; ++c)
    if (count[c].without_room + count[c].with_room > 0)
      room.push_back({tap.cells.at(c), count[c].without_room * rate, count[c].with_room * rate});
  return room;
}

template <int D>
void let_out(const Exec& exec, const TapStep<D>& tap, Particles<D>& particles,
             std::vector<CellFlow<D>>& flows) {
  if (!tap.now.open || tap.cells.size() == 0) return;
  const std::vector<std::int32_t> before = count_held(exec, tap, particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  std::uint32_t* key = particles.key.data();
  const BlocksView<D> blocks = particles.occupied.view();
  for_each(exec, particles.count, [=](std::ptrdiff_t i) {
    if (key[i] == particle_gone) return;
    const Index<D> cell = cell_of_key(blocks, key[i]);
    if (!tap.cells.contains(cell)) return;
    Vec3 x{};
    for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(p.offset[a][i])) * tap.grid.h;
    if (tap.now.holds(x)) key[i] = particle_gone;
  });
  const std::vector<std::int32_t> after = count_held(exec, tap, particles);
  for (std::int64_t c = 0; c < tap.cells.size(); ++c)
    add_flow(flows, {tap.cells.at(c),
                     after[static_cast<std::size_t>(c)] - before[static_cast<std::size_t>(c)], 0, 0});
}

#define GLUG_INSTANTIATE(D)                                                                           \
  template LetIn let_in<D>(const Exec&, const TapStep<D>&, Particles<D>&, std::vector<CellFlow<D>>&); \
  template std::vector<RoomRate<D>> stream_rates<D>(const Exec&, const TapStep<D>&);                  \
  template void let_out<D>(const Exec&, const TapStep<D>&, Particles<D>&, std::vector<CellFlow<D>>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
