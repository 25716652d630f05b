// canonical_test.cpp - one structure has one encoding: of every kind, by every way, and a reader accepts no other.
#include <algorithm>

#include <gtest/gtest.h>

#include <umbel/umbel.hpp>

#include "support/file_image.hpp"
#include "support/temp_dir.hpp"

namespace {

using umbel::test::file_image;
using umbel::test::temp_dir;
namespace at = umbel::test::at;

template <class T>
T sample(std::uint64_t n, const umbel::hasher& hash = {}) {
  typename T::options how{};
  if constexpr (requires { how.fpr; }) how.fpr = 0.01;
  if (T::kind != umbel::parquet_filter::kind) how.hash = hash;
  if constexpr (T::what.of == umbel::family::map) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    how.value_bits = std::min(8U, T::what.most_value_bits);
    for (std::uint64_t i = 0; i < n; ++i) pairs.emplace_back(i, i & ((1U << how.value_bits) - 1));
    return T::build(pairs, how);
  } else {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back(i);
    if constexpr (T::what.exact) {
      std::vector<std::uint64_t> others;
      for (std::uint64_t i = 0; i < 3 * n; ++i) others.push_back(n + i);
      return T::build(keys, others, how);
    } else {
      return T::build(keys, how);
    }
  }
}

template <class T>
class Canonical : public testing::Test {};
#define UMBEL_KIND(folder, name) umbel::name,
using Kinds = testing::Types<
#include <umbel/any/variants.hpp>
    umbel::concurrent_bloom_filter>;  // the same kind, other cells
#undef UMBEL_KIND
TYPED_TEST_SUITE(Canonical, Kinds);

TYPED_TEST(Canonical, BytesComeBack) {
  for (const std::uint64_t n : {0U, 1U, 2U, 1000U}) {
    const auto before = sample<TypeParam>(n);
    const auto file = umbel::encode(before);
    EXPECT_EQ(file.size() % 64, 0U);
    const auto after = umbel::decode<TypeParam>(file);
    EXPECT_EQ(after, before);
    EXPECT_EQ(umbel::encode(after), file);
  }
}

TYPED_TEST(Canonical, BytesAreTheSameHoweverItWasMade) {
  const temp_dir here;
  const auto made = sample<TypeParam>(1000, umbel::hasher::seeded(3));
  const auto file = umbel::encode(made);
  umbel::save(made, here.file("f"));
  const auto loaded = umbel::load<TypeParam>(here.file("f"));
  const auto opened = umbel::open<TypeParam>(here.file("f"));
  auto copy = *opened;                 // owns what the mapping held
  const auto moved = std::move(copy);  // NOLINT
  EXPECT_EQ(umbel::encode(loaded), file);
  EXPECT_EQ(umbel::encode(*opened), file);
  EXPECT_EQ(umbel::encode(moved), file);
  EXPECT_EQ(umbel::encode(sample<TypeParam>(1000, umbel::hasher::seeded(3))), file);
  EXPECT_EQ(std::filesystem::file_size(here.file("f")), file.size());
}

TYPED_TEST(Canonical, OtherBytesAreRefused) {
  const auto file = umbel::encode(sample<TypeParam>(100));
  const file_image image(file);
  ASSERT_TRUE(std::ranges::equal(file_image(file).seal().bytes(), file)) << "sealing a sound file changes nothing";
  std::vector<bool> used(file.size());  // or else: zeros between sections and after the last one
  std::fill_n(used.begin(), image.front_bytes(), true);
  for (const auto& e : image.entries()) std::fill_n(used.begin() + static_cast<long>(e.offset), e.length, true);
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (used[i]) continue;
    auto other = file_image(file).set(i, std::uint8_t{1}).seal();
    ASSERT_THROW((void)umbel::decode<TypeParam>(other.bytes()), umbel::corrupt) << "padding at " << i;
  }
  file_image longer(file);
  longer.resize(file.size() + 64);
  EXPECT_THROW((void)umbel::decode<TypeParam>(longer.bytes()), umbel::corrupt);
  EXPECT_THROW((void)umbel::decode<TypeParam>(longer.claim_size().seal().bytes()), umbel::corrupt);
}

