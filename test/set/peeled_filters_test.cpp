// peeled_filters_test.cpp - xor and binary fuse filters [GL20], [GL22]: their sizes compared.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/binary_fuse4_filter.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/xor_filter.hpp>

namespace umbel::peeled_filters_test {
namespace {

template <class Set>
double bits_per_key(std::uint64_t keys) {
  return Set::plan({.keys = keys, .fpr = 1.0 / 256}).bits_per_key();
}

TEST(PeeledFilters, FourCellsAreSmallerThanThreeFromTenThousandKeysOn) {
  for (std::uint64_t n = 10'000; n < 1'000'000'000; n = n * 3 / 2)
    EXPECT_LT(bits_per_key<binary_fuse4_filter>(n), bits_per_key<binary_fuse_filter>(n)) << n;
  EXPECT_LE(bits_per_key<binary_fuse4_filter>(10'000'000), 8.61);
  EXPECT_LE(bits_per_key<binary_fuse4_filter>(100'000'000), 8.61);
}

TEST(PeeledFilters, XorIsTheSmallestOfAThousandKeysAndTheLargestOfAMillion) {
  EXPECT_LT(bits_per_key<xor_filter>(1000), bits_per_key<binary_fuse_filter>(1000));
  EXPECT_LT(bits_per_key<xor_filter>(1000), bits_per_key<binary_fuse4_filter>(1000));
  EXPECT_GT(bits_per_key<xor_filter>(1'000'000), bits_per_key<binary_fuse_filter>(1'000'000));
  EXPECT_NEAR(bits_per_key<xor_filter>(1'000'000), 9.84, 0.01);
}

template <class Set>
class PeeledFilter : public testing::Test {};
using Sets = testing::Types<xor_filter, binary_fuse4_filter>;
TYPED_TEST_SUITE(PeeledFilter, Sets);

TYPED_TEST(PeeledFilter, TakesThePlannedSize) {
  for (const std::uint64_t n : {0U, 1U, 100U, 30'000U}) {
    std::vector<std::uint64_t> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) keys[i] = i;
    const auto set = TypeParam::build(keys, {.fpr = 1.0 / 256});
    const auto planned = TypeParam::plan({.keys = n, .fpr = 1.0 / 256});
    EXPECT_GE(set.size_in_bits(), planned.bits) << n;  // more if three graphs failed
    EXPECT_LE(static_cast<double>(set.size_in_bits()), 1.15 * static_cast<double>(planned.bits))
        << n;
    EXPECT_EQ(set.keys(), n);
    for (const std::uint64_t key : keys) ASSERT_TRUE(set.may_contain(key));
  }
}

}  // namespace
}  // namespace umbel::peeled_filters_test
