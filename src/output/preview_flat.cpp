#include "output/preview_flat.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/for_each.h"
#include "geometry/sample.h"
#include "output/caption.h"
#include "output/draw.h"
#include "output/flat_colors.h"
#include "output/smoke_colors.h"
#include "output/stream_colors.h"

namespace glug {
namespace {

using namespace flat;

constexpr Color paper{0.985f, 0.988f, 0.992f};
constexpr Color tank{0.945f, 0.957f, 0.969f};
constexpr Color solid_hatch{0.56f, 0.57f, 0.60f};
constexpr Color ink{0.28f, 0.31f, 0.36f};
constexpr double hatch_pixels = 9;

// Everything a pixel needs, trivially copyable.
struct Scenery {
  Grid<2> grid;
  BlocksView<2> blocks;
  View<2, const float> phi;
  struct Solid {
    ShapeView shape;
    Pose pose;
    Look look = Look::matte;
  };
  const Solid* solids = nullptr;
  int solid_count = 0;
  FlatLayout layout;
  View<2, const std::int32_t> air{};
  const std::int64_t* bubble_ids = nullptr;
  std::int32_t bubbles = 0;
  View<2, const std::int32_t> tile{};
  StreamColors<2> stream{};
  SmokeColors smoke{};  // instead of liquid

  std::int32_t tile_at(const Vec<2, double>& x) const {
    Index<2> cell{};
    for (int a = 0; a < 2; ++a) cell[a] = static_cast<int>(std::floor(x[a] / grid.h));
    return grid.cell_range().contains(cell) && blocks.slot_of_cell(cell) >= 0 ? tile(cell) : -1;
  }
  Color with_tiles(const Color& color, const Vec<2, double>& x) const {
    const std::int32_t own = tile_at(x);
    const double pixel = 1 / layout.pixels_per_metre;
    bool edge = false;
    for (const Vec<2, double>& step : {Vec<2, double>{pixel, 0}, Vec<2, double>{0, pixel}})
      edge = edge || tile_at(x + step) != own || tile_at(x - step) != own;
    return with_tile(color, own, edge);
  }

  // Free air is pale; a bubble keeps a colour of its own from frame to frame.
  Color air_color(const Vec<2, double>& x) const {
    if (!air.data) return tank;
    Index<2> cell{};
    for (int a = 0; a < 2; ++a) cell[a] = static_cast<int>(std::floor(x[a] / grid.h));
    // Air in a cell that counts as liquid belongs to a pocket beside it.
    std::int32_t pocket = -1;
    for (int ring = 0; ring < 2 && pocket < 0; ++ring)
      visit(Range<2>{cell, cell + Index<2>::filled(1)}.grown(ring), [&](const Index<2>& i) {
        if (pocket < 0 && grid.cell_range().contains(i) && air(i) < bubbles) pocket = air(i);
      });
    const std::int64_t id = pocket < 0 ? 0 : bubble_ids[pocket];
    if (id == 0) return tank;
    const double hue = std::fmod(0.11 + 0.61803398875 * static_cast<double>(id), 1.0);  // neighbours differ
    const auto wave = [&](double shift) {
      return static_cast<float>(0.83 + 0.15 * std::cos(2 * std::numbers::pi * (hue + shift)));
    };
    return {wave(0), wave(1.0 / 3), wave(2.0 / 3)};
  }

  float phi_at(Index<2> i) const {
    i = grid.cell_range().clamped(i);
    return blocks.slot_of_cell(i) >= 0 ? phi(i) : static_cast<float>(3 * grid.h);
  }

