// cuckoo_filter_test.cpp - cuckoo filter [FAKM14]: load factors, duplicate keys, the victim slot,
// and what erasing a non-member does.
#include <umbel/set/cuckoo_filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::cuckoo_filter_test {
namespace {

using statistics::binomial_gate;
using statistics::member;
using statistics::members;
using statistics::passed;

TEST(BucketPair, TheAlternateOfTheAlternateIsTheBucketItself) {
  std::mt19937_64 random(1);
  for (const std::uint64_t buckets :
       {2ULL, 4ULL, 6ULL, 10ULL, 1000ULL, (1ULL << 33) + 2, 1ULL << 52})
    for (const unsigned width : {2U, 7U, 12U, 32U}) {
      const core::bucket_pair at(buckets, width);
      for (int i = 0; i < 1000; ++i) {
        const auto [first, second, tag] = at({random(), random()});
        ASSERT_LT(first, buckets);
        ASSERT_LT(second, buckets);
        ASSERT_NE(first, second);
        ASSERT_GE(tag, 1U);
        ASSERT_LE(tag, at.tags());
        ASSERT_EQ(at.other(first, tag), second);
        ASSERT_EQ(at.other(second, tag), first);
      }
    }
}

// Both buckets and the tags of random keys are uniform, and the second bucket is independent of the
// first.
TEST(BucketPair, KeysAreSpreadEvenly) {
  const core::bucket_pair at(20, 3);
  std::vector<std::uint64_t> firsts(20), seconds(20), tags(7), together(20 * 7);
  std::mt19937_64 random(2);
  for (int i = 0; i < 400'000; ++i) {
    const auto [first, second, tag] = at({random(), random()});
    ++firsts[first], ++seconds[second], ++tags[tag - 1], ++together[first * 7 + tag - 1];
  }
  for (const auto& counts : {firsts, seconds, tags, together}) {
    const auto free = static_cast<double>(counts.size() - 1);
    EXPECT_LE(statistics::chi_square(counts), free + 5 * std::sqrt(2 * free) + 10) << counts.size();
  }
}

// Every slot compared with a plain array.
void compare_with_plain_rows(cells::buckets table) {
  const unsigned slots = table.slots(), width = table.width();
  std::vector<std::vector<std::uint64_t>> plain(table.rows());
  std::mt19937_64 random(width);
  table.with_row([&](auto reading) {
    using row = decltype(reading);
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t i = random() % table.rows(),
                          value = 1 + random() % detail::low_mask(width);
      const auto here = table.load<row>(i);
      auto& there = plain[i];
      ASSERT_EQ(table.taken(here), there.size());
      ASSERT_EQ(table.empty(here) != 0, there.size() < slots);
      const auto found = std::find(there.begin(), there.end(), value);
      ASSERT_EQ(table.holding(here, value) != 0, found != there.end());
      // Reading two rows at once gives what reading each alone gives.
      const std::uint64_t j = random() % table.rows();
      const auto both = table.holding<row>(i, j, value);
      ASSERT_EQ(both[0], table.holding(here, value));
      ASSERT_EQ(both[1], table.holding(table.load<row>(j), value));
      if (found != there.end()) {
        table.flip<row>(i, table.in_slot(table.holding(here, value), value));
        there.erase(found);
      } else if (there.size() < slots) {
        table.flip<row>(i, table.in_slot(table.empty(here), value));
        there.push_back(value);
      }
    }
  });
  EXPECT_NO_THROW(table.storage().require(
      table.storage().size(),
      table.rows() * cells::buckets::bits_of(slots, width, table.are_sorted())));
}
TEST(Buckets, WritingARowLeavesItsNeighboursUnchanged) {
  for (const unsigned slots : {2U, 4U, 8U})
    for (unsigned width = 2; width <= std::min(32U, 128 / slots); ++width)
      compare_with_plain_rows(cells::buckets(13, slots, width));
}
TEST(Buckets, WritingASortedRowLeavesItsNeighboursUnchanged) {
  for (unsigned width = cells::buckets::min_sorted; width <= cells::buckets::max_sorted; ++width)
    compare_with_plain_rows(cells::buckets(13, 4, width, nullptr, true));
}
// Whatever the order of the four tags.
TEST(Buckets, SortedRowsHaveOneOrder) {
  std::array<std::uint64_t, 4> tags{0x123, 0x453, 0x120, 0xFFF};
  std::sort(tags.begin(), tags.end());
  std::optional<cells::words<>> first;
  do {
    cells::buckets table(1, 4, 12, nullptr, true);
    for (const std::uint64_t tag : tags)
      table.flip<cells::buckets::sorted>(
          0, table.in_slot(table.empty(table.load<cells::buckets::sorted>(0)), tag));
    if (!first) first = table.storage();
    ASSERT_TRUE(table.storage() == *first);
  } while (std::next_permutation(tags.begin(), tags.end()));
}
// All 3876 sorted combinations of four nibbles, and no other code.
TEST(SortedNibbles, CodesAndCombinationsAreOneToOne) {
  for (std::uint64_t code = 0; code < cells::sorted_nibbles::codes; ++code) {
    const std::uint64_t nibbles = cells::sorted_nibbles::decode(code);
    for (unsigned j = 0; j < 3; ++j)
      ASSERT_LE(nibbles >> (4 * j) & 15, nibbles >> (4 * j + 4) & 15) << code;
    ASSERT_EQ(cells::sorted_nibbles::encode(nibbles), code);
  }
  EXPECT_EQ(cells::sorted_nibbles::encode(0xFFFF), cells::sorted_nibbles::codes - 1);
  for (std::uint64_t code = cells::sorted_nibbles::codes; code < 4096; ++code)
    ASSERT_EQ(cells::sorted_nibbles::decode(code), 0U);
}

