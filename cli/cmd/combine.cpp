// cmd/combine.cpp - several saved sets made one: of the keys of all of them, or of the keys that are in every one.
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

using verb = void (any::structure::*)(const any::structure&);

struct options {
  std::vector<std::string> files;
  std::string output = "-";
  bool quiet = false, json = false;
  key_options keys;
};

void report(const options& wish, const any::structure& made) {
  const auto holds = made.cardinality();
  const bool known = holds && !holds->saturated;
  if (wish.json)
    write_out(json::object({{"kind", made.kind().name()},
                            {"files", wish.files.size()},
                            {"bytes", (made.size_in_bits() + 7) / 8},
                            {"cardinality", known ? json(holds->value) : json(nullptr)},
                            {"expected_fpr", made.expected_fpr()}})
                  .document());
  if (wish.quiet || !notes_are_read()) return;
  note(fmt::format("{}: {} files, {}, {}false positives {}", made.kind().name(), wish.files.size(),
                   show_bytes(made.size_in_bits() / 8),
                   known ? fmt::format("about {} keys, ", grouped(static_cast<std::uint64_t>(holds->value))) : "",
                   show_rate(made.expected_fpr())));
}

exit_code run(const options& wish, verb join) {
  require_place(wish.output, wish.json);
  const auto secret = wish.keys.secret();
  const auto made = saved_file(wish.files.front()).load(secret);
  for (std::size_t i = 1; i < wish.files.size(); ++i) {
    const auto next = saved_file(wish.files[i]).load(secret);
    said_of(wish.files[i], [&] { ((*made).*join)(*next); });
  }
  deliver(*made, wish.output);
  report(wish, *made);
  return exit_code::found;
}

template <verb Join>
action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.texts("FILTER", wish->files, "FILE", "files made by `umbel build` with one size, hash and seed");
  takes.require("FILTER");
  takes.text("-o,--output", wish->output, "FILE", "where to save the result (default: standard output)");
  add_key_file_option(takes, wish->keys);
  takes.flag("-q,--quiet", wish->quiet, "no notes on standard error");
  takes.flag("--json", wish->json, "report on standard output, for programs");
  return [wish](const invocation&) { return run(*wish, Join); };
}

}  // namespace

const command merge{.name = "merge",
                    .summary = "Make one set of the keys of several.",
                    .examples =
                        "  umbel merge mon.umbel tue.umbel wed.umbel -o week.umbel\n"
                        "  umbel merge -o all.umbel part-*.umbel    # built with the same --bits-per-key and --seed,\n"
                        "                                           # and the same number of keys planned for",
                    .define = define<&any::structure::merge>};

const command intersect{.name = "intersect",
                        .summary = "Make a set of the keys that are in every one of several.",
                        .examples =
                            "  umbel intersect mine.umbel yours.umbel -o both.umbel\n"
                            "  umbel intersect a.umbel b.umbel c.umbel | umbel query - candidates.txt",
                        .define = define<&any::structure::intersect>};

}  // namespace umbel::cli
