// aging_bloom_filter_test.cpp - Bloom filters over a window of recent keys, A2 [Yoo10] and double
// buffering [CLF04]: recent keys are found, old ones are forgotten, and the false positive rate.
#include <umbel/set/aging_bloom_filter.hpp>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::aging_bloom_filter_test {
namespace {

using statistics::member;
using statistics::members;
using statistics::passed;
using enum aging_form;

TEST(AgingBloomFilter, PlansMatchReferenceFigures) {
  const struct {
    aging_form form;
    double fpr;
    std::uint64_t window;
    unsigned probes;
  } figures[] = {{double_buffering, 0.01, 1622, 7},
                 {a2, 0.01, 2839, 8},
                 {double_buffering, 0.001, 1135, 10},
                 {a2, 0.001, 2064, 11}};
  for (const auto& f : figures) {
    // And the marks of its cache lines.
    const aging_bloom_filter filter({.fpr = f.fpr, .bits = 65'536 + 128, .form = f.form});
    EXPECT_EQ(filter.window(), f.window) << name_of(f.form) << " at " << f.fpr;
    EXPECT_EQ(filter.probes(), f.probes);
    EXPECT_EQ(filter.size_in_bits(), 65'536U + 128U);
  }
}

class Window : public ::testing::TestWithParam<aging_form> {};

// A long stream of distinct keys: after every insert the last `window` keys are found. Keys older
// than two windows are non-members and pass no more often than others.
TEST_P(Window, HoldsTheRecentAndForgetsTheOld) {
  constexpr double fpr = 0.01;
  aging_bloom_filter filter({.keys = 500, .fpr = fpr, .form = GetParam()});
  const std::uint64_t window = filter.window();
  EXPECT_GE(window, 500U);
  std::uint64_t old_hits = 0, old_asked = 0;
  double highest = 0, worst_told = 0;
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    filter.insert(member(i));
    if (i % 37 == 0 || i % window < 3) {
      for (std::uint64_t back = 0; back < window && back <= i; ++back)
        ASSERT_TRUE(filter.may_contain(member(i - back))) << back << " keys ago, at " << i;
    }
    // Keys that were false positives when inserted do not age the filter: at most one in a hundred.
    const std::uint64_t gone = 2 * window + window / 25;
    if (i > gone) {
      old_hits += filter.may_contain(member(i - gone));
      ++old_asked;
    }
    if (i % 100 == 0) worst_told = std::max(worst_told, filter.expected_fpr());
    if (i % 500 == 499) {
      const double hits = static_cast<double>(passed(filter, 20'000, i));
      highest = std::max(highest, hits / 20'000);
      EXPECT_TRUE(statistics::binomial_gate(static_cast<std::uint64_t>(hits), 20'000,
                                            filter.expected_fpr(), 0.02));
    }
  }
  EXPECT_LE(static_cast<double>(old_hits), static_cast<double>(old_asked) * fpr +
                                               5 * std::sqrt(static_cast<double>(old_asked) * fpr));
  EXPECT_LE(highest, fpr + 5 * std::sqrt(fpr / 20'000));
  // The fill of a filter of 500 keys deviates by 6 %, and the rate with it. Two such filters are
  // full, and the worst of about twenty turns is checked.
  EXPECT_LE(worst_told, fpr * 1.2);
}

// Repeated keys evict nothing.
TEST_P(Window, RepeatsDoNotAge) {
  aging_bloom_filter filter({.keys = 300, .fpr = 0.001, .form = GetParam()});
  const auto keys = members(filter.window());
  filter.insert_batch(keys);
  for (int turn = 0; turn < 50; ++turn) filter.insert_batch(std::span(keys).last(100));
  for (const auto key : std::span(keys).last(100)) ASSERT_TRUE(filter.may_contain(key));
  if (GetParam() == a2) {
    for (const auto key : keys)
      ASSERT_TRUE(filter.may_contain(key)) << "and the others are still there";
  }
}

TEST_P(Window, BatchesAndLoadedFilesAgeAsSingleInsertsDo) {
  const auto keys = members(5000);
  aging_bloom_filter single({.keys = 300, .fpr = 0.02, .form = GetParam()}), batch = single,
                                                                             stored = single;
  for (const auto key : keys) single.insert(key);
  batch.insert_batch(keys);
  for (std::size_t first = 0; first < keys.size(); first += 250) {
    stored.insert_batch(std::span(keys).subspan(first, 250));
    stored = decode<aging_bloom_filter>(encode(stored));
  }
  EXPECT_EQ(batch, single);
  EXPECT_EQ(stored, single);
}

// The rules of [Yoo10] over two arrays that are cleared at once: every answer is the same.
struct cleared_at_once {
  using engine = core::probes<core::k_probes, cells::bits>;
  aging_form form;
  std::uint64_t room;
  engine newer, older;
  std::uint64_t newer_keys = 0, older_keys = 0;

  void insert(digest d) {
    if (form == a2) {
      if (newer.may_contain(d)) return;
      if (newer_keys == room) {
        std::swap(newer, older);
        newer.cells().storage().clear();
        newer_keys = 0;
      }
      newer_keys += newer.insert(d);
    } else {
      newer_keys += newer.insert(d);
      if (newer_keys < room / 2) return;
      older_keys += older.insert(d);
      if (older_keys < room / 2) return;
      std::swap(newer, older);
      std::swap(newer_keys, older_keys);
      older.cells().storage().clear();
      older_keys = 0;
    }
  }
  [[nodiscard]] bool may_contain(digest d) const {
    return newer.may_contain(d) || (form == a2 && older.may_contain(d));
  }
};
TEST_P(Window, AnswersAsIfClearedAtOnce) {
  for (const std::uint64_t keys : {1U, 5U, 300U, 3000U}) {
    aging_bloom_filter filter({.keys = keys, .fpr = 0.05, .form = GetParam()});
    const std::uint64_t cells = sizing::buffer_within(filter.size_in_bits() / 2);
    const cleared_at_once::engine empty(core::k_probes(cells, filter.probes(), 0x40000));
    cleared_at_once model{GetParam(), GetParam() == a2 ? filter.window() : 2 * filter.window(),
                          empty, empty};
    const hasher hash;
    for (std::uint64_t i = 0; i < 6 * keys + 100; ++i) {
      filter.insert(member(i));
      model.insert(hash(member(i)));
      if (i % (keys / 100 + 1) != 0) continue;
      for (std::uint64_t j = 0; j < 60; ++j) {
        const std::uint64_t back = j * keys / 20;  // three windows back
        if (back <= i) {
          ASSERT_EQ(filter.may_contain(member(i - back)), model.may_contain(hash(member(i - back))))
              << keys << " " << i;
        }
        const auto other = statistics::non_member(60 * i + j);
        ASSERT_EQ(filter.may_contain(other), model.may_contain(hash(other))) << keys << " " << i;
      }
    }
  }
}

// No insert clears a whole array. Half the bits of an old array are set, so all but one in 2^64 of
// the words that are cleared change.
struct word_reader {
  void hash(const hasher&) {}
  void fields(std::string_view, const auto&) {}
  void array(std::string_view name, const cells::words<>& some) {
    if (name == "first" || name == "second")
      words.insert(words.end(), some.span().begin(), some.span().end());
  }
  std::vector<std::uint64_t> words;
};
TEST_P(Window, NoInsertClearsMoreThanAFewLines) {
  aging_bloom_filter filter({.keys = 6000, .fpr = 0.001, .form = GetParam()});
  const auto words_of = [&] {
    word_reader out;
    aging_bloom_filter::describe(std::as_const(filter), out);
    return out.words;
  };
  const std::uint64_t room = GetParam() == a2 ? filter.window() : 2 * filter.window(),
                      turn = filter.window();
  for (std::uint64_t i = 0; i < 2 * room; ++i) filter.insert(member(i));
  auto before = words_of();
  const std::uint64_t own = 2 * filter.probes(),
                      most = 8 * (filter.probes() + filter.lines_per_insert()) + filter.probes();
  ASSERT_LT(10 * most, before.size() / 2) << "a tenth of a whole clear";
  std::uint64_t worst = 0, clearing = 0;
  for (std::uint64_t i = 2 * room; i < 2 * room + 3 * turn; ++i) {
    filter.insert(member(i));
    auto after = words_of();
    const auto differ = [&](std::size_t from) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < before.size(); ++j)
        sum += before[j] != after[(j + from) % before.size()];
      return sum;
    };
    const std::uint64_t changed =
        std::min(differ(0), differ(before.size() / 2));  // arrays change places with their roles
    worst = std::max(worst, changed);
    clearing += changed > own;
    before = std::move(after);
  }
  EXPECT_LE(worst, most);
  EXPECT_GT(worst, own) << "lines were cleared";
  // Each turn clears one 64th of the array; there are three or four turns, and one more line where
  // the array is not a whole number of lines.
  EXPECT_LE(clearing, 4 * (room / 64 + 1));
}

INSTANTIATE_TEST_SUITE_P(Both, Window, ::testing::Values(a2, double_buffering),
                         [](const auto& one) {
  return one.param == a2 ? "a2" : "double_buffering";
});

// A least-recently-used cache: a key that is used again stays.
TEST(AgingBloomFilter, KeysUsedAgainStay) {
  aging_bloom_filter filter({.keys = 100, .fpr = 0.001});
  filter.insert("in use");
  filter.insert("left alone");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    filter.insert(member(i));
    if (i % 50 == 0) {
      ASSERT_TRUE(filter.touch("in use")) << i;
    }
  }
  EXPECT_FALSE(filter.may_contain("left alone"));
  EXPECT_FALSE(filter.touch("left alone"));
  EXPECT_FALSE(filter.may_contain("left alone"))
      << "to ask for what is gone does not bring it back";
}

}  // namespace
}  // namespace umbel::aging_bloom_filter_test
