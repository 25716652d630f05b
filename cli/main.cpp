// main.cpp - the command `umbel`: finds the subcommand, runs it, and is the one place where errors become words.
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "command.hpp"
#include "help.hpp"
#include "machine.hpp"
#include "streams.hpp"
#include "suggest.hpp"

namespace umbel::cli {

namespace {

void require_command(std::string_view name) {
  std::vector<std::string_view> known;
  for (const command* const c : commands()) known.push_back(c->name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw bad_parameter(fmt::format("no command is called {}{}\nTry `umbel --help`.", name, did_you_mean(name, known)));
}

// What the parser could not place, with the option that was probably meant.
[[nodiscard]] std::string unplaced(const CLI::App& app) {
  const auto left = app.remaining();
  const std::string word = left.empty() ? "" : left.front();
  if (word.size() < 2 || word.front() != '-') return fmt::format("one argument too many: {}", word);
  const std::string option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const o : app.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  return fmt::format("no option is called {}{}", option,
                     did_you_mean(option, std::vector<std::string_view>(names.begin(), names.end())));
}

// Every command's options, and what to do when it was the one.
[[nodiscard]] std::vector<action> define_all(CLI::App& app) {
  app.description("umbel - approximate sets: small files that know what is certainly not in a list.");
  app.formatter(std::make_shared<help_formatter>());
  app.set_help_flag("-h,--help", "show this");
  app.set_version_flag("--version", fmt::format("umbel {}", version()));
  app.get_option("--version")->description("show the version");
  app.require_subcommand(0, 1);
  std::vector<action> actions;
  std::string examples;
  for (const command* const c : commands()) {
    CLI::App* const sub = app.add_subcommand(std::string(c->name), std::string(c->summary));
    sub->group("Commands")->footer(std::string(c->examples));
    actions.push_back(c->define(*sub));
    examples += fmt::format("{}{}", examples.empty() ? "" : "\n", c->examples.substr(0, c->examples.find('\n')));
  }
  app.footer(examples);
  return actions;
}

exit_code run(const invocation& call) {
  CLI::App app;
  const std::vector<action> actions = define_all(app);
  std::vector<std::string> words = call.words;
  if (!words.empty()) words.erase(words.begin());  // the program itself
  if (words.empty()) words = {"--help"};
  if (words[0] == "help") {  // `umbel help build` is `umbel build --help`
    words[0] = "--help";
    if (words.size() > 1) std::swap(words[0], words[1]);
  }
  if (!words[0].starts_with('-')) require_command(words[0]);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      write_out(e.get_name() == "CallForVersion" ? fmt::format("{}\n", e.what()) : app.help());
      return call.words.size() > 1 ? exit_code::found : exit_code::trouble;
    }
    const auto chosen = app.get_subcommands();
    const CLI::App& at = chosen.empty() ? app : *chosen.front();
    const bool left_over = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
    throw bad_parameter(fmt::format("{}\nTry `umbel {}{}--help`.", left_over ? unplaced(at) : e.what(), at.get_name(),
                                    chosen.empty() ? "" : " "));
  }
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (app.got_subcommand(std::string(commands()[i]->name))) return actions[i](call);
  throw bad_parameter("name a command\nTry `umbel --help`.");
}

}  // namespace

}  // namespace umbel::cli

int main(int argc, char** argv) {
  using namespace umbel::cli;
  try {
    return static_cast<int>(run({.words = {argv, argv + argc}}));
  } catch (const std::bad_alloc&) {
    note("out of memory: ask for fewer keys, a larger rate or fewer threads, or set --memory");
  } catch (const std::length_error&) {  // a container asked for more than any memory could hold
    note("out of memory: the numbers given are too large for any machine");
  } catch (const umbel::error& e) {
    note(e.what());
  } catch (const std::exception& e) {
    note(fmt::format("unexpected: {}", e.what()));
  }
  return static_cast<int>(exit_code::trouble);
}
