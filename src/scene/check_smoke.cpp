#include "scene/check_smoke.h"

#include <fmt/format.h>

#include <cmath>

#include "scene/make_setup.h"
#include "scene/sections.h"

namespace glug {
namespace {

// The keys of a section that differ from another of its kind.
struct ValueList {
  std::vector<std::pair<std::string, std::string>> values;
  template <class T>
  void option(const char* name, const T& value, const OptionInfo&) {
    std::string text;
    if constexpr (std::is_enum_v<T>)
      text = name_of(value);
    else
      text = fmt::format("{}", value);
    values.emplace_back(name, text);
  }
};
template <class Options>
std::vector<std::string> changed_keys(const Options& given) {
  ValueList now, usual;
  declare_options(given, now);
  const Options plain;
  declare_options(plain, usual);
  std::vector<std::string> keys;
  for (std::size_t n = 0; n < now.values.size(); ++n)
    if (now.values[n] != usual.values[n]) keys.push_back(now.values[n].first);
  return keys;
}

class SmokeCheck {
 public:
  explicit SmokeCheck(const Scene& scene) : scene_(scene) {}

  std::vector<SmokeProblem> run() {
    if (!scene_.has_smoke()) {
      unused("smoke", scene_.smoke, "there is no smoke: add a [[smoke.body]] or a [[smoke.source]]");
      return std::move(problems_);
    }
    const char* why = "smoke fills the domain and has no surface";
    unused("liquid", scene_.liquid, why);
    unused("air", scene_.air, why);
    unused("adaptivity", scene_.adaptivity, why);
    if (scene_.solver.wall_separation)
      say("solver.wall_separation",
          "solver.wall_separation: smoke fills the domain, and there is no air to come between it and a "
          "wall; "
          "leave this out");
    entries("liquid.body", scene_.bodies);
    entries("air.body", scene_.air_bodies);
    entries("emitter", scene_.emitters);
    entries("drain", scene_.drains);
    if (!scene_.output.surface.none())
      say("output.surface",
          "output.surface: smoke has no surface; leave this out, and set output.volume to \"vdb\" or \"vti\" "
          "for density and temperature");
    if (scene_.output.cutaway > 0)
      say("output.cutaway", "output.cutaway: smoke is seen through as it is; leave this out");
    markers();
    for (std::size_t n = 0; n < scene_.smoke_bodies.size(); ++n) body(n);
    for (std::size_t n = 0; n < scene_.smoke_sources.size(); ++n) source(n);
    return std::move(problems_);
  }

 private:
  void say(std::string key, std::string message) {
    problems_.push_back({std::move(key), std::nullopt, std::move(message)});
  }
  template <class Options>
  void unused(const std::string& section, const Options& given, const char* why) {
    for (const std::string& key : changed_keys(given))
      say(section + "." + key, fmt::format("{}.{} has no meaning: {}; leave this out", section, key, why));
  }
  template <class Entries>
  void entries(const char* kind, const Entries& list) {
    for (const auto& entry : list)
      problems_.push_back(
          {"", entry.where,
           fmt::format("[[{}]]: there can be no liquid or air beside smoke, which fills the domain; leave "
                       "this out, or every [[smoke.body]] and [[smoke.source]]",
                       kind)});
  }

  void markers() {
    const int given = scene_.smoke.markers, d = scene_.grid.dimension;
    if (power(static_cast<int>(std::lround(std::pow(given, 1.0 / d))), d) != given)
      say("smoke.markers",
          fmt::format("smoke.markers must be 0 or a {} in {}D ({}), got {}", d == 2 ? "square" : "cube", d,
                      d == 2 ? "1, 4, 9, 16, .." : "1, 8, 27, 64", given));
    if (!scene_.output.particles.none() && (given == 0 || scene_.smoke_bodies.empty()))
      say("output.particles",
          "output.particles: smoke has no particles but markers; set smoke.markers to their number in a cell "
          "of a [[smoke.body]], or leave this out");
  }

  // Whether the shape holds anything of the domain.
  bool reaches(const Shape& shape) const {
    const ShapeSdf sdf(shape);
    const double h = spacing(scene_.grid);
    double nearest = HUGE_VAL;
    std::vector<int> cells;
    for (double size : scene_.grid.size)
      cells.push_back(std::max(1, static_cast<int>(std::lround(size / h))));
    // Coarse points would miss a small one: only its own box is looked through.
    int low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, step[3] = {1, 1, 1};
    for (std::size_t a = 0; a < cells.size(); ++a) {
      // A shape may lie farther off than an int can tell.
      const double n = cells[a];
      low[a] = static_cast<int>(std::clamp(std::floor(sdf.low()[static_cast<int>(a)] / h - 1), 0.0, n));
      high[a] = static_cast<int>(std::clamp(std::ceil(sdf.high()[static_cast<int>(a)] / h + 1), 0.0, n));
      step[a] = std::max(1, (high[a] - low[a]) / 40);
    }
    for (int k = low[2]; k < high[2]; k += step[2])
      for (int j = low[1]; j < high[1]; j += step[1])
        for (int i = low[0]; i < high[0]; i += step[0]) {
          const Vec3 x{(i + 0.5) * h, (j + 0.5) * h, cells.size() == 3 ? (k + 0.5) * h : 0};
          nearest = std::min(nearest, sdf.distance(x));
        }
    return nearest < 0.5 * h;
  }

  void body(std::size_t n) {
    const SmokeBodyEntry& b = scene_.smoke_bodies[n];
    if (!reaches(b.setup.shape)) outside("smoke.body", n, b.where);
    const ShapeSdf sdf(b.setup.shape);
    for (int a = 0; a < scene_.grid.dimension; ++a)
      if (norm(b.setup.spin) > 0 && !std::isfinite(sdf.low()[a] + sdf.high()[a])) {
        problems_.push_back({"", b.where,
                             fmt::format("smoke.body[{}].spin turns about the middle of its shape, which has "
                                         "none: cut it with an intersection, or take a box",
                                         n)});
        break;
      }
  }
  void source(std::size_t n) {
    const SmokeSourceEntry& s = scene_.smoke_sources[n];
    if (!s.setup.motion.moves() && !reaches(s.setup.shape)) outside("smoke.source", n, s.where);
    if (!(s.setup.hours.stop > s.setup.hours.start))
      problems_.push_back({"", s.where,
                           fmt::format("smoke.source[{}].stop = {} s must be later than start = {} s", n,
                                       s.setup.hours.stop, s.setup.hours.start)});
  }
  void outside(const char* kind, std::size_t n, const SourceLocation& where) {
    problems_.push_back({"", where,
                         fmt::format("{}[{}] holds no cell of {:.4g} m inside the domain: move it, make it "
                                     "larger, or raise grid.resolution",
                                     kind, n, spacing(scene_.grid))});
  }

  const Scene& scene_;
  std::vector<SmokeProblem> problems_;
};

}  // namespace

std::vector<SmokeProblem> smoke_problems(const Scene& scene) { return SmokeCheck(scene).run(); }

}  // namespace glug
