// page.cpp - body of page.hpp.
#include "page.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>

#include "budget.hpp"
#include "gives_up.hpp"
#include "machine.hpp"

namespace umbel::cli {

namespace {

using figure = std::optional<std::int64_t>;  // thousandths; none: out of the kind's reach

// 1 and 3 times powers of ten; powers of the root of one half.
[[nodiscard]] std::vector<std::uint64_t> key_stops() {
  std::vector<std::uint64_t> out;
  for (std::uint64_t ten = 100; ten <= 10'000'000'000; ten *= 10)
    for (const std::uint64_t times : {1, 3}) out.push_back(times * ten);
  out.pop_back();
  return out;
}
[[nodiscard]] std::vector<double> rate_stops() {
  std::vector<double> out;
  for (int half_bits = 2; half_bits <= 66; ++half_bits) out.push_back(std::exp2(-half_bits / 2.0));
  return out;
}
// How many keys come, of those that were planned for.
constexpr double times[] = {0.25, 0.354, 0.5, 0.707, 1, 1.189, 1.414, 1.682, 2, 2.828, 4};
constexpr std::uint64_t growth_keys = 2048;

[[nodiscard]] std::int64_t thousandths(double x) { return std::llround(1000 * x); }
[[nodiscard]] figure exponent_of(double rate) {
  return rate > 0 ? figure(thousandths(-std::log2(rate))) : std::nullopt;
}

[[nodiscard]] std::string listed(std::span<const figure> numbers) {
  std::string out;
  for (const figure& n : numbers) {
    if (!out.empty()) out += ',';
    out += n ? std::to_string(*n) : "null";
  }
  return "[" + out + "]";
}
template <class Numbers>
[[nodiscard]] std::string plain(const Numbers& numbers) {
  std::string out;
  for (const auto& n : numbers) out += fmt::format("{}{}", out.empty() ? "" : ",", n);
  return "[" + out + "]";
}

// The rates of a real one, planned for so many keys, as more and more come.
[[nodiscard]] std::vector<figure> growth_of(const any::kind& kind, std::span<const double> rates) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < growth_keys * 4; ++i) keys.push_back(hasher()(i));
  std::vector<figure> out;
  for (const double rate : rates) {
    std::unique_ptr<any::structure> made;
    std::size_t in = 0;
    for (const double share : times) {
      const auto until = static_cast<std::size_t>(std::lround(share * growth_keys));
      try {
        if (!made && in == 0) made = kind.create({.keys = growth_keys, .fpr = rate});
        if (made) made->insert(std::span(keys).subspan(in, until - in));
      } catch (const error&) {  // full, or out of its reach
        made.reset();
      }
      in = until;
      out.push_back(made ? exponent_of(made->expected_fpr()) : std::nullopt);
    }
  }
  return out;
}

[[nodiscard]] std::string as_data(const any::kind& kind, std::span<const std::uint64_t> keys,
                                  std::span<const double> rates, unsigned value_bits) {
  const traits& what = kind.what();
  const bool map = what.of == family::map;
  std::vector<figure> bits, rate, probes;
  for (const std::uint64_t n : keys)
    for (const double fpr : rates) {
      std::optional<umbel::plan> made;
      try {
        any::options wish = sized(kind, n, {.fpr = fpr});
        if (map) wish.value_bits = value_bits;
        made = kind.plan(wish);
      } catch (const bad_parameter&) {  // out of its reach
      }
      const bool offered = made && made->keys >= n && made->fpr > 0 && made->fpr <= 0.5;  // a coin does as well
      bits.push_back(offered ? figure(thousandths(made->bits_per_key())) : std::nullopt);
      rate.push_back(offered ? exponent_of(made->fpr) : std::nullopt);
      probes.push_back(offered ? figure(made->probes) : std::nullopt);
    }
  return fmt::format(
      R"({{"name":"{}","map":{},"grows":{},"expands":{},"erases":{},"counts":{},"merges":{},"ages":{},"forgets":{},"lines":{},)"
      R"("gives_up":"{}","bits":{},"rate":{},"probes":{},"growth":{}}})",
      kind.name(), map, !what.is_static, what.expands, what.erases, what.counts, what.mergeable, what.windowed,
      what.may_forget, what.lines, gives_up(what), listed(bits), listed(rate), listed(probes),
      what.is_static ? "null" : listed(growth_of(kind, rates)));
}

}  // namespace

std::string plan_page(const page_wish& wish) {
  const auto keys = key_stops();
  const auto rates = rate_stops();
  std::vector<const any::kind*> shown;
  for (const any::kind* const kind : any::kinds()) {
    const traits& what = kind->what();
    if (what.rated() &&
        (what.answers == output::boolean || (what.answers == output::value && wish.value_bits <= what.most_value_bits)))
      shown.push_back(kind);
  }
  std::vector<std::string> all(shown.size());
  umbel::detail::parallel_for(shown.size(), wish.threads,
                              [&](std::size_t i) { all[i] = as_data(*shown[i], keys, rates, wish.value_bits); });
  return fmt::format(
      "{}{{\"version\":\"{}\",\"value_bits\":{},\"start\":{{\"keys\":{},\"rate\":{}}},\"keys\":{},\"rates\":{},\n"
      "\"growth\":{{\"keys\":{},\"times\":{}}},\n\"kinds\":[\n{}\n]}}{}",
      plan_page_head, version(), wish.value_bits, wish.keys, wish.fpr, plain(keys), plain(rates), growth_keys,
      plain(times), fmt::join(all, ",\n"), plan_page_tail);
}

}  // namespace umbel::cli
