// collide.h: keeps a particle's path out of solids.
// The path is walked in quarter cells, so a wall one cell thick cannot be jumped, and ends at least
// `collision_gap` cells outside. At a wall the rest of the path slides along it.
#pragma once

#include "core/field.h"
#include "core/grid.h"
#include "core/random.h"
#include "geometry/sample.h"

namespace glug {

// Cells. Small: with 0.1 every wave that came and went left the water a little denser (a gentle slosh
// lost 2.4% of its volume in 10 s before correction, 1.9% with 0.01).
inline constexpr float collision_gap = 0.01f;

// A position in cells of the node field, split anew: a walk may have carried the offset out of its cell.
template <int D>
struct NodePlace {
  Index<D> cell;
  Vec<D, float> offset;
};
template <int D>
GLUG_INLINE NodePlace<D> place_in_nodes(const View<D, const float>& solid, const Index<D>& cell,
                                        const Vec<D, float>& offset) {
  NodePlace<D> place;
  for (int a = 0; a < D; ++a) {
    place.cell[a] =
        clamp(cell[a] + static_cast<int>(std::floor(offset[a])), solid.range.lo[a], solid.range.hi[a] - 2);
    place.offset[a] = clamp(static_cast<float>(cell[a] - place.cell[a]) + offset[a], 0.f, 1.f);
  }
  return place;
}

// Distance to the solids in cells at a position in cells, and its gradient.
template <int D>
GLUG_INLINE float solid_distance_at(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                    const Vec<D, float>& offset) {
  const NodePlace<D> place = place_in_nodes<D>(solid, cell, offset);
  return sample_nodes<D, float>(solid, place.cell, place.offset) * per_cell;
}
// The same at a place inside the cell.
template <int D>
GLUG_INLINE float solid_distance_in(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                    const Vec<D, float>& offset) {
  return sample_nodes<D, float>(solid, cell, offset) * per_cell;
}
template <int D>
GLUG_INLINE Vec<D, float> solid_gradient_at(const View<D, const float>& solid, float per_cell,
                                            const Index<D>& cell, const Vec<D, float>& offset) {
  const NodePlace<D> place = place_in_nodes<D>(solid, cell, offset);
  return sample_nodes_with_gradient<D, float>(solid, place.cell, place.offset).gradient * per_cell;
}

// Beside a thin wall the field rises by less than the way, so that it is zero where the wall's surface lies
// (thin_solids.h): by a tenth of it, or less, while the far surface passes a node.
inline constexpr float full_slope = 0.9f;
inline constexpr float least_slope = 0.02f;  // below it no normal is known

// The distance that the place of the surface tells, where it is below `enough`; the field's own elsewhere.
template <int D>
GLUG_INLINE float wall_distance_at(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                   const Vec<D, float>& offset, float enough) {
  const float raw = solid_distance_at<D>(solid, per_cell, cell, offset);
  if (!(raw < enough)) return raw;
  const float slope = norm(solid_gradient_at<D>(solid, per_cell, cell, offset));
  return slope < full_slope ? raw / (slope > least_slope ? slope : least_slope) : raw;
}

// How thick a film is, in cells: as the particles of its cell fill that.
GLUG_INLINE float film_thickness(std::uint32_t particles, int particles_per_cell) {
  const float thickness = static_cast<float>(particles) / static_cast<float>(particles_per_cell);
  return thickness < 1 ? thickness : 1.f;
}

// How high above a solid a particle of a film comes to lie, in cells: each has a place of its own in it.
GLUG_INLINE float place_in_film(std::uint32_t id, std::uint32_t particles, int particles_per_cell) {
  const float share = static_cast<float>(mix_bits(id) >> 40) * 0x1p-24f;
  const float place = share * film_thickness(particles, particles_per_cell);
  return place > collision_gap ? place : collision_gap;
}

// Cells above its place within which a particle still belongs to a film.
inline constexpr float film_reach = 0.05f;

// Solids at rest.
template <int D>
struct StillSolids {
  GLUG_INLINE Vec<D, float> operator()(const Vec<D, float>&) const { return {}; }
};

// What a particle that meets a solid sees of it.
template <int D>
struct MetSolid {
  Vec<D, float> velocity{};  // m/s
  std::int32_t body = -1;    // its number, if it yields to particles
  bool holds = false;        // viscous liquid does not slide along it

