// ranked_bits_test.cpp - counts of set bits before each, against counting them one by one.
#include <umbel/cells/ranked_bits.hpp>

#include <random>

#include <gtest/gtest.h>

namespace umbel::cells {
namespace ranked_bits_test {
namespace {

TEST(RankedBits, CountsWhatIsSetBefore) {
  std::mt19937_64 random(1);
  for (const std::uint64_t size : {1U, 63U, 64U, 65U, 511U, 512U, 513U, 10'000U})
    for (const unsigned share : {0U, 3U, 50U, 100U}) {
      bits some(size);
      for (std::uint64_t i = 0; i < size; ++i)
        if (random() % 100 < share) some.set(i);
      const ranked_bits ranked(some);
      std::uint64_t before = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        ASSERT_EQ(ranked.rank(i), before) << i << " of " << size;
        ASSERT_EQ(ranked.test(i), some.test(i));
        before += some.test(i);
      }
      EXPECT_EQ(ranked.ones(), before);
    }
}

// Where near counts begin anew: 2^16 blocks of 512 bits.
TEST(RankedBits, CountsFarBits) {
  const std::uint64_t far = std::uint64_t{1} << 25;
  bits some(2 * far + 100);
  for (std::uint64_t& word : some.storage().span().first(2 * far / 64)) word = 0x5555555555555555;
  const ranked_bits ranked(std::move(some));
  for (const std::uint64_t i :
       {far - 1, far, far + 1, far + 513, 2 * far - 1, 2 * far, 2 * far + 99})
    EXPECT_EQ(ranked.rank(i), std::min(i + 1, 2 * far) / 2) << i;
}

}  // namespace
}  // namespace ranked_bits_test
}  // namespace umbel::cells
