#include "app/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/accounted_volume.h"

namespace glug {
namespace {

// Limits beyond which a figure is worth a sentence. Of ordinary runs: some 2 to 10 substeps a frame, 8 to 25
// iterations, volume within 0.1% (docs/validation.md), files apart from pictures under a tenth of the time.
constexpr double many_substeps = 15;
constexpr double many_iterations = 40;
constexpr double much_output = 0.25;
constexpr double much_volume = 0.01;
constexpr double much_spray = 0.05;
constexpr double much_energy = 0.02;
constexpr double little_energy = 1e-4;
constexpr double much_slower = 2;

class Adviser {
 public:
  Adviser(const std::vector<StepReport>& steps, const RunFacts& facts) : facts_(facts) {
    for (const StepReport& s : steps)
      if (s.step > 0) substeps_.push_back(&s);
    first_ = &steps.front();
    last_ = &steps.back();
  }

  std::vector<std::string> advice() {
    if (substeps_.empty()) return {};
    short_substeps();
    forced_substeps();
    iterations();
    unfinished_solves();
    output_share();
    slowing_down();
    volume();
    spray();
    energy();
    bubbles();
    return std::move(said_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    said_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  template <class F>
  double sum(F f) const {
    double total = 0;
    for (const StepReport* s : substeps_) total += f(*s);
    return total;
  }

  void short_substeps() {
    const double frames = last_->time * facts_.fps, count = static_cast<double>(substeps_.size());
    if (!(frames > 0) || count / frames < many_substeps) return;
    // The frame with the most substeps, and what held them short.
    int worst = 0, most = 0, here = 0, frame = -1;
    for (const StepReport* s : substeps_) {
      here = s->frame == frame ? here + 1 : 1;
      frame = s->frame;
      if (here > most) most = here, worst = frame;
    }
    double speed = 0, dt = HUGE_VAL, courant = 0;
    for (const StepReport* s : substeps_)
      if (s->frame == worst) {
        speed = std::max(speed, s->speed_max);
        dt = std::min(dt, s->dt);
        courant = std::max(courant, s->courant);
      }
    std::string why;
    if (facts_.capillary_dt > 0 && dt > 0.4 * facts_.capillary_dt && courant < 0.7 * facts_.cfl)
      why = fmt::format(
          "surface tension allows no more than {:.2g} s at this resolution: it falls with the 3/2 power of "
          "the "
          "cell; a coarser grid, or liquid.surface_tension = 0 where waves are long",
          facts_.capillary_dt);
    else if (courant > 0.5 * facts_.cfl)
      why = fmt::format(
          "the liquid is fast, {:.3g} m/s, and may move {:g} cell{} of {:.3g} m a substep: a larger time.cfl "
          "(up "
          "to 4) takes fewer and costs accuracy",
          speed, facts_.cfl, facts_.cfl == 1 ? "" : "s", facts_.cell);
    else if (facts_.has_solids_that_move || facts_.has_emitters)
      why = fmt::format("the liquid was slow enough for longer ones; a {} sets the pace",
                        facts_.has_solids_that_move ? "moving solid" : "fast emitter");
    else
      why = "a substep grows by half at most after a short one: something fast passed by";
    say("{:.1f} substeps a frame, {} in frame {}, as short as {:.2g} s: {}", count / frames, most, worst, dt,
        why);
  }

  void forced_substeps() {
    const StepReport* worst = nullptr;
    int count = 0;
    for (const StepReport* s : substeps_)
      if (s->courant > 1.2 * facts_.cfl) {
        ++count;
        if (!worst || s->courant > worst->courant) worst = s;
      }
    if (worst)
      say("{} substeps were longer than time.cfl = {:g} allows, up to {:.1f} cells in frame {}: "
          "time.max_substeps = {} leaves no more of them; raise it, or expect noise there",
          count, facts_.cfl, worst->courant, worst->frame, facts_.max_substeps);
  }

  void iterations() {
    const double mean =
        sum([](const StepReport& s) { return s.iterations; }) / static_cast<double>(substeps_.size());
    if (mean < many_iterations) return;
    const StepReport* worst = *std::max_element(
        substeps_.begin(), substeps_.end(),
        [](const StepReport* a, const StepReport* b) { return a->iterations < b->iterations; });
    say("{:.0f} iterations of the pressure solver a substep, {} in frame {}: {}", mean, worst->iterations,
        worst->frame,
        facts_.preconditioner != "multigrid"
            ? fmt::format("solver.preconditioner = \"{}\" is a yardstick; \"multigrid\" needs about ten",
                          facts_.preconditioner)
            : "about ten are usual; thin passages, many bubbles or a small solver.tolerance take more");
  }

  void unfinished_solves() {
    int count = 0;
    const StepReport* worst = nullptr;
    for (const StepReport* s : substeps_)
      if (s->residual > 1.01 * facts_.tolerance) {
        ++count;
        if (!worst || s->residual > worst->residual) worst = s;
      }
    if (worst)
      say("{} pressure solves stopped short of solver.tolerance = {:g}, at {:.2g} in frame {}: look at "
          "divergence_max and liquid_volume there",
          count, facts_.tolerance, worst->residual, worst->frame);
  }

  void output_share() {
    const double output = first_->seconds_output + sum([](const StepReport& s) { return s.seconds_output; });
    const double total = first_->seconds_total + sum([](const StepReport& s) { return s.seconds_total; });
    if (!(total > 0) || output / total < much_output) return;
    say("writing took {:.0f}% of the time: {}", 100 * output / total,
        facts_.pictures
            ? "pictures are most of it; --set output.preview=off, or a smaller output.preview_width, "
              "and glug export for meshes later"
        : facts_.other_files ? "fewer formats, or a faster disk"
                             : "checkpoints are all that was written; a larger output.checkpoint_every");
  }

  // Time of a substep in the last quarter against the first.
  void slowing_down() {
    const std::size_t quarter = substeps_.size() / 4;
    if (quarter < 5) return;
    const auto mean = [&](std::size_t begin) {
      double seconds = 0, particles = 0;
      for (std::size_t n = begin; n < begin + quarter; ++n) {
        seconds += substeps_[n]->seconds_total - substeps_[n]->seconds_output;
        particles += static_cast<double>(substeps_[n]->particles);
      }
      return std::pair{seconds / static_cast<double>(quarter), particles / static_cast<double>(quarter)};
    };
    const auto [early, few] = mean(0);
    const auto [late, many] = mean(substeps_.size() - quarter);
    if (!(early > 0) || late / early < much_slower) return;
    const bool grew = many > 1.5 * few;
    say("a substep took {:.2g} s at first and {:.2g} s in the end: {}", early, late,
        grew ? fmt::format("there are {:.1f} times as many particles", many / std::max(1.0, few))
             : "not for more particles; look at liquid_cells, iterations and the stages in stats.csv, and "
               "whether the machine was busy");
  }

  void volume() {
    const auto error_of = [&](const StepReport& s) { return volume_error(*first_, s); };
    const StepReport* worst = first_;
    for (const StepReport* s : substeps_)
      if (std::abs(error_of(*s)) > std::abs(error_of(*worst))) worst = s;
    const char* remedy =
        !facts_.corrects_volume
            ? "liquid.volume_correction = false lets it drift"
            : "a finer grid resolves films and drops that this one cannot; look at the frame for liquid in "
              "solids or in cracks";
    if (std::abs(error_of(*worst)) > much_volume)
      say("{:.1f}% of the liquid {} at frame {}, and {:+.1f}% in the end: {}",
          100 * std::abs(error_of(*worst)), error_of(*worst) < 0 ? "was missing" : "too much was there",
          worst->frame, 100 * error_of(*last_), remedy);
  }

  void spray() {
    const StepReport* worst = first_;
    const auto share = [](const StepReport& s) {
      const double all = accounted_volume(s);
      return all > 0 ? s.spray_volume / all : 0;
    };
    for (const StepReport* s : substeps_)
      if (share(*s) > share(*worst)) worst = s;
    if (share(*worst) > much_spray)
      say("{:.0f}% of the liquid is spray that the surface cannot show, at frame {}: export particles too, "
          "or "
          "refine the grid",
          100 * share(*worst), worst->frame);
  }

  void energy() {
    const auto energy_of = [](const StepReport& s) {
      return s.kinetic_energy + s.potential_energy + s.surface_energy + s.body_energy - s.solid_work;
    };
    if (last_->inflow_volume > 0 || last_->outflow_volume > 0) return;  // liquid brings and takes its own
    double least = HUGE_VAL, gain = 0, scale = 0;
    const StepReport* worst = nullptr;
    for (const StepReport* s : substeps_) {
      const double e = energy_of(*s);
      if (least < HUGE_VAL && e - least > gain) gain = e - least, worst = s;
      least = std::min(least, e);
      scale = std::max(scale, s->kinetic_energy);
    }
    // While hardly anything moves, what surfaces are measured to is more than all motion.
    const double grain = little_energy * std::abs(first_->potential_energy);
    if (worst && scale > 0 && gain > much_energy * scale && gain > grain)
      say("energy rose by {:.2g} J up to frame {}, {:.0f}% of the largest kinetic energy: nothing in the "
          "scene "
          "gives it; a smaller time.cfl or liquid.flip_ratio damps it",
          gain, worst->frame, 100 * gain / scale);
  }

  void bubbles() {
    const double voids = sum([](const StepReport& s) { return s.bubble_voids; });
    const double lost = sum([](const StepReport& s) { return s.bubble_lost_volume; });
    if (voids > 0.5 * static_cast<double>(substeps_.size()))
      say("{:.0f} voids opened in the liquid and were filled, {:.1f} a substep: liquid tears where it is "
          "faster than the grid is fine; a smaller time.cfl or a finer grid",
          voids, voids / static_cast<double>(substeps_.size()));
    const double liquid = accounted_volume(*first_) + last_->inflow_volume;
    if (lost > much_volume * liquid)
      say("bubbles of {:.2g} in all vanished, smaller than a cell: {:.1f}% of the liquid's volume; a finer "
          "grid keeps them",
          lost, 100 * lost / liquid);
  }

  const RunFacts& facts_;
  std::vector<const StepReport*> substeps_;
  const StepReport *first_ = nullptr, *last_ = nullptr;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> advice_on(const std::vector<StepReport>& steps, const RunFacts& facts) {
  if (steps.empty()) return {};
  return Adviser(steps, facts).advice();
}

}  // namespace glug
