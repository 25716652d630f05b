// cmd/bench.cpp - the command `umbel bench`: measures size, error and time of kinds on this
// machine.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// Shorter texts could not all be distinct.
constexpr std::uint64_t shortest_text = 8, longest_text = 4096;
constexpr unsigned integers = 0;  // as a length of keys

struct arguments {
  std::vector<std::string> kinds;
  std::uint64_t keys = 1'000'000;
  budget_options budget;
  unsigned threads = 1;
  std::vector<unsigned> key_lengths{integers};
  bool json = false;
  std::string plot;
};

// "8,20,100"; 0 stands for 64-bit integers.
[[nodiscard]] std::vector<unsigned> parse_lengths(std::string_view option, std::string_view text) {
  std::vector<unsigned> out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::uint64_t length = parse_count(option, text.substr(0, comma));
    if (length != integers && (length < shortest_text || length > longest_text))
      throw bad_parameter(
          fmt::format("{}: expected {} to {} bytes, or 0 for 64-bit integers, found {}", option,
                      shortest_text, longest_text, length));
    out.push_back(static_cast<unsigned>(length));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

// The harness takes --fpr and has defaults. Bits per key of a static kind become a rate first.
[[nodiscard]] umbel::bench::workload workload_for(const any::kind& kind, const arguments& options,
                                                  unsigned key_length) {
  umbel::bench::workload work{.keys = options.keys,
                              .fpr = options.budget.fpr,
                              .threads = options.threads,
                              .key_length = key_length};
  if (options.budget.bits_per_key && kind.traits().is_static)
    work.fpr = rate_within(kind, options.keys, *options.budget.bits_per_key);
  else
    work.bits_per_key = options.budget.bits_per_key;
  return work;
}

[[nodiscard]] json as_json(const umbel::bench::row& r) {
  return json::object(
      {{"kind", r.kind},
       {"keys", r.keys},
       {"key_length", r.key_length == integers ? json(nullptr) : json(r.key_length)},
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

// Rows of one length of keys.
[[nodiscard]] table table_of(std::span<const umbel::bench::row> rows) {
  table out({"kind", "bits", "fpr", "x bound", "build", "cold", "hit", "miss", "hit*", "miss*",
             "insert*", "line"});
  const auto ns = [](double time) { return fmt::format("{:.1f}", time); };
  for (const auto& r : rows)
    out.row({r.kind, fmt::format("{:.2f}", r.bits_per_key), show_percent(r.fpr),
             r.overhead > 0 ? fmt::format("{:.3f}", r.overhead) : "-", ns(r.build_ns),
             r.build_cold_ns ? ns(*r.build_cold_ns) : "-", ns(r.hit_ns), ns(r.miss_ns),
             ns(r.batch_hit_ns), ns(r.batch_miss_ns),
             r.batch_insert_ns ? ns(*r.batch_insert_ns) : "-", ns(r.line_read_ns)});
  return out;
}

// A table for each length of keys: rows of one length stand together.
[[nodiscard]] std::string as_tables(std::span<const umbel::bench::row> rows) {
  std::string out;
  while (!rows.empty()) {
    const unsigned length = rows.front().key_length;
    std::size_t count = 1;
    while (count < rows.size() && rows[count].key_length == length) ++count;
    out += fmt::format("{} keys of {} on {}; bits per key, ns per key (medians)\n\n{}\n",
                       grouped(rows.front().keys),
                       length == integers ? "64 bits" : fmt::format("{} bytes", length), cpu_name(),
                       table_of(rows.first(count)).text());
    rows = rows.subspan(count);
  }
  return out +
         "*: in batches.  x bound: bits per key divided by log2(1/fpr).  line: reading one random "
         "cache line of an array of the same size.  cold: the first build of a process.\n";
}

exit_code run(const arguments& options, const invocation& call) {
  if (options.keys == 0) throw bad_parameter("--keys: expected at least 1, found 0");
  if (!options.plot.empty() && options.key_lengths.size() != 1)
    throw bad_parameter(
        fmt::format("--plot: expected one --key-length, found {}: a plot shows keys of one length",
                    options.key_lengths.size()));
  core::check_keys(options.keys);
  std::optional<destination> plot;
  if (!options.plot.empty()) plot.emplace(options.plot, destination::use{.text = true});
  std::vector<const any::kind*> chosen;
  for (const std::string& name : options.kinds) chosen.push_back(&kind_called(name));
  if (chosen.empty()) chosen.assign(any::kinds().begin(), any::kinds().end());
  umbel::bench::side_by_side bench(options.keys);
  std::size_t added = 0;
  const std::size_t total = options.key_lengths.size() * chosen.size();
  for (std::size_t i = 0; i < total; ++i) {
    const unsigned length = options.key_lengths[i / chosen.size()];
    const any::kind* const k = chosen[i % chosen.size()];
    if (notes_are_read()) note(fmt::format("building {} ({} of {})", k->name(), i + 1, total));
    try {
      bench.add(k->subject(), workload_for(*k, options, length));
      ++added;
      // an error for a kind that was named; of all kinds, those that fail are left out
    } catch (const bad_parameter& refused) {
      if (!options.kinds.empty() || (added == 0 && i + 1 == total)) throw;
      note(fmt::format("leaving out {}: {}", k->name(), refused.what()));
    }
  }
  if (notes_are_read()) note("measuring the time of queries");
  const std::vector<umbel::bench::row> rows = bench.take_rows();
  if (plot) plot->deliver(space_time_plot(rows));
  write_out(options.json ? as_json(rows, call) : as_tables(rows));
  return exit_code::found;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("--kinds", options->kinds, "KINDS",
              "kinds to measure, separated by commas (default: all)", ',');
  takes.parsed("--keys", options->keys, parse_count, "N",
               "number of keys, such as 1e6 or 10M (default: 1M)");
  takes.parsed("--key-length", options->key_lengths, parse_lengths, "BYTES",
               "keys are text of so many bytes; several lengths, separated by commas, are measured "
               "one after another, 0 being 64-bit integers (default: 0)");
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
                        "  umbel bench --key-length 8,20,100        # keys that are text\n"
                        "  umbel bench --keys 10M --plot bench.svg",
                    .define = define};

}  // namespace umbel::cli
