// bank_filter_test.cpp - banks of Bloom filters: a member's class is always reported, the error is
// as computed, and every slice is a whole filter [CLF04], [LPB05].
#include <umbel/set/bank_filter.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/set/bloom_filter.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::bank_filter_test {
namespace {

using code = bank_filter::code;
using verdict = bank_filter::verdict;
using statistics::binomial_gate;
using statistics::member;
using statistics::non_member;

constexpr std::uint64_t keys = 40'000, non_members = 200'000;

std::vector<std::pair<std::uint64_t, unsigned>> pairs(std::uint64_t count, unsigned classes) {
  std::vector<std::pair<std::uint64_t, unsigned>> out;
  for (std::uint64_t i = 0; i < count; ++i)
    out.emplace_back(member(i), static_cast<unsigned>(i % classes));
  return out;
}
std::vector<std::uint64_t> some_non_members(std::uint64_t count) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(non_member(i));
  return out;
}

TEST(PlainBank, NamesTheTrueClassAndFewOthers) {
  constexpr unsigned classes = 20;
  const auto bank = bank_filter::build(pairs(keys, classes), {.fpr = 0.01, .classes = classes});
  EXPECT_EQ(bank.filters(), classes);
  const auto rates = bank.member_rates();
  double f = 0;
  for (const double rate : rates) f += rate / classes;
  std::uint64_t wrong = 0, unclear = 0;
  for (const auto& [k, number] : pairs(keys, classes)) {
    const owners found = bank.where(k);
    ASSERT_TRUE(found.contains(number));
    wrong += found.count() - 1;
    const auto one = bank.find(k);
    ASSERT_EQ(one.what, found.count() == 1 ? verdict::found : verdict::unclear);
    if (found.count() == 1) {
      ASSERT_EQ(one.number, number);
    }
    unclear += one.what == verdict::unclear;
    ASSERT_EQ(bank.find(k, bank_policy::first).what, verdict::found);
  }
  EXPECT_NEAR(f, 0.01, 0.0005);
  EXPECT_TRUE(binomial_gate(wrong, keys * (classes - 1), f)) << "expected wrong classes: (C - 1) f";
  EXPECT_TRUE(binomial_gate(unclear, keys, 1 - sizing::coded_right(classes, 1, f)));

  std::uint64_t any = 0;
  for (std::uint64_t i = 0; i < non_members; ++i) any += !bank.where(non_member(i)).empty();
  EXPECT_TRUE(binomial_gate(any, non_members, bank.expected_fpr()));
  EXPECT_TRUE(binomial_gate(any, non_members, 1 - sizing::coded_absent(classes, f)));
}

TEST(PlainBank, SlicesAreSeparateFilters) {
  constexpr unsigned classes = 70;  // more than a word
  const auto bank = bank_filter::build(pairs(7000, classes), {.fpr = 0.05, .classes = classes});
  std::vector<bloom_filter> apart;
  for (unsigned i = 0; i < classes; ++i)
    apart.emplace_back(
        bloom_options{.keys = 100, .bits = bank.bits_per_filter(), .probes = bank.probes()});
  for (const auto& [k, number] : pairs(7000, classes)) apart[number].insert(k);
  for (std::uint64_t i = 0; i < 2000; ++i)
    for (const std::uint64_t k : {member(i), non_member(i)}) {
      const owners found = bank.where(k);
      for (unsigned j = 0; j < classes; ++j) ASSERT_EQ(found.contains(j), apart[j].may_contain(k));
    }
}

TEST(PlainBank, PoliciesForSeveralAnswers) {
  bank_filter bank({.keys = 100, .fpr = 1e-6, .classes = 5});
  EXPECT_TRUE(bank.insert("both", 3));
  EXPECT_TRUE(bank.insert("both", 1));
  EXPECT_FALSE(bank.insert("both", 1));
  EXPECT_EQ(bank.where("both").count(), 2U);
  EXPECT_EQ(bank.find("both").what, verdict::unclear);
  EXPECT_EQ(bank.find("both", bank_policy::first), (bank_filter::answer{verdict::found, 1}));
  const auto last = [](const owners& all) {
    std::optional<unsigned> out;
    all.for_each([&](unsigned i) { out = i; });
    return out;
  };
  EXPECT_EQ(bank.find("both", last), (bank_filter::answer{verdict::found, 3}));
  EXPECT_EQ(bank.find("neither").what, verdict::absent);
}

