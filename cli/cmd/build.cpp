// cmd/build.cpp - make a set of the keys in a list, or a map of the keys and values in a table, and save it.
// Idea       Keys are hashed as they are read and wait in a spool, in memory or on disk, until their number is known:
//            so kinds that must be sized first, and kinds that need all keys at once, are built from a pipe alike.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/core/histogram.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/index/scheme.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/entropy.hpp>
#include <umbel/sizing/peel.hpp>

#include "budget.hpp"
#include "choose.hpp"
#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "ordered.hpp"
#include "pairs.hpp"
#include "progress.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "suggest.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::vector<std::string> inputs;
  std::string output = "-", kind, preset, form;
  bool map = false, exact = false, appendable = false;
  pair_options pairs;
  std::string universe;
  budget_options budget;
  std::optional<std::uint64_t> room{};  // keys to plan for, if more than there are
  std::optional<unsigned> probes{};
  std::optional<index::scheme> scheme{};
  std::uint64_t seed = 0;
  key_options keys;
  unsigned threads = all_threads();
  std::uint64_t memory = memory_bytes() / 2;
  bool verbose = false, quiet = false, json = false;
};

// What was made, and what it came from.
struct product {
  std::unique_ptr<any::structure> made;
  umbel::plan planned;
  std::uint64_t lines = 0;
  std::optional<unsigned> value_bits{};  // of a map
};

[[nodiscard]] const any::kind& chosen_set(const options& wish) {
  if (const any::kind* const asked = kind_for(contract::set, wish.kind)) return *asked;
  if (wish.appendable) {
    if (!wish.quiet)
      note(
          "chose scalable-bloom-filter: `umbel add` can add any number of keys to it, and its rate stays; --kind takes "
          "another");
    return any::kind_named("scalable-bloom-filter");
  }
  if (!wish.quiet)
    note("chose fuse-filter: for a fixed list the smallest kind that answers in three reads; --kind takes another");
  return any::kind_named("fuse-filter");
}

[[nodiscard]] any::options shaped(const any::kind& kind, std::uint64_t keys, const options& wish) {
  any::options out = sized(kind, std::max(keys, wish.room.value_or(0)), wish.budget);
  out.probes = wish.probes;
  out.scheme = wish.scheme;
  out.preset = wish.preset;
  out.form = wish.form;
  return out;
}

[[nodiscard]] hasher hash_asked_for(const options& wish) {
  const auto secret = wish.keys.secret();
  return secret ? hasher::keyed(*secret) : hasher::seeded(wish.seed);
}
// The hash the finished set will use: a foreign format has its own, and refuses seed and key.
[[nodiscard]] hasher chosen_hash(const any::kind& kind, const options& wish) {
  const hasher hash = hash_asked_for(wish);
  if (kind.what().is_static) return hash;
  constexpr std::uint64_t enough = 65'536;  // for every scheme
  return kind.create({.keys = 1, .bits = enough, .probes = wish.probes, .scheme = wish.scheme, .hash = hash})->hash();
}

