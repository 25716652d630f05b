// cmd/plan.cpp - what a set or a map will cost and promise, for every kind that does what is needed, before anything is built.
// Idea       Of keys, rate and memory two are given and every kind says the third. Kinds are found by what they say of
//            themselves, and what they give up is what their traits lack.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "budget.hpp"
#include "command.hpp"
#include "gives_up.hpp"
#include "json.hpp"
#include "numbers.hpp"
#include "page.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "table.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::optional<std::uint64_t> keys{}, memory{}, universe{};
  budget_options budget;
  std::optional<unsigned> values{};
  bool grow = false, erase = false, count = false, merge = false, assign = false, window = false, untrusted = false,
       expand = false, forget = false, exact = false, smallest = false, fastest = false, json = false;
  std::string html;
};

struct offer {
  const any::kind* kind;
  umbel::plan plan;
};

[[nodiscard]] bool serves(const any::kind& kind, const options& wish) {
  const traits& what = kind.what();
  if (what.answers == output::numbers || what.answers == output::index) return false;  // made for other questions
  if ((what.of == family::map) != wish.values.has_value() || what.exact != wish.exact) return false;
  const bool lacks = (wish.grow && what.is_static) || (wish.erase && !what.erases) || (wish.count && !what.counts) ||
                     (wish.merge && !what.mergeable) || (wish.assign && !what.assigns) ||
                     (wish.window && !what.windowed) || (wish.expand && !what.expands);
  if (lacks || (what.may_forget && !wish.forget && !wish.window)) return false;
  if (!wish.untrusted) return true;
  constexpr secret_key any_key{};
  try {  // a kind with a hash of its own refuses another
    if (!what.is_static) (void)kind.create({.keys = 1000, .fpr = default_fpr, .hash = hasher::keyed(any_key)});
    return true;
  } catch (const bad_parameter&) {
    return false;
  }
}

[[nodiscard]] any::options for_keys(const any::kind& kind, std::uint64_t keys, const options& wish) {
  budget_options budget = wish.budget;
  if (wish.memory && wish.keys && keys != 0)
    budget.bits_per_key = 8.0 * static_cast<double>(*wish.memory) / static_cast<double>(keys);
  any::options out = sized(kind, keys, budget);
  out.value_bits = wish.values;
  out.universe = wish.universe;
  return out;
}

