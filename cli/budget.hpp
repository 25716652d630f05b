// budget.hpp - the options that set a structure's size: a false positive rate, or bits per key.
#pragma once

#include <cstdint>
#include <optional>

#include <umbel/any/any.hpp>

#include "options.hpp"

namespace umbel::cli {

inline constexpr double default_fpr = 1.0 / 256;

struct budget_options {
  std::optional<double> fpr{};
  std::optional<double> bits_per_key{};
};
void add_budget_options(option_list& takes, budget_options& into, const char* otherwise);

// The smallest rate a static kind keeps within so many bits per key, found by asking its plan.
// Throws bad_parameter when even a rate of 1 in 2 takes more.
[[nodiscard]] double rate_within(const any::kind& kind, std::uint64_t keys, double bits_per_key);

// Whether a kind takes a number of bits instead of a rate. Most static kinds do not: their size
// follows from their rate.
[[nodiscard]] bool takes_a_size(const any::kind& kind);

// The options that make `kind` for so many keys; a rate of 1 in 256 where nothing was asked.
[[nodiscard]] any::options sized(const any::kind& kind, std::uint64_t keys,
                                 const budget_options& options);

}  // namespace umbel::cli
