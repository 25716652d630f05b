// command.hpp - a subcommand: name, summary, examples, and a function that defines its options and
// returns the action to run.
//
// A command parses, calls the library and prints. It throws errors; only main.cpp catches them.
//
// Layout     cmd/<name>.cpp defines the command <name>. commands.cpp lists all commands in the
//            order of the help. parser.cpp finds the command that was named.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace umbel::cli {

// The exit codes of grep: a script can distinguish "nothing found" from an error.
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
  std::string_view details;   // more sentences, such as exit codes; may be empty
  std::string_view examples;  // lines
  action (*define)(option_list&);
};

extern const command build, query, get, info, verify, add, erase, merge, intersect, estimate,
    convert, compress_file, decompress_file, kinds, plan, bench, completion, man;

[[nodiscard]] std::span<const command* const> commands() noexcept;

// The definitions of the parser, for shell completion and the manual.
struct option_words {
  // -o and --output, or one of them; for an argument its name, such as INPUT
  std::string brief, full;
  std::string type;  // name of the value; empty: the option takes none
  std::string help;
  bool is_argument = false, repeats = false;
};
struct command_words {
  const command* is = nullptr;
  std::vector<option_words> options;
};
[[nodiscard]] std::vector<command_words> all_words();

// Finds the command, reads its options and runs it. Throws bad_parameter if the command line is not
// valid.
[[nodiscard]] exit_code run(const invocation& call);

}  // namespace umbel::cli
