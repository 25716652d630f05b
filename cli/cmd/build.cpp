// cmd/build.cpp - the command `umbel build`: makes a set from a list of keys, or a map from a
// table.
//
// Keys are hashed as they are read and kept in a spool, in memory or on disk, until their number is
// known. So kinds that must be sized first, and kinds that need all keys at once, can be built from
// a pipe.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/universe.hpp>
#include <umbel/engine/probe/scheme.hpp>
#include <umbel/engine/retrieval/histogram.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/entropy.hpp>
#include <umbel/sizing/peel.hpp>

#include "budget.hpp"
#include "choose.hpp"
#include "command.hpp"
#include "destination.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "ordered.hpp"
#include "pairs.hpp"
#include "progress.hpp"
#include "rate.hpp"
#include "streams.hpp"
#include "suggest.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::vector<std::string> inputs;
  std::string output = "-", kind, preset, form;
  bool map = false, exact = false, appendable = false;
  pair_options pairs;
  std::string universe;
  bool universe_without_members = false;
  budget_options budget;
  std::optional<std::uint64_t> room{};  // keys to plan for, if more than are given
  std::optional<unsigned> probes{};
  std::optional<core::scheme> scheme{};
  std::uint64_t seed = 0;
  key_options keys;
  unsigned threads = all_threads();
  std::uint64_t memory = memory_bytes() / 2;
  bool verbose = false, quiet = false, json = false;
};

// The result of a build, for the report.
struct product {
  std::unique_ptr<any::structure> made;
  umbel::plan planned;
  std::uint64_t lines = 0;
  std::optional<unsigned> value_bits{};  // of a map
};

[[nodiscard]] const any::kind& chosen_set(const arguments& options) {
  if (const any::kind* const asked = kind_for(contract::set, options.kind)) return *asked;
  if (options.appendable) {
    if (!options.quiet)
      note(
          "building a scalable-bloom-filter (default with --appendable; use --kind to choose "
          "another)");
    return any::kind_named("scalable-bloom-filter");
  }
  if (!options.quiet)
    note("building a binary-fuse-filter (default for a fixed list; use --kind to choose another)");
  return any::kind_named("binary-fuse-filter");
}

[[nodiscard]] any::options shaped(const any::kind& kind, std::uint64_t keys,
                                  const arguments& options) {
  any::options out = sized(kind, std::max(keys, options.room.value_or(0)), options.budget);
  out.probes = options.probes;
  out.scheme = options.scheme;
  out.preset = options.preset;
  out.form = options.form;
  return out;
}

[[nodiscard]] hasher hash_asked_for(const arguments& options) {
  const auto secret = options.keys.secret();
  return secret ? hasher::keyed(*secret) : hasher::seeded(options.seed);
}
// The hash that the set will use. A foreign format has a fixed hash, and refuses a seed or a secret
// key.
[[nodiscard]] hasher chosen_hash(const any::kind& kind, const arguments& options) {
  const hasher hash = hash_asked_for(options);
  if (kind.traits().is_static) return hash;
  constexpr std::uint64_t enough = 65'536;  // enough bits for every scheme
  return kind
      .create({.keys = 1,
               .bits = enough,
               .probes = options.probes,
               .scheme = options.scheme,
               .hash = hash})
      ->hash();
}

