// compress_test.cpp - compressed Bloom filters [Mit02]: the published tables from formulas and from
// real filters, refused messages, and changes between versions.
#include <umbel/codec/compress.hpp>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/coded_bits.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/blocked_bloom_filter.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/compressed.hpp>

#include "support/environment.hpp"
#include "support/filter_bits.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::test::compress_test {
namespace {

using bytes = std::vector<std::byte>;

constexpr std::uint64_t plenty = 1 << 26;
std::uint64_t keys_here() { return small_or(10'000, 100'000); }

bloom_filter filter_of(const std::vector<digest>& keys, double bits_per_key, unsigned probes) {
  const auto n = static_cast<double>(keys.size());
  bloom_filter out({.keys = keys.size(),
                    .bits = static_cast<std::uint64_t>(bits_per_key * n),
                    .probes = probes});
  out.insert_batch(keys);
  return out;
}
std::uint64_t hits(const bloom_filter& filter, std::uint64_t count, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    sum += filter.may_contain(digest_of(non_member_number(i, seed)));
  return sum;
}
double bits_per_key(const bytes& message, std::uint64_t keys) {
  return static_cast<double>(message.size()) * 8 / static_cast<double>(keys);
}

// The excess of Rice codes of gaps over the entropy: each set bit costs b + 1 bits and a unary
// quotient, where 2^b is about the mean gap times ln 2. At the fills of the tables that is 0.4 to
// 2.6 %.
double rice_over_entropy(double fill) {
  const double b = std::max(0.0, std::round(std::log2(std::numbers::ln2 / fill))),
               pass = std::pow(1 - fill, std::exp2(b));
  return (b + 1 + pass / (1 - pass)) * fill / sizing::bit_entropy(fill);
}

struct row {
  double bits, sent, fpr;
  unsigned probes;
};
// [BM04] Table I, then the other tables of [Mit02]; all by the formulas.
constexpr row rows[] = {
    {16, 16, .000459, 11},    {28, 15.846, .000314, 4}, {48, 15.829, .000222, 3},
    {8, 8, .0216, 6},         {14, 7.923, .0177, 2},    {92, 7.923, .0108, 1},
    {12.6, 7.582, .0215, 2},  {46, 6.891, .0215, 1},    {37.5, 14.666, .000454, 3},
    {93, 13.815, .000453, 2},
};

TEST(CompressedSizing, MatchesThePublishedTables) {
  for (const row& r : rows) {
    EXPECT_NEAR(sizing::bloom_fpr_asymptotic(1, r.bits, r.probes), r.fpr, 0.006 * r.fpr) << r.bits;
    // At half fill a code saves nothing; the table reports its bits in memory.
    EXPECT_NEAR(sizing::compressed_bits(r.bits, r.probes), r.sent, r.sent == r.bits ? 0.02 : 0.0006)
        << r.bits;
  }
}
TEST(CompressedSizing, TheBestShapeIsNoWorseThanAnyRow) {
  for (const row& r : rows) {
    const auto by_bits = sizing::plan_compressed_for_bits(r.sent, r.bits);
    EXPECT_LE(by_bits.fpr, r.fpr * 1.006) << r.bits;
    EXPECT_LE(by_bits.sent_per_key, r.sent * (1 + 1e-9));
    EXPECT_LE(by_bits.bits_per_key, r.bits);
    const auto by_rate = sizing::plan_compressed_for_rate(r.fpr, r.bits * 1.01);
    EXPECT_LE(by_rate.sent_per_key, r.sent * 1.002) << r.bits;
    EXPECT_NEAR(sizing::bloom_fpr_asymptotic(1, by_rate.bits_per_key, by_rate.probes), r.fpr,
                1e-9 * r.fpr);
  }
}
TEST(CompressedSizing, EachPlanIsTheOthersInverse) {
  for (const double most : {20.0, 64.0, 1000.0})
    for (const double z : {4.0, 8.0, 16.0}) {
      const auto there = sizing::plan_compressed_for_bits(z, most);
      const auto back = sizing::plan_compressed_for_rate(there.fpr, most * (1 + 1e-9));
      EXPECT_NEAR(back.sent_per_key, there.sent_per_key, 1e-6 * z) << most;
      EXPECT_EQ(back.probes, there.probes);
    }
}
TEST(CompressedSizing, MoreMemoryLowersTheRateTowardsItsLimit) {
  double before = 1;
  for (const double most : {8.0, 16.0, 64.0, 1e3, 1e6, 1e12}) {
    const double fpr = sizing::plan_compressed_for_bits(8, most).fpr;
    EXPECT_LE(fpr, before);
    EXPECT_GT(fpr, std::exp2(-8.0));
    before = fpr;
  }
  EXPECT_LE(before, std::numbers::e * std::exp2(-8.0));
  // No space saved: a plain filter.
  EXPECT_NEAR(sizing::plan_compressed_for_bits(8, 8).fpr, std::pow(0.6185, 8), 0.0003);
  EXPECT_EQ(sizing::plan_compressed_for_rate(0.001, 5).bits_per_key, 0)
      << "no filter is that small";
}
TEST(CompressedSizing, ChangesCostWhatIsPublished) {
  const row five_percent[] = {{8, 1.6713, .0217, 5},
                              {12, 1.6532, .0108, 3},
                              {32, 1.6607, .0037, 2},
                              {16, 3.424, .00046, 11},
                              {48, 2.491, .00022, 3}};
  for (const row& r : five_percent) {
    EXPECT_NEAR(sizing::compressed_change_bits(r.bits, r.probes, 0.05), r.sent, 0.0006) << r.bits;
    EXPECT_NEAR(sizing::bloom_fpr_asymptotic(1, r.bits, r.probes), r.fpr, 0.012 * r.fpr) << r.bits;
  }
}

// The same rows from real filters and the real coder.
TEST(Compressed, RealFiltersMatchThePublishedTables) {
  const std::uint64_t n = keys_here();
  const auto keys = members(n, 700);
  for (const row& r : rows) {
    const auto filter = filter_of(keys, r.bits, r.probes);
    const auto message = compress(filter);
    EXPECT_NEAR(bits_per_key(message, n), r.sent, (small() ? 0.05 : 0.01) * r.sent) << r.bits;
    const double entropy =
        static_cast<double>(filter.size_in_bits()) * sizing::bit_entropy(filter.fill()) / 8;
    EXPECT_LE(static_cast<double>(message.size()), 1.011 * entropy + 16 + 512) << r.bits;
    const std::uint64_t asked = small_or(50'000, 1'000'000);
    EXPECT_TRUE(binomial_gate(hits(filter, asked, 700), asked,
                              sizing::bloom_fpr(n, filter.size_in_bits(), r.probes)));
    EXPECT_TRUE(decompress<bloom_filter>(message, plenty) == filter) << r.bits;
    const auto rice = compress(filter, bit_code::rice);
    EXPECT_TRUE(decompress<bloom_filter>(rice, plenty) == filter) << r.bits;
    if (r.bits != r.sent) {
      EXPECT_NEAR(static_cast<double>(rice.size()) / static_cast<double>(message.size()),
                  rice_over_entropy(filter.fill()), 0.005)
          << r.bits;
    }
  }
}
TEST(Compressed, RealChangesCostWhatIsPublished) {
  const std::uint64_t n = keys_here();
  const auto keys = members(n + n / 20, 701);
  for (const auto& [bits, probes] :
       {std::pair(8.0, 5U), {12.0, 3U}, {32.0, 2U}, {16.0, 11U}, {48.0, 3U}}) {
    const auto before =
        filter_of({keys.begin(), keys.begin() + static_cast<long>(n)}, bits, probes);
    const auto after = filter_of({keys.end() - static_cast<long>(n), keys.end()}, bits, probes);
    const auto message = compress_change(before, after);
    const double expected = sizing::compressed_change_bits(bits, probes, 0.05);
    // 448 bytes of header.
    EXPECT_NEAR(bits_per_key(message, n), expected, (small() ? 0.25 : 0.03) * expected) << bits;
    EXPECT_TRUE(apply_change(before, message) == after) << bits;
    EXPECT_THROW((void)apply_change(after, message), incompatible) << "made from another file";
    EXPECT_THROW((void)decompress<bloom_filter>(message, plenty), incompatible);
    EXPECT_THROW((void)apply_change(before, compress(after)), incompatible);
  }
}

// The range coder [Mar79] alone against the entropy bound, at every fill and size.
TEST(Compressed, CodesStayWithinAThousandthOfTheEntropy) {
  for (const std::uint64_t size : {64UL, 640UL, 64'000UL, 640'000UL})
    for (const double share : {0.5 / static_cast<double>(size), 1e-3, 0.03, 0.2, 0.5, 0.97}) {
      bytes bits(size / 8);
      for (std::uint64_t i = 0; i < size; ++i)
        if (static_cast<double>(scatter(i + size) >> 11) * 0x1p-53 < share)
          bits[i / 8] |= std::byte{1} << (i % 8);
      const std::uint64_t ones = cells::ones_in(bits);
      if (ones == 0 || ones == size) continue;
      const auto code = cells::range_encode(bits, ones);
      const double entropy =
          sizing::bit_entropy(static_cast<double>(ones) / static_cast<double>(size));
      EXPECT_LE(static_cast<double>(code.size()),
                1.001 * static_cast<double>(size) * entropy / 8 + 16)
          << size << share;
      bytes again(bits.size());
      cells::range_decode(code, ones, again);
      EXPECT_EQ(again, bits);
      again.assign(bits.size(), std::byte{0});
      cells::rice_decode(cells::rice_encode(bits, ones), ones, again);
      EXPECT_EQ(again, bits);
    }
}
// A long run of ones in the code is where a carry propagates: the bits are chosen so that `low`
// approaches it.
TEST(Compressed, CarriesPropagate) {
  std::uint64_t carried = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    bytes bits(16);
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits[i] = static_cast<std::byte>(scatter(seed * 16 + i) | scatter(seed + i));
    const std::uint64_t ones = cells::ones_in(bits);
    if (ones == 128) continue;
    const auto code = cells::range_encode(bits, ones);
    carried += code[1] == std::byte{0};
    bytes again(bits.size());
    cells::range_decode(code, ones, again);
    ASSERT_EQ(again, bits) << seed;
  }
  EXPECT_GT(carried, 0U);
}

TEST(Compressed, EmptyAndFullFiltersTakeTheirHeaderAlone) {
  bloom_filter filter({.keys = 1000, .bits = 6400, .probes = 3});
  const auto empty = compress(filter);
  EXPECT_LE(empty.size(), 512U);
  EXPECT_TRUE(decompress<bloom_filter>(empty, plenty) == filter);
  filter.insert_batch(members(50'000, 702));
  ASSERT_EQ(filter.fill(), 1);
  EXPECT_LE(compress(filter).size(), 512U);
  EXPECT_TRUE(decompress<bloom_filter>(compress(filter), plenty) == filter);
}

// Any structure can be sent. One that does not compress costs its header, twice 24 bytes and no
// more.
TEST(Compressed, AnyFilterOverBitsAndAnyOtherStructure) {
  const auto keys = members(5000, 703);
  const auto blocked =
      blocked_bloom_filter::build(keys, {.keys = 5000, .bits = 100'000, .probes = 3});
  EXPECT_LT(compress(blocked).size(), encode(blocked).size());
  EXPECT_TRUE(decompress<blocked_bloom_filter>(compress(blocked), plenty) == blocked);
  const auto fuse = binary_fuse_filter::build(keys, {.fpr = 0.01});
  EXPECT_LE(compress(fuse).size(), encode(fuse).size() + 16 + 4 * 24);
  EXPECT_TRUE(decompress<binary_fuse_filter>(compress(fuse), plenty) == fuse);
}

TEST(Compressed, AMessageLargerThanAllowedIsRefusedBeforeMemoryIsTaken) {
  const auto filter = filter_of(members(1000, 704), 32, 2);
  const auto file = encode(filter);
  const auto message = compress(filter);
  EXPECT_NO_THROW((void)decompress<bloom_filter>(message, file.size()));
  EXPECT_THROW((void)decompress<bloom_filter>(message, file.size() - 1), bad_parameter);
}
TEST(Compressed, DamageIsRefused) {
  const auto filter = filter_of(members(200, 705), 32, 2);
  for (const bit_code how : {bit_code::range, bit_code::rice}) {
    const auto message = compress(filter, how);
    for (std::size_t size = 0; size < message.size(); ++size)
      EXPECT_THROW((void)decompress(std::span(message).first(size), plenty), corrupt) << size;
    auto longer = message;
    longer.push_back(std::byte{0});
    EXPECT_THROW((void)decompress(longer, plenty), corrupt);
    for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
      auto flipped = message;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_THROW((void)decompress(flipped, plenty), error) << bit;
    }
  }
}
TEST(Compressed, ChangesNeedFiltersOfTheSameShape) {
  const auto a = filter_of(members(1000, 706), 16, 4),
             other_size = filter_of(members(1000, 706), 17, 4);
  EXPECT_THROW((void)compress_change(a, other_size), incompatible);
  const bloom_filter other_seed(
      {.keys = 1000, .bits = 16'000, .probes = 4, .hash = hasher::seeded(3)});
  EXPECT_THROW((void)compress_change(a, other_seed), incompatible);
  EXPECT_LE(compress_change(a, a).size(), 512U);
}

}  // namespace
}  // namespace umbel::test::compress_test