  struct Level {
    float value = 0;  // m
    float slope = 1;  // |gradient|
  };
  // Catmull-Rom interpolation: smooth outlines where bilinear ones would show the cells.
  Level level(const Vec<2, double>& x) const {
    int base[2];
    float w[2][4], dw[2][4];
    for (int a = 0; a < 2; ++a) {
      const double s = x[a] / grid.h - 0.5;
      base[a] = static_cast<int>(std::floor(s));
      const float t = static_cast<float>(s - base[a]), t2 = t * t, t3 = t2 * t;
      const float weights[4] = {-0.5f * t + t2 - 0.5f * t3, 1 - 2.5f * t2 + 1.5f * t3,
                                0.5f * t + 2 * t2 - 1.5f * t3, -0.5f * t2 + 0.5f * t3};
      const float slopes[4] = {-0.5f + 2 * t - 1.5f * t2, -5 * t + 4.5f * t2, 0.5f + 4 * t - 4.5f * t2,
                               -t + 1.5f * t2};
      std::copy(weights, weights + 4, w[a]);
      std::copy(slopes, slopes + 4, dw[a]);
    }
    float value = 0, gx = 0, gy = 0;
    for (int j = 0; j < 4; ++j) {
      float row = 0, row_slope = 0;
      for (int i = 0; i < 4; ++i) {
        const float v = phi_at({base[0] + i - 1, base[1] + j - 1});
        row += w[0][i] * v;
        row_slope += dw[0][i] * v;
      }
      value += w[1][j] * row;
      gx += w[1][j] * row_slope;
      gy += dw[1][j] * row;
    }
    const float h = static_cast<float>(grid.h);
    return {value, std::sqrt(gx * gx + gy * gy) / h};
  }

  Color pixel(double px, double py) const {
    const Vec<2, double> x = layout.to_metres(px, py);
    Color color = tank;
    if (smoke.density.data)
      color = smoke.at(grid, x);
    else
      color = liquid_color(x);
    return with_solids(color, x);
  }

  Color liquid_color(const Vec<2, double>& x) const {
    const float scale = static_cast<float>(layout.pixels_per_metre), h = static_cast<float>(grid.h);
    const Level liquid = level(x);
    Color color = liquid.value > -2 * h ? air_color(x) : tank;
    if (tile.data && liquid.value > 0) color = with_tiles(color, x);
    // Distance to the surface in pixels; the slope corrects a level set that is not quite a distance.
    const float d = liquid.value / clamp(liquid.slope, 0.3f, 3.0f) * scale;
    if (d < 2) {
      const float height = static_cast<float>(grid.cells[1] * grid.h), up = static_cast<float>(x[1]) / height;
      Color body = water(-liquid.value / h, up);
      if (stream.psi.data) body = stream.over(body, x, 1 / layout.pixels_per_metre);
      color = blend(color, tile.data && d < 0 ? with_tiles(body, x) : body, 0.5f - d);
      color = blend(color, surface_line, 0.85f * clamp(1.25f - std::abs(d), 0.0f, 1.0f));
    }
    return color;
  }

  Color with_solids(Color color, const Vec<2, double>& x) const {
    const float scale = static_cast<float>(layout.pixels_per_metre);
    double nearest = 1e30;
    Vec3 body_point{};
    Look look = Look::matte;
    for (int n = 0; n < solid_count; ++n) {
      const Vec3 local = solids[n].pose.to_body(embed<2>(x));
      const double distance = solids[n].shape.distance(local);
      if (distance < nearest) {
        nearest = distance;
        body_point = local;
        look = solids[n].look;
      }
    }
    const float s = static_cast<float>(nearest) * scale;
    if (s < 2) {
      const double along =
          (body_point[0] + body_point[1]) * layout.pixels_per_metre * 0.70710678 / hatch_pixels;
      const double from_line = std::abs(along - std::round(along)) * hatch_pixels;
      const Color hatched = blend(solid_fill, solid_hatch, static_cast<float>(1.2 - from_line));
      const Color fill = look == Look::glass ? glass_fill : hatched;
      color = blend(color, fill, 0.5f - s);
      color = blend(color, solid_line, 0.9f * clamp(1.2f - std::abs(s), 0.0f, 1.0f));
    }
    return color;
  }

