#include "gauntlet/random_rooms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

constexpr int most_draws = 40;   // of one room
constexpr int most_places = 12;  // tried for one thing

// A rectangle that something keeps to itself, wherever it moves.
struct Claim {
  double low[2] = {}, high[2] = {};
  bool meets(const Claim& o) const {
    return low[0] < o.high[0] && o.low[0] < high[0] && low[1] < o.high[1] && o.low[1] < high[1];
  }
};

// What fits into a disk.
struct Spot {
  double x = 0, y = 0, radius = 0;
  Claim claim() const { return {{x - radius, y - radius}, {x + radius, y + radius}}; }
};

class Room {
 public:
  Room(std::uint64_t number, std::uint64_t draw) : random_(number, draw) {
    width_ = between(0.5, 2.4);
    height_ = width_ * between(0.5, 1.4);
    resolution_ = static_cast<int>(between(60, 105));
    cell_ = std::max(width_, height_) / resolution_;
    open_ = chance(0.5);
    surroundings();
    stand();
    drive();
    float_about();
    if (open_) taps();
    pour();
  }
  const std::string& text() const { return text_; }

 private:
  Rng random_;
  double width_ = 1, height_ = 1, cell_ = 0;
  int resolution_ = 64;
  bool open_ = false, fluid_air_ = false;
  std::vector<Claim> taken_;
  std::string text_;

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.uniform());
  }
  bool chance(double share) { return between(0, 1) < share; }
  // One of so many, all as likely.
  int one_of(int choices) { return std::min(choices - 1, static_cast<int>(between(0, choices))); }
  double either_way(double low, double high) { return between(low, high) * (chance(0.5) ? 1 : -1); }

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    text_ += fmt::format(format, std::forward<T>(values)...) + '\n';
  }

  bool take(const Claim& claim) {
    if (std::any_of(taken_.begin(), taken_.end(), [&](const Claim& c) { return c.meets(claim); }))
      return false;
    taken_.push_back(claim);
    return true;
  }

  // A free disk inside the domain, but for so much of its radius.
  bool find_spot(double least, double most, double outside, Spot& spot) {
    for (int i = 0; i < most_places; ++i) {
      spot.radius = between(least, most);
      const double margin = spot.radius * (1 - outside) + cell_;
      if (2 * margin >= std::min(width_, height_)) continue;
      spot.x = between(margin, width_ - margin);
      spot.y = between(margin, height_ - margin);
      if (take(spot.claim())) return true;
    }
    return false;
  }

  static std::string box(double x0, double y0, double x1, double y1) {
    return fmt::format("{{ type = \"box\", min = [{:.4g}, {:.4g}], max = [{:.4g}, {:.4g}] }}", x0, y0, x1,
                       y1);
  }

  // Open above before it is turned.
  std::string cup(const Spot& s, double angle) {
    const double a = s.radius * between(0.5, 0.75), b = std::sqrt(s.radius * s.radius - a * a);
    const double wall = std::max(2.2 * cell_, a * between(0.12, 0.25));
    return fmt::format(
        "{{ type = \"difference\", of = [ {}, {} ], rotate = {:.3g}, pivot = [{:.4g}, {:.4g}] }}",
        box(s.x - a, s.y - b, s.x + a, s.y + b),
        box(s.x - a + wall, s.y - b + wall, s.x + a - wall, s.y + 2 * b), angle, s.x, s.y);
  }

  std::string shape(const Spot& s, int kind) {
    const double angle = chance(0.3) ? 0 : either_way(2, 85);
    const double slim = between(0.15, 0.45) * s.radius,
                 long_side = std::sqrt(s.radius * s.radius - slim * slim);
    switch (kind) {
      case 0:
        return fmt::format("{{ type = \"sphere\", center = [{:.4g}, {:.4g}], radius = {:.4g} }}", s.x, s.y,
                           s.radius);
      case 1: {
        const double a = s.radius * between(0.45, 0.9), b = std::sqrt(s.radius * s.radius - a * a);
        return fmt::format(
            "{{ type = \"box\", center = [{:.4g}, {:.4g}], size = [{:.4g}, {:.4g}], rotate = {:.3g} }}", s.x,
            s.y, 2 * a, 2 * b, angle);
      }
      case 2:
        return fmt::format(
            "{{ type = \"box\", center = [{:.4g}, {:.4g}], size = [{:.4g}, {:.4g}], rotate = {:.3g} }}", s.x,
            s.y, 2 * long_side, 2 * std::max(slim, 1.2 * cell_), angle);
      case 3:
        return fmt::format(
            "{{ type = \"capsule\", center = [{:.4g}, {:.4g}], height = {:.4g}, radius = {:.4g}, rotate = "
            "{:.3g} }}",
            s.x, s.y, 2 * (s.radius - slim), slim, angle);
      case 4:
        return fmt::format(
            "{{ type = \"intersection\", of = [ {{ type = \"sphere\", center = [{0:.4g}, {1:.4g}], radius = "
            "{2:.4g} }}, {{ type = \"plane\", point = [{0:.4g}, {1:.4g}], normal = [{3:.3g}, {4:.3g}] }} ] "
            "}}",
            s.x, s.y, s.radius, std::cos(angle), std::sin(angle));
      default:
        return cup(s, chance(0.4) ? 0 : either_way(3, 180));
    }
  }

  void surroundings() {
    line("title = \"A room drawn by chance\"");
    if (chance(0.12)) {
      const double lean = either_way(0.05, 0.45);
      line("gravity = [{:.3g}, {:.3g}]", 9.81 * std::sin(lean), -9.81 * std::cos(lean));
    }
    line("[grid]\ndimension = 2\nsize = [{:.4g}, {:.4g}]\nresolution = {}", width_, height_, resolution_);
    if (open_) line("open = [\"top\"]");
    line("[time]\nframes = {}", static_cast<int>(between(48, 73)));
    const double model = between(0, 1);
    const char* const name = model < 0.25   ? "void"
                             : model < 0.82 ? "constraint"
                             : model < 0.93 ? "two_phase"
                                            : "affine";
    fluid_air_ = model >= 0.82;
    line("[air]\nmodel = \"{}\"", name);
    line("[liquid]");
    if (chance(0.12)) line("transfer = \"apic\"");
    if (chance(0.08)) line("viscosity = {:.2g}", std::pow(10, between(-2, 1)));
    if (chance(0.06)) line("surface_tension = {:.2g}", between(0.03, 0.5));
    if (!fluid_air_ && chance(0.1)) line("narrow_band = {}", 3 + one_of(3));
    if (chance(0.1)) line("[solver]\nwall_separation = true");
  }

  // Solids at rest.
  void stand() {
    const int count = one_of(4);
    for (int i = 0; i < count; ++i) {
      if (chance(0.2)) {
        wall_with_slot();
        continue;
      }
      Spot s;
      if (find_spot(0.06 * width_, 0.22 * width_, 0.5, s)) line("[[solid]]\nshape = {}", shape(s, one_of(6)));
    }
  }

  void wall_with_slot() {
    const double x = width_ * between(0.25, 0.75),
                 thick = std::max(2.5 * cell_, width_ * between(0.03, 0.07));
    const double low = height_ * between(0.02, 0.5),
                 gap = std::max(2.0 * cell_, height_ * between(0.03, 0.2));
    if (!take({{x, 0}, {x + thick, height_}})) return;
    line("[[solid]]\nname = \"wall\"\nshape = {{ type = \"union\", of = [ {}, {} ] }}",
         box(x, -1, x + thick, low), box(x, low + gap, x + thick, low + gap + height_ * between(0.1, 1)));
  }

  // Two or three keys from rest to rest: `by` in place, degrees.
  std::string motion(const char* pivot, double dx, double dy, double turn) {
    const double begin = between(0, 0.5), end = begin + between(0.6, 2);
    std::string keys = fmt::format(
        "{{ time = {:.3g} }}, {{ time = {:.3g}, position = [{:.4g}, {:.4g}], rotation = {:.4g} }}", begin,
        end, dx, dy, turn);
    if (chance(0.4)) keys += fmt::format(", {{ time = {:.3g} }}", end + between(0.5, 1.5));
    return fmt::format("motion = {{ interpolation = \"smooth\", {}keys = [ {} ] }}", pivot, keys);
  }

  // One solid that is driven, in most rooms.
  void drive() {
    Spot s;
    switch (one_of(7)) {
      case 0: {  // a paddle
        if (!find_spot(0.1 * width_, 0.25 * width_, 0, s)) return;
        line("[[solid]]\nname = \"paddle\"\nshape = {}", shape(s, 2));
        line("{}", motion("", 0, 0, either_way(60, 720)));
        return;
      }
      case 1: {  // a piston from a side, as high as the domain or with room above
        const double from = width_ * between(0.05, 0.2), way = width_ * between(0.05, 0.25);
        const double top = chance(0.5) ? height_ + 1 : height_ * between(0.4, 0.8);
        const bool left = chance(0.5);
        if (!take({{left ? -1 : width_ - from - way - cell_, -1},
                   {left ? from + way + cell_ : width_ + 1, height_ + 1}}))
          return;
        line("[[solid]]\nname = \"piston\"\nshape = {}",
             left ? box(-2, -1, from, top) : box(width_ - from, -1, width_ + 2, top));
        line("{}", motion("", left ? way : -way, 0, 0));
        return;
      }
      case 2: {  // a cup that tips, full
        if (!find_spot(0.12 * width_, 0.25 * width_, 0, s)) return;
        line("[[solid]]\nname = \"cup\"\nshape = {}", cup(s, 0));
        line("{}",
             motion(fmt::format("pivot = [{:.4g}, {:.4g}], ", s.x, s.y).c_str(), 0, 0, either_way(60, 180)));
        line("[[liquid.body]]\nshape = {}", box(s.x - 0.5 * s.radius, s.y - 0.5 * s.radius,
                                                s.x + 0.5 * s.radius, s.y + between(0.1, 0.6) * s.radius));
        return;
      }
      case 3: {  // a plunger from above
        const double half = width_ * between(0.05, 0.18), x = between(half, width_ - half);
        const double from = height_ * between(0.55, 0.9), way = height_ * between(0.15, 0.4);
        if (!take({{x - half - cell_, from - way - cell_}, {x + half + cell_, height_ + 1}})) return;
        line("[[solid]]\nname = \"plunger\"\nshape = {}", box(x - half, from, x + half, height_ + 1));
        line("{}", motion("", 0, -way, 0));
        return;
      }
      case 4: {  // something that is swept to and fro
        if (!find_spot(0.05 * width_, 0.12 * width_, 0, s)) return;
        const double way = either_way(0.1, 0.3) * width_;
        Claim swept = s.claim();
        swept.low[0] += std::min(0.0, way);
        swept.high[0] += std::max(0.0, way);
        taken_.pop_back();
        if (swept.low[0] < cell_ || swept.high[0] > width_ - cell_ || !take(swept)) return;
        line("[[solid]]\nname = \"sweeper\"\nshape = {}", shape(s, one_of(6)));
        line("{}", motion("", way, 0, 0));
        return;
      }
      default:
        return;
    }
  }

  void float_about() {
    const int count = chance(0.35) ? 0 : 1 + one_of(4);
    const double size = std::min(width_, height_);
    for (int i = 0; i < count; ++i) {
      Spot s;
      if (!find_spot(std::max(4 * cell_, 0.05 * size), std::max(5 * cell_, 0.15 * size), 0, s)) return;
      line("[[rigid]]\ndensity = {:.3g}", std::pow(10, between(2.2, 3.6)));
      line("shape = {}", shape(s, one_of(6)));
      if (chance(0.2)) line("velocity = [{:.3g}, {:.3g}]", either_way(0.1, 2), either_way(0.1, 2));
      if (chance(0.2)) line("spin = {:.3g}", either_way(20, 400));
      if (chance(0.3)) line("restitution = {:.2g}\nfriction = {:.2g}", between(0, 0.9), between(0, 1));
      if (chance(0.12)) line("hinge = [{:.4g}, {:.4g}]", s.x, s.y);
    }
  }

  void taps() {
    if (fluid_air_) return;
    Spot s;
    if (chance(0.25) && find_spot(2.5 * cell_, 5 * cell_, 0, s))
      line("[[emitter]]\nshape = {}\nvelocity = [{:.3g}, {:.3g}]\nstop = {:.3g}",
           box(s.x - 0.7 * s.radius, s.y - 0.7 * s.radius, s.x + 0.7 * s.radius, s.y + 0.7 * s.radius),
           between(-1.5, 1.5), -between(0.3, 2.5), between(0.5, 1.5));
    if (chance(0.15)) {
      const double half = between(2, 5) * cell_, x = between(0.1, 0.9) * width_;
      if (take({{x - half, 0}, {x + half, half}}))
        line("[[drain]]\nshape = {}\nstart = {:.3g}", box(x - half, -half, x + half, half), between(0, 1));
    }
  }

  void pour() {
    const auto liquid = [&](const std::string& where) { line("[[liquid.body]]\nshape = {}", where); };
    const double share = between(0.12, 0.6);
    const double dam = between(0.25, 0.7);
    switch (one_of(6)) {
      case 0:
      case 1:
        liquid(box(-1, -1, width_ + 1, share * height_));
        break;
      case 2:
        liquid(chance(0.5) ? box(-1, -1, dam * width_, share * 1.4 * height_)
                           : box((1 - dam) * width_, -1, width_ + 1, share * 1.4 * height_));
        break;
      case 3: {  // at a slant
        const double angle = either_way(0.05, 0.5);
        liquid(fmt::format("{{ type = \"plane\", point = [{:.4g}, {:.4g}], normal = [{:.3g}, {:.3g}] }}",
                           0.5 * width_, share * height_, std::sin(angle), std::cos(angle)));
        break;
      }
      case 4: {  // a drop above a pool
        liquid(box(-1, -1, width_ + 1, 0.6 * share * height_));
        const double r = between(0.06, 0.18) * std::min(width_, height_);
        liquid(fmt::format(
            "{{ type = \"sphere\", center = [{:.4g}, {:.4g}], radius = {:.4g} }}", between(r, width_ - r),
            between(0.6 * share * height_ + r, std::max(0.95 * height_ - r, 0.6 * share * height_ + 1.1 * r)),
            r));
        break;
      }
      default: {  // two columns
        liquid(box(-1, -1, between(0.1, 0.4) * width_, between(0.2, 0.8) * height_));
        liquid(box(between(0.6, 0.9) * width_, -1, width_ + 1, between(0.2, 0.8) * height_));
      }
    }
  }
};

}  // namespace

std::string room_text(std::uint64_t number) {
  for (int draw = 0; draw < most_draws; ++draw) {
    const std::string text = Room(number, static_cast<std::uint64_t>(draw)).text();
    try {
      parse_scene(text, "room", {});
      return text;
    } catch (const InputError&) {  // no liquid outside solids, a body thinner than its grid can see, ...
    }
  }
  throw InputError(
      fmt::format("room_{}: none of {} draws can be simulated; take another number", number, most_draws));
}

GauntletEntry room_entry(std::uint64_t number) {
  GauntletEntry entry;
  entry.name = fmt::format("room_{}", number);
  entry.text = room_text(number);
  return entry;
}

std::optional<GauntletEntry> room_called(const std::string& name) {
  const std::string_view prefix = "room_";
  if (name.rfind(prefix, 0) != 0) return {};
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return room_entry(number);
}

}  // namespace glug
