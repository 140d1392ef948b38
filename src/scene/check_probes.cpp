#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scene/check_parts.h"
#include "scene/suggest.h"

namespace glug {
namespace {

// What a force is measured on: a solid, a body or a side of the domain.
template <class Refuse>
void probe_on(const SceneCheck& c, const Probe& probe, const Refuse& refuse) {
  std::vector<std::string> names;
  const auto count = [&](const auto& solids) {
    for (const Solid& s : solids)
      if (!s.name.empty()) names.push_back(s.name);
  };
  count(c.scene.solids);
  count(c.scene.rigids);
  const auto same = std::count(names.begin(), names.end(), probe.on);
  if (same > 1)
    refuse(fmt::format("is on \"{}\", and {} solids are called so: give them names of their own", probe.on,
                       same));
  const auto side = side_called(probe.on);
  if (same == 1 && side)
    refuse(
        fmt::format("is on \"{}\", which a solid and a side of the domain are called: give the solid "
                    "another name",
                    probe.on));
  if (same > 0) return;
  if (side && side->axis >= c.scene.grid.dimension) {
    refuse(fmt::format("is on \"{}\": there is no such side in 2D", probe.on));
  } else if (side) {
    if (std::find(c.scene.grid.open.begin(), c.scene.grid.open.end(), probe.on) != c.scene.grid.open.end())
      refuse(fmt::format("is on the side \"{}\", which is open: nothing presses on it", probe.on));
  } else {
    const std::string meant = nearest(probe.on, names);
    refuse(fmt::format(
        "is on \"{}\", and no solid, body or side is called so{}", probe.on,
        meant.empty() ? std::string(": give the solid a name") : ": did you mean \"" + meant + "\"?"));
  }
}

}  // namespace

void check_probes(const SceneCheck& c) {
  for (std::size_t n = 0; n < c.scene.probes.size(); ++n) {
    const Probe& probe = c.scene.probes[n];
    const auto refuse = [&](const std::string& why) {
      c.problems.add(probe.where, fmt::format("probe[{}] {}", n, why));
    };
    if (c.scene.has_smoke()) refuse("needs liquid, and this scene is of smoke: leave it out");
    if (c.scene.solver.method == SolverMethod::stream_function)
      refuse(
          "needs a pressure, which solver.method = \"stream_function\" does without: set that to "
          "\"pressure\"");
    if (c.scene.adaptivity.tile > 0)
      refuse("does not go with adaptivity.tile: pressure inside tiles is not known; set that to 0");
    if (c.scene.air.model == AirModel::affine)
      refuse(
          "does not go with air.model = \"affine\": pressure inside what moves as one is not known; set "
          "that to \"two_phase\" or \"constraint\"");
    if (probe.name.empty())
      refuse("has no name: give it one, as name = \"gauge\"");
    else if (probe.name.find_first_of(",\"\n\r") != std::string::npos)
      refuse(
          fmt::format("has the name '{}': commas, quotes and line ends would break the table", probe.name));
    for (std::size_t m = 0; m < n; ++m)
      if (!probe.name.empty() && c.scene.probes[m].name == probe.name)
        refuse(fmt::format("is called \"{}\" as probe[{}] is: give it another name", probe.name, m));
    if (probe.at.has_value() == !probe.on.empty()) {
      refuse(probe.at ? "has both `at` and `on`: make two probes of it"
                      : "measures nothing: say `at` for a point, or `on` for a solid or side");
    } else if (probe.at) {
      for (int a = 0; a < c.scene.grid.dimension; ++a)
        if (const double x = (*probe.at)[a], end = c.scene.grid.size[static_cast<std::size_t>(a)];
            !(x >= 0 && x <= end)) {
          refuse(fmt::format("is outside the domain: at[{}] must be between 0 and {}, got {}", a, end, x));
          break;
        }
      if (probe.about) refuse("has `about`, which is of a torque: that needs `on`");
    } else {
      probe_on(c, probe, refuse);
    }
  }
}

}  // namespace glug
