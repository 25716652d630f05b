// bit_stream_test.cpp - fields of bits written one after another and read back; Golomb-Rice codes
// of any quotient; and a reader that damaged bits cannot lead outside.
#include <umbel/cells/bit_stream.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"
#include "support/statistics_gate.hpp"

namespace umbel::cells::bit_stream_test {
namespace {

// As a structure stores it: the words, and one more of zeros.
words<> stored(const bit_writer& bits) {
  words<> out(bit_writer::words_for(bits.size()));
  std::copy(bits.bits().begin(), bits.bits().end(), out.data());
  return out;
}
bool bit_at(const bit_writer& bits, std::uint64_t i) {
  return (bits.bits()[i / 64] >> (i % 64) & 1) != 0;
}

TEST(BitWriter, FirstBitWrittenIsBitZero) {
  bit_writer bits;
  bits.put(0b1011, 4);
  bits.put(0, 0);
  bits.put(1, 1);
  EXPECT_EQ(bits.size(), 5U);
  EXPECT_EQ(bits.bits().at(0), 0b11011U);
}

RC_GTEST_PROP(BitWriter, FieldsOfAnyWidthComeBack,
              (const std::vector<std::pair<std::uint64_t, std::uint8_t>>& fields)) {
  bit_writer bits;
  std::vector<bool> expected;
  for (const auto& [value, raw_width] : fields) {
    const unsigned width = raw_width % 65;
    bits.put(value & detail::low_mask(width), width);
    for (unsigned b = 0; b < width; ++b) expected.push_back((value >> b & 1) != 0);
  }
  RC_ASSERT(bits.size() == expected.size());
  RC_ASSERT(bits.bits().size() == detail::ceil_div(expected.size(), 64));
  for (std::size_t i = 0; i < expected.size(); ++i) RC_ASSERT(bit_at(bits, i) == expected[i]);
}

RC_GTEST_PROP(BitWriter, AppendIsConcatenation,
              (const std::vector<bool>& a, const std::vector<bool>& b)) {
  bit_writer first, second, whole;
  for (const bool bit : a) first.put(bit, 1), whole.put(bit, 1);
  for (const bool bit : b) second.put(bit, 1), whole.put(bit, 1);
  first.append(second);
  RC_ASSERT(first.size() == whole.size());
  RC_ASSERT(first.bits() == whole.bits());
}

// The code itself: quotient ones, a zero, the remainder.
TEST(RiceCode, IsUnaryQuotientThenRemainder) {
  bit_writer bits;
  bits.put_rice(3 * 8 + 5, 3);
  EXPECT_EQ(bits.size(), 3 + 1 + 3U);
  EXPECT_EQ(bits.bits().at(0), 0b1010111U);
}

TEST(RiceCode, LengthsAreAsPromised) {
  for (const unsigned remainder : {0U, 1U, 7U, 40U}) {
    for (const std::uint64_t quotient : {0U, 1U, 62U, 63U, 64U, 125U, 126U, 127U, 1000U}) {
      bit_writer bits;
      bits.put_rice(quotient << remainder, remainder);
      EXPECT_EQ(bits.size(), quotient + 1 + remainder) << quotient << ' ' << remainder;
    }
  }
}

// Quotients longer than a word, at every offset inside a word.
TEST(RiceCode, LongQuotientsRoundTripAtEveryOffset) {
  for (const unsigned remainder : {0U, 1U, 5U, 20U, 40U, 56U}) {
    for (unsigned offset = 0; offset < 64; offset += 3) {
      bit_writer bits;
      bits.put(0, offset);
      std::vector<std::uint64_t> values;
      for (const std::uint64_t quotient :
           {0U, 1U, 54U, 55U, 56U, 57U, 62U, 63U, 64U, 65U, 111U, 112U, 113U, 168U, 500U}) {
        if (remainder == 56 && quotient > 200) continue;  // would not fit 64 bits
        const std::uint64_t value =
            quotient << remainder | (statistics::scatter(quotient) & detail::low_mask(remainder));
        values.push_back(value);
        bits.put_rice(value, remainder);
      }
      const words<> words = stored(bits);
      bit_reader reader(words, offset, bits.size());
      for (const std::uint64_t value : values) {
        ASSERT_FALSE(reader.at_end());
        ASSERT_EQ(reader.get_rice(remainder), value)
            << "remainder " << remainder << " offset " << offset;
      }
      EXPECT_TRUE(reader.at_end());
    }
  }
}

RC_GTEST_PROP(RiceCode, AnyValuesRoundTrip, (const std::vector<std::uint16_t>& values)) {
  const auto remainder = *rc::gen::inRange(0U, 17U);
  bit_writer bits;
  for (const std::uint16_t value : values) bits.put_rice(value % (1000U << remainder), remainder);
  const words<> words = stored(bits);
  bit_reader reader(words, 0, bits.size());
  for (const std::uint16_t value : values)
    RC_ASSERT(reader.get_rice(remainder) == value % (1000U << remainder));
  RC_ASSERT(reader.at_end());
}

TEST(BitReader, ReadsNothingPastTheEnd) {
  bit_writer bits;
  bits.put_rice(7, 2);
  const words<> words = stored(bits);
  EXPECT_TRUE(bit_reader(words, bits.size(), bits.size()).at_end());
  EXPECT_TRUE(bit_reader(words, bits.size() + 100, bits.size()).at_end())
      << "a start past the end is the end";
  EXPECT_TRUE(bit_reader(words, 0, 0).at_end());
}

// Random and all-ones bits: every read returns, the reader arrives at the end in at most one step
// per bit, and the address sanitizer sees no access outside.
TEST(BitReader, DamagedBitsEndQuietly) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t count = 1 + seed % 5;
    words<> damaged(count + 1);
    for (std::size_t i = 0; i <= count; ++i)
      damaged[i] = seed % 4 == 0 ? ~std::uint64_t{0} : statistics::scatter(seed * 100 + i);
    for (const unsigned remainder : {0U, 3U, 40U, 56U}) {
      bit_reader reader(damaged, seed % 70, count * 64);
      std::uint64_t steps = 0;
      while (!reader.at_end()) {
        (void)reader.get_rice(remainder);
        ASSERT_LE(++steps, count * 64);
      }
    }
  }
}

// A quotient that runs into the end is no value at all: larger than any, so that a search stops
// there.
TEST(BitReader, OnesUpToTheEndAreLargerThanAnyValue) {
  words<> ones(3);
  ones[0] = ones[1] = ~std::uint64_t{0};
  bit_reader reader(ones, 0, 112);
  EXPECT_EQ(reader.get_rice(4), ~std::uint64_t{0});
  EXPECT_TRUE(reader.at_end());
}

}  // namespace
}  // namespace umbel::cells::bit_stream_test
