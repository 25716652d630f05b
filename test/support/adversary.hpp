// adversary.hpp - fixtures of attacks: a filter under attack, and the attacker's copy of it.
// Idea       The attacker knows the program, the sizes and the seed; of a keyed filter everything
//            but the key. He can only run the program himself, so his copy is a filter with the
//            hash he assumes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/hash/hasher.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

#include "support/filter_bits.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::support {

inline constexpr secret_key victims_secret = {0x5e, 0xc2, 0xe7, 1, 2,  3,  4,  5,
                                              6,    7,    8,    9, 10, 11, 12, 13};

// The bits of one key, and whether a candidate would set only bits that are clear.
template <class Filter>
class attackers_copy {
 public:
  attackers_copy(const typename Filter::options_type& options, const hasher& belief)
      : shadow_(believing(options, belief)), single_(shadow_) {}

  [[nodiscard]] Filter& shadow() noexcept { return shadow_; }

  // Accepts the candidate if all its bits are new: as many as a key can set.
  bool insert_if_all_fresh(std::uint64_t candidate, std::uint64_t max_bits) {
    if (shadow_.may_contain(candidate)) return false;
    single_.clear();
    (void)single_.insert(candidate);
    const auto mine = words_of(single_);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] == 0) continue;  // nearly all of them
      if ((mine[i] & taken_[i]) != 0) return false;
      bits += static_cast<unsigned>(std::popcount(mine[i]));
    }
    if (bits != max_bits) return false;
    (void)shadow_.insert(candidate);
    taken_ = words_of(shadow_);
    return true;
  }

 private:
  static typename Filter::options_type believing(typename Filter::options_type options,
                                                 const hasher& belief) {
    options.hash = belief;
    return options;
  }
  Filter shadow_, single_;
  std::vector<std::uint64_t> taken_ = words_of(shadow_);
};

using attacked_filters = ::testing::Types<bloom_filter, split_block_bloom_filter>;

// `hits` of `asked` keys pass at no more than an ordinary filter's rate. One-sided: fewer is fine.
[[nodiscard]] inline ::testing::AssertionResult at_the_honest_rate(std::uint64_t hits,
                                                                   std::uint64_t asked,
                                                                   double rate) {
  const double mean = static_cast<double>(asked) * rate;
  const double allowed = mean + 5 * std::sqrt(mean * (1 - rate)) + 1;
  auto result = static_cast<double>(hits) <= allowed ? ::testing::AssertionSuccess()
                                                     : ::testing::AssertionFailure();
  return result << hits << " of " << asked << " passed, at most " << allowed << " expected";
}

}  // namespace umbel::support
