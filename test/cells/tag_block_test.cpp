// tag_block_test.cpp - buckets of tags in one line, against lists of them; both spellings, both
// widths, bit for bit.
#include <umbel/cells/kernel/tag_block.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::cells::kernel::tag_block_test {
namespace {

struct alignas(64) line {
  std::array<unsigned char, 64> bytes;
  friend bool operator==(const line&, const line&) = default;
};

// By definition: a zero for every tag and a one behind every bucket; tags in the order they came.
template <class Shape>
line written(const std::vector<std::vector<typename Shape::tag>>& buckets) {
  line out{};
  detail::uint128 row = 0;
  unsigned bit = 0, at = 0;
  for (const auto& bucket : buckets) {
    for (const auto tag : bucket) {
      detail::store_le(out.bytes.data() + sizeof(typename Shape::row) + at++ * sizeof tag, tag);
      ++bit;
    }
    row |= static_cast<detail::uint128>(1) << bit++;
  }
  const auto cut = static_cast<typename Shape::row>(row);
  std::memcpy(out.bytes.data(), &cut, sizeof cut);
  return out;
}

template <class Ops>
void hold_walk(std::uint64_t seed) {
  using tag = typename Ops::tag;
  line block;
  Ops::clear(block.bytes.data());
  std::vector<std::vector<tag>> buckets(Ops::buckets);
  std::mt19937_64 random(seed);
  unsigned in = 0;
  for (int step = 0; step < 4000; ++step) {
    const auto bucket = static_cast<unsigned>(seed % 3 == 0 ? random() % 3 * (Ops::buckets - 1) / 2
                                                            : random() % Ops::buckets);
    const auto value = static_cast<tag>(random() % 7);
    auto& own = buckets[bucket];
    if (random() % 100 < (step / 500 % 2 == 0 ? 70 : 30)) {
      ASSERT_EQ(Ops::add(block.bytes.data(), bucket, value), in < Ops::tags);
      if (in < Ops::tags) own.push_back(value), ++in;
    } else {
      const unsigned at = Ops::find(block.bytes.data(), bucket, value);
      const auto there = std::find(own.begin(), own.end(), value);
      ASSERT_EQ(at != Ops::none, there != own.end()) << step;
      if (at == Ops::none) continue;
      Ops::remove(block.bytes.data(), bucket, at);
      own.erase(there), --in;
    }
    ASSERT_EQ(Ops::used(block.bytes.data()), in);
    ASSERT_EQ(block, written<Ops>(buckets)) << step;
  }
}

// Whatever the line holds, nothing outside it is touched: a sanitizer would see it.
template <class Ops>
void hold_any_content() {
  std::mt19937_64 random(9);
  for (int i = 0; i < 3000; ++i) {
    line block;
    for (auto& byte : block.bytes)
      byte = static_cast<unsigned char>(i % 3 == 0   ? random() & random() & random()
                                        : i % 3 == 1 ? random()
                                                     : 0);
    for (int k = 0; k < 20; ++k) {
      const auto bucket = static_cast<unsigned>(random() % Ops::buckets);
      const auto value = static_cast<typename Ops::tag>(random() % 3);
      if (const unsigned at = Ops::find(block.bytes.data(), bucket, value); at != Ops::none) {
        ASSERT_LT(at, Ops::tags);
        if (k % 2 == 0) Ops::remove(block.bytes.data(), bucket, at);
      }
      (void)Ops::add(block.bytes.data(), bucket, value);
    }
  }
}

TEST(TagBlock, IsItsBuckets) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    hold_walk<portable::tag_block<8>>(seed);
    hold_walk<portable::tag_block<16>>(seed);
  }
  hold_any_content<portable::tag_block<8>>();
  hold_any_content<portable::tag_block<16>>();
}
#if defined(__x86_64__)
TEST(TagBlock, IsItsBucketsUnderAvx2) {
  if (best() < level::avx2) GTEST_SKIP() << "this processor has no vector kernels";
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    hold_walk<avx2::tag_block<8>>(seed);
    hold_walk<avx2::tag_block<16>>(seed);
  }
  hold_any_content<avx2::tag_block<8>>();
  hold_any_content<avx2::tag_block<16>>();
}
#endif

}  // namespace
}  // namespace umbel::cells::kernel::tag_block_test
