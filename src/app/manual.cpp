// The manual page glug(1), from the declarations of the command line.
#include <fmt/format.h>

#include "app/cli_words.h"

namespace glug {
namespace {

// Text that roff takes as it is.
std::string roff(const std::string& text) {
  std::string escaped;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    const bool starts_line = n == 0 || text[n - 1] == '\n';
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (starts_line && (c == '.' || c == '\''))
      escaped += std::string("\\&") + c;
    else if (c == '\n')
      escaped += "\n.br\n";
    else
      escaped += c;
  }
  return escaped;
}

constexpr const char* closing = R"(.SH EXIT STATUS
.TP
0
done
.TP
2
bad input: the message names the place, the value and the remedy
.TP
3
the simulation failed; the message says what is safe on disk and how to resume
.TP
130
interrupted by the user, after a checkpoint was written
.SH ENVIRONMENT
.TP
.B GLUG_SCENES
folder of the built\-in scenes, instead of those that came with the program
.TP
.B OMP_NUM_THREADS
is not read: say \-\-threads
.SH FILES
A run writes its folder: scene.toml (the scene with every default), stats.csv (a row per substep), bubbles.csv,
bodies.csv, probes.csv, surface/, particles/, volume/, preview/ (a file per frame), solids/ and checkpoint/.
.SH EXAMPLES
.nf
glug run water_cooler
glug run paddle \-\-set grid.resolution=96 \-\-frames 60
glug render out/paddle
glug new pool && glug check pool.toml && glug run pool.toml
.fi
)";

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(
      ".TH GLUG 1 \"\" \"glug {}\" \"User Commands\"\n.SH NAME\nglug \\- liquids from a scene file to "
      "pictures\n"
      ".SH SYNOPSIS\n.B glug\n.I COMMAND\n[arguments]\n.SH DESCRIPTION\nSimulates liquids in 2D and 3D, with "
      "trapped "
      "air that keeps its volume, and writes pictures, meshes and volumes. The same scene gives the same "
      "bits for "
      "any number of threads, and a run that is stopped or killed can be resumed.\n.SH COMMANDS\n",
      version);
  for (const CliCommand& c : cli_commands(app)) {
    text += ".SS \"glug " + roff(c.name);
    for (const CliOption& o : c.options)
      if (o.positional) text += " " + roff(o.name);
    text += "\"\n" + roff(c.about) + ".\n";
    for (const CliOption& o : c.options) {
      text += ".TP\n.B " + roff(o.name);
      if (!o.positional && !o.value.empty()) text += " \\fI" + roff(o.value) + "\\fR";
      text += "\n" + roff(o.about) + "\n";
    }
  }
  return text + closing;
}

}  // namespace glug