// The law itself: whatever a reader accepts is what a writer would have written. Every byte is changed in three ways,
// with every checksum right.
TYPED_TEST(Canonical, WhatIsReadIsWrittenAgain) {
  for (const std::uint64_t n : {0U, 60U}) {
    const auto file = umbel::encode(sample<TypeParam>(n));
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (const unsigned flip : {1U, 0x80U, 0xFFU}) {
        file_image other(file);
        other.set(i, static_cast<std::uint8_t>(std::to_integer<unsigned>(file[i]) ^ flip)).seal();
        try {
          const auto written = umbel::encode(umbel::decode<TypeParam>(other.bytes()));
          EXPECT_TRUE(std::ranges::equal(written, other.bytes())) << n << " keys, byte " << i << " changed by " << flip;
        } catch (const umbel::error&) {
        }
      }
    }
  }
}

// A bit beyond the last cell is no cell: it would be counted as one, and 65 bits of which 66 are set estimate nothing.
TEST(CanonicalTail, BitsPastTheLastCellAreRefused) {
  umbel::bloom_filter filter({.keys = 10, .bits = 65});
  filter.insert("someone");
  const file_image image(umbel::encode(filter));
  for (unsigned bit = 65; bit < 128; ++bit) {
    auto other = image;
    other.flip(8 * image.entries()[1].offset + bit);
    EXPECT_THROW((void)umbel::decode<umbel::bloom_filter>(other.seal().bytes()), umbel::corrupt) << "bit " << bit;
  }
}

TYPED_TEST(Canonical, SectionsOfOtherNamesAreRefused) {
  const file_image image(umbel::encode(sample<TypeParam>(100)));
  for (const auto& e : image.entries()) {
    auto other = image;
    EXPECT_THROW((void)umbel::decode<TypeParam>(other.set(e.at, 'q').seal().bytes()), umbel::corrupt) << e.name;
    other = image;
    other.set(e.at + at::entry_count, e.count + 1).seal();
    EXPECT_THROW((void)umbel::decode<TypeParam>(other.bytes()), umbel::corrupt) << "count of " << e.name;
  }
}

TYPED_TEST(Canonical, OtherKindsAndVersionsAreIncompatible) {
  const file_image image(umbel::encode(sample<TypeParam>(100)));
  auto other = image;
  other.set(at::kind_version, TypeParam::format_version + 1).seal();
  EXPECT_THROW((void)umbel::decode<TypeParam>(other.bytes()), umbel::incompatible);
  other = image;
  other.set(at::kind, 'x').seal();
  EXPECT_THROW((void)umbel::decode<TypeParam>(other.bytes()), umbel::incompatible);
}

// A secret key is asked for, compared, and never stored.
TYPED_TEST(Canonical, KeysAreCheckedAndNotStored) {
  if (TypeParam::kind == umbel::parquet_filter::kind) GTEST_SKIP() << "has a hash of its own";
  const umbel::secret_key right = {0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 9, 8, 7, 6, 5, 4};
  auto wrong = right;
  wrong[15] ^= 1;
  const auto keyed = sample<TypeParam>(100, umbel::hasher::keyed(right));
  const auto file = umbel::encode(keyed);
  EXPECT_EQ(umbel::decode<TypeParam>(file, {.key = right}), keyed);
  EXPECT_THROW((void)umbel::decode<TypeParam>(file), umbel::incompatible);
  EXPECT_THROW((void)umbel::decode<TypeParam>(file, {.key = wrong}), umbel::incompatible);
  EXPECT_THROW((void)umbel::decode<TypeParam>(umbel::encode(sample<TypeParam>(100)), {.key = right}),
               umbel::incompatible);
  const auto* const first = reinterpret_cast<const std::byte*>(right.data());
  EXPECT_EQ(std::search(file.begin(), file.end(), first, first + 8), file.end());
}

}  // namespace
