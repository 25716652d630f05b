// blocks_test.cpp - patterns of marks in blocks, and that the vector kernels compute the same bits
// as the portable ones, on 10^6 random hashes.
#include <umbel/cells/blocks.hpp>
#include <umbel/cells/pattern/line.hpp>
#include <umbel/cells/pattern/pair.hpp>
#include <umbel/cells/pattern/register.hpp>
#include <umbel/cells/pattern/split.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells::blocks_test {
namespace {

constexpr std::array<std::uint32_t, 8> salts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

template <class Key>
struct spot {
  std::uint64_t block;
  Key key;
};
template <class Key>
std::vector<spot<Key>> random_spots(std::size_t count, std::uint64_t blocks, std::uint64_t seed) {
  std::vector<spot<Key>> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = statistics::scatter(seed << 40 | i);
    out.push_back({(word >> 32) * blocks >> 32, static_cast<Key>(statistics::scatter(~word))});
  }
  return out;
}
template <class Key>
auto each(const std::vector<spot<Key>>& spots) {
  return [&spots](std::size_t i) { return spots[i]; };
}

// Puts the kernels in use back as they were.
struct kernels_restored {
  kernel::level before = kernel::in_use();
  ~kernels_restored() { kernel::use(before); }
};

// Every pattern, at every number of probes that it takes.
template <class Pattern>
std::vector<Pattern> all_of() {
  if constexpr (std::is_constructible_v<Pattern, unsigned>) {
    std::vector<Pattern> out;
    for (unsigned k = Pattern::min_probes; k <= Pattern::max_probes; ++k) out.emplace_back(k);
    return out;
  } else {
    return {Pattern{}};
  }
}

TEST(SplitBlockLane, IsTheTopFiveBitsOfAWrappingProduct) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto key = static_cast<std::uint32_t>(statistics::scatter(i));
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const std::uint64_t product = std::uint64_t{key} * salts[lane] % (std::uint64_t{1} << 32);
      ASSERT_EQ(pattern::split32::mask(key, lane), std::uint32_t{1} << (product >> 27));
    }
  }
}

TEST(SplitBlockKernels, AreChosenInOnePlace) {
  const kernels_restored guard;
  kernel::use(kernel::level::portable);
  EXPECT_EQ(kernel::in_use(), kernel::level::portable);
  kernel::use(kernel::level::avx512);
  EXPECT_EQ(kernel::in_use(), kernel::best()) << "never above what the processor can do";
}

TEST(SplitBlockKernels, ObeyTheEnvironment) {
  const char* const before = std::getenv("UMBEL_KERNELS");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("UMBEL_KERNELS", "portable", 1);
  EXPECT_EQ(kernel::choice::chosen(), kernel::level::portable);
  ::setenv("UMBEL_KERNELS", "avx2", 1);
  EXPECT_EQ(kernel::choice::chosen(), std::min(kernel::best(), kernel::level::avx2));
  ::setenv("UMBEL_KERNELS", "anything else", 1);
  EXPECT_EQ(kernel::choice::chosen(), kernel::best());
  before != nullptr ? ::setenv("UMBEL_KERNELS", kept.c_str(), 1) : ::unsetenv("UMBEL_KERNELS");
}

template <class Pattern>
class Blocks : public ::testing::Test {};
using patterns = ::testing::Types<pattern::split32, pattern::split64, pattern::line, pattern::pair,
                                  pattern::register64, pattern::table64>;
TYPED_TEST_SUITE(Blocks, patterns);

TYPED_TEST(Blocks, KernelsAgreeOnAMillionKeys) {
  if (kernel::best() == kernel::level::portable)
    GTEST_SKIP() << "this processor has no vector kernels";
  using key = typename TypeParam::key;
  const kernels_restored guard;
  const auto all = all_of<TypeParam>();
  const std::size_t count = 1'000'000 / all.size();
  for (const TypeParam& how : all) {
    const std::uint64_t size = count * 12 / blocks<TypeParam>::block_bits;
    const auto keys = random_spots<key>(count, size, 1), others = random_spots<key>(count, size, 2);
    blocks<TypeParam> portable(size, how), vector(size, how);
    kernel::use(kernel::level::portable);
    portable.set(count, each(keys));
    kernel::use(kernel::level::avx2);
    vector.set(count, each(keys));
    ASSERT_EQ(portable, vector);
    const auto a = std::make_unique<bool[]>(count), b = std::make_unique<bool[]>(count);
    for (const auto* asked : {&keys, &others}) {
      kernel::use(kernel::level::portable);
      portable.test(count, each(*asked), a.get());
      kernel::use(kernel::level::avx2);
      portable.test(count, each(*asked), b.get());
      std::size_t yes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(a[i], b[i]) << i;
        yes += a[i];
      }
      EXPECT_EQ(yes == count, asked == &keys);
      EXPECT_GT(yes, 0U) << "non-members pass now and then, so that both answers were compared";
    }
  }
}

