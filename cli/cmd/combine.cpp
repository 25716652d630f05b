// cmd/combine.cpp - several saved sets made one: of the keys of all of them, or of the keys that
// are in every one.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "destination.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "misfit.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

struct verb {
  std::string_view name;
  void (any::structure::*does)(const any::structure&);
};
constexpr verb merging{"merge", &any::structure::merge},
    intersecting{"intersect", &any::structure::intersect};

struct options {
  std::vector<std::string> files;
  std::string output = "-";
  bool no_wait = false, quiet = false, json = false;
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
  note(fmt::format(
      "{}: {} files, {}, {}false positives {}", made.kind().name(), wish.files.size(),
      show_bytes(made.size_in_bits() / 8),
      known ? fmt::format("about {} keys, ", grouped(static_cast<std::uint64_t>(holds->value)))
            : "",
      show_rate(made.expected_fpr())));
}

exit_code run(const options& wish, const verb& join) {
  destination result(wish.output, {.report_is_output = wish.json});
  result.refuse_input(wish.keys.secret_file);
  result.lock(wish.no_wait);  // it may be one of the files
  const auto secret = wish.keys.secret();
  const auto made = saved_file(wish.files.front()).load(secret);
  for (std::size_t i = 1; i < wish.files.size(); ++i) {
    const auto next = saved_file(wish.files[i]).load(secret);
    fitting(join.name, {wish.files.front(), *made}, {wish.files[i], *next},
            [&] { ((*made).*join.does)(*next); });
  }
  result.deliver(*made);
  report(wish, *made);
  return exit_code::found;
}

template <const verb& Join>
action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.texts("FILTER", wish->files, "FILE",
              "files made by `umbel build` with the same --kind, --keys, --fpr and --seed");
  takes.require("FILTER");
  takes.text("-o,--output", wish->output, "FILE",
             "where to save the result (default: standard output)");
  add_no_wait_option(takes, wish->no_wait);
  add_key_file_option(takes, wish->keys);
  takes.flag("-q,--quiet", wish->quiet, "no notes on standard error");
  takes.flag("--json", wish->json, "print a report on standard output, for programs");
  return [wish](const invocation&) { return run(*wish, Join); };
}

}  // namespace

const command merge{
    .name = "merge",
    .group = command_group::change,
    .summary = "Merge several sets into one that holds the keys of all.",
    .details =
        "All must be of one kind that merges, and of one size, hash and seed. `umbel plan --keys N "
        "--merge` lists kinds that merge.",
    .examples =
        "  umbel build --kind bloom-filter --keys 1M --fpr 1% mon.txt -o mon.umbel\n"
        "  umbel build --kind bloom-filter --keys 1M --fpr 1% tue.txt -o tue.umbel\n"
        "  umbel merge mon.umbel tue.umbel -o week.umbel",
    .define = define<merging>};

const command intersect{
    .name = "intersect",
    .group = command_group::change,
    .summary = "Make a set of the keys that are in all of several sets.",
    .details = "All must be of one kind, size, hash and seed, as for `umbel merge`.",
    .examples =
        "  umbel intersect mine.umbel yours.umbel -o both.umbel\n"
        "  umbel intersect a.umbel b.umbel c.umbel | umbel query - candidates.txt",
    .define = define<intersecting>};

}  // namespace umbel::cli
