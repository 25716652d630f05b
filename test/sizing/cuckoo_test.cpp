// cuckoo_test.cpp - plans of cuckoo filters [FAKM14]: capacity and buckets are inverse, sizes are
// minimal, rates are kept.
#include <umbel/sizing/cuckoo.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbel::sizing::cuckoo_test {
namespace {

TEST(Cuckoo, RoomAndBucketsAreInverse) {
  for (const unsigned b : {2U, 4U, 8U})
    for (const unsigned f : {4U, 8U, 16U})
      for (std::uint64_t n = 1; n < 3'000'000; n += 1 + n / 7) {
        const std::uint64_t nb = cuckoo_buckets(n, b, f);
        ASSERT_EQ(nb % 2, 0U);
        ASSERT_GE(nb * b, n);
        ASSERT_GE(cuckoo_room(nb, b, f), n) << n;
        ASSERT_TRUE(nb == 2 || cuckoo_room(nb - 2, b, f) < n) << n;
      }
}

// From a hundred thousand keys on, with tags of 8 bits or more: the load is within half a percent
// of the asymptotic threshold.
TEST(Cuckoo, LargeTablesReachTheirLoad) {
  for (const unsigned b : {4U, 8U}) {
    const std::uint64_t nb = cuckoo_buckets(1'000'000, b, 12);
    EXPECT_NEAR(1e6 / static_cast<double>(nb * b), cuckoo_load(b), 0.005);
  }
  EXPECT_NEAR(1e6 / static_cast<double>(2 * cuckoo_buckets(1'000'000, 2, 14)), cuckoo_load(2),
              0.005);
}

TEST(Cuckoo, PlansKeepTheRateInTheFewestBits) {
  for (const std::uint64_t n : {1ULL, 8ULL, 9ULL, 100ULL, 5000ULL, 1'000'000ULL})
    for (double eps = 0.7; eps > 1e-8; eps /= 1.7) {
      const auto made = plan_cuckoo_for_rate(n, eps, 4);
      ASSERT_LE(made.fpr, eps * (1 + 1e-9)) << n << " " << eps;
      ASSERT_EQ(made.fpr, cuckoo_fpr(n, made.buckets, made.width));
      ASSERT_GE(cuckoo_room(made.buckets, 4, made.width), n);
      for (unsigned f = 2; f < 32; ++f) {  // no other width does it in less
        const std::uint64_t fewer = (made.buckets * made.width - 1) / f / 2 * 2;
        ASSERT_TRUE(fewer < cuckoo_buckets(n, 4, f) || cuckoo_fpr(n, fewer, f) > eps ||
                    fewer * f >= made.buckets * made.width)
            << n << " " << eps << " " << f;
      }
    }
}

TEST(Cuckoo, AnyTwoOfThree) {
  for (const std::uint64_t n : {1ULL, 9ULL, 300ULL, 10'000ULL, 3'000'000ULL})
    for (const auto& [eps, sorted] : {std::pair{0.2, false},
                                      {0.01, false},
                                      {1e-4, false},
                                      {1e-7, false},
                                      {0.2, true},
                                      {0.01, true},
                                      {1e-3, true}}) {
      const auto made = plan_cuckoo_for_rate(n, eps, 4, sorted);
      const std::uint64_t bits = cuckoo_bits(made.buckets, 4, made.width, sorted);
      const auto by_bits = plan_cuckoo_for_bits(n, bits, 4, sorted);
      EXPECT_EQ(by_bits.keys, n);
      EXPECT_LE(by_bits.fpr, made.fpr * (1 + 1e-9));
      EXPECT_LE(cuckoo_bits(by_bits.buckets, 4, by_bits.width, sorted), bits);
      const auto room = cuckoo_room_for(bits, eps, 4, sorted);
      EXPECT_GE(room.keys, n);
      EXPECT_LE(room.fpr, eps * (1 + 1e-9));
      EXPECT_LE(cuckoo_bits(room.buckets, 4, room.width, sorted), bits);
    }
}

// Against a Bloom filter's 1.4427 x bits per key, x = log2(1/fpr), plain buckets are smaller from x
// = 8.1 on and sorted ones from 5.4, if a tag takes x + 3 bits. In a table filled to .95 it takes x
// + 2.93.
TEST(Cuckoo, SmallerThanBloomFromWhereTheyShould) {
  const std::uint64_t n = 10'000'000;
  for (const auto& [sorted, crossing] : {std::pair{true, 5.4}, {false, 8.1}})
    for (unsigned f = 5; f <= 16; ++f) {
      const std::uint64_t nb = cuckoo_buckets(n, 4, f);
      const double x = -std::log2(cuckoo_fpr(n, nb, f));
      const double bits =
          static_cast<double>(cuckoo_bits(nb, 4, f, sorted)) / static_cast<double>(n);
      if (x > crossing) {
        EXPECT_LT(bits, 1.4427 * x) << f;
      } else if (x < crossing - 0.3) {
        EXPECT_GT(bits, 1.4427 * x) << f;
      }
    }
}

// If the bits are too few for all keys, the plan says how many fit.
TEST(Cuckoo, TooFewBits) {
  const auto made = plan_cuckoo_for_bits(1'000'000, 10'000, 4);
  EXPECT_LT(made.keys, 5000U);
  EXPECT_GT(made.keys, 500U);
  EXPECT_EQ(made.keys, cuckoo_room(made.buckets, 4, made.width));
  EXPECT_EQ(plan_cuckoo_for_bits(10, 1, 4).buckets, 2U);
}

}  // namespace
}  // namespace umbel::sizing::cuckoo_test
