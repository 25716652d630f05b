// cmd/get.cpp - the command `umbel get`: prints keys with their values in a saved map.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "saved.hpp"
#include "select.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string map;
  std::vector<std::string> keys;
  std::string input = "-";
  select_options select;
};

class answers {
 public:
  answers(const any::structure& map, char between) noexcept
      : map_(map), names_(map.names()), between_(between) {}
  void ask(std::span<const digest> keys) {
    if (values_.size() < keys.size()) values_.resize(keys.size());
    map_.find(keys, values_);
  }
  [[nodiscard]] bool found(std::size_t i) const noexcept { return values_[i].has_value(); }
  void print(line_output& out, const key_batch& batch, std::size_t i) const {
    const std::string_view key = batch.text(i);
    if (!values_[i])
      out.line(key);
    else if (names_ != nullptr)
      out.line(key, between_, (*names_)[*values_[i]]);
    else
      out.line(key, between_, fmt::format_int(*values_[i]).c_str());
  }

 private:
  const any::structure& map_;
  const cells::texts* names_;
  char between_;
  std::vector<std::optional<std::uint64_t>> values_;
};

exit_code run(const arguments& options) {
  if (options.map == "-" && options.keys.empty() && options.input == "-")
    throw bad_parameter(
        "map and keys cannot both come from standard input: name the keys, or a file for one of "
        "them");
  const saved_file file(options.map);
  const any::kind* const kind = any::find_kind(file.front().kind);
  if (kind != nullptr && kind->traits().answers != output::value &&
      kind->traits().answers != output::index)
    throw incompatible(
        fmt::format("{}: cannot get: it holds {}, which has no values. Ask it with `umbel query`",
                    options.map, with_article(kind->name())));
  const auto secret = options.select.keys.secret();
  const auto map = options.select.mapped ? file.open(secret) : file.load(secret);

  const key_recipe recipe = options.select.keys.following(map->recipe(), options.map);
  const line_options lines = options.select.keys.lines(recipe);
  key_input input({options.input}, lines);
  bool fresh = true;
  const auto next = [&](key_batch& batch) {
    if (options.keys.empty()) return input.next(batch);
    batch.lines.assign(options.keys.begin(), options.keys.end());
    batch.file = "argument";
    batch.first_line = 1;
    batch.fields = {};
    if (lines.fields.used())
      batch.fields = places_of_fields(lines.fields, batch.lines[0],
                                      delimiter_of(lines.fields, batch.lines[0]), batch.file);
    return std::exchange(fresh, false);
  };
  return copy_selected(
      options.select, map->hash(), recipe, options.keys.empty() ? input.bytes_in_all() : 0, next,
      [&] { input.interrupt(); }, answers(*map, options.select.keys.fields.between()));
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("MAP", options->map, "FILE",
             "file made by `umbel build --map`, or a perfect-hash; - is standard input");
  takes.require("MAP");
  takes.texts("KEY", options->keys, "KEY",
              "keys to look up (default: the lines of standard input)");
  takes.text("-f,--file", options->input, "FILE", "take the keys from the lines of FILE");
  takes.exclude("--file", "KEY");
  add_select_options(takes, options->select, "print the keys that are not in the map");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command get{.name = "get",
                  .group = command_group::build,
                  .summary = "Print keys with their values in a map.",
                  .details = "The exit code is 0 if a key was found, 1 if none was.",
                  .examples =
                      "  umbel get sections.umbel bash gcc        # key, a tab, value\n"
                      "  cut -f1 new.tsv | umbel get sections.umbel\n"
                      "  umbel get -v sections.umbel < names      # keys that are not in it",
                  .define = define};

}  // namespace umbel::cli
