// canonical.cpp - every structure of every kind has one encoding, however it was made, and a reader
// accepts no other.
#define UMBEL_WITHOUT_BENCH  // of the one kind made here
#include <umbel/any/adapt.hpp>
#include <umbel/set/bloom_filter.hpp>

#include "support/file_image.hpp"
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Canonical : public kind_test {
 protected:
  [[nodiscard]] structure_ptr sample(std::uint64_t n, const hasher& hash = {}) const {
    return unless_hash_is_fixed([&] { return build(members(n, 1), {.fpr = 0.01, .hash = hash}); });
  }
  [[nodiscard]] structure_ptr decode(std::span<const std::byte> bytes,
                                     const load_options& how = {}) const {
    return kind().decode(bytes, how);
  }
};

TEST_P(Canonical, BytesComeBack) {
  for (const std::uint64_t n : {0U, 1U, 2U, 1000U}) {
    const auto before = sample(n);
    const auto file = before->encode();
    EXPECT_EQ(file.size() % 64, 0U);
    const auto after = decode(file);
    EXPECT_TRUE(after->equals(*before));
    EXPECT_EQ(after->encode(), file);
  }
}

TEST_P(Canonical, BytesAreTheSameHoweverItWasMade) {
  const temp_dir here;
  auto seeded = sample(1000, hasher::seeded(3));
  const bool fixed = seeded == nullptr;
  const auto made = fixed ? sample(1000) : std::move(seeded);
  const auto file = made->encode();
  made->save(here.file("f"));
  const auto opened = kind().open(here.file("f"), {});
  EXPECT_EQ(kind().load(here.file("f"), {})->encode(), file);
  EXPECT_EQ(opened->encode(), file);
  EXPECT_EQ(opened->clone()->encode(), file);  // owns what the mapping held, and was moved
  EXPECT_EQ((fixed ? sample(1000) : sample(1000, hasher::seeded(3)))->encode(), file);
  EXPECT_EQ(std::filesystem::file_size(here.file("f")), file.size());
}

TEST_P(Canonical, OtherBytesAreRefused) {
  const auto file = sample(100)->encode();
  const file_image image(file);
  ASSERT_TRUE(std::ranges::equal(file_image(file).seal().bytes(), file))
      << "sealing a sound file changes nothing";
  std::vector<bool> used(file.size());  // or else: zeros between sections and after the last one
  std::fill_n(used.begin(), image.front_bytes(), true);
  for (const auto& e : image.entries())
    std::fill_n(used.begin() + static_cast<long>(e.offset), e.length, true);
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (used[i]) continue;
    auto other = file_image(file).set(i, std::uint8_t{1}).seal();
    ASSERT_THROW((void)decode(other.bytes()), corrupt) << "padding at " << i;
  }
  file_image longer(file);
  longer.resize(file.size() + 64);
  EXPECT_THROW((void)decode(longer.bytes()), corrupt);
  EXPECT_THROW((void)decode(longer.claim_size().seal().bytes()), corrupt);
}

// What a reader accepts is what a writer would have written. Every byte is changed in three ways,
// with every checksum right.
TEST_P(Canonical, AnAcceptedFileIsWrittenAgainUnchanged) {
  for (const std::uint64_t n : {0U, 60U}) {
    const auto file = sample(n)->encode();
    for (std::size_t i = 0; i < file.size(); i += small_or(7, 1)) {
      for (const unsigned flip : {1U, 0x80U, 0xFFU}) {
        file_image other(file);
        other.set(i, static_cast<std::uint8_t>(std::to_integer<unsigned>(file[i]) ^ flip)).seal();
        try {
          const auto written = decode(other.bytes())->encode();
          EXPECT_TRUE(std::ranges::equal(written, other.bytes()))
              << n << " keys, byte " << i << " changed by " << flip;
        } catch (const error&) {
        }
      }
    }
  }
}

TEST_P(Canonical, SectionsOfOtherNamesAreRefused) {
  const file_image image(sample(100)->encode());
  for (const auto& e : image.entries()) {
    auto other = image;
    EXPECT_THROW((void)decode(other.set(e.at, 'q').seal().bytes()), corrupt) << e.name;
    other = image;
    other.set(e.at + at::entry_count, e.count + 1).seal();
    EXPECT_THROW((void)decode(other.bytes()), corrupt) << "count of " << e.name;
  }
}

TEST_P(Canonical, OtherKindsAndVersionsAreIncompatible) {
  const file_image image(sample(100)->encode());
  auto other = image;
  other.set(at::kind_version, kind().format_version() + 1).seal();
  EXPECT_THROW((void)decode(other.bytes()), incompatible);
  other = image;
  other.set(at::kind, 'z').seal();  // no kind begins with it
  EXPECT_THROW((void)decode(other.bytes()), incompatible);
}

// A secret key is required, compared, and never stored.
class KeyedCanonical : public Canonical {};
TEST_P(KeyedCanonical, KeysAreCheckedAndNotStored) {
  const secret_key right = {0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
                            0x59, 0x5A, 9,    8,    7,    6,    5,    4};
  auto wrong = right;
  wrong[15] ^= 1;
  const auto keyed = sample(100, hasher::keyed(right));
  const auto file = keyed->encode();
  EXPECT_TRUE(decode(file, {.key = right})->equals(*keyed));
  EXPECT_THROW((void)decode(file), incompatible);
  EXPECT_THROW((void)decode(file, {.key = wrong}), incompatible);
  EXPECT_THROW((void)decode(sample(100)->encode(), {.key = right}), incompatible);
  const auto* const first = reinterpret_cast<const std::byte*>(right.data());
  EXPECT_EQ(std::search(file.begin(), file.end(), first, first + 8), file.end());
}

UMBEL_EVERY_KIND(Canonical);
// bloom_filter over other cells; not in the registry, whose names are kinds.
INSTANTIATE_TEST_SUITE_P(Concurrent, Canonical,
                         ::testing::Values(&any::kind_of<concurrent_bloom_filter>::instance()),
                         kind_title);
UMBEL_KINDS_BUT(takes_a_secret, KeyedCanonical, "parquet-filter");
INSTANTIATE_TEST_SUITE_P(Concurrent, KeyedCanonical,
                         ::testing::Values(&any::kind_of<concurrent_bloom_filter>::instance()),
                         kind_title);

// A bit beyond the last cell would be counted as a set cell, and 65 bits of which 66 are set give
// no estimate.
TEST(CanonicalTail, BitsPastTheLastCellAreRefused) {
  bloom_filter filter({.keys = 10, .bits = 65});
  filter.insert("someone");
  const file_image image(umbel::encode(filter));
  for (unsigned bit = 65; bit < 128; ++bit) {
    auto other = image;
    other.flip(8 * image.entries()[1].offset + bit);
    EXPECT_THROW((void)umbel::decode<bloom_filter>(other.seal().bytes()), corrupt) << "bit " << bit;
  }
}

}  // namespace
}  // namespace umbel::test
