// Completion scripts, one writer a shell. Names of scenes are asked of the program when a word is completed;
// all else stands in the script.
#include <fmt/format.h>

#include "app/cli_words.h"
#include "core/error.h"
#include "scene/known_keys.h"

namespace glug {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

// The first line, and of it what may stand between single quotes of any shell.
std::string brief(const std::string& about) {
  std::string text;
  for (const char c : about.substr(0, about.find('\n')))
    if (c != '\'' && c != '[' && c != ']' && c != ':' && c != '`' && c != '$' && c != '\\') text += c;
  return text;
}

const CliOption* positional_of(const CliCommand& command) {
  for (const CliOption& o : command.options)
    if (o.positional) return &o;
  return nullptr;
}

constexpr const char* scenes_command = "glug list 2>/dev/null | cut -d\" \" -f1";

std::string bash_script(const std::vector<CliCommand>& commands) {
  std::vector<std::string> names;
  std::string cases, values;
  for (const CliCommand& c : commands) {
    names.push_back(c.name);
    std::vector<std::string> flags;
    for (const CliOption& o : c.options) {
      if (o.positional) continue;
      flags.push_back(o.name);
      if (const auto choices = cli_choices(o); !choices.empty())
        values += fmt::format("    {}:{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", c.name,
                              o.name, joined(choices));
      else if (o.name == "--set")
        values += fmt::format(
            "    {}:--set) compopt -o nospace; COMPREPLY=($(compgen -S = -W \"$keys\" -- \"$word\")); return "
            ";;\n",
            c.name);
      else if (!o.value.empty())
        values += fmt::format("    {}:{}) compopt -o default; return ;;\n", c.name, o.name);
    }
    const CliOption* first = positional_of(c);
    std::string words = joined(flags);
    std::string also;
    if (first) {
      if (first->name == "SCENE")
        also = fmt::format("compopt -o default; words=\"$words $({})\"", scenes_command);
      else if (const auto choices = cli_choices(*first); !choices.empty())
        also = "words=\"$words " + joined(choices) + "\"";
      else
        also = "compopt -o default";
    }
    cases += fmt::format("    {}) words='{}'{} ;;\n", c.name, words, also.empty() ? "" : "; " + also);
  }
  return fmt::format(R"(# bash completion for glug: source it, or put it into /etc/bash_completion.d
_glug() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words
  local keys='{}'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case $command:$before in
{}  esac
  case $command in
{}    *) return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -F _glug glug
)",
                     joined(option_keys()), joined(names), values, cases);
}

std::string zsh_script(const std::vector<CliCommand>& commands) {
  std::string described, cases;
  for (const CliCommand& c : commands) {
    described += fmt::format("    '{}:{}'\n", c.name, brief(c.about));
    cases += fmt::format("    {}) _arguments", c.name);
    for (const CliOption& o : c.options) {
      const auto choices = cli_choices(o);
      std::string how = "_files";
      if (!choices.empty())
        how = "(" + joined(choices) + ")";
      else if (o.name == "SCENE")
        how = "_glug_scenes";
      else if (o.name == "DIR")
        how = "_files -/";
      else if (o.name == "--set")
        how = "_glug_keys";
      if (o.positional)
        cases += fmt::format(" \\\n      '1:{}:{}'", o.name, how);
      else
        cases += fmt::format(" \\\n      '{}{}[{}]{}'", o.name == "--set" ? "*" : "", o.name, brief(o.about),
                             o.value.empty() ? "" : ":" + o.value + ":" + how);
    }
    cases += " ;;\n";
  }
  return fmt::format(R"zsh(#compdef glug
# zsh completion for glug: put it as _glug into a folder of $fpath
_glug_scenes() {{ local -a names; names=(${{(f)"$({})"}}); _alternative 'scenes:scene:compadd -a names' 'files:file:_files -g "*.toml"'; }}
_glug_keys() {{ local -a keys; keys=({}); compadd -S = -a keys; }}
_glug() {{
  local -a commands
  commands=(
{}  )
  local state line
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument) case $words[1] in
{}    esac ;;
  esac
}}
if [ "$funcstack[1]" = "_glug" ]; then _glug "$@"; else compdef _glug glug; fi
)zsh",
                     scenes_command, joined(option_keys()), described, cases);
}

std::string fish_script(const std::vector<CliCommand>& commands) {
  std::string text = "# fish completion for glug: put it into ~/.config/fish/completions/glug.fish\n";
  for (const CliCommand& c : commands) {
    text +=
        fmt::format("complete -c glug -n __fish_use_subcommand -f -a {} -d '{}'\n", c.name, brief(c.about));
    const std::string when = fmt::format("complete -c glug -n '__fish_seen_subcommand_from {}'", c.name);
    for (const CliOption& o : c.options) {
      const auto choices = cli_choices(o);
      if (o.positional) {
        if (o.name == "SCENE")
          text += fmt::format("{} -a '({})'\n", when, scenes_command);
        else if (!choices.empty())
          text += fmt::format("{} -f -a '{}'\n", when, joined(choices));
        continue;
      }
      text += fmt::format("{} -l {} -d '{}'", when, o.name.substr(2), brief(o.about));
      if (!choices.empty())
        text += fmt::format(" -x -a '{}'", joined(choices));
      else if (o.name == "--set")
        text += fmt::format(" -x -a '{}'", joined(option_keys(), "= ") + "=");
      else if (!o.value.empty())
        text += " -r";
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::vector<CliCommand> commands = cli_commands(app);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw InputError("there are completions for bash, zsh and fish, not for \"" + shell + "\"");
}

}  // namespace glug
