// growth.cpp - kinds that take more memory as keys come: planned for 100 keys, they lose none and
// keep the planned rate at every size.
#include "support/gate.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Growth : public kind_test {};

TEST_P(Growth, KeepsItsRateHoweverManyKeysCome) {
  constexpr double fpr = 0.01;
  const auto keys = members(small_or(10'000, 300'000), 410);
  const std::uint64_t non_members = small_or(10'000, 100'000);
  const auto grown = create(100, {.fpr = fpr});
  std::size_t in = 0;
  for (std::size_t until = 100; in < keys.size(); until *= 2) {
    until = std::min(until, keys.size());
    grown->insert(std::span(keys).subspan(in, until - in));
    in = until;
    EXPECT_LE(grown->expected_fpr(), fpr * (1 + 1e-9)) << in;
    const std::uint64_t hits = non_member_hits(*grown, non_members, 411);
    EXPECT_TRUE(no_more_than(hits, non_members, fpr)) << in;
    EXPECT_TRUE(no_more_than(hits, non_members, grown->expected_fpr())) << in;
  }
  EXPECT_TRUE(forgets_nothing(*grown, keys));
  EXPECT_TRUE(forgets_nothing(*kind().decode(grown->encode(), {}), keys));
}

UMBEL_KINDS_ONLY(expands, Growth, "expandable-filter", "scalable-bloom-filter",
                 "taffy-block-filter", "taffy-cuckoo-filter");

}  // namespace
}  // namespace umbel::test
