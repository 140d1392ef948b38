#include "app/cli_words.h"

#include <algorithm>
#include <cctype>

#include "suites/suites.h"

namespace glug {

std::vector<CliCommand> cli_commands(const CLI::App& app) {
  std::vector<CliCommand> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CliCommand command{sub->get_name(), sub->get_description(), {}};
    for (const CLI::Option* option : sub->get_options()) {
      if (option == sub->get_help_ptr()) continue;
      CliOption o;
      o.positional = option->get_positional();
      o.name = o.positional ? option->get_name(true) : "--" + option->get_lnames().front();
      o.about = option->get_description();
      if (o.positional)
        o.value = o.name;
      else if (option->get_items_expected_max() > 0)
        for (const char c : option->get_lnames().front())
          o.value += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      command.options.push_back(std::move(o));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::vector<std::string> cli_choices(const CliOption& option) {
  if (option.name == "SHELL") return {"bash", "zsh", "fish"};
  if (option.name == "SUITE") {
    std::vector<std::string> names;
    for (const BenchSuite& s : bench_suites()) names.emplace_back(s.name);
    return names;
  }
  if (option.name == "--surface" || option.name == "--particles") return {"ply", "vtp", "vdb"};
  if (option.name == "--volume") return {"vti", "vdb"};
  if (option.name == "--preview") return {"png"};
  // What glug bench takes beside is in its words.
  if (option.name == "--device" && option.about.find("cuda") != std::string::npos) return {"cpu", "cuda"};
  if (option.name == "--device") return {"cpu"};
  return {};
}

}  // namespace glug
