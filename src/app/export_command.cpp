// The command `export`: frames of a run in other formats, from what the run left behind: frame 0 from the
// scene, frames with a checkpoint from that, exactly as the run would have written them, others from files of
// particles. A file that is there already stays as it is.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <set>

#include "app/commands.h"
#include "app/run_folder.h"
#include "app/say.h"
#include "core/error.h"
#include "output/checkpoint_folder.h"
#include "output/frame_files.h"
#include "output/frame_of_state.h"
#include "output/frame_series.h"
#include "output/particle_reader.h"
#include "output/save_state.h"
#include "output/solid_files.h"
#include "scene/make_setup.h"
#include "simulation/advance.h"
#include "simulation/solids.h"

namespace glug {
namespace {

std::string frames_text(const std::vector<int>& frames) {
  std::string text;
  for (std::size_t n = 0; n < frames.size();) {
    std::size_t last = n;
    while (last + 1 < frames.size() && frames[last + 1] == frames[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") +
            (last > n ? fmt::format("{} to {}", frames[n], frames[last]) : fmt::format("{}", frames[n]));
    n = last + 1;
  }
  return text;
}

template <int D>
class Export {
 public:
  Export(const ExportOptions& options, const Scene& scene, const OutputOptions& output, int frames)
      : options_(options),
        output_(output),
        exec_{options.threads},
        setup_(make_setup<D>(scene)),
        captions_(preview_options(scene)),
        frames_(frames) {}

  void go() {
    State<D> state = initialise(exec_, setup_);
    write_solids(exec_, frame_of(exec_, state).frame, output_, options_.folder);
    write(state, output_);
    from_checkpoints();
    // Pressure is not in the particles.
    OutputOptions of_particles = output_;
    of_particles.volume = {};
    for (int n = 1; n <= frames_; ++n) {
      if (wanted(n, of_particles) == OutputsWanted::none) continue;
      if (recall(n, state)) write(state, of_particles);
    }
    report();
    if (!damaged_.empty()) throw InputError(damaged_);
  }

 private:
  enum class OutputsWanted { none, some };

  // Calls f(kind, extension) for every file that a frame shall have.
  template <class F>
  static void visit_kinds(const OutputOptions& output, F f) {
    for (const MeshFormat e : output.surface.list) f("surface", name_of(e));
    for (const MeshFormat e : output.particles.list) f("particles", name_of(e));
    for (const VolumeFormat e : output.volume.list) f("volume", name_of(e));
    if (output.preview != PreviewFormat::off) f("preview", name_of(output.preview));
  }

  std::filesystem::path file(const char* kind, int frame, const char* extension) const {
    const int first = std::string_view(kind) == "preview" ? 0 : output_.first_frame;
    return frame_path(options_.folder, kind, first + frame, extension);
  }

  OutputsWanted wanted(int frame, const OutputOptions& output) const {
    OutputsWanted result = OutputsWanted::none;
    visit_kinds(output, [&](const char* kind, const char* extension) {
      if (!std::filesystem::exists(file(kind, frame, extension))) result = OutputsWanted::some;
    });
    return result;
  }

  void from_checkpoints() {
    for (const std::filesystem::path& path : checkpoint_files(options_.folder / "checkpoint")) {
      State<D> state = initialise(exec_, setup_);
      try {
        load_state(exec_, path, state);
      } catch (const InputError& error) {
        say(error.what());  // a broken one costs the frames that only it knows
        continue;
      }
      if (state.frame_time > 0 || state.frame > frames_ ||
          wanted(state.frame, output_) == OutputsWanted::none)
        continue;
      update_solids(exec_, state.active.view(), state);
      write(state, output_);
    }
  }

  // The state of a frame from its particles. False where no file of them is there, or can be taken: why is
  // kept until all other frames are made.
  bool recall(int frame, State<D>& state) {
    std::vector<Problem> problems;
    for (const char* extension : {"ply", "vdb"}) {
      const std::filesystem::path path = file("particles", frame, extension);
      if (!std::filesystem::exists(path)) continue;
      try {
        recall_frame(exec_, frame, read_particles<D>(path), state);
        for (const Problem& p : problems) say(p.text());  // another one did
        return true;
      } catch (const InputError& error) {
        const bool is_named = std::string_view(error.what()).starts_with(path.string());
        problems.push_back({{is_named ? "" : path.string(), 0, 0}, error.what()});
        if (setup_.liquid.narrow_band > 0) throw InputError(problems);  // so it is with all others
      }
    }
    if (!problems.empty()) unmade_.insert(frame);
    damaged_.insert(damaged_.end(), problems.begin(), problems.end());
    return false;
  }

  void write(const State<D>& state, const OutputOptions& output) {
    OutputOptions missing = output;
    const auto drop_those_there = [&](const char* kind, auto& formats) {
      std::erase_if(formats.list, [&](auto format) {
        return std::filesystem::exists(file(kind, state.frame, name_of(format)));
      });
    };
    drop_those_there("surface", missing.surface);
    drop_those_there("particles", missing.particles);
    drop_those_there("volume", missing.volume);
    if (std::filesystem::exists(file("preview", state.frame, name_of(PreviewFormat::png))))
      missing.preview = PreviewFormat::off;
    const FrameData<D> data = frame_of(exec_, state);
    write_frame(exec_, data.frame, missing, captions_, preview_, options_.folder);
    visit_kinds(missing, [&](const char* kind, const char* extension) { ++written_[{kind, extension}]; });
  }

  void report() {
    visit_kinds(output_, [&](const char* kind, const char* extension) {
      int files = 0;
      std::vector<int> missing;
      for (int n = 0; n <= frames_; ++n)
        if (std::filesystem::exists(file(kind, n, extension)))
          ++files;
        else if (!unmade_.count(n))
          missing.push_back(n);
      if (std::string_view(kind) != "preview")
        write_frame_series(options_.folder, kind, extension, output_.first_frame, frames_, setup_.time.fps);
      if (!options_.quiet)
        fmt::print("{}: {} frames as {}, {} of them now\n", (options_.folder / kind).string(), files,
                   extension, written_[{kind, extension}]);
      if (!missing.empty())
        say(fmt::format("{}: nothing is left to make frames {} from: {}", kind, frames_text(missing),
                        std::string(kind) == "volume"
                            ? "volumes need a checkpoint of the frame (output.checkpoint_every)"
                            : "they need particles (output.particles = \"ply\" or \"vdb\") or a checkpoint "
                              "of the frame"));
    });
  }

  const ExportOptions& options_;
  OutputOptions output_;
  Exec exec_;
  Setup<D> setup_;
  PreviewOptions captions_;
  int frames_;
  PreviewScene preview_;
  std::map<std::pair<std::string, std::string>, int> written_;  // by kind and format
  std::vector<Problem> damaged_;
  std::set<int> unmade_;  // frames whose particles are there, and damaged
};

// The formats asked for, read as the scene reader reads them.
OutputOptions outputs_of(const ExportOptions& options, const std::filesystem::path& scene) try {
  OutputOptions output =
      read_scene(scene,
                 {"output.surface=" + options.surface, "output.particles=" + options.particles,
                  "output.volume=" + options.volume, "output.preview=" + options.preview},
                 this_machine())
          .output;
  output.particle_attributes = {};  // the run alone knows them
  return output;
} catch (const InputError& error) {
  // What the user gave is --surface, not --set output.surface.
  std::vector<Problem> problems = error.problems();
  constexpr std::string_view ours = "--set output.";
  for (Problem& p : problems)
    if (p.where.file.starts_with(ours)) p.where.file = "--" + p.where.file.substr(ours.size());
  throw InputError(problems);
}

}  // namespace

void export_command(const ExportOptions& options) {
  const RunStatus status = read_status(options.folder);
  const std::filesystem::path scene_path = options.folder / "scene.toml";
  if (status.state.empty() || !std::filesystem::exists(scene_path))
    throw InputError(options.folder.string() + " holds no run: give the folder that glug run wrote");
  const OutputOptions output = outputs_of(options, scene_path);
  if (output.surface.none() && output.particles.none() && output.volume.none() &&
      output.preview == PreviewFormat::off)
    throw InputError(
        "nothing to export: say --surface ply|vdb|vtp, --particles ply|vdb|vtp, --volume vti|vdb or "
        "--preview png");
  const FolderLock lock(options.folder, Existing::resume);
  const Scene scene = read_scene(scene_path, {}, this_machine());
  if (scene.grid.dimension == 2) {
    Export<2>(options, scene, output, status.frame).go();
  } else {
    Export<3>(options, scene, output, status.frame).go();
  }
}

}  // namespace glug