void report(const options& wish, const product& done, double seconds) {
  const any::structure& made = *done.made;
  const std::uint64_t keys = made.keys().value_or(done.lines);
  const double bits = keys == 0 ? 0 : static_cast<double>(made.size_in_bits()) / static_cast<double>(keys);
  const double fpr = made.expected_fpr();
  const cells::texts* const names = made.names();
  if (wish.json) {
    std::vector<json::member> out{{"kind", made.kind().name()},
                                  {"lines", done.lines},
                                  {"keys", keys},
                                  {"bytes", (made.size_in_bits() + 7) / 8},
                                  {"planned_bits_per_key", done.planned.bits_per_key()},
                                  {"bits_per_key", bits},
                                  {"planned_fpr", done.planned.fpr},
                                  {"expected_fpr", fpr},
                                  {"seconds", seconds}};
    if (done.value_bits) {
      out.push_back({"value_bits", std::uint64_t{*done.value_bits}});
      out.push_back({"texts", names == nullptr ? 0 : names->size()});
    }
    write_out(json::object(out).document());
  }
  if (wish.quiet || !(wish.verbose || notes_are_read())) return;
  std::string values;
  if (names != nullptr)
    values = fmt::format(", {} different values", grouped(names->size()));
  else if (done.value_bits)
    values = fmt::format(", integers of {} bits", *done.value_bits);
  note(fmt::format("{}: {} keys{}{}, {} ({:.2f} bits per key), {}, {:.2f} s", made.kind().name(), grouped(keys),
                   keys == done.lines ? "" : fmt::format(" in {} lines", grouped(done.lines)), values,
                   show_bytes(made.size_in_bits() / 8), bits,
                   wish.exact                   ? "no error on its universe"
                   : made.kind().what().rated() ? "false positives " + show_rate(fpr)
                                                : "an index for every key",
                   seconds));
  const auto distinct = made.cardinality();  // a kind sized by lines is larger than it need be when many are repeats
  if (distinct && !distinct->saturated && distinct->value < 0.9 * static_cast<double>(done.lines))
    note(fmt::format("only about {} of the lines differ; `sort -u` before building would make it smaller",
                     grouped(static_cast<std::uint64_t>(distinct->value))));
}

// As many threads as half of the memory bears shards that are being solved. One takes 40 bytes per key or less.
[[nodiscard]] unsigned threads_for(std::uint64_t keys, const options& wish) {
  const unsigned shard_bits = sizing::peel_shard_bits(keys);
  if (shard_bits == 0) return wish.threads;  // one takes all keys, and one thread solves it
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(wish.memory / 2 / (40 * (keys >> shard_bits)), 1, wish.threads));
}

[[nodiscard]] digest_spool spooled(const std::vector<std::string>& files, const options& wish, const hasher& hash,
                                   std::uint64_t room) {
  struct work {
    key_batch batch;
    std::optional<digester> digests;
    std::span<const digest> keys;
  };
  digest_spool out({.memory_limit = room});
  const key_recipe recipe = wish.keys.recipe();
  key_input input(files, wish.keys.lines(recipe));
  progress shown(!wish.quiet, input.bytes_in_all());
  in_order<work>(
      wish.threads, [&](work& w) { return input.next(w.batch); },
      [&](work& w) {
        if (!w.digests) w.digests.emplace(hash, recipe, wish.keys.trim);
        w.keys = (*w.digests)(w.batch);
      },
      [&](work& w) {
        out.add(w.keys);
        shown.at(out.size(), w.batch.bytes_read);
        return true;
      },
      [&] { input.interrupt(); });
  return out;
}

[[nodiscard]] product build_set(const options& wish) {
  const any::kind& kind = chosen_set(wish);
  if (wish.room && kind.what().is_static)
    throw bad_parameter(
        fmt::format("--keys: a {} has room for its own keys alone; build a kind that grows", kind.name()));
  const hasher hash = chosen_hash(kind, wish);
  const std::uint64_t some = wish.scheme ? 1'000'000 : 1;  // a few schemes serve large filters only
  // What cannot be built is refused before anything is read. What fits in some bits depends on the number of keys.
  if (!kind.what().is_static || !wish.budget.bits_per_key) (void)kind.plan(shaped(kind, some, wish));

  const digest_spool spool = spooled(wish.inputs, wish, hash, wish.memory / 2);  // the other half is for solving
  any::options how = shaped(kind, spool.size(), wish);
  how.hash = hash;
  how.threads = threads_for(spool.size(), wish);
  return {kind.build(spool, how), kind.plan(how), spool.size()};
}

// How many keys have each value, by value; of very many values the rarest are left out.
[[nodiscard]] std::vector<std::uint64_t> counts_by_value(const pair_spool& pairs, unsigned threads) {
  core::histogram found = core::count_values(pairs, threads);
  std::sort(found.values.begin(), found.values.end(), [](auto& a, auto& b) { return a.value < b.value; });
  return found.counts();
}

