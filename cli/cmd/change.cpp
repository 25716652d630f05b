// cmd/change.cpp - the commands `umbel add` and `umbel erase`: add keys to a saved set or erase
// keys.
//
// The file is replaced after all keys were read, or not at all.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "destination.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string filter, output;
  std::vector<std::string> inputs;
  bool no_wait = false, quiet = false, json = false;
  key_options keys;
};

enum class deed { add, erase };

void require_able(const arguments& options, const any::kind* kind, deed what) {
  if (kind == nullptr) return;  // the loader throws
  if (what == deed::add && kind->traits().is_static)
    throw incompatible(
        fmt::format("{}: cannot add keys: {} is static. Build it again from all keys, or build a "
                    "kind that grows: `umbel plan "
                    "--keys N --grow` lists them",
                    options.filter, with_article(kind->name())));
  if (what == deed::erase && !kind->traits().erases)
    throw incompatible(
        fmt::format("{}: cannot erase keys: {} does not erase. `umbel plan --keys N --erase` lists "
                    "kinds that do",
                    options.filter, with_article(kind->name())));
}

// The error for a set that is full after `taken` keys. The rest of the input is read to count its
// keys.
[[nodiscard]] std::string no_room(const arguments& options, const any::structure& set,
                                  std::uint64_t taken, std::uint64_t lines, key_input& input) {
  for (key_batch rest; input.next(rest); lines += rest.lines.size()) {
  }
  const auto held = set.keys();  // including those just inserted
  return fmt::format(
      "{}: {} is full after {} of {} keys; nothing was saved. Build it with {}", options.filter,
      set.kind().name(), grouped(taken), grouped(lines),
      held ? fmt::format("--keys {} or more", *held - taken + lines) : "a larger --keys");
}

exit_code run(const arguments& options, deed what) {
  if (options.filter == "-")
    throw bad_parameter("FILTER: a set on standard input cannot be replaced; name a file");
  if (options.output.empty() && is_stream(options.filter))
    throw bad_parameter(fmt::format("{}: a pipe cannot be replaced; add -o FILE", options.filter));
  const std::string& output = options.output.empty() ? options.filter : options.output;
  destination result(output, {.report_is_output = options.json});
  result.refuse_inputs(options.inputs);
  result.refuse_input(options.keys.secret_file);
  result.lock(options.no_wait);
  const saved_file file(options.filter);
  require_able(options, any::find_kind(file.front().kind), what);
  const auto set = file.load(options.keys.secret());
  const double before = set->expected_fpr();
  const key_recipe recipe = options.keys.following(set->recipe(), options.filter);
  digester digests(set->hash(), recipe, options.keys.trim);
  key_input input(options.inputs, options.keys.lines(recipe));
  std::uint64_t lines = 0, erased = 0;
  for (key_batch batch; input.next(batch); lines += batch.lines.size()) {
    if (what == deed::erase) {
      erased += set->erase(digests(batch));
      continue;
    }
    try {
      set->insert(digests(batch));
    } catch (const full& e) {
      throw full(no_room(options, *set, lines + e.taken, lines + batch.lines.size(), input));
    }
  }
  result.deliver(*set);
  const double after = set->expected_fpr();
  const auto name = set->kind().name();
  if (options.json && what == deed::add)
    write_out(
        json::object(
            {{"kind", name}, {"lines", lines}, {"fpr_before", before}, {"expected_fpr", after}})
            .document());
  if (options.json && what == deed::erase)
    write_out(json::object({{"kind", name},
                            {"lines", lines},
                            {"erased", erased},
                            {"fpr_before", before},
                            {"expected_fpr", after}})
                  .document());
  if (!options.quiet && notes_are_read()) {
    const std::string done =
        what == deed::add ? grouped(lines) + " keys added"
                          : fmt::format("{} of {} keys erased", grouped(erased), grouped(lines));
    note(fmt::format("{}: {}, false positives {} (before: {})", name, done, show_rate(after),
                     show_rate(before)));
  }
  return what == deed::add || erased > 0 ? exit_code::found : exit_code::none;
}

template <deed What>
action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("FILTER", options->filter, "FILE",
             What == deed::add ? "file made by `umbel build`, of a kind that is not static"
                               : "file made by `umbel build`, of a kind that erases");
  takes.require("FILTER");
  takes.texts("INPUT", options->inputs, "FILE",
              "files of keys, one per line (default: standard input)");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the result (default: FILTER itself)");
  add_no_wait_option(takes, options->no_wait);
  add_key_options(takes, options->keys);
  takes.flag("-q,--quiet", options->quiet, "no notes on standard error");
  takes.flag("--json", options->json, "print a report on standard output, for programs");
  return [options](const invocation&) { return run(*options, What); };
}

}  // namespace

const command add{
    .name = "add",
    .group = command_group::change,
    .summary = "Add keys to a set.",
    .details = "FILTER is replaced when all keys were read; until then it stays as it was.",
    .examples =
        "  umbel add seen.umbel today.txt           # changes seen.umbel\n"
        "  umbel add seen.umbel today.txt -o new.umbel",
    .define = define<deed::add>};

const command erase{.name = "erase",
                    .group = command_group::change,
                    .summary = "Erase keys from a set.",
                    .details =
                        "Erase only keys that were added; erasing another key can remove one that "
                        "was. FILTER is replaced when all "
                        "keys were read. The exit code is 0 if any key was erased, 1 if none was.",
                    .examples = "  umbel erase open.umbel closed.txt        # changes open.umbel",
                    .define = define<deed::erase>};

}  // namespace umbel::cli
