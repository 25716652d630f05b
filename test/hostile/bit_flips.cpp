// bit_flips.cpp - single-bit flips (bad-inputs 39): `load` detects every one. `open` detects flips
// in the header and in the fields, and answers safely over flipped cells. If the checksums are
// corrected after the flip, the structure detects it or it is harmless.
#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

class BitFlips : public kind_test {
 protected:
  const file_image good_{build(members(60, 7))->encode()};
  // In small runs kinds that take long test every seventh bit, which still covers every bit
  // position of a byte.
  const std::size_t step_ = small() ? 7 : 1;
};

TEST_P(BitFlips, LoadDetectsEveryFlip) {
  for (std::size_t bit = 0; bit < good_.size() * 8; ++bit) {
    file_image image = good_;
    image.flip(bit);
    ASSERT_EQ(decoded(kind(), image.bytes()), verdict::refused)
        << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST_P(BitFlips, AMappingAnswersSafely) {
  memory_file file(good_.bytes());
  const std::string path = file.path();
  const auto in_array = good_.in_arrays();
  for (std::size_t bit = 0; bit < good_.size() * 8; bit += step_) {
    const std::size_t byte = bit / 8;
    const std::byte flipped = good_.bytes()[byte] ^ std::byte(1U << (bit % 8));
    file.put(byte, std::span(&flipped, 1));
    const auto said = mapped(kind(), path, good_.size(), 100);
    file.put(byte, good_.bytes().subspan(byte, 1));
    // `open` does not read the zeros between sections; everything else outside the arrays is
    // checked.
    const bool padding = good_.bytes()[byte] == std::byte{0} && byte >= good_.front_bytes();
    if (said == verdict::taken) {
      ASSERT_TRUE(in_array[byte] || padding) << "bit " << bit % 8 << " of byte " << byte;
    }
  }
}

TEST_P(BitFlips, WithCorrectChecksumsTheyAreDetectedOrHarmless) {
  for (std::size_t bit = 0; bit < good_.size() * 8; bit += step_) {
    file_image image = good_;
    image.flip(bit);
    image.seal();
    (void)decoded(kind(), image.bytes(), 100);  // judges by itself
    if (HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

// Random damage to the cells, up to one byte in three: answers may be wrong, but nothing crashes.
TEST_P(BitFlips, CellsFullOfNoise) {
  const file_image large{build(members(1000, 7))->encode()};
  const auto in_array = large.in_arrays();
  for (std::uint64_t seed = 1; seed <= small_or(20, 200); ++seed) {
    file_image image = large;
    std::mt19937_64 random(seed);
    for (std::size_t byte = 0; byte < image.size(); ++byte)
      if (in_array[byte] && random() % 3 == 0) image.set(byte, static_cast<std::uint8_t>(random()));
    const memory_file file(image.bytes());
    ASSERT_EQ(mapped(kind(), file.path(), image.size()), mapped(kind(), file.path(), image.size()));
    (void)decoded(kind(), image.seal().bytes());
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

UMBEL_EVERY_KIND(BitFlips);

}  // namespace
}  // namespace umbel::test