template <class Pattern, class Access>
void expect_batch_equals_single(const Pattern& how) {
  using cells = blocks<Pattern, Access>;
  for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 63U, 64U, 65U, 2'000U}) {
    const auto keys = random_spots<typename Pattern::key>(count, 100, 3);
    const auto others = random_spots<typename Pattern::key>(count, 100, 4);
    cells one(100, how), many(100, how);
    for (const auto& [block, key] : keys) one.set(block, key);
    many.set(count, each(keys));
    EXPECT_EQ(one, many) << count;
    const auto answers = std::make_unique<bool[]>(count + 1);
    answers[count] = true;
    many.test(count, each(others), answers.get());
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(answers[i], many.test(others[i].block, others[i].key)) << i;
    EXPECT_TRUE(answers[count]) << "wrote past the end";
  }
}
TYPED_TEST(Blocks, BatchEqualsSingleUnderEveryKernel) {
  const kernels_restored guard;
  for (const auto level : {kernel::level::portable, kernel::level::avx2}) {
    kernel::use(level);
    for (const TypeParam& how : all_of<TypeParam>()) {
      expect_batch_equals_single<TypeParam, plain>(how);
      expect_batch_equals_single<TypeParam, relaxed>(how);
    }
  }
}

// As many bits as the shape says, in the groups it says; fewer only where probes may meet.
TYPED_TEST(Blocks, AKeyMarksItsBlockAsTheShapeSays) {
  using cells = blocks<TypeParam>;
  const auto all = all_of<TypeParam>();
  for (unsigned k = 0; k < all.size(); ++k) {
    const auto shape = TypeParam::shape(TypeParam::min_probes + k);
    std::uint64_t fewer = 0;
    for (const auto& [block, key] : random_spots<typename TypeParam::key>(300, 10, 5)) {
      cells made(10, all[k]);
      EXPECT_FALSE(made.test(block, key));
      EXPECT_TRUE(made.set(block, key)) << "something changed";
      EXPECT_FALSE(made.set(block, key)) << "nothing changed";
      EXPECT_TRUE(made.test(block, key));
      std::uint64_t inside = 0;
      for (unsigned g = 0; g < shape.groups; ++g) {
        const unsigned ones = made.ones_in_group(block, g);
        inside += ones;
        EXPECT_LE(ones, shape.probes_in(g));
        fewer += ones < shape.probes_in(g);
        if (shape.probes_in(g) <= 1) {
          EXPECT_EQ(ones, shape.probes_in(g));
        }
      }
      EXPECT_EQ(made.storage().ones(), inside) << "its own block alone";
    }
    if (shape.patterns > 0) {
      EXPECT_EQ(fewer, 0U) << "masks have different bits";
    }
  }
}

TYPED_TEST(Blocks, FoldInPairs) {
  using cells = blocks<TypeParam>;
  support::counting_resource memory;
  const TypeParam how = all_of<TypeParam>().back();
  cells whole(64, how, &memory);
  for (const auto& [block, key] : random_spots<typename TypeParam::key>(500, 64, 6))
    whole.set(block, key);
  const cells half = whole.folded();
  EXPECT_EQ(memory.bytes_held(), (64 + 32) * cells::block_bits / 8) << "in its own memory";
  ASSERT_EQ(half.size(), 32U);
  constexpr std::uint64_t w = cells::block_words;
  for (std::uint64_t word = 0; word < 32 * w; ++word) {
    const std::uint64_t from = word / w * 2 * w + word % w;
    EXPECT_EQ(half.storage()[word], whole.storage()[from] | whole.storage()[from + w]);
  }
}

TYPED_TEST(Blocks, ReshapeOnlyWhenTheWordsFit) {
  const TypeParam how = all_of<TypeParam>().front();
  blocks<TypeParam> five(5, how);
  EXPECT_NO_THROW(five.reshape(5, how));
  EXPECT_THROW(five.reshape(4, how), corrupt);
  EXPECT_THROW(five.reshape(6, how), corrupt);
}

}  // namespace
}  // namespace umbel::cells::blocks_test
