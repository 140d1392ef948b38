#include "app/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "app/cli_words.h"
#include "app/commands.h"
#include "app/last_words.h"
#include "app/say.h"
#include "app/scene_pages.h"
#include "core/guarded.h"
#include "scene/suggest.h"
#include "suites/bench_arguments.h"

namespace glug {
namespace {

void print_error(const std::string& text) { say(text); }

// A command that works goes on when the pipe it tells its progress to is closed; one that only prints ends
// there, as others do. A handler, not SIG_IGN, which the programs we start would inherit.
void outlive_closed_pipes() {
  std::signal(SIGPIPE, [](int) {});
}

// What a command printed is its result: it has not been given where it cannot be written.
int with_output_checked(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (status != exit_done) return status;
  print_error(std::string("cannot write the output: ") + std::strerror(errno));
  return exit_failed;
}

// What is said of a word that is no command; empty for one that is.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  const std::string meant = nearest(word, names);
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  return fmt::format("there is no command \"{}\"{}", word,
                     meant.empty() ? "; there are " + all + " (glug --help tells what they do)"
                                   : ": did you mean \"" + meant + "\"?");
}

// What is said of words that a command does not take.
std::string unknown_word(const CLI::App& app, const std::string& name,
                         const std::vector<std::string>& words) {
  for (const CliCommand& command : cli_commands(app)) {
    if (command.name != name) continue;
    std::vector<std::string> options{"--help"};
    for (const CliOption& o : command.options)
      if (!o.positional) options.push_back(o.name);
    std::string all;
    for (const std::string& o : options) all += (all.empty() ? "" : ", ") + o;
    for (const std::string& word : words) {
      const std::string option = word.substr(0, word.find('='));
      if (!word.starts_with("-") || std::find(options.begin(), options.end(), option) != options.end())
        continue;
      const std::string meant = nearest(option, options);
      return fmt::format("glug {} has no {}{}", name, option,
                         meant.empty() ? "; it has " + all : ": did you mean " + meant + "?");
    }
  }
  return fmt::format("glug {}: there are words too many; glug {} --help tells what it takes", name, name);
}

}  // namespace

