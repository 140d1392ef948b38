#include "output/preview_smoke.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/for_each.h"
#include "output/camera.h"
#include "output/caption.h"
#include "output/daylight.h"
#include "output/draw.h"
#include "output/film.h"

namespace glug {
namespace {

constexpr Vec3f smoke_sun{-0.62f, 0.95f, 0.30f};
constexpr float thickness = 22;     // of smoke of density 1: optical depths along the domain's longest side
constexpr float step_cells = 0.8f;  // of a ray
constexpr float shadow_cells = 1.0f;
constexpr float opaque = 0.004f;  // what is left of the light behind which nothing is looked for
constexpr float glowing = 600;    // K: at such temperatures smoke glows brightly
constexpr Radiance smoke_albedo{0.90f, 0.90f, 0.92f};

struct DrawnSolid {
  ShapeView shape;
  Pose pose;
  Look look = Look::matte;
  Vec3f low{}, high{};  // a box around it, m
};

// Everything a ray needs, trivially copyable.
struct SmokeScenery {
  Grid<3> grid;
  View<3, const float> density, temperature, shadow;  // shadow: share of sunlight that reaches a cell
  const DrawnSolid* solids = nullptr;
  int solid_count = 0;
  Vec3f size{};
  float extinction = 1;  // 1/m at density 1
  Daylight day;

  // Trilinear between cell centres, the nearest beyond them. x in metres.
  float sample(const View<3, const float>& field, const Vec3f& x) const {
    int base[3];
    float t[3];
    for (int a = 0; a < 3; ++a) {
      const float last = static_cast<float>(grid.cells[a] - 1);
      const float s = clamp(x[a] / static_cast<float>(grid.h) - 0.5f, 0.0f, last);
      base[a] = std::min(static_cast<int>(s), std::max(0, grid.cells[a] - 2));
      t[a] = s - static_cast<float>(base[a]);
    }
    const float* p = &field({base[0], base[1], base[2]});
    float planes[2];
    for (int k = 0; k < 2; ++k) {
      const float* q = p + k * field.stride[2];
      const float low = q[0] + t[0] * (q[1] - q[0]);
      const float* r = q + field.stride[1];
      const float high = r[0] + t[0] * (r[1] - r[0]);
      planes[k] = low + t[1] * (high - low);
    }
    return planes[0] + t[2] * (planes[1] - planes[0]);
  }

  // The stretch of a ray inside a box.
  static bool span(const Vec3f& low, const Vec3f& high, const Vec3f& from, const Vec3f& d, float& near_t,
                   float& far_t) {
    near_t = 0;
    far_t = 1e30f;
    for (int a = 0; a < 3; ++a) {
      if (std::abs(d[a]) < 1e-9f) {
        if (from[a] < low[a] || from[a] > high[a]) return false;
        continue;
      }
      const float s = (low[a] - from[a]) / d[a], t = (high[a] - from[a]) / d[a];
      near_t = std::max(near_t, std::min(s, t));
      far_t = std::min(far_t, std::max(s, t));
    }
    return near_t < far_t;
  }

  double distance(int n, const Vec3f& x) const {
    return solids[n].shape.distance(solids[n].pose.to_body(x.as<double>()));
  }

  struct Hit {
    float t = 1e30f;
    int solid = -1;
  };
  // By stepping as far as nothing can be hit.
  Hit trace(const Vec3f& from, const Vec3f& d, float farthest) const {
    Hit hit;
    hit.t = farthest;
    for (int n = 0; n < solid_count; ++n) {
      float near_t, far_t;
      if (!span(solids[n].low, solids[n].high, from, d, near_t, far_t) || near_t >= hit.t) continue;
      const float close = 0.02f * static_cast<float>(grid.h);
      float t = near_t;
      for (int step = 0; step < 200 && t < std::min(far_t, hit.t); ++step) {
        const float gap = static_cast<float>(distance(n, from + d * t));
        if (gap < close) {
          hit = {t, n};
          break;
        }
        t += 0.95f * gap;
      }
    }
    return hit;
  }

