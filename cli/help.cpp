// help.cpp - bodies of help.hpp.
#include "help.hpp"

#include <fmt/format.h>

#include "command.hpp"

namespace umbel::cli {

help_formatter::help_formatter() {
  column_width(24);
  label("Positionals", "Arguments");
}

std::string help_formatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::string full = app->get_parent() == nullptr ? "umbel" : "umbel " + app->get_name();
  (void)name;  // CLI11 passes the path the program was started by
  return fmt::format("Examples:\n{}\n\n{}{}{}{}{}", app->get_footer(), make_description(app), make_usage(app, full),
                     make_positionals(app), make_groups(app, mode), make_subcommands(app, mode));
}

// Only the name of the value: what excludes what is said by the error, and by the descriptions.
std::string help_formatter::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 || option->get_positional() ? "" : " " + option->get_type_name();
}

std::string help_formatter::make_usage(const CLI::App* app, std::string name) const {
  std::string words;
  for (const CLI::Option* const o : app->get_options([](const CLI::Option* each) { return each->get_positional(); }))
    words += " " + make_option_usage(o);
  if (!app->get_subcommands({}).empty()) words += " COMMAND";
  return fmt::format("\nUsage: {} [OPTIONS]{}\n", name, words);
}

}  // namespace umbel::cli
