// command.hpp - what a subcommand is: a name, an example, and a function that adds its options and returns its deed.
// Idea       A command parses, calls the library, replies. It throws what goes wrong; only main.cpp catches.
// Layout     cmd/<name>.cpp defines the command <name>; commands.cpp lists them in the order people meet them, and
//            parser.cpp finds the one that was meant.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

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
  action (*define)(option_list&);
};

extern const command build, query, get, info, kinds, bench;

[[nodiscard]] std::span<const command* const> commands() noexcept;

// Finds the command that the words name, reads its options, and does it. Throws bad_parameter for words that make no
// sense.
[[nodiscard]] exit_code run(const invocation& call);

}  // namespace umbel::cli