  bool in_solid(const Vec<2, double>& x) const {
    for (int n = 0; n < solid_count; ++n)
      if (solids[n].shape.distance(solids[n].pose.to_body(embed<2>(x))) < 0) return true;
    return false;
  }
};

// A speed by which speeds are judged: of a fall through the domain under Earth's gravity. The same in every
// frame, so that colours and arrows of a movie can be compared.
float reference_speed(const Grid<2>& grid) {
  return static_cast<float>(std::sqrt(2 * 9.81 * grid.cells[1] * grid.h));
}

void draw_particles(Image& image, const Frame<2>& frame, const Scenery& scenery) {
  const float cell = static_cast<float>(frame.grid.h * scenery.layout.pixels_per_metre);
  const float radius = clamp(0.13f * cell, 0.45f, 1.6f);
  // Dots that would merge into a grey veil tell nothing: they fade out below three pixels a cell.
  const float inside_opacity = 0.5f * smooth((cell - 2.0f) / 4.0f);
  const float reference = reference_speed(frame.grid);
  if (frame.is_smoke()) {
    for (std::int64_t n = 0; n < frame.particle_count; ++n)
      draw_disk(image, scenery.layout.to_pixel(frame.positions[n].as<double>()), std::max(radius, 0.7f),
                SmokeColors::marker, 0.7f);
    return;
  }
  for (std::int64_t n = 0; n < frame.particle_count; ++n) {
    const Vec<2, double> x = frame.positions[n].as<double>();
    const Pixel at = scenery.layout.to_pixel(x);
    const float phi = scenery.level(x).value;
    if (phi > 0.3f * static_cast<float>(frame.grid.h)) {
      draw_disk(image, at, std::max(radius, 0.8f), water_deep, 0.75f);
    } else if (inside_opacity > 0) {
      const float speed = norm(frame.velocities[n]) / reference;
      draw_disk(image, at, radius, blend(water_deep, foam, 0.25f + 2.2f * speed),
                inside_opacity * (0.45f + speed));
    }
  }
}

void draw_velocity(Image& image, const Frame<2>& frame, const Scenery& scenery) {
  const Grid<2>& grid = frame.grid;
  const float spacing = std::max(18.0f, 0.05f * static_cast<float>(std::min(image.width(), image.height())));
  const double step = spacing / scenery.layout.pixels_per_metre;
  // Smoke drifts where water falls.
  const float reference = (frame.is_smoke() ? 0.3f : 1.0f) * reference_speed(grid),
              h = static_cast<float>(grid.h);
  for (int j = 0; (j + 0.5) * step < grid.cells[1] * grid.h; ++j) {
    for (int i = 0; (i + 0.5) * step < grid.cells[0] * grid.h; ++i) {
      const Vec<2, double> x{(i + 0.5) * step, (j + 0.5) * step};
      if (scenery.level(x).value > -0.7f * h || scenery.in_solid(x)) continue;
      Index<2> cell{};
      Vec<2, float> offset{};
      for (int a = 0; a < 2; ++a) {
        cell[a] = clamp(static_cast<int>(x[a] / grid.h), 0, grid.cells[a] - 1);
        offset[a] = static_cast<float>(x[a] / grid.h - cell[a]);
      }
      if (frame.blocks.slot_of_cell(cell) < 0) continue;
      const Vec<2, float> u = sample_mac<2, float>(frame.velocity, cell, offset);
      const float speed = norm(u);
      if (!(speed > 0)) continue;
      // Grows with speed, levels off at one lattice step and a half.
      const float s = speed / reference;
      const float length = 1.5f * spacing * (4 * s / (1 + 4 * s));
      if (length < 1.5f) continue;
      const Pixel middle = scenery.layout.to_pixel(x), along{u[0] / speed, -u[1] / speed};
      draw_arrow(image, middle - along * (0.5f * length), middle + along * (0.5f * length), 1.1f, foam,
                 frame.is_smoke() ? 0.3f : 0.7f);
    }
  }
}

void draw_border(Image& image, const Frame<2>& frame, const FlatLayout& layout) {
  const Vec<2, double> size{frame.grid.cells[0] * frame.grid.h, frame.grid.cells[1] * frame.grid.h};
  for (int axis = 0; axis < 2; ++axis) {
    for (int side = 0; side < 2; ++side) {
      Vec<2, double> from{}, to = size;
      from[axis] = to[axis] = side ? size[axis] : 0;
      const Pixel a = layout.to_pixel(from), b = layout.to_pixel(to);
      if (!frame.sides.open[axis][side]) {
        draw_line(image, a, b, 1.8f, ink, 1);
        continue;
      }
      const float length = norm(b - a), dash = 5;
      for (float s = 0; s < length; s += 2 * dash) {
        const float end = std::min(s + dash, length);
        draw_line(image, a + (b - a) * (s / length), a + (b - a) * (end / length), 1.0f, ink, 0.45f);
      }
    }
  }
}

}  // namespace

FlatLayout flat_layout(const Grid<2>& grid, int width, int height) {
  const double margin = 0.03 * std::min(width, height);
  const double strip = caption_height(width, height);
  const double size_x = grid.cells[0] * grid.h, size_y = grid.cells[1] * grid.h;
  const double room_x = width - 2 * margin, room_y = height - margin - strip;
  FlatLayout layout;
  layout.pixels_per_metre = std::min(room_x / size_x, room_y / size_y);
  layout.left = 0.5 * (width - size_x * layout.pixels_per_metre);
  layout.bottom = margin + 0.5 * (room_y + size_y * layout.pixels_per_metre);
  return layout;
}

Image draw_flat(const Exec& exec, const Frame<2>& frame, const PreviewOptions& options) {
  std::vector<Scenery::Solid> solids;
  for (const FrameSolid& s : frame.solids) solids.push_back({s.shape->view(), s.pose, s.look});
  Scenery scenery;
  scenery.grid = frame.grid;
  scenery.blocks = frame.blocks;
  scenery.phi = frame.phi;
  scenery.solids = solids.data();
  scenery.solid_count = static_cast<int>(solids.size());
  scenery.air = frame.air;
  scenery.bubble_ids = frame.bubble_ids.data();
  scenery.tile = frame.tile;
  if (options.shade == Shade::stream_function) scenery.stream = {frame.stream[0], frame.grid.h};
  scenery.smoke = {frame.density, frame.temperature};
  scenery.bubbles = static_cast<std::int32_t>(frame.bubble_ids.size());
  scenery.layout = flat_layout(frame.grid, options.width, options.height);

  Image image(options.width, options.height, paper);
  const FlatLayout layout = scenery.layout;
  const double size_x = frame.grid.cells[0] * frame.grid.h, size_y = frame.grid.cells[1] * frame.grid.h;
  const Pixel high = layout.to_pixel({size_x, size_y}), low = layout.to_pixel({0, 0});
  const int x0 = std::max(0, static_cast<int>(std::floor(low[0]))),
            x1 = std::min(options.width, static_cast<int>(std::ceil(high[0])));
  const int y0 = std::max(0, static_cast<int>(std::floor(high[1]))),
            y1 = std::min(options.height, static_cast<int>(std::ceil(low[1])));
  std::uint8_t* pixels = image.row(0);
  const std::ptrdiff_t pitch = options.width * 3;
  for_each_task(exec, y1 - y0, [=](std::ptrdiff_t r) {
    for (int x = x0; x < x1; ++x) {
      const Color c = scenery.pixel(x + 0.5, static_cast<double>(y0 + r) + 0.5);
      for (int k = 0; k < 3; ++k) pixels[(y0 + r) * pitch + 3 * x + k] = to_byte(c[k]);
    }
  });
  if (!scenery.stream.psi.data) {  // whose lines are the flow's
    draw_particles(image, frame, scenery);
    draw_velocity(image, frame, scenery);
  }
  draw_border(image, frame, layout);
  draw_caption(image, options.title, frame.number, frame.time, ink, 1);
  draw_scale(image, layout.pixels_per_metre, ink, 1);
  return image;
}

}  // namespace glug