  MetSolid() = default;
  GLUG_INLINE MetSolid(const Vec<D, float>& v, std::int32_t number = -1) : velocity(v), body(number) {}
};

// The last meeting of a particle and a body that yields. What becomes of their velocities is decided when all
// particles have moved: many meet a body at once.
template <int D>
struct BodyMet {
  std::int32_t body = -1;  // -1 = none
  Vec<D, float> normal{};  // out of it
  Vec<D, float> offset{};  // where
  float keep = 1;          // share of its velocity along the body's surface that is left
};

// What happens to a particle that meets a solid.
template <int D>
struct Encounter {
  float gap = collision_gap;  // cells it keeps from solids
  float keep = 1;             // share of its velocity along the solid's surface that a contact leaves
  Vec<D, float> start{};      // cells, from the particle: where its path begins (swept_start.h)
  // In and out: its velocity, m/s, of which contacts take what leads into the solid; not what leads into
  // bodies that yield.
  Vec<D, float> velocity{};
  BodyMet<D> met{};  // out
  // Out: work of the solids on it per mass, m^2/s^2.
  float work = 0;
};

// Whether a path this long, from anywhere in a cell, keeps the gap from solids (all in cells): distance has
// slope 1, and a cell's corners are within sqrt(3) of each other.
template <int D>
GLUG_INLINE bool clears_path(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                             float length, float gap) {
  return solid(cell) * per_cell - 1.7321f - length > gap;
}

// The displacement (in cells) that a particle at cell + offset really makes when it wants to make `wish`.
// met(offset): the solid near a place (MetSolid, or its velocity alone).
template <int D, class Met>
GLUG_FN inline Vec<D, float> collide(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                     const Vec<D, float>& offset, const Vec<D, float>& wish, const Met& met,
                                     Encounter<D>& contact) {
  const Vec<D, float> start = contact.start;
  const float length = norm(wish - start);
  if (clears_path(solid, per_cell, cell, length + norm(start), contact.gap)) return wish;
  float before = solid_distance_at<D>(solid, per_cell, cell, offset + start);
  if (before - length > contact.gap) return wish;
  const auto away = [&](const Vec<D, float>& way) {
    return wall_distance_at<D>(solid, per_cell, cell, offset + way, contact.gap);
  };
  before = away(start);
  // One that is nearer already is not lifted.
  const float nearest = before > collision_gap ? before : collision_gap;
  const float gap = contact.gap < nearest ? contact.gap : nearest;
  constexpr float farthest_push = 1;  // cells
  const int pieces = 1 + static_cast<int>(length * 4);
  Vec<D, float> piece = (wish - start) * (1.f / static_cast<float>(pieces));
  Vec<D, float> moved = start;
  bool stuck = false;
  for (int n = 0; n <= pieces; ++n) {  // one more than the pieces: the last only pushes out
    if (n == pieces) piece = Vec<D, float>{};
    Vec<D, float> next = moved + piece;
    float at = n == pieces ? before : away(next);
    if (at < gap) {
      // The normal of the last place outside is the trustworthy one: inside a thin wall the gradient fades or
      // flips.
      const Vec<D, float> g =
          solid_gradient_at<D>(solid, per_cell, cell, offset + (before > 0 ? moved : next));
      const float slope = norm(g);
      if (slope < least_slope) {
        stuck = true;
        break;
      }
      const Vec<D, float> normal = g * (1 / slope);
      next += normal * (gap - at < farthest_push ? gap - at : farthest_push);
      const float inward = dot(piece, normal);
      if (inward < 0) piece -= normal * inward;
      const MetSolid<D> there = met(offset + next);
      const float approach = dot(contact.velocity - there.velocity, normal);
      if (there.body >= 0) {
        contact.met.body = there.body;
        contact.met.normal = normal;
        contact.met.offset = offset + next;
      } else if (approach < 0) {
        contact.velocity -= normal * approach;
        contact.work -= approach * dot(there.velocity, normal);
      }
      at = away(next);
      // A corner: neither way is free. Stay, unless the wall has come to the particle and must push it.
      if (at < 0.5f * gap && at < before) {
        stuck = true;
        if (before > 0) continue;
        break;
      }
    }
    moved = next;
    before = at;
  }
  const auto slow_down = [&](const MetSolid<D>& there, float keep) {
    if (there.body >= 0) {
      if (there.body == contact.met.body) contact.met.keep *= keep;
      return;
    }
    const Vec<D, float> change = (there.velocity - contact.velocity) * (1 - keep);
    contact.velocity += change;
    contact.work += dot(change, there.velocity);
  };
  // In a corner, where it cannot go on, it keeps no more speed than it had room for: what cannot move would
  // otherwise gather speed for ever. Inside a body, where no normal is known, likewise.
  const float room = norm(moved - start);
  if (stuck && room < length) {
    const MetSolid<D> there = met(offset + moved);
    if (there.body >= 0 && there.body != contact.met.body) contact.met = {there.body, {}, offset + moved, 1};
    slow_down(there, room / length);
  }
  if (contact.keep < 1 && before < gap + film_reach) {
    slow_down(met(offset + moved), contact.keep);
  }
  return moved;
}

}  // namespace glug
