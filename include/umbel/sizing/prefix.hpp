// sizing/prefix.hpp - prefix filters [EEM22]: number of pockets (bins), size of the spare, false
// positive rate.
//
// The number of keys of a pocket is X ~ Poisson(mu). E[(X - c)+] of them go to the spare. A query
// of a non-member goes to the spare if its value is larger than the c-th smallest of X uniform
// values: probability 1 - c/(X + 1). It passes if a member has its pocket and value, with
// probability 1 - (1 - 1/(b v))^n, or else if it passes the spare.
//
// Symbols    n keys in b pockets of 256 bits; a pocket holds c = 25 values out of v = 6400;
//            mu = n/b. Keys that do not fit go to a spare of z blocks.
// Source     [EEM22] for the size of the spare and its share of keys. Its rate is from
//            sizing/blocked.hpp.
#pragma once

#include <cstdint>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned prefix_pocket_values = 25, prefix_value_range = 6400;
inline constexpr std::uint64_t prefix_pocket_bits = 256;  // a block of the spare has as many
inline constexpr double prefix_load = 0.95, prefix_least_load = 0.5;
// allowance for the variance of the share with few pockets
inline constexpr double prefix_spare_slack = 1.1;
inline constexpr double prefix_spare_bits = 12;  // per key of the spare
inline constexpr umbel::detail::block_shape prefix_spare{32, 8, 8, 1};

struct prefix_plan {
  std::uint64_t keys, pockets, spare_blocks;
  double fpr;
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept {
    return (pockets + spare_blocks) * prefix_pocket_bits;
  }
};

// Share of the keys that go to the spare: E[(X - c)+] / E[X]. The load is mu/c.
[[nodiscard]] double prefix_overflow_share(double load);
// Share of non-member queries that go to the spare.
[[nodiscard]] double prefix_spare_queries(double load);
// Blocks for 1.1 times the expected keys of the spare; at least one.
[[nodiscard]] std::uint64_t prefix_spare_blocks(std::uint64_t n, std::uint64_t pockets);
[[nodiscard]] double prefix_fpr(std::uint64_t n, std::uint64_t pockets, std::uint64_t spare_blocks);

// Fewest pockets with a load of at most 0.95, at least half full, and prefix_fpr <= eps. The lowest
// rate possible if none keeps eps.
[[nodiscard]] prefix_plan plan_prefix_for_rate(std::uint64_t n, double eps);
// Uses exactly these bits: the most pockets that leave enough for the spare. Above a load of 0.95,
// the ratio for 0.95.
[[nodiscard]] prefix_plan plan_prefix_for_bits(std::uint64_t n, std::uint64_t bits);
// The most keys that `bits` hold at rate eps. Uses at least one pocket and one block.
[[nodiscard]] prefix_plan prefix_room_for(std::uint64_t bits, double eps);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/prefix.ipp>
#endif
