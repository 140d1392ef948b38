#include "fuzz/random_scene.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "fuzz/random_mesh.h"

namespace glug::fuzz {
namespace {

// Parts that draw: in braces, from the first to the last, whatever the compiler.
std::string drawn(fmt::string_view pattern, std::initializer_list<std::string> parts) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& part : parts) store.push_back(part);
  return fmt::vformat(pattern, store);
}

class Grammar {
 public:
  explicit Grammar(Dice& dice) : dice_(dice), extreme_(dice.chance(0.15) ? 0.3 : 0.03) {}

  RandomScene write() {
    grid();
    gravity();
    time();
    liquid();
    air();
    adaptivity();
    solver();
    output();
    camera();
    const bool taps = (model_ == "void" || model_ == "constraint") && !tiles_ && dice_.chance(0.35);
    const int bodies = taps && dice_.chance(0.2) ? 0 : dice_.chance(0.7) ? 1 : dice_.whole(2, 3);
    for (int n = 0; n < bodies; ++n) liquid_body();
    for (int n = dice_.chance(0.25) ? dice_.whole(1, 2) : 0; n > 0; --n) {
      line("[[air.body]]");
      line("shape = " + shape(0));
    }
    for (int n = dice_.chance(0.6) ? dice_.whole(1, 3) : 0; n > 0; --n) solid();
    if (taps) {
      for (int n = dice_.whole(bodies == 0, 2); n > 0; --n) tap("emitter");
      for (int n = dice_.whole(0, 1); n > 0; --n) tap("drain");
    }
    // With viscosity they are refused: seldom.
    const int rigids = dice_.chance(thick_ ? 0.03 : 0.25) ? dice_.whole(1, 3) : 0;
    for (int n = 0; n < rigids; ++n) rigid();
    // With tiles and affine air they are refused: seldom.
    const int probes = dice_.chance(tiles_ || model_ == "affine" ? 0.03 : 0.15) ? dice_.whole(1, 3) : 0;
    for (int n = probes; n > 0; --n) probe(n);
    narrow_band();
    if (!taps && rigids == 0 && probes == 0) stream_function();
    scene_.text = top_ + scene_.text;  // keys of no section come first
    return std::move(scene_);
  }

 private:
  // Whether a value is to be extreme, but legal.
  bool extreme() { return dice_.chance(extreme_); }
  void line(const std::string& text) { scene_.text += text + "\n"; }
  template <class T>
  void set(const char* key, const T& value) {
    line(fmt::format("{} = {}", key, value));
  }
  void set_word(const char* key, const std::string& value) { line(fmt::format("{} = \"{}\"", key, value)); }

  std::string number(double x) {
    return dice_.chance(0.1) ? fmt::format("{:.17g}", x) : fmt::format("{:.4g}", x);
  }
  // A number per axis.
  template <class F>
  std::string numbers(F&& of_axis) {
    std::string text;
    for (std::size_t a = 0; a < size_.size(); ++a) text += (a ? ", " : "") + number(of_axis(a));
    return "[" + text + "]";
  }
  // A point of the domain, or now and then beside it.
  std::string point() {
    const double beyond = dice_.chance(0.1) ? 0.3 : 0;
    return numbers([&](std::size_t a) { return size_[a] * dice_.between(-beyond, 1 + beyond); });
  }
  double length() {
    return longest_ * (extreme() ? dice_.log_between(1e-4, 1e3)
                                 : dice_.between(dice_.chance(0.2) ? 0.03 : 1.5 / resolution_, 0.6));
  }
  // A vector of about this length.
  std::string vector(double reach) {
    return numbers([&](std::size_t) { return reach * dice_.between(-1, 1); });
  }

  void grid() {
    const int dimension = dice_.chance(0.6) ? 2 : 3;
    resolution_ = dimension == 2 ? dice_.whole(6, 24) : dice_.whole(6, dice_.chance(0.1) ? 24 : 14);
    longest_ = dice_.chance(0.5) ? 1
               : extreme()       ? dice_.log_between(1e-5, 1e6)
                                 : dice_.log_between(0.01, 100);
    for (int a = 0; a < dimension; ++a)
      size_.push_back(longest_ * (dice_.chance(0.5) ? 1 : dice_.between(2.5 / resolution_, 1)));
    size_[dice_.below(size_.size())] = longest_;
    line("[grid]");
    set("dimension", dimension);
    set("size", numbers([&](std::size_t a) { return size_[a]; }));
    set("resolution", resolution_);
    std::string open;
    for (const char* side : {"left", "right", "bottom", "top", "back", "front"}) {
      if (dimension == 2 && side[0] == 'b' && side[1] == 'a') break;
      if (dice_.chance(0.2)) open += fmt::format("{}\"{}\"", open.empty() ? "" : ", ", side);
    }
    if (!open.empty()) set("open", "[" + open + "]");
  }

