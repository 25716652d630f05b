// cmd/completion.cpp - the command `umbel completion`: prints a completion script for a shell.
//
// The script is made from the definitions of the parser. The type of a value decides its
// completion: a KIND is one of the kinds, a FILE a file. So a new option of a command is completed
// at once.
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/engine/probe/scheme.hpp>

#include "command.hpp"
#include "formats.hpp"
#include "streams.hpp"
#include "suggest.hpp"

namespace umbel::cli {

namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

// The possible words of a value of this type; empty: any text.
[[nodiscard]] std::vector<std::string> values_of(std::string_view type) {
  std::vector<std::string> out;
  if (type == "KIND" || type == "KINDS")
    for (const any::kind* const k : any::kinds()) out.emplace_back(k->name());
  if (type == "SCHEME") out.assign(core::scheme_names.begin(), core::scheme_names.end());
  if (type == "TYPE") out = {"string", "u64"};
  if (type == "FORMAT") out.assign(std::begin(format_names), std::end(format_names));
  if (type == "SHELL") out.assign(std::begin(shells), std::end(shells));
  return out;
}

[[nodiscard]] std::vector<std::string> names_of(const option_words& option) {
  std::vector<std::string> out;
  for (const std::string& name : {option.brief, option.full})
    if (!name.empty()) out.push_back(name);
  return out;
}

// In single quotes; a backslash is put before `special` characters.
[[nodiscard]] std::string quoted_for_shell(std::string_view text, std::string_view special = "") {
  std::string out = "'";
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

[[nodiscard]] std::string for_bash(const std::vector<command_words>& all) {
  std::vector<std::string_view> names;
  std::string options;
  std::map<std::string, std::string> values;  // completion after these options
  for (const command_words& c : all) {
    names.push_back(c.is->name);
    std::vector<std::string> mine;
    for (const option_words& o : c.options) {
      if (o.is_argument && !values_of(o.type).empty())
        for (const std::string& v : values_of(o.type)) mine.push_back(v);
      if (o.is_argument) continue;
      for (const std::string& name : names_of(o)) {
        mine.push_back(name);
        if (const auto words = values_of(o.type); !words.empty())
          values[name] = fmt::format("{}", fmt::join(words, " "));
      }
    }
    options += fmt::format("    {}) words=\"{}\" ;;\n", c.is->name, fmt::join(mine, " "));
  }
  std::string behind;
  for (const auto& [name, words] : values)
    behind += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n", name,
                          words);
  return fmt::format(R"(# bash completion for umbel; made by `umbel completion bash`
_umbel() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{0} help --help --version" -- "$cur"))
    return
  fi
  case $prev in
    help) COMPREPLY=($(compgen -W "{0}" -- "$cur")); return ;;
{1}  esac
  case ${{COMP_WORDS[1]}} in
{2}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- "$cur"))
}}
complete -o filenames -F _umbel umbel
)",
                     fmt::join(names, " "), behind, options);
}

[[nodiscard]] std::string for_zsh(const std::vector<command_words>& all) {
  std::string names, cases;
  const auto value = [](const option_words& o) {
    const auto words = values_of(o.type);
    return fmt::format(":{}:{}", o.type,
                       words.empty() ? "_files" : fmt::format("({})", fmt::join(words, " ")));
  };
  for (const command_words& c : all) {
    names +=
        fmt::format("    {}\n", quoted_for_shell(fmt::format("{}:{}", c.is->name, c.is->summary)));
    std::string specs;
    for (const option_words& o : c.options) {
      if (o.is_argument) {
        specs +=
            fmt::format(" \\\n        {}", quoted_for_shell((o.repeats ? "*" : "") + value(o)));
        continue;
      }
      std::string help;
      for (const char ch : o.help)
        help += ch == '[' || ch == ']' || ch == ':' ? std::string("\\") + ch : std::string(1, ch);
      for (const std::string& name : names_of(o))
        specs += fmt::format(
            " \\\n        {}",
            quoted_for_shell(fmt::format("{}[{}]{}", name, help, o.type.empty() ? "" : value(o))));
    }
    cases += fmt::format("    {})\n      _arguments -s{} ;;\n", c.is->name, specs);
  }
  return fmt::format(R"(#compdef umbel
# zsh completion for umbel; made by `umbel completion zsh`
_umbel() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
_umbel "$@"
)",
                     names, cases);
}

[[nodiscard]] std::string for_fish(const std::vector<command_words>& all) {
  std::string out = "# fish completion for umbel; made by `umbel completion fish`\n";
  for (const command_words& c : all) {
    out += fmt::format("complete -c umbel -n __fish_use_subcommand -f -a {} -d {}\n", c.is->name,
                       quoted_for_shell(c.is->summary));
    for (const option_words& o : c.options) {
      out += fmt::format("complete -c umbel -n '__fish_seen_subcommand_from {}'", c.is->name);
      if (!o.brief.empty()) out += " -s " + o.brief.substr(1);
      if (!o.is_argument && !o.full.empty()) out += " -l " + o.full.substr(2);
      if (!o.type.empty()) {
        const auto words = values_of(o.type);
        if (!o.is_argument) out += " -r";
        out += words.empty()
                   ? " -F"
                   : fmt::format(" -f -a {}",
                                 quoted_for_shell(fmt::format("{}", fmt::join(words, " "))));
      }
      out += fmt::format(" -d {}\n", quoted_for_shell(o.help));
    }
  }
  return out;
}

exit_code run(const std::string& shell) {
  const std::vector<command_words> all = all_words();
  if (shell == "bash")
    write_out(for_bash(all));
  else if (shell == "zsh")
    write_out(for_zsh(all));
  else if (shell == "fish")
    write_out(for_fish(all));
  else
    throw bad_parameter(
        fmt::format("SHELL: expected {}, found {}{}", fmt::join(shells, ", "), shell,
                    did_you_mean(shell, std::span<const std::string_view>(shells))));
  return exit_code::found;
}

action define(option_list& takes) {
  const auto shell = std::make_shared<std::string>();
  takes.text("SHELL", *shell, "SHELL", "bash, zsh or fish");
  takes.require("SHELL");
  return [shell](const invocation&) { return run(*shell); };
}

}  // namespace

const command completion{
    .name = "completion",
    .group = command_group::shell,
    .summary = "Print a completion script for bash, zsh or fish.",
    .details = "",
    .examples =
        "  umbel completion bash >~/.local/share/bash-completion/completions/umbel\n"
        "  umbel completion zsh >~/.zfunc/_umbel    # a directory of $fpath\n"
        "  umbel completion fish >~/.config/fish/completions/umbel.fish",
    .define = define};

}  // namespace umbel::cli
