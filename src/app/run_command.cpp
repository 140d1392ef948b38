// The command `run`: from a scene to a folder of frames, with checkpoints on the way.
// Files of frames are written beside the simulation, by a queue that holds copies of a few (writer_queue.h).
// Order that keeps a killed run whole: before a checkpoint come the files of all its frames and the rows of
// all its substeps. What is on disk beyond the last checkpoint is written again, with the same bits, by the
// run that resumes.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <new>
#include <set>

#include "app/body_table.h"
#include "app/bubble_table.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/kept_outputs.h"
#include "app/last_words.h"
#include "app/probe_table.h"
#include "app/progress.h"
#include "app/run_folder.h"
#include "app/say.h"
#include "app/shell_word.h"
#include "app/stats.h"
#include "core/error.h"
#include "output/atomic_file.h"
#include "output/checkpoint.h"
#include "output/checkpoint_folder.h"
#include "output/csv.h"
#include "output/frame_copy.h"
#include "output/frame_files.h"
#include "output/particle_attributes.h"
#include "output/save_state.h"
#include "output/solid_files.h"
#include "output/writer_queue.h"
#include "scene/compare_scenes.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/remarks.h"
#include "simulation/advance.h"

namespace glug {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A remark by what it is about.
std::string without_numbers(std::string text) {
  std::erase_if(text,
                [](char c) { return std::string_view("0123456789.e+-").find(c) != std::string_view::npos; });
  return text;
}

// In which keys the scene in the file, `before`, and that of now differ.
std::vector<SceneDifference> differences(const std::string& before, const std::string& now,
                                         const std::filesystem::path& file) {
  const char* remedy =
      "; put it back as the run wrote it to resume, or start again with --overwrite or another --out";
  if (before.empty()) throw InputError({file.string(), 0, 0}, std::string("is empty") + remedy);
  try {
    return compare_scenes(before, now, file.string());
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& p : problems) p.message += remedy;
    throw InputError(problems);
  }
}

// Refuses to go on with what is not the same simulation. `place`: what holds `before`; `file`: where it
// stands.
void demand_same_scene(const std::string& before, const std::string& now, const std::string& place,
                       const std::filesystem::path& file) {
  std::string changed;
  for (const SceneDifference& d : differences(before, now, file))
    if (!may_change_on_resume(d.key))
      changed += fmt::format("\n  {}: {} there, {} now", d.key, d.before.empty() ? "absent" : d.before,
                             d.now.empty() ? "absent" : d.now);
  if (!changed.empty())
    throw InputError(
        place + " is of another scene:" + changed +
        "\nGive the same scene and --set values to resume, or start again with --overwrite or another --out");
}

// Refuses to go on with a table that lacks rows from before the checkpoint: they would be lost for good.
void demand_rows(const std::filesystem::path& table, std::int64_t last, std::int64_t wanted) {
  const std::int64_t found = csv_rows_up_to(table, last);
  if (found != wanted)
    throw InputError(
        {table.string(), 0, 0},
        fmt::format("has {} rows up to the checkpoint where the run wrote {}; put the table back "
                    "to resume, or start again with --overwrite or another --out",
                    found, wanted));
}

template <int D>
class Run {
 public:
  Run(const RunOptions& options, const Scene& scene, const RunFolder& folder)
      : options_(options),
        scene_(scene),
        folder_(folder),
        exec_{options.threads},
        preview_(preview_options(scene)),
        gauges_(make_probes(scene)) {
    status_.frames = scene.time.frames;
    status_.threads = options.threads;
  }

