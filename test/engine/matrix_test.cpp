// matrix_test.cpp - the engines of matrix dictionaries: each key answers its value, in the space
// and with the tries promised.
#include <umbel/engine/retrieval/matrix/build.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"
#include "support/statistics_gate.hpp"

namespace {
namespace matrix_test {

using namespace fuse_test;
using umbel::matrix_form;
using umbel::matrix_source;
using umbel::core::grouped;
using umbel::core::matrix;
using umbel::core::single_system;
using enum matrix_form;

matrix built(std::span<const valued> all, const matrix::build_options& how) {
  return matrix::build(spooled(all), how, [](const valued& v) { return v.value; });
}
constexpr matrix_form forms[] = {grouped, tabulated, exact, dense};
double overhead(const matrix& m) {
  return static_cast<double>(m.size_in_bits()) / static_cast<double>(m.keys() * m.width()) - 1;
}

// ---- every key, in every form ----

TEST(Matrix, EveryWidthAndManyNumbersOfKeys) {
  for (const matrix_form form : forms)
    for (unsigned width = 1; width <= 64; ++width) {
      std::set<std::uint64_t> sizes = {0, 1, 2, width - 1U, width, width + 1U};
      if (form == grouped || form == tabulated || width % 16 == 8) sizes.insert(1000);
      for (const std::uint64_t n : sizes) {
        const auto all = pairs(n, width, n + width);
        const auto m = built(all, {.width = width, .form = form});
        ASSERT_EQ(m.keys(), n);
        ASSERT_EQ(m.width(), width);
        ASSERT_EQ(wrong(m, all), 0U) << name_of(form) << ", " << n << " keys of width " << width;
      }
    }
}
TEST(Matrix, EverySmallNumberOfKeys) {
  for (std::uint64_t n = 0; n <= 300; ++n)
    for (const matrix_form form : forms) {
      const unsigned width = 1 + static_cast<unsigned>(n) % 64;
      const auto all = pairs(n, width, n);
      ASSERT_EQ(wrong(built(all, {.width = width, .form = form}), all), 0U)
          << name_of(form) << ' ' << n;
    }
}
TEST(Matrix, EveryChoiceOfTheGroupedForm) {
  for (const std::uint64_t n : {1U, 63U, 64U, 65U, 5000U, 20'000U})
    for (const std::uint64_t group : {64U, 128U, 256U})
      for (const std::uint64_t levels : {1U, 2U})
        for (const std::uint64_t spare : {0U, 3U, 64U}) {
          const auto all = pairs(n, 8, n);
          const auto m = built(all, {.width = 8, .group = group, .spare = spare, .levels = levels});
          ASSERT_EQ(wrong(m, all), 0U) << n << ' ' << group << ' ' << levels << ' ' << spare;
        }
}
TEST(Matrix, AMillionKeys) {
  const std::uint64_t n = sanitized ? 50'000 : 1'000'000;
  for (unsigned width = 1; width <= 64; ++width) {
    if (width != 1 && width != 8 && width != 64 && !is_set("UMBEL_LONG")) continue;
    const auto all = pairs(n, width, 7);
    const auto m = built(all, {.width = width, .threads = 2});
    EXPECT_EQ(wrong(m, all), 0U) << width;
    EXPECT_EQ(m.groups().listed_keys(), 0U);
  }
}

// ---- one set, one file ----

TEST(Matrix, ThreadsAndOrderChangeNothing) {
  for (const matrix_form form : forms)
    for (const std::uint64_t n : {1U, 1000U, 3000U, 200'000U}) {  // at last 13 buckets
      if ((sanitized || form == exact || form == dense) && n > 100'000) continue;
      const auto all = pairs(n, 8, 2);
      const auto one = built(all, {.width = 8, .form = form});
      EXPECT_TRUE(built(shuffled(all, 3), {.width = 8, .form = form, .threads = 2}) == one)
          << name_of(form) << n;
      EXPECT_TRUE(built(shuffled(all, 4), {.width = 8, .form = form}) == one) << name_of(form) << n;
    }
}
TEST(Matrix, RepeatsLeaveNoTraceAndConflictsAreFound) {
  for (const matrix_form form : forms) {
    const auto once = pairs(900, 8, 3);
    auto twice = once;
    twice.insert(twice.end(), once.begin(), once.begin() + 100);
    EXPECT_TRUE(built(shuffled(twice, 1), {.width = 8, .form = form}) ==
                built(once, {.width = 8, .form = form}));
    twice.back().value ^= 1;
    EXPECT_THROW((void)built(twice, {.width = 8, .form = form}), umbel::core::digest_conflict);
    const std::vector<valued> copies(70'000, once[0]);
    EXPECT_EQ(built(copies, {.width = 8, .form = form}).keys(), 1U) << name_of(form);
  }
}

// ---- failures that are forced ----

// One level: 300 keys in one group. They are listed, and answer as all others do.
TEST(Matrix, CrowdedBucketsAreListed) {
  auto all = pairs(sanitized ? 100'000 : 200'000, 8, 4);
  for (std::size_t i = 0; i < 300; ++i) all[i].key.hi = 0x1234567890000000 + i;
  const auto m = built(all, {.width = 8, .levels = 1, .threads = 2});
  EXPECT_GE(m.groups().listed_keys(), 300U);
  EXPECT_LT(m.groups().listed_keys(), 500U);
  EXPECT_EQ(parts(m.groups())["redraw"], 0U);
  EXPECT_EQ(wrong(m, all), 0U);
  const auto spared = built(all, {.width = 8, .spare = 3, .levels = 1});
  EXPECT_EQ(spared.groups().listed_keys(), m.groups().listed_keys());
  EXPECT_EQ(wrong(spared, all), 0U);
}
// Digests that all fall into one bucket are divided by other words of themselves.
TEST(Matrix, CrowdsAreDividedAnew) {
  for (const std::uint64_t levels : {1U, 2U}) {
    auto all = pairs(60'000, 8, 4);
    for (valued& v : all) v.key.hi >>= 20;
    const auto m = built(shuffled(all, 1), {.width = 8, .levels = levels, .threads = 2});
    EXPECT_EQ(parts(m.groups())["redraw"], 1U);
    EXPECT_EQ(m.groups().listed_keys(), 0U);
    EXPECT_EQ(wrong(m, all), 0U);
    EXPECT_TRUE(built(all, {.width = 8, .levels = levels}) == m);
    all.push_back(all[7]);
    EXPECT_TRUE(built(all, {.width = 8, .levels = levels}) == m);
  }
}
// Digests with one half 0: the product that salts make of it still tells them apart.
TEST(Matrix, DigestsWithHalfTheirBits) {
  auto all = pairs(5000, 8, 4);
  for (valued& v : all) v.key.lo = 0;
  for (const matrix_form form : {grouped, tabulated, exact}) {
    const std::span<const valued> some(all.data(), form == exact ? 500 : all.size());
    EXPECT_EQ(wrong(built(some, {.width = 8, .form = form}), some), 0U) << name_of(form);
  }
}

// ---- statistics ----

// A try succeeds if its rows are consistent; tries are geometric, so their sd is below their mean.
TEST(Matrix, TriesPerGroup) {
  for (const unsigned width : {1U, 2U, 4U, 8U, 12U, 64U}) {
    const auto m =
        built(pairs(sanitized ? 20'000 : 200'000, width, 6), {.width = width, .threads = 2});
    const auto& g = m.groups();
    double tries = 0;
    for (std::uint64_t i = 0; i < g.groups(); ++i) tries += static_cast<double>(g.seed_of(i) + 1);
    const double mean = umbel::sizing::matrix_tries(width),
                 groups = static_cast<double>(g.groups());
    EXPECT_NEAR(tries / groups, mean, 5 * std::sqrt(mean * (mean - 1) / groups)) << width;
  }
}
TEST(Matrix, SpareUnknownsSaveTries) {
  const auto m = built(pairs(100'000, 16, 6), {.width = 16, .spare = 3});
  const auto& g = m.groups();
  double tries = 0;
  for (std::uint64_t i = 0; i < g.groups(); ++i) tries += static_cast<double>(g.seed_of(i) + 1);
  const double mean = 1 / umbel::sizing::independence(64, 3),
               groups = static_cast<double>(g.groups());
  EXPECT_NEAR(tries / groups, mean, 5 * std::sqrt(mean * (mean - 1) / groups));
}
// What a non-member of a system of groups answers, as the structure stands: every group is as
// likely as any other, and in it every row that can be drawn. Read from the layout that grouped.hpp
// describes, so that the expectation owes nothing to the query. One bucket, width 8.
std::array<double, 256> odds_of_values(const umbel::core::grouped& g) {
  const parts stored(g);
  const auto groups = g.groups(), keys = stored.words("directory").at(1) >> 9;
  const std::uint64_t scale = (std::uint64_t{1} << 32) / groups;
  // 12 bits, of which the lower 8 say how far the group's begin strays
  const auto entry = [&](std::uint64_t j) {
    std::uint64_t out = 0;
    for (unsigned bit = 0; bit < 12; ++bit)
      out |= (stored.words("entries").at((12 * j + bit) / 64) >> (12 * j + bit) % 64 & 1) << bit;
    return out;
  };
  const auto begin = [&](std::uint64_t j) {
    return ((j * keys * scale + (std::uint64_t{1} << 31)) >> 32) + (entry(j) & 0xFF) - 128;
  };
  const auto cell = [&](std::uint64_t i) {
    return static_cast<unsigned>(stored.words("cells").at(i / 8) >> i % 8 * 8 & 0xFF);
  };
  std::array<double, 256> out{};
  for (std::uint64_t j = 0; j < groups; ++j) {
    const std::uint64_t first = begin(j), unknowns = begin(j + 1) - first;
    std::array<double, 256> here{};
    if (unknowns == 0 || unknowns > umbel::solve::dense_rows::max_tabled) {
      here[0] = 1;  // no unknown: 0. Else each is in a row or not, with equal odds
      for (std::uint64_t i = first; i < first + unknowns; ++i) {
        const auto before = here;
        for (unsigned v = 0; v < 256; ++v) here[v] = (before[v] + before[v ^ cell(i)]) / 2;
      }
    } else {
      for (unsigned id = 0; id < umbel::solve::dense_rows::ids; ++id) {
        const unsigned row = umbel::solve::dense_rows::vector(id, unknowns);
        unsigned value = 0;
        for (std::uint64_t i = 0; i < unknowns; ++i) value ^= (row >> i & 1) * cell(first + i);
        here[value] += 1.0 / umbel::solve::dense_rows::ids;
      }
    }
    for (unsigned v = 0; v < 256; ++v) out[v] += here[v] / static_cast<double>(groups);
  }
  return out;
}

// Chi-square of what non-members answer, at five standard deviations on either side: a structure
// that answers as it should fails once in 1.7 million choices of keys. Every count expected is
// above 40. Systems of many unknowns answer every value alike: a value is the XOR of half of 64
// unknowns or more, or of some ten of thousands. Groups of three have few unknowns each and some
// have none, so what they answer follows from what is stored.
TEST(Matrix, NonMembersGetValuesAtTheOddsOfTheirSystems) {
  for (const matrix_form form : forms) {
    const auto m = built(pairs(form == dense ? 1000 : 3000, 8, 1), {.width = 8, .form = form});
    const auto asked = digests(form == dense ? 16'000 : 256'000, 99);
    std::vector<std::uint64_t> seen(256);
    for (const digest& d : asked) ++seen[m.value(d)];
    std::array<double, 256> odds;
    odds.fill(1.0 / 256);
    if (form == tabulated) odds = odds_of_values(m.groups());
    double chi = 0, all = 0;
    for (unsigned v = 0; v < 256; ++v) {
      const double mean = odds[v] * static_cast<double>(asked.size());
      ASSERT_GT(mean, 40) << name_of(form) << ", value " << v;
      const double off = static_cast<double>(seen[v]) - mean;
      chi += off * off / mean;
      all += odds[v];
    }
    EXPECT_NEAR(all, 1, 1e-9);
    EXPECT_GT(chi, umbel::statistics::chi_square_quantile(255, -umbel::test::five_sigmas))
        << name_of(form);
    EXPECT_LT(chi, umbel::statistics::chi_square_quantile(255, umbel::test::five_sigmas))
        << name_of(form);
  }
}

// ---- space ----

TEST(Matrix, TakesWhatWasPromised) {
  const auto all = pairs(sanitized ? 100'000 : 400'000, 8, 1);
  struct bar {
    std::uint64_t group;
    double most;
  };
  for (const auto& [group, most] : {bar{64, 0.025}, bar{128, 0.0135}, bar{256, 0.008}}) {
    if (sanitized && group > 64) continue;
    const auto m = built(all, {.width = 8, .group = group, .threads = 2});
    EXPECT_LE(overhead(m), most) << group;
    const auto plan = matrix::plan(m.keys(), 8, {.width = 8, .group = group});
    EXPECT_NEAR(static_cast<double>(plan.bits) / static_cast<double>(m.size_in_bits()), 1, 0.001)
        << plan;
  }
}
// As many unknowns as keys; of one level a word for every group comes on top, which holds n r + (n
// / s) log2(n r).
TEST(Matrix, NoUnknownIsLeftOver) {
  const auto all = pairs(100'000, 5, 1);
  for (const std::uint64_t levels : {1U, 2U}) {
    const auto words = parts(built(all, {.width = 5, .levels = levels}).groups()).words("cells");
    EXPECT_EQ(words.size(), umbel::cells::packed::words_for(100'000, 5)) << levels;
  }
}

// ---- one system ----

single_system one_system(std::span<const valued> all, const single_system::build_options& how) {
  const auto value_of = [](const valued& v) { return v.value; };
  const auto spool = spooled(all);
  return umbel::core::single_system_builder::build(
      umbel::core::spool_values<valued, decltype(value_of)>(spool, value_of), how);
}
TEST(ExactMatrix, TakesNotABitMore) {
  for (const std::uint64_t n : {1U, 2U, 63U, 64U, 65U, 100U, 777U, 1000U})
    for (const unsigned width : {1U, 3U, 8U, 13U, 64U}) {
      const auto all = pairs(n, width, n);
      const auto m = built(all, {.width = width, .form = exact});
      ASSERT_EQ(m.one().cells().storage().size(), (n * width + 7) / 8) << n << ' ' << width;
      ASSERT_EQ(m.size_in_bits(), (n * width + 7) / 8 * 8);
      ASSERT_EQ(m.one().spare(), 0U);
      ASSERT_EQ(matrix::plan(n, 0, {.width = width, .form = exact}).bits, m.size_in_bits());
      ASSERT_EQ(wrong(m, all), 0U);
    }
}
TEST(ExactMatrix, AllSolversFindTheSame) {
  using enum umbel::core::system_solver;
  for (const std::uint64_t n : {65U, 200U, 600U}) {
    const auto all = pairs(n, 40, n);
    const auto tables = one_system(all, {.width = 40, .solver = four_russians});
    EXPECT_TRUE(one_system(all, {.width = 40, .solver = wiedemann}) == tables) << n;
    EXPECT_EQ(wrong(tables, all), 0U);
  }
}
TEST(ExactMatrix, AddsUnknownsWhenSeedsRunOut) {
  for (const std::uint64_t n : {5U, 64U, 300U}) {
    const auto all = pairs(n, 9, n);
    const auto m = one_system(all, {.width = 9, .seeds_without_spare = 0});
    EXPECT_EQ(m.spare(), 8U);
    EXPECT_EQ(m.size_in_bits(), ((n + 8) * 9 + 7) / 8 * 8);
    EXPECT_EQ(wrong(m, all), 0U) << n;
  }
}
// Seeds tried: about 1 / 0.289. The mean of 40 builds strays by 0.46.
TEST(ExactMatrix, FewSeedsAreTried) {
  double tries = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    tries += static_cast<double>(one_system(pairs(300, 32, 100 + seed), {.width = 32}).seed() + 1);
  EXPECT_NEAR(tries / 40, 3.5, 5 * 0.46);
}
TEST(Matrix, TooManyKeysForOneSystem) {
  for (const auto& [form, most] : {std::pair{dense, 4096U}, {exact, 65'536U}}) {
    EXPECT_NO_THROW((void)matrix::plan(most, 8, {.width = 8, .form = form}));
    try {
      (void)built(pairs(most + 1, 8, 1), {.width = 8, .form = form});
      FAIL();
    } catch (const umbel::bad_parameter& e) {
      EXPECT_NE(std::string(e.what()).find("grouped"), std::string::npos) << e.what();
    }
    EXPECT_THROW((void)matrix::plan(most + 1, 8, {.width = 8, .form = form}), umbel::bad_parameter);
  }
}

// ---- refusals ----

TEST(Matrix, RefusesImpossibleOptions) {
  const auto all = pairs(10, 8, 1);
  for (const matrix::build_options& how : {matrix::build_options{.group = 3},
                                           {.group = 0},
                                           {.group = 100},
                                           {.spare = 65},
                                           {.levels = 0},
                                           {.levels = 3},
                                           {.group = 128, .source = matrix_source::pairwise},
                                           {.source = static_cast<matrix_source>(2)},
                                           {.draw = 1},
                                           {.form = exact, .draw = 1},
                                           {.form = static_cast<matrix_form>(4)},
                                           {.form = exact, .group = 128},
                                           {.form = exact, .spare = 1},
                                           {.form = tabulated, .spare = 1},
                                           {.form = tabulated, .levels = 1},
                                           {.form = dense, .spare = 65},
                                           {.form = dense, .source = matrix_source::pairwise}}) {
    EXPECT_THROW((void)built(all, how), umbel::bad_parameter);
    EXPECT_THROW((void)matrix::plan(10, 8, how), umbel::bad_parameter);
  }
}

// ---- forms against each other ----

TEST(Matrix, FormsGiveTheSameAnswers) {
  const auto all = pairs(2000, 11, 5);
  const auto reference = built(all, {.width = 11, .form = dense});
  for (const matrix::build_options& how : {matrix::build_options{.width = 11},
                                           {.width = 11, .levels = 1},
                                           {.width = 11, .form = tabulated},
                                           {.width = 11, .form = exact},
                                           {.width = 11, .source = matrix_source::pairwise}}) {
    const auto m = built(all, how);
    for (const valued& v : all) ASSERT_EQ(m.value(v.key), reference.value(v.key));
  }
}
TEST(Matrix, PairwiseRowsAtEveryWidth) {
  for (const unsigned width : {1U, 7U, 8U, 20U, 64U}) {
    const auto all = pairs(20'000, width, width);
    const auto m = built(all, {.width = width, .source = matrix_source::pairwise, .threads = 2});
    EXPECT_EQ(wrong(m, all), 0U);
    EXPECT_EQ(m.groups().listed_keys(), 0U);
  }
}
// Digests are counted up instead of hashed, in all ways that keep the buckets of one size. A proof
// over the draw of the functions holds for them as well, and so few tries succeed as for hashed
// ones.
TEST(Matrix, PairwiseRowsAskNothingOfTheDigests) {
  constexpr std::uint64_t n = 20'000, step = ~std::uint64_t{0} / n;
  for (const digest by :
       {digest{step, 0}, digest{step, 1}, digest{step, step}, digest{step, std::uint64_t{1} << 40}})
    for (const std::uint64_t draw : {0U, 1U, 2U}) {
      std::vector<valued> all;
      for (std::uint64_t i = 0; i < n; ++i) all.push_back({{i * by.hi, i * by.lo}, i & 0xFF});
      const auto m = built(all, {.width = 8, .source = matrix_source::pairwise, .draw = draw});
      EXPECT_EQ(wrong(m, all), 0U);
      EXPECT_EQ(m.groups().listed_keys(), 0U);
      EXPECT_LT(overhead(m), 0.03) << by.lo << ", draw " << draw;
    }
}
// What was drawn is the map's own: another draw solves the same keys by other rows, and a file
// keeps it.
TEST(Matrix, PairwiseFunctionsAreDrawnForEachMap) {
  const auto all = pairs(20'000, 8, 8);
  std::vector<matrix> drawn;
  for (const std::uint64_t draw : {0ULL, 1ULL, 2ULL, ~0ULL}) {
    drawn.push_back(built(all, {.width = 8, .source = matrix_source::pairwise, .draw = draw}));
    EXPECT_EQ(wrong(drawn.back(), all), 0U) << draw;
    EXPECT_EQ(parts(drawn.back().groups())["draw"], draw);
  }
  // 64 keys in 2^14 entries, each in one of its own as a rule
  const auto others = pairs(20'000, 8, 9);
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    EXPECT_FALSE(drawn[0] == drawn[i]);
    std::uint64_t same = 0;
    for (const valued& v : others) same += drawn[0].value(v.key) == drawn[i].value(v.key);
    EXPECT_NEAR(static_cast<double>(same), 20'000 / 256.0, 5 * std::sqrt(20'000 / 256.0))
        << "as chance has it";
  }
}

}  // namespace matrix_test
}  // namespace