// Loads before the first insert fails: .84, .95 and .98 of the slots are always reached [FAKM14],
// with narrow tags too.
TEST(CuckooFilter, ReachesThePublishedLoads) {
  for (const auto& [slots, load] : {std::pair{2U, 0.84}, {4U, 0.95}, {8U, 0.98}})
    for (const unsigned width : {8U, 12U, 16U}) {
      core::cuckoo table(core::bucket_pair(1 << 15, width), slots);
      std::uint64_t in = 0;
      while (!table.has_victim() && table.try_insert(digest{member(in, slots), member(in, width)}))
        ++in;
      EXPECT_GE(static_cast<double>(in - 1), load * (1 << 15) * slots)
          << slots << " slots, " << width << " bits";
      EXPECT_EQ(table.keys(), in);
    }
}

// With sorted buckets the same filter takes one bit less per slot and gives the same answers.
TEST(CuckooFilter, SortedBucketsSaveABitPerSlot) {
  for (const double fpr : {0.1, 0.01, 1e-3}) {
    const std::uint64_t n = 20'000;
    cuckoo_filter sorted({.keys = n, .fpr = fpr, .sorted = true});
    EXPECT_TRUE(sorted.sorted());
    core::cuckoo plain(core::bucket_pair(sorted.buckets(), sorted.width()), 4);
    EXPECT_EQ(plain.cells().storage().size() - sorted.size_in_bits() / 64,
              detail::ceil_div(sorted.buckets() * 4 * sorted.width(), 64) -
                  detail::ceil_div(sorted.buckets() * 4 * (sorted.width() - 1), 64));
    ASSERT_EQ(sorted.insert_batch(members(n)), n);
    for (const auto key : members(n))
      ASSERT_TRUE(sorted.may_contain(key) && plain.try_insert(sorted.hash()(key)));
    EXPECT_EQ(sorted.keys(), n);
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      const auto key = statistics::non_member(i);
      ASSERT_EQ(sorted.may_contain(key), plain.may_contain(sorted.hash()(key))) << i;
    }
    for (const auto key : members(n)) ASSERT_TRUE(sorted.erase(key));
    EXPECT_TRUE(sorted == cuckoo_filter({.keys = n, .fpr = fpr, .sorted = true}));
  }
  EXPECT_LT(cuckoo_filter::plan({.keys = 1'000'000, .fpr = 0.01, .sorted = true}).bits,
            cuckoo_filter::plan({.keys = 1'000'000, .fpr = 0.01}).bits - 900'000);
}

