// parser.cpp - parses the command line and prints help: the only file that includes CLI11.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <umbel/base/error.hpp>

#include "command.hpp"
#include "groups.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "streams.hpp"
#include "suggest.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

// CLI11 parses the word [a,b] as a list of two, but it is one file name or key. A mark appended to
// every word that starts with [ prevents that; it is removed when the value is stored.
constexpr char mark = '\x1f';
[[nodiscard]] bool looks_like_a_list(std::string_view word) { return word.starts_with('['); }
[[nodiscard]] std::string unmarked(std::string word) {
  if (looks_like_a_list(word) && word.back() == mark) word.pop_back();
  return word;
}

// The long name, which messages use.
[[nodiscard]] std::string long_name(std::string_view names) {
  return std::string(names.substr(names.rfind(',') + 1));
}

// Transforms a word before it is stored. An empty file name is an error: it usually comes from a
// shell variable that is not set.
[[nodiscard]] auto taken(const char* names, std::string_view type) {
  return [name = long_name(names), file = type == "FILE"](std::string word) {
    if (file && word.empty())
      throw bad_parameter(fmt::format("{}: expected the name of a file, found an empty one", name));
    return unmarked(std::move(word));
  };
}

}  // namespace

void option_list::flag(const char* names, bool& into, const char* help) {
  app_.add_flag(names, into, help);
}

void option_list::text(const char* names, std::string& into, const char* type, const char* help) {
  app_.add_option(names, into, help)->transform(taken(names, type))->type_name(type);
}

void option_list::texts(const char* names, std::vector<std::string>& into, const char* type,
                        const char* help, char between) {
  app_.add_option(names, into, help)
      ->transform(taken(names, type))
      ->delimiter(between)
      ->type_name(type);
}

void option_list::passed(const char* name, std::function<void(const std::string&)> take,
                         const char* type, const std::string& help) {
  app_.add_option_function<std::string>(name, take, help)->transform(unmarked)->type_name(type);
}

void option_list::require(const char* name) { app_.get_option(name)->required(); }

void option_list::exclude(const char* name, const char* other) {
  app_.get_option(name)->excludes(app_.get_option(other));
}

namespace {

constexpr std::size_t help_indent = 26;  // where descriptions start

// The names of an option as they are typed, and the name of its value.
[[nodiscard]] std::string spelled(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string out;
  for (const std::string& name : option.get_snames()) out += (out.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) out += (out.empty() ? "--" : ", --") + name;
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  return type.empty() ? out : out + " " + type;
}

// `umbel --help`: usage, grouped commands, kinds to consider first, options, and four examples.
[[nodiscard]] std::string overview() {
  std::string out =
      "Usage: umbel COMMAND [OPTIONS] [ARGUMENTS]\n\n"
      "umbel turns a list of keys into a small file that answers whether a key is in\n"
      "the list. A \"no\" is always right; a \"yes\" is wrong at a rate you choose.\n";
  for (std::size_t group = 0; group < std::size(group_names); ++group) {
    out += fmt::format("\n{}:\n", group_names[group]);
    for (const command* const c : commands())
      if (static_cast<std::size_t>(c->group) == group)
        out += wrapped(fmt::format("  {}", c->name), c->summary, 14);
  }
  out += "\nKinds of sets and maps to consider first (`umbel kinds` lists all):\n";
  for (const group_text& group : kind_groups)
    out += wrapped(fmt::format("  {}", group.name), group.first, 19);
  return out +
         "\nOptions:\n"
         "  -h, --help    show this; `umbel COMMAND --help` explains a command\n"
         "  --version     show the version\n"
         "\nExamples:\n"
         "  umbel build words.txt -o words.umbel     # make a set of its lines\n"
         "  umbel query words.umbel new.txt          # print the lines that may be in it\n"
         "  umbel build --map ages.tsv -o ages.umbel # make a map: key, a tab, value\n"
         "  umbel plan --keys 10M --fpr 1%           # how much memory will a set take?\n";
}

// `umbel COMMAND --help`. Examples come before the options: most people need no more than those.
class help_formatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    if (app->get_parent() == nullptr) return overview();
    std::string usage, arguments, options;
    for (const CLI::Option* const o : app->get_options()) {
      const std::string line = wrapped("  " + spelled(*o), o->get_description(), help_indent);
      (o->get_positional() ? arguments : options) += line;
      if (o->get_positional()) usage += " " + make_option_usage(o);
    }
    return fmt::format("Usage: umbel {} [OPTIONS]{}\n\n{}\nExamples:\n{}\n{}{}\nOptions:\n{}",
                       app->get_name(), usage, wrapped("", app->get_description(), 0),
                       app->get_footer(), arguments.empty() ? "" : "\nArguments:\n", arguments,
                       options);
  }
};

