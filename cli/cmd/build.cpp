// cmd/build.cpp - make a set of the keys in a list and save it.
// Idea       Keys are hashed as they are read and wait in a spool, in memory or on disk, until their number is known:
//            so kinds that must be sized first, and kinds that need all keys at once, are built from a pipe alike.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/index/scheme.hpp>
#include <umbel/sizing/bloom.hpp>

#include "budget.hpp"
#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "suggest.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::vector<std::string> inputs;
  std::string output = "-", kind;
  budget_options budget;
  std::optional<unsigned> probes{};
  std::optional<index::scheme> scheme{};
  std::uint64_t seed = 0;
  key_options keys;
  unsigned threads = all_threads();
  std::uint64_t memory = memory_bytes() / 2;
  bool verbose = false, quiet = false, json = false;
};

[[nodiscard]] const any::kind& chosen_kind(const options& wish) {
  if (wish.kind.empty()) {
    if (!wish.quiet)
      note("chose fuse-filter: for a fixed list the smallest kind that answers in three reads; --kind takes another");
    return any::kind_named("fuse-filter");
  }
  const any::kind& kind = kind_called(wish.kind);
  if (kind.what().of == family::map)
    throw bad_parameter(
        fmt::format("--kind: a {} needs a value with every key; choose a set, such as fuse-filter", kind.name()));
  if (kind.what().exact)
    throw bad_parameter(
        fmt::format("--kind: {} tells members from a declared universe; give one, or choose another set", kind.name()));
  return kind;
}

[[nodiscard]] any::options shaped(const any::kind& kind, std::uint64_t keys, const options& wish) {
  any::options out = sized(kind, keys, wish.budget);
  out.probes = wish.probes;
  out.scheme = wish.scheme;
  return out;
}

// The hash the finished structure will use: a foreign format has its own, and refuses seed and key.
[[nodiscard]] hasher chosen_hash(const any::kind& kind, const options& wish) {
  const auto secret = wish.keys.secret();
  const hasher hash = secret ? hasher::keyed(*secret) : hasher::seeded(wish.seed);
  if (kind.what().is_static) return hash;
  constexpr std::uint64_t enough = 65'536;  // for every scheme
  return kind.create({.keys = 1, .bits = enough, .probes = wish.probes, .scheme = wish.scheme, .hash = hash})->hash();
}

void report(const options& wish, const any::structure& made, const plan& planned, std::uint64_t lines, double seconds) {
  const std::uint64_t keys = made.keys().value_or(lines);
  const double bits = keys == 0 ? 0 : static_cast<double>(made.size_in_bits()) / static_cast<double>(keys);
  const double fpr = made.expected_fpr();
  if (wish.json)
    write_out(json::object({{"kind", made.kind().name()},
                            {"lines", lines},
                            {"keys", keys},
                            {"bytes", (made.size_in_bits() + 7) / 8},
                            {"planned_bits_per_key", planned.bits_per_key()},
                            {"bits_per_key", bits},
                            {"planned_fpr", planned.fpr},
                            {"expected_fpr", fpr},
                            {"seconds", seconds}})
                  .document());
  if (wish.quiet || !(wish.verbose || notes_are_read())) return;
  note(fmt::format("{}: {} keys{}, {} ({:.2f} bits per key), false positives {}, {:.2f} s", made.kind().name(),
                   grouped(keys), keys == lines ? "" : fmt::format(" in {} lines", grouped(lines)),
                   show_bytes(made.size_in_bits() / 8), bits, show_rate(fpr), seconds));
  const auto distinct = made.cardinality();  // a kind sized by lines is larger than it need be when many are repeats
  if (distinct && !distinct->saturated && distinct->value < 0.9 * static_cast<double>(lines))
    note(fmt::format("only about {} of the lines differ; `sort -u` before building would make it smaller",
                     grouped(static_cast<std::uint64_t>(distinct->value))));
}

