#include "scene/check_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/check_smoke.h"
#include "scene/estimate.h"
#include "scene/make_setup.h"
#include "scene/suggest.h"
#include "scene/toml_value.h"

namespace glug {
namespace {

// OpenVDB takes a smaller volume of a cell for none.
constexpr double least_vdb_spacing = 1.5e-5;

class SceneCheck {
 public:
  SceneCheck(const Scene& scene, const Machine& machine, const KeyPlaces& places,
             const std::vector<std::string>& unsound, Problems& problems)
      : scene_(scene), machine_(machine), places_(places), unsound_(unsound), problems_(problems) {}

  void run() {
    if (sound({"smoke", "smoke.body", "smoke.source"})) smoke_alone();
    if (sound({"grid", "liquid"})) particles_per_cell();
    if (sound({"time", "liquid"})) narrow_band();
    if (sound({"grid"})) open_sides();
    if (sound({"grid", "liquid", "air", "adaptivity", "solid"})) viscosity();
    if (sound({"grid", "liquid", "air", "solver", "rigid", "smoke"})) rigid_bodies();
    if (sound({"grid", "camera"})) camera();
    if (sound({"air"})) air();
    if (sound({"air", "adaptivity"})) adaptivity();
    if (sound({"air", "solver"})) solver();
    if (sound({"air", "solver", "adaptivity"})) separation();
    if (sound({"grid", "air", "adaptivity", "solver", "rigid", "smoke", "emitter", "drain"})) stream();
    if (sound({"grid", "output"})) writers();
    if (sound({"grid"})) thin_sides();
    if (sound({"liquid", "air"})) densities();
    if (sound({"liquid"})) tension();
    if (sound({"grid", "liquid", "air", "adaptivity", "emitter", "drain"})) taps();
    if (sound({"grid", "air", "adaptivity", "solver", "smoke", "solid", "rigid", "probe"})) probes();
    if (sound({"liquid", "output", "smoke"})) attributes();
    if (problems_.empty()) liquid();
    if (problems_.empty() && machine_.memory_bytes > 0) memory();
  }

 private:
  // Whether all values of these sections were taken.
  bool sound(std::initializer_list<const char*> sections) const {
    return std::none_of(sections.begin(), sections.end(), [&](const char* s) {
      return std::find(unsound_.begin(), unsound_.end(), s) != unsound_.end();
    });
  }
  void say(const std::string& key, std::string message) {
    problems_.add(places_.of(key), std::move(message));
  }

  void narrow_band() {
    const int given = scene_.liquid.narrow_band;
    if (given == 0) return;
    if (given < least_narrow_band)
      say("liquid.narrow_band",
          fmt::format(
              "liquid.narrow_band must be 0 or at least {} cells, got {}: the surface looks two cells "
              "deep for particles; 4 is a good choice",
              least_narrow_band, given));
    else if (given < scene_.time.cfl + 2)
      say("liquid.narrow_band",
          fmt::format("liquid.narrow_band = {} does not go with time.cfl = {}: the surface moves that many "
                      "cells in a substep, and would reach where particles are absent; set it to {} or more, "
                      "or lower time.cfl",
                      given, scene_.time.cfl, std::ceil(scene_.time.cfl + 2)));
  }

  void particles_per_cell() {
    const int given = scene_.liquid.particles_per_cell, d = scene_.grid.dimension;
    const int root = static_cast<int>(std::lround(std::pow(given, 1.0 / d)));
    if (power(root, d) != given)
      say("liquid.particles_per_cell",
          fmt::format("liquid.particles_per_cell must be 0 or a {} in {}D ({}), got {}",
                      d == 2 ? "square" : "cube", d, d == 2 ? "1, 4, 9, 16, .." : "1, 8, 27, 64", given));
  }

