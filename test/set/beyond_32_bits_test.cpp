// beyond_32_bits_test.cpp - filters of more than 2^32 and 2^33 bits: answers are right and every
// part of the cells is used.
// A position cut to 32 bits would still give no false negatives, so the set bits are counted region
// by region. One filter takes a gigabyte: the test is left out of small runs and where memory is
// short.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <umbel/cells/words.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

#include "support/environment.hpp"
#include "support/gate.hpp"
#include "support/keys.hpp"

namespace umbel::beyond_32_bits_test {
namespace {

using test::members;
using test::non_members;
using test::within;

bool roomy() {
  return !test::small() && static_cast<double>(::sysconf(_SC_AVPHYS_PAGES)) *
                                   static_cast<double>(::sysconf(_SC_PAGESIZE)) >
                               3e9;
}

// Counts the set bits of a structure's cells in eight equal regions, through its own `describe`.
struct regions {
  std::uint64_t ones[8]{};
  void hash(const hasher&) {}
  void fields(std::string_view, const auto&) {}
  template <class Word>
  void array(std::string_view, const cells::words<Word>& words) {
    const auto all = words.span();
    for (std::size_t i = 0; i < 8; ++i)
      for (const Word word : all.subspan(all.size() / 8 * i, all.size() / 8))
        if (word != 0) ones[i] += static_cast<unsigned>(std::popcount(word));  // nearly all are
  }
};

template <class Filter>
void hold(std::uint64_t bits, std::uint64_t ones_per_key) {
  constexpr std::uint64_t n = 200'000;
  const auto keys = members(n, 1);
  Filter filter({.keys = bits / 10, .bits = bits});
  ASSERT_GE(filter.size_in_bits(), bits - 255);
  filter.insert_batch(keys);
  const auto found = std::make_unique<bool[]>(n);
  filter.may_contain_batch(keys, std::span(found.get(), n));
  EXPECT_EQ(std::count(found.get(), found.get() + n, true), static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < n; i += 100) ASSERT_TRUE(filter.may_contain(keys[i]));
  filter.may_contain_batch(non_members(n, 1), std::span(found.get(), n));
  EXPECT_EQ(std::count(found.get(), found.get() + n, true), 0);
  // n k balls into 8 regions: binomial with p = 1/8. A split block puts all bits of a key into one
  // region, which multiplies the variance by their number. Collisions are one in a thousand and are
  // the model error.
  regions counted;
  Filter::describe(filter, counted);
  for (const std::uint64_t ones : counted.ones) {
    const double mean = static_cast<double>(n * ones_per_key) / 8;
    EXPECT_TRUE(within(static_cast<double>(ones), mean,
                       std::sqrt(mean * static_cast<double>(ones_per_key))));
  }
}

TEST(Beyond32Bits, BloomFilterAcross2To32) {
  if (!roomy()) GTEST_SKIP() << "needs 3 GB of memory and a full-size run";
  constexpr std::uint64_t bits = (std::uint64_t{1} << 32) + 12'345;
  hold<bloom_filter>(bits, bloom_filter::plan({.keys = bits / 10, .bits = bits}).probes);
}
TEST(Beyond32Bits, BloomFilterAcross2To33) {
  if (!roomy()) GTEST_SKIP() << "needs 3 GB of memory and a full-size run";
  constexpr std::uint64_t bits = (std::uint64_t{1} << 33) + 12'345;
  hold<bloom_filter>(bits, bloom_filter::plan({.keys = bits / 10, .bits = bits}).probes);
}
TEST(Beyond32Bits, SplitBlocksAcross2To33) {
  if (!roomy()) GTEST_SKIP() << "needs 3 GB of memory and a full-size run";
  hold<split_block_bloom_filter>((std::uint64_t{1} << 33) + 512, 8);
}

}  // namespace
}  // namespace umbel::beyond_32_bits_test