int run_program(int argc, char** argv) {
  // A file-size limit then reads as a failed write, which says what is safe on disk, instead of a silent
  // death.
  std::signal(SIGXFSZ, SIG_IGN);
  prepare_last_words();

  CLI::App app("Glug: liquids from a scene file to pictures.");
  app.name("glug");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_version_flag("--version", std::string("glug ") + GLUG_VERSION);
  int status = exit_done;
  bool does_work = false;  // its result is not what it prints

  RunOptions run;
  int frames = -1;
  std::string device = "cpu";
  bool resume = false, overwrite = false;
  run.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  CLI::App* run_app = app.add_subcommand("run", "Simulate a scene and write its pictures and caches");
  run_app->add_option("SCENE", run.scene, "A .toml file, or the name of a built-in scene (glug list)")
      ->required();
  run_app->add_option("--out", run.out, "Folder to write (default: out/<scene>)");
  const CLI::Range any_frames(0, 1000000);
  run_app->add_option("--frames", frames, "The same as --set time.frames=N")->check(any_frames);
  run_app->add_option("--set", run.overrides, "KEY=VALUE: change any key of the scene (again for more)")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  run_app->add_option("--threads", run.threads, "Threads (default: all cores)")->check(CLI::Range(1, 1024));
  run_app->add_option("--device", device, "Where to compute")->check(CLI::IsMember({"cpu"}));
  run_app->add_flag("--resume", resume, "Go on with an unfinished run from its last checkpoint");
  run_app->add_flag("--overwrite", overwrite, "Replace the run that is in the folder")->excludes("--resume");
  run_app->add_flag("--quiet", run.quiet, "No progress, no closing words");
  run_app->callback([&] {
    if (frames >= 0) run.overrides.push_back(fmt::format("time.frames={}", frames));
    run.existing = resume ? Existing::resume : overwrite ? Existing::overwrite : Existing::refuse;
    outlive_closed_pipes();
    status = guarded([&] { run_command(run); });
    does_work = true;
  });

  CLI::App* compare_app =
      app.add_subcommand("compare", "Run variants of a scene; put their pictures and figures side by side");
  compare_app->add_option("SCENE", run.scene, "A .toml file, or the name of a built-in scene")->required();
  compare_app
      ->add_option("--set", run.overrides,
                   "KEY=A,B,C: what to compare; KEY=VALUE: what else to change (again for more)")
      ->required()
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  compare_app->add_option("--out", run.out, "Folder to write (default: out/<scene>_compare)");
  compare_app->add_option("--frames", frames, "The same as --set time.frames=N")->check(any_frames);
  compare_app->add_option("--threads", run.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 1024));
  compare_app->add_flag("--resume", resume, "Keep finished runs, go on with unfinished ones");
  compare_app->add_flag("--overwrite", overwrite, "Replace the runs that are in the folder")
      ->excludes("--resume");
  compare_app->add_flag("--quiet", run.quiet, "No progress, only the table and where the pictures are");
  compare_app->callback([&] {
    if (frames >= 0) run.overrides.push_back(fmt::format("time.frames={}", frames));
    run.existing = resume ? Existing::resume : overwrite ? Existing::overwrite : Existing::refuse;
    outlive_closed_pipes();
    status = guarded([&] { compare_command(run); });
  });

  std::string scene;
  std::vector<std::string> overrides;
  CLI::App* check_app =
      app.add_subcommand("check", "Validate a scene; print it with every default filled in");
  check_app->add_option("SCENE", scene, "A .toml file, or the name of a built-in scene")->required();
  check_app->add_option("--set", overrides, "KEY=VALUE: change any key of the scene (again for more)")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  check_app->callback([&] { status = guarded([&] { check_command(scene, overrides); }); });

  CLI::App* list_app = app.add_subcommand("list", "The built-in scenes");
  std::string pages;
  list_app->add_option("--pages", pages,
                       "Write a page for each, with its picture, and one of all, into this folder");
  list_app->callback(
      [&] { status = guarded([&] { pages.empty() ? list_command() : write_scene_pages(pages); }); });

  std::string new_name;
  int new_dimension = 2;
  CLI::App* new_app = app.add_subcommand("new", "Write a commented scene to start from");
  new_app->add_option("NAME", new_name, "Its name, or the path of the .toml file to write")->required();
  new_app->add_option("--dimension", new_dimension, "2 or 3 (default: 2)")->check(CLI::Range(2, 3));
  new_app->callback([&] { status = guarded([&] { new_command(new_name, new_dimension); }); });

  std::string folder;
  CLI::App* info_app =
      app.add_subcommand("info", "What a run is: progress, volumes, timings, memory, and what was unusual");
  info_app->add_option("DIR", folder, "The folder of a run")->required();
  info_app->callback([&] { status = guarded([&] { info_command(folder); }); });

  RenderOptions rendered;
  rendered.threads = run.threads;
  CLI::App* render_app = app.add_subcommand(
      "render",
      "Make a movie of a run's pictures; draw those it did not, from its particles and checkpoints");
  render_app->add_option("DIR", rendered.folder, "The folder of a run")->required();
  render_app->add_option("--movie", rendered.movie, "File to write (default: DIR/movie.mp4)");
  render_app->add_option("--threads", rendered.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 1024));
  render_app->callback([&] { status = guarded([&] { render_command(rendered); }); });

  ViewCommandOptions viewed;
  CLI::App* view_app =
      app.add_subcommand("view", "Look at a run in a browser, also while it goes on: a page on this machine");
  view_app->add_option("DIR", viewed.folder, "The folder of a run")->required();
  view_app->add_option("--port", viewed.port, "Of this machine; 0: any that is free")
      ->check(CLI::Range(0, 65535));
  view_app->callback([&] { status = guarded([&] { view_command(viewed); }); });

  ExportOptions exported;
  exported.threads = run.threads;
  CLI::App* export_app = app.add_subcommand(
      "export", "Write frames of a run in other formats, from its particles and checkpoints");
  export_app->add_option("DIR", exported.folder, "The folder of a run")->required();
  export_app->add_option("--surface", exported.surface, "ply, vtp or vdb, or several: '[\"ply\", \"vdb\"]'");
  export_app->add_option("--particles", exported.particles, "ply, vtp or vdb, or several");
  export_app->add_option("--volume", exported.volume, "vti or vdb, or both");
  export_app->add_option("--preview", exported.preview, "png");
  export_app->add_option("--threads", exported.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 1024));
  export_app->add_flag("--quiet", exported.quiet, "No closing words");
  export_app->callback([&] {
    outlive_closed_pipes();
    status = guarded([&] { export_command(exported); });
  });

  BenchOptions bench;
  CLI::App* bench_app = app.add_subcommand("bench", "Measure: the performance suites, and the gauntlet");
  add_bench_arguments(*bench_app, bench);
  bench_app->callback([&] { status = guarded([&] { bench_command({argv + 2, argv + argc}); }); });

  CLI::App* options_app = app.add_subcommand("options", "The reference page of scene files, as Markdown");
  options_app->callback([&] { status = guarded(options_command); });

  std::string shell;
  CLI::App* completion_app =
      app.add_subcommand("completion", "Print a script that completes glug's words in a shell");
  completion_app->add_option("SHELL", shell, "bash, zsh or fish")->required();
  completion_app->callback(
      [&] { status = guarded([&] { fmt::print("{}", completion_script(app, shell)); }); });

  CLI::App* man_app = app.add_subcommand("man", "Print the manual page, as man reads it");
  man_app->callback([&] { status = guarded([&] { fmt::print("{}", manual_page(app, GLUG_VERSION)); }); });

  const std::string first = argc > 1 ? argv[1] : "-";
  if (first.size() > 1 && first[0] == '-' && first != "-h" && first != "--help" && first != "--version") {
    print_error(fmt::format(
        "glug has no {}; it has --help and --version, and else begins with a command: glug --help "
        "lists them",
        first));
    return exit_bad_input;
  }
  if (const std::string unknown = unknown_command(app, first); !unknown.empty() && first[0] != '-') {
    print_error(unknown);
    return exit_bad_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    print_error(unknown_word(app, first, {argv + 2, argv + argc}));
    return exit_bad_input;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_done : exit_bad_input;
  }
  return does_work ? status : with_output_checked(status);
}

}  // namespace glug
