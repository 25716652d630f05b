// universe.cpp - what every exact set reports of its universe: the number of keys on either side
// and, where it was asked to check, a member missing from the universe.
#include <umbel/core/universe.hpp>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class Universe : public kind_test {};

TEST_P(Universe, ReportsBothSides) {
  const auto keys = members(50, 1), others = members(200, 2);
  for (const auto& given : {joined(keys, others), others, joined(others, others)}) {
    const auto made = kind().build(spooled(joined(keys, keys)), spooled(given), {});
    EXPECT_EQ(made->keys(), 50U);
    EXPECT_EQ(made->universe(), 250U);
  }
}

TEST_P(Universe, ReportsAMemberMissingFromTheUniverse) {
  const auto keys = members(50, 3), others = members(200, 4);
  const auto all = joined(keys, others);
  const any::options strict{.members_in_universe = true};
  EXPECT_TRUE(kind()
                  .build(spooled(keys), spooled(all), strict)
                  ->equals(*kind().build(spooled(keys), spooled(others), {})));
  try {
    (void)kind().build(spooled(all), spooled(keys), strict);
    ADD_FAILURE() << "swapped lists";
  } catch (const core::incomplete_universe& refused) {
    EXPECT_EQ(refused.members, 250U);
    EXPECT_EQ(refused.missing, 200U);
  }
  auto but_one = all;
  but_one.erase(but_one.begin() + 7);
  EXPECT_THROW((void)kind().build(spooled(keys), spooled(but_one), strict),
               core::incomplete_universe);
}

UMBEL_KINDS_ONLY(is_exact, Universe, exact_kinds);

class NoUniverse : public kind_test {};
TEST_P(NoUniverse, OtherKindsReportNoUniverse) {
  EXPECT_EQ(build(members(10, 5))->universe(), std::nullopt);
}
bool has_no_universe(const any::kind& kind) { return !is_exact(kind); }
UMBEL_KINDS_BUT(has_no_universe, NoUniverse, exact_kinds);

}  // namespace
}  // namespace umbel::test
