// cmd/bench.cpp - the command `umbel bench`: measures size, error and time of kinds on this
// machine.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/any/measure.hpp>
#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>

#include "budget.hpp"
#include "command.hpp"
#include "destination.hpp"
#include "json.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "plot.hpp"
#include "streams.hpp"
#include "suggest.hpp"
#include "table.hpp"

namespace umbel::cli {

namespace {

constexpr std::uint64_t longest_text = 4096;

struct arguments {
  std::vector<std::string> kinds;
  std::uint64_t keys = 1'000'000;
  budget_options budget;
  unsigned threads = 1;
  std::uint64_t key_length = 0;
  bool json = false;
  std::string plot;
};

// The harness takes --fpr and has defaults. Bits per key of a static kind become a rate first.
[[nodiscard]] umbel::bench::workload workload_for(const any::kind& kind, const arguments& options) {
  umbel::bench::workload work{.keys = options.keys,
                              .fpr = options.budget.fpr,
                              .threads = options.threads,
                              .key_length = static_cast<unsigned>(options.key_length)};
  if (options.budget.bits_per_key && kind.traits().is_static)
    work.fpr = rate_within(kind, options.keys, *options.budget.bits_per_key);
  else
    work.bits_per_key = options.budget.bits_per_key;
  return work;
}

[[nodiscard]] json as_json(const umbel::bench::row& r) {
  return json::object({{"kind", r.kind},
                       {"keys", r.keys},
                       {"bits_per_key", r.bits_per_key},
                       {"fpr", r.fpr},
                       // null if no non-member passed
                       {"overhead", r.overhead > 0 ? json(r.overhead) : json(nullptr)},
                       {"build_ns", r.build_ns},
                       {"build_cold_ns", r.build_cold_ns},
                       {"hit_ns", r.hit_ns},
                       {"miss_ns", r.miss_ns},
                       {"batch_hit_ns", r.batch_hit_ns},
                       {"batch_miss_ns", r.batch_miss_ns},
                       {"batch_insert_ns", r.batch_insert_ns},
                       {"line_read_ns", r.line_read_ns}});
}

[[nodiscard]] std::string as_json(const std::vector<umbel::bench::row>& rows,
                                  const invocation& call) {
  std::string words;
  for (const std::string& word : call.words) words += (words.empty() ? "" : " ") + word;
  std::vector<json> all;
  for (const auto& r : rows) all.push_back(as_json(r));
  return json::object({{"machine", machine()},
                       {"date", utc_now()},
                       {"version", version()},
                       {"command", words},
                       {"rows", json::array(all)}})
      .document();
}

[[nodiscard]] std::string as_table(const std::vector<umbel::bench::row>& rows,
                                   std::uint64_t key_length) {
  table out({"kind", "bits", "fpr", "x bound", "build", "cold", "hit", "miss", "hit*", "miss*",
             "insert*", "line"});
  const auto ns = [](double time) { return fmt::format("{:.1f}", time); };
  for (const auto& r : rows)
    out.row({r.kind, fmt::format("{:.2f}", r.bits_per_key), show_percent(r.fpr),
             r.overhead > 0 ? fmt::format("{:.3f}", r.overhead) : "-", ns(r.build_ns),
             r.build_cold_ns ? ns(*r.build_cold_ns) : "-", ns(r.hit_ns), ns(r.miss_ns),
             ns(r.batch_hit_ns), ns(r.batch_miss_ns),
             r.batch_insert_ns ? ns(*r.batch_insert_ns) : "-", ns(r.line_read_ns)});
  return fmt::format(
      "{} keys of {} on {}; bits per key, ns per key (medians)\n\n{}\n"
      "*: in batches.  x bound: bits per key divided by log2(1/fpr).  line: reading one random "
      "cache line of an array of the same size.  cold: the first build of a process.\n",
      grouped(rows.front().keys), key_length == 0 ? "64 bits" : fmt::format("{} bytes", key_length),
      cpu_name(), out.text());
}

exit_code run(const arguments& options, const invocation& call) {
  if (options.keys == 0) throw bad_parameter("--keys: expected at least 1, found 0");
  if (options.key_length > longest_text)
    throw bad_parameter(fmt::format("--key-length: expected at most {} bytes, found {}",
                                    longest_text, options.key_length));
  core::check_keys(options.keys);
  std::optional<destination> plot;
  if (!options.plot.empty()) plot.emplace(options.plot, destination::use{.text = true});
  std::vector<const any::kind*> chosen;
  for (const std::string& name : options.kinds) chosen.push_back(&kind_called(name));
  if (chosen.empty()) chosen.assign(any::kinds().begin(), any::kinds().end());
  umbel::bench::side_by_side bench(options.keys);
  std::size_t added = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const any::kind* const k = chosen[i];
    if (notes_are_read())
      note(fmt::format("building {} ({} of {})", k->name(), i + 1, chosen.size()));
    try {
      bench.add(k->subject(), workload_for(*k, options));
      ++added;
      // an error for a kind that was named; of all kinds, those that fail are left out
    } catch (const bad_parameter& refused) {
      if (!options.kinds.empty() || (added == 0 && i + 1 == chosen.size())) throw;
      note(fmt::format("leaving out {}: {}", k->name(), refused.what()));
    }
  }
  if (notes_are_read()) note("measuring the time of queries");
  const std::vector<umbel::bench::row> rows = bench.take_rows();
  if (plot) plot->deliver(space_time_plot(rows));
  write_out(options.json ? as_json(rows, call) : as_table(rows, options.key_length));
  return exit_code::found;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("--kinds", options->kinds, "KINDS",
              "kinds to measure, separated by commas (default: all)", ',');
  takes.parsed("--keys", options->keys, parse_count, "N",
               "number of keys, such as 1e6 or 10M (default: 1M)");
  takes.parsed("--key-length", options->key_length, parse_count, "BYTES",
               "keys are text of so many bytes (default: 64-bit integers)");
  add_budget_options(takes, options->budget, "default: 12 bits per key, or 2^-8 for static kinds");
  takes.parsed("--threads", options->threads, parse_threads, "N",
               "threads for building (default: 1); queries run on one");
  takes.flag("--json", options->json, "print an object, for programs");
  takes.text("--plot", options->plot, "FILE",
             "also draw a plot of size against query time, as SVG");
  return [options](const invocation& call) { return run(*options, call); };
}

}  // namespace

const command bench{.name = "bench",
                    .group = command_group::choose,
                    .summary = "Measure size, error and speed of kinds on this machine.",
                    .details = "",
                    .examples =
                        "  umbel bench --keys 10M                   # all kinds, on this machine\n"
                        "  umbel bench --kinds bloom-filter,binary-fuse-filter --fpr 1% --json\n"
                        "  umbel bench --keys 10M --plot bench.svg",
                    .define = define};

}  // namespace umbel::cli