  void gravity() {
    if (dice_.chance(0.5)) return;
    const double g = dice_.chance(0.15) ? 0
                     : extreme()        ? dice_.log_between(1e-6, 1e5)
                                        : dice_.log_between(0.1, 50);
    top_ += "gravity = " + vector(g) + "\n";
  }

  void time() {
    line("[time]");
    set("frames", size_.size() == 2 && dice_.chance(0.2) ? dice_.whole(20, 60) : dice_.whole(1, 6));
    if (dice_.chance(0.3))
      set("fps", number(extreme() ? dice_.log_between(0.01, 1e6) : dice_.log_between(2, 500)));
    if (dice_.chance(0.3)) set("cfl", number(cfl_ = dice_.between(0.2, 4)));
    if (dice_.chance(0.1)) set("max_substeps", dice_.whole(1, 100));
  }

  void liquid() {
    line("[liquid]");
    density_ = dice_.chance(0.6) ? 1000
               : extreme()       ? dice_.log_between(1e-6, 1e9)
                                 : dice_.log_between(0.1, 2e4);
    if (density_ != 1000) set("density", number(density_));
    thick_ = dice_.chance(0.25);
    if (thick_) set("viscosity", number(dice_.log_between(1e-4, extreme() ? 1e9 : 1e3)));
    if (dice_.chance(0.25)) tension();
    if (dice_.chance(0.5)) set_word("transfer", dice_.word({"flip", "apic", "pic"}));
    if (dice_.chance(0.2))
      set("flip_ratio", number(dice_.chance(0.3) ? dice_.whole(0, 1) : dice_.between(0, 1)));
    if (dice_.chance(0.2)) {
      const int along = dice_.whole(0, size_.size() == 2 ? 5 : 3);
      set("particles_per_cell", size_.size() == 2 ? along * along : along * along * along);
    }
    if (dice_.chance(0.1)) set("volume_correction", false);
  }

  // That of water for this size of scene, more or less: the capillary dt is sqrt(density h^3 / tension), so
  // much stronger ones ask for thousands of substeps a frame.
  void tension() {
    const double h = longest_ / resolution_;
    const double lively = density_ * h * h * h * dice_.log_between(1, 1e4);
    set("surface_tension", number(std::min(1e6, extreme() ? lively * dice_.log_between(1, 1e3) : lively)));
    if (dice_.chance(0.5))
      set("contact_angle", number(dice_.chance(0.2) ? 180.0 * dice_.whole(0, 1) : dice_.between(0, 180)));
  }

  void air() {
    model_ = dice_.word({"void", "constraint", "constraint", "two_phase", "affine"});
    if (thick_ && model_ == "affine") model_ = "two_phase";
    line("[air]");
    set_word("model", model_);
    if (model_ == "two_phase" && dice_.chance(0.2)) {
      set("viscosity", number(dice_.log_between(1e-6, 10)));
      thick_ = true;
    }
    if (dice_.chance(0.4))
      set("density",
          number(density_ * (extreme() ? dice_.log_between(1e-6, 1e6) : dice_.log_between(1e-4, 10))));
    if (model_ != "void" && dice_.chance(0.1)) set("volume_correction", false);
    if (model_ == "constraint" && dice_.chance(0.2)) set("ambient_free", false);
    if (model_ != "affine") return;
    if (dice_.chance(0.4)) set("band", dice_.whole(2, 8));
    if (dice_.chance(0.4)) set("tile", dice_.whole(4, 16));
  }

  void adaptivity() {
    if (dice_.chance(0.7) || thick_) return;
    line("[adaptivity]");
    set("tile", dice_.whole(4, 16));
    tiles_ = true;
    if (dice_.chance(0.5)) set("surface_band", dice_.whole(1, 9));
    if (dice_.chance(0.3)) set("wall_band", dice_.whole(1, 4));
    if (dice_.chance(0.2)) set("graded", true);
  }