  // Names of sides, in the key that is called so.
  void side_names(const char* key, const std::vector<std::string>& given) {
    static const std::vector<std::string> names = {"left", "right", "bottom", "top", "back", "front"};
    for (const std::string& side : given) {
      if (std::find(names.begin(), names.end(), side) == names.end()) {
        const std::string meant = nearest(side, names);
        say(key, fmt::format("{} must name sides among {}, got \"{}\"{}", key, quoted_list(names), side,
                             side == "closed" ? ": leave it out for a box with walls all round"
                             : meant.empty()  ? std::string()
                                              : ": did you mean \"" + meant + "\"?"));
      } else if (scene_.grid.dimension == 2 && (side == "back" || side == "front")) {
        say(key, fmt::format("{}: there is no side \"{}\" in 2D", key, side));
      }
    }
  }
  void open_sides() { side_names("grid.open", scene_.grid.open); }

  // Thick liquid: what walls may do to it, and what it does not go with yet.
  void viscosity() {
    const double liquid = scene_.liquid.viscosity, air = scene_.air.viscosity;
    side_names("grid.slip", scene_.grid.slip);
    for (const std::string& side : scene_.grid.slip)
      if (std::find(scene_.grid.open.begin(), scene_.grid.open.end(), side) != scene_.grid.open.end())
        say("grid.slip",
            fmt::format("grid.slip: the side \"{}\" is open, so there is no wall to slide along", side));
    if (air > 0 && scene_.air.model != AirModel::two_phase)
      say("air.viscosity", fmt::format("air.viscosity has no meaning with air.model = \"{}\": set that to "
                                       "\"two_phase\", or leave this out",
                                       name_of(scene_.air.model)));
    if (liquid == 0 && air == 0) {
      const char* remedy = "has no meaning without viscosity: set liquid.viscosity, or leave this out";
      if (!scene_.grid.slip.empty()) say("grid.slip", fmt::format("grid.slip {}", remedy));
      for (std::size_t n = 0; n < scene_.solids.size(); ++n)
        if (scene_.solids[n].slip != Slip::no_slip)
          problems_.add(scene_.solids[n].where, fmt::format("solid[{}].slip {}", n, remedy));
      return;
    }
    if (scene_.air.model == AirModel::affine)
      say("liquid.viscosity",
          "liquid.viscosity does not go with air.model = \"affine\": air that moves as one has no shear to "
          "resist; set that to \"two_phase\" or \"constraint\"");
    if (scene_.adaptivity.tile > 0)
      say("liquid.viscosity",
          "liquid.viscosity does not go with adaptivity.tile: stress inside tiles is not known; set that to "
          "0");
  }

  void rigid_bodies() {
    for (std::size_t n = 0; n < scene_.rigids.size(); ++n) {
      const Rigid& r = scene_.rigids[n];
      const auto refuse = [&](const std::string& why) {
        problems_.add(r.where, fmt::format("rigid[{}] {}", n, why));
      };
      if (scene_.has_smoke()) refuse("does not go with smoke yet: give the solid a motion, as a [[solid]]");
      if (scene_.liquid.viscosity > 0 || scene_.air.viscosity > 0)
        refuse(
            "does not go with viscosity yet: the liquid's drag would not reach it; set liquid.viscosity = "
            "0, or give the solid a motion, as a [[solid]]");
      const ShapeSdf shape(r.shape);
      const Vec3 low = shape.low(), high = shape.high();
      const double h =
          *std::max_element(scene_.grid.size.begin(), scene_.grid.size.end()) / scene_.grid.resolution;
      double least = HUGE_VAL;
      for (int a = 0; a < scene_.grid.dimension; ++a) least = std::min(least, high[a] - low[a]);
      if (!r.motion.keys.empty() && (r.setup.velocity != Vec3{} || r.setup.spin != Vec3{}))
        refuse(
            "has a motion, and is released as fast as that ends: leave out velocity and spin, or the motion");
      if (r.setup.hinge && !r.motion.keys.empty()) refuse("has a hinge and a motion: leave out one of them");
      if (r.setup.hinge && r.setup.velocity != Vec3{})
        refuse("has a hinge, which does not let it go: give it a spin instead of a velocity");
      if (!(r.setup.forces.start < r.setup.forces.stop))
        refuse(fmt::format("has a force from {} s to {} s: force_start must be less than force_stop",
                           r.setup.forces.start, r.setup.forces.stop));
      const SolidBody body{shape, r.motion, pose_at(r.motion, 0)};
      const WorldBox box = world_box(body);
      for (int a = 0; a < scene_.grid.dimension; ++a)
        if (box.low[a] > scene_.grid.size[static_cast<std::size_t>(a)] || box.high[a] < 0) {
          refuse("lies outside the domain: move it, or make grid.size larger");
          break;
        }
      if (!std::isfinite(norm(high - low)))
        refuse("has no end, so no mass: use a box, or a [[solid]]");
      else if (least < 2 * h)
        refuse(
            fmt::format("is {:.3g} m thin, less than two cells of {:.3g} m: the grid cannot tell its sides "
                        "apart; make it thicker, or raise grid.resolution",
                        least, h));
    }
  }

