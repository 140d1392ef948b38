// sections.h: the sections of a scene file that are plain options, in the order they are printed.
// The reader, --set, the printer and the reference page all walk this one list.
#pragma once

#include "scene/scene.h"

namespace glug {

// f(name, options) for each section; options is const where the scene is.
template <class SceneType, class F>
void for_each_section(SceneType& scene, F&& f) {
  f("grid", scene.grid);
  f("time", scene.time);
  f("liquid", scene.liquid);
  f("air", scene.air);
  f("adaptivity", scene.adaptivity);
  f("smoke", scene.smoke);
  f("solver", scene.solver);
  f("output", scene.output);
  f("camera", scene.camera);
}

template <class Options, class Visitor>
void declare_options(Options& options, Visitor& visitor) {
  std::remove_const_t<Options>::declare(options, visitor);
}

}  // namespace glug