  // Adds a line to a section, which may be new.
  void add_to(const std::string& section, const std::string& text) {
    const std::string head = "[" + section + "]\n";
    const std::size_t at = scene_.text.find(head);
    if (at == std::string::npos)
      scene_.text += head + text + "\n";
    else
      scene_.text.insert(at + head.size(), text + "\n");
  }

  void narrow_band() {
    const int least = std::max(3, static_cast<int>(std::ceil(cfl_ + 2)));
    if (dice_.chance(0.2)) add_to("liquid", fmt::format("narrow_band = {}", dice_.whole(least, 7)));
  }

  // Without what it does not go with.
  void stream_function() {
    if (dice_.chance(0.75) || (model_ != "void" && model_ != "constraint") || tiles_) return;
    for (const char* other : {"\"geometric\"", "wall_separation", "iteration"})
      if (scene_.text.find(other) != std::string::npos) return;
    add_to("solver", "method = \"stream_function\"");
    if (size_.size() == 3 && dice_.chance(0.2)) add_to("solver", "harmonic = false");
  }

  void solver() {
    if (dice_.chance(0.6)) return;
    line("[solver]");
    const std::string preconditioner =
        dice_.word({"multigrid", "geometric", "incomplete_cholesky", "diagonal"});
    set_word("preconditioner", preconditioner);
    if ((model_ == "void" || model_ == "constraint") && !tiles_ &&
        (preconditioner == "multigrid" || preconditioner == "diagonal") && dice_.chance(0.5)) {
      set("wall_separation", true);
      return;
    }
    if (dice_.chance(0.2)) set("tolerance", number(dice_.log_between(1e-9, 1e-2)));
    if (model_ == "constraint" && preconditioner == "geometric" && dice_.chance(0.5)) {
      set("bubble_band", dice_.whole(1, 8));
      set("bubble_sweeps", dice_.whole(1, 12));
    }
    if (model_ == "constraint" || dice_.chance(0.6)) return;
    set_word("iteration", "multigrid");
    set("full_cycles", dice_.whole(0, 4));
    set("v_cycles", dice_.whole(1, 4));
    set("sweeps", dice_.whole(1, 12));
  }

  void output() {
    line("[output]");
    if (dice_.chance(0.85)) {
      set_word("preview", "off");
    } else {
      set("preview_width", dice_.whole(64, 100));
      set("preview_height", dice_.whole(64, 100));
      const std::string cut = dice_.chance(0.3) ? number(dice_.between(0, 0.99)) : "";
      if (!cut.empty() && size_.size() == 3) set("cutaway", cut);
    }
    if (dice_.chance(0.2))
      set("surface", dice_.word({"\"ply\"", "\"vdb\"", "\"vtp\"", "[\"vtp\", \"ply\"]"}));
    if (dice_.chance(0.2))
      set("particles", dice_.word({"\"ply\"", "\"vdb\"", "\"vtp\"", "[\"ply\", \"vdb\"]"}));
    if (dice_.chance(0.2)) set_word("volume", dice_.word({"vti", "vdb"}));
    set("checkpoint_every", dice_.whole(1, 4));
  }

  void camera() {
    if (size_.size() == 2 || dice_.chance(0.9)) return;
    line("[camera]");
    const double reach = longest_ * (extreme() ? 1e4 : 3);
    set("from", vector(std::min(reach, 1e6)));
    if (dice_.chance(0.5)) set("at", point());
    if (dice_.chance(0.5)) set("field_of_view", number(dice_.between(2, 120)));
  }

  void liquid_body() {
    line("[[liquid.body]]");
    line("shape = " + (dice_.chance(0.6) ? pool() : shape(0)));
    if (dice_.chance(0.3))
      line("velocity = " + vector(extreme() ? dice_.log_between(100, 1e8) : 5 * longest_));
  }

  // A part of the domain, cut by a plane of any direction along an axis.
  std::string pool() {
    const std::size_t axis = dice_.below(size_.size());
    const double depth = dice_.between(0.1, 1.05);
    return drawn("{{ type = \"box\", min = {}, max = {} }}",
                 {numbers([](std::size_t) { return 0; }),
                  numbers([&](std::size_t a) { return size_[a] * (a == axis ? depth : 1); })});
  }

