// cmd/combine.cpp - the commands `umbel merge` and `umbel intersect`: combine several saved sets.
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

struct arguments {
  std::vector<std::string> files;
  std::string output = "-";
  bool no_wait = false, quiet = false, json = false;
  key_options keys;
};

void report(const arguments& options, const any::structure& made) {
  const auto holds = made.cardinality();
  const bool known = holds && !holds->saturated;
  if (options.json)
    write_out(json::object({{"kind", made.kind().name()},
                            {"files", options.files.size()},
                            {"bytes", (made.size_in_bits() + 7) / 8},
                            {"cardinality", known ? json(holds->value) : json(nullptr)},
                            {"expected_fpr", made.expected_fpr()}})
                  .document());
  if (options.quiet || !notes_are_read()) return;
  note(fmt::format(
      "{}: {} files, {}, {}false positives {}", made.kind().name(), options.files.size(),
      show_bytes(made.size_in_bits() / 8),
      known ? fmt::format("about {} keys, ", grouped(static_cast<std::uint64_t>(holds->value)))
            : "",
      show_rate(made.expected_fpr())));
}

exit_code run(const arguments& options, const verb& join) {
  destination result(options.output, {.report_is_output = options.json});
  result.refuse_input(options.keys.secret_file);
  result.lock(options.no_wait);  // it may be one of the files
  const auto secret = options.keys.secret();
  const auto made = saved_file(options.files.front()).load(secret);
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    const auto next = saved_file(options.files[i]).load(secret);
    fitting(join.name, {options.files.front(), *made}, {options.files[i], *next},
            [&] { ((*made).*join.does)(*next); });
  }
  result.deliver(*made);
  report(options, *made);
  return exit_code::found;
}

template <const verb& Join>
action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("FILTER", options->files, "FILE",
              "files made by `umbel build` with the same --kind, --keys, --fpr and --seed");
  takes.require("FILTER");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the result (default: standard output)");
  add_no_wait_option(takes, options->no_wait);
  add_key_file_option(takes, options->keys);
  takes.flag("-q,--quiet", options->quiet, "no notes on standard error");
  takes.flag("--json", options->json, "print a report on standard output, for programs");
  return [options](const invocation&) { return run(*options, Join); };
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
