// sizing/prefix.hpp - prefix filters: how many pockets, how large a spare, how wrong.
// Words      n keys in b pockets of 256 bits, c = 25 values of v = 6400 each; mu = n/b. What does
//            not fit goes to a spare of z blocks.
// Idea       The keys of a pocket are X ~ Poisson(mu). E[(X - c)+] of them go to the spare. A
//            non-member is asked of it where its value is beyond the c-th smallest of X uniform
//            ones: 1 - c/(X + 1) of the time. It passes if a member has its pocket and its value, 1
//            - (1
//            - 1/(b v))^n, or else if the spare errs.
// Source     [EEM22] for the spare's share and size; its rate is sizing/blocked.hpp's.
#pragma once

#include <cstdint>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/config.hpp>

namespace umbel::sizing {

inline constexpr unsigned prefix_pocket_values = 25, prefix_value_range = 6400;
inline constexpr std::uint64_t prefix_pocket_bits = 256;  // and as many has a block of the spare
inline constexpr double prefix_load = 0.95, prefix_least_load = 0.5;
// the sheet's: the share varies where there are few pockets
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

// Of the keys, those that go to the spare: E[(X - c)+] / E[X]. The load is mu/c.
[[nodiscard]] double prefix_overflow_share(double load);
// Of the non-members, those that the spare is asked for.
[[nodiscard]] double prefix_spare_queries(double load);
// Blocks for 1.1 times the keys that are expected in the spare; at least one.
[[nodiscard]] std::uint64_t prefix_spare_blocks(std::uint64_t n, std::uint64_t pockets);
[[nodiscard]] double prefix_fpr(std::uint64_t n, std::uint64_t pockets, std::uint64_t spare_blocks);

// Fewest pockets with a load of at most 0.95 and prefix_fpr <= eps, in pockets that are at least
// half full; the least rate there is, if none keeps eps.
[[nodiscard]] prefix_plan plan_prefix_for_rate(std::uint64_t n, double eps);
// Just these bits: most pockets that leave the spare what it needs. Past a load of 0.95, divided as
// there.
[[nodiscard]] prefix_plan plan_prefix_for_bits(std::uint64_t n, std::uint64_t bits);
// The most keys that `bits` hold at rate eps. At least one pocket and one block are taken.
[[nodiscard]] prefix_plan prefix_room_for(std::uint64_t bits, double eps);

}  // namespace umbel::sizing

#if UMBEL_WITH_BODIES
#include <umbel/sizing/prefix.ipp>
#endif