  void go() {
    const LastWords last_words(
        fmt::format("What was written to {} before is whole and safe. To go on once the cause is gone: {}",
                    folder_.path().string(), resume_command()));
    try {
      simulate();
    } catch (const Interrupted&) {
      throw;
    } catch (const InputError& error) {
      if (has_begun_) tell_failure(error.what());
      throw;
    } catch (const std::bad_alloc&) {
      fail("out of memory");
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

 private:
  void simulate() {
    InterruptGuard interrupt;
    for (const std::string& remark : scene_remarks(scene_)) say(remark);
    State<D> state = poured();
    for (const SolidSetup& solid : state.setup.solids) status_.solids.push_back(solid.name);
    if (need_origins(scene_.output.particle_attributes)) origins_.emplace(exec_, state);
    // After the state, whose shapes it looks at: what is waiting is written before that goes.
    WriterQueue files(scene_.output.frames_waiting);
    const CheckpointChoice found = options_.existing == Existing::resume
                                       ? latest_valid_checkpoint(folder_.checkpoints())
                                       : CheckpointChoice{};
    if (options_.existing == Existing::resume && !found.path) demand_no_checkpoint_was(found);
    for (const std::string& sentence : found.skipped) say(sentence);
    if (found.path) {
      resume(*found.path, state);
    } else {
      begin(state, files);
    }
    Progress progress(options_.quiet ? ProgressStyle::none : progress_style_of_stderr(), state.frame,
                      scene_.time.frames, 1 / scene_.time.fps);
    std::string last_remark;
    std::set<SolveNote> told{SolveNote::none};
    double checkpoint_seconds = 0;
    while (state.frame < scene_.time.frames) {
      StepReport report = advance(exec_, state);
      if (origins_) origins_->follow(exec_, state);
      if (probes_) read_probes(state, report);
      report.seconds_output += checkpoint_seconds;  // of the substep before: its own row was already written
      report.seconds_total += checkpoint_seconds;
      if (report.frame_done) {
        const Clock::time_point start = Clock::now();
        write(state, files);
        report.seconds_output += seconds_since(start);
        report.seconds_total += seconds_since(start);
      }
      stats_->append(stats_row(report));
      checkpoint_seconds = 0;
      const bool due = report.frame_done && (state.frame % scene_.output.checkpoint_every == 0 ||
                                             state.frame >= scene_.time.frames);
      const bool asked = interrupt.asked() || folder_.asked_to_stop();
      if (due || asked) {
        const Clock::time_point start = Clock::now();
        files.drain();
        save(state);
        checkpoint_seconds = seconds_since(start);
      }
      // It names its substep; what it says may go on with other figures.
      if (!report.remark.empty() && without_numbers(report.remark) != without_numbers(last_remark))
        progress.say(report.remark);
      last_remark = report.remark;
      if (told.insert(report.note).second)
        progress.say(fmt::format("substep {}: {}", report.step, report.note_text));
      progress.update(report);
      if (asked && state.frame < scene_.time.frames) {
        progress.finish();
        tell("interrupted");
        throw Interrupted(fmt::format("interrupted at frame {} of {}; a checkpoint was written. To go on: {}",
                                      state.frame, scene_.time.frames, resume_command()));
      }
    }
    files.drain();  // those of frame 0 too, where there is no other
    progress.finish();
    tell("finished");
  }

  // A run that was stopped before its first checkpoint begins again. One that had some and can read none
  // does not: all that it wrote would be replaced.
  void demand_no_checkpoint_was(const CheckpointChoice& found) const {
    const RunStatus& then = folder_.found();
    // Without run.json nobody knows how far it was saved: what the table tells may have been.
    const std::int64_t substeps =
        then.recorded
            ? 0
            : csv_rows_up_to(folder_.path() / "stats.csv", std::numeric_limits<std::int64_t>::max()) - 1;
    // One that failed may have done so at its first.
    const bool had_one = !found.skipped.empty() || substeps > 0 ||
                         (then.state == "failed" ? saves_before(then.frame) > 0 : then.frame > 0);
    if (!had_one) return;
    std::string why;
    for (const std::string& sentence : found.skipped) why += sentence + "\n";
    throw InputError(fmt::format(
        "{}{}: the run has {} and no checkpoint that can be read, so it cannot go on; --overwrite "
        "starts again, --out chooses another folder",
        why, folder_.path().string(),
        substeps > 0 ? fmt::format("{} substeps", substeps) : fmt::format("{} frames", then.frame)));
  }

  int saves_before(int frame) const { return (frame - 1) / scene_.output.checkpoint_every; }

  // What only pouring finds is the scene's as well, though no line of it.
  State<D> poured() {
    try {
      return initialise(exec_, make_setup<D>(scene_));
    } catch (const InputError& error) {
      throw InputError({find_scene(options_.scene).string(), 0, 0}, error.what());
    }
  }

  void begin(const State<D>& state, WriterQueue& files) {
    tell("running");  // before all other files: by it a folder is known for a run's
    folder_.clear();
    write_file(folder_.path() / "scene.toml", scene_.source);
    stats_.emplace(folder_.path() / "stats.csv", stats_header());
    if (has_bubbles()) bubbles_.emplace(folder_.path() / "bubbles.csv", bubble_header());
    if (state.solids_move()) bodies_.emplace(folder_.path() / "bodies.csv", body_header());
    if (!scene_.probes.empty()) probes_.emplace(folder_.path() / "probes.csv", probe_header());
    const Clock::time_point start = Clock::now();
    StepReport report;
    report.frame = state.frame;
    describe(exec_, state, report);
    write_solids(exec_, frame_of(exec_, state).frame, scene_.output, folder_.path());
    write(state, files);
    report.seconds_output = seconds_since(start);
    report.seconds_total += report.seconds_output;
    stats_->append(stats_row(report));
  }

  void resume(const std::filesystem::path& checkpoint, State<D>& state) {
    demand_same_scene(CheckpointReader(checkpoint).text("scene"), scene_.source, checkpoint.string(),
                      checkpoint);
    load_state(exec_, checkpoint, state);
    if (origins_) origins_->load(CheckpointReader(checkpoint), state, checkpoint);
    for (const TableRows& table : tables_at(checkpoint))
      demand_rows(folder_.path() / table.name,
                  table.name == "stats.csv" || table.name == "probes.csv" ? state.step : state.frame,
                  table.rows);
    stats_.emplace(folder_.path() / "stats.csv", stats_header());
    stats_->truncate_after(state.step);
    if (has_bubbles()) {
      bubbles_.emplace(folder_.path() / "bubbles.csv", bubble_header());
      bubbles_->truncate_after(state.frame);
      bubble_rows_.recall(bubbles_->path(), state.frame);
    }
    if (state.solids_move()) {
      bodies_.emplace(folder_.path() / "bodies.csv", body_header());
      bodies_->truncate_after(state.frame);
    }
    if (!scene_.probes.empty()) {
      probes_.emplace(folder_.path() / "probes.csv", probe_header());
      probes_->truncate_after(state.step);
    }
    write_solids(exec_, frame_of(exec_, state).frame, scene_.output, folder_.path());
    write_file(folder_.path() / "scene.toml", scene_.source);
    status_.seconds = folder_.found().seconds;
    saved_frame_ = state.frame;
    written_frame_ = state.frame;
    say(fmt::format("resuming from frame {}, substep {}", state.frame, state.step));
    tell("running");
  }

  bool has_bubbles() const { return scene_.air.model != AirModel::void_air; }

  void write(const State<D>& state, WriterQueue& files) {
    folder_.demand_held();
    if (bubbles_)
      for (const std::string& row : bubble_rows_.rows(state)) bubbles_->append(row);
    if (bodies_)
      for (const std::string& row : body_rows(state, scene_.output.up_axis)) bodies_->append(row);
    const int number = state.frame;
    if (!writes_frames()) {
      files.push([this, number] { written_frame_ = number; });
      return;
    }
    FrameData<D> data = frame_of(exec_, state);
    if (const auto& asked = scene_.output.particle_attributes; !asked.none())
      add_attributes(exec_, state, asked, origins_ ? &*origins_ : nullptr, data);
    // Shared: what a std::function holds must be copyable.
    const auto copy = std::make_shared<const FrameCopy<D>>(
        copy_of_frame(exec_, std::move(data), state.active, scene_.output));
    files.push([this, copy, number] {
      folder_.demand_held();
      write_frame(exec_, copy->frame(), scene_.output, preview_, preview_scene_, folder_.path());
      written_frame_ = number;
    });
  }

  bool writes_frames() const {
    const OutputOptions& o = scene_.output;
    return !o.surface.none() || !o.particles.none() || !o.volume.none() || o.preview != PreviewFormat::off;
  }

  void read_probes(const State<D>& state, const StepReport& report) {
    for (const Probe& probe : gauges_)
      probes_->append(
          probe_row(report.step, report.frame, report.time, probe, read_probe(exec_, state, probe)));
  }

  void save(const State<D>& state) {
    folder_.demand_held();
    std::vector<TableRows> tables;
    for (std::optional<CsvTable>* table : {&stats_, &bubbles_, &bodies_, &probes_}) {
      if (!*table) continue;
      (*table)->sync();
      tables.push_back({(*table)->path().filename().string(), (*table)->rows()});
    }
    save_state(exec_, state, scene_.source, tables, folder_.checkpoints(), origins_ ? &*origins_ : nullptr);
    saved_frame_ = state.frame;
    tell("running");
  }

  void tell(const std::string& state) {
    folder_.demand_held();
    RunStatus status = status_;
    status.frame = written_frame_;
    status.state = state;
    status.seconds += seconds_since(start_);
    write_status(folder_.path(), status);
    has_begun_ = true;
  }

  void say(const std::string& text) const {
    if (!options_.quiet) glug::say(text);
  }

  void tell_failure(const std::string& why) {
    try {
      status_.message = why;
      tell("failed");
    } catch (const std::exception&) {
      // A full disk takes no status either; the message on the screen says what matters.
    }
  }

  [[noreturn]] void fail(const std::string& why) {
    if (!folder_.held())  // whose it is now, nothing is written there
      throw SimulationError(
          fmt::format("the run failed after frame {} of {}: {} was deleted or replaced while the run wrote "
                      "to it, and what "
                      "it held is gone. To start again: {}",
                      written_frame_.load(), scene_.time.frames, folder_.path().string(), start_command()));
    tell_failure(why);
    throw SimulationError(fmt::format(
        "the run failed after frame {} of {}: {}\nSafe in {}: {}", written_frame_.load(), scene_.time.frames,
        why, folder_.path().string(),
        saved_frame_ < 0
            ? std::string("no checkpoint yet. To start again once the cause is gone: ") + resume_command()
            : fmt::format("every frame before, and a checkpoint at frame {}. To go on once the cause is "
                          "gone: {}",
                          saved_frame_, resume_command())));
  }

  std::string start_command() const {
    std::string command =
        "glug run " + shell_word(options_.scene) + " --out " + shell_word(folder_.path().string());
    for (const std::string& o : options_.overrides) command += " --set " + shell_word(o);
    return command;
  }
  std::string resume_command() const { return start_command() + " --resume"; }

  const RunOptions& options_;
  const Scene& scene_;
  const RunFolder& folder_;
  Exec exec_;
  Clock::time_point start_ = Clock::now();
  PreviewOptions preview_;
  std::vector<Probe> gauges_;
  PreviewScene preview_scene_;
  std::optional<CsvTable> stats_, bubbles_, bodies_, probes_;
  std::optional<ParticleOrigins<D>> origins_;
  BubbleRows<D> bubble_rows_;
  RunStatus status_;
  bool has_begun_ = false;             // run.json is this run's
  int saved_frame_ = -1;               // of the last checkpoint
  std::atomic<int> written_frame_{0};  // the last whose files are there; known to the queue's thread
};

std::string closing_words(const Scene& scene, const std::filesystem::path& folder) {
  const double seconds = read_status(folder).seconds;
  std::string words = fmt::format("{} frames in {}", scene.time.frames, duration_text(seconds));
  if (scene.output.preview != PreviewFormat::off) words += "; pictures: " + (folder / "preview").string();
  if (!scene.output.surface.none()) words += "; surfaces: " + (folder / "surface").string();
  if (!scene.output.particles.none()) words += "; particles: " + (folder / "particles").string();
  if (!scene.output.volume.none()) words += "; volumes: " + (folder / "volume").string();
  words += fmt::format("\nfigures: glug info {0}   page: glug view {0}", shell_word(folder.string()));
  if (scene.output.preview != PreviewFormat::off)
    words += fmt::format("   movie: glug render {}", shell_word(folder.string()));
  return words;
}

}  // namespace

void run_command(const RunOptions& options) {
  const std::filesystem::path path = find_scene(options.scene);
  Scene scene = read_scene(path, options.overrides, this_machine());
  const RunFolder folder(options.out.empty() ? std::filesystem::path("out") / path.stem() : options.out,
                         options.existing);
  if (options.existing == Existing::resume) {
    const std::filesystem::path file = folder.path() / "scene.toml";
    // Killed before it had written its scene, a run has nothing to go on with and begins.
    const bool began = std::filesystem::exists(file) || folder.found().frame > 0;
    const std::string before = began ? read_text(file) : scene.source;
    demand_same_scene(before, scene.source, folder.path().string(), file);
    const KeptOutputs kept = keep_outputs(before, scene.source, options.overrides);
    scene = read_scene(path, kept.overrides, this_machine());
    if (!options.quiet)
      for (const std::string& sentence : kept.sentences) say(sentence);
    if (folder.found().state == "finished" && folder.found().frame >= scene.time.frames) {
      if (!options.quiet)
        say(fmt::format(
                "{} is finished: {} frames. More --frames would go on; glug export writes other formats.",
                folder.path().string(), folder.found().frame),
            stdout);
      return;
    }
  }
  if (scene.grid.dimension == 2) {
    Run<2>(options, scene, folder).go();
  } else {
    Run<3>(options, scene, folder).go();
  }
  if (!options.quiet) say(closing_words(scene, folder.path()), stdout);
}

}  // namespace glug