  void probe(int number) {
    line("[[probe]]");
    set_word("name", fmt::format("probe {}", number));
    if (dice_.chance(0.6)) {
      line("at = " + numbers([&](std::size_t a) { return size_[a] * dice_.between(0, 1); }));
      return;
    }
    set_word("on", dice_.word({"left", "right", "bottom"}));
    if (dice_.chance(0.3)) line("about = " + point());
  }

  // An emitter or a drain.
  void tap(const std::string& what) {
    line("[[" + what + "]]");
    line("shape = " + (dice_.chance(0.9) ? "{ " + small_shape() + " }" : shape(0)));
    if (what == "emitter" && dice_.chance(0.8))
      line("velocity = " + vector(extreme() ? dice_.log_between(100, 1e6) : 4 * longest_));
    const double start = dice_.between(0, 0.1);
    if (dice_.chance(0.2)) set("start", number(start));
    if (dice_.chance(0.2)) set("stop", number(start + dice_.between(0.01, 0.2)));
    if (dice_.chance(0.2))
      set("rate", number(dice_.between(0, 1)));
    else if (dice_.chance(0.2))
      line(drawn("rate = [ {{ time = 0, rate = {} }}, {{ time = 0.1, rate = {} }} ]",
                 {number(dice_.between(0, 1)), number(dice_.between(0, 1))}));
    if (dice_.chance(0.2)) line("motion = " + motion());
  }

  // With an end on every side; half as large as this many cells, or more.
  std::string small_shape(double cells = 1) {
    const double least = cells / resolution_;
    const double reach = longest_ * dice_.between(least, std::max(0.2, 1.5 * least));
    switch (dice_.below(3)) {
      case 0:
        return drawn("type = \"sphere\", center = {}, radius = {}", {point(), number(reach)});
      case 1:
        return drawn("type = \"cylinder\", center = {}, height = {}, radius = {}",
                     {point(), number(reach), number(reach)});
      default:
        return drawn("type = \"box\", center = {}, size = {}",
                     {point(), numbers([&](std::size_t) { return 2 * reach * dice_.between(0.3, 1); })});
    }
  }

  void solid() {
    line("[[solid]]");
    if (dice_.chance(0.3)) set_word("name", dice_.word({"wall", "a thing", "Stößel", ""}));
    if (dice_.chance(0.2)) set_word("look", "glass");
    if (thick_ && dice_.chance(0.4)) set_word("slip", dice_.word({"no_slip", "free_slip"}));
    line("shape = " + shape(0));
    if (dice_.chance(0.4)) line("motion = " + motion());
  }

  void rigid() {
    line("[[rigid]]");
    if (dice_.chance(0.3)) set_word("name", dice_.word({"boat", "a thing", "Floß", ""}));
    set("density",
        number(density_ * (extreme() ? dice_.log_between(1e-5, 1e5) : dice_.log_between(0.02, 20))));
    line("shape = " +
         (dice_.chance(0.8) ? "{ " + small_shape(2.2) + " }" : shape(0)));  // thin ones are refused
    if (dice_.chance(0.3)) set("friction", number(dice_.between(0, 2)));
    if (dice_.chance(0.3)) set("restitution", number(dice_.between(0, 1)));
    if (dice_.chance(0.2)) {
      line("motion = " + motion());
      return;
    }
    const bool hangs = dice_.chance(0.2);
    if (hangs) line("hinge = " + point());
    if (hangs && size_.size() == 3 && dice_.chance(0.5)) line("axis = " + vector(1));
    if (!hangs && dice_.chance(0.3)) line("velocity = " + vector(3 * longest_));
    if (dice_.chance(0.3)) line("spin = " + turn(720));
    if (dice_.chance(0.2)) {
      line("force = " + vector(density_ * (extreme() ? 1e6 : 10) * longest_ * longest_ * longest_));
      if (dice_.chance(0.5)) set("force_start", number(dice_.between(0, 0.1)));
      if (dice_.chance(0.5)) set("force_stop", number(dice_.between(0.1, 0.3)));
    }
    if (dice_.chance(0.2)) set("drag", number(dice_.between(0, 5)));
    if (dice_.chance(0.2)) set("spin_drag", number(dice_.between(0, 5)));
  }

