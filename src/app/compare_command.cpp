// The command `compare`: variants of one scene, run one after the other, side by side in pictures and in one
// table. Every variant is an ordinary run in a folder of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/accounted_volume.h"
#include "app/commands.h"
#include "app/run_folder.h"
#include "app/say.h"
#include "app/stats.h"
#include "core/error.h"
#include "output/movie.h"
#include "output/side_by_side.h"
#include "scene/find_scene.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

struct Variant {
  std::string value;
  fs::path folder;
  RunOptions run;
  Scene scene;
};

std::string key_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

// "KEY=A,B,C" to A, B and C. A comma inside brackets, braces or quotes belongs to its value.
std::vector<std::string> values_of(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return {};
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (char c : setting.substr(equals + 1)) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  for (std::string& v : values) {
    v.erase(0, v.find_first_not_of(' '));
    v.erase(v.find_last_not_of(' ') + 1);
  }
  return values;
}

// The settings with several values, which change together; takes them out of `settings`.
std::vector<std::string> take_varied(std::vector<std::string>& settings) {
  const auto varies = [](const std::string& s) { return values_of(s).size() > 1; };
  std::vector<std::string> varied;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(varied), varies);
  std::erase_if(settings, varies);
  if (varied.empty())
    throw InputError(
        "there is nothing to compare: give one key several values, such as --set liquid.transfer=flip,apic");
  const std::size_t count = values_of(varied[0]).size();
  for (std::size_t n = 0; n < varied.size(); ++n) {
    const std::size_t values = values_of(varied[n]).size();
    if (values != count)
      throw InputError(
          {"--set " + varied[n], 0, 0},
          fmt::format("has {} values where {} has {}: keys that are compared change together, so "
                      "give them as many",
                      values, key_of(varied[0]), count));
    std::vector<std::string> others = settings;
    others.insert(others.end(), varied.begin(), varied.begin() + static_cast<std::ptrdiff_t>(n));
    for (const std::string& s : others)
      if (key_of(s) == key_of(varied[n]))
        throw InputError({"--set " + s, 0, 0},
                         fmt::format("sets {}, which is also compared (--set {}): leave "
                                     "one of them out",
                                     key_of(s), varied[n]));
  }
  return varied;
}

std::string folder_name(const std::string& value) {
  std::string name;
  for (char c : value) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '_' ||
                       (c == '.' && !name.empty());
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "empty" : name;
}

// What tells a variant from the others: the first key's value, and those of other keys with their names.
std::string title_of(const std::vector<std::string>& varied, std::size_t number) {
  std::string title = values_of(varied[0])[number];
  for (std::size_t n = 1; n < varied.size(); ++n)
    title += fmt::format(", {} = {}", key_of(varied[n]), values_of(varied[n])[number]);
  return title;
}

std::vector<Variant> make_variants(const RunOptions& options, const std::vector<std::string>& varied,
                                   const std::vector<std::string>& settings, const fs::path& out) {
  std::vector<Variant> variants;
  for (std::size_t k = 0; k < values_of(varied[0]).size(); ++k) {
    Variant variant{.value = title_of(varied, k), .folder = {}, .run = options, .scene = {}};
    variant.run.overrides = settings;
    std::string name;
    for (const std::string& setting : varied) {
      const std::string value = values_of(setting)[k];
      if (value.empty())
        throw InputError({"--set " + setting, 0, 0}, "has an empty value: remove the comma too many");
      name += (name.empty() ? "" : "_") + folder_name(value);
      variant.run.overrides.push_back(key_of(setting) + "=" + value);
    }
    for (const Variant& before : variants)
      if (before.value == variant.value)
        throw InputError({"--set " + varied[0], 0, 0}, fmt::format("names {} twice", variant.value));
    const auto taken = [&] {
      return name == "compare" || std::any_of(variants.begin(), variants.end(),
                                              [&](const Variant& v) { return v.folder.filename() == name; });
    };
    while (taken()) name += "_";
    variant.folder = variant.run.out = out / name;
    variants.push_back(std::move(variant));
  }
  return variants;
}

// Everything that is wrong with any of them, once, before the first one runs.
void check(std::vector<Variant>& variants) {
  std::vector<std::string> messages;
  for (Variant& v : variants) {
    try {
      v.scene = read_scene(find_scene(v.run.scene), v.run.overrides, this_machine());
    } catch (const InputError& error) {
      if (std::find(messages.begin(), messages.end(), error.what()) == messages.end())
        messages.emplace_back(error.what());
    }
  }
  if (!messages.empty()) throw InputError(fmt::format("{}", fmt::join(messages, "\n")));
  for (Variant& v : variants) {
    // Those a stopped comparison had not begun are begun now.
    if (v.run.existing == Existing::resume && read_status(v.folder).state.empty())
      v.run.existing = Existing::refuse;
    const RunFolder may_be_used(v.folder, v.run.existing);
  }
}

