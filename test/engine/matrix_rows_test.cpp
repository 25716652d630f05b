// matrix_rows_test.cpp - rows of matrix dictionaries: their bits, their odds, and what pairwise hashing promises.
#include <umbel/solve/dense_rows.hpp>
#include <umbel/engine/retrieval/matrix/pairwise.hpp>
#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support/fuse_keys.hpp"

namespace umbel::core {
namespace matrix_rows {
namespace {

using ::fuse_test::digests;

// Short rows drawn the short way are the same rows; nothing is set past the end.
TEST(DenseRows, BothWaysAgreeAndEndWhereTheyShould) {
  for (const digest& d : digests(20, 1))
    for (std::uint64_t bits = 1; bits <= 400; ++bits)
      for (const std::uint64_t seed : {0U, 7U, 14U, 15U, 300U}) {
        std::vector<std::uint64_t> row(8, ~std::uint64_t{0}), all(8), quick(2);
        solve::dense_rows::draw(d, seed, bits, row.data());
        solve::dense_rows::draw(d, seed, 512, all.data());
        for (std::uint64_t i = 0; i < (bits + 127) / 128 * 128; ++i)
          ASSERT_EQ(row[i / 64] >> i % 64 & 1, i < bits ? all[i / 64] >> i % 64 & 1 : 0) << bits << ' ' << i;
        if (solve::dense_rows::draw_short(d, seed, bits, quick.data())) {
          ASSERT_EQ(quick[0], row[0]) << bits;
          ASSERT_EQ(quick[1], row[1]) << bits;
        } else {
          ASSERT_TRUE(bits > 128 || seed > 14);
        }
      }
}
// Every bit is set half the time: 40 000 rows stray by 100.
TEST(DenseRows, BitsAreEven) {
  std::vector<unsigned> seen(256);
  for (const digest& d : digests(40'000, 2)) {
    std::uint64_t row[4];
    solve::dense_rows::draw(d, 3, 256, row);
    for (unsigned i = 0; i < 256; ++i) seen[i] += row[i / 64] >> i % 64 & 1;
  }
  for (unsigned i = 0; i < 256; ++i) EXPECT_NEAR(seen[i], 20'000, 600) << i;
}
TEST(DenseRows, VectorsOfIdsSpanTheirSpace) {
  for (unsigned unknowns = 1; unknowns <= solve::dense_rows::most_tabled; ++unknowns) {
    unsigned all = 0;
    for (unsigned id = 0; id < solve::dense_rows::ids; ++id) {
      const unsigned v = solve::dense_rows::vector(id, unknowns);
      EXPECT_GE(v, 1U);
      EXPECT_LT(v, 1U << unknowns);
      all |= v;
    }
    EXPECT_EQ(all, (1U << unknowns) - 1);
  }
}
TEST(SparseRows, AreDifferentUnknowns) {
  for (const std::uint64_t unknowns : {16U, 65U, 1000U, 65'544U})
    for (const unsigned probes : {7U, 15U})
      for (const digest& d : digests(500, unknowns)) {
        const auto row = draw_sparse(d, 5, probes, unknowns);
        ASSERT_EQ(row.count, probes);
        const std::set<std::uint32_t> once(row.begin(), row.end());
        ASSERT_EQ(once.size(), probes);
        ASSERT_LT(*once.rbegin(), unknowns);
      }
  EXPECT_EQ(draw_sparse({1, 2}, 0, 7, 3).count, 3U);  // there are no more
}

// ---- pairwise hashing ----

// Two keys meet in one of 2^14 entries once in 2^14 times: 20 000 pairs in 64 functions make 78 meetings, give or take 8.8.
TEST(Pairwise, KeysMeetAsOftenAsPairsOfRandomEntries) {
  const pairwise_source source(6, 14);
  EXPECT_EQ(source.candidates(), 64U);
  const auto all = digests(40'000, 3);
  unsigned met = 0;
  for (std::uint64_t j = 0; j < source.candidates(); ++j)
    for (std::size_t i = 0; i < all.size(); i += 2) {
      ASSERT_LT(source.entry(all[i], j), source.entries());
      met += source.entry(all[i], j) == source.entry(all[i + 1], j);
    }
  EXPECT_NEAR(met, 64 * 20'000.0 / 16'384, 5 * 8.84);
}
// The first function that sends the keys of a full group to different entries is found at the second try or before, on average:
// of groups of 64 in 4096 entries one fails with probability below 1/2.
TEST(Pairwise, FewFunctionsAreTried) {
  const pairwise_source source(6, 12);
  double tried = 0;
  constexpr std::uint64_t groups = 500;
  for (std::uint64_t g = 0; g < groups; ++g) {
    const auto keys = digests(64, 1000 + g);
    std::uint64_t j = 0;
    const auto meets = [&] {
      std::set<std::uint64_t> entries;
      for (const digest& d : keys) entries.insert(source.entry(d, j));
      return entries.size() < keys.size();
    };
    while (meets()) ASSERT_LT(++j, source.candidates());
    tried += static_cast<double>(j + 1);
  }
  EXPECT_LT(tried / groups, 2);
}
// Keys in one entry get the same row under its seed, and keys in others rows of their own.
TEST(Pairwise, RowsAreTheWordsOfEntries) {
  const pairwise_source source(4, 4);
  const auto all = digests(300, 5);
  for (const std::uint64_t seed : {0U, 3U, 16U, 40U})
    for (const std::uint64_t bits : {1U, 63U, 64U, 65U, 200U}) {
      std::vector<std::set<std::vector<std::uint64_t>>> rows(16);
      for (const digest& d : all) {
        std::vector<std::uint64_t> row(6, 0);
        source.draw(d, seed, bits, row.data());
        for (std::uint64_t i = bits; i < 384; ++i) ASSERT_EQ(row[i / 64] >> i % 64 & 1, 0U);
        rows[source.entry(d, source.candidate(seed))].insert(row);
      }
      std::set<std::vector<std::uint64_t>> different;
      for (const auto& of_entry : rows) {
        ASSERT_EQ(of_entry.size(), 1U);
        different.insert(*of_entry.begin());
      }
      EXPECT_TRUE(bits == 1 || different.size() == 16) << seed << ' ' << bits;
    }
}

}  // namespace
}  // namespace matrix_rows
}  // namespace umbel::core
