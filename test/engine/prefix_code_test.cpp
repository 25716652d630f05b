// prefix_code_test.cpp - canonical codes there and back, and tables that are none; histograms;
// bundles.
#include <umbel/engine/retrieval/prefix_code.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/compose/bundle.hpp>
#include <umbel/engine/retrieval/histogram.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>

#include "support/keys.hpp"

namespace umbel::core::prefix_code_test {
namespace {

using lengths_t = std::vector<std::uint32_t>;
std::vector<std::uint64_t> symbols_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// Every code, cut off after each of its bits: whole exactly when all of them are there.
void comes_back(const lengths_t& codes, std::optional<unsigned> escape, std::uint64_t first) {
  const std::uint64_t total = std::accumulate(codes.begin(), codes.end(), std::uint64_t{0});
  const auto symbols = symbols_from(first, total - escape.has_value());
  const prefix_code code(codes, escape, symbols, 32, nullptr);
  ASSERT_EQ(code.codes(), total);
  ASSERT_EQ(code.longest() + 1, codes.size());
  std::uint64_t next = 0;
  for (std::uint64_t number = 0; number < total; ++number) {
    const auto [bits, length] = code.code_of(number);
    for (unsigned known = 0; known <= code.longest(); ++known) {
      const std::uint64_t seen = bits >> (code.longest() - known) << (code.longest() - known);
      ASSERT_EQ(code.is_whole(seen, known), known >= length) << number << " after " << known;
    }
    const std::uint64_t noise = detail::low_mask(code.longest() - length);
    ASSERT_EQ(code.number(bits), number);
    ASSERT_EQ(code.number(bits | noise), number);
    ASSERT_EQ(code.number(bits, length), number);
    if (code.is_escape(number)) {
      ASSERT_TRUE(escape && *escape == length);
    } else {
      ASSERT_EQ(code.symbol(number), symbols[next++]);
    }
  }
  EXPECT_EQ(next, symbols.size());
}

TEST(PrefixCode, ComesBack) {
  for (const std::uint64_t first : {0U, 1000U}) {
    comes_back({1}, std::nullopt, first);
    comes_back({1}, 0, first);
    comes_back({0, 2}, std::nullopt, first);
    comes_back({0, 1, 1, 2}, std::nullopt, first);
    comes_back({0, 1, 1, 2}, 1, first);
    comes_back({0, 1, 1, 2}, 3, first);
    comes_back({0, 0, 4}, 2, first);
    comes_back({0, 0, 1, 5, 2}, 3, first);
    lengths_t deep(33, 1);
    deep[0] = 0;
    deep[32] = 2;
    comes_back(deep, std::nullopt, first);
    comes_back(deep, 17, first);
    lengths_t wide(21, 0);
    wide[16] = 65'535;
    wide[20] = 16;
    comes_back(wide, 16, first);
  }
}

// What a file says, believed so far.
struct said {
  cells::words<std::uint32_t> codes;
  cells::words<> symbols;
  template <class Word>
  void array(std::string_view, cells::words<Word>& to) const {
    if constexpr (sizeof(Word) == 4)
      to = codes;
    else
      to = symbols;
  }
};
void checked(const lengths_t& codes, std::optional<unsigned> escape,
             const std::vector<std::uint64_t>& symbols, unsigned value_bits) {
  said parts{cells::words<std::uint32_t>(codes.size()), {}};
  std::copy(codes.begin(), codes.end(), parts.codes.data());
  cells::packed cells(symbols.size(), value_bits);
  for (std::size_t i = 0; i < symbols.size(); ++i) cells.set(i, symbols[i]);
  if (!symbols.empty()) parts.symbols = cells.storage();
  prefix_code code;
  prefix_code::fields(
      code, [&](std::string_view, std::uint64_t& field) { field = escape ? *escape + 1 : 0; });
  prefix_code::describe(code, parts);
  code.check(value_bits);
}

TEST(PrefixCode, TablesThatAreNoneAreRefused) {
  EXPECT_NO_THROW(checked({0, 1, 1, 2}, {}, {9, 3, 5, 7}, 64));
  EXPECT_NO_THROW(checked({}, {}, {}, 64));
  // a string that begins with no code
  EXPECT_THROW(checked({0, 1, 1, 1}, {}, {9, 3, 5}, 64), corrupt);
  // one that begins with two
  EXPECT_THROW(checked({0, 1, 1, 3}, {}, {9, 3, 5, 7, 8}, 64), corrupt);
  // no code of the greatest length
  EXPECT_THROW(checked({0, 2, 0}, {}, {9, 12}, 64), corrupt);
  // symbols of one length fall
  EXPECT_THROW(checked({0, 1, 2}, {}, {9, 7, 5}, 64), corrupt);
  EXPECT_THROW(checked({0, 1, 2}, {}, {9, 5}, 64), corrupt);  // one is missing
  // an escape of a length that no code has
  EXPECT_THROW(checked({0, 1, 2}, 0, {9, 5}, 64), corrupt);
  // a list that need not be there
  EXPECT_THROW(checked({0, 1, 2}, {}, {0, 1, 2}, 2), corrupt);
  // more symbols than values of one bit
  EXPECT_THROW(checked({0, 1, 2}, {}, {}, 1), corrupt);
  EXPECT_THROW(checked({0, 1, 2}, 40, {9, 5}, 64), corrupt);
  lengths_t long_codes(34, 1);
  long_codes[0] = 0;
  long_codes[33] = 2;
  EXPECT_THROW(checked(long_codes, {}, {}, 64), corrupt);
  EXPECT_THROW(checked({0, 0xFFFFFFFF, 0xFFFFFFFF}, {}, {}, 64), corrupt);
}

TEST(Histogram, AnyRoomGivesTheSame) {
  std::mt19937_64 random(5);
  pair_spool pairs;
  std::map<std::uint64_t, std::uint64_t> truth;
  for (const digest& d : test::members(20'000, 9)) {
    const std::uint64_t value = random() % 4 == 0 ? random() : random() % 50;
    pairs.add(valued{d, value});
    ++truth[value];
  }
  const auto all = count_values(pairs);
  EXPECT_EQ(all.keys, 20'000U);
  ASSERT_EQ(all.values.size(), truth.size());
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    EXPECT_EQ(truth[all.values[i].value], all.values[i].keys);
    if (i > 0) {
      EXPECT_TRUE(all.values[i - 1].keys > all.values[i].keys ||
                  (all.values[i - 1].keys == all.values[i].keys &&
                   all.values[i - 1].value < all.values[i].value));
    }
  }
  for (const std::uint64_t room : {64U, 1000U, 4000U}) {  // less than there are values
    const auto some = count_values(pairs, 2, room);
    ASSERT_EQ(some.values.size(), room);
    EXPECT_EQ(some.keys, 20'000U);
    for (std::size_t i = 0; i < room; ++i) {
      EXPECT_EQ(some.values[i].value, all.values[i].value);
      EXPECT_EQ(some.values[i].keys, all.values[i].keys);
    }
  }
  EXPECT_TRUE(count_values(pair_spool()).values.empty());
}

ribbon ribbon_of(std::uint64_t keys, unsigned width) {
  pair_spool pairs;
  for (const digest& d : test::members(keys, keys))
    pairs.add(valued{d, d.lo & detail::low_mask(width)});
  return ribbon::build(pairs, {.width = width, .preset = ribbon_preset::smallest},
                       [](const valued& v) { return v.value; });
}

TEST(Bundle, ItemsAreWhatTheyWere) {
  const std::vector<ribbon> items{ribbon_of(3000, 5), ribbon_of(0, 3), ribbon_of(1, 64),
                                  ribbon_of(9000, 1)};
  const bundle<ribbon> made(items);
  ASSERT_EQ(made.size(), items.size());
  bundle<ribbon> copy = made;
  const bundle<ribbon> moved = std::move(copy);
  copy = bundle<ribbon>(made);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_TRUE(made[i] == items[i]);
    EXPECT_TRUE(moved[i] == items[i]);
    EXPECT_TRUE(copy[i] == items[i]);
  }
  EXPECT_TRUE(copy == made && moved == made);
  EXPECT_FALSE(bundle<ribbon>(std::vector{items[0]}) == made);
  EXPECT_EQ(bundle<ribbon>().size(), 0U);
  EXPECT_NO_THROW(bundle<ribbon>(std::vector<ribbon>(64)));
  EXPECT_THROW(bundle<ribbon>(std::vector<ribbon>(65)), corrupt);
}

}  // namespace
}  // namespace umbel::core::prefix_code_test