  std::string motion() {
    const double reach = longest_ * (extreme() ? 20 : dice_.between(0.02, 0.6));
    std::string keys;
    double at = dice_.chance(0.8) ? 0 : dice_.between(0, 0.1);
    for (int n = dice_.whole(1, 4); n > 0; --n) {
      keys += fmt::format("{}{{ time = {:.6g}", keys.empty() ? "" : ", ", at);
      if (dice_.chance(0.7)) keys += ", position = " + vector(reach);
      if (dice_.chance(0.4)) keys += ", rotation = " + turn(dice_.chance(0.2) ? 1000 : 90);
      keys += " }";
      at += dice_.between(0.02, 0.3);
    }
    return drawn("{{ interpolation = \"{}\"{}, keys = [ {} ] }}",
                 {dice_.word({"linear", "smooth"}), dice_.chance(0.3) ? ", pivot = " + point() : "", keys});
  }

  std::string turn(double degrees) {
    return size_.size() == 2 ? number(degrees * dice_.between(-1, 1)) : vector(degrees);
  }

  std::string shape(int depth) {
    const bool is_mesh = size_.size() == 3 && dice_.chance(0.12);
    std::string text = "{ " + (is_mesh ? mesh() : kind(depth));
    if (dice_.chance(0.1))
      text += ", scale = " + number(extreme() ? dice_.log_between(1e-3, 100) : dice_.between(0.3, 2));
    if (dice_.chance(0.2)) text += ", rotate = " + turn(360);
    if (is_mesh)
      text += ", translate = " + point();
    else if (dice_.chance(0.15))
      text += ", translate = " + vector(0.3 * longest_);
    if (dice_.chance(0.1)) text += ", pivot = " + point();
    return text + " }";
  }

  std::string kind(int depth) {
    if (depth < 2 && dice_.chance(0.2)) {
      std::string parts;
      for (int n = dice_.whole(1, 3); n > 0; --n) parts += (parts.empty() ? "" : ", ") + shape(depth + 1);
      return fmt::format("type = \"{}\", of = [ {} ]", dice_.word({"union", "intersection", "difference"}),
                         parts);
    }
    switch (dice_.below(8)) {
      case 0:
        return box();
      case 1:
        return drawn("type = \"sphere\", center = {}, radius = {}", {point(), number(length())});
      case 2:
        return drawn("type = \"capsule\", {}, radius = {}", {axis(), number(0.5 * length())});
      case 3:
        return drawn("type = \"cylinder\", {}, radius = {}", {axis(), number(length())});
      case 4:
        return drawn("type = \"cone\", from = {}, to = {}, radius = {}",
                     {point(), point(), number(length())});
      case 5: {
        const double radius = length();
        return drawn("type = \"torus\", center = {}, radius = {}, thickness = {}",
                     {point(), number(radius), number(radius * dice_.between(0.05, 0.9))});
      }
      case 6:
        return drawn("type = \"plane\", point = {}, normal = {}", {point(), vector(1)});
      default:
        return box();
    }
  }

  std::string box() {
    std::string text = drawn("type = \"box\", center = {}, size = {}",
                             {point(), numbers([&](std::size_t) { return 1.6 * length(); })});
    if (dice_.chance(0.2)) text += ", rounding = " + number(0.02 * longest_);
    return text;
  }

  std::string axis() {
    return dice_.chance(0.5) ? drawn("from = {}, to = {}", {point(), point()})
                             : drawn("center = {}, height = {}", {point(), number(2 * length())});
  }

  std::string mesh() {
    const MeshFile file = random_mesh(dice_, 0.4 * longest_);
    const std::string name = fmt::format("mesh{}.{}", scene_.meshes.size(), file.extension);
    scene_.meshes.push_back({name, file.bytes});
    return fmt::format("type = \"mesh\", file = \"{}\"", name);
  }

  Dice& dice_;
  double extreme_;
  RandomScene scene_;
  std::string top_;
  std::vector<double> size_;
  double longest_ = 1, density_ = 1000, cfl_ = 1;
  int resolution_ = 16;
  std::string model_;
  bool tiles_ = false, thick_ = false;
};

}  // namespace

RandomScene random_scene(Dice& dice) { return Grammar(dice).write(); }

}  // namespace glug::fuzz