  void camera() {
    const CameraOptions& camera = scene_.camera;
    const auto vector = [&](const char* key, const std::vector<double>& value) {
      if (value.empty()) return;
      const std::string name = std::string("camera.") + key;
      if (scene_.grid.dimension == 2)
        say(name, name + " has no meaning in 2D: the whole domain is shown");
      else if (value.size() != 3)
        say(name, fmt::format("{} must have 3 numbers, or none, got {}", name, value.size()));
    };
    vector("from", camera.from);
    vector("at", camera.at);
    if (!camera.from.empty() && camera.from == camera.at)
      say("camera.at", "camera.at must differ from camera.from");
  }

  // What does nothing is refused, unless it is the default, which `glug check` writes out.
  void air() {
    const AirOptions &given = scene_.air, usual;
    const auto check = [&](const char* key, bool changed, bool meant, const char* models) {
      if (changed && !meant)
        say(key, fmt::format("{} has no meaning with air.model = \"{}\": set that to {}, or leave this out",
                             key, name_of(given.model), models));
    };
    check("air.volume_correction", given.volume_correction != usual.volume_correction,
          given.model != AirModel::void_air, "\"constraint\", \"two_phase\" or \"affine\"");
    check("air.ambient_free", given.ambient_free != usual.ambient_free, given.model == AirModel::constraint,
          "\"constraint\"");
    const bool affine = given.model == AirModel::affine;
    check("air.band", given.band != usual.band, affine, "\"affine\"");
    check("air.tile", given.tile != usual.tile, affine, "\"affine\"");
    tile_width("air.tile", given.tile);
  }

  void tile_width(const char* key, int width) {
    if (width > 0 && width < 4)
      say(key,
          fmt::format("{} must be 0 or at least 4 cells, got {}: narrower tiles save nothing", key, width));
  }

  void adaptivity() {
    const AdaptivityOptions &given = scene_.adaptivity, usual;
    tile_width("adaptivity.tile", given.tile);
    if (given.tile > 0) return;
    const auto unused = [&](const char* key, bool changed) {
      if (changed)
        say(key, fmt::format("{} has no meaning with adaptivity.tile = 0: set that to 16, or leave this out",
                             key));
    };
    unused("adaptivity.surface_band", given.surface_band != usual.surface_band);
    unused("adaptivity.graded", given.graded != usual.graded);
    unused("adaptivity.wall_band",
           given.wall_band != usual.wall_band && scene_.air.model != AirModel::affine);
  }