void report(const arguments& options, const product& done, double seconds) {
  const any::structure& made = *done.made;
  const std::uint64_t keys = made.keys().value_or(done.lines);
  const double bits =
      keys == 0 ? 0 : static_cast<double>(made.size_in_bits()) / static_cast<double>(keys);
  const bool exact = made.universe().has_value();
  const std::uint64_t others = exact ? *made.universe() - keys : 0;
  const cells::texts* const names = made.names();
  if (options.json) {
    std::vector<json::member> out{{"kind", made.kind().name()},
                                  {"lines", done.lines},
                                  {"keys", keys},
                                  {"bytes", (made.size_in_bits() + 7) / 8},
                                  {"planned_bits_per_key", done.planned.bits_per_key()},
                                  {"bits_per_key", bits},
                                  {"planned_fpr", done.planned.fpr},
                                  {"expected_fpr", fpr_of(made)},
                                  {"seconds", seconds}};
    if (exact) {
      out.push_back({"members", keys});
      out.push_back({"non_members", others});
    }
    if (done.value_bits) {
      out.push_back({"value_bits", std::uint64_t{*done.value_bits}});
      out.push_back({"texts", names == nullptr ? 0 : names->size()});
    }
    write_out(json::object(out).document());
  }
  if (!options.quiet && exact && others == 0)
    note(
        "warning: the universe holds no other key than the members, so this set accepts every key");
  // The number of keys that an exact set rejects is always printed: it is the only sign that the
  // two lists were swapped.
  if (options.quiet || !(options.verbose || notes_are_read() || exact)) return;
  std::string values;
  if (names != nullptr)
    values = fmt::format(", {} different values", grouped(names->size()));
  else if (done.value_bits)
    values = fmt::format(", integers of {} bits", *done.value_bits);
  if (exact) values = fmt::format(" that are members, {} that are not", grouped(others));
  note(fmt::format(
      "{}: {} keys{}{}, {} ({:.2f} bits per key), {}, {:.2f} s", made.kind().name(), grouped(keys),
      keys == done.lines ? "" : fmt::format(" in {} lines", grouped(done.lines)), values,
      show_bytes(made.size_in_bits() / 8), bits,
      exact                          ? "no error on its universe"
      : made.kind().traits().rated() ? "false positives " + show_rate(made.expected_fpr())
                                     : "an index for every key",
      seconds));
  // A kind sized by the number of lines is larger than necessary if many lines are repeats.
  const auto distinct = made.cardinality();
  if (distinct && !distinct->saturated && distinct->value < 0.9 * static_cast<double>(done.lines))
    note(
        fmt::format("only about {} lines are different; run `sort -u` on the list before building "
                    "a smaller filter",
                    grouped(static_cast<std::uint64_t>(distinct->value))));
}

// As many threads as shards fit in half of the memory while they are solved. A shard takes at most
// 40 bytes per key.
[[nodiscard]] unsigned threads_for(std::uint64_t keys, const arguments& options) {
  const unsigned shard_bits = sizing::peel_shard_bits(keys);
  if (shard_bits == 0) return options.threads;  // a single shard, which one thread solves
  return static_cast<unsigned>(std::clamp<std::uint64_t>(
      options.memory / 2 / (40 * (keys >> shard_bits)), 1, options.threads));
}

[[nodiscard]] digest_spool spooled(const std::vector<std::string>& files, const arguments& options,
                                   const hasher& hash, std::uint64_t room) {
  struct work {
    key_batch batch;
    std::optional<digester> digests;
    std::span<const digest> keys;
    bool done = false;  // the keys of the batch are hashed
  };
  digest_spool out({.memory_limit = room});
  const key_recipe recipe = options.keys.recipe();
  key_input input(files, options.keys.lines(recipe));
  progress shown(!options.quiet, input.bytes_in_all());
  const auto hash_keys = [&](work& w) {
    if (!w.digests) w.digests.emplace(hash, recipe, options.keys.trim);
    w.keys = (*w.digests)(w.batch);
  };
  in_order<work>(
      options.threads,
      [&](work& w) {
    if (!input.next(w.batch)) return false;
    w.done = w.batch.oversized();
    if (w.done) {  // under the lock of the reader: one oversized batch at a time
      hash_keys(w);
      input.take_back(w.batch);
    }
    return true;
      },
      [&](work& w) {
    if (!w.done) hash_keys(w);
  },
      [&](work& w) {
    out.add(w.keys);
    shown.at(out.size(), w.batch.bytes_read);
    return true;
      }, [&] { input.interrupt(); });
  return out;
}

[[nodiscard]] product build_set(const arguments& options) {
  const any::kind& kind = chosen_set(options);
  if (options.room && kind.traits().is_static)
    throw bad_parameter(
        fmt::format("--keys: a {} is static and takes no keys later; leave it out, or build a kind "
                    "that grows: `umbel plan --keys N --grow` lists them",
                    kind.name()));
  const hasher hash = chosen_hash(kind, options);
  // a few schemes need a large filter
  const std::uint64_t some = options.scheme ? 1'000'000 : 1;
  // Options that no build can satisfy are refused before anything is read. With --bits-per-key this
  // depends on the number of keys.
  if (!kind.traits().is_static || !options.budget.bits_per_key)
    (void)kind.plan(shaped(kind, some, options));

  // the other half is for solving
  const digest_spool spool = spooled(options.inputs, options, hash, options.memory / 2);
  any::options how = shaped(kind, spool.size(), options);
  how.hash = hash;
  how.threads = threads_for(spool.size(), options);
  return {kind.build(spool, how), kind.plan(how), spool.size()};
}