  float sun_at(const Vec3f& x) const {
    bool inside = true;
    for (int a = 0; a < 3; ++a) inside = inside && x[a] >= 0 && x[a] <= size[a];
    return inside ? sample(shadow, x) : beyond(x);
  }
  // Sunlight that reaches a point outside the domain.
  float beyond(const Vec3f& x) const {
    float near_t, far_t;
    if (!span(Vec3f{}, size, x, day.to_sun, near_t, far_t)) return 1;
    if (trace(x, day.to_sun, far_t).solid >= 0) return 0.15f;
    const float step = 2 * static_cast<float>(grid.h);
    float depth = 0;
    for (float t = near_t + 0.5f * step; t < far_t; t += step) depth += sample(density, x + day.to_sun * t);
    return std::exp(-0.8f * extinction * step * depth);
  }

  Radiance background(const Vec3f& from, const Vec3f& d, float pixel_angle, float farthest) const {
    if (d[1] >= -1e-4f) return day.sky(d);
    const float t = (day.floor_y - from[1]) / d[1];
    if (t > farthest) return day.sky(d);
    const Vec3f p = from + d * t;
    return day.floor(p, Radiance::filled(beyond(p)), 0.85f, pixel_angle * t / -d[1]);
  }

  Radiance solid_light(const Vec3f& from, const Vec3f& d, const Hit& hit) const {
    const Vec3f x = from + d * hit.t;
    const double e = 0.2 * grid.h;
    Vec3f n{};
    for (int a = 0; a < 3; ++a) {
      Vec3f step{};
      step[a] = static_cast<float>(e);
      n[a] = static_cast<float>(distance(hit.solid, x + step) - distance(hit.solid, x - step));
    }
    n = normalized(n + Vec3f{0, 1e-12f, 0});
    const float facing = std::max(0.0f, dot(n, day.to_sun));
    const Vec3f outside = x + n * (1.5f * static_cast<float>(grid.h));
    const Radiance albedo =
        solids[hit.solid].look == Look::glass ? Radiance{0.60f, 0.66f, 0.70f} : Radiance{0.62f, 0.52f, 0.42f};
    return scaled(albedo, sunlight * (facing * sun_at(outside)) + skylight * (0.55f + 0.45f * n[1]));
  }