  void solver() {
    const SolverOptions& given = scene_.solver;
    const SolverOptions plain;
    if (given.iteration == Iteration::multigrid && scene_.air.model == AirModel::constraint)
      say("solver.iteration",
          "solver.iteration = \"multigrid\" knows no bubbles: set it to \"pcg\", or air.model to \"void\"");
    if (scene_.air.model != AirModel::constraint) {
      const auto needs_bubbles = [&](const char* key, bool changed) {
        if (changed)
          say(key,
              fmt::format("{} has no meaning with air.model = \"{}\": set that to \"constraint\", or leave "
                          "this out",
                          key, name_of(scene_.air.model)));
      };
      needs_bubbles("solver.bubble_band", given.bubble_band != plain.bubble_band);
      needs_bubbles("solver.bubble_sweeps", given.bubble_sweeps != plain.bubble_sweeps);
    } else if (given.preconditioner != Preconditioner::geometric) {
      const auto needs_geometric = [&](const char* key, int value, int usual) {
        if (value != usual)
          say(key, fmt::format("{} has no meaning with solver.preconditioner = \"{}\": set that to "
                               "\"geometric\", or leave this out",
                               key, name_of(given.preconditioner)));
      };
      needs_geometric("solver.bubble_band", given.bubble_band, plain.bubble_band);
      needs_geometric("solver.bubble_sweeps", given.bubble_sweeps, plain.bubble_sweeps);
    }
    if (given.iteration == Iteration::multigrid) {
      if (given.full_cycles + given.v_cycles == 0)
        say("solver.v_cycles", "solver.full_cycles and solver.v_cycles are both 0: nothing would be solved");
      return;
    }
    const auto unused = [&](const char* key, int value, int usual) {
      if (value != usual)
        say(key, fmt::format("{} has no meaning with solver.iteration = \"pcg\": set that to \"multigrid\", "
                             "or leave this out",
                             key));
    };
    unused("solver.full_cycles", given.full_cycles, plain.full_cycles);
    unused("solver.v_cycles", given.v_cycles, plain.v_cycles);
    unused("solver.sweeps", given.sweeps, plain.sweeps);
  }

  // Liquid that may leave walls.
  void separation() {
    if (!scene_.solver.wall_separation || scene_.has_smoke()) return;
    const auto refuse = [&](const std::string& why) {
      say("solver.wall_separation", "solver.wall_separation does not go with " + why);
    };
    const SolverOptions& given = scene_.solver;
    const AirModel model = scene_.air.model;
    if (model == AirModel::two_phase || model == AirModel::affine)
      refuse(fmt::format(
          "air.model = \"{}\": air that has a mass must flow into the gap, so it is never one; set "
          "that to \"constraint\" or \"void\"",
          name_of(model)));
    if (scene_.adaptivity.tile > 0)
      refuse(
          "adaptivity.tile: tiles part the liquid at walls from the air that says how low its pressure may "
          "be; set that to 0");
    if (given.iteration == Iteration::multigrid)
      refuse(
          "solver.iteration = \"multigrid\", which starts from no pressure every time; set that to \"pcg\"");
    else if (given.preconditioner == Preconditioner::geometric ||
             given.preconditioner == Preconditioner::incomplete_cholesky)
      refuse(
          fmt::format("solver.preconditioner = \"{}\", which knows no cells that are held: set that to "
                      "\"multigrid\" or \"diagonal\"",
                      name_of(given.preconditioner)));
  }

