// scheme_test.cpp - the ways to draw a key's cells: by the figures of their papers, inside, with
// the steps they need, and the same however they are run.
// Source     Golden indices computed apart from the code, and Squid's own.
#include <umbel/engine/probe/scheme.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/walks.hpp>
#include <umbel/hash/hasher.hpp>

#include "support/keys.hpp"
#include "support/schemes.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::core::scheme_test {
namespace {

using support::cells_of;
using support::every_scheme;
using support::shape_of;
using positions = std::vector<std::uint64_t>;
using detail::uint128;

digest random_digest(std::uint64_t i) { return {test::scatter(2 * i), test::scatter(2 * i + 1)}; }

// Positions of the walk over m cells that starts with these three values.
positions walked(scheme how, std::uint64_t m, std::uint64_t h1, std::uint64_t h2, std::uint64_t h3,
                 unsigned probes) {
  const walk_shape at{m, probes, 0, how};
  walk w = modular_walk(how, m, h1, h2, h3);
  positions out;
  for (unsigned i = 0; i < probes; ++i) out.push_back(next_cell(at, w));
  return out;
}

TEST(Scheme, GoldenIndicesOfTheSheet) {
  EXPECT_EQ(walked(scheme::plain_double, 1009, 123, 456, 789, 6),
            (positions{123, 579, 26, 482, 938, 385}));
  EXPECT_EQ(walked(scheme::crc, 1009, 123, 456, 789, 6), (positions{123, 579, 26, 482, 938, 385}));
  EXPECT_EQ(walked(scheme::enhanced, 1009, 123, 456, 789, 6),
            (positions{123, 579, 27, 486, 948, 405}));
  EXPECT_EQ(walked(scheme::triple_modular, 1009, 123, 456, 789, 6),
            (positions{123, 579, 815, 831, 627, 203}));
}

// The recurrences against the polynomials they stand for, up to the largest sizes and probes.
TEST(Scheme, RecurrencesAreThePolynomials) {
  for (const std::uint64_t m :
       {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1009}, std::uint64_t{65'536},
        (std::uint64_t{1} << 32) + 15, sizing::max_bits, sizing::max_bits - 1})
    for (std::uint64_t key = 0; key < 20; ++key) {
      const uint128 h1 = test::scatter(3 * key) % m, h2 = test::scatter(3 * key + 1) % m,
                    h3 = test::scatter(3 * key + 2) % m;
      const auto expect = [&](scheme how, auto added) {
        const auto found =
            walked(how, m, static_cast<std::uint64_t>(h1), static_cast<std::uint64_t>(h2),
                   static_cast<std::uint64_t>(h3), 1024);
        for (std::uint64_t i = 0; i < 1024; ++i)
          ASSERT_EQ(found[i], static_cast<std::uint64_t>((h1 + i * h2 + added(uint128{i})) % m))
              << name_of(how) << i;
      };
      expect(scheme::plain_double, [](uint128) { return uint128{0}; });
      expect(scheme::extended, [](uint128 i) { return i * i; });
      expect(scheme::enhanced, [](uint128 i) { return (i * i * i - i) / 6; });
      expect(scheme::triple_modular, [&](uint128 i) { return i * (i - 1) / 2 * h3; });
    }
}

// Squid: MD5 of the method's number and the URL, four big-endian words modulo the bits.
TEST(Scheme, ChunksAreSquids) {
  const digest key = hasher::md5()("\x01http://www.squid-cache.org/");
  EXPECT_EQ(cells_of(k_probes(1024, 4, 0, scheme::chunks), key), (positions{51, 375, 289, 288}));
  EXPECT_EQ(cells_of(k_probes(std::uint64_t{1} << 32, 4, 0, scheme::chunks), key),
            (positions{0x69677c33, 0x244c8d77, 0x6d1ed121, 0x0e07c120}));
}

TEST(Scheme, NamesAndNumbersAreFixed) {
  const char* const names[] = {"triple",   "independent",    "double",      "extended",
                               "enhanced", "triple-modular", "partitioned", "rng",
                               "chunks",   "pairwise",       "h3",          "crc",
                               "dcso"};
  ASSERT_EQ(every_scheme().size(), std::size(names));
  for (const scheme how : every_scheme()) {
    EXPECT_EQ(name_of(how), names[static_cast<std::size_t>(how)]);
    EXPECT_EQ(scheme_named(name_of(how)), how);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(scheme::crc), 11U);
  EXPECT_EQ(static_cast<std::uint64_t>(scheme::dcso), 12U);
  for (const char* const unknown : {"", "Triple", "triple ", "doubl", "plain_double"})
    EXPECT_EQ(scheme_named(unknown), std::nullopt) << unknown;
}

// Digests of ones and zeros are keys like any other.
TEST(Scheme, StaysInside) {
  std::vector<digest> keys{
      {0, 0}, {~std::uint64_t{0}, ~std::uint64_t{0}}, {0, ~std::uint64_t{0}}, {1, 0}, {0, 1}};
  for (std::uint64_t i = 0; i < 100; ++i) keys.push_back(random_digest(i));
  for (const scheme how : every_scheme())
    for (const std::uint64_t cells :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{6},
          std::uint64_t{1009}, std::uint64_t{4096}, std::uint64_t{65'537}, std::uint64_t{1} << 31,
          std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 15, std::uint64_t{1} << 48,
          sizing::max_bits - 1, sizing::max_bits})
      for (const unsigned probes : {1U, 2U, 7U, 60U})
        for (const std::uint64_t salt : {std::uint64_t{0}, ~std::uint64_t{0}}) {
          if (salt != 0 && core::has_own_hash(how)) continue;
          const k_probes at = shape_of(how, cells, probes, salt);
          for (const digest& d : keys)
            for (const std::uint64_t cell : cells_of(at, d))
              ASSERT_LT(cell, at.cells()) << name_of(how) << ' ' << at.cells();
        }
}

// The loops compiled for one scheme visit what the general walk visits.
TEST(Scheme, FixedPlacementsAreTheGeneralOnes) {
  for (const scheme how : every_scheme())
    for (const std::uint64_t cells :
         {std::uint64_t{64}, std::uint64_t{5000}, std::uint64_t{1} << 40}) {
      const k_probes at = shape_of(how, cells, 9, core::has_own_hash(how) ? 0 : 3);
      for (std::uint64_t i = 0; i < 200; ++i) {
        const auto fixed = with_fixed(at, [&](const auto& one) {
          EXPECT_EQ(one.cells(), at.cells());
          EXPECT_EQ(one.probes(), at.probes());
          return cells_of(one, random_digest(i));
        });
        ASSERT_EQ(fixed, cells_of(at, random_digest(i))) << name_of(how);
      }
    }
}

// A step of 0 has one cell, a step that shares the factor 2 half of them. Two probes show the step.
TEST(Scheme, StepsAreOddOrAtLeastNotZero) {
  for (const scheme how : {scheme::plain_double, scheme::extended, scheme::enhanced,
                           scheme::triple_modular, scheme::crc})
    for (const std::uint64_t m : {2U, 3U, 4U, 5U, 6U, 1000U, 1009U, 65'536U}) {
      const k_probes at(m, 2, 0, how);
      std::vector<std::uint64_t> seen(m);
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const auto two = cells_of(at, random_digest(i));
        const std::uint64_t step = (two[1] + m - two[0]) % m;
        ASSERT_NE(step, 0U) << name_of(how) << ' ' << m;
        if (m % 2 == 0) {
          ASSERT_EQ(step % 2, 1U) << name_of(how) << ' ' << m;
        }
        ++seen[step];
      }
      if (m > 10) continue;
      for (std::uint64_t step = 1; step < m; step += m % 2 == 0 ? 2 : 1)
        EXPECT_GT(seen[step], 0U) << m << ' ' << step;
    }
}

// Steps are even in every remainder: words of a digest are not, modulo 3, 5 and 17.
TEST(Scheme, StepsHaveEvenRemainders) {
  for (const scheme how :
       {scheme::plain_double, scheme::extended, scheme::enhanced, scheme::triple_modular})
    for (const std::uint64_t m : {1020U, 1021U}) {  // 4 * 255; 1020 + 1
      const k_probes at(m, 2, 0, how);
      std::vector<std::uint64_t> starts(m), steps(m);
      for (std::uint64_t i = 0; i < 100'000; ++i) {
        const auto two = cells_of(at, random_digest(i));
        ++starts[two[0]];
        ++steps[(two[1] + m - two[0]) % m];
      }
      std::vector<std::uint64_t> possible;
      for (std::uint64_t step = 1; step < m; step += m % 2 == 0 ? 2 : 1)
        possible.push_back(steps[step]);
      EXPECT_TRUE(statistics::uniform(starts)) << name_of(how) << ' ' << m;
      EXPECT_TRUE(statistics::uniform(possible)) << name_of(how) << ' ' << m;
    }
}

// A key whose cells are all even, or all odd, sees half a filter: odd steps take turns.
TEST(Scheme, WalksVisitEvenAndOddCells) {
  for (const scheme how : {scheme::plain_double, scheme::extended, scheme::enhanced, scheme::crc})
    for (std::uint64_t i = 0; i < 1000; ++i) {
      std::uint64_t odd = 0;
      for (const std::uint64_t cell : cells_of(k_probes(512, 10, 0, how), random_digest(i)))
        odd += cell % 2;
      ASSERT_TRUE(odd >= 3 && odd <= 7) << name_of(how) << ' ' << odd;
    }
}

// Under a step that shares no factor with the cells a walk closes after all of them, not before.
TEST(Scheme, DoubleHashingVisitsDistinctCells) {
  for (const std::uint64_t m : {64U, 1009U, 4096U}) {
    const k_probes at(m, 64, 0, scheme::plain_double);
    for (std::uint64_t i = 0; i < 500; ++i) {
      auto cells = cells_of(at, random_digest(i));
      std::sort(cells.begin(), cells.end());
      ASSERT_EQ(std::unique(cells.begin(), cells.end()), cells.end()) << m;
    }
  }
}

// One cell in every slice, for every key.
TEST(Scheme, PartitionedHasOneCellInEverySlice) {
  for (const unsigned probes : {1U, 2U, 7U, 10U, 1024U}) {
    const k_probes at = shape_of(scheme::partitioned, 1024 * 70, probes);
    const std::uint64_t slice = at.cells() / probes;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto cells = cells_of(at, random_digest(i));
      for (unsigned p = 0; p < probes; ++p) ASSERT_EQ(cells[p] / slice, p);
    }
  }
  EXPECT_EQ(cells_of(k_probes(5, 5, 0, scheme::partitioned), random_digest(0)),
            (positions{0, 1, 2, 3, 4}));
}

