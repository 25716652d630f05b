// bloom_scheme_fold_test.cpp - a folded filter of any scheme is, bit for bit, the filter built at
// that size, as often as it can be folded.
// Idea       Halving maps a position to position mod m/2 where the scheme reduces modulo m, and to
//            position / 2 elsewhere.
#include <umbel/set/bloom_filter.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/filter_bits.hpp"
#include "support/schemes.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::bloom_scheme_fold_test {
namespace {

using core::k_probes;
using core::scheme;
using support::every_scheme;
using support::words_of;

constexpr std::uint64_t keys = 300;

void expect_built_small(const bloom_filter& folded, scheme how) {
  core::probes<k_probes, cells::bits> small(
      k_probes(folded.size_in_bits(), folded.probes(), 0, how));
  for (const auto key : statistics::members(keys)) (void)small.insert(folded.hash()(key));
  const auto words = small.cells().storage().span();
  ASSERT_EQ(words_of(folded), std::vector<std::uint64_t>(words.begin(), words.end()))
      << name_of(how) << ' ' << folded.size_in_bits();
}

// 3 * 2^17 bits, k = 6; `h3` takes 2^18. `last`: the size whose fold is refused, and why.
struct end {
  std::uint64_t last;
  std::string unit;
};
end end_of(scheme how) {
  if (how == scheme::triple || how == scheme::independent)
    return {3, "3 bits: the number of bits must be even"};
  const std::string under = " bits under scheme " + std::string(name_of(how)) +
                            ": the number of bits must be a multiple of ";
  if (how == scheme::partitioned) return {6, "6" + under + "12"};
  if (how == scheme::h3) return {1, "1" + under + "2"};
  return core::steps_modulo(how) ? end{6, "6" + under + "4"} : end{3, "3" + under + "2"};
}

TEST(BloomSchemeFold, EveryFoldIsTheFilterBuiltThatSmall) {
  for (const scheme how : every_scheme()) {
    constexpr std::uint64_t bits = std::uint64_t{3} << 17;
    const bloom_options options{
        .keys = keys, .bits = bits, .probes = support::probes_under(how, 6), .scheme = how};
    bloom_filter filter(options);
    (void)filter.insert_batch(statistics::members(keys));
    while (filter.size_in_bits() != end_of(how).last) {
      filter.fold();
      expect_built_small(filter, how);
      ASSERT_TRUE(filter.may_contain(statistics::member(0)));
    }
    const bloom_filter before = filter;
    try {
      filter.fold();
      ADD_FAILURE() << name_of(how) << " folded once too often";
    } catch (const bad_parameter& refused) {
      EXPECT_EQ(std::string(refused.what()), "cannot halve a filter of " + end_of(how).unit);
    }
    EXPECT_EQ(filter, before) << "a refusal changes nothing";
  }
}

// Halves that do not end at a word boundary, and halves that fit into one word.
TEST(BloomSchemeFold, HalvesMayEndInsideAWord) {
  for (const scheme how : every_scheme())
    for (const std::uint64_t bits : {12U, 36U, 132U, 260U, 1004U, 2052U, 16'388U}) {
      if (how == scheme::plain_double) continue;  // needs 65536 bits
      bloom_filter filter(
          {.keys = keys, .bits = bits, .probes = support::probes_under(how, 2), .scheme = how});
      (void)filter.insert_batch(statistics::members(keys));
      filter.fold();
      expect_built_small(filter, how);
    }
}

// A folded filter behaves as any other: the same inserts, merges and files.
TEST(BloomSchemeFold, EqualsAFreshFilter) {
  for (const scheme how : every_scheme()) {
    const unsigned probes = support::probes_under(how, 4);
    bloom_filter filter({.keys = keys, .bits = 1 << 18, .probes = probes, .scheme = how});
    bloom_filter fresh({.keys = keys, .bits = 1 << 17, .probes = probes, .scheme = how});
    (void)filter.insert_batch(statistics::members(keys));
    (void)fresh.insert_batch(statistics::members(2 * keys));
    filter.fold();
    for (std::uint64_t i = keys; i < 2 * keys; ++i) (void)filter.insert(statistics::member(i));
    EXPECT_EQ(filter, fresh) << name_of(how);
    EXPECT_NO_THROW(filter.merge(fresh));
  }
}

}  // namespace
}  // namespace umbel::bloom_scheme_fold_test
