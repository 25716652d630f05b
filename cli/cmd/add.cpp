// cmd/add.cpp - more keys into a saved set of a kind that grows. The file is replaced when all keys are in, or not at all.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::string filter, output;
  std::vector<std::string> inputs;
  bool quiet = false, json = false;
  key_options keys;
};

exit_code run(const options& wish) {
  if (wish.filter == "-") throw bad_parameter("FILTER: a set on standard input cannot be replaced; name a file");
  const std::string& output = wish.output.empty() ? wish.filter : wish.output;
  require_place(output, wish.json);
  const saved_file file(wish.filter);
  if (const any::kind* const kind = any::find_kind(file.front().kind); kind != nullptr && kind->what().is_static)
    throw incompatible(
        fmt::format("{}: a {} is made at once of all its keys; build it again, or build a kind that grows", wish.filter,
                    kind->name()));
  const auto set = file.load(wish.keys.secret());
  const double before = set->expected_fpr();
  digester digests(set->hash(), wish.keys.type);
  key_input input = wish.keys.input(wish.inputs);
  std::uint64_t lines = 0;
  for (key_batch batch; input.next(batch); lines += batch.keys.size()) set->insert(digests(batch));
  deliver(*set, output);
  if (wish.json)
    write_out(json::object({{"kind", set->kind().name()},
                            {"lines", lines},
                            {"fpr_before", before},
                            {"expected_fpr", set->expected_fpr()}})
                  .document());
  if (!wish.quiet && notes_are_read())
    note(fmt::format("{}: {} keys added, false positives {} (before: {})", set->kind().name(), grouped(lines),
                     show_rate(set->expected_fpr()), show_rate(before)));
  return exit_code::found;
}

action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.text("FILTER", wish->filter, "FILE", "file made by `umbel build`, of a kind that grows");
  takes.require("FILTER");
  takes.texts("INPUT", wish->inputs, "FILE", "files of keys, one per line (default: standard input)");
  takes.text("-o,--output", wish->output, "FILE", "where to save the result (default: FILTER itself)");
  add_key_options(takes, wish->keys);
  takes.flag("-q,--quiet", wish->quiet, "no notes on standard error");
  takes.flag("--json", wish->json, "report on standard output, for programs");
  return [wish](const invocation&) { return run(*wish); };
}

}  // namespace

const command add{.name = "add",
                  .summary = "Put more keys into FILTER.",
                  .examples =
                      "  umbel add seen.umbel today.txt           # seen.umbel is replaced when all are in\n"
                      "  umbel add seen.umbel today.txt -o seen-too.umbel",
                  .define = define};

}  // namespace umbel::cli