  // What a curl cannot be, and what it is not asked for yet.
  void stream() {
    const SolverOptions& given = scene_.solver;
    const std::string otherwise = "set solver.method to \"pressure\"";
    if (given.method != SolverMethod::stream_function) {
      if (!given.harmonic)
        say("solver.harmonic",
            "solver.harmonic has no meaning with solver.method = \"pressure\": set that to "
            "\"stream_function\", or leave this out");
      return;
    }
    const auto refuse = [&](const std::string& why) {
      say("solver.method", "solver.method = \"stream_function\" " + why);
    };
    if (!given.harmonic && scene_.grid.dimension == 2)
      say("solver.harmonic",
          "solver.harmonic has no meaning in 2D, where flow around islands of solids is always free: leave "
          "it out");
    if (scene_.has_smoke()) refuse("is for liquids: smoke knows the pressure only; " + otherwise);
    if (scene_.air.model == AirModel::two_phase || scene_.air.model == AirModel::affine)
      refuse(
          fmt::format("has no air with a mass, as air.model = \"{}\" asks for: its velocity is that of "
                      "the liquid alone, and all air keeps its volume for nothing; set air.model to "
                      "\"void\" or \"constraint\", or {}",
                      name_of(scene_.air.model), otherwise));
    if (scene_.adaptivity.tile > 0)
      refuse("knows no tiles of liquid that moves as one: set adaptivity.tile to 0, or " + otherwise);
    if (given.preconditioner == Preconditioner::geometric)
      say("solver.preconditioner",
          "solver.preconditioner = \"geometric\" is made for the pressure: take \"multigrid\", "
          "\"incomplete_cholesky\" or \"diagonal\", or " +
              otherwise);
    if (given.iteration == Iteration::multigrid)
      say("solver.iteration",
          "solver.iteration = \"multigrid\" is made for the pressure: set it to \"pcg\", or " + otherwise);
    if (given.wall_separation)
      say("solver.wall_separation",
          "solver.wall_separation bounds the pressure, and solver.method = \"stream_function\" has none: "
          "leave "
          "it out, or " +
              otherwise);
    const auto refuse_taps = [&](const char* kind, const std::vector<TapEntry>& taps) {
      for (std::size_t n = 0; n < taps.size(); ++n)
        problems_.add(taps[n].where,
                      fmt::format("{}[{}]: what comes in or goes out is no curl, so solver.method = "
                                  "\"stream_function\" cannot have it: pour a [[liquid.body]], or {}",
                                  kind, n, otherwise));
    };
    refuse_taps("emitter", scene_.emitters);
    refuse_taps("drain", scene_.drains);
    for (std::size_t n = 0; n < scene_.rigids.size(); ++n)
      problems_.add(
          scene_.rigids[n].where,
          fmt::format("rigid[{}] does not go with solver.method = \"stream_function\" yet: give the "
                      "solid a motion, as a [[solid]], or {}",
                      n, otherwise));
  }

  void writers() {
    const OutputOptions& out = scene_.output;
    const auto vdb = [&](const char* key, bool asked) {
      if (asked && !machine_.openvdb)
        say(key, fmt::format(
                     "{} = \"vdb\" needs OpenVDB, which this build lacks: install libopenvdb-dev and build "
                     "again, or choose another format",
                     key));
      else if (const double h = spacing(scene_.grid); asked && h < least_vdb_spacing)
        say(key,
            fmt::format("{} = \"vdb\" holds cells of {} m at least, and the scene's have {:.4g} m: choose "
                        "another format, or give the scene in larger units",
                        key, least_vdb_spacing, h));
    };
    vdb("output.surface", out.surface.has(MeshFormat::vdb));
    vdb("output.particles", out.particles.has(MeshFormat::vdb));
    vdb("output.volume", out.volume.has(VolumeFormat::vdb));
    if (out.preview == PreviewFormat::png && scene_.grid.dimension == 3 && !machine_.embree)
      say("output.preview",
          "output.preview = \"png\" in 3D needs Embree, which this build lacks: install libembree-dev and "
          "build again, "
          "or set it to \"off\"");
  }