// The number of keys of each value, ordered by value. Of very many values the rarest are left out.
[[nodiscard]] std::vector<std::uint64_t> counts_by_value(const pair_spool& pairs,
                                                         unsigned threads) {
  core::histogram found = core::count_values(pairs, threads);
  std::sort(found.values.begin(), found.values.end(),
            [](auto& a, auto& b) { return a.value < b.value; });
  return found.counts();
}

// Why this map was chosen. The form is named only if the frequencies of values differ.
[[nodiscard]] std::string why(const choice& best, const any::options& how) {
  if (best.plan.form.empty() || best.next == nullptr)
    return fmt::format(
        "building {} (smallest for {} keys with values of {} bits; use --kind to choose another)",
        with_article(best.kind->name()), grouped(*how.keys), *how.value_bits);
  return fmt::format(
      "building {} of form {}: {:.2f} bits per key, where {} takes {:.2f}, because values of {} "
      "bits have an entropy of {:.2f} bits (use --kind to choose another)",
      with_article(best.kind->name()), best.plan.form, best.plan.bits_per_key(),
      with_article(best.next->name()), best.next_plan.bits_per_key(), *how.value_bits,
      sizing::entropy(how.counts));
}

[[nodiscard]] product build_map(const arguments& options) {
  const any::kind* kind = kind_for(contract::map, options.kind);
  any::options how{.keys = 1,
                   .value_bits = options.pairs.value_bits.value_or(1),
                   .fpr = options.budget.fpr.value_or(default_fpr),
                   .probes = options.probes,
                   .scheme = options.scheme,
                   .preset = options.preset,
                   .form = options.form,
                   .hash = hash_asked_for(options),
                   .threads = options.threads};
  // Options that no build can satisfy are refused before anything is read.
  (void)(kind != nullptr ? *kind : *smallest_for(contract::map, how).kind).plan(how);

  // Two spools, lines and pairs, take half of the memory; the other half is for solving.
  pair_list list(options.pairs, options.keys, how.hash, {.memory_limit = options.memory / 4});
  list.read(options.inputs, options.quiet);
  const std::uint64_t lines = list.size();
  pair_list::settled table = list.settle(options.threads);
  how.keys = table.pairs.size();
  how.threads = threads_for(*how.keys, options);
  how.value_bits = table.value_bits;
  const auto counts = counts_by_value(table.pairs, options.threads);
  how.counts = counts;
  if (kind == nullptr) {
    const choice best = smallest_for(contract::map, how);
    kind = best.kind;
    if (!options.quiet) note(why(best, how));
  }
  product out{kind->build(table.pairs, how), kind->plan(how), lines, table.value_bits};
  if (!table.names.empty()) out.made->name_values(std::move(table.names));
  return out;
}

