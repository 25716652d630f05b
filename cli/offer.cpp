// offer.cpp - bodies of offer.hpp.
#include "offer.hpp"

#include <cstdlib>
#include <tuple>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "numbers.hpp"

namespace umbel::cli {

outcome offer_of(const any::kind& kind, const any::options& options,
                 std::optional<std::uint64_t> max_bytes) {
  try {
    const offer out{&kind, kind.plan(options)};
    if (out.plan.keys < *options.keys) return {.left_out = "would be full before all keys are in"};
    if (const std::uint64_t bytes = (out.plan.bits + 7) / 8; max_bytes && bytes > *max_bytes)
      return {.left_out = fmt::format("takes at least {}", show_bytes(bytes))};
    if (out.plan.fpr > 0.5) return {.left_out = "would have more than 50 % false positives"};
    return {.made = out};
  } catch (const bad_parameter& refused) {  // out of this kind's reach
    return {.left_out = refused.what()};
  }
}

budget_options within(std::uint64_t bytes, std::uint64_t keys) {
  return {.bits_per_key = 8.0 * static_cast<double>(bytes) / static_cast<double>(keys)};
}

double printed_rate(double rate) {
  return std::strtod(fmt::format("{:.3e}", rate).c_str(), nullptr);
}

bool goes_before(const offer& a, const offer& b, unknown sought, bool fastest) {
  const auto place = [&](const offer& o) {
    const double rate = printed_rate(o.plan.fpr);
    // most first
    return std::tuple(fastest ? o.lines() : 0, sought == unknown::keys ? ~o.plan.keys : 0,
                      sought == unknown::rate ? rate : 0, o.plan.bits, rate, o.lines());
  };
  return place(a) < place(b);
}

}  // namespace umbel::cli