  void attributes() {
    const Formats<ParticleAttribute>& asked = scene_.output.particle_attributes;
    const char* key = "output.particle_attributes";
    if (asked.none()) return;
    if (scene_.output.particles.none())
      say(key, fmt::format("{} has no meaning without output.particles: set that to \"ply\", \"vtp\" or "
                           "\"vdb\", or leave this out",
                           key));
    if (scene_.has_smoke())
      say(key, fmt::format("{} does not go with smoke, whose particles only mark it: leave this out", key));
    for (const ParticleAttribute a : {ParticleAttribute::age, ParticleAttribute::source})
      if (asked.has(a) && scene_.liquid.narrow_band > 0)
        say(key, fmt::format("{} = \"{}\" does not go with liquid.narrow_band: particles that sink into the "
                             "deep are others when they come up; set that to 0, or leave this out",
                             key, name_of(a)));
  }

  void probes() {
    for (std::size_t n = 0; n < scene_.probes.size(); ++n) {
      const Probe& probe = scene_.probes[n];
      const auto refuse = [&](const std::string& why) {
        problems_.add(probe.where, fmt::format("probe[{}] {}", n, why));
      };
      if (scene_.has_smoke()) refuse("needs liquid, and this scene is of smoke: leave it out");
      if (scene_.solver.method == SolverMethod::stream_function)
        refuse(
            "needs a pressure, which solver.method = \"stream_function\" does without: set that to "
            "\"pressure\"");
      if (scene_.adaptivity.tile > 0)
        refuse("does not go with adaptivity.tile: pressure inside tiles is not known; set that to 0");
      if (scene_.air.model == AirModel::affine)
        refuse(
            "does not go with air.model = \"affine\": pressure inside what moves as one is not known; set "
            "that to \"two_phase\" or \"constraint\"");
      if (probe.name.empty())
        refuse("has no name: give it one, as name = \"gauge\"");
      else if (probe.name.find_first_of(",\"\n\r") != std::string::npos)
        refuse(
            fmt::format("has the name '{}': commas, quotes and line ends would break the table", probe.name));
      for (std::size_t m = 0; m < n; ++m)
        if (!probe.name.empty() && scene_.probes[m].name == probe.name)
          refuse(fmt::format("is called \"{}\" as probe[{}] is: give it another name", probe.name, m));
      if (probe.at.has_value() == !probe.on.empty()) {
        refuse(probe.at ? "has both `at` and `on`: make two probes of it"
                        : "measures nothing: say `at` for a point, or `on` for a solid or side");
      } else if (probe.at) {
        for (int a = 0; a < scene_.grid.dimension; ++a)
          if (const double x = (*probe.at)[a], end = scene_.grid.size[static_cast<std::size_t>(a)];
              !(x >= 0 && x <= end)) {
            refuse(fmt::format("is outside the domain: at[{}] must be between 0 and {}, got {}", a, end, x));
            break;
          }
        if (probe.about) refuse("has `about`, which is of a torque: that needs `on`");
      } else {
        probe_on(probe, refuse);
      }
    }
  }

  template <class Refuse>
  void probe_on(const Probe& probe, const Refuse& refuse) {
    std::vector<std::string> names;
    const auto count = [&](const auto& solids) {
      for (const Solid& s : solids)
        if (!s.name.empty()) names.push_back(s.name);
    };
    count(scene_.solids);
    count(scene_.rigids);
    const auto same = std::count(names.begin(), names.end(), probe.on);
    if (same > 1)
      refuse(fmt::format("is on \"{}\", and {} solids are called so: give them names of their own", probe.on,
                         same));
    if (same > 0) return;
    const auto side = side_called(probe.on);
    if (side && side->axis >= scene_.grid.dimension) {
      refuse(fmt::format("is on \"{}\": there is no such side in 2D", probe.on));
    } else if (side) {
      if (std::find(scene_.grid.open.begin(), scene_.grid.open.end(), probe.on) != scene_.grid.open.end())
        refuse(fmt::format("is on the side \"{}\", which is open: nothing presses on it", probe.on));
    } else {
      const std::string meant = nearest(probe.on, names);
      refuse(fmt::format(
          "is on \"{}\", and no solid, body or side is called so{}", probe.on,
          meant.empty() ? std::string(": give the solid a name") : ": did you mean \"" + meant + "\"?"));
    }
  }

