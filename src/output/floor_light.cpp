#include "output/floor_light.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/random.h"

namespace glug {
namespace {

constexpr int texels = 300;  // along the longer side of the rectangle
// Where the rays of a texel start. Each place makes a lattice as wide as the texels, whose tents add up to
// exactly 1 (below): one will do while cells are wide, two where waves are finer than that.
constexpr float one_ray[][2] = {{0.5f, 0.5f}};
constexpr float two_rays[][2] = {{0.25f, 0.25f}, {0.75f, 0.75f}};
constexpr int sky_texels = 60;
constexpr int sky_rays = 16;
constexpr int most_events_of_light = 6;

struct Landing {
  float x = 0, z = 0;  // in texels
  Radiance weight{};
};

// Follows one ray of sun until it lands on the floor or is lost.
Landing follow(const RayScene::View& scene, const Daylight& day, const Water& water, Vec3f origin) {
  Vec3f d = -day.to_sun;
  Radiance weight = Radiance::filled(1);
  bool inside = false;
  Panes glass;
  for (int event = 0; event < most_events_of_light; ++event) {
    const float to_floor = d[1] < 0 ? (day.floor_y - origin[1]) / d[1] : 1e30f;
    const float skin = 0.02f * water.skin;
    const Hit hit = scene.trace(origin, d, skin, to_floor, skin, glass);
    if (!inside)
      for (const Panes::Pane& pane : glass)
        weight = scaled(weight, cross_glass(d, scene.smooth_normal(pane)).transmitted);
    if (inside) weight = scaled(weight, water.transmitted(std::min(hit.distance, 1e6f)));
    if (hit.material == Material::none) {
      if (to_floor > 1e29f) return {};
      const Vec3f p = origin + d * to_floor;
      return {p[0], p[2], weight};
    }
    const Vec3f p = origin + d * hit.distance;
    const bool entering = dot(d, hit.normal) < 0;
    origin = p;
    if (hit.material == Material::droplet) continue;
    if (hit.material == Material::solid) {
      if (entering) return {};
      continue;
    }
    if (!entering && p[1] < day.floor_y + water.skin && hit.normal[1] < 0.3f) return {p[0], p[2], weight};
    Vec3f n = entering ? hit.smooth_normal : -hit.smooth_normal;
    if (dot(d, n) > -0.01f) n = entering ? hit.normal : -hit.normal;
    const Refraction r =
        entering ? refract(d, n, 1, refractive_index_of_water) : refract(d, n, refractive_index_of_water, 1);
    if (r.reflectance >= 1) {
      d = reflected(d, n);
      continue;
    }
    weight *= 1 - r.reflectance;
    d = r.direction;
    inside = entering;
  }
  return {};
}

// The share of the sky that a spot on the floor sees; water hides some of it.
float sky_seen(const RayScene::View& scene, const Daylight& day, const Water& water, const Vec3f& p,
               std::uint64_t key, float reach) {
  Rng rng(11, key);
  const float turn = rng.uniform();
  float seen = 0;
  for (int n = 0; n < sky_rays; ++n) {
    // Cosine-weighted directions on a spiral, turned by a hash of the place.
    const float r2 = (static_cast<float>(n) + 0.5f) / sky_rays, r = std::sqrt(r2);
    const float angle = 6.2831853f * (turn + 0.618034f * static_cast<float>(n));
    const Vec3f d{r * std::cos(angle), std::sqrt(1 - r2), r * std::sin(angle)};
    const Hit hit = scene.trace({p[0], day.floor_y + 0.1f * water.skin, p[2]}, d, 0, reach);
    if (hit.material == Material::none || hit.material == Material::droplet) {
      seen += 1;
    } else if (hit.material == Material::water) {
      seen += 0.80f;
    } else if (hit.material == Material::glass) {
      seen += 0.88f;
    } else if (dot(d, hit.normal) < 0) {
      seen += 0.5f * hit.distance / reach;
    } else {
      seen += 1;
    }
  }
  return seen / sky_rays;
}

template <class T>
T lookup(const T* values, int width, int depth, float u, float v) {
  const float x = clamp(u * static_cast<float>(width) - 0.5f, 0.0f, static_cast<float>(width) - 1.001f);
  const float z = clamp(v * static_cast<float>(depth) - 0.5f, 0.0f, static_cast<float>(depth) - 1.001f);
  const int i = static_cast<int>(x), k = static_cast<int>(z);
  const float s = x - static_cast<float>(i), t = z - static_cast<float>(k);
  const T* p = values + static_cast<std::ptrdiff_t>(k) * width + i;
  return (p[0] * (1 - s) + p[1] * s) * (1 - t) + (p[width] * (1 - s) + p[width + 1] * s) * t;
}

}  // namespace

FloorLightView::Sample FloorLightView::at(const Vec3f& p) const {
  const float u = (p[0] - low_x) / size_x, v = (p[2] - low_z) / size_z;
  if (u < 0 || u > 1 || v < 0 || v > 1) return {};
  // The rectangle fades into the undisturbed floor around it.
  const float edge = std::min({u, 1 - u, v, 1 - v});
  const float t = smooth_step(0.0f, 0.03f, edge);
  return {mix(Radiance::filled(1), lookup(sun, width, depth, u, v), t),
          1 + (lookup(sky, sky_width, sky_depth, u, v) - 1) * t};
}

FloorLight::FloorLight(const Exec& exec, const RayScene::View& scene, const Daylight& day, const Water& water,
                       const Vec3f& domain_size) {
  // The domain's footprint, the shadow its full height would throw, and a margin.
  const float margin = 0.12f * std::max(domain_size[0], domain_size[2]);
  const float throw_x = -day.to_sun[0] / day.to_sun[1] * domain_size[1];
  const float throw_z = -day.to_sun[2] / day.to_sun[1] * domain_size[1];
  frame_.low_x = std::min(0.0f, throw_x) - margin;
  frame_.low_z = std::min(0.0f, throw_z) - margin;
  frame_.size_x = domain_size[0] + std::abs(throw_x) + 2 * margin;
  frame_.size_z = domain_size[2] + std::abs(throw_z) + 2 * margin;
  const float texel = std::max(frame_.size_x, frame_.size_z) / texels;
  frame_.width = std::max(2, static_cast<int>(std::ceil(frame_.size_x / texel)));
  frame_.depth = std::max(2, static_cast<int>(std::ceil(frame_.size_z / texel)));
  frame_.size_x = static_cast<float>(frame_.width) * texel;
  frame_.size_z = static_cast<float>(frame_.depth) * texel;

  const bool wide_cells = 2 * water.skin > 1.5f * texel;
  const float(*const starts)[2] = wide_cells ? one_ray : two_rays;
  const int rays_per_texel = wide_cells ? 1 : 2;
  const int columns = frame_.width * rays_per_texel, rows = frame_.depth;
  std::vector<Landing> landings(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  Landing* out = landings.data();
  const FloorLightView frame = frame_;
  const float up = (domain_size[1] * 1.05f - day.floor_y) / day.to_sun[1];
  for_each_task(exec, rows, [=](std::ptrdiff_t row) {
    for (int column = 0; column < columns; ++column) {
      const float* start = starts[column % rays_per_texel];
      const Vec3f target{frame.low_x + (static_cast<float>(column / rays_per_texel) + start[0]) * texel,
                         day.floor_y, frame.low_z + (static_cast<float>(row) + start[1]) * texel};
      Landing landing = follow(scene, day, water, target + day.to_sun * up);
      landing.x = (landing.x - frame.low_x) / texel - 0.5f;
      landing.z = (landing.z - frame.low_z) / texel - 0.5f;
      out[row * columns + column] = landing;
    }
  });

  // Gathered in the order of the lattice, so that the sums do not depend on threads. Each ray spreads over a
  // tent three texels wide: an undisturbed lattice gives exactly 1.
  sun_.assign(static_cast<std::size_t>(frame_.width) * static_cast<std::size_t>(frame_.depth), Radiance{});
  for (const Landing& l : landings) {
    if (!(l.weight[1] > 0)) continue;
    const int i0 = static_cast<int>(std::floor(l.x)) - 1, k0 = static_cast<int>(std::floor(l.z)) - 1;
    for (int k = std::max(k0, 0); k < std::min(k0 + 4, frame_.depth); ++k) {
      const float wz = std::max(0.0f, 1 - std::abs(static_cast<float>(k) - l.z) / 2) / 2;
      for (int i = std::max(i0, 0); i < std::min(i0 + 4, frame_.width); ++i) {
        const float wx = std::max(0.0f, 1 - std::abs(static_cast<float>(i) - l.x) / 2) / 2;
        sun_[static_cast<std::size_t>(k) * frame_.width + i] +=
            l.weight * (wx * wz / static_cast<float>(rays_per_texel));
      }
    }
  }

  const float coarse = std::max(frame_.size_x, frame_.size_z) / sky_texels;
  frame_.sky_width = std::max(2, static_cast<int>(std::ceil(frame_.size_x / coarse)));
  frame_.sky_depth = std::max(2, static_cast<int>(std::ceil(frame_.size_z / coarse)));
  const int sky_width = frame_.sky_width, sky_depth = frame_.sky_depth;
  std::vector<float> raw(static_cast<std::size_t>(sky_width) * static_cast<std::size_t>(sky_depth));
  float* seen = raw.data();
  const float reach = 0.5f * std::max({domain_size[0], domain_size[1], domain_size[2]});
  for_each_task(exec, sky_depth, [=](std::ptrdiff_t k) {
    for (int i = 0; i < sky_width; ++i) {
      const Vec3f p{
          frame.low_x + (static_cast<float>(i) + 0.5f) * frame.size_x / static_cast<float>(sky_width), 0,
          frame.low_z + (static_cast<float>(k) + 0.5f) * frame.size_z / static_cast<float>(sky_depth)};
      seen[k * sky_width + i] =
          sky_seen(scene, day, water, p, static_cast<std::uint64_t>(k * sky_width + i), reach);
    }
  });
  // A 3 x 3 mean takes the grain of the few directions away.
  sky_ = raw;
  for (int k = 0; k < sky_depth; ++k)
    for (int i = 0; i < sky_width; ++i) {
      float sum = 0, count = 0;
      for (int dk = std::max(k - 1, 0); dk <= std::min(k + 1, sky_depth - 1); ++dk)
        for (int di = std::max(i - 1, 0); di <= std::min(i + 1, sky_width - 1); ++di) {
          sum += raw[static_cast<std::size_t>(dk) * sky_width + di];
          count += 1;
        }
      sky_[static_cast<std::size_t>(k) * sky_width + i] = sum / count;
    }
}

FloorLightView FloorLight::view() const {
  FloorLightView v = frame_;
  v.sun = sun_.data();
  v.sky = sky_.data();
  return v;
}

}  // namespace glug