// The most keys whose plan fits.
[[nodiscard]] std::uint64_t most_keys(const any::kind& kind, const options& wish) {
  const auto fits = [&](std::uint64_t keys) {
    try {
      return kind.plan(for_keys(kind, keys, wish)).bits <= 8 * *wish.memory;
    } catch (const bad_parameter&) {
      return false;
    }
  };
  std::uint64_t low = 0, high = 8 * *wish.memory + 1;  // no kind takes less than a bit for each
  while (high - low > 1 + low / 100'000) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

[[nodiscard]] std::optional<offer> offer_of(const any::kind& kind, const options& wish) {
  try {
    const std::uint64_t keys = wish.keys ? *wish.keys : most_keys(kind, wish);
    if (keys == 0) return std::nullopt;
    const offer out{&kind, kind.plan(for_keys(kind, keys, wish))};
    if (out.plan.keys < keys) return std::nullopt;                  // it would be full before the last of them
    return out.plan.fpr > 0.5 ? std::nullopt : std::optional(out);  // a coin does as well
  } catch (const bad_parameter&) {                                  // out of this kind's reach
    return std::nullopt;
  }
}

void check(const options& wish) {
  if (!wish.html.empty()) {
    if (wish.json || wish.exact) throw bad_parameter("--html: a page holds every plan; leave out --json and --exact");
    return;
  }
  const int given = (wish.keys ? 1 : 0) + (wish.budget.fpr ? 1 : 0) + (wish.memory || wish.budget.bits_per_key ? 1 : 0);
  if (wish.memory && wish.budget.bits_per_key) throw bad_parameter("--memory: the size was given by --bits-per-key");
  if (wish.exact) {
    if (!wish.keys || !wish.universe)
      throw bad_parameter("--exact: say how many members there are, --keys N, and how many keys in all, --universe N");
    if (given > 1)
      throw bad_parameter("--exact: an exact set has no rate and takes what it takes; leave out --fpr and sizes");
    return;
  }
  if (wish.universe) throw bad_parameter("--universe: only an exact set has one; say --exact");
  if (!wish.keys && wish.budget.bits_per_key)
    throw bad_parameter("--bits-per-key: say for how many keys, --keys N; or give a --memory and a --fpr");
  if (given == 3) throw bad_parameter("--keys, --fpr and a size: two of the three give the third; leave one out");
  if (given < 2 && !wish.keys)
    throw bad_parameter("say two of --keys N, --fpr RATE and --memory SIZE, such as --keys 10M --fpr 1%");
  if (wish.values && (wish.memory || wish.budget.bits_per_key))
    throw bad_parameter("--values: the size of a map follows from its keys, values and rate; give --keys and --fpr");
}

// Lines of memory are what a query waits for.
[[nodiscard]] unsigned lines_of(const offer& o) {
  return o.kind->what().lines != 0 ? o.kind->what().lines : o.plan.probes;
}

exit_code run(const options& wish) {
  check(wish);
  if (!wish.html.empty()) {
    require_writable(wish.html);
    save(plan_page({.keys = wish.keys.value_or(1'000'000),
                    .fpr = wish.budget.fpr.value_or(default_fpr),
                    .value_bits = wish.values.value_or(8),
                    .threads = all_threads()}),
         wish.html);
    return exit_code::found;
  }
  std::vector<offer> offers;
  for (const any::kind* const kind : any::kinds())
    if (serves(*kind, wish))
      if (const auto one = offer_of(*kind, wish)) offers.push_back(*one);
  if (offers.empty()) throw bad_parameter("no kind does all that; leave out one of the needs, or allow more memory");
  const bool by_keys = !wish.keys, by_rate = wish.memory || wish.budget.bits_per_key;
  std::stable_sort(offers.begin(), offers.end(), [&](const offer& a, const offer& b) {
    if (wish.fastest && lines_of(a) != lines_of(b)) return lines_of(a) < lines_of(b);
    if (by_keys) return a.plan.keys > b.plan.keys;
    return by_rate ? a.plan.fpr < b.plan.fpr : a.plan.bits < b.plan.bits;
  });
  if (wish.json) {
    std::vector<json> rows;
    for (const offer& o : offers)
      rows.push_back(json::object({{"kind", o.kind->name()},
                                   {"keys", o.plan.keys},
                                   {"bits_per_key", o.plan.bits_per_key()},
                                   {"bytes", (o.plan.bits + 7) / 8},
                                   {"probes", std::uint64_t{o.plan.probes}},
                                   {"lines", std::uint64_t{lines_of(o)}},
                                   {"fpr", o.kind->what().rated() ? json(o.plan.fpr) : json(nullptr)},
                                   {"gives_up", gives_up(o.kind->what())}}));
    write_out(json::array(rows).document());
    return exit_code::found;
  }
  table out({"kind", "keys", "bits per key", "memory", "probes", "lines", "false positives", "gives up"});
  for (const offer& o : offers)
    out.row({std::string(o.kind->name()), grouped(o.plan.keys), fmt::format("{:.2f}", o.plan.bits_per_key()),
             show_bytes((o.plan.bits + 7) / 8), fmt::format("{}", o.plan.probes), fmt::format("{}", lines_of(o)),
             o.kind->what().rated() ? show_rate(o.plan.fpr) : "none", gives_up(o.kind->what())});
  write_out(out.text());
  if (wish.untrusted && !wish.json)
    write_out("\nFor keys from people you do not trust, build with a secret: `umbel build --key-file FILE`.\n");
  return exit_code::found;
}

[[nodiscard]] unsigned parse_values(std::string_view option, std::string_view text) {
  const std::uint64_t bits = parse_count(option, text);
  if (bits < 1 || bits > 64) throw bad_parameter(fmt::format("{}: expected 1 to 64 bits, found {}", option, text));
  return static_cast<unsigned>(bits);
}

action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.parsed("--keys", wish->keys, parse_count, "N", "how many keys: 1000000, 1e6, 10M");
  add_budget_options(takes, wish->budget, "default, with --keys alone: 2^-8");
  takes.parsed("--memory", wish->memory, parse_bytes, "SIZE",
               "what it may take: with --keys tells the rate, with --fpr how\nmany keys");
  takes.parsed("--values", wish->values, parse_values, "BITS", "a map, with a value of so many bits for each key");
  takes.flag("--grow", wish->grow, "keys come one by one");
  takes.flag("--expand", wish->expand, "any number of keys, at the rate that was asked for");
  takes.flag("--erase", wish->erase, "keys are taken out again");
  takes.flag("--count", wish->count, "how often a key was given");
  takes.flag("--merge", wish->merge, "sets are joined later");
  takes.flag("--assign", wish->assign, "values change");
  takes.flag("--window", wish->window, "old keys are forgotten");
  takes.flag("--forget", wish->forget, "a key that is in may be answered with no, now and then");
  takes.flag("--untrusted", wish->untrusted, "keys come from people you do not trust: a secret key is used");
  takes.flag("--exact", wish->exact, "no error on a universe of keys");
  takes.parsed("--universe", wish->universe, parse_count, "N", "how many keys that is");
  takes.flag("--smallest", wish->smallest, "the smallest first (default)");
  takes.flag("--fastest", wish->fastest, "those first that read the fewest lines of memory for a query");
  takes.exclude("--smallest", "--fastest");
  takes.text("--html", wish->html, "FILE", "a page to explore plans with, in any browser, without a network");
  takes.flag("--json", wish->json, "for programs");
  return [wish](const invocation&) { return run(*wish); };
}

}  // namespace

const command plan{.name = "plan",
                   .summary = "Tell what every kind that does what you need would take and promise.",
                   .examples =
                       "  umbel plan --keys 10M --fpr 1%           # how much memory?\n"
                       "  umbel plan --keys 1e9 --memory 1GiB      # what rate do I get?\n"
                       "  umbel plan --fpr \"1 in 1000\" --memory 64M --grow    # how many keys?\n"
                       "  umbel plan --keys 60k --values 6         # a map of 6-bit values\n"
                       "  umbel plan --html plan.html              # sliders and plots, in a browser",
                   .define = define};

}  // namespace umbel::cli
