// command.hpp - what a subcommand is: a name, an example, and a function that adds its options and returns its deed.
// Idea       A command parses, calls the library, replies. It throws what goes wrong; only main.cpp catches.
// Layout     cmd/<name>.cpp defines the command <name>; commands.cpp lists them in the order people meet them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace umbel::cli {

// As grep: a script can tell "nothing found" from "something went wrong".
enum class exit_code : int { found = 0, none = 1, trouble = 2 };

struct invocation {
  std::vector<std::string> words;  // the command line, for results that say how they were made
};

using action = std::function<exit_code(const invocation&)>;

struct command {
  std::string_view name;
  std::string_view summary;   // one line
  std::string_view examples;  // what --help opens with; the first line also stands in the tool's own --help
  action (*define)(CLI::App&);
};

extern const command build, query, info, kinds, bench;

[[nodiscard]] std::span<const command* const> commands() noexcept;

// An option whose text goes through parse(name, text): what is said of a bad number is ours, and names the option.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, T& into, Parse parse, const std::string& type,
                        const std::string& help) {
  const auto take = [&into, parse, name](const std::string& text) { into = parse(name, text); };
  return app.add_option_function<std::string>(name, take, help)->type_name(type);
}

}  // namespace umbel::cli
