// check_parts.h: what check_scene() looks at, a function for each subject, in a file for each kind of them.
// Every one is asked only where the values it reads were taken, and adds what it finds to the problems.
#pragma once

#include <string>
#include <vector>

#include "scene/check_scene.h"
#include "scene/estimate.h"

namespace glug {

// A scene, and where to say what is wrong with it.
struct SceneCheck {
  const Scene& scene;
  const Machine& machine;
  const KeyPlaces& places;
  Problems& problems;

  void say(const std::string& key, std::string message) const {
    problems.add(places.of(key), std::move(message));
  }
};

// check_grid.cpp
// Names of sides, in the key that is called so.
void side_names(const SceneCheck& c, const char* key, const std::vector<std::string>& given);
void check_open_sides(const SceneCheck& c);
void check_thin_sides(const SceneCheck& c);
void check_memory(const SceneCheck& c);
std::string extent_text(const Scene& scene);

// check_liquid.cpp
void check_narrow_band(const SceneCheck& c);
void check_particles_per_cell(const SceneCheck& c);
// Thick liquid: what walls may do to it, and what it does not go with yet.
void check_viscosity(const SceneCheck& c);
void check_tension(const SceneCheck& c);
// Whether anything is poured, and lies where it can be.
void check_poured(const SceneCheck& c);

// check_air.cpp
// What does nothing is refused, unless it is the default, which `glug check` writes out.
void check_air(const SceneCheck& c);
void check_adaptivity(const SceneCheck& c);
// Two fluids in one matrix of floats.
void check_densities(const SceneCheck& c);

// check_solver.cpp
void check_solver(const SceneCheck& c);
// Liquid that may leave walls.
void check_separation(const SceneCheck& c);
// What a curl cannot be, and what it is not asked for yet.
void check_stream(const SceneCheck& c);

// check_bodies.cpp
void check_rigid_bodies(const SceneCheck& c);
// Bodies that begin inside something, deeper than they can be set apart (R14).
void check_parting(const SceneCheck& c);

// check_taps.cpp
void check_taps(const SceneCheck& c);
// One that moves may come in later.
void check_taps_reach(const SceneCheck& c, const char* kind, const std::vector<TapEntry>& taps,
                      const std::vector<BodyEstimate>& estimates);

// check_output.cpp
void check_camera(const SceneCheck& c);
void check_writers(const SceneCheck& c);
// What particles are written with.
void check_attributes(const SceneCheck& c);

// check_probes.cpp
void check_probes(const SceneCheck& c);

}  // namespace glug
