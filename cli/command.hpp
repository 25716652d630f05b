// command.hpp - what a subcommand is: a name, an example, and a function that adds its options and
// returns its deed.
// Idea       A command parses, calls the library, replies. It throws what goes wrong; only main.cpp
//            catches.
// Layout     cmd/<name>.cpp defines the command <name>; commands.cpp lists them in the order people
//            meet them, and parser.cpp finds the one that was meant.
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

// The headings under which `umbel --help` lists commands, in this order.
enum class command_group { build, change, inspect, choose, shell };
inline constexpr std::string_view group_names[] = {
    "Build and query", "Change and combine", "Inspect", "Choose and measure", "Shell and manual"};

struct command {
  std::string_view name;
  command_group group;
  std::string_view summary;   // one line
  std::string_view details;   // what the summary leaves out, such as exit codes; may be empty
  std::string_view examples;  // lines
  action (*define)(option_list&);
};

extern const command build, query, get, info, verify, add, erase, merge, intersect, estimate,
    convert, compress_file, decompress_file, kinds, plan, bench, completion, man;

[[nodiscard]] std::span<const command* const> commands() noexcept;

// What the parser knows, for programs that help to type it and for the manual.
struct option_words {
  // -o and --output, or one of them; of an argument its place, such as INPUT
  std::string brief, full;
  std::string type;  // what the value is called; empty: takes none
  std::string help;
  bool is_argument = false, repeats = false;
};
struct command_words {
  const command* is = nullptr;
  std::vector<option_words> options;
};
[[nodiscard]] std::vector<command_words> all_words();

// Finds the command that the words name, reads its options, and does it. Throws bad_parameter for
// words that make no sense.
[[nodiscard]] exit_code run(const invocation& call);

}  // namespace umbel::cli