// A plan lets a set fail to fit with probability 1e-9: none of thousands fails.
TEST(CuckooFilter, PlannedKeysAlwaysFit) {
  for (const unsigned slots : {2U, 4U, 8U})
    for (const double fpr : {0.5, 0.01, 1e-4})
      for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const std::uint64_t n = seed < 600 ? 1 + seed % 200 : 1 + seed * 37 % 900;
        const cuckoo_filter::options_type options{
            .keys = n, .fpr = slots == 8 ? std::max(fpr, 3e-4) : fpr, .slots = slots};
        const auto keys = members(n, 1000 * slots + seed);
        cuckoo_filter f(options);
        ASSERT_EQ(f.insert_batch(keys), n) << slots << " " << fpr << " " << seed;
        ASSERT_NO_THROW((void)cuckoo_filter::build(keys, options))
            << slots << " " << fpr << " " << seed;
      }
}

// A build moves many tags without a slot at once: none is lost, however rows are read, up to the
// load that single inserts reach.
TEST(CuckooFilter, ABuildLosesNoKey) {
  struct shape {
    unsigned slots, width;
    bool sorted;
    double load;
  };
  for (const auto& [slots, width, sorted, load] : {shape{2, 13, false, 0.86},
                                                   {4, 12, false, 0.965},
                                                   {4, 7, false, 0.965},
                                                   {4, 24, false, 0.965},
                                                   {4, 12, true, 0.965},
                                                   {8, 9, false, 0.99}}) {
    const std::uint64_t n = 200'000;
    const auto rows = static_cast<std::uint64_t>(static_cast<double>(n) / load / slots / 2) * 2;
    core::cuckoo table(core::bucket_pair(rows, width), slots, sorted);
    core::cuckoo::crowd waiting;
    std::mt19937_64 random(slots * 100 + width);
    std::vector<digest> keys(n);
    for (digest& d : keys) d = {random(), random()};
    for (std::size_t first = 0; first < n; first += n / 8) {  // in blocks, as a spool gives them
      const auto at = [&](std::size_t i) { return keys[first + i]; };
      ASSERT_TRUE(table.fill(waiting, n / 8, at)) << slots << " " << width;
    }
    ASSERT_TRUE(table.finish(waiting)) << slots << " " << width;
    EXPECT_EQ(table.keys(), n);
    for (const digest d : keys) ASSERT_TRUE(table.may_contain(d));
    for (const digest d : keys) ASSERT_EQ(table.erase(d), core::erasure::done);
    EXPECT_EQ(table.keys(), 0U);
  }
}
// Batches of large tables look ahead along eviction chains. In small tables the look-ahead is often
// wrong, which must not change the result.
TEST(CuckooFilter, ABatchWithLookAheadGivesTheBytesOfSingleInserts) {
  struct shape {
    unsigned slots, width;
    bool sorted;
  };
  for (const auto& [slots, width, sorted] : {shape{2, 13, false},
                                             {4, 12, false},
                                             {4, 7, false},
                                             {4, 32, false},
                                             {4, 13, true},
                                             {8, 9, false}})
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const std::uint64_t rows = 2 * (1 + seed * seed * seed / 4);
      core::cuckoo single(core::bucket_pair(rows, width), slots, sorted), batch = single;
      std::mt19937_64 random(seed);
      std::vector<digest> keys;
      for (std::size_t taken = 0; taken == keys.size();) {
        keys.resize(1 + random() % (random() % 2 == 0 ? 100 : 1 + rows * slots / 2));
        for (digest& d : keys) d = {random(), random()};
        const auto at = [&](std::size_t i) { return keys[i]; };
        taken = batch.try_insert(keys.size(), at, true);
        std::size_t singly = 0;
        while (singly < keys.size() && single.try_insert(keys[singly])) ++singly;
        ASSERT_EQ(taken, singly) << slots << " " << width << " " << seed;
        ASSERT_EQ(batch, single) << slots << " " << width << " " << seed;
      }
      EXPECT_TRUE(batch.has_victim());
    }
}
TEST(CuckooFilter, ALargeBatchGivesTheBytesOfSingleInserts) {
  core::cuckoo single(core::bucket_pair(600'000, 32), 4), batch = single;  // 9.6 MB
  std::mt19937_64 random(1);
  std::vector<digest> keys(600'000 * 4);
  for (digest& d : keys) d = {random(), random()};
  const auto at = [&](std::size_t i) { return keys[i]; };
  const std::size_t taken = batch.try_insert(keys.size(), at);
  std::size_t singly = 0;
  while (single.try_insert(keys[singly])) ++singly;
  EXPECT_EQ(taken, singly);
  EXPECT_EQ(batch, single);
}
TEST(CuckooFilter, ABuildOfTooManyIsFull) {
  const std::vector<std::string> copies(10, "often");
  EXPECT_THROW((void)cuckoo_filter::build(copies, {.keys = 1000, .fpr = 0.01}), full);
  EXPECT_EQ(cuckoo_filter::build(std::vector<std::string>(9, "often"), {.keys = 1000, .fpr = 0.01})
                .keys(),
            9U);
  EXPECT_THROW((void)cuckoo_filter::build(members(1200), {.keys = 1000, .fpr = 0.01}), full);
  // It fails at once: if every tag walked the longest allowed chain, this would take minutes.
  EXPECT_THROW((void)cuckoo_filter::build(members(3'000'000), {.keys = 1000, .fpr = 0.01}), full);
}

TEST(CuckooFilter, NonMembersPassAtTheRateOfTheFormula) {
  for (const unsigned slots : {2U, 4U, 8U})
    for (const double fpr : {0.3, 0.02, 1e-3}) {
      cuckoo_filter f({.keys = 100'000, .fpr = fpr, .slots = slots});
      ASSERT_EQ(f.insert_batch(members(100'000)), 100'000U);
      EXPECT_EQ(f.keys(), 100'000U);
      EXPECT_LE(f.expected_fpr(), fpr);
      // Keys are distributed over pairs of buckets at random: the rate of one table deviates by
      // 1/sqrt(keys).
      EXPECT_TRUE(
          binomial_gate(passed(f, 2'000'000), 2'000'000, f.expected_fpr(), 5 / std::sqrt(1e5)))
          << slots << fpr;
    }
}

// [FAKM14]'s 1 - (1 - 1/V)^(2ba) is the same number except for narrow tags.
TEST(CuckooFilter, RatesMatchThePublishedFormula) {
  const std::uint64_t buckets = 1'000'000;
  for (const auto& [width, rate] : {std::pair{8U, 0.0294}, {12U, 0.00185}, {16U, 0.000116}})
    EXPECT_NEAR(sizing::cuckoo_fpr(3'800'000, buckets, width), rate, 0.006 * rate);
}

TEST(CuckooFilter, CopiesAreCapped) {
  for (const unsigned slots : {2U, 4U, 8U}) {
    cuckoo_filter f({.keys = 1000, .fpr = 0.01, .slots = slots});
    for (unsigned i = 0; i < 2 * slots + 1; ++i) EXPECT_TRUE(f.insert("often")) << i;
    const auto before = f;
    EXPECT_THROW(f.insert("often"), full);
    EXPECT_EQ(f.try_insert("often"), std::nullopt);
    EXPECT_THROW(f.insert("another"), full) << "there is a victim";
    EXPECT_TRUE(f == before);
    EXPECT_EQ(f.keys(), 2 * slots + 1);
    EXPECT_TRUE(f.erase("often"));
    EXPECT_TRUE(f.insert("another")) << "the victim has a slot now";
    for (unsigned i = 0; i < 2 * slots; ++i) EXPECT_TRUE(f.erase("often")) << i;
    EXPECT_FALSE(f.erase("often"));
    EXPECT_EQ(f.try_erase("often"), core::erasure::absent);
    EXPECT_TRUE(f.may_contain("another"));
    EXPECT_EQ(f.keys(), 1U);
  }
}

// A table filled until an insert fails has a victim. Every key is still found, and an erase moves
// the victim into a bucket.
TEST(CuckooFilter, TheVictimIsFoundAndMovesBackOnErase) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    cuckoo_filter f({.keys = 500, .fpr = 1e-3});
    std::vector<std::uint64_t> in;
    for (const auto key : members(2000, seed)) {
      if (!f.try_insert(key)) break;
      in.push_back(key);
    }
    ASSERT_GE(in.size(), 500U);
    for (const auto key : in) ASSERT_TRUE(f.may_contain(key));
    std::mt19937_64 random(seed);
    while (!in.empty()) {
      std::swap(in[random() % in.size()], in.back());
      ASSERT_TRUE(f.erase(in.back()));
      in.pop_back();
      if (in.size() % 16 != 0) continue;
      for (const auto key : in) ASSERT_TRUE(f.may_contain(key));
    }
    EXPECT_EQ(f.keys(), 0U);
    EXPECT_EQ(f.expected_fpr(), 0);
  }
}

// Inserts and legal erases, compared with a multiset. Three copies of a key crowd its buckets, so
// there is a tenth more room than for as many distinct keys.
void walk_beside_a_multiset(bool sorted) {
  const std::uint64_t room = 3000;
  cuckoo_filter f({.keys = room + room / 10, .fpr = 0.01, .sorted = sorted});
  std::unordered_map<std::uint64_t, int> copies;
  std::uint64_t in = 0;
  std::mt19937_64 random(3);
  for (int step = 0; step < 1'000'000; ++step) {
    const std::uint64_t key = member(random() % 4000);
    int& mine = copies[key];
    if (random() % 2 == 0 && in < room && mine < 3) {
      ASSERT_TRUE(f.insert(key)) << step;
      ++mine, ++in;
    } else if (mine > 0) {
      ASSERT_TRUE(f.erase(key)) << step;
      --mine, --in;
    }
    ASSERT_TRUE(mine == 0 || f.may_contain(key)) << step;
  }
  EXPECT_EQ(f.keys(), in);
  for (const auto& [key, count] : copies) EXPECT_TRUE(count == 0 || f.may_contain(key));
}
TEST(CuckooFilter, RandomInsertsAndErasesMatchAMultiset) { walk_beside_a_multiset(false); }
TEST(CuckooFilter, RandomInsertsAndErasesMatchAMultisetWithSortedBuckets) {
  walk_beside_a_multiset(true);
}

// The hazard that the guide warns of: erasing a non-member that passes removes the tag of a member.
TEST(CuckooFilter, ErasingANonMemberThatPassesRemovesAMember) {
  cuckoo_filter f({.keys = 1000, .fpr = 0.1});
  ASSERT_EQ(f.insert_batch(members(1000)), 1000U);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) wrong += f.erase(statistics::non_member(i));
  EXPECT_GT(wrong, 0U);
  std::uint64_t forgotten = 0;
  for (const auto key : members(1000)) forgotten += !f.may_contain(key);
  EXPECT_GT(forgotten, 0U);
  EXPECT_LE(forgotten, wrong);
}

// The same table over arbitrary cells, as a mapped file may hold them: every operation ends and
// stays inside.
struct writing {
  void hash(hasher&) {}
  void fields(std::string_view, auto&) {}
  void array(std::string_view, cells::words<>& some) {
    for (auto& word : some.span().first(some.size() - 1)) word = next();
  }
  std::mt19937_64 next{1};
};
TEST(CuckooFilter, AnyCellsAreSafe) {
  for (const auto& [fpr, sorted] :
       {std::pair{0.1, false}, {1e-3, false}, {1e-8, false}, {0.1, true}, {1e-3, true}}) {
    cuckoo_filter f({.keys = 1000, .fpr = fpr, .sorted = sorted});
    writing noise;
    cuckoo_filter::describe(f, noise);
    (void)passed(f, 2000);
    for (const auto key : members(2000)) {
      (void)f.try_insert(key);
      (void)f.erase(key);
    }
    EXPECT_LE(f.expected_fpr(), 1);
  }
}

TEST(CuckooFilter, ImpossibleShapesAreRefused) {
  for (const unsigned slots : {0U, 1U, 3U, 5U, 16U, ~0U})
    EXPECT_THROW((void)cuckoo_filter::plan({.keys = 10, .fpr = 0.1, .slots = slots}), bad_parameter)
        << slots;
  EXPECT_THROW((void)cuckoo_filter::plan({.keys = 1000, .fpr = 1e-10}), bad_parameter);
  EXPECT_THROW((void)cuckoo_filter::plan({.keys = 1000, .fpr = 1e-5, .slots = 8}), bad_parameter);
  EXPECT_THROW((void)cuckoo_filter::plan({.keys = 1000, .fpr = 0.1, .slots = 2, .sorted = true}),
               bad_parameter);
  EXPECT_THROW((void)cuckoo_filter::plan({.keys = 1000, .fpr = 1e-5, .sorted = true}),
               bad_parameter);
  EXPECT_THROW((void)core::cuckoo(core::bucket_pair(20, 17), 4, true), bad_parameter);
  EXPECT_THROW((void)core::bucket_pair(3, 8), bad_parameter);
  EXPECT_THROW((void)core::bucket_pair(0, 8), bad_parameter);
  EXPECT_THROW((void)core::bucket_pair(2, 33), bad_parameter);
}

}  // namespace
}  // namespace umbel::cuckoo_filter_test