struct coded_case {
  code how;
  unsigned classes;
  friend std::ostream& operator<<(std::ostream& out, const coded_case& c) {
    return out << "code " << static_cast<unsigned>(c.how) << ", " << c.classes << " classes";
  }
};
class CodedBank : public ::testing::TestWithParam<coded_case> {};

// Errors match the model of shared rows and do not exceed those of independent filters.
TEST_P(CodedBank, ErrsAsComputed) {
  const auto [how, classes] = GetParam();
  const auto bank =
      bank_filter::build(pairs(keys, classes), {.fpr = 0.02, .classes = classes, .code = how});
  const unsigned b = bank.filters();
  EXPECT_EQ(b, sizing::bank_width(how, classes));
  std::vector<std::uint32_t> codes;
  for (unsigned i = 0; i < classes; ++i) codes.push_back(bank.code_of(i));
  const std::vector<double> sizes(classes, double(keys) / classes);
  const sizing::shared_rows model(codes, b, sizes, static_cast<double>(bank.bits_per_filter()),
                                  bank.probes());
  const std::uint32_t all = (std::uint32_t{1} << b) - 1;

  double f = 0;
  for (const double rate : bank.member_rates()) f = std::max(f, rate);
  std::uint64_t wrong = 0, unclear = 0;
  double expected = 0, independent = 0;
  for (const auto& [k, number] : pairs(keys, classes)) {
    ASSERT_TRUE(bank.where(k).contains(number));
    const auto one = bank.find(k);
    wrong += one.what != verdict::found || one.number != number;
    unclear += one.what == verdict::unclear;
    expected += 1 - model.clean(all & ~codes[number]);
    independent +=
        1 - sizing::coded_right(b, static_cast<unsigned>(std::popcount(codes[number])), f);
  }
  EXPECT_TRUE(binomial_gate(wrong, keys, expected / keys));
  EXPECT_TRUE(test::no_more_than(wrong, keys, independent / keys, 0));
  if (how == code::constant_weight) {
    EXPECT_EQ(unclear, wrong) << "every error about a member is seen";
  }

  std::uint64_t taken = 0;
  for (std::uint64_t i = 0; i < non_members; ++i) {
    const auto one = bank.find(non_member(i));
    const bool absent = how == code::dense ? one.what == verdict::found && codes[one.number] == 0
                                           : one.what == verdict::absent;
    taken += !absent;
  }
  EXPECT_TRUE(binomial_gate(taken, non_members, 1 - model.clean(all)));
  EXPECT_TRUE(test::no_more_than(taken, non_members, 1 - sizing::coded_absent(b, f), 0));
}
INSTANTIATE_TEST_SUITE_P(All, CodedBank,
                         ::testing::Values(coded_case{code::binary, 7},
                                           coded_case{code::binary, 100},
                                           coded_case{code::dense, 16},
                                           coded_case{code::constant_weight, 6},
                                           coded_case{code::constant_weight, 70}));