void require_command(std::string_view name) {
  std::vector<std::string_view> known;
  for (const command* const c : commands()) known.push_back(c->name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw bad_parameter(fmt::format("no command is called {}{}\nTry `umbel --help`.", name,
                                  did_you_mean(name, known)));
}

// The message for a word that CLI11 could not place, with the nearest option.
[[nodiscard]] std::string unplaced(const CLI::App& app) {
  const auto left = app.remaining();
  const std::string word = left.empty() ? "" : unmarked(left.front());
  if (word.size() < 2 || word.front() != '-') return fmt::format("one argument too many: {}", word);
  const std::string option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const o : app.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  return fmt::format(
      "no option is called {}{}", option,
      did_you_mean(option, std::vector<std::string_view>(names.begin(), names.end())));
}

[[nodiscard]] std::string full_text(const command& c) {
  return fmt::format("{}{}{}", c.summary, c.details.empty() ? "" : " ", c.details);
}

// Defines the options of all commands. Returns the action of each.
[[nodiscard]] std::vector<action> define_all(CLI::App& app) {
  app.formatter(std::make_shared<help_formatter>());
  app.set_help_flag("-h,--help", "show this");
  app.set_version_flag("--version", fmt::format("umbel {}", version()));
  app.get_option("--version")->description("show the version");
  app.require_subcommand(0, 1);
  std::vector<action> actions;
  for (const command* const c : commands()) {
    CLI::App* const sub = app.add_subcommand(std::string(c->name), full_text(*c));
    sub->footer(std::string(c->examples));
    option_list takes(*sub);
    actions.push_back(c->define(takes));
  }
  return actions;
}

[[nodiscard]] option_words words_of(const CLI::Option& option) {
  option_words out;
  if (option.get_positional()) {
    out.full = option.get_name(true, false);
    out.is_argument = true;
  } else {
    if (!option.get_snames().empty()) out.brief = "-" + option.get_snames().front();
    if (!option.get_lnames().empty()) out.full = "--" + option.get_lnames().front();
  }
  if (option.get_type_size() != 0) out.type = option.get_type_name();
  out.repeats = option.get_items_expected_max() > 1;
  out.help = option.get_description();
  std::replace(out.help.begin(), out.help.end(), '\n', ' ');
  return out;
}

}  // namespace

std::vector<command_words> all_words() {
  CLI::App app;
  (void)define_all(app);
  std::vector<command_words> out;
  for (const command* const c : commands()) {
    command_words words{c, {}};
    for (const CLI::Option* const option : app.get_subcommand(std::string(c->name))->get_options())
      words.options.push_back(words_of(*option));
    out.push_back(std::move(words));
  }
  return out;
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
  for (std::string& word : words)
    if (looks_like_a_list(word)) word += mark;
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
    throw bad_parameter(fmt::format("{}\nTry `umbel {}{}--help`.",
                                    left_over ? unplaced(at) : e.what(), at.get_name(),
                                    chosen.empty() ? "" : " "));
  }
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (app.got_subcommand(std::string(commands()[i]->name))) return actions[i](call);
  throw bad_parameter("name a command\nTry `umbel --help`.");
}

}  // namespace umbel::cli
