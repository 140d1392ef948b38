#include "fuzz/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gauntlet/play.h"
#include "scene/make_setup.h"

namespace glug::fuzz {
namespace {

Verdict fault(std::string why) { return {Outcome::fault, std::move(why)}; }

std::string last_line(const std::string& text) {
  const std::string lines = text.substr(0, text.find_last_not_of('\n') + 1);
  return lines.substr(lines.rfind('\n') + 1);  // from the start where there is no end of a line
}

bool mentions(const std::string& text, const std::vector<std::string>& any) {
  return std::any_of(any.begin(), any.end(),
                     [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

// What a remark says of the run is no silent collapse.
struct Excuse {
  const char* remark;
  bool volume, motion;
};
constexpr Excuse excuses[] = {
    {"the pressure solve stopped at residual", true, true},
    {"time.max_substeps", true, true},
    {"cannot be done", true, false},  // a closed body of fluid that is squeezed
    {"the liquid may lose volume", true, false},
    {"it is pressed into too little room", true, false},
    {"it is spread too thin", true, false},
};

Excuse excuse_in(const std::string& said) {
  Excuse all{nullptr, false, false};
  for (const Excuse& e : excuses)
    if (said.find(e.remark) != std::string::npos)
      all = {e.remark, all.volume || e.volume, all.motion || e.motion};
  return all;
}

// Rows of frames, the last substep of each marked.
std::vector<GauntletSample> series_of(const std::vector<StepReport>& steps) {
  std::vector<GauntletSample> series;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    series.push_back(sample_of(steps[n]));
    series.back().frame_done = n + 1 == steps.size() || steps[n + 1].frame != steps[n].frame;
  }
  return series;
}

// Cells along all open sides.
template <int D>
double open_cells(const Setup<D>& setup) {
  double cells = 0;
  for (int a = 0; a < D; ++a) {
    double side = 1;
    for (int b = 0; b < D; ++b) side *= b == a ? 1 : setup.grid.cells[b];
    cells += side * (setup.sides.open[a][0] + setup.sides.open[a][1]);
  }
  return cells;
}
double open_cells_of_scene(const Scene& scene) {
  return scene.grid.dimension == 2 ? open_cells(make_setup<2>(scene)) : open_cells(make_setup<3>(scene));
}

GauntletTerms terms_of_scene(const Scene& scene) {
  return scene.grid.dimension == 2 ? terms_of(make_setup<2>(scene)) : terms_of(make_setup<3>(scene));
}

// A solid that squeezes liquid through a gap of a cell drives it as many times faster as the domain has
// cells.
double fastest(const Scene& scene, const GauntletTerms& terms) {
  return speed_slack * (terms.air_has_mass ? gas_slack : 1) *
         (allowed_speed(terms) + scene.grid.resolution * terms.solid_speed);
}

// What was given, what came in with its speed, and what falling through the domain adds; where air has a mass
// it gives too, and only speed is a bound.
double most_energy(const GauntletTerms& terms, double inflow, double given, double speed) {
  const double mass = terms.density * (terms.poured + inflow);
  if (terms.air_has_mass) return mass * speed * speed;
  const double came_in = 0.5 * terms.density * inflow * terms.first_speed * terms.first_speed;
  const double struck = 2 * mass * terms.solid_speed * terms.solid_speed;  // work is booked a substep later
  const double pulled = mass * terms.surface_speed * terms.surface_speed;  // by the sharpest surface
  return energy_slack *
         (given + came_in + struck + pulled + mass * terms.gravity * (terms.fall + terms.spacing));
}

std::string figures_of(const StepReport& step) {
  std::string text;
  const auto add = [&](const char* name, const auto& value, const OptionInfo&) {
    if (!is_measured(name)) text += fmt::format("{} = {}\n", name, value);
  };
  StepReport::columns(step, add);
  return text;
}

}  // namespace

bool is_measured(const std::string& column) {
  return column.starts_with("seconds_") || column == "memory_mb";
}

Verdict judge_sameness(const std::vector<StepReport>& a, const std::vector<StepReport>& b) {
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n)
    if (figures_of(a[n]) != figures_of(b[n]))
      return fault(fmt::format("sameness: stopped and resumed, step {} differs", a[n].step));
  if (a.size() != b.size()) return fault("sameness: stopped and resumed, it has another number of substeps");
  return {};
}

Verdict judge_end(const Ended& ended, const std::vector<std::string>& places) {
  if (ended.late) return fault("time: it did not end");
  if (ended.signal != 0) return fault(fmt::format("signal: {}", ended.signal));
  const std::string last = last_line(ended.err);  // remarks come before
  if (ended.status == 0) return {};
  if (ended.status == 2) {
    if (!mentions(ended.err, places)) return fault("words: a refusal without a place: " + last);
    return {Outcome::refused, last};
  }
  if (ended.status == 3) {
    const std::size_t at = ended.err.find("failed");
    if (at == std::string::npos && !mentions(ended.err, {"out of memory"}))
      return fault("words: a failure without a reason: " + last);
    return {Outcome::gave_up,
            at == std::string::npos ? last : ended.err.substr(at, ended.err.find('\n', at) - at)};
  }
  return fault(fmt::format("status: {} {}", ended.status, last));
}

Verdict judge_numbers(const std::vector<StepReport>& steps) {
  if (steps.empty()) return fault("numbers: stats.csv has no rows");
  std::string bad;
  const auto look = [&](const char* name, const auto& value, const OptionInfo&) {
    if (!std::isfinite(static_cast<double>(value)) && bad.empty()) bad = name;
  };
  double before = -1;
  for (const StepReport& s : steps) {
    StepReport::columns(s, look);
    if (!bad.empty()) return fault(fmt::format("numbers: {} of step {} is none", bad, s.step));
    if (!(s.time > before)) return fault(fmt::format("numbers: time stands still in step {}", s.step));
    before = s.time;
  }
  return {};
}

Verdict judge_physics(const Scene& scene, const std::vector<StepReport>& steps, const std::string& said) {
  if (const Verdict v = judge_numbers(steps); v.outcome == Outcome::fault) return v;
  const Excuse excuse = excuse_in(said);
  GauntletTerms terms = terms_of_scene(scene);
  const std::vector<GauntletSample> series = series_of(steps);
  terms.poured = series.front().liquid_volume + series.front().spray_volume;
  const double allowed = fastest(scene, terms);
  const double unsure = terms.cell_volume * (volume_cells + open_side_cells * open_cells_of_scene(scene));
  double worked = 0;
  int frames_off = 0;
  for (std::size_t n = 0; n < series.size(); ++n) {
    const GauntletSample& s = series[n];
    const double due = terms.poured + s.inflow_volume - s.outflow_volume;
    const double off = s.liquid_volume + s.spray_volume - due;
    if (s.frame_done) frames_off = std::abs(off) <= volume_slack * due + unsure ? 0 : frames_off + 1;
    const bool lasts = frames_off > passing_frames || (frames_off > 0 && n + 1 == series.size());
    if (!excuse.volume && lasts)
      return fault(fmt::format("volume: {:+.3g} of {:.3g} in step {}", off, due, steps[n].step));
    if (!excuse.motion && !(s.speed_max <= allowed))
      return fault(
          fmt::format("speed: {:.3g} m/s in step {}, {:.3g} allowed", s.speed_max, steps[n].step, allowed));
    worked = std::max(worked, s.solid_work);
    const double energy =
        most_energy(terms, s.inflow_volume, series.front().kinetic_energy + worked, allowed);
    if (!excuse.motion && !(s.kinetic_energy <= energy))
      return fault(fmt::format("energy: {:.3g} J in step {}, {:.3g} allowed", s.kinetic_energy, steps[n].step,
                               energy));
  }
  const double substeps = mean_substeps(series);
  const double most = substeps_slack * (terms.air_has_mass ? gas_slack : 1) * allowed_substeps(terms);
  if (!excuse.motion && !(substeps <= most))
    return fault(fmt::format("substeps: {:.3g} a frame, {:.3g} allowed", substeps, most));
  return {Outcome::finished, excuse.remark ? std::string("remark: ") + excuse.remark : ""};
}

}  // namespace glug::fuzz