// Why this map. A form is worth a word only where values are unlike: else there is but one.
[[nodiscard]] std::string why(const choice& best, const any::options& how) {
  if (best.plan.form.empty() || best.next == nullptr)
    return fmt::format("chose {}: of all maps the smallest for {} keys and values of {} bits; --kind takes another",
                       best.kind->name(), grouped(*how.keys), *how.value_bits);
  return fmt::format(
      "chose {}, of all maps the smallest, in its form {}: values of {} bits have an entropy of {:.2f}, so that with "
      "their check they take {:.2f} bits per key, not {:.2f} as in a {}; --kind takes another",
      best.kind->name(), best.plan.form, *how.value_bits, sizing::entropy(how.counts), best.plan.bits_per_key(),
      best.next_plan.bits_per_key(), best.next->name());
}

[[nodiscard]] product build_map(const options& wish) {
  const any::kind* kind = kind_for(contract::map, wish.kind);
  any::options how{.keys = 1,
                   .value_bits = wish.pairs.value_bits.value_or(1),
                   .fpr = wish.budget.fpr.value_or(default_fpr),
                   .probes = wish.probes,
                   .scheme = wish.scheme,
                   .preset = wish.preset,
                   .form = wish.form,
                   .hash = hash_asked_for(wish),
                   .threads = wish.threads};
  // What cannot be built is refused before anything is read.
  (void)(kind != nullptr ? *kind : *smallest_for(contract::map, how).kind).plan(how);

  // Two spools at a time, lines and pairs, take half; the other half is for solving.
  pair_list list(wish.pairs, wish.keys, how.hash, {.memory_limit = wish.memory / 4});
  list.read(wish.inputs, wish.quiet);
  const std::uint64_t lines = list.size();
  pair_list::settled table = list.settle(wish.threads);
  how.keys = table.pairs.size();
  how.threads = threads_for(*how.keys, wish);
  how.value_bits = table.value_bits;
  const auto counts = counts_by_value(table.pairs, wish.threads);
  how.counts = counts;
  if (kind == nullptr) {
    const choice best = smallest_for(contract::map, how);
    kind = best.kind;
    if (!wish.quiet) note(why(best, how));
  }
  product out{kind->build(table.pairs, how), kind->plan(how), lines, table.value_bits};
  if (!table.names.empty()) out.made->name_values(std::move(table.names));
  return out;
}

[[nodiscard]] product build_exact(const options& wish) {
  const bool standard =
      wish.inputs.empty() || std::find(wish.inputs.begin(), wish.inputs.end(), "-") != wish.inputs.end();
  if (wish.universe.empty())
    throw bad_parameter("--exact: name the list of all keys that will be asked, --universe FILE");
  if (standard && wish.universe == "-")
    throw bad_parameter("--universe: members and universe cannot both come from standard input; name a file for one");
  const any::kind* kind = kind_for(contract::exact, wish.kind);
  any::options how{.keys = 1,
                   .universe = 2,
                   .probes = wish.probes,
                   .scheme = wish.scheme,
                   .preset = wish.preset,
                   .form = wish.form,
                   .hash = hash_asked_for(wish),
                   .threads = wish.threads};
  (void)(kind != nullptr ? *kind : *smallest_for(contract::exact, how).kind).plan(how);

  // Six spools at a time, these two, both sides told apart, and the keys of two stages, take three quarters.
  const digest_spool members = spooled(wish.inputs, wish, how.hash, wish.memory / 8);
  const digest_spool universe = spooled({wish.universe}, wish, how.hash, wish.memory / 8);
  how.keys = members.size();
  how.threads = threads_for(2 * *how.keys, wish);            // the second stage has about twice the keys of the first
  how.universe = std::max(members.size(), universe.size());  // as if it named the members too, which most do
  if (kind == nullptr) {
    const choice best = smallest_for(contract::exact, how);
    kind = best.kind;
    const std::string next = best.next == nullptr
                                 ? ""
                                 : fmt::format(", {} planned, not {} as in a {}", show_bytes(best.plan.bits / 8),
                                               show_bytes(best.next_plan.bits / 8), best.next->name());
    if (!wish.quiet)
      note(fmt::format("chose {}: the smallest for {} of {} keys{}; --kind takes another", kind->name(),
                       grouped(*how.keys), grouped(*how.universe), next));
  }
  return {kind->build(members, universe, how), kind->plan(how), members.size()};
}