  Radiance look(const Vec3f& from, const Vec3f& d, float pixel_angle) const {
    const Hit hit = trace(from, d, 1e30f);
    const Radiance behind =
        hit.solid >= 0 ? solid_light(from, d, hit) : background(from, d, pixel_angle, 1e30f);
    float near_t, far_t;
    if (!span(Vec3f{}, size, from, d, near_t, far_t)) return behind;
    far_t = std::min(far_t, hit.t);
    const float step = step_cells * static_cast<float>(grid.h);
    Radiance light{};
    float left = 1;
    for (float t = near_t + 0.5f * step; t < far_t && left > opaque; t += step) {
      const Vec3f x = from + d * t;
      const float thick = sample(density, x);
      if (thick < 1e-3f) continue;
      const float passed = std::exp(-extinction * step * thick);
      const float warm = clamp(sample(temperature, x) / glowing, 0.0f, 1.0f);
      const Radiance lit = sunlight * (0.95f * sample(shadow, x)) + skylight * 0.42f;
      const Radiance glow = Radiance{2.2f, 0.75f, 0.14f} * (warm * warm);
      light += (scaled(smoke_albedo, lit) + glow) * (left * (1 - passed));
      left *= passed;
    }
    return light + behind * left;
  }
};

Field<3, float> shadows(const Exec& exec, const SmokeScenery& scenery) {
  Field<3, float> shadow(scenery.grid.cell_range());
  const View<3, float> out = shadow.view();
  const Grid<3> grid = scenery.grid;
  for_each(exec, grid.cell_range(), [=](const Index<3>& i) {
    const Vec3f x = grid.cell_center(i).as<float>();
    float near_t, far_t;
    if (!SmokeScenery::span(Vec3f{}, scenery.size, x, scenery.day.to_sun, near_t, far_t)) {
      out(i) = 1;
      return;
    }
    const float step = shadow_cells * static_cast<float>(grid.h);
    float depth = 0;
    for (float t = 0.5f * step; t < far_t && depth * step * scenery.extinction < 8; t += step)
      depth += scenery.sample(scenery.density, x + scenery.day.to_sun * t);
    const float solid = scenery.trace(x, scenery.day.to_sun, far_t).solid >= 0 ? 0.15f : 1.0f;
    out(i) = solid * std::exp(-0.8f * scenery.extinction * step * depth);
  });
  return shadow;
}

void draw_box(Image& image, const Camera& camera, const Vec3f& size) {
  for (int axis = 0; axis < 3; ++axis)
    for (int corner = 0; corner < 4; ++corner) {
      Vec3f from{};
      from[(axis + 1) % 3] = corner & 1 ? size[(axis + 1) % 3] : 0;
      from[(axis + 2) % 3] = corner & 2 ? size[(axis + 2) % 3] : 0;
      Vec3f to = from;
      to[axis] = size[axis];
      const Camera::Projected a = camera.project(from), b = camera.project(to);
      if (a.depth > 0 && b.depth > 0)
        draw_line(image, {a.x, a.y}, {b.x, b.y}, 1.0f, {0.97f, 0.99f, 1.0f}, 0.22f);
    }
}

}  // namespace

Image draw_smoke(const Exec& exec, const Frame<3>& frame, const PreviewOptions& options) {
  std::vector<DrawnSolid> solids;
  SmokeScenery scenery;
  scenery.grid = frame.grid;
  scenery.density = frame.density;
  scenery.temperature = frame.temperature;
  for (int a = 0; a < 3; ++a) scenery.size[a] = static_cast<float>(frame.grid.cells[a] * frame.grid.h);
  const float longest = std::max({scenery.size[0], scenery.size[1], scenery.size[2]});
  for (const FrameSolid& s : frame.solids) {
    DrawnSolid drawn{s.shape->view(), s.pose, s.look};
    const WorldBox box = world_box({*s.shape, {}, s.pose});
    for (int a = 0; a < 3; ++a) {  // no farther than the domain: a plane has no end
      const double h = frame.grid.h, end = static_cast<double>(scenery.size[a]) + h;
      drawn.low[a] = static_cast<float>(std::clamp(box.low[a] - h, -h, end));
      drawn.high[a] = static_cast<float>(std::clamp(box.high[a] + h, -h, end));
    }
    solids.push_back(drawn);
  }
  scenery.solids = solids.data();
  scenery.solid_count = static_cast<int>(solids.size());
  scenery.extinction = thickness / longest;
  scenery.day.to_sun = normalized(smoke_sun);
  scenery.day.floor_y = -0.002f * static_cast<float>(frame.grid.h);
  scenery.day.tile = longest / 6;
  scenery.day.horizon = 3.2f * longest;
  scenery.day.middle = scenery.size * 0.5f;
  const Field<3, float> shadow = shadows(exec, scenery);
  scenery.shadow = shadow.read();

  const Camera camera = make_camera(options.camera, scenery.size, options.width, options.height);
  const float pixel_angle = 2 * camera.half_height / static_cast<float>(options.height);
  Image image(options.width, options.height);
  std::uint8_t* out = image.row(0);
  const int width = options.width;
  for_each_task(exec, options.height, [=](std::ptrdiff_t y) {
    for (int x = 0; x < width; ++x) {
      const Vec3f d = camera.direction(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      const Color color = developed(scenery.look(camera.from, d, pixel_angle));
      for (int a = 0; a < 3; ++a) out[(y * width + x) * 3 + a] = to_byte(color[a]);
    }
  });
  draw_box(image, camera, scenery.size);
  draw_caption(image, options.title, frame.number, frame.time, {0.22f, 0.25f, 0.29f}, 0.9f);
  return image;
}

}  // namespace glug
