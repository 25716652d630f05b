// parquet_hash_test.cpp - Parquet's hash: XXH64 with seed 0 of the plain encoding of a value.
#include <umbel/hash/hasher.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

namespace umbel::parquet_hash_test {
namespace {

constexpr hasher parquet = hasher::parquet();

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Published values: the first by xxHash, the second in a test of Parquet's Java writer.
TEST(ParquetHash, PublishedValues) {
  EXPECT_EQ(parquet("").hi, 0xef46db3751d8e999U);
  EXPECT_EQ(parquet("a0").hi, 0xf095e781a7125e70U);
  EXPECT_EQ(parquet("abc").hi, 0x44bc2cf5ad770999U);
}

// INT32 and FLOAT are 4 bytes, INT64 and DOUBLE 8; narrower integers are stored as INT32; strings
// have no length prefix.
TEST(ParquetHash, PlainEncodingByWidth) {
  const std::int32_t four = -7;
  const std::int64_t eight = -7;
  EXPECT_EQ(parquet(four), parquet(bytes_of(four)));
  EXPECT_EQ(parquet(eight), parquet(bytes_of(eight)));
  EXPECT_NE(parquet(four), parquet(eight));
  EXPECT_EQ(parquet(std::int8_t{-7}), parquet(four));
  EXPECT_EQ(parquet(std::int16_t{-7}), parquet(four));
  EXPECT_EQ(parquet(std::uint32_t{0xfffffff9}), parquet(four)) << "the same four bytes";
  EXPECT_EQ(parquet(std::uint8_t{200}), parquet(std::int32_t{200}));
  const float single = 1.5F;
  const double twice = 1.5;
  EXPECT_EQ(parquet(single), parquet(bytes_of(single)));
  EXPECT_EQ(parquet(twice), parquet(bytes_of(twice)));
  EXPECT_NE(parquet(single), parquet(twice));
}

TEST(ParquetHash, HasNeitherSeedNorKey) {
  EXPECT_EQ(parquet.kind(), hash_kind::parquet);
  EXPECT_EQ(parquet.seed(), 0U);
  EXPECT_FALSE(parquet.is_keyed());
  EXPECT_EQ(parquet.key_check(), 0U);
}

TEST(ParquetHash, ChecksumIsXxh3) {
  // XXH3-64 with seed 0: published for the empty input; for "abc" it is the low half of the 128-bit
  // form.
  EXPECT_EQ(detail::checksum("", 0), 0x2d06800538d394c2U);
  EXPECT_EQ(detail::checksum("abc", 3), 0x78af5f94892f3950U);
}

}  // namespace
}  // namespace umbel::parquet_hash_test
