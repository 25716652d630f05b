// quotient_table_test.cpp - runs of values: bytes are the layout that the definition gives,
// whatever came and went, round the end of the ring, through offsets that a byte cannot tell, and
// up to the last slot there is room in.
#include <umbel/engine/table/quotient_table.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::quotient_table_test {
namespace {

using core::quotient_table;
using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
constexpr cells::kernel::portable::word_bits portable;

struct reading {
  void fields(std::string_view, const auto&) {}
  void array(std::string_view, const cells::words<std::uint8_t>& some) {
    bytes.assign(some.span().begin(), some.span().end());
  }
  std::vector<std::uint8_t> bytes;
};
std::vector<std::uint8_t> bytes_of(const quotient_table& table) {
  reading part;
  quotient_table::describe(table, part);
  return part.bytes;
}

// By definition: sorted pairs, each in the first slot from its home on that none before it took;
// twice round, so that what goes past the end pushes what lies at the start.
std::vector<std::uint8_t> layout_of(const quotient_table& like, pairs all) {
  std::sort(all.begin(), all.end());
  const std::uint64_t slots = like.slots(), stride = quotient_table::block_bytes(like.width());
  std::vector<std::uint64_t> at(all.size());
  std::uint64_t spill = 0;
  for (int lap = 0; lap < 3; ++lap) {
    std::uint64_t next = spill;
    for (std::size_t i = 0; i < all.size(); ++i) next = (at[i] = std::max(next, all[i].first)) + 1;
    spill = next > slots ? next - slots : 0;
  }
  std::vector<std::uint8_t> out(like.blocks() * stride);
  const auto put = [&](std::uint64_t block, std::uint64_t bit) {
    out[block * stride + bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t slot = at[i] % slots, w = like.width();
    for (std::uint64_t bit = 0; bit < w; ++bit)
      if ((all[i].second >> bit & 1) != 0) put(slot / 64, slot % 64 * w + bit);
    put(all[i].first / 64, 64 * w + all[i].first % 64);
    if (i + 1 == all.size() || all[i + 1].first != all[i].first)
      put(slot / 64, 64 * w + 64 + slot % 64);
  }
  for (std::uint64_t block = 0; block < like.blocks(); ++block) {
    std::uint64_t end = block == 0 ? spill : 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].first < block * 64) end = at[i] + 1;
    if (block != 0) end = std::max(end, spill);
    const std::uint64_t offset = end > block * 64 ? end - block * 64 : 0;
    out[block * stride + stride - 1] =
        static_cast<std::uint8_t>(std::min<std::uint64_t>(offset, 255));
  }
  return out;
}

struct shape {
  std::uint64_t blocks;
  unsigned width;
  std::uint64_t homes;  // that are drawn: few make long runs
};
class Walks : public ::testing::TestWithParam<shape> {};

template <class Bits>
void walk_with(Bits bits, const shape& of) {
  quotient_table table(of.blocks, of.width);
  std::mt19937_64 random(of.blocks * 100 + of.width);
  pairs in;
  const std::uint64_t values = std::min<std::uint64_t>(detail::low_mask(of.width), 50) + 1;
  // homes on both sides of where the ring closes
  const std::uint64_t first = table.slots() - of.homes / 2;
  for (int step = 0; step < 2500; ++step) {
    const std::uint64_t home = (first + random() % of.homes) % table.slots(),
                        value = random() % values;
    const bool filling = step / 500 % 2 == 0;
    if (filling ? random() % 8 != 0 : random() % 8 == 0) {
      const bool known = std::find(in.begin(), in.end(), std::pair(home, value)) != in.end();
      const auto done = table.insert(bits, home, value);
      ASSERT_EQ(done.has_value(), in.size() < table.room());
      if (done) {
        ASSERT_EQ(*done, !known);
        in.emplace_back(home, value);
      }
    } else if (!in.empty()) {
      const std::size_t i = random() % in.size();
      const auto gone = in[i];
      ASSERT_TRUE(table.remove(bits, gone.first, [&](std::uint64_t v) { return v == gone.second; }))
          << step;
      in.erase(in.begin() + static_cast<std::ptrdiff_t>(i));
    }
    ASSERT_EQ(table.used(), in.size());
    if (step % 25 != 0) continue;
    ASSERT_EQ(bytes_of(table), layout_of(table, in)) << step;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t asked = random() % table.slots(), v = random() % values;
      ASSERT_EQ(table.contains(bits, asked, v),
                std::find(in.begin(), in.end(), std::pair(asked, v)) != in.end());
    }
    for (const auto& [h, v] : in) ASSERT_TRUE(table.contains(bits, h, v));
    pairs walked, sorted = in;
    table.walk([&](std::uint64_t h, std::uint64_t v) { walked.emplace_back(h, v); });
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(walked, sorted);
  }
  while (!in.empty()) {
    ASSERT_TRUE(table.remove(bits, in.back().first,
                             [&](std::uint64_t v) { return v == in.back().second; }));
    in.pop_back();
  }
  EXPECT_EQ(table, quotient_table(of.blocks, of.width));
}
TEST_P(Walks, BytesAreTheLayoutOfTheMultiset) { walk_with(portable, GetParam()); }
#if defined(__x86_64__)
TEST_P(Walks, UnderBmi2Too) {
  if (cells::kernel::best() >= cells::kernel::level::avx2)
    walk_with(cells::kernel::avx2::word_bits{}, GetParam());
}
#endif
INSTANTIATE_TEST_SUITE_P(Shapes, Walks,
                         ::testing::Values(shape{1, 8, 64}, shape{1, 1, 3}, shape{2, 5, 128},
                                           shape{3, 7, 20}, shape{7, 8, 448}, shape{7, 16, 2},
                                           shape{12, 3, 1}, shape{9, 13, 500}, shape{12, 11, 30},
                                           shape{5, 56, 320}, shape{4, 40, 70}));

// Whatever the bytes say, nothing is read or written outside and everything ends.
struct writing {
  void fields(std::string_view, auto&) {}
  void array(std::string_view, cells::words<std::uint8_t>& some) {
    for (auto& byte : some.span())
      byte = static_cast<std::uint8_t>(sparse ? next() & next() & next() : next() | next());
  }
  std::mt19937_64 next;
  bool sparse;
};
TEST(RunTable, AnyContentIsSafe) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    quotient_table table(1 + seed % 5, 1 + seed % 17);
    writing part{std::mt19937_64(seed), seed % 2 == 0};
    quotient_table::describe(table, part);
    std::mt19937_64 random(seed);
    std::uint64_t walked = 0;
    table.walk([&](std::uint64_t home, std::uint64_t) { walked += home < table.slots(); });
    EXPECT_LE(walked, table.slots());
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t home = random() % table.slots(),
                          value = random() & detail::low_mask(table.width());
      (void)table.contains(portable, home, value);
      (void)table.insert(portable, home, value);
      (void)table.remove(portable, random() % table.slots(),
                         [&](std::uint64_t v) { return v >= value; });
    }
  }
}

}  // namespace
}  // namespace umbel::quotient_table_test