  void thin_sides() {
    const double h = spacing(scene_.grid);
    for (std::size_t a = 0; a < scene_.grid.size.size(); ++a)
      if (scene_.grid.size[a] < 2 * h)
        say("grid.size",
            fmt::format("grid.size[{}] = {} m is less than 2 cells of {:.4g} m: make it longer or raise "
                        "grid.resolution",
                        a, scene_.grid.size[a], h));
  }

  // Two fluids in one matrix of floats.
  void densities() {
    constexpr double most = 1e6;
    const double air = scene_.air.density, liquid = scene_.liquid.density;
    const bool has_mass = scene_.air.model == AirModel::two_phase || scene_.air.model == AirModel::affine;
    if (!has_mass || (air <= most * liquid && liquid <= most * air)) return;
    say("air.density",
        fmt::format("air.density = {} and liquid.density = {} differ by a factor of {:.3g}: with air.model = "
                    "\"{}\" at most {:.0e} can be solved for; bring them nearer, or set air.model to "
                    "\"constraint\"",
                    air, liquid, std::max(air / liquid, liquid / air), name_of(scene_.air.model), most));
  }

  void tension() {
    const LiquidOptions &given = scene_.liquid, usual;
    if (given.contact_angle != usual.contact_angle && given.surface_tension == 0)
      say("liquid.contact_angle",
          "liquid.contact_angle has no meaning with liquid.surface_tension = 0: set that to 0.072 for water, "
          "or leave this out");
  }

  void taps() {
    const auto check = [&](const char* kind, const std::vector<TapEntry>& taps) {
      for (std::size_t n = 0; n < taps.size(); ++n) {
        const TapEntry& tap = taps[n];
        const auto refuse = [&](const std::string& why) {
          problems_.add(tap.where, fmt::format("{}[{}]{}", kind, n, why));
        };
        if (!(tap.setup.hours.stop > tap.setup.hours.start))
          refuse(fmt::format(".stop = {} s must be later than start = {} s", tap.setup.hours.stop,
                             tap.setup.hours.start));
        const ShapeSdf shape(tap.setup.shape);
        for (int a = 0; a < scene_.grid.dimension; ++a)
          if (!std::isfinite(shape.low()[a]) || !std::isfinite(shape.high()[a])) {
            refuse(".shape must have an end on every side: cut it with an intersection, or take a box");
            break;
          }
        if (&taps == &scene_.emitters && scene_.liquid.particles_per_cell == 1)
          refuse(
              ": with liquid.particles_per_cell = 1 cells are empty by chance, and would be filled again and "
              "again; take more, or 0 for the usual number");
        const AirModel model = scene_.air.model;
        if (model == AirModel::two_phase || model == AirModel::affine)
          refuse(
              fmt::format(": air that has a mass fills the domain, so liquid cannot come in or go out with "
                          "air.model = \"{}\": set that to \"constraint\" or \"void\"",
                          name_of(model)));
        if (scene_.adaptivity.tile > 0)
          refuse(": tiles of water that moves as one know no inflow: set adaptivity.tile to 0");
      }
    };
    check("emitter", scene_.emitters);
    check("drain", scene_.drains);
  }

  // One that moves may come in later.
  void taps_reach_something(const char* kind, const std::vector<TapEntry>& taps,
                            const std::vector<BodyEstimate>& estimates) {
    for (std::size_t n = 0; n < taps.size(); ++n) {
      const BodyEstimate& found = estimates[n];
      if (taps[n].setup.motion.moves() || (found.cells > 0 && found.in_solids < 1)) continue;
      problems_.add(
          taps[n].where,
          found.outside ? fmt::format("{}[{}] lies outside the domain, which reaches from 0 to {} m", kind, n,
                                      extent_text())
          : found.cells > 0
              ? fmt::format("{}[{}] lies inside solids: nothing could pass it; move it, or the solid", kind,
                            n)
              : fmt::format("{}[{}] holds no cell of {:.4g} m: make it larger or raise "
                            "grid.resolution",
                            kind, n, spacing(scene_.grid)));
    }
  }

