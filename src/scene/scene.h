// scene.h: a scene as a value: what the file says, checked, with every default filled in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bodies/motion.h"
#include "core/error.h"
#include "geometry/shape.h"
#include "scene/formats.h"
#include "simulation/options.h"
#include "simulation/probe.h"
#include "simulation/setup.h"

namespace glug {

struct LiquidBody {
  Shape shape;
  Vec3 velocity{};  // m/s, at the start
  SourceLocation where;
};

// Air, also where a body of liquid is.
struct AirBody {
  Shape shape;
  SourceLocation where;
};

struct Solid {
  std::string name;
  Look look = Look::matte;
  Slip slip = Slip::no_slip;
  Shape shape;
  Motion motion;
  SourceLocation where;

  // Its plain keys; shape and motion have readers of their own.
  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("name", s.name, {.help = "What messages call it."});
    v.option(
        "look", s.look,
        {.help = "How 3D pictures show it: glass is clear, so that one sees the liquid in a container."});
    v.option("slip", s.slip,
             {.help = "Whether a viscous liquid moves with it (no_slip) or slides along it (free_slip)."});
  }
};

// [[rigid]]: a solid that moves as forces tell, once its motion has ended.
struct Rigid : Solid {
  RigidSetup setup;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("name", s.name, {.help = "What messages and files call it."});
    v.option("look", s.look, {.help = "How 3D pictures show it: matte or glass."});
    v.option("density", s.setup.density,
             {.unit = "kg/m^D",
              .above = 0,
              .at_most = 1e9,
              .help = "Of what it is made of, cavities left out; water has 1000."});
    v.option("friction", s.setup.friction,
             {.at_least = 0, .at_most = 10, .help = "Between it and other solids."});
    v.option("restitution", s.setup.restitution,
             {.at_least = 0, .at_most = 1, .help = "How much it bounces off other solids."});
    v.option("drag", s.setup.forces.drag,
             {.unit = "1/s",
              .at_least = 0,
              .help = "Its velocity falls as exp(-drag t), besides what the liquid does."});
    v.option("spin_drag", s.setup.forces.spin_drag,
             {.unit = "1/s", .at_least = 0, .help = "The same of its spin: the friction of an axle."});
  }
};

// [[emitter]] or [[drain]].
struct TapEntry {
  TapSetup setup;
  SourceLocation where;
};

// [[smoke.body]]
struct SmokeBodyEntry {
  SmokeBodySetup setup;
  SourceLocation where;

  // Its plain keys.
  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("density", s.setup.density,
             {.at_least = 0, .at_most = 1e6, .help = "How thick the smoke is; 1 is thick."});
    v.option("temperature", s.setup.temperature,
             {.unit = "K",
              .at_least = -1e5,
              .at_most = 1e5,
              .help = "How much warmer it is than the surroundings; negative: colder."});
  }
};

// [[smoke.source]]
struct SmokeSourceEntry {
  SmokeSourceSetup setup;
  SourceLocation where;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    SmokeBodyEntry::declare(s, v);
  }
};

