#include "scene/check_parts.h"

#include <fmt/format.h>

namespace glug {

void check_solver(const SceneCheck& c) {
  const SolverOptions& given = c.scene.solver;
  const SolverOptions plain;
  if (given.iteration == Iteration::multigrid && c.scene.air.model == AirModel::constraint)
    c.say("solver.iteration",
          "solver.iteration = \"multigrid\" knows no bubbles: set it to \"pcg\", or air.model to \"void\"");
  if (c.scene.air.model != AirModel::constraint) {
    const auto needs_bubbles = [&](const char* key, bool changed) {
      if (changed)
        c.say(key,
              fmt::format("{} has no meaning with air.model = \"{}\": set that to \"constraint\", or leave "
                          "this out",
                          key, name_of(c.scene.air.model)));
    };
    needs_bubbles("solver.bubble_band", given.bubble_band != plain.bubble_band);
    needs_bubbles("solver.bubble_sweeps", given.bubble_sweeps != plain.bubble_sweeps);
  } else if (given.preconditioner != Preconditioner::geometric) {
    const auto needs_geometric = [&](const char* key, int value, int usual) {
      if (value != usual)
        c.say(key, fmt::format("{} has no meaning with solver.preconditioner = \"{}\": set that to "
                               "\"geometric\", or leave this out",
                               key, name_of(given.preconditioner)));
    };
    needs_geometric("solver.bubble_band", given.bubble_band, plain.bubble_band);
    needs_geometric("solver.bubble_sweeps", given.bubble_sweeps, plain.bubble_sweeps);
  }
  if (given.iteration == Iteration::multigrid) {
    if (given.full_cycles + given.v_cycles == 0)
      c.say("solver.v_cycles", "solver.full_cycles and solver.v_cycles are both 0: nothing would be solved");
    return;
  }
  const auto unused = [&](const char* key, int value, int usual) {
    if (value != usual)
      c.say(key, fmt::format("{} has no meaning with solver.iteration = \"pcg\": set that to \"multigrid\", "
                             "or leave this out",
                             key));
  };
  unused("solver.full_cycles", given.full_cycles, plain.full_cycles);
  unused("solver.v_cycles", given.v_cycles, plain.v_cycles);
  unused("solver.sweeps", given.sweeps, plain.sweeps);
}

void check_separation(const SceneCheck& c) {
  if (!c.scene.solver.wall_separation || c.scene.has_smoke()) return;
  const auto refuse = [&](const std::string& why) {
    c.say("solver.wall_separation", "solver.wall_separation does not go with " + why);
  };
  const SolverOptions& given = c.scene.solver;
  const AirModel model = c.scene.air.model;
  if (model == AirModel::two_phase || model == AirModel::affine)
    refuse(
        fmt::format("air.model = \"{}\": air that has a mass must flow into the gap, so it is never one; set "
                    "that to \"constraint\" or \"void\"",
                    name_of(model)));
  if (c.scene.adaptivity.tile > 0)
    refuse(
        "adaptivity.tile: tiles part the liquid at walls from the air that says how low its pressure may "
        "be; set that to 0");
  if (given.iteration == Iteration::multigrid)
    refuse("solver.iteration = \"multigrid\", which starts from no pressure every time; set that to \"pcg\"");
  else if (given.preconditioner == Preconditioner::geometric ||
           given.preconditioner == Preconditioner::incomplete_cholesky)
    refuse(
        fmt::format("solver.preconditioner = \"{}\", which knows no cells that are held: set that to "
                    "\"multigrid\" or \"diagonal\"",
                    name_of(given.preconditioner)));
}

void check_stream(const SceneCheck& c) {
  const SolverOptions& given = c.scene.solver;
  const std::string otherwise = "set solver.method to \"pressure\"";
  if (given.method != SolverMethod::stream_function) {
    if (!given.harmonic)
      c.say("solver.harmonic",
            "solver.harmonic has no meaning with solver.method = \"pressure\": set that to "
            "\"stream_function\", or leave this out");
    return;
  }
  const auto refuse = [&](const std::string& why) {
    c.say("solver.method", "solver.method = \"stream_function\" " + why);
  };
  if (!given.harmonic && c.scene.grid.dimension == 2)
    c.say("solver.harmonic",
          "solver.harmonic has no meaning in 2D, where flow around islands of solids is always free: leave "
          "it out");
  if (c.scene.has_smoke()) refuse("is for liquids: smoke knows the pressure only; " + otherwise);
  if (c.scene.air.model == AirModel::two_phase || c.scene.air.model == AirModel::affine)
    refuse(
        fmt::format("has no air with a mass, as air.model = \"{}\" asks for: its velocity is that of "
                    "the liquid alone, and all air keeps its volume for nothing; set air.model to "
                    "\"void\" or \"constraint\", or {}",
                    name_of(c.scene.air.model), otherwise));
  if (c.scene.adaptivity.tile > 0)
    refuse("knows no tiles of liquid that moves as one: set adaptivity.tile to 0, or " + otherwise);
  if (given.preconditioner == Preconditioner::geometric)
    c.say("solver.preconditioner",
          "solver.preconditioner = \"geometric\" is made for the pressure: take \"multigrid\", "
          "\"incomplete_cholesky\" or \"diagonal\", or " +
              otherwise);
  if (given.iteration == Iteration::multigrid)
    c.say("solver.iteration",
          "solver.iteration = \"multigrid\" is made for the pressure: set it to \"pcg\", or " + otherwise);
  if (given.wall_separation)
    c.say("solver.wall_separation",
          "solver.wall_separation bounds the pressure, and solver.method = \"stream_function\" has none: "
          "leave "
          "it out, or " +
              otherwise);
  const auto refuse_taps = [&](const char* kind, const std::vector<TapEntry>& taps) {
    for (std::size_t n = 0; n < taps.size(); ++n)
      c.problems.add(taps[n].where,
                     fmt::format("{}[{}]: what comes in or goes out is no curl, so solver.method = "
                                 "\"stream_function\" cannot have it: pour a [[liquid.body]], or {}",
                                 kind, n, otherwise));
  };
  refuse_taps("emitter", c.scene.emitters);
  refuse_taps("drain", c.scene.drains);
}

}  // namespace glug
