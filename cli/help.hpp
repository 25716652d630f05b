// help.hpp - help that opens with an example: most people need no more than that.
#pragma once

#include <string>

#include <CLI/Formatter.hpp>

namespace umbel::cli {

// Examples come from the app's footer, which CLI11 would print last.
class help_formatter final : public CLI::Formatter {
 public:
  help_formatter();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace umbel::cli
