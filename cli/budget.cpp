// budget.cpp - bodies of budget.hpp.
#include "budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>

#include "numbers.hpp"

namespace umbel::cli {

void add_budget_options(option_list& takes, budget_options& into, const char* otherwise) {
  takes.parsed("--fpr", into.fpr, parse_rate, "RATE",
               fmt::format("false positive rate: 0.01, 1%, 2^-8, \"1 in 1000\" ({})", otherwise));
  takes.parsed("--bits-per-key", into.bits_per_key, parse_positive, "BITS",
               "size to use, instead of the rate");
  takes.exclude("--bits-per-key", "--fpr");
}

double rate_within(const any::kind& kind, std::uint64_t keys, double bits_per_key) {
  const auto cost = [&](double bits) {
    try {
      return kind.plan({.keys = keys, .fpr = std::exp2(-bits)}).bits_per_key();
    } catch (const bad_parameter&) {
      return std::numeric_limits<double>::infinity();  // a rate out of this kind's reach
    }
  };
  // other refusals are its own
  const double least = kind.plan({.keys = keys, .fpr = 0.5}).bits_per_key();
  if (least > bits_per_key)
    throw bad_parameter(
        fmt::format("--bits-per-key: a {} of {} keys takes at least {:.2f} bits per key, found {}",
                    kind.name(), grouped(keys), least, bits_per_key));
  if (cost(64) <= bits_per_key) return core::smallest_fpr;
  // Whole powers of 1/2 first: most static kinds have no rates between them, and are done after one
  // look beyond.
  double fits = 1, wide = 64;  // log2(1/rate)
  while (wide - fits > 1) {
    const double middle = std::floor((fits + wide) / 2);
    (cost(middle) <= bits_per_key ? fits : wide) = middle;
  }
  constexpr double precision = 0x1p-26;
  if (cost(fits + precision) > bits_per_key) return std::exp2(-fits);
  while (wide - fits > precision) {
    const double middle = (fits + wide) / 2;
    (cost(middle) <= bits_per_key ? fits : wide) = middle;
  }
  return std::exp2(-fits);
}

bool takes_a_size(const any::kind& kind) {
  if (!kind.traits().is_static) return true;
  try {
    (void)kind.plan({.keys = 1000, .bits = 100'000});
    return true;
  } catch (const bad_parameter&) {
    return false;
  }
}

any::options sized(const any::kind& kind, std::uint64_t keys, const budget_options& options) {
  any::options out{.keys = keys};
  if (!kind.traits().rated()) {
    out.fpr = options.fpr;  // which the kind refuses in its own words
    if (options.bits_per_key)
      throw bad_parameter(
          fmt::format("--bits-per-key: the size of a {} follows from its keys", kind.name()));
    return out;
  }
  if (!options.bits_per_key) {
    out.fpr = options.fpr.value_or(default_fpr);
  } else if (!takes_a_size(kind)) {
    out.fpr = keys == 0 ? default_fpr : rate_within(kind, keys, *options.bits_per_key);
  } else {
    // What division and multiplication round up, 2^-51 of it, must not become a bit more than the
    // memory given.
    const double all =
        *options.bits_per_key * static_cast<double>(std::max<std::uint64_t>(keys, 1));
    const double bits = std::ceil(all * (1 - 0x1p-50));
    if (bits > static_cast<double>(sizing::max_bits))
      throw bad_parameter(fmt::format("--bits-per-key: {} for {} keys is more than 2^56 bits",
                                      *options.bits_per_key, keys));
    out.bits = static_cast<std::uint64_t>(bits);
  }
  return out;
}

}  // namespace umbel::cli
