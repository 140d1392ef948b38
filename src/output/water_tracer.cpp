#include "output/water_tracer.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "output/film.h"

namespace glug {
namespace {

constexpr int most_events = 9;      // along one path
constexpr int branching_depth = 2;  // up to here both reflection and refraction are followed
// A weaker branch is replaced by sky or floor without what stands on it: water seen head on reflects 0.02.
constexpr float least_weight = 0.03f;
constexpr int shadow_rays = 2;
constexpr float sun_radius = 0.035f;  // radians; larger than life for soft shadows

float largest(const Radiance& c) { return std::max({c[0], c[1], c[2]}); }

}  // namespace

WaterTracer::Seen WaterTracer::look(const Vec3f& origin, const Vec3f& direction) const {
  Seen seen;
  seen.radiance = follow(origin, direction, false, 0, 1, 0, &seen.distance);
  return seen;
}

// Sky, or the floor as if nothing stood on it.
Radiance WaterTracer::surroundings(const Vec3f& origin, const Vec3f& d) const {
  if (d[1] >= -1e-4f) return day.sky(d);
  const float t = std::max(0.0f, (day.floor_y - origin[1]) / d[1]);
  return floor_at(origin + d * t, d, t);
}

Radiance WaterTracer::floor_at(const Vec3f& p, const Vec3f& d, float travelled) const {
  const FloorLightView::Sample light = floor_light.at(p);
  const float footprint = travelled * pixel_angle / std::max(0.05f, std::abs(d[1]));
  return day.floor(p, light.sun, light.sky, footprint);
}

// Sunlight that arrives along a straight line: water and glass dim and tint it, solids stop it.
Radiance WaterTracer::sun_through(Vec3f origin, const Vec3f& to_light) const {
  Radiance light = Radiance::filled(1);
  Panes glass;
  for (int event = 0; event < most_events; ++event) {
    const float skin = 0.05f * water.skin;
    const Hit hit = scene.trace(origin, to_light, skin, 1e30f, skin, glass);
    for (const Panes::Pane& pane : glass)
      light = scaled(light, cross_glass(to_light, scene.smooth_normal(pane)).transmitted);
    if (hit.material == Material::none) return light;
    const bool leaving = dot(to_light, hit.normal) > 0;
    if (hit.material == Material::solid && !leaving) return {};
    if (hit.material == Material::water && leaving) light = scaled(light, water.transmitted(hit.distance));
    if (hit.material == Material::water) light *= 0.97f;
    origin += to_light * hit.distance;
  }
  return light;
}

// The normal of the shape, not of its triangles; near cuts by the domain they differ, and the triangle is
// right.
Vec3f WaterTracer::exact_normal(const Hit& hit, const Vec3f& p) const {
  const TracedSolid& solid = solids[hit.object];
  const Vec3 local = solid.pose.to_body(p.as<double>());
  const double e = 0.1 * water.skin;
  Vec3 g{};
  for (int a = 0; a < 3; ++a)
    g[a] = solid.shape.distance(local + Vec3::unit(a) * e) - solid.shape.distance(local - Vec3::unit(a) * e);
  const double length = norm(g);
  if (!(length > 1e-3 * e)) return hit.normal;
  const Vec3f exact = normalized((solid.pose.world_from_body * (g * (1 / length))).as<float>());
  return dot(exact, hit.normal) > 0.6f ? exact : hit.normal;
}

Radiance WaterTracer::solid_at(const Hit& hit, const Vec3f& p, const Vec3f& d) const {
  const TracedSolid& solid = solids[hit.object];
  Vec3f n = solid.normals == SolidNormals::of_mesh ? hit.smooth_normal : exact_normal(hit, p);
  if (dot(n, d) > 0) n = hit.normal;
  const Vec3f start = p + hit.normal * (0.05f * water.skin);
  Radiance sun{};
  const float facing = dot(n, day.to_sun);
  if (facing > 0) {
    const Vec3f side = normalized(cross(day.to_sun, Vec3f{0.3f, 0.1f, 0.9f})),
                other = cross(day.to_sun, side);
    const Vec3f q = p * (1 / water.skin);
    const auto key = static_cast<std::uint64_t>(static_cast<std::int64_t>(q[0] * 977) * 73856093 ^
                                                static_cast<std::int64_t>(q[1] * 977) * 19349663 ^
                                                static_cast<std::int64_t>(q[2] * 977) * 83492791);
    Rng rng(5, key);
    const float turn = rng.uniform();
    for (int s = 0; s < shadow_rays; ++s) {
      const float angle = 6.2831853f * (turn + static_cast<float>(s) / shadow_rays);
      const float r = sun_radius * std::sqrt((static_cast<float>(s) + rng.uniform()) / shadow_rays);
      sun += sun_through(
          start, normalized(day.to_sun + side * (r * std::cos(angle)) + other * (r * std::sin(angle))));
    }
    sun *= facing / shadow_rays;
  }
  // Skylight from above, and light thrown back by the sunny floor from below.
  const float open = 0.5f + 0.5f * n[1];
  const Radiance around = skylight * open + Radiance{0.34f, 0.33f, 0.31f} * (0.8f * (1 - open));
  const Radiance albedo{0.66f, 0.50f, 0.38f};
  return scaled(albedo, scaled(sun, sunlight) + around);
}

// The painted plane, if the ray meets it before anything else.
bool WaterTracer::meets_cut(const Vec3f& origin, const Vec3f& d, float farthest, float travelled, float& step,
                            Radiance& seen) const {
  if (!cut_face) return false;
  const float distance = cut_face->distance(origin, d);
  if (!(distance > 0.02f * water.skin && distance < farthest)) return false;
  Color color;
  if (!cut_face->paint(origin + d * distance, (travelled + distance) * pixel_angle, color)) return false;
  step = distance;
  seen = undeveloped(color);
  return true;
}

Radiance WaterTracer::droplet_at(const Hit& hit, const Vec3f& p, const Vec3f& d) const {
  const Vec3f n = dot(d, hit.normal) < 0 ? hit.normal : -hit.normal;
  const Refraction r = refract(d, n, 1, refractive_index_of_water);
  // A ball of water turns what is behind it upside down.
  const Vec3f out = normalized(d + (r.direction - d) * 2.0f);
  const Vec3f mirrored = reflected(d, n);
  return surroundings(p, mirrored) * r.reflectance + day.sun(mirrored) * r.reflectance +
         surroundings(p, out) * (1 - r.reflectance);
}

Radiance WaterTracer::follow(Vec3f origin, Vec3f d, bool inside, int depth, float weight, float travelled,
                             float* first) const {
  Radiance sum{}, through = Radiance::filled(1);
  const bool mirrored = depth > 0 && !inside;
  Panes panes;
  for (int event = 0; event < most_events; ++event) {
    const float to_floor = d[1] < 0 ? std::max(0.0f, (day.floor_y - origin[1]) / d[1]) : 1e30f;
    const bool at_eye = event == 0 && depth == 0;
    const float skin = 0.02f * water.skin;
    const Hit hit = scene.trace(origin, d, at_eye ? 0.0f : skin, to_floor, skin, panes);
    float step = std::min(hit.distance, 1e6f);
    Radiance painted{};
    const bool is_cut = meets_cut(origin, d, step, travelled, step, painted);
    if (!inside)  // wet glass hardly shows
      for (const Panes::Pane& pane : panes) {
        if (pane.distance >= step) break;
        const Vec3f n = scene.smooth_normal(pane);
        const GlassSurface glass = cross_glass(d, n);
        const Vec3f at = origin + d * pane.distance;
        const Vec3f mirror = reflected(d, dot(d, n) < 0 ? n : -n);
        sum += scaled(through, surroundings(at, mirror) + day.sun(mirror)) * glass.reflectance;
        through = scaled(through, glass.transmitted);
      }
    travelled += step;
    if (first) {
      *first = travelled;
      first = nullptr;
    }
    if (inside) {
      const Radiance passed = water.transmitted(step);
      sum += scaled(through, scaled(water.glow, Radiance::filled(1) - passed));
      through = scaled(through, passed);
    }
    if (is_cut) return sum + scaled(through, painted);
    const Vec3f p = origin + d * step;
    if (hit.material == Material::none) {
      if (to_floor < 1e29f) return sum + scaled(through, floor_at(p, d, travelled));
      return sum + scaled(through, day.sky(d) + (mirrored && event == 0 ? day.sun(d) : Radiance{}));
    }
    const bool entering = dot(d, hit.normal) < 0;
    if (hit.material == Material::solid) {
      if (entering) return sum + scaled(through, solid_at(hit, p, d));
      origin = p;  // out of the open side of a cut solid
      continue;
    }
    if (hit.material == Material::droplet) return sum + scaled(through, droplet_at(hit, p, d));

    // Water that stands on the floor has no air under it.
    if (!entering && p[1] < day.floor_y + water.skin && hit.normal[1] < 0.3f)
      return sum + scaled(through, floor_at(p, d, travelled));
    Vec3f n = entering ? hit.smooth_normal : -hit.smooth_normal;
    if (dot(d, n) > -0.02f) n = entering ? hit.normal : -hit.normal;
    const Refraction r =
        entering ? refract(d, n, 1, refractive_index_of_water) : refract(d, n, refractive_index_of_water, 1);
    Vec3f mirror = reflected(d, n);
    const Vec3f outward = entering ? hit.normal : -hit.normal;
    // A smoothed normal may send the reflection into the triangle: lift it just above.
    const float below = dot(mirror, outward);
    if (below < 0.01f) mirror = normalized(mirror + outward * (0.01f - below));

    origin = p;
    if (entering) {
      const float share = r.reflectance * weight * largest(through);
      if (depth < branching_depth && share > least_weight)
        sum +=
            scaled(through, follow(p, mirror, false, depth + 1, share, travelled, nullptr)) * r.reflectance;
      else
        sum += scaled(through, surroundings(p, mirror) + day.sun(mirror)) * r.reflectance;
      through *= 1 - r.reflectance;
      d = r.direction;
      inside = true;
    } else if (r.reflectance >= 1) {
      d = mirror;
    } else {
      // Leaving: the way out, and the fainter light that stays inside as the glow of the water.
      sum += scaled(through, water.glow) * r.reflectance;
      through *= 1 - r.reflectance;
      d = r.direction;
      inside = false;
    }
    if (largest(through) < 0.004f) return sum;
  }
  return sum + scaled(through, inside ? water.glow : day.sky(d));
}

}  // namespace glug
