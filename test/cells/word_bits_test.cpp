// word_bits_test.cpp - both spellings against a walk over the bits, also where there are too few of
// them.
#include <umbel/cells/kernel/word_bits.hpp>

#include <bit>
#include <random>

#include <gtest/gtest.h>

namespace umbel::cells::kernel::word_bits_test {
namespace {

template <class Bits>
void hold(std::uint64_t word) {
  unsigned before = 0;
  for (unsigned at = 0; at < 64; ++at) {
    if ((word >> at & 1) == 0) continue;
    ASSERT_EQ(Bits::nth(word, before), at) << word;
    ++before;
  }
  ASSERT_EQ(Bits::ones(word), before) << word;
  for (unsigned i = before; i < 130; ++i)
    ASSERT_EQ(Bits::nth(word, i), 64U) << word << " has no bit " << i;
}
template <class Bits>
void hold_all() {
  for (const std::uint64_t word :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
    hold<Bits>(word);
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i)
    hold<Bits>(i % 3 == 0   ? random()
               : i % 3 == 1 ? random() & random() & random()
                            : random() | random());
}

template <class Bits>
void hold_level(std::uint64_t a, std::uint64_t b) {
  unsigned next = 64;  // the first level place from `from` on
  for (unsigned from = 64; from-- > 0;) {
    if (std::popcount(a << (63 - from)) == std::popcount(b << (63 - from))) next = from;
    ASSERT_EQ(Bits::level(a, b, from), next) << a << " and " << b << " from " << from;
  }
}
template <class Bits>
void hold_levels() {
  constexpr std::uint64_t none = 0, all = ~none;
  for (const std::uint64_t a : {none, all, all >> 32, all << 32, all / 3})
    for (const std::uint64_t b : {none, all, all >> 32, all << 32, all / 3}) hold_level<Bits>(a, b);
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t a = random() & random(), b = random() & random();
    hold_level<Bits>(i % 2 == 0 ? a : a | a << 1, i % 3 == 0 ? a << (i % 64) : b);
  }
}

TEST(WordBits, PortableFindsLevelPlaces) { hold_levels<portable::word_bits>(); }
TEST(WordBits, PortableFindsEveryBit) { hold_all<portable::word_bits>(); }
#if defined(__x86_64__)
TEST(WordBits, Bmi2FindsEveryBit) {
  if (best() >= level::avx2) hold_all<avx2::word_bits>();
}
TEST(WordBits, Avx2FindsLevelPlaces) {
  if (best() >= level::avx2) hold_levels<avx2::word_bits>();
}
#endif

}  // namespace
}  // namespace umbel::cells::kernel::word_bits_test
