#include "gauntlet/judge.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace glug {
namespace {

// The larger one; what is not a number is worst of all, and stays.
double worse(double before, double now) { return now > before || std::isnan(now) ? now : before; }

}  // namespace

double energy_rise(const GauntletTerms& terms, const std::vector<GauntletSample>& series) {
  if (series.empty()) return 0;
  const GauntletSample& start = series.front();
  const double noise = terms.density * terms.poured * terms.gravity * least_fall * terms.spacing;
  double fallen = 0, worked = 0, surface = 0;
  double least = 0, worst = 0;
  bool begun = false;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const GauntletSample& s = series[i];
    // Of bodies kinetic energy counts too: what they had at first is released as they slow down.
    fallen = std::max(fallen, start.potential_energy + start.surface_energy + start.body_energy -
                                  s.potential_energy - s.surface_energy - s.body_energy);
    surface = std::max(surface, s.surface_energy);
    worked = std::max(worked, s.solid_work);
    const double released = std::max(noise, start.kinetic_energy + fallen + worked);
    const double energy =
        s.kinetic_energy + s.potential_energy + s.surface_energy + s.body_energy - s.solid_work;
    if (begun) {
      const double rise = energy - least - surface_grain * surface;
      if (!(rise <= 0)) worst = worse(worst, released > 0 ? rise / released : HUGE_VAL);
      least = std::min(least, energy);
    } else if (s.frame_done) {
      begun = true;
      least = energy;
    }
  }
  return worst;
}

double volume_error(const GauntletTerms& terms, const std::vector<GauntletSample>& series) {
  double worst = 0;
  for (const GauntletSample& s : series) {
    if (!s.frame_done) continue;
    const double due = terms.poured + s.inflow_volume - s.outflow_volume;
    const double error = std::abs(s.liquid_volume + s.spray_volume - due);
    // When nearly all has left, what remains is measured by the cell.
    worst = worse(worst, error / std::max(due, terms.cell_volume));
  }
  return worst;
}

double smoke_energy_rise(const GauntletTerms& terms, const std::vector<GauntletSample>& series) {
  if (series.empty()) return 0;
  const GauntletSample& start = series.front();
  const double noise = terms.density * terms.poured * terms.gravity * least_fall * terms.spacing;
  double fallen = 0, worked = 0, worst = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const GauntletSample& s = series[i];
    fallen = std::max(fallen, start.potential_energy - s.potential_energy);
    worked = std::max(worked, s.solid_work);
    const double released = std::max(noise, start.kinetic_energy + fallen + worked);
    const double rise =
        s.kinetic_energy + s.potential_energy - s.solid_work - start.kinetic_energy - start.potential_energy;
    if (2 * i > series.size() && !(rise <= 0))
      worst = worse(worst, released > 0 ? rise / released : HUGE_VAL);
  }
  return worst;
}

double smoke_change(const std::vector<GauntletSample>& series, double at_most_there) {
  double worst = 0;
  for (const GauntletSample& s : series)
    worst = worse(worst, std::abs(s.smoke - series.front().smoke) / at_most_there);
  return worst;
}

double impact_jet(const GauntletTerms& t) {
  const double closing = std::sqrt(2 * t.gravity * t.own.impact.fall);
  if (closing == 0) return 0;
  return t.own.impact.radius > 0 ? 2 * closing * std::sqrt(t.own.impact.radius / t.spacing)
                                 : std::numbers::pi * closing / std::tan(t.own.impact.angle);
}

double allowed_speed(const GauntletTerms& t) {
  const double thrown =
      std::sqrt(t.first_speed * t.first_speed + t.surface_speed * t.surface_speed + 2 * t.gravity * t.fall) +
      2 * t.solid_speed;
  return std::max(jet_allowance * thrown, impact_jet(t));
}

double speed_excess(const GauntletTerms& terms, const std::vector<GauntletSample>& series) {
  double fastest = 0;
  for (const GauntletSample& s : series) fastest = worse(fastest, s.speed_max);
  if (fastest == 0) return 0;
  const double allowed = allowed_speed(terms);
  return allowed > 0 ? fastest / allowed : HUGE_VAL;
}

double fast_share(const std::vector<GauntletSample>& series) {
  double most = 0;
  for (const GauntletSample& s : series) most = std::max(most, s.fast_share);
  return most;
}

double fast_seconds(const std::vector<GauntletSample>& series) {
  double sum = 0;
  for (std::size_t i = 1; i < series.size(); ++i)
    if (series[i].fast_share > 0) sum += series[i].time - series[i - 1].time;
  return sum;
}

double mean_substeps(const std::vector<GauntletSample>& series) {
  const auto frames = std::count_if(series.begin(), series.end(), [](const auto& s) { return s.frame_done; });
  return frames > 1 ? static_cast<double>(series.size() - 1) / static_cast<double>(frames - 1) : 0;
}

double allowed_substeps(const GauntletTerms& t) {
  return t.frame_seconds * (allowed_speed(t) + std::sqrt(t.gravity * t.spacing)) / (t.cfl * t.spacing) +
         spare_substeps;
}

double bubble_error(const std::vector<GauntletSample>& series) {
  double worst = 0;
  for (const GauntletSample& s : series) worst = worse(worst, s.bubble_error);
  return worst;
}

double lost_air(const GauntletTerms& terms, const std::vector<GauntletSample>& series) {
  double lost = 0;
  for (const GauntletSample& s : series) lost += s.lost_air;
  return lost / (lost_air_limit * terms.air_at_start + lost_air_cells * terms.cell_volume);
}

GauntletVerdict judge(const GauntletTerms& terms, const std::vector<GauntletSample>& series, int hovering) {
  GauntletVerdict v;
  v.energy_judged = !terms.air_has_mass && !terms.smoke_fed && !terms.walls_pull;
  if (!terms.smoke)
    v.volume_error = volume_error(terms, series);
  else if (terms.smoke_kept)
    v.volume_error = smoke_change(series, terms.poured);
  v.speed_excess = speed_excess(terms, series);
  v.fast_share = fast_share(series);
  v.fast_seconds = fast_seconds(series);
  v.substeps = mean_substeps(series);
  v.hovering = hovering;
  if (!series.empty()) {
    const GauntletSample& end = series.back();
    const double all = end.liquid_volume + end.spray_volume;
    v.spray_share = all > 0 ? end.spray_volume / all : 0;
  }
  // Written so that what is not a number fails.
  const auto demand = [&](bool held, const char* what) {
    if (!held) v.failed.emplace_back(what);
  };
  if (v.energy_judged) {
    v.energy_rise = terms.smoke ? smoke_energy_rise(terms, series) : energy_rise(terms, series);
    demand(v.energy_rise <= (terms.smoke ? smoke_energy_limit : energy_limit), "energy");
  }
  demand(v.volume_error <= terms.own.volume_limit, "volume");
  demand(v.speed_excess <= 1, "speed");
  demand(v.hovering == 0 || !terms.drops_fall, "hovering");
  demand(v.substeps <= allowed_substeps(terms), "substeps");
  if (terms.has_bubbles) {
    v.bubble_error = bubble_error(series);
    v.lost_air = lost_air(terms, series);
    demand(v.bubble_error <= bubble_limit && v.lost_air <= 1, "bubbles");
  }
  return v;
}

}  // namespace glug
