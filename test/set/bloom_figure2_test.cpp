// bloom_figure2_test.cpp - the worked example of [TRL12], Fig. 2, bit for bit.
// Idea       16 bits and three real hash functions: MD5, SHA-1 and CRC-32 of one letter, each read
//            as a big-endian integer modulo 16. The test defines an index for them over the core
//            that every Bloom filter uses.
// Limits     The bit strings printed in the paper have 18 characters, a misprint.
#include <umbel/engine/probe/probes.hpp>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/index.hpp>

namespace umbel::bloom_figure2_test {
namespace {

// `lo` holds the letter; the walk counts which of the three functions is next.
class figure_two {
 public:
  struct walk {
    unsigned char letter;
    unsigned function;
  };
  [[nodiscard]] std::uint64_t cells() const noexcept { return 16; }
  [[nodiscard]] unsigned probes() const noexcept { return 3; }
  [[nodiscard]] walk start(digest d) const noexcept {
    return {static_cast<unsigned char>(d.lo), 0};
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept {
    switch (w.function++) {
      // A big-endian integer mod 16 is its last byte mod 16.
      case 0: return last_byte(EVP_md5(), w.letter) % 16;
      case 1: return last_byte(EVP_sha1(), w.letter) % 16;
      default: return crc32(0, &w.letter, 1) % 16;
    }
  }

 private:
  static unsigned last_byte(const EVP_MD* function, unsigned char letter) noexcept {
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_Digest(&letter, 1, out, &size, function, nullptr);
    return size == 0 ? 0 : out[size - 1];
  }
};
static_assert(core::index<figure_two>);

using filter = core::probes<figure_two, cells::bits>;

digest letter(char c) { return {0, static_cast<unsigned char>(c)}; }
std::vector<std::uint64_t> positions(char c) {
  std::vector<std::uint64_t> out;
  (void)core::all_of(figure_two(), letter(c), [&](std::uint64_t i) {
    out.push_back(i);
    return true;
  });
  return out;
}
std::set<std::uint64_t> bits_of(const filter& f) {
  std::set<std::uint64_t> out;
  for (std::uint64_t i = 0; i < 16; ++i)
    if (f.cells().test(i)) out.insert(i);
  return out;
}

TEST(BloomFigure2, HashValuesOfTheLetters) {
  EXPECT_EQ(positions('a'), (std::vector<std::uint64_t>{1, 8, 3}));
  EXPECT_EQ(positions('b'), (std::vector<std::uint64_t>{15, 8, 9}));
  EXPECT_EQ(positions('y'), (std::vector<std::uint64_t>{13, 10, 5}));
  EXPECT_EQ(positions('l'), (std::vector<std::uint64_t>{3, 7, 14}));
  EXPECT_EQ(positions('q'), (std::vector<std::uint64_t>{13, 0, 7}));
  EXPECT_EQ(positions('z'), (std::vector<std::uint64_t>{7, 10, 15}));
}

TEST(BloomFigure2, StateAfterEachInsert) {
  filter f{figure_two()};
  EXPECT_TRUE(f.insert(letter('a')));
  EXPECT_TRUE(f.insert(letter('b')));
  EXPECT_EQ(bits_of(f), (std::set<std::uint64_t>{15, 9, 8, 3, 1}));
  EXPECT_TRUE(f.insert(letter('y')));
  EXPECT_TRUE(f.insert(letter('l')));
  EXPECT_EQ(bits_of(f), (std::set<std::uint64_t>{15, 14, 13, 10, 9, 8, 7, 5, 3, 1}));
  for (const char c : {'a', 'b', 'y', 'l'}) {
    EXPECT_TRUE(f.may_contain(letter(c))) << c;
    EXPECT_FALSE(f.insert(letter(c))) << c << " again changes nothing";
  }
  EXPECT_FALSE(f.may_contain(letter('q'))) << "absent: bit 0 is clear";
  EXPECT_TRUE(f.may_contain(letter('z'))) << "the figure's false positive";
}

}  // namespace
}  // namespace umbel::bloom_figure2_test