TEST(CodedBanks, HoldsAHundredThousandKeys) {
  for (const code how : {code::plain, code::binary, code::constant_weight}) {
    const auto given = pairs(100'000, 12);
    const auto bank = bank_filter::build(given, {.fpr = 0.05, .classes = 12, .code = how});
    for (const auto& [k, number] : given) ASSERT_TRUE(bank.where(k).contains(number));
  }
}

TEST(CodedBanks, TheFirstAnswerIsOneOfAllAnswers) {
  const auto bank = bank_filter::build(pairs(20'000, 20),
                                       {.fpr = 0.2, .classes = 20, .code = code::constant_weight});
  std::uint64_t resolved = 0;
  for (const auto& [k, number] : pairs(20'000, 20)) {
    if (bank.find(k).what != verdict::unclear) continue;
    const auto chosen = bank.find(k, bank_policy::first);
    ASSERT_EQ(chosen.what, verdict::found);
    ASSERT_TRUE(bank.where(k).contains(chosen.number));
    ++resolved;
  }
  EXPECT_GT(resolved, 1000U);
}

TEST(Bank, BatchEqualsSingle) {
  for (const code how : {code::plain, code::binary})
    for (const unsigned classes : {3U, 130U}) {
      const auto bank =
          bank_filter::build(pairs(5000, classes), {.fpr = 0.1, .classes = classes, .code = how});
      auto asked = some_non_members(5000);
      for (std::uint64_t i = 0; i < 5000; ++i) asked.push_back(member(i));
      std::vector<bank_filter::answer> answers(asked.size());
      bank.find_batch(asked, answers, bank_policy::first);
      for (std::size_t i = 0; i < asked.size(); ++i)
        ASSERT_EQ(answers[i], bank.find(asked[i], bank_policy::first));
    }
}

TEST(Bank, MergeIsUnion) {
  const bank_filter::options_type options{
      .keys = 2000, .fpr = 0.01, .classes = 9, .code = code::binary};
  bank_filter a(options), b(options), both(options);
  for (const auto& [k, number] : pairs(2000, 9)) {
    (k % 2 == 0 ? a : b).insert(k, number);
    both.insert(k, number);
  }
  a.merge(b);
  EXPECT_EQ(a, both);
  EXPECT_THROW(
      a.merge(bank_filter({.keys = 2000, .fpr = 0.01, .classes = 8, .code = code::binary})),
      incompatible);
  EXPECT_THROW(a.merge(bank_filter({.keys = 2000,
                                    .fpr = 0.01,
                                    .classes = 9,
                                    .code = code::binary,
                                    .hash = hasher::seeded(1)})),
               incompatible);
  a.clear();
  EXPECT_EQ(a, bank_filter(options));
}

TEST(Bank, Plans) {
  const auto plan = bank_filter::plan({.keys = 10'000, .fpr = 0.01, .classes = 10});
  EXPECT_EQ(plan.bits, 10 * sizing::plan_bloom_for_rate(1000, 0.01, 0).bits)
      << "members need no whole words";
  EXPECT_LE(plan.fpr, 0.01);
  const auto by_bits = bank_filter::plan({.keys = 10'000, .bits = plan.bits, .classes = 10});
  EXPECT_EQ(by_bits.cells, plan.cells);
  const auto room = bank_filter::plan({.fpr = 0.01, .bits = plan.bits, .classes = 10});
  EXPECT_NEAR(static_cast<double>(room.keys), 10'000, 100);
  // Half of all keys are in one class: its filter decides the rate.
  std::vector<double> shares(10, 1);
  shares[4] = 9;
  EXPECT_EQ(bank_filter::plan({.keys = 10'000, .fpr = 0.01, .classes = 10, .shares = shares}).bits,
            10 * sizing::plan_bloom_for_rate(5000, 0.01, 0).bits);
}

TEST(Bank, TheSmallestBankWorksAndImpossibleOnesAreRefused) {
  bank_filter one({.keys = 10, .fpr = 0.01, .classes = 1, .code = code::dense});
  EXPECT_FALSE(one.insert(1, 0)) << "its code has no ones";
  EXPECT_EQ(one.find(1).what, verdict::found);
  EXPECT_EQ(bank_filter().find(1).what, verdict::absent);
  const auto refused = [](const bank_filter::options_type& options) {
    EXPECT_THROW(bank_filter{options}, bad_parameter);
  };
  refused({.keys = 10, .classes = 3});
  refused({.keys = 10, .fpr = 0.01, .classes = 0});
  refused({.keys = 10, .fpr = 0.01, .classes = 4097});
  refused({.keys = 10, .fpr = 0.0, .classes = 3});
  refused({.keys = 10, .fpr = 0.1, .classes = 3, .shares = {1, 1}});
  refused({.keys = 10, .fpr = 0.1, .classes = 2, .shares = {1, -1}});
  refused({.keys = 10, .fpr = 0.1, .classes = 2, .shares = {0, 0}});
  refused({.keys = 10, .bits = 2, .classes = 3});
  refused({.keys = std::uint64_t{1} << 50, .fpr = 1e-15, .classes = 4096});
  EXPECT_THROW(one.insert(1, 1), bad_parameter);
}

}  // namespace
}  // namespace umbel::bank_filter_test
