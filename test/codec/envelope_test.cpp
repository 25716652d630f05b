// envelope_test.cpp - the header of a file: where each byte lies, and what a reader refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/base/error.hpp>
#include <umbel/codec/envelope.hpp>

#include "support/environment.hpp"
#include "support/file_image.hpp"

namespace envelope_test {
namespace {

using umbel::codec::envelope;
using umbel::codec::section;
using umbel::codec::section_type;
using umbel::test::file_image;

envelope sample() {
  envelope e;
  e.kind = "some-kind";
  e.kind_version = 3;
  e.hash = umbel::hash_kind::siphash;
  e.seed = 0x0123456789ABCDEF;
  e.key_check = 0xFEDCBA9876543210;
  e.sections = {{"fields", section_type::fields, 2, 0, 16, 111},
                {"items", section_type::list, 5, 0, 0, 0},
                {"cells", section_type::array, 8, 0, 200, 222}};
  umbel::codec::lay_out(e);
  return e;
}

TEST(Envelope, SectionsFollowOneAnotherAligned) {
  const auto e = sample();
  EXPECT_EQ(e.sections[0].offset, 320U);  // 128 + 3 * 64
  EXPECT_EQ(e.sections[1].offset, 0U);    // a list has no bytes of its own
  EXPECT_EQ(e.sections[2].offset, 384U);
  EXPECT_EQ(e.file_bytes, 640U);  // 384 + 200, rounded up
}

TEST(Envelope, EveryByteLiesWhereTheFormatSays) {
  const auto front = umbel::codec::encode_front(sample());
  const file_image image(front);
  ASSERT_EQ(front.size(), 320U);
  EXPECT_EQ(std::memcmp(front.data(), "\x89umbel\r\n", 8), 0);
  EXPECT_EQ(image.get<std::uint32_t>(8), 1U);
  EXPECT_EQ(image.get<std::uint32_t>(12), 0x01020304U);
  EXPECT_EQ(
      std::memcmp(front.data() + 16, "some-kind\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32),
      0);
  EXPECT_EQ(image.get<std::uint32_t>(48), 3U);
  EXPECT_EQ(image.get<std::uint32_t>(52), 2U);
  EXPECT_EQ(image.get<std::uint64_t>(56), 0x0123456789ABCDEFU);
  EXPECT_EQ(image.get<std::uint64_t>(64), 0xFEDCBA9876543210U);
  EXPECT_EQ(image.get<std::uint64_t>(72), 640U);
  EXPECT_EQ(image.get<std::uint32_t>(80), 3U);
  for (std::size_t i = 84; i < 112; ++i) EXPECT_EQ(front[i], std::byte{0}) << i;
  const std::size_t cells = 128 + 2 * 64;
  EXPECT_EQ(std::memcmp(front.data() + cells, "cells\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24), 0);
  EXPECT_EQ(image.get<std::uint32_t>(cells + 24), 2U);
  EXPECT_EQ(image.get<std::uint32_t>(cells + 28), 8U);
  EXPECT_EQ(image.get<std::uint64_t>(cells + 32), 384U);
  EXPECT_EQ(image.get<std::uint64_t>(cells + 40), 200U);
  EXPECT_EQ(image.get<std::uint64_t>(cells + 48), 222U);
  EXPECT_EQ(image.get<std::uint64_t>(cells + 56), 0U);
}

RC_GTEST_PROP(Envelope, ComesBackAsItWas, ()) {
  envelope e;
  const auto name = [](std::size_t room) {
    const auto letters = rc::gen::element('a', 'q', 'z', '0', '9', '-', '_');
    return *rc::gen::resize(static_cast<int>(room) - 2,
                            rc::gen::nonEmpty(rc::gen::container<std::string>(letters)));
  };
  e.kind = name(32);
  e.kind_version = *rc::gen::arbitrary<std::uint32_t>();
  e.hash = *rc::gen::element(umbel::hash_kind::xxh3, umbel::hash_kind::siphash,
                             umbel::hash_kind::parquet);
  e.seed = *rc::gen::arbitrary<std::uint64_t>();
  e.key_check = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange(1, 20);
  for (int i = 0; i < count; ++i) {
    const auto type =
        *rc::gen::element(section_type::fields, section_type::array, section_type::list);
    e.sections.push_back(
        {name(24), type, *rc::gen::arbitrary<std::uint32_t>(), 0,
         type == section_type::list ? 0 : *rc::gen::inRange<std::uint64_t>(0, 1000),
         *rc::gen::arbitrary<std::uint64_t>()});
  }
  umbel::codec::lay_out(e);
  const auto front = umbel::codec::encode_front(e);
  RC_ASSERT(umbel::codec::check_header(front, e.file_bytes).bytes == front.size());
  const auto back = umbel::codec::decode_front(front, e.file_bytes);
  RC_ASSERT(back.kind == e.kind && back.kind_version == e.kind_version && back.hash == e.hash);
  RC_ASSERT(back.seed == e.seed && back.key_check == e.key_check &&
            back.file_bytes == e.file_bytes);
  RC_ASSERT(back.sections.size() == e.sections.size());
  for (std::size_t i = 0; i < e.sections.size(); ++i) {
    const section &a = e.sections[i], &b = back.sections[i];
    RC_ASSERT(a.name == b.name && a.type == b.type && a.count == b.count && a.offset == b.offset &&
              a.length == b.length && a.checksum == b.checksum);
  }
  RC_ASSERT(umbel::codec::encode_front(back) == front);
}

// Byte 84 is the type, 85 the flags, 86 the number of columns; from 88 on the type of each column.
TEST(Envelope, StoresTheKeyRecipe) {
  using umbel::key_type;
  auto e = sample();
  e.keys = {.type = key_type::string, .keeps_cr = true, .trimmed = true, .case_folded = true};
  auto front = umbel::codec::encode_front(e);
  EXPECT_EQ(front[84], std::byte{1});
  EXPECT_EQ(front[85], std::byte{7});
  EXPECT_EQ(umbel::codec::decode_front(front, 640).keys, e.keys);
  e.keys = {
      .type = key_type::tuple, .columns = 2, .column_types = {key_type::integer, key_type::string}};
  front = umbel::codec::encode_front(e);
  const unsigned char bytes[] = {3, 0, 2, 0, 2, 1, 0, 0};
  EXPECT_EQ(std::memcmp(front.data() + 84, bytes, sizeof bytes), 0);
  EXPECT_EQ(umbel::codec::decode_front(front, 640).keys, e.keys);
  e.keys.columns = 1;
  EXPECT_THROW((void)umbel::codec::encode_front(e), umbel::bad_parameter);
}

// Every value of every byte, and small values of every two neighbours: a valid recipe that is
// written again as it was read, or an error.
TEST(Envelope, AcceptsOnlyValidKeyRecipes) {
  auto e = sample();
  e.keys = {.type = umbel::key_type::tuple,
            .columns = 2,
            .column_types = {umbel::key_type::integer, umbel::key_type::string}};
  std::size_t taken = 0, refused = 0;
  const auto look_at = [&](file_image image) {
    image.seal_front();
    try {
      const auto back = umbel::codec::decode_front(image.bytes(), 640);
      EXPECT_NO_THROW(back.keys.check());
      EXPECT_TRUE(std::ranges::equal(umbel::codec::encode_front(back), image.bytes()));
      ++taken;
    } catch (const umbel::error&) {
      ++refused;
    }
  };
  for (const auto& front : {umbel::codec::encode_front(sample()), umbel::codec::encode_front(e)}) {
    for (std::size_t i = 84; i < 104; ++i)
      for (unsigned value = 0; value < 256; ++value)
        look_at(file_image(front).set(i, static_cast<std::uint8_t>(value)));
    for (std::size_t i = 84; i < 103; ++i)
      for (unsigned pair = 0; pair < 64; ++pair)
        look_at(file_image(front).set(i, static_cast<std::uint16_t>(pair % 8 + 256 * (pair / 8))));
  }
  // Of the first header by single bytes: 20 zeros, and types 1, 2 and 4. By pairs: 19 zeros, types
  // 1, 2, 4 without flags, and types 1 and 4 with each of 7. Of the second likewise: both sides
  // occur.
  EXPECT_GT(taken, 20U + 3 + 19 + 3 + 14);
  EXPECT_GT(refused, 9000U);
}

TEST(Envelope, LongNamesAreRefused) {
  auto e = sample();
  e.kind = std::string(31, 'k');
  EXPECT_NO_THROW((void)umbel::codec::encode_front(e));
  e.kind += 'k';
  EXPECT_THROW((void)umbel::codec::encode_front(e), umbel::bad_parameter);
  e = sample();
  e.sections[0].name = std::string(24, 's');
  EXPECT_THROW((void)umbel::codec::encode_front(e), umbel::bad_parameter);
}

// One field at a time gets an impossible value, with every checksum right.
struct damage {
  const char* what;
  std::size_t at;
  std::uint64_t word;
  unsigned bytes;
};
class EnvelopeDamage : public testing::TestWithParam<damage> {};

TEST_P(EnvelopeDamage, IsRefused) {
  const auto& d = GetParam();
  file_image image(umbel::codec::encode_front(sample()));
  for (unsigned i = 0; i < d.bytes; ++i)
    image.set(d.at + i, static_cast<std::uint8_t>(d.word >> (8 * i)));
  image.seal_front();
  EXPECT_THROW((void)umbel::codec::decode_front(image.bytes(), 640), umbel::error) << d.what;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, EnvelopeDamage,
    testing::Values(
        damage{"magic", 0, 'u', 1}, damage{"version 0", 8, 0, 4}, damage{"version 2", 8, 2, 4},
        damage{"byte order", 12, 0x04030201, 4}, damage{"kind empty", 16, 0, 1},
        damage{"kind upper case", 16, 'S', 1}, damage{"letters after its end", 40, 'x', 1},
        damage{"hash 0", 52, 0, 4}, damage{"hash 7", 52, 7, 4}, damage{"file size", 72, 641, 8},
        damage{"file size 2^63", 72, std::uint64_t{1} << 63, 8}, damage{"no sections", 80, 0, 4},
        damage{"too many sections", 80, 4, 4}, damage{"2^32 - 1 sections", 80, 0xFFFFFFFF, 4},
        damage{"key type 5", 84, 5, 1}, damage{"flags of unknown keys", 85, 2, 1},
        damage{"integers that were trimmed", 84, 0x0202, 2},
        damage{"an unknown flag", 84, 0x0801, 2}, damage{"columns of a string", 84, 0x020001, 3},
        damage{"a tuple of one column", 84, 0x010003, 3}, damage{"17 columns", 84, 0x110003, 3},
        damage{"a tuple without types", 84, 0x020003, 3},
        damage{"a tuple in a tuple", 84, 0x0103000000020003, 8}, damage{"behind columns", 87, 1, 1},
        damage{"a column too many", 84, 0x0101010100020003, 8}, damage{"column type 9", 90, 9, 1},
        damage{"reserved", 104, 1, 1}, damage{"reserved", 111, 1, 1},
        damage{"section name", 128, 0, 1}, damage{"section type 0", 152, 0, 4},
        damage{"section type 4", 152, 4, 4}, damage{"offset", 160, 384, 8},
        damage{"offset of a list", 224, 384, 8}, damage{"length beyond the file", 168, 1000, 8},
        damage{"length 2^64 - 1", 168, ~0ULL, 8}, damage{"length that ends early", 296, 100, 8},
        damage{"reserved in an entry", 184, 1, 1}));

}  // namespace
}  // namespace envelope_test
