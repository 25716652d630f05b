// page.cpp - body of page.hpp.
#include "page.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>

#include "budget.hpp"
#include "gives_up.hpp"
#include "groups.hpp"
#include "machine.hpp"
#include "offer.hpp"
#include "recipe.hpp"

namespace umbel::cli {

namespace {

constexpr std::uint64_t max_keys = 1'000'000'000'000'000;

template <class T, class Less = std::less<>>
[[nodiscard]] std::vector<T> sorted(std::vector<T> all, Less less = {}) {
  std::sort(all.begin(), all.end(), less);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Positions of the sliders. Keys: 1 and 3 times powers of ten. Rates: powers of the root of one
// half. Sizes: powers of two and seven steps between them. The number given on the command line is
// a position too, so that the page starts exactly there.
[[nodiscard]] std::vector<std::uint64_t> key_stops(std::uint64_t asked) {
  std::vector<std::uint64_t> out{asked, 10'000'000'000};
  for (std::uint64_t ten = 100; ten < 10'000'000'000; ten *= 10)
    for (const std::uint64_t times : {1, 3}) out.push_back(times * ten);
  return sorted(std::move(out));
}
[[nodiscard]] std::vector<double> rate_stops(double asked) {
  std::vector<double> out{asked};
  for (int half_bits = 2; half_bits <= 66; ++half_bits) out.push_back(std::exp2(-half_bits / 2.0));
  return sorted(std::move(out), std::greater<>());
}
// Bytes for so many keys, from 1 bit per key to 48.
[[nodiscard]] std::vector<std::uint64_t> size_stops(std::uint64_t keys,
                                                    const page_options& options) {
  const auto suits = [&](std::uint64_t bytes) { return 8 * bytes >= keys && bytes <= 6 * keys; };
  std::vector<std::uint64_t> out;
  for (std::uint64_t eighth = 1; eighth <= keys; eighth *= 2)
    for (std::uint64_t bytes = 8 * eighth; bytes < 16 * eighth; bytes += eighth)
      if (suits(bytes)) out.push_back(bytes);
  if (options.memory && (keys == options.keys || suits(*options.memory)))
    out.push_back(*options.memory);
  if (out.empty()) out.push_back(6 * keys);  // of one key
  return sorted(std::move(out));
}

// Shares of the planned keys at which growth is shown.
constexpr double times[] = {0.25, 0.354, 0.5, 0.707, 1, 1.189, 1.414, 1.682, 2, 2.828, 4};
constexpr std::uint64_t growth_keys = 2048;

template <class Numbers>
[[nodiscard]] std::string listed(const Numbers& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

// Plans as columns of the page's data. All figures of a plan that was not offered are 0.
class plans {
 public:
  void add(const outcome& one) {
    bits_.push_back(one.made ? one.made->plan.bits : 0);
    rates_.push_back(one.made ? printed_rate(one.made->plan.fpr) : 0);
    probes_.push_back(one.made ? one.made->plan.probes : 0);
  }
  void append(const plans& more) {
    bits_.insert(bits_.end(), more.bits_.begin(), more.bits_.end());
    rates_.insert(rates_.end(), more.rates_.begin(), more.rates_.end());
    probes_.insert(probes_.end(), more.probes_.begin(), more.probes_.end());
  }
  [[nodiscard]] std::string text() const {
    return fmt::format(R"({{"bits":{},"rate":{},"probes":{}}})", listed(bits_), listed(rates_),
                       listed(probes_));
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<double> rates_;
  std::vector<unsigned> probes_;
};

// The false positive rates while keys are inserted into structures planned for growth_keys at each
// rate. 0: the structure is full.
[[nodiscard]] std::vector<double> growth_of(const any::kind& kind, std::span<const double> rates) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < growth_keys * 4; ++i) keys.push_back(hasher()(i));
  std::vector<double> out;
  for (const double rate : rates) {
    std::unique_ptr<any::structure> made;
    std::size_t in = 0;
    for (const double share : times) {
      const auto until = static_cast<std::size_t>(std::lround(share * growth_keys));
      try {
        if (!made && in == 0) made = kind.create({.keys = growth_keys, .fpr = rate});
        if (made) made->insert(std::span(keys).subspan(in, until - in));
      } catch (const error&) {  // full, or the kind has no such plan
        made.reset();
      }
      in = until;
      out.push_back(made ? printed_rate(made->expected_fpr()) : 0);
    }
  }
  return out;
}

struct stops {
  std::vector<std::uint64_t> keys;
  std::vector<double> rates;
  std::vector<std::vector<std::uint64_t>> sizes;  // for each number of keys
};

[[nodiscard]] outcome offer_within(const any::kind& kind, std::uint64_t keys, std::uint64_t bytes) {
  try {
    return offer_of(kind, sized(kind, keys, within(bytes, keys)), bytes);
  } catch (const bad_parameter& refused) {  // no rate of this kind fits the size
    return {.left_out = refused.what()};
  }
}

// The offers of one kind for one number of keys.
struct row {
  plans by_rate{}, by_size{};
};
[[nodiscard]] row row_of(const any::kind& kind, const stops& at, std::size_t k,
                         unsigned value_bits) {
  const bool map = kind.traits().of == family::map;
  row out;
  for (const double rate : at.rates) {
    any::options options = sized(kind, at.keys[k], {.fpr = rate});
    if (map) options.value_bits = value_bits;
    out.by_rate.add(offer_of(kind, options));
  }
  if (!map)  // the size of a map follows from its values and its rate
    for (const std::uint64_t bytes : at.sizes[k])
      out.by_size.add(offer_within(kind, at.keys[k], bytes));
  return out;
}

[[nodiscard]] std::string as_data(const any::kind& kind, std::span<const row> rows,
                                  const std::vector<double>& growth, unsigned value_bits) {
  const umbel::traits& traits = kind.traits();
  const bool map = traits.of == family::map;
  row all;
  for (const row& one : rows) {
    all.by_rate.append(one.by_rate);
    all.by_size.append(one.by_size);
  }
  // Templates: neither holds a character that JSON would escape.
  const recipe by_rate = recipe_of(kind, {.by_size = false, .value_bits = value_bits});
  const recipe by_size = recipe_of(kind, {.by_size = true, .value_bits = value_bits});
  return fmt::format(
      R"({{"name":"{}","group":"{}","command":["{}","{}"],"cpp":["{}","{}"],)"
      R"("map":{},"grows":{},"expands":{},"erases":{},"counts":{},"merges":{},"ages":{},)"
      R"("forgets":{},"lines":{},"gives_up":"{}","by_rate":{},"by_size":{},"growth":{}}})",
      kind.name(), text_of(group_of(traits)).name, by_rate.command, by_size.command, by_rate.line,
      by_size.line, map, !traits.is_static, traits.expands, traits.erases, traits.counts,
      traits.mergeable, traits.windowed, traits.may_forget, traits.lines, gives_up(traits),
      all.by_rate.text(), map ? "null" : all.by_size.text(),
      traits.is_static ? "null" : listed(growth));
}

}  // namespace

std::string plan_page(const page_options& options) {
  if (options.keys < 1 || options.keys > max_keys)
    throw bad_parameter(
        fmt::format("--keys: a page is for 1 to 10^15 keys, found {}", options.keys));
  stops at{key_stops(options.keys), rate_stops(options.fpr), {}};
  std::vector<std::string> sizes;
  for (const std::uint64_t keys : at.keys)
    sizes.push_back(listed(at.sizes.emplace_back(size_stops(keys, options))));
  std::vector<const any::kind*> shown;
  for (const any::kind* const kind : any::kinds()) {
    const umbel::traits& traits = kind->traits();
    if (traits.rated() && traits.answers != output::numbers &&
        (traits.of != family::map || options.value_bits <= traits.max_value_bits))
      shown.push_back(kind);
  }
  // Work is divided into rows of a kind and its growth: a single kind may take longer than all
  // others together.
  const std::size_t rows = at.keys.size(), pieces = rows + 1;
  std::vector<row> planned(shown.size() * rows);
  std::vector<std::vector<double>> growth(shown.size());
  umbel::detail::parallel_for(shown.size() * pieces, options.threads, [&](std::size_t i) {
    const any::kind& kind = *shown[i / pieces];
    if (const std::size_t k = i % pieces; k < rows)
      planned[i / pieces * rows + k] = row_of(kind, at, k, options.value_bits);
    else if (!kind.traits().is_static)
      growth[i / pieces] = growth_of(kind, at.rates);
  });
  std::vector<std::string> all;
  for (std::size_t i = 0; i < shown.size(); ++i)
    all.push_back(as_data(*shown[i], std::span(planned).subspan(i * rows, rows), growth[i],
                          options.value_bits));
  const std::string given = options.memory ? fmt::format("memory={}", *options.memory)
                                           : fmt::format("rate={}", options.fpr);
  return fmt::format(
      "{}{{\"version\":\"{}\",\"value_bits\":{},\"start\":\"keys={}&{}{}\",\n\"keys\":{},"
      "\n\"rates\":{},\n"
      "\"sizes\":{},\n\"growth\":{{\"keys\":{},\"times\":{}}},\n\"kinds\":[\n{}\n]}}{}",
      plan_page_head, version(), options.value_bits, options.keys, given, options.settings,
      listed(at.keys), listed(at.rates), listed(sizes), growth_keys, listed(times),
      fmt::join(all, ",\n"), plan_page_tail);
}

}  // namespace umbel::cli