// ((a x + b) mod 2^61 - 1) mod m, re-derived with plain remainders of 128-bit numbers.
TEST(Scheme, PairwiseIsItsFormula) {
  constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  const std::vector<std::uint64_t> edges{0,         1,         prime - 1,        prime,
                                         prime + 1, 2 * prime, ~std::uint64_t{0}};
  for (const std::uint64_t salt : {0U, 5U})
    for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{1009}, std::uint64_t{1} << 48}) {
      const k_probes at(m, 30, salt, scheme::pairwise);
      for (std::uint64_t key = 0; key < 500; ++key) {
        const std::uint64_t lo = key < edges.size() ? edges[key] : test::scatter(key);
        const auto found = cells_of(at, {test::scatter(key + 1), lo});
        for (std::uint64_t i = 0; i < 30; ++i) {
          const std::uint64_t base = detail::salt_of(detail::stage::probes, salt);
          const uint128 a = detail::remix(base, 2 + 2 * i) % (prime - 1) + 1,
                        b = detail::remix(base, 3 + 2 * i) % prime;
          ASSERT_EQ(found[i], static_cast<std::uint64_t>((a * (lo % prime) + b) % prime % m))
              << key << ' ' << i;
        }
      }
    }
}

// h(x ^ y) = h(x) ^ h(y), probe by probe; and each bit of a key has a word of its own.
TEST(Scheme, H3IsLinear) {
  const k_probes at(std::uint64_t{1} << 40, 12, 0, scheme::h3);
  const auto of = [&](std::uint64_t x) { return cells_of(at, {0, x}); };
  EXPECT_EQ(of(0), positions(12, 0));
  positions words;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const auto one = of(std::uint64_t{1} << bit);
    words.insert(words.end(), one.begin(), one.end());
  }
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::unique(words.begin(), words.end()), words.end());
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t x = test::scatter(2 * i), y = test::scatter(2 * i + 1);
    const auto a = of(x), b = of(y), both = of(x ^ y);
    for (unsigned p = 0; p < 12; ++p) ASSERT_EQ(both[p], a[p] ^ b[p]);
  }
}

