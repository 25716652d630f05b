// crc_test.cpp - both halves of a CRC digest are the standard CRCs, and are linear.
// Source     zlib for CRC-32; the check value of CRC-32C, and four vectors of RFC 3720, appendix
//            B.4.
#include <umbel/hash/hasher.hpp>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "support/keys.hpp"

namespace umbel::crc_test {
namespace {

using namespace std::string_literals;

std::string noise(std::size_t size, std::uint64_t seed) {
  std::string out;
  for (std::uint64_t i = 0; i < size; ++i) out += static_cast<char>(test::scatter(seed << 32 | i));
  return out;
}
std::string difference(std::string a, const std::string& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<char>(a[i] ^ b[i]);
  return a;
}

TEST(Crc, HighHalfIsZlibs) {
  for (std::size_t size = 0; size <= 300; ++size) {
    const std::string text = noise(size, 1);
    const auto theirs =
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(size));
    EXPECT_EQ(hasher::crc()(text).hi >> 32, theirs) << size;
  }
}

TEST(Crc, LowHalfIsCastagnolis) {
  const hasher crc = hasher::crc();
  EXPECT_EQ(crc("123456789").hi >> 32, 0xcbf43926U);
  EXPECT_EQ(crc("123456789").lo >> 32, 0xe3069283U);
  EXPECT_EQ(crc(std::string(32, '\0')).lo >> 32, 0x8a9136aaU);
  EXPECT_EQ(crc(std::string(32, '\xff')).lo >> 32, 0x62a8ab43U);
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i), falling += static_cast<char>(31 - i);
  EXPECT_EQ(crc(rising).lo >> 32, 0x46dd794eU);
  EXPECT_EQ(crc(falling).lo >> 32, 0x113fdb5cU);
  EXPECT_EQ(crc(""), (digest{0, 0}));
}

TEST(Crc, OfIntegers) {
  EXPECT_EQ(hasher::crc()(0x0102), hasher::crc()("\x02\x01\0\0\0\0\0\0"s));
  EXPECT_EQ(hasher::crc()(std::int16_t{-1}), hasher::crc()(std::string(8, '\xff')));
}

// crc(x ^ y ^ z) = crc(x) ^ crc(y) ^ crc(z) at equal length: unsafe against chosen keys.
TEST(Crc, IsLinear) {
  const hasher crc = hasher::crc();
  for (std::size_t size = 1; size <= 64; ++size) {
    const std::string x = noise(size, 2), y = noise(size, 3), z = noise(size, 4);
    const digest sum = crc(difference(difference(x, y), z));
    EXPECT_EQ(sum.hi, crc(x).hi ^ crc(y).hi ^ crc(z).hi) << size;
    EXPECT_EQ(sum.lo, crc(x).lo ^ crc(y).lo ^ crc(z).lo) << size;
  }
}

}  // namespace
}  // namespace umbel::crc_test
