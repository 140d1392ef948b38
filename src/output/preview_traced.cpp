#include "output/preview_traced.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "geometry/calm_surface.h"
#include "output/camera.h"
#include "output/caption.h"
#include "output/cutaway.h"
#include "output/film.h"
#include "output/solid_mesh.h"
#include "output/water_tracer.h"

namespace glug {
namespace {

constexpr Vec3f sun_side{-0.62f, 0.95f, -0.30f};
constexpr float contrast_to_refine = 0.055f;  // between neighbouring pixels, of 1
constexpr float contrast_to_look = 0.03f;     // less than this is filled in from the neighbours
// Where a pixel is refined, it is the mean of its middle and two of these, or all four if those two differ.
constexpr float refined_at[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.625f, 0.875f}, {0.125f, 0.625f}};

float difference(const Color& a, const Color& b) {
  float most = 0;
  for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// The pixels to the left, right, above and below; at the rim of the picture the other one of the pair.
struct Neighbours {
  std::ptrdiff_t at[4];
  Neighbours(std::ptrdiff_t y, int x, int width, int height) {
    const auto within = [](std::ptrdiff_t i, std::ptrdiff_t other, std::ptrdiff_t count) {
      return i < 0 || i >= count ? other : i;
    };
    at[0] = y * width + within(x - 1, x + 1, width);
    at[1] = y * width + within(x + 1, x - 1, width);
    at[2] = within(y - 1, y + 1, height) * width + x;
    at[3] = within(y + 1, y - 1, height) * width + x;
  }
  // The largest difference between them, or from a colour.
  float contrast(const Color* c) const {
    float most = 0;
    for (int n = 1; n < 4; ++n)
      for (int m = 0; m < n; ++m) most = std::max(most, difference(c[at[n]], c[at[m]]));
    return most;
  }
  float contrast(const Color* c, const Color& middle) const {
    float most = 0;
    for (const std::ptrdiff_t n : at) most = std::max(most, difference(c[n], middle));
    return most;
  }
  template <class T>
  T mean(const T* c) const {
    return (c[at[0]] + c[at[1]] + c[at[2]] + c[at[3]]) * 0.25f;
  }
};

// The liquid's distance without what reaches deep into glass: in the simulation it goes on into solids, which
// nobody sees in matte ones. Half a cell of it stays, so that no air shows between water and glass.
Field<3, float> water_beside_glass(const Exec& exec, const Frame<3>& frame) {
  std::vector<TracedSolid> glass;
  for (const FrameSolid& s : frame.solids)
    if (s.look == Look::glass) glass.push_back({s.shape->view(), s.pose});
  Field<3, float> clipped(frame.grid.cell_range().grown(1));
  const View<3, float> out = clipped.view();
  const View<3, const float> phi = frame.phi;
  const TracedSolid* solids = glass.data();
  const std::size_t count = glass.size();
  const Grid<3> grid = frame.grid;
  const float keep = 0.5f * static_cast<float>(grid.h);
  for_each_cell(exec, frame.blocks, grid.cell_range(), [=](const Index<3>& i) {
    float value = phi(i);
    for (std::size_t n = 0; n < count && value < keep; ++n) {
      const Vec3 local = solids[n].pose.to_body(grid.cell_center(i));
      value = std::max(value, -static_cast<float>(solids[n].shape.distance(local)) - keep);
    }
    out(i) = value;
  });
  return clipped;
}

// The edges of the domain, where nothing stands before them.
void draw_edges(Image& image, const Camera& camera, const Vec3f& size, const std::vector<float>& depth) {
  constexpr float half = 0.55f, opacity = 0.40f;
  const Color line{0.97f, 0.99f, 1.0f};
  for (int axis = 0; axis < 3; ++axis) {
    for (int corner = 0; corner < 4; ++corner) {
      Vec3f from{}, to{};
      from[(axis + 1) % 3] = corner & 1 ? size[(axis + 1) % 3] : 0;
      from[(axis + 2) % 3] = corner & 2 ? size[(axis + 2) % 3] : 0;
      to = from;
      to[axis] = size[axis];
      const Camera::Projected a = camera.project(from), b = camera.project(to);
      if (a.depth <= 0 || b.depth <= 0) continue;
      const float dx = b.x - a.x, dy = b.y - a.y, length2 = std::max(1e-6f, dx * dx + dy * dy);
      const int x0 = std::max(0, static_cast<int>(std::floor(std::min(a.x, b.x) - 2)));
      const int x1 = std::min(image.width() - 1, static_cast<int>(std::ceil(std::max(a.x, b.x) + 2)));
      const int y0 = std::max(0, static_cast<int>(std::floor(std::min(a.y, b.y) - 2)));
      const int y1 = std::min(image.height() - 1, static_cast<int>(std::ceil(std::max(a.y, b.y) + 2)));
      for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
          const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
          const float t = clamp(((px - a.x) * dx + (py - a.y) * dy) / length2, 0.0f, 1.0f);
          const float distance = std::hypot(px - a.x - t * dx, py - a.y - t * dy);
          const float coverage = clamp(half + 0.5f - distance, 0.0f, 1.0f);
          if (coverage <= 0) continue;
          // 1/depth is linear along a projected line. Depths of rays are along the ray, those of lines along
          // the axis.
          const float z = 1 / ((1 - t) / a.depth + t / b.depth);
          const float along_ray = z / dot(camera.direction(px, py), camera.forward);
          if (along_ray < depth[static_cast<std::size_t>(y) * image.width() + x] * 1.004f + 1e-6f)
            image.blend(x, y, line, opacity * coverage);
        }
      }
    }
  }
}

}  // namespace