// The law behind fold: half as many cells halve every position, or take it modulo the half.
TEST(Scheme, HalvedPositionsFollow) {
  for (const scheme how : every_scheme()) {
    k_probes whole = shape_of(how, std::uint64_t{7} << 20, 7);
    for (int times = 0; times < 6; ++times) {
      const k_probes half = whole.halved();
      EXPECT_EQ(half.cells(), whole.cells() / 2);
      EXPECT_EQ(half.scheme(), how);
      for (std::uint64_t i = 0; i < 100; ++i) {
        auto expected = cells_of(whole, random_digest(i));
        for (auto& cell : expected)
          cell = half.folds_onto_itself() ? cell % half.cells() : cell / 2;
        ASSERT_EQ(cells_of(half, random_digest(i)), expected)
            << name_of(how) << ' ' << half.cells();
      }
      whole = half;
    }
  }
}

std::string refusal_of(std::uint64_t cells, unsigned probes, std::uint64_t salt, scheme how) {
  try {
    (void)k_probes(cells, probes, salt, how);
    return "taken";
  } catch (const bad_parameter& refused) {
    return refused.what();
  }
}

// The first shape of a pair is refused, the second taken.
TEST(Scheme, RefusesWhatItCannotWalk) {
  constexpr std::uint64_t one = 1;
  for (const scheme how : {scheme::plain_double, scheme::extended, scheme::enhanced,
                           scheme::triple_modular, scheme::crc}) {
    EXPECT_EQ(refusal_of(1, 3, 0, how),
              "cells: under scheme " + std::string(name_of(how)) + " expected at least 2, found 1");
    EXPECT_EQ(refusal_of(2, 3, 0, how), "taken");
  }
  EXPECT_EQ(refusal_of(100, 7, 0, scheme::partitioned),
            "cells: under scheme partitioned expected a multiple of the probes, found 100");
  EXPECT_EQ(refusal_of(98, 7, 0, scheme::partitioned), "taken");
  EXPECT_EQ(refusal_of(100, 3, 0, scheme::chunks),
            "probes: under scheme chunks expected 4, found 3");
  EXPECT_EQ(refusal_of((one << 32) + 1, 4, 0, scheme::chunks),
            "cells: under scheme chunks expected at most 2^32, found 4294967297");
  EXPECT_EQ(refusal_of(one << 32, 4, 0, scheme::chunks), "taken");
  EXPECT_EQ(refusal_of(100, 4, 1, scheme::chunks), "salt: under scheme chunks expected 0, found 1");
  EXPECT_EQ(refusal_of((one << 48) + 1, 4, 0, scheme::pairwise),
            "cells: under scheme pairwise expected at most 2^48, found 281474976710657");
  EXPECT_EQ(refusal_of(one << 48, 4, 9, scheme::pairwise), "taken");
  EXPECT_EQ(refusal_of(96, 4, 0, scheme::h3),
            "cells: under scheme h3 expected a power of two, found 96");
  EXPECT_EQ(refusal_of(1, 4, 9, scheme::h3), "taken");
  EXPECT_EQ(refusal_of((one << 31) + 1, 4, 0, scheme::crc),
            "cells: under scheme crc expected at most 2^31, found 2147483649");
  EXPECT_EQ(refusal_of(one << 31, 4, 0, scheme::crc), "taken");
  EXPECT_EQ(refusal_of(100, 4, 1, scheme::crc), "salt: under scheme crc expected 0, found 1");
  EXPECT_EQ(refusal_of(100, 4, 1, scheme::dcso), "salt: under scheme dcso expected 0, found 1");
  EXPECT_EQ(refusal_of(100, 4, 0, static_cast<scheme>(13)), "scheme: expected 0 to 12, found 13");
}

}  // namespace
}  // namespace umbel::core::scheme_test