  // Smoke fills the domain: what is about liquid, its surface or air beside it means nothing then, and the
  // other way round.
  void smoke_alone() {
    for (const SmokeProblem& p : smoke_problems(scene_)) {
      if (p.where)
        problems_.add(*p.where, p.message);
      else
        say(p.key, p.message);
    }
  }

  void liquid() {
    if (scene_.has_smoke()) return;
    if (scene_.bodies.empty() && scene_.emitters.empty()) {
      say("liquid", "there is no liquid: add a [[liquid.body]] with a shape, or an [[emitter]]");
      return;
    }
    const Estimate estimate = estimate_scene(scene_);
    taps_reach_something("emitter", scene_.emitters, estimate.emitters);
    taps_reach_something("drain", scene_.drains, estimate.drains);
    for (std::size_t i = 0; i < scene_.air_bodies.size(); ++i)
      if (estimate.air_bodies[i].cells == 0)
        problems_.add(
            scene_.air_bodies[i].where,
            fmt::format("air.body[{}] holds no cell of {:.4g} m inside the domain, which reaches from "
                        "0 to {} m: make it larger, move it, or leave it out",
                        i, spacing(scene_.grid), extent_text()));
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyEstimate& body = estimate.bodies[i];
      const SourceLocation& where = scene_.bodies[i].where;
      if (body.cells == 0) {
        problems_.add(
            where, body.outside ? fmt::format("liquid.body[{}] lies outside the domain, which reaches from 0 "
                                              "to {} m",
                                              i, extent_text())
                                : fmt::format("liquid.body[{}] holds no cell of {:.4g} m: make it larger or "
                                              "raise grid.resolution",
                                              i, spacing(scene_.grid)));
      } else if (body.in_solids >= 1) {
        problems_.add(
            where,
            fmt::format("liquid.body[{}] lies inside solids and nothing of it is left: move the liquid "
                        "or the solid",
                        i));
      } else if (body.left() < 1e-6 * body.cells) {
        problems_.add(where,
                      fmt::format("liquid.body[{}] lies inside {}bodies of air and nothing of it is left: "
                                  "move the liquid or the air",
                                  i, body.in_solids > 0 ? "solids and " : ""));
      }
    }
  }

  std::string extent_text() const {
    std::string text;
    for (double x : scene_.grid.size) text += (text.empty() ? "" : " x ") + fmt::format("{}", x);
    return text;
  }

  void memory() {
    const Estimate estimate = estimate_scene(scene_);
    if (estimate.bytes <= machine_.memory_bytes) return;
    const double shrink =
        std::pow(static_cast<double>(machine_.memory_bytes) / static_cast<double>(estimate.bytes),
                 1.0 / scene_.grid.dimension);
    say("grid.resolution",
        fmt::format("grid.resolution = {} needs about {}, and {} are available: {} would fit",
                    scene_.grid.resolution, bytes_text(estimate.bytes), bytes_text(machine_.memory_bytes),
                    static_cast<int>(scene_.grid.resolution * shrink)));
  }

  const Scene& scene_;
  const Machine& machine_;
  const KeyPlaces& places_;
  const std::vector<std::string>& unsound_;
  Problems& problems_;
};

}  // namespace

SourceLocation KeyPlaces::of(const std::string& dotted_key) const {
  const toml::node* node = file_.at_path(dotted_key).node();
  if (node) return location_of(*node);
  return {name_, 0, 0};
}

void check_scene(const Scene& scene, const Machine& machine, const KeyPlaces& places,
                 const std::vector<std::string>& unsound, Problems& problems) {
  SceneCheck(scene, machine, places, unsound, problems).run();
}

}  // namespace glug