exit_code run(const options& wish) {
  const auto start = std::chrono::steady_clock::now();
  const bool piped = wish.output == "-";
  if (piped && out_is_terminal())
    throw bad_parameter("will not write a filter to the terminal: say -o FILE, or redirect the output");
  if (piped && wish.json)
    throw bad_parameter("--json writes its report to standard output: say -o FILE for the filter");
  if (!piped) require_writable(wish.output);
  const any::kind& kind = chosen_kind(wish);
  const hasher hash = chosen_hash(kind, wish);
  const std::uint64_t some = wish.scheme ? 1'000'000 : 1;  // a few schemes serve large filters only
  // What cannot be built is refused before anything is read. What fits in some bits depends on the number of keys.
  if (!kind.what().is_static || !wish.budget.bits_per_key) (void)kind.plan(shaped(kind, some, wish));

  digest_spool spool({.memory_limit = wish.memory / 2});  // the other half is for solving
  digester digests(hash, wish.keys.type);
  key_input input(wish.inputs, wish.keys.separator());
  for (key_batch batch; input.next(batch);) spool.add(digests(batch));

  any::options how = shaped(kind, spool.size(), wish);
  how.hash = hash;
  how.threads = wish.threads;
  const auto made = kind.build(spool, how);
  if (piped)
    write_out(made->encode());
  else
    save(*made, wish.output);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(wish, *made, kind.plan(how), spool.size(), took.count());
  return exit_code::found;
}

[[nodiscard]] unsigned parse_probes(std::string_view option, std::string_view text) {
  const std::uint64_t probes = parse_count(option, text);
  if (probes < 1 || probes > sizing::bloom_max_probes)
    throw bad_parameter(fmt::format("{}: expected 1 to {}, found {}", option, sizing::bloom_max_probes, text));
  return static_cast<unsigned>(probes);
}

[[nodiscard]] index::scheme parse_scheme(std::string_view option, std::string_view text) {
  if (const auto found = index::scheme_named(text)) return *found;
  const std::vector<std::string_view> known(index::scheme_names.begin(), index::scheme_names.end());
  const std::string near = did_you_mean(text, known);
  throw bad_parameter(fmt::format("{}: no scheme is called {}{}", option, text,
                                  near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near));
}

[[nodiscard]] std::uint64_t parse_memory(std::string_view option, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(option, text);
  if (bytes < 1'048'576) throw bad_parameter(fmt::format("{}: expected at least 1M, found {}", option, text));
  return bytes;
}

action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.texts("INPUT", wish->inputs, "FILE", "files of keys, one per line (default: standard input)");
  takes.text("-o,--output", wish->output, "FILE", "where to save the filter (default: standard output)");
  takes.text("-k,--kind", wish->kind, "KIND", "what to build, see `umbel kinds` (default: fuse-filter)");
  add_budget_options(takes, wish->budget, "default: 2^-8, which is 1 in 256");
  takes.parsed("--probes", wish->probes, parse_probes, "K",
               "bits per key that a filter sets (default: the best number)");
  takes.parsed("--scheme", wish->scheme, parse_scheme, "NAME", "how a bloom-filter draws them (default: the best)");
  takes.parsed("--seed", wish->seed, parse_count, "N", "seed of the hash (default: 0)");
  add_key_options(takes, wish->keys);
  takes.exclude("--key-file", "--seed");
  takes.parsed("--threads", wish->threads, parse_threads, "N", "default: as many as there are cores");
  takes.parsed("--memory", wish->memory, parse_memory, "SIZE", "limit, such as 2G; keys beyond it wait in $TMPDIR");
  takes.flag("-v,--verbose", wish->verbose, "report on standard error even if it is not a terminal");
  takes.flag("-q,--quiet", wish->quiet, "no notes on standard error");
  takes.flag("--json", wish->json, "report on standard output, for programs");
  return [wish](const invocation&) { return run(*wish); };
}

}  // namespace

const command build{.name = "build",
                    .summary = "Make a filter of the lines of INPUT and save it.",
                    .examples =
                        "  umbel build words.txt -o words.umbel     # a set of the lines of words.txt\n"
                        "  umbel build --fpr \"1 in 1000\" words.txt -o words.umbel\n"
                        "  zcat *.gz | umbel build --kind bloom-filter --bits-per-key 12 -o seen.umbel",
                    .define = define};

}  // namespace umbel::cli
