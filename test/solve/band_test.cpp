// band_test.cpp - ribbon banding [DW21] compared with dense elimination: which systems are
// solvable, that the solution holds, independence of order, and that a refused insert leaves no
// trace.
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/integers.hpp>
#include <umbel/solve/band.hpp>

#include "support/keys.hpp"

namespace band_test {
namespace {

using umbel::detail::remix;
using umbel::detail::uint128;
using namespace umbel::solve;

template <class Word>
std::vector<band_row<Word>> random_rows(std::size_t count, std::uint32_t starts, unsigned columns,
                                        std::uint64_t seed) {
  std::vector<band_row<Word>> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    Word coefficients = remix(i, seed);
    if constexpr (sizeof(Word) == 16)
      coefficients |= static_cast<Word>(remix(i, seed + 1000)) << 64;
    out[i] = {coefficients | 1, remix(i, seed + 2000) & umbel::detail::low_mask(columns),
              static_cast<std::uint32_t>(umbel::detail::fastrange(remix(i, seed + 3000), starts)),
              static_cast<std::uint32_t>(i)};
  }
  return out;
}

// The value that a solution gives a row: bit c of slot s is bit s % 64 of blocks[s / 64 * columns +
// c].
template <class Word>
std::uint64_t answer(const band_row<Word>& row, const std::vector<std::uint64_t>& blocks,
                     unsigned columns) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 8 * sizeof(Word); ++i)
    if ((row.coefficients >> i & 1) != 0)
      for (unsigned c = 0; c < columns; ++c)
        out ^= (blocks[(row.start + i) / 64 * columns + c] >> ((row.start + i) % 64) & 1) << c;
  return out;
}

// Whether the rows have a common solution, by elimination of rows as wide as the system; up to 256
// slots.
template <class Word>
bool solvable(const std::vector<band_row<Word>>& rows) {
  struct dense {
    std::uint64_t bits[4];
    std::uint64_t value;
  };
  std::vector<dense> pivots;
  for (const auto& row : rows) {
    dense d{{}, row.value};
    for (unsigned i = 0; i < 8 * sizeof(Word); ++i)
      if ((row.coefficients >> i & 1) != 0)
        d.bits[(row.start + i) / 64] ^= std::uint64_t{1} << (row.start + i) % 64;
    const auto lowest = [](const dense& x) {
      for (unsigned w = 0; w < 4; ++w)
        if (x.bits[w] != 0) return 64 * w + static_cast<unsigned>(std::countr_zero(x.bits[w]));
      return 256U;
    };
    for (const dense& p : pivots) {
      const unsigned at = lowest(p);
      if ((d.bits[at / 64] >> at % 64 & 1) == 0) continue;
      for (unsigned w = 0; w < 4; ++w) d.bits[w] ^= p.bits[w];
      d.value ^= p.value;
    }
    if (lowest(d) != 256) {
      // Pivots are used in their order of insertion: each was cleared of all earlier ones, so one
      // pass is enough.
      pivots.push_back(d);
    } else if (d.value != 0) {
      return false;
    }
  }
  return true;
}

template <class Word>
void against_the_oracle() {
  constexpr std::uint32_t slots = 256;
  constexpr std::uint32_t starts = slots - 8 * sizeof(Word) + 1;
  unsigned failed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const unsigned columns = 1 + static_cast<unsigned>(seed % 9);
    const auto rows = random_rows<Word>(170 + seed % 100, starts, columns, seed);
    std::vector<band_slot<Word>> memory(slots);
    band<Word> all{std::span(memory)};
    const bool fits = all.insert(rows);
    ASSERT_EQ(fits, solvable(rows)) << seed;
    failed += !fits;
    if (!fits) {
      for (const auto& slot : memory) ASSERT_EQ(slot.coefficients, 0U);
      continue;
    }
    std::vector<std::uint64_t> blocks(slots / 64 * columns), again(blocks.size());
    solve_columns(std::span<const band_slot<Word>>(memory), columns, blocks.data());
    for (const auto& row : rows) ASSERT_EQ(answer(row, blocks, columns), row.value) << seed;

    // In another order, with portable code: the same solution.
    std::vector<band_slot<Word>> other(slots);
    umbel::cells::kernel::use(umbel::cells::kernel::level::portable);
    band<Word> portable{std::span(other)};
    const auto shuffled = umbel::test::shuffled(rows, seed);
    const std::span<const band_row<Word>> half(shuffled.data(), shuffled.size() / 2);
    for (const auto& row : half) ASSERT_TRUE(portable.insert(std::span(&row, 1)));
    ASSERT_TRUE(portable.insert(std::span(shuffled).subspan(half.size())));
    solve_columns(std::span<const band_slot<Word>>(other), columns, again.data());
    umbel::cells::kernel::use(umbel::cells::kernel::best());
    ASSERT_EQ(again, blocks) << seed;
  }
  EXPECT_GT(failed, 20U);  // or the test shows one side only
  EXPECT_LT(failed, 280U);
}

TEST(Band, AgreesWithDenseElimination) { against_the_oracle<std::uint64_t>(); }
TEST(Band, AgreesWithDenseEliminationOf128Coefficients) { against_the_oracle<uint128>(); }

TEST(Band, ARefusedInsertLeavesTheOthers) {
  constexpr std::uint32_t slots = 128, starts = 65;
  const auto first = random_rows<std::uint64_t>(60, starts, 8, 1);
  auto second = random_rows<std::uint64_t>(20, starts, 8, 2);
  auto clash = first[10];
  clash.value ^= 1;
  clash.owner = 99;
  second.push_back(clash);
  std::vector<band_slot<std::uint64_t>> memory(slots);
  band<std::uint64_t> all{std::span(memory)};
  ASSERT_TRUE(all.insert(first));
  const auto before = memory;
  ASSERT_FALSE(all.insert(second));
  EXPECT_EQ(all.refused(), 99U);
  for (std::size_t i = 0; i < slots; ++i) {
    EXPECT_EQ(memory[i].coefficients, before[i].coefficients);
    EXPECT_EQ(memory[i].value, before[i].value);
  }
  ASSERT_TRUE(all.insert(std::span(first).subspan(7, 1)));
  ASSERT_EQ(all.redundant().size(), 1U);  // it is there already
  EXPECT_EQ(all.redundant()[0], 7U);
}

}  // namespace
}  // namespace band_test