fs::path picture(const fs::path& folder, int frame) {
  return folder / fmt::format("preview.{:04}.png", frame);
}

void remove_pictures(const fs::path& folder) {
  for (int frame = 0; fs::exists(picture(folder, frame)); ++frame) fs::remove(picture(folder, frame));
  fs::remove(folder / "movie.mp4");
}

// A variant with fewer frames than the others rests on its last.
void write_pictures(const std::vector<Variant>& variants, const std::string& key, const fs::path& folder) {
  int frames = 0;
  std::vector<std::string> labels;
  for (const Variant& v : variants) {
    frames = std::max(frames, v.scene.time.frames);
    labels.push_back(key + " = " + v.value);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError("cannot make the folder " + folder.string() + ": " + error.message());
  remove_pictures(folder);
  for (int frame = 0; frame <= frames; ++frame) {
    std::vector<Image> images;
    for (const Variant& v : variants)
      images.push_back(read_png(picture(v.folder / "preview", std::min(frame, v.scene.time.frames))));
    write_png(side_by_side(images, labels), picture(folder, frame));
  }
}

// The pictures are there in any case: what keeps ffmpeg from a movie of them is no failure.
void write_movie(const fs::path& folder, double fps) {
  try {
    make_movie(folder, fps, folder / "movie.mp4");
    fmt::print("movie: {}\n", (folder / "movie.mp4").string());
  } catch (const std::exception& why) {
    fmt::print("no movie: {}\n", why.what());
  }
}

void print_table(const std::vector<Variant>& variants, const std::string& key) {
  std::size_t width = key.size();
  for (const Variant& v : variants) width = std::max(width, v.value.size());
  fmt::print("\n{:<{}}{:>8}{:>10}{:>14}{:>9}{:>12}{:>11}{:>14}\n", key, width, "frames", "substeps",
             "worst volume", "bubbles", "iterations", "s/substep", "kinetic, J");
  for (const Variant& v : variants) {
    const std::vector<StepReport> steps = read_stats(v.folder / "stats.csv");
    if (steps.empty()) throw InputError((v.folder / "stats.csv").string() + " holds no substeps");
    double iterations = 0, seconds = 0, substeps = 0;
    int bubbles = 0;
    for (const StepReport& s : steps) {
      bubbles = std::max(bubbles, s.bubbles);
      if (s.step == 0) continue;
      ++substeps;
      iterations += s.iterations;
      seconds += s.seconds_total - s.seconds_output;
    }
    const double per_substep = substeps > 0 ? 1 / substeps : 0;
    fmt::print("{:<{}}{:>8}{:>10}{:>+13.3f}%{:>9}{:>12.1f}{:>11.3g}{:>14.4g}\n", v.value, width,
               steps.back().frame, steps.back().step, 100 * volume_error(steps.front(), worst_volume(steps)),
               bubbles, iterations * per_substep, seconds * per_substep, steps.back().kinetic_energy);
  }
  fmt::print(
      "worst volume: of the liquid, against the start; bubbles: most at a time; iterations and s/substep: on "
      "average, without the writing of files; kinetic: at the end\n\n");
}

}  // namespace

void compare_command(const RunOptions& options) {
  std::vector<std::string> settings = options.overrides;
  const std::vector<std::string> varied = take_varied(settings);
  const std::string key = key_of(varied[0]);
  const fs::path out = options.out.empty()
                           ? fs::path("out") / (find_scene(options.scene).stem().string() + "_compare")
                           : options.out;
  std::vector<Variant> variants = make_variants(options, varied, settings, out);
  check(variants);
  for (std::size_t n = 0; n < variants.size(); ++n) {
    if (!options.quiet)
      say(fmt::format("{} = {} ({} of {})", key, variants[n].value, n + 1, variants.size()));
    try {
      run_command(variants[n].run);
    } catch (const Interrupted& stop) {
      throw Interrupted(std::string(stop.what()) +
                        "\nTo go on with the comparison: the same command with --resume");
    }
  }
  print_table(variants, key);
  const auto blind = [](const Variant& v) { return v.scene.output.preview == PreviewFormat::off; };
  if (std::any_of(variants.begin(), variants.end(), blind)) {
    fmt::print("no pictures: output.preview is off\n");
    return;
  }
  write_pictures(variants, key, out / "compare");
  fmt::print("pictures: {}\n", (out / "compare").string());
  write_movie(out / "compare", variants.front().scene.time.fps);
}

}  // namespace glug
