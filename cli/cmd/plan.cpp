// cmd/plan.cpp - the command `umbel plan`: recommends a kind and compares size and error of all
// kinds that do what is needed, before anything is built.
//
// Two of keys, rate and memory are given; the plan of each kind gives the third. Kinds are found by
// their traits, and what a kind gives up is what its traits lack. offer.hpp defines the order.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "budget.hpp"
#include "command.hpp"
#include "destination.hpp"
#include "gives_up.hpp"
#include "groups.hpp"
#include "json.hpp"
#include "needs.hpp"
#include "numbers.hpp"
#include "offer.hpp"
#include "page.hpp"
#include "recipe.hpp"
#include "streams.hpp"
#include "table.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::optional<std::uint64_t> keys{}, memory{}, universe{};
  budget_options budget;
  needs need;
  bool smallest = false, fastest = false, why = false, json = false;
  std::string html;
};

[[nodiscard]] any::options for_keys(const any::kind& kind, std::uint64_t keys,
                                    const arguments& options) {
  budget_options budget = options.budget;
  if (options.memory && options.keys && keys != 0) budget = within(*options.memory, keys);
  any::options out = sized(kind, keys, budget);
  out.value_bits = options.need.values;
  out.universe = options.universe;
  return out;
}

// The largest number of keys whose plan fits in the memory.
[[nodiscard]] std::uint64_t max_keys(const any::kind& kind, const arguments& options) {
  const auto fits = [&](std::uint64_t keys) {
    try {
      return kind.plan(for_keys(kind, keys, options)).bits <= 8 * *options.memory;
    } catch (const bad_parameter&) {
      return false;
    }
  };
  std::uint64_t low = 0, high = 8 * *options.memory + 1;  // every kind takes a bit or more per key
  while (high - low > 1 + low / 100'000) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

[[nodiscard]] outcome outcome_of(const any::kind& kind, const arguments& options) {
  if (std::string why = lacking(kind, options.need); !why.empty())
    return {.left_out = std::move(why)};
  try {
    const std::uint64_t keys = options.keys ? *options.keys : max_keys(kind, options);
    if (keys == 0) return {.left_out = "too little memory for a single key"};
    return offer_of(kind, for_keys(kind, keys, options), options.memory);
  } catch (const bad_parameter& refused) {  // no rate of this kind fits the size
    return {.left_out = refused.what()};
  }
}

void check(const arguments& options) {
  const int given = (options.keys ? 1 : 0) + (options.budget.fpr ? 1 : 0) +
                    (options.memory || options.budget.bits_per_key ? 1 : 0);
  if (!options.html.empty()) {
    if (options.json || options.why || options.need.exact || options.need.assign ||
        options.need.untrusted)
      throw bad_parameter(
          "--html: leave out --json, --why, --exact, --assign and --untrusted, which a page does "
          "not have");
    if (given == 3 || (options.budget.fpr && options.memory))
      throw bad_parameter("--html: --fpr gives the size, --memory the rate; leave out one of them");
    if (options.budget.bits_per_key && !options.keys)
      throw bad_parameter("--bits-per-key: say for how many keys, --keys N; or give a --memory");
    if (options.need.values && (options.memory || options.budget.bits_per_key))
      throw bad_parameter(
          "--values: the size of a map follows from its keys, values and rate; give --keys and "
          "--fpr");
    return;
  }
  if (options.memory && options.budget.bits_per_key)
    throw bad_parameter("--memory: the size was given by --bits-per-key");
  if (options.need.exact) {
    if (!options.keys || !options.universe)
      throw bad_parameter(
          "--exact: give the number of members, --keys N, and of all keys, --universe N");
    if (given > 1)
      throw bad_parameter(
          "--exact: an exact set has no rate, and its size follows from its keys; leave out --fpr, "
          "--memory and --bits-per-key");
    return;
  }
  if (options.universe) throw bad_parameter("--universe: only exact sets have one; add --exact");
  if (!options.keys && options.budget.bits_per_key)
    throw bad_parameter(
        "--bits-per-key: give the number of keys too, --keys N; or give --memory and --fpr");
  if (given == 3)
    throw bad_parameter("--keys, --fpr and a size: two of the three give the third; leave one out");
  if (given < 2 && !options.keys)
    throw bad_parameter(
        "give two of --keys N, --fpr RATE and --memory SIZE, such as --keys 10M --fpr 1%");
  if (options.need.values && (options.memory || options.budget.bits_per_key))
    throw bad_parameter(
        "--values: the size of a map follows from its keys, values and rate; give --keys and "
        "--fpr");
}

[[nodiscard]] unknown sought(const arguments& options) {
  if (!options.keys) return unknown::keys;
  return options.memory || options.budget.bits_per_key ? unknown::rate : unknown::size;
}

// How to build what is offered.
[[nodiscard]] recipe recipe_for(const offer& o, const arguments& options) {
  const bool by_size = sought(options) == unknown::rate && o.plan.keys != 0;
  recipe_numbers numbers{
      .keys = o.plan.keys,
      .rate = by_size ? rounded_up(o.plan.fpr) : options.budget.fpr.value_or(default_fpr)};
  if (by_size)
    numbers.per_key = options.memory ? *within(*options.memory, o.plan.keys).bits_per_key
                                     : *options.budget.bits_per_key;
  const recipe made = recipe_of(*o.kind, {.by_size = by_size,
                                          .value_bits = options.need.values.value_or(8),
                                          .secret = options.need.untrusted});
  return {filled(made.command, numbers), filled(made.line, numbers)};
}

// kinds, and why they are left out
using reasons = std::vector<std::pair<std::string_view, std::string>>;
void write_rows(const std::vector<offer>& offers, const reasons& left_out,
                const arguments& options) {
  std::vector<json> rows;
  for (const offer& o : offers) {
    const recipe how = recipe_for(o, options);
    rows.push_back(
        json::object({{"kind", o.kind->name()},
                      {"group", text_of(group_of(o.kind->traits())).name},
                      {"keys", o.plan.keys},
                      {"bits_per_key", o.plan.bits_per_key()},
                      {"bytes", (o.plan.bits + 7) / 8},
                      {"probes", std::uint64_t{o.plan.probes}},
                      {"lines", std::uint64_t{o.lines()}},
                      {"fpr", o.kind->traits().rated() ? json(o.plan.fpr) : json(nullptr)},
                      {"gives_up", gives_up(o.kind->traits())},
                      {"command", how.command},
                      {"cpp", how.line}}));
  }
  for (const auto& [kind, why] : left_out)
    rows.push_back(json::object({{"kind", kind}, {"left_out", why}}));
  write_out(json::array(rows).document());
}

// The first kind to which keys can be added. Of kinds whose sizes print alike, the one that the
// registry has first: plain kinds come before their variants.
[[nodiscard]] const offer* first_that_grows(const std::vector<offer>& offers) {
  const offer* best = nullptr;
  const auto size = [](const offer& o) { return std::llround(100 * o.plan.bits_per_key()); };
  const auto place = [](const offer& o) {
    const auto all = any::kinds();
    return std::find(all.begin(), all.end(), o.kind) - all.begin();
  };
  for (const offer& o : offers) {
    if (o.kind->traits().is_static) continue;
    if (best == nullptr || (size(o) == size(*best) && place(o) < place(*best))) best = &o;
  }
  return best;
}

// The first offer, why it is the first, and how to build it.
[[nodiscard]] std::string recommendation(const std::vector<offer>& offers,
                                         const arguments& options) {
  const offer& best = offers.front();
  const umbel::traits& traits = best.kind->traits();
  std::string why;
  switch (sought(options)) {
    case unknown::size: why = "it is the smallest"; break;
    case unknown::rate: why = "it has the lowest false positive rate in this size"; break;
    case unknown::keys: why = "it holds the most keys"; break;
  }
  if (options.fastest) why = "a query reads the fewest cache lines, and among equals " + why;
  std::string text = fmt::format(
      "Recommended: {}, because {}, of {} {} that {} what you need. {} keys take {}, {:.2f} bits "
      "per key, with {}.",
      best.kind->name(), why, offers.size(), offers.size() == 1 ? "kind" : "kinds",
      offers.size() == 1 ? "does" : "do", grouped(best.plan.keys),
      show_bytes((best.plan.bits + 7) / 8), best.plan.bits_per_key(),
      traits.rated() ? show_rate(best.plan.fpr) + " false positives"
                     : std::string("no false positives on the universe"));
  if (const std::string lost = gives_up(traits); !lost.empty())
    text += fmt::format(" It gives up {}.", lost);
  if (const offer* const grows = first_that_grows(offers); traits.is_static && grows != nullptr)
    text += fmt::format(" If keys come later, take {} at {:.2f} bits per key (--grow).",
                        grows->kind->name(), grows->plan.bits_per_key());
  const recipe how = recipe_for(best, options);
  return wrapped("", text, 0) + fmt::format("\n  {}\n  {}\n\n", how.command, how.line);
}

// Under the headings of `umbel kinds`: the group of the best kind first, and in each group the best
// kind first.
[[nodiscard]] std::string as_table(const std::vector<offer>& offers) {
  table out(
      {"kind", "keys", "bits per key", "memory", "probes", "lines", "false positives", "gives up"});
  std::vector<kind_group> groups;
  for (const offer& o : offers) {
    const kind_group group = group_of(o.kind->traits());
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  for (const kind_group group : groups) {
    out.heading(std::string(text_of(group).name));
    for (const offer& o : offers)
      if (group_of(o.kind->traits()) == group)
        out.row({std::string(o.kind->name()), grouped(o.plan.keys),
                 fmt::format("{:.2f}", o.plan.bits_per_key()), show_bytes((o.plan.bits + 7) / 8),
                 fmt::format("{}", o.plan.probes), fmt::format("{}", o.lines()),
                 o.kind->traits().rated() ? show_rate(o.plan.fpr) : "none",
                 gives_up(o.kind->traits())});
  }
  return out.text();
}

void write_tables(const std::vector<offer>& offers, const reasons& left_out,
                  const arguments& options) {
  if (!offers.empty()) write_out(recommendation(offers, options) + as_table(offers));
  if (left_out.empty()) return;
  table others({"left out", "why"}, true);
  for (const auto& [kind, why] : left_out) others.row({std::string(kind), why});
  write_out((offers.empty() ? "" : "\n") + others.text());
}

// The initial state of the page, from the command line.
[[nodiscard]] page_options page_of(const arguments& options) {
  page_options out{.keys = options.keys.value_or(1'000'000),
                   .fpr = options.budget.fpr.value_or(default_fpr),
                   .memory = options.memory,
                   .value_bits = options.need.values.value_or(8),
                   .threads = all_threads()};
  if (const auto per_key = options.budget.bits_per_key) {
    const double bytes = std::ceil(*per_key * static_cast<double>(out.keys) / 8);
    if (!(bytes < 0x1p53)) throw bad_parameter("--bits-per-key: too large for a page");
    out.memory = static_cast<std::uint64_t>(bytes);
  }
  const needs& need = options.need;
  for (const auto& [asked, name] :
       {std::pair(need.grow, "grows"), std::pair(need.expand, "expands"),
        std::pair(need.erase, "erases"), std::pair(need.count, "counts"),
        std::pair(need.merge, "merges"), std::pair(need.window, "ages"),
        std::pair(need.forget, "forgets"), std::pair(need.values.has_value(), "map"),
        std::pair(options.fastest, "order=fastest")})
    if (asked) out.settings += fmt::format("&{}", name);
  return out;
}

exit_code run(const arguments& options) {
  check(options);
  if (!options.html.empty()) {
    destination page(options.html, {.text = true});
    page.deliver(plan_page(page_of(options)));
    return exit_code::found;
  }
  std::vector<offer> offers;
  reasons left_out;
  for (const any::kind* const kind : any::kinds()) {
    outcome one = outcome_of(*kind, options);
    if (one.made)
      offers.push_back(*one.made);
    else if (options.why)
      left_out.emplace_back(kind->name(), std::move(one.left_out));
  }
  if (offers.empty() && !options.why)
    throw bad_parameter(
        "no kind does all of this; leave out a flag, allow more memory, or list the reasons with "
        "--why");
  std::stable_sort(offers.begin(), offers.end(), [&](const offer& a, const offer& b) {
    return goes_before(a, b, sought(options), options.fastest);
  });
  options.json ? write_rows(offers, left_out, options) : write_tables(offers, left_out, options);
  if (options.need.untrusted && !options.json)
    write_out(
        "\nFor keys from people you do not trust, build with a secret key: `umbel build --key-file "
        "FILE`.\n");
  return offers.empty() ? exit_code::none : exit_code::found;
}

[[nodiscard]] unsigned parse_values(std::string_view option, std::string_view text) {
  const std::uint64_t bits = parse_count(option, text);
  if (bits < 1 || bits > 64)
    throw bad_parameter(fmt::format("{}: expected 1 to 64 bits, found {}", option, text));
  return static_cast<unsigned>(bits);
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.parsed("--keys", options->keys, parse_count, "N", "number of keys: 1000000, 1e6, 10M");
  add_budget_options(takes, options->budget, "default, with --keys alone: 2^-8");
  takes.parsed("--memory", options->memory, parse_bytes, "SIZE",
               "memory to use: with --keys it gives the rate, with --fpr the number of keys");
  takes.parsed("--values", options->need.values, parse_values, "BITS",
               "plan a map with a value of this many bits for each key");
  takes.flag("--grow", options->need.grow, "keys can be added later");
  takes.flag("--expand", options->need.expand,
             "any number of keys can be added, and the rate stays");
  takes.flag("--erase", options->need.erase, "keys can be erased");
  takes.flag("--count", options->need.count, "counts how often a key was added");
  takes.flag("--merge", options->need.merge, "sets can be merged");
  takes.flag("--assign", options->need.assign, "values can change");
  takes.flag("--window", options->need.window, "old keys are forgotten");
  takes.flag("--forget", options->need.forget,
             "also list kinds with false negatives: a key that was added may be reported absent");
  takes.flag("--untrusted", options->need.untrusted,
             "keys come from people you do not trust: only kinds that can use a secret key");
  takes.flag("--exact", options->need.exact,
             "plan an exact set: no error on a known universe of keys");
  takes.parsed("--universe", options->universe, parse_count, "N",
               "number of keys in that universe, members and others");
  takes.flag("--smallest", options->smallest,
             "sort by what was not given (default): smallest size, lowest rate or most keys first, "
             "and equal ones by size");
  takes.flag("--fastest", options->fastest,
             "sort by cache lines read in a query, fewest first, then as --smallest does");
  takes.exclude("--smallest", "--fastest");
  takes.flag("--why", options->why, "also list the kinds that were left out, and why");
  takes.text("--html", options->html, "FILE",
             "write a page with sliders and plots to explore plans in a browser; it starts with "
             "the other options");
  takes.flag("--json", options->json, "print an array of objects, for programs");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command plan{
    .name = "plan",
    .group = command_group::choose,
    .summary = "Recommend a kind, and compare the size and error of all that fit.",
    .details =
        "Give two of --keys, --fpr and --memory; the third follows. Flags name what the set must "
        "be able to do. The recommended kind comes first: why it is the best, the command that "
        "builds it, and the line of C++ that does.",
    .examples =
        "  umbel plan --keys 10M --fpr 1%           # how much memory?\n"
        "  umbel plan --keys 1e9 --memory 1GiB      # what rate do I get?\n"
        "  umbel plan --fpr 0.1% --memory 64M --grow  # how many keys?\n"
        "  umbel plan --keys 60k --values 6         # a map of 6-bit values\n"
        "  umbel plan --keys 1M --erase --why       # kinds that erase, why not others\n"
        "  umbel plan --html plan.html              # sliders and plots, in a browser",
    .define = define};

}  // namespace umbel::cli
