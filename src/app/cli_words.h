// cli_words.h: what the command line declares, as manual pages and completions need it. CLI11 keeps the
// declarations (program.cpp); this only walks them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace glug {

struct CliOption {
  std::string name;   // "--out", or "SCENE" for a positional
  std::string value;  // what it takes, in capitals; empty for a flag
  std::string about;
  bool positional = false;
};
struct CliCommand {
  std::string name, about;
  std::vector<CliOption> options;
};
// Commands in the order of their declaration, without --help.
std::vector<CliCommand> cli_commands(const CLI::App& app);

// Words that a positional or an option takes, by its name; empty where files or anything else will do.
std::vector<std::string> cli_choices(const CliOption& option);

// Scripts for "bash", "zsh" or "fish"; InputError for any other.
std::string completion_script(const CLI::App& app, const std::string& shell);
// The manual page glug(1).
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace glug
