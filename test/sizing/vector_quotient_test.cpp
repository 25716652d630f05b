// vector_quotient_test.cpp - plans of vector quotient filters [PCDBFJ21]: minimal sizes, and
// inverses.
#include <umbel/sizing/vector_quotient.hpp>

#include <gtest/gtest.h>

namespace umbel::sizing::vector_quotient_test {
namespace {

TEST(VectorQuotient, RatesMatchReferenceValues) {
  EXPECT_NEAR(vector_fpr(48'000'000, 1'000'000, 8), 0.0047, 0.00003);
  EXPECT_NEAR(vector_fpr(28'000'000, 1'000'000, 16), 2.4e-5, 0.03e-5);
  EXPECT_EQ(vector_fpr(0, 2, 8), 0);
  EXPECT_EQ(vector_room(2, 8), 96U);
  EXPECT_EQ(vector_room(2, 16), 56U);
}

TEST(VectorQuotient, APlanForARateIsTheCheapest) {
  for (const std::uint64_t n :
       {0ULL, 1ULL, 56ULL, 57ULL, 96ULL, 97ULL, 1000ULL, 100'000ULL, 1ULL << 40}) {
    for (double eps = 0.7; eps > 3e-5; eps /= 1.3) {
      const auto made = plan_vectors_for_rate(n, eps);
      ASSERT_LE(made.fpr, eps) << n;
      EXPECT_LE(n, vector_room(made.lines, made.tag_bits));
      for (const unsigned tag_bits : {8U, 16U}) {
        if (made.lines == 2) continue;
        const std::uint64_t less = made.lines - 2;
        EXPECT_FALSE(n <= vector_room(less, tag_bits) && vector_fpr(n, less, tag_bits) <= eps)
            << n << " at " << eps;
      }
    }
    EXPECT_TRUE(n < 1000 || plan_vectors_for_rate(n, 1e-6).fpr > 1e-6)
        << "out of reach: the best there is";
  }
}

TEST(VectorQuotient, BitsAndKeysGiveEachOther) {
  for (const std::uint64_t n : {97ULL, 5000ULL, 1'000'000ULL}) {
    for (const double eps : {0.3, 0.01, 0.004, 1e-4, 2e-5}) {
      const auto made = plan_vectors_for_rate(n, eps);
      const auto room = vectors_room_for(made.lines * vector_line_bits, eps);
      EXPECT_GE(room.keys, n);
      EXPECT_LE(room.fpr, eps);
      EXPECT_EQ(room.lines, made.lines);
      EXPECT_LE(plan_vectors_for_bits(n, made.lines * vector_line_bits).fpr, made.fpr);
    }
  }
  EXPECT_EQ(plan_vectors_for_bits(1000, 8000).lines, 14U) << "too few bits: what they give";
  EXPECT_EQ(plan_vectors_for_bits(1, 1).lines, 2U);
  const auto few = plan_vectors_for_bits(1'000'000, 1'000'000);  // of which no set can make 4.7 %
  EXPECT_EQ(few.keys, vector_room(few.lines, 8));
  EXPECT_EQ(few.fpr, vector_fpr(few.keys, few.lines, 8));
}

}  // namespace
}  // namespace umbel::sizing::vector_quotient_test