std::vector<Vec3f> droplets_of(const Frame<3>& frame) {
  std::vector<Vec3f> droplets;
  const float h = static_cast<float>(frame.grid.h);
  for (std::int64_t n = 0; n < frame.particle_count; ++n) {
    const Vec3f& x = frame.positions[n];
    Index<3> cell{};
    for (int a = 0; a < 3; ++a) cell[a] = static_cast<int>(std::floor(x[a] / h - 0.5f));
    // Most particles are deep inside: one value tells.
    if (frame.phi_at(frame.grid.cell_range().clamped(cell)) < -1.8f * h) continue;
    if (level_at(frame, x) > 0.25f * h) droplets.push_back(x);
  }
  return droplets;
}

Image draw_traced(const Exec& exec, const Frame<3>& frame, const PreviewOptions& options,
                  PreviewScene::Cache& cache) {
  RayScene rays;
  Vec3f size{};
  for (int a = 0; a < 3; ++a) size[a] = static_cast<float>(frame.grid.cells[a] * frame.grid.h);
  const float h = static_cast<float>(frame.grid.h), longest = std::max({size[0], size[1], size[2]});

  const bool has_glass = std::any_of(frame.solids.begin(), frame.solids.end(),
                                     [](const FrameSolid& s) { return s.look == Look::glass; });
  // The surface as files show it (S5). Droplets are particles beyond the simulation's own.
  const Field<3, float> calm = calm_surface<3>(exec, frame.blocks, frame.grid, frame.phi, frame.solid);
  Frame<3> calm_frame = frame;
  calm_frame.phi = calm.read();
  const Field<3, float> clipped = has_glass ? water_beside_glass(exec, calm_frame) : Field<3, float>();
  const Camera camera = make_camera(options.camera, size, options.width, options.height);
  const bool has_cut = options.cutaway > 0;
  CutFace cut_face{make_cutaway(options.cutaway, camera, size), &calm_frame, {}};
  if (has_cut && options.shade == Shade::stream_function) {
    const int axis = cut_face.cutaway.axis;
    const float cell = cut_face.cutaway.at / static_cast<float>(frame.grid.h) - 0.5f * cut_face.cutaway.side;
    cut_face.stream = {frame.stream[static_cast<std::size_t>(axis)], frame.grid.h, axis,
                       static_cast<int>(std::floor(cell))};
  }
  const auto shown = [&](SurfaceMesh mesh) { return has_cut ? cut(mesh, cut_face.cutaway) : mesh; };
  const SurfaceMesh surface =
      shown(surface_mesh<3>(exec, {frame.blocks, frame.grid, has_glass ? clipped.read() : calm_frame.phi}));
  rays.add_mesh(surface, Material::water, -1);
  std::vector<SurfaceMesh> placed_solids;
  placed_solids.reserve(frame.solids.size());
  std::vector<TracedSolid> traced_solids;
  for (std::size_t n = 0; n < frame.solids.size(); ++n) {
    const FrameSolid& solid = frame.solids[n];
    if (n >= cache.solids.size() || cache.shapes[n] != solid.shape) {
      cache.shapes.resize(n);
      cache.solids.resize(n);
      cache.shapes.push_back(solid.shape);
      cache.solids.push_back(solid_mesh(exec, solid, size.as<double>(), frame.grid.h));
    }
    placed_solids.push_back(shown(placed(cache.solids[n], solid.pose)));
    traced_solids.push_back(
        {solid.shape->view(), solid.pose,
         is_drawn_as_given(solid, size.as<double>()) ? SolidNormals::of_mesh : SolidNormals::of_distance});
    rays.add_mesh(placed_solids.back(), solid.look == Look::glass ? Material::glass : Material::solid,
                  static_cast<int>(n));
  }
  std::vector<Vec3f> droplets = droplets_of(frame);
  if (has_cut) std::erase_if(droplets, [&](const Vec3f& x) { return cut_face.cutaway.in_front(x) > 0; });
  rays.add_droplets(droplets, 0.15f * h);
  rays.commit();

  WaterTracer tracer;
  tracer.scene = rays.view();
  tracer.day.to_sun = normalized(sun_side);
  tracer.day.floor_y = -0.002f * h;  // a hair below the water that stands on it
  tracer.day.tile = longest / 6;
  tracer.day.horizon = 3.2f * longest;
  tracer.day.middle = size * 0.5f;
  // Small tanks hold drinking water, which is colourless; tinted by the size of the domain it reads as water.
  tracer.water.absorption = Radiance{2.8f, 0.72f, 0.40f} * (1 / longest);
  tracer.water.glow = Radiance{0.02f, 0.17f, 0.26f};
  tracer.water.skin = 0.5f * h;
  tracer.solids = traced_solids.data();
  tracer.domain_size = size;
  if (has_cut) tracer.cut_face = &cut_face;
  tracer.pixel_angle = 2 * camera.half_height / static_cast<float>(options.height);
  const FloorLight floor_light(exec, tracer.scene, tracer.day, tracer.water, size);
  tracer.floor_light = floor_light.view();

  const int width = options.width, height = options.height;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<Color> first_pass(pixels);
  std::vector<float> depth(pixels);
  Color* first = first_pass.data();
  float* distance = depth.data();
  const auto look_at = [=](std::ptrdiff_t y, int x) {
    const WaterTracer::Seen seen = tracer.look(
        camera.from, camera.direction(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f));
    first[y * width + x] = developed(seen.radiance);
    distance[y * width + x] = seen.distance;
  };
  // Every other pixel, as on a chess board; of the others those whose four neighbours differ.
  for_each_task(exec, height, [=](std::ptrdiff_t y) {
    for (int x = static_cast<int>(y & 1); x < width; x += 2) look_at(y, x);
  });
  for_each_task(exec, height, [=](std::ptrdiff_t y) {
    for (int x = static_cast<int>(~y & 1); x < width; x += 2) {
      const Neighbours n(y, x, width, height);
      if (n.contrast(first) > contrast_to_look) {
        look_at(y, x);
      } else {
        first[y * width + x] = n.mean(first);
        distance[y * width + x] = n.mean(distance);
      }
    }
  });
  Image image(width, height);
  std::uint8_t* out = image.row(0);
  for_each_task(exec, height, [=](std::ptrdiff_t y) {
    for (int x = 0; x < width; ++x) {
      const Color middle = first[y * width + x];
      Color color = middle;
      if (Neighbours(y, x, width, height).contrast(first, middle) > contrast_to_refine) {
        const auto add = [&](const float(&at)[2]) {
          const Color c = developed(tracer
                                        .look(camera.from, camera.direction(static_cast<float>(x) + at[0],
                                                                            static_cast<float>(y) + at[1]))
                                        .radiance);
          color += c;
          return difference(c, middle);
        };
        const float one = add(refined_at[0]), other = add(refined_at[2]);
        if (std::max(one, other) > contrast_to_refine) {
          add(refined_at[1]);
          add(refined_at[3]);
          color *= 0.2f;
        } else {
          color *= 1.0f / 3;
        }
      }
      for (int a = 0; a < 3; ++a) out[(y * width + x) * 3 + a] = to_byte(color[a]);
    }
  });
  draw_edges(image, camera, size, depth);
  draw_caption(image, options.title, frame.number, frame.time, {0.22f, 0.25f, 0.29f}, 0.9f);
  return image;
}

}  // namespace glug
