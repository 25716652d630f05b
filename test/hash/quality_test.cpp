// quality_test.cpp - the words that indices take from a digest look random: balance, avalanche,
// independence.
// Idea       Integers get one round of mixing in their digest and a second in every index's
//            remixer, so integers are tested by the words after both. Text has 128 good bits from
//            the start.
// Bounds     A share over N tries has standard deviation 0.5/sqrt(N). The worst of several thousand
//            shares is held to 6 sigmas, which random words exceed once in 10^4 choices of seed or
//            less. Chi-squares are held to 5 sigmas.
#include <umbel/hash/hasher.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics_gate.hpp"

namespace umbel::quality_test {
namespace {

using detail::remixer;
using detail::salt_of;
using detail::stage;

constexpr stage stages[] = {stage::probes, stage::block, stage::tag, stage::fuse, stage::golomb};

struct bit_counts {
  std::array<std::uint64_t, 128> ones{};
  void add(digest d) {
    for (unsigned j = 0; j < 64; ++j) {
      ones[j] += d.lo >> j & 1;
      ones[64 + j] += d.hi >> j & 1;
    }
  }
  void expect_balanced(std::uint64_t tries, const std::string& what) const {
    for (unsigned j = 0; j < 128; ++j)
      EXPECT_TRUE(statistics::half(ones[j], tries)) << what << " bit " << j;
  }
};

digest flipped(digest d, unsigned bit) {
  (bit < 64 ? d.lo : d.hi) ^= std::uint64_t{1} << (bit % 64);
  return d;
}
digest difference(digest a, digest b) { return {a.hi ^ b.hi, a.lo ^ b.lo}; }
digest words_of(const remixer& words, digest d) { return {words(d).first(), words(d).second()}; }

// Counters are the hardest keys in practice, since few bits differ. Every bit of their words is set
// half of the time.
TEST(DigestQuality, WordsOfCountersAreBalanced) {
  constexpr std::uint64_t tries = 100'000;
  for (const hasher& hash : {hasher(), hasher::seeded(1), hasher::keyed({5})}) {
    for (const stage s : stages) {
      const remixer words(salt_of(s));
      bit_counts numbers, texts, spaced;
      for (std::uint64_t i = 0; i < tries; ++i) {
        numbers.add(words_of(words, hash(i)));
        spaced.add(words_of(words, hash(i << 32)));
        if (s == stage::probes) texts.add(words_of(words, hash(std::to_string(i))));
      }
      numbers.expect_balanced(tries, "counter");
      spaced.expect_balanced(tries, "counter << 32");
      if (s == stage::probes) texts.expect_balanced(tries, "text");
    }
  }
}

TEST(DigestQuality, EveryBitOfAnIntegerFlipsHalfOfItsWords) {
  constexpr std::uint64_t tries = 4'000;
  const hasher hash;
  for (const stage s : stages) {
    const remixer words(salt_of(s));
    for (unsigned bit = 0; bit < 64; ++bit) {
      bit_counts flips;
      for (std::uint64_t t = 0; t < tries; ++t) {
        const std::uint64_t x = statistics::scatter(t);
        flips.add(difference(words_of(words, hash(x)),
                             words_of(words, hash(x ^ std::uint64_t{1} << bit))));
      }
      flips.expect_balanced(tries, "input bit " + std::to_string(bit) + ", word");
    }
  }
}

TEST(DigestQuality, EveryBitOfATextFlipsHalfOfItsDigest) {
  constexpr std::uint64_t tries = 4'000;
  const hasher hash;
  for (unsigned bit = 0; bit < 96; bit += 5) {
    bit_counts flips;
    for (std::uint64_t t = 0; t < tries; ++t) {
      std::string text = "key-" + std::to_string(10'000'000 + t);  // twelve letters
      const digest before = hash(text);
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
      flips.add(difference(before, hash(text)));
    }
    flips.expect_balanced(tries, "text bit " + std::to_string(bit) + ", digest");
  }
}

// All 128 bits of a digest reach the words. A flip moves a window of 64 bits of the product:
// `first` folds it onto every bit, `second` onto 32 bits or more (its rotation overlaps itself), so
// a flip changes at least 15 of its bits on average. A hash does not produce digests that differ in
// one bit; the keys that do are tested above.
TEST(Remixer, EveryBitOfADigestReachesTheWords) {
  constexpr std::uint64_t tries = 4'000;
  const remixer words(salt_of(stage::probes));
  for (unsigned bit = 0; bit < 128; ++bit) {
    std::array<std::uint64_t, 64> flips{};
    std::uint64_t second = 0;
    for (std::uint64_t t = 0; t < tries; ++t) {
      const digest d{statistics::scatter(2 * t), statistics::scatter(2 * t + 1)};
      const digest changed = difference(words_of(words, d), words_of(words, flipped(d, bit)));
      for (unsigned j = 0; j < 64; ++j) flips[j] += changed.hi >> j & 1;
      second += static_cast<unsigned>(std::popcount(changed.lo));
    }
    for (unsigned j = 0; j < 64; ++j)
      EXPECT_TRUE(statistics::half(flips[j], tries, 0.15))
          << "digest bit " << bit << ", first bit " << j;
    EXPECT_GE(static_cast<double>(second) / tries, 15) << "digest bit " << bit;
  }
}

// Pairs of words under different salts, and the words of one salt, with the 32 bits that split
// blocks use: 16 x 16 cells of their top (and low) bits are filled evenly, for integer keys, whose
// digests hold 64 bits, and for text.
TEST(Remixer, WordsOfDifferentSaltsAreUncorrelated) {
  const std::vector<remixer> all = {
      remixer(salt_of(stage::probes)),  remixer::of_low(salt_of(stage::block)),
      remixer(salt_of(stage::tag)),     remixer(salt_of(stage::fuse, 0)),
      remixer(salt_of(stage::fuse, 1)), remixer(salt_of(stage::fuse, 99)),
      remixer(salt_of(stage::golomb))};
  constexpr std::uint64_t tries = 100'000;
  for (const bool text : {false, true}) {
    std::vector<digest> digests;
    for (std::uint64_t i = 0; i < tries; ++i)
      digests.push_back(text ? hasher()(std::to_string(i)) : hasher()(i));
    std::vector<std::vector<std::uint64_t>> words;
    for (const remixer& r : all) {
      std::vector<std::uint64_t> first, second, narrow;
      for (const digest d : digests) {
        first.push_back(r(d).first());
        second.push_back(r(d).second());
        narrow.push_back(std::uint64_t{r(d).narrow()} << 32 | r(d).narrow());
      }
      words.insert(words.end(), {first, second});
      if (words.size() == 4) words.push_back(narrow);  // of stage::block, beside its own two
    }
    for (std::size_t a = 0; a < words.size(); ++a) {
      for (std::size_t b = a + 1; b < words.size(); ++b) {
        std::array<std::uint64_t, 256> top{}, low{};
        for (std::uint64_t i = 0; i < tries; ++i) {
          ++top[words[a][i] >> 60 << 4 | words[b][i] >> 60];
          ++low[(words[a][i] & 15) << 4 | (words[b][i] & 15)];
        }
        // The low bits of first() correlate with those of narrow(). first() is used by fastrange,
        // which reads the top bits.
        const bool shares_low_bits = a == 2 && b == 4;
        EXPECT_TRUE(statistics::uniform(top))
            << "top bits of words " << a << " and " << b << ", text " << text;
        EXPECT_TRUE(shares_low_bits || statistics::uniform(low))
            << "low bits of words " << a << " and " << b << ", text " << text;
      }
    }
  }
}

TEST(Remixer, IsFixedForEver) {
  const digest d{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(words_of(remixer(), d), (digest{0xa3619fb444f523fc, 0xdd81d6b83af66d0f}));
  EXPECT_EQ(words_of(remixer(salt_of(stage::probes)), d),
            (digest{0x66aa39d877118ce1, 0x2c83f989c1383572}));
  EXPECT_EQ(words_of(remixer(salt_of(stage::fuse, 1)), d),
            (digest{0xc42995b3e9f9e985, 0x8a0da9c39e3df69a}));
  EXPECT_EQ(remixer(salt_of(stage::block))(d).narrow(), 0x06c87277U);
  EXPECT_EQ(words_of(remixer::of_low(salt_of(stage::block)), d),
            (digest{0xe82f97d84ab82de9, 0x81d2512cb4a5c90a}));
  EXPECT_EQ(remixer::of_low(salt_of(stage::block))(d).narrow(), 0xcbffca94U);
}

}  // namespace
}  // namespace umbel::quality_test