struct OutputOptions {
  Formats<MeshFormat> surface;
  Formats<MeshFormat> particles;
  Formats<ParticleAttribute> particle_attributes;
  Formats<VolumeFormat> volume;
  UpAxis up_axis = UpAxis::y;
  int first_frame = 0;
  VdbFloats vdb_floats = VdbFloats::full;
  PreviewFormat preview = PreviewFormat::png;
  int preview_width = 960;
  int preview_height = 540;
  double cutaway = 0;
  Shade shade = Shade::water;
  int checkpoint_every = 10;
  int frames_waiting = 2;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("surface", s.surface,
             {.help = "The liquid's surface in every frame, and the solids once: meshes (ply, or vtp for "
                      "ParaView) or level sets (vdb). Several at once: [\"ply\", \"vdb\"]."});
    v.option("particles", s.particles, {.help = "The particles of every frame, with id and v."});
    v.option("particle_attributes", s.particle_attributes,
             {.help = "What particle files also say: age (s), source (number of the [[liquid.body]], then of "
                      "the [[emitter]], that it came from), vorticity (1/s), spray (1 = flies by itself)."});
    v.option("volume", s.volume,
             {.help = "Level set, velocity and pressure on the grid in every frame; of smoke density and "
                      "temperature instead of the level set."});
    v.option("up_axis", s.up_axis,
             {.help = "Which axis of these files, of solids/ and of bodies.csv points up: z for Blender and "
                      "others that lay y-up files down. (x, y, z) is then written as (x, -z, y)."});
    v.option(
        "first_frame", s.first_frame,
        {.at_least = 0,
         .at_most = 1000000,
         .help =
             "Number in the names of frame 0's files; 1001 is common. Tables and pictures count from 0."});
    v.option("vdb_floats", s.vdb_floats,
             {.help = "Numbers of .vdb grids, of surface and volume: full (32 bits) or half (16 bits: three "
                      "digits, about a sixth less to store)."});
    v.option("preview", s.preview, {.help = "A picture of every frame."});
    v.option("preview_width", s.preview_width,
             {.unit = "pixels",
              .at_least = 64,
              .at_most = 8192,
              .help = "Width of the pictures (even numbers make movies)."});
    v.option("preview_height", s.preview_height,
             {.unit = "pixels", .at_least = 64, .at_most = 8192, .help = "Height of the pictures."});
    v.option(
        "cutaway", s.cutaway,
        {.at_least = 0,
         .at_most = 0.99,
         .help = "Share of the domain, on the camera's side, that 3D pictures leave out; the cut shows the "
                 "liquid inside and its tiles. 0 = none, 0.5 = half."});
    v.option(
        "shade", s.shade,
        {.help = "What the colour of liquid shows, in 2D and on the cut of 3D pictures: water as it is, or "
                 "its stream_function, with solver.method so: warm and cool where it turns left and "
                 "right, lines along the flow."});
    v.option("checkpoint_every", s.checkpoint_every,
             {.unit = "frames", .at_least = 1, .help = "Frames between checkpoints."});
    v.option("frames_waiting", s.frames_waiting,
             {.unit = "frames",
              .at_least = 0,
              .at_most = 64,
              .help = "Frames that may wait to be written while the simulation goes on; each takes memory. 0 "
                      "= the simulation waits for every file."});
  }
};

struct CameraOptions {
  std::vector<double> from;
  std::vector<double> at;
  double field_of_view = 35;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("from", s.from,
             {.unit = "m",
              .at_least = -1e6,
              .at_most = 1e6,
              .help = "Where a 3D preview is seen from; empty = chosen to show the domain."});
    v.option("at", s.at,
             {.unit = "m",
              .at_least = -1e6,
              .at_most = 1e6,
              .help = "What it looks at; empty = the middle of the domain."});
    v.option("field_of_view", s.field_of_view,
             {.unit = "degrees", .above = 1, .at_most = 120, .help = "Vertical angle of view."});
  }
};

struct Scene {
  std::string title;
  std::string shows;            // one line for `glug list`
  std::string paper;            // paper and figure it follows, if any
  std::vector<double> gravity;  // m/s^2, one number per axis
  GridOptions grid;
  TimeOptions time;
  LiquidOptions liquid;
  AirOptions air;
  AdaptivityOptions adaptivity;
  SmokeOptions smoke;
  SolverOptions solver;
  OutputOptions output;
  CameraOptions camera;
  std::vector<LiquidBody> bodies;               // [[liquid.body]]
  std::vector<AirBody> air_bodies;              // [[air.body]]
  std::vector<Solid> solids;                    // [[solid]]
  std::vector<Rigid> rigids;                    // [[rigid]]
  std::vector<TapEntry> emitters;               // [[emitter]]
  std::vector<TapEntry> drains;                 // [[drain]]
  std::vector<Probe> probes;                    // [[probe]]
  std::vector<SmokeBodyEntry> smoke_bodies;     // [[smoke.body]]
  std::vector<SmokeSourceEntry> smoke_sources;  // [[smoke.source]]
  std::map<std::string, std::string> meshes;    // checksums of the meshes among its shapes, by path
  std::string source;  // the resolved scene as TOML: reading it again gives the same scene

  // Whether it is of smoke: then there is no liquid.
  bool has_smoke() const { return !smoke_bodies.empty() || !smoke_sources.empty(); }
};

}  // namespace glug
