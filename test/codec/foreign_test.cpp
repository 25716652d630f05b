// foreign_test.cpp - filters of other programs, read and written: the same bytes both ways, and
// every damage is refused with its reason.
// Source     The first DCSO file was made by the `bloom` command, version 0.2.4: create -p 0.1 -n
//            10, keys alice and bob. Parquet's bits were written by the Java implementation.
#include <umbel/codec/foreign/dcso.hpp>
#include <umbel/codec/foreign/parquet_bits.hpp>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/codec/codec.hpp>

namespace umbel::foreign_test {
namespace {

using codec::dcso_file;
using ::testing::HasSubstr;
using bytes = std::vector<std::byte>;

[[nodiscard]] bytes from_hex(std::string_view text) {
  bytes out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  return out;
}
template <class Work>
[[nodiscard]] std::string refusal_of(Work&& work) {
  try {
    (void)work();
  } catch (const corrupt& refused) {
    return refused.what();
  } catch (const incompatible& refused) {
    return refused.what();
  }
  return "taken";
}

const bytes made_by_bloom = from_hex(
    "01000000000000000a000000000000009a9999999999b93f0400000000000000"
    "2f0000000000000002000000000000000022508404100000");

TEST(DcsoFile, AnswersAsTheBloomCommandDoes) {
  const dcso_file file = codec::read_dcso(made_by_bloom);
  EXPECT_EQ(file.capacity, 10U);
  EXPECT_EQ(file.fpr, 0.1);
  EXPECT_EQ(file.keys, 2U);
  EXPECT_TRUE(file.attached.empty());
  EXPECT_TRUE(file.filter.may_contain("alice"));
  EXPECT_TRUE(file.filter.may_contain("bob"));
  EXPECT_FALSE(file.filter.may_contain("carol"));
  EXPECT_EQ(codec::write_dcso(file), made_by_bloom);
  bloom_filter ours({.keys = 10,
                     .bits = file.filter.size_in_bits(),
                     .probes = file.filter.probes(),
                     .scheme = core::scheme::dcso});
  (void)ours.insert("alice");
  (void)ours.insert("bob");
  EXPECT_EQ(ours, file.filter);
}

TEST(DcsoFile, EstimatesKeysCapacityAndRate) {
  bloom_filter ours({.keys = 1000, .fpr = 0.01, .scheme = core::scheme::dcso});
  for (int i = 0; i < 700; ++i) (void)ours.insert("key " + std::to_string(i));
  const dcso_file file = codec::dcso_of(ours);
  EXPECT_NEAR(static_cast<double>(file.keys), 700, 700 * 0.05);
  EXPECT_NEAR(static_cast<double>(file.capacity), 1000, 1000 * 0.05);
  EXPECT_NEAR(file.fpr, 0.01, 0.005);
  EXPECT_EQ(codec::read_dcso(codec::write_dcso(file)).filter, ours);
  EXPECT_THAT(refusal_of([] {
                return codec::write_dcso({.filter = bloom_filter({.keys = 9, .fpr = 0.1})});
              }),
              HasSubstr("under scheme dcso, and this one is under independent"));
}

TEST(DcsoFile, KeepsAttachedData) {
  bytes with_data = made_by_bloom;
  for (const char c : std::string_view("{}")) with_data.push_back(static_cast<std::byte>(c));
  const dcso_file file = codec::read_dcso(with_data);
  EXPECT_EQ(file.attached.size(), 2U);
  EXPECT_EQ(codec::write_dcso(file), with_data);
}

TEST(DcsoFile, RefusesInvalidFiles) {
  const auto with = [](std::size_t word, std::uint64_t value) {
    bytes changed = made_by_bloom;
    detail::store_le(changed.data() + 8 * word, value);
    return refusal_of([&] { return codec::read_dcso(changed); });
  };
  for (std::size_t size = 0; size < made_by_bloom.size(); ++size)
    EXPECT_NE(refusal_of([&] { return codec::read_dcso(std::span(made_by_bloom).first(size)); }),
              "taken")
        << size;
  EXPECT_EQ(with(0, 2), "not a DCSO Bloom filter: expected version 1, found 2");
  EXPECT_THAT(with(3, 0), HasSubstr("probes, found 0"));
  EXPECT_THAT(with(3, 1025), HasSubstr("expected 1 to 1024 probes, found 1025"));
  EXPECT_THAT(with(4, 0), HasSubstr("bits, found 0"));
  EXPECT_THAT(with(4, ~std::uint64_t{0}), HasSubstr("expected 1 to 2^56 bits"));
  EXPECT_THAT(with(4, std::uint64_t{1} << 56), HasSubstr("bytes of bits, found"));
  EXPECT_THAT(with(6, ~std::uint64_t{0}), HasSubstr("bits past the last one"));
}

const bytes java_bits =
    from_hex("c80150144044086d062504439050602008842b21000563410200e02c404e6004");

TEST(ParquetBits, AreTheCellsOfAParquetFilter) {
  const parquet_filter filter = codec::read_parquet_bits(java_bits);
  for (const char digit : std::string_view("0123456789"))
    EXPECT_TRUE(filter.may_contain(std::string{'a', digit}));
  EXPECT_EQ(codec::write_parquet_bits(filter), java_bits);
  const parquet_filter again = decode<parquet_filter>(encode(filter));
  EXPECT_EQ(codec::write_parquet_bits(again), java_bits);
}

// Thrift's compact form by hand: field 1 of type i32, zigzag of 32; three unions of empty structs;
// the end.
TEST(ParquetBits, HaveAHeaderInAColumnChunk) {
  const bytes section = codec::write_parquet_section(codec::read_parquet_bits(java_bits));
  bytes expected = from_hex("15401c1c00001c1c00001c1c000000");
  expected.insert(expected.end(), java_bits.begin(), java_bits.end());
  EXPECT_EQ(section, expected);
  EXPECT_EQ(codec::read_parquet_section(section), codec::read_parquet_bits(java_bits));
  const parquet_filter large({.keys = 100'000, .fpr = 0.01});
  EXPECT_EQ(codec::read_parquet_section(codec::write_parquet_section(large)), large)
      << "a number of several bytes";
}

TEST(ParquetBits, InvalidBitsAreRefusedWithTheirReason) {
  const bytes section = codec::write_parquet_section(codec::read_parquet_bits(java_bits));
  for (std::size_t size = 0; size < section.size(); ++size)
    EXPECT_NE(
        refusal_of([&] { return codec::read_parquet_section(std::span(section).first(size)); }),
        "taken")
        << size;
  bytes longer = section, endless(40, std::byte{0xFF});
  longer.push_back({});
  endless[0] = std::byte{0x15};
  EXPECT_THAT(refusal_of([&] { return codec::read_parquet_section(longer); }),
              HasSubstr("32 bytes, 33 follow"));
  EXPECT_THAT(refusal_of([&] { return codec::read_parquet_section(endless); }),
              HasSubstr("does not end"));
  EXPECT_THAT(refusal_of([&] { return codec::read_parquet_bits(std::span(java_bits).first(31)); }),
              HasSubstr("32 bytes for each block and at most 128 MiB, found 31 bytes"));
  EXPECT_NE(refusal_of([&] { return codec::read_parquet_bits({}); }), "taken");
}

}  // namespace
}  // namespace umbel::foreign_test