[[nodiscard]] product build_exact(const arguments& options) {
  const bool standard =
      options.inputs.empty() ||
      std::find(options.inputs.begin(), options.inputs.end(), "-") != options.inputs.end();
  if (options.universe.empty())
    throw bad_parameter(
        fmt::format("{}: name the list of all keys that will be asked with --universe FILE",
                    options.kind.empty() ? "--exact" : "--kind " + options.kind));
  if (standard && options.universe == "-")
    throw bad_parameter(
        "--universe: members and universe cannot both come from standard input; name a file for "
        "one");
  const any::kind* kind = kind_for(contract::exact, options.kind);
  any::options how{.keys = 1,
                   .universe = 2,
                   .members_in_universe = !options.universe_without_members,
                   .fpr = options.budget.fpr,  // the kind refuses it
                   .probes = options.probes,
                   .scheme = options.scheme,
                   .preset = options.preset,
                   .form = options.form,
                   .hash = hash_asked_for(options),
                   .threads = options.threads};
  (void)(kind != nullptr ? *kind : *smallest_for(contract::exact, how).kind).plan(how);

  // Six spools take three quarters of the memory: these two, members and non-members, and the keys
  // of two stages.
  const digest_spool members = spooled(options.inputs, options, how.hash, options.memory / 8);
  const digest_spool universe = spooled({options.universe}, options, how.hash, options.memory / 8);
  how.keys = members.size();
  // the second stage has about twice the keys of the first
  how.threads = threads_for(2 * *how.keys, options);
  // assumes that the universe lists the members too, as most do
  how.universe = std::max(members.size(), universe.size());
  if (kind == nullptr) {
    const choice best = smallest_for(contract::exact, how);
    kind = best.kind;
    const std::string next =
        best.next == nullptr
            ? ""
            : fmt::format(": {}, where {} takes {}", show_bytes(best.plan.bits / 8),
                          with_article(best.next->name()), show_bytes(best.next_plan.bits / 8));
    if (!options.quiet)
      note(fmt::format(
          "building {} (smallest for {} members of {} keys{}; use --kind to choose another)",
          with_article(kind->name()), grouped(*how.keys), grouped(*how.universe), next));
  }
  try {
    return {kind->build(members, universe, how), kind->plan(how), members.size()};
  } catch (const core::incomplete_universe& e) {
    throw bad_parameter(
        fmt::format("--universe: {} of the {} members are not in {}. Were the two lists swapped? "
                    "The universe must list every key that will be asked, members too; add "
                    "--universe-without-members if it lists the non-members alone",
                    grouped(e.missing), grouped(e.members),
                    options.universe == "-" ? "standard input" : options.universe));
  }
}

// Runs `work`. Errors of the library name a member of its options; they are rewritten to name the
// option of the command line.
template <class Work>
auto naming_options(Work&& work) {
  try {
    return work();
  } catch (const bad_parameter& e) {
    std::string message = e.what();
    for (const std::string_view member :
         {"fpr", "value_bits", "probes", "scheme", "preset", "form", "threads"}) {
      if (!message.starts_with(std::string(member) + ": ")) continue;
      std::replace(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(member.size()),
                   '_', '-');
      throw bad_parameter("--" + message);
    }
    throw;
  }
}

exit_code run(arguments options) {
  const auto start = std::chrono::steady_clock::now();
  if (!options.map && !options.kind.empty() && kind_called(options.kind).traits().exact)
    options.exact = true;
  if (!options.map && (options.pairs.value_bits || options.pairs.type))
    throw bad_parameter(fmt::format("{}: only maps have values; add --map",
                                    options.pairs.value_bits ? "--value-bits" : "--value-type"));
  if (options.map && !options.keys.fields.fields.empty())
    throw bad_parameter(
        "--field: with --map a line is split at its first delimiter, into key and value; leave it "
        "out");
  if (options.room && (options.map || options.exact))
    throw bad_parameter("--keys: maps and exact sets take no keys later; leave it out");
  if (!options.exact && !options.universe.empty())
    throw bad_parameter("--universe: only exact sets have one; add --exact, or --kind exact-set");
  if (options.universe_without_members && options.universe.empty())
    throw bad_parameter(
        "--universe-without-members: name the list of non-members with --universe FILE");
  if (options.exact && options.budget.bits_per_key)
    throw bad_parameter(
        "--bits-per-key: the size of an exact set follows from its keys; leave it out");
  // options that contradict one another are refused before anything is read
  (void)options.keys.recipe();
  destination result(options.output, {.report_is_output = options.json});
  result.refuse_inputs(options.inputs);
  result.refuse_input(options.universe);
  result.refuse_input(options.keys.secret_file);
  const product done = naming_options([&] {
    return options.map     ? build_map(options)
           : options.exact ? build_exact(options)
                           : build_set(options);
  });
  done.made->set_recipe(options.keys.recipe());
  result.deliver(*done.made);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(options, done, took.count());
  return exit_code::found;
}

[[nodiscard]] unsigned parse_probes(std::string_view option, std::string_view text) {
  const std::uint64_t probes = parse_count(option, text);
  if (probes < 1 || probes > sizing::bloom_max_probes)
    throw bad_parameter(
        fmt::format("{}: expected 1 to {}, found {}", option, sizing::bloom_max_probes, text));
  return static_cast<unsigned>(probes);
}