exit_code run(const options& wish) {
  const auto start = std::chrono::steady_clock::now();
  if (!wish.map && (wish.pairs.value_bits || wish.pairs.type))
    throw bad_parameter(
        fmt::format("{}: a set holds no values; say --map", wish.pairs.value_bits ? "--value-bits" : "--value-type"));
  if (wish.map && !wish.keys.fields.fields.empty())
    throw bad_parameter("--field: a line of a map is cut at its first delimiter, into key and value; leave it out");
  if (wish.room && (wish.map || wish.exact))
    throw bad_parameter("--keys: maps and exact sets are built for the keys they are given; leave it out");
  if (!wish.exact && !wish.universe.empty()) throw bad_parameter("--universe: only an exact set has one; say --exact");
  (void)wish.keys.recipe();  // options that contradict one another are refused before anything is read
  require_place(wish.output, wish.json);
  const product done = wish.map ? build_map(wish) : wish.exact ? build_exact(wish) : build_set(wish);
  done.made->set_recipe(wish.keys.recipe());
  deliver(*done.made, wish.output);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(wish, done, took.count());
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
  takes.flag("--map", wish->map, "lines are a key, a delimiter and a value: make a map");
  takes.text("-o,--output", wish->output, "FILE", "where to save the filter (default: standard output)");
  takes.text("-k,--kind", wish->kind, "KIND",
             "what to build, see `umbel kinds` (default: fuse-filter;\nwith --map the smallest map)");
  add_budget_options(takes, wish->budget, "default: 2^-8, which is 1 in 256");
  takes.exclude("--map", "--bits-per-key");
  takes.flag("--appendable", wish->appendable, "for a list that is not complete: `umbel add` takes the rest");
  for (const char* const other : {"--map", "--kind"}) takes.exclude("--appendable", other);
  takes.parsed("--keys", wish->room, parse_count, "N", "room for so many keys, for a set that will grow");
  add_pair_options(takes, wish->pairs);
  takes.flag("--exact", wish->exact, "make a set without error on the keys of --universe");
  takes.text("--universe", wish->universe, "FILE", "all keys that will be asked, members or not");
  for (const char* const other : {"--map", "--fpr", "--bits-per-key", "--appendable"}) takes.exclude("--exact", other);
  takes.parsed("--probes", wish->probes, parse_probes, "K",
               "bits per key that a filter sets (default: the best number)");
  takes.parsed("--scheme", wish->scheme, parse_scheme, "SCHEME", "how a bloom-filter draws them (default: the best)");
  takes.text("--preset", wish->preset, "NAME",
             "fast, compact, smallest, standard_64 or standard_128, for what is made\n"
             "of ribbons (default: fast), and homogeneous_64 or homogeneous_128\n"
             "for a ribbon-filter;\n"
             "fast, balanced, compact, coded, smallest, levels, peeled, solved\n"
             "or tree, for a perfect hash (default: balanced)");
  takes.text("--form", wish->form, "NAME",
             "of a coded-map: plain, escape, coded_small, dominant or coded\n(default: the smallest); "
             "of a matrix-filter or matrix-map: grouped,\ntabulated, exact or dense (default: grouped)");
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
                    .summary = "Make a set, or a map, of the lines of INPUT and save it.",
                    .examples =
                        "  umbel build words.txt -o words.umbel     # a set of the lines of words.txt\n"
                        "  umbel build --fpr \"1 in 1000\" words.txt.gz -o words.umbel\n"
                        "  umbel build --field email users.csv -o users.umbel\n"
                        "  umbel build --map sections.tsv -o sections.umbel   # key, a tab, value\n"
                        "  umbel build --exact --universe all.txt revoked.txt -o revoked.umbel\n"
                        "  umbel build *.zst --kind bloom-filter --bits-per-key 12 -o seen.umbel",
                    .define = define};

}  // namespace umbel::cli
