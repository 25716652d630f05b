// matrix_rows_test.cpp - rows of matrix dictionaries: their bits, their odds, and what pairwise
// hashing promises.
#include <umbel/engine/retrieval/matrix/pairwise.hpp>
#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>
#include <umbel/solve/dense_rows.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/fuse_keys.hpp"

namespace umbel::core {
namespace matrix_rows {
namespace {

using ::fuse_test::digests;
using solve::dense_rows;

// Short rows drawn the short way are the same rows; nothing is set past the end.
TEST(DenseRows, BothWaysAgreeAndEndWhereTheyShould) {
  for (const digest& d : digests(20, 1))
    for (std::uint64_t bits = 1; bits <= 400; ++bits)
      for (const std::uint64_t seed : {0U, 7U, 14U, 15U, 300U}) {
        std::vector<std::uint64_t> row(8, ~std::uint64_t{0}), all(8), quick(2);
        solve::dense_rows::draw(d, seed, bits, row.data());
        solve::dense_rows::draw(d, seed, 512, all.data());
        for (std::uint64_t i = 0; i < (bits + 127) / 128 * 128; ++i)
          ASSERT_EQ(row[i / 64] >> i % 64 & 1, i < bits ? all[i / 64] >> i % 64 & 1 : 0)
              << bits << ' ' << i;
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
  for (unsigned unknowns = 1; unknowns <= solve::dense_rows::max_tabled; ++unknowns) {
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

// Every function over words of 5 bits, and all keys of two halves of 2 bits. Of any two keys, every
// pair of entries comes exactly as often as any other: pairwise independent. Three keys are not
// independent: some triples of entries never come. So whatever works under these functions needs no
// more than pairs.
TEST(Pairwise, PairsOfKeysAreUniformOverAllFunctionsAndTriplesAreNot) {
  constexpr unsigned word_bits = 5, entry_bits = 2, words = 1U << word_bits,
                     entries = 1U << entry_bits;
  constexpr unsigned functions = words * words * words;
  // entry of every key under every function
  std::vector<std::array<std::uint8_t, 16>> at(functions);
  for (unsigned f = 0; f < functions; ++f) {
    const umbel::core::multiply_shift h{f % words, f / words % words, f / words / words};
    for (std::uint64_t key = 0; key < 16; ++key)
      at[f][key] = static_cast<std::uint8_t>(h({key / 4, key % 4}, word_bits, entry_bits));
  }
  for (unsigned x = 0; x < 16; ++x)
    for (unsigned y = x + 1; y < 16; ++y) {
      std::array<unsigned, entries * entries> seen{};
      for (const auto& of : at) ++seen[of[x] * entries + of[y]];
      for (const unsigned times : seen) ASSERT_EQ(times, functions / seen.size()) << x << ' ' << y;
    }
  std::array<unsigned, entries * entries * entries> seen{};
  for (const auto& of : at) ++seen[(of[0] * entries + of[1]) * entries + of[2]];
  EXPECT_GT(std::count(seen.begin(), seen.end(), 0U), 0);
}
// The same of the functions that are really drawn, at full width: for fixed keys, however alike,
// over many seeds. 16 pairs of entries in 40,000 draws: chi-square with 15 degrees, mean 15,
// deviation 5.5.
TEST(Pairwise, DrawnFunctionsAreUniformOnPairs) {
  constexpr std::uint64_t draws = 40'000;
  const std::pair<digest, digest> alike[] = {{{0, 0}, {0, 1}},
                                             {{0, 1}, {0, 2}},
                                             {{5, 0}, {6, 0}},
                                             {{0, 7}, {7, 0}},
                                             {{~0ULL, 3}, {~0ULL, ~0ULL}}};
  for (const auto& [x, y] : alike) {
    std::array<double, 16> seen{};
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      const pairwise_source source(4, 2, draw);
      ++seen[source.entry(x, draw % 16) * 4 + source.entry(y, draw % 16)];
    }
    double chi_square = 0;
    constexpr double expected = draws / 16.0;
    for (const double times : seen)
      chi_square += (times - expected) * (times - expected) / expected;
    EXPECT_LT(chi_square, 15 + 5 * 5.5) << x.lo << ' ' << y.lo;
  }
}
TEST(Pairwise, EverySeedAndEveryAttemptDrawsItsOwn) {
  const auto some = digests(64, 9);
  const auto entries = [&](std::uint64_t draw, std::uint64_t attempt) {
    const pairwise_source source(4, 14, draw, attempt);
    std::vector<std::uint64_t> out;
    for (const digest& d : some) out.push_back(source.entry(d, 3));
    for (const digest& d : some) {
      std::array<std::uint64_t, 2> row{};
      source.draw(d, 3, 64, row.data());
      out.push_back(row[0]);
    }
    return out;
  };
  std::set<std::vector<std::uint64_t>> different;
  for (std::uint64_t draw = 0; draw < 8; ++draw)
    for (std::uint64_t attempt = 0; attempt < 4; ++attempt)
      different.insert(entries(draw, attempt));
  EXPECT_EQ(different.size(), 32U);
  EXPECT_EQ(entries(5, 2), entries(5, 2));
}
// Keys that are no digests at all but counted up in steps: over the draw, 64 of them have entries
// of their own among 4096 with probability above 1/2. Nothing is asked of the keys.
TEST(Pairwise, NothingIsAskedOfTheKeys) {
  constexpr std::uint64_t draws = 4000;
  for (const digest step :
       {digest{0, 1}, digest{1, 0}, digest{1, 1}, digest{0, 1ULL << 40}, digest{3, 0x10001}}) {
    std::uint64_t apart = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      const pairwise_source source(4, 12, draw);
      std::set<std::uint64_t> entries;
      for (std::uint64_t i = 0; i < 64; ++i)
        entries.insert(source.entry({i * step.hi, i * step.lo}, 0));
      apart += entries.size() == 64;
    }
    EXPECT_GT(static_cast<double>(apart), draws / 2.0) << step.hi << ' ' << step.lo;
  }
}
// Two keys meet in one of 2^14 entries once in 2^14 times: 20 000 pairs in 64 functions make 78
// meetings, give or take 8.8.
TEST(Pairwise, KeysMeetAsOftenAsPairsOfRandomEntries) {
  const pairwise_source source(6, 14, 1);
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
// The first function that sends the keys of a full group to different entries is found at the
// second try or before, on average: of groups of 64 in 4096 entries one fails with probability
// below 1/2.
TEST(Pairwise, FewFunctionsAreTried) {
  const pairwise_source source(6, 12, 1);
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
  const pairwise_source source(4, 4, 1);
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
