// fold.cpp - a folded filter is, bit for bit, the filter built at half the size, where bits follow
// from the keys.
// Sizes are powers of two times a block, so that every kind that folds can fold several times.
#include <algorithm>
#include <string_view>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

// Keys and bits scale together, so that the number of probes is the same at every size.
constexpr std::uint64_t bits_per_key = 16;
structure_ptr sized(const any::kind& kind, std::uint64_t bits, std::span<const digest> keys) {
  auto out = kind.create({.keys = bits / bits_per_key, .bits = bits});
  out->insert(keys);
  return out;
}

// Bits of the smallest filter of the kind: one bit, or one block.
std::uint64_t smallest(const any::kind& kind) {
  return kind.create({.keys = 1, .bits = 1})->size_in_bits();
}

class Fold : public kind_test {};
class ExactFold : public kind_test {};

TEST_P(ExactFold, EqualsTheFilterBuiltSmall) {
  const auto keys = members(800, 41);
  // Plain filters use another probing scheme below 4096 cells. Folding across that limit keeps the
  // scheme, so the limit is not crossed here.
  unsigned folded = 0;
  for (const std::uint64_t bits : {1 << 18, 3 << 15, 1 << 13, 1 << 12 >> 1, 1 << 10}) {
    if (bits < 2 * smallest(kind())) continue;
    ++folded;
    const auto large = sized(kind(), bits, keys);
    large->fold();
    const auto built_small = sized(kind(), bits / 2, keys);
    EXPECT_EQ(large->size_in_bits(), bits / 2);
    EXPECT_TRUE(large->equals(*built_small)) << bits << " bits, seed 41";
    EXPECT_EQ(large->encode(), built_small->encode()) << bits << " bits, seed 41";
  }
  EXPECT_EQ(folded, kind().name() == "two-line-bloom-filter" ? 4U : 5U)
      << "one block has 1024 bits there, at most 512 elsewhere";
}

TEST_P(Fold, ManyTimesStillForgetsNothing) {
  const auto keys = members(500, 42);
  const auto filter = sized(kind(), 1 << 16, keys);
  for (std::uint64_t bits = 1 << 16; bits > std::max<std::uint64_t>(512, smallest(kind()));
       bits /= 2) {
    ASSERT_EQ(filter->size_in_bits(), bits);
    ASSERT_TRUE(forgets_nothing(*filter, keys)) << bits;
    filter->fold();
  }
}

TEST_P(ExactFold, OnceThenInsertEqualsInsertThenFold) {
  const auto before = members(300, 43), after = members(300, 44);
  const auto a = sized(kind(), 1 << 15, before);
  a->fold();
  a->insert(after);
  const auto b = sized(kind(), 1 << 15, joined(before, after));
  b->fold();
  EXPECT_TRUE(a->equals(*b));
}

TEST_P(Fold, AcceptsWhatItAcceptedBefore) {
  const auto filter = sized(kind(), 1 << 14, members(1000, 46));
  const auto asked = non_members(20'000, 46);
  const answers before(*filter, asked);
  filter->fold();
  const answers after(*filter, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_GE(after[i], before[i]) << i;
  EXPECT_GT(after.hits(), before.hits());
}

TEST_P(Fold, OfAnOddSizeIsRefusedAndChangesNothing) {
  const auto filter = sized(kind(), 3 * 256, members(20, 45));
  int folded = 0;
  try {
    for (; folded < 20; ++folded) filter->fold();  // 3 * 2^8 halves at most eight times
    FAIL() << "an odd number of cells was halved";
  } catch (const bad_parameter& refused) {
    EXPECT_LE(folded, 8);
    EXPECT_NE(std::string_view(refused.what()).find("halve"), std::string_view::npos)
        << refused.what();
  }
  EXPECT_TRUE(forgets_nothing(*filter, members(20, 45)));
}

UMBEL_KINDS_ONLY(folds, Fold, folding_kinds);
bool folds_exactly(const any::kind& kind) { return folds(kind) && is_its_keys(kind); }
UMBEL_KINDS_ONLY(folds_exactly, ExactFold, without(folding_kinds, {"two-choice-bloom-filter"}));

}  // namespace
}  // namespace umbel::test
