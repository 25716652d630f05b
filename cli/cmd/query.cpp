// cmd/query.cpp - the command `umbel query`: prints the input lines that may be in a saved set.
#include <algorithm>
#include <memory>
#include <string>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "saved.hpp"
#include "select.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string filter;
  std::string input = "-";
  select_options select;
};

class answers {
 public:
  explicit answers(const any::structure& set) noexcept : set_(set) {}
  answers(const answers& other) noexcept : set_(other.set_) {}
  void ask(std::span<const digest> keys) {
    if (keys.size() > room_) {
      room_ = std::max(keys.size(), 2 * room_);
      found_ = std::make_unique<bool[]>(room_);
    }
    set_.may_contain(keys, {found_.get(), room_});
  }
  [[nodiscard]] bool found(std::size_t i) const noexcept { return found_[i]; }
  static void print(line_output& out, const key_batch& batch, std::size_t i) {
    out.line(batch.lines[i]);
  }

 private:
  const any::structure& set_;
  std::unique_ptr<bool[]> found_;
  std::size_t room_ = 0;
};

exit_code run(const arguments& options) {
  if (options.filter == "-" && options.input == "-")
    throw bad_parameter(
        "filter and lines cannot both come from standard input: name a file for one of them");
  const saved_file file(options.filter);
  const any::kind* const kind = any::find_kind(file.front().kind);
  if (kind != nullptr && kind->traits().answers == output::index)
    throw incompatible(fmt::format(
        "{}: cannot query: a {} accepts every key. `umbel get` prints the index of each",
        options.filter, kind->name()));
  const auto secret = options.select.keys.secret();
  const auto set = options.select.mapped ? file.open(secret) : file.load(secret);

  const key_recipe recipe = options.select.keys.following(set->recipe(), options.filter);
  key_input input({options.input}, options.select.keys.lines(recipe));
  return copy_selected(
      options.select, set->hash(), recipe, input.bytes_in_all(),
      [&](key_batch& batch) { return input.next(batch); }, [&] { input.interrupt(); },
      answers{*set});
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("FILTER", options->filter, "FILE", "file made by `umbel build`; - is standard input");
  takes.require("FILTER");
  takes.text("INPUT", options->input, "FILE", "lines to ask about (default: standard input)");
  add_select_options(takes, options->select, "print the lines that are not in the set");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command query{
    .name = "query",
    .group = command_group::build,
    .summary = "Print the lines that may be in a set.",
    .details = "The exit code is 0 if a line was printed, 1 if none was.",
    .examples =
        "  umbel query seen.umbel new.txt           # lines that may have been seen\n"
        "  umbel query -v seen.umbel < new.txt      # lines that were not seen\n"
        "  umbel query -qv seen.umbel new.txt && echo something is new",
    .define = define};

}  // namespace umbel::cli