[[nodiscard]] core::scheme parse_scheme(std::string_view option, std::string_view text) {
  if (const auto found = core::scheme_named(text)) return *found;
  const std::vector<std::string_view> known(core::scheme_names.begin(), core::scheme_names.end());
  const std::string near = did_you_mean(text, known);
  throw bad_parameter(
      fmt::format("{}: no scheme is called {}{}", option, text,
                  near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near));
}

[[nodiscard]] std::uint64_t parse_memory(std::string_view option, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(option, text);
  if (bytes < 1'048'576)
    throw bad_parameter(fmt::format("{}: expected at least 1M, found {}", option, text));
  return bytes;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("INPUT", options->inputs, "FILE",
              "files of keys, one per line (default: standard input)");
  takes.flag("--map", options->map, "make a map: each line is a key, a delimiter and a value");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the filter (default: standard output)");
  takes.text(
      "-k,--kind", options->kind, "KIND",
      "kind to build, see `umbel kinds` (default: binary-fuse-filter; with --map or --exact the "
      "smallest)");
  add_budget_options(takes, options->budget, "default: 2^-8, which is 1 in 256");
  takes.exclude("--map", "--bits-per-key");
  takes.flag("--appendable", options->appendable,
             "make a set to which `umbel add` can add any number of keys");
  for (const char* const other : {"--map", "--kind"}) takes.exclude("--appendable", other);
  takes.parsed("--keys", options->room, parse_count, "N",
               "make room for this many keys, for kinds that grow");
  add_pair_options(takes, options->pairs);
  takes.flag("--exact", options->exact, "make a set that makes no error on the keys of --universe");
  takes.text("--universe", options->universe, "FILE",
             "list of all keys that will be asked: the members and all others");
  takes.flag("--universe-without-members", options->universe_without_members,
             "allow a universe that lists the non-members alone");
  for (const char* const other : {"--map", "--fpr", "--bits-per-key", "--appendable"})
    takes.exclude("--exact", other);
  takes.parsed("--probes", options->probes, parse_probes, "K",
               "bits that each key sets (default: the best number)");
  takes.parsed("--scheme", options->scheme, parse_scheme, "SCHEME",
               "how a bloom-filter chooses these bits (default: the best)");
  takes.text("--preset", options->preset, "NAME",
             "of a ribbon-filter or ribbon-map: fast, compact, smallest, standard_64 or "
             "standard_128 (default: fast), of a ribbon-filter also homogeneous_64 or "
             "homogeneous_128; of a perfect-hash: fast, balanced, compact, coded, smallest, "
             "levels, peeled, solved or tree (default: balanced)");
  takes.text("--form", options->form, "NAME",
             "of a coded-map: plain, escape, coded_small, dominant or coded (default: the "
             "smallest); of a matrix-filter or matrix-map: grouped, tabulated, exact or dense "
             "(default: grouped)");
  takes.parsed("--seed", options->seed, parse_count, "N", "seed of the hash (default: 0)");
  add_key_options(takes, options->keys);
  takes.exclude("--key-file", "--seed");
  takes.parsed("--threads", options->threads, parse_threads, "N",
               "number of threads (default: one for each core)");
  takes.parsed(
      "--memory", options->memory, parse_memory, "SIZE",
      "memory for keys, such as 2G (default: half of this machine's); keys beyond it go to "
      "files in $TMPDIR. Reading takes up to 6MiB for each thread beside it, and three times "
      "the longest line");
  takes.flag("-v,--verbose", options->verbose,
             "print a report on standard error even if it is not a terminal");
  takes.flag("-q,--quiet", options->quiet, "no notes on standard error");
  takes.flag("--json", options->json, "print a report on standard output, for programs");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command build{.name = "build",
                    .group = command_group::build,
                    .summary = "Build a set or a map from a list of keys.",
                    .details = "",
                    .examples =
                        "  umbel build words.txt -o words.umbel     # a set of its lines\n"
                        "  umbel build --fpr \"1 in 1000\" words.txt.gz -o words.umbel\n"
                        "  umbel build --field email users.csv -o users.umbel\n"
                        "  umbel build --map sections.tsv -o sections.umbel # key, a tab, value\n"
                        "  umbel build --exact --universe all.txt revoked.txt -o revoked.umbel\n"
                        "  umbel build *.zst --kind bloom-filter --bits-per-key 12 -o seen.umbel",
                    .define = define};

}  // namespace umbel::cli
