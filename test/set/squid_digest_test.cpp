// squid_digest_test.cpp - a Bloom filter under scheme `chunks` is a Squid cache digest, byte for
// byte.
// Source     A digest's key is MD5 of the method's number and the URL. Position i is its i-th
//            big-endian 32-bit word modulo the bits: bit p & 7 of byte p >> 3. Recomputed here with
//            OpenSSL.
#include <umbel/set/bloom_filter.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "support/filter_bits.hpp"

namespace umbel::squid_digest_test {
namespace {

std::string get(const std::string& url) { return "\x01" + url; }
std::string url(int i) { return "http://example.org/page/" + std::to_string(i); }

class cache_digest {
 public:
  explicit cache_digest(std::uint32_t bits) : bits_(bits), bytes_((bits + 7) / 8) {}
  void add(const std::string& key) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> md{};
    EVP_Digest(key.data(), key.size(), md.data(), nullptr, EVP_md5(), nullptr);
    for (std::size_t i = 0; i < 16; i += 4) {
      const std::uint32_t word = std::uint32_t{md[i]} << 24 | std::uint32_t{md[i + 1]} << 16 |
                                 std::uint32_t{md[i + 2]} << 8 | std::uint32_t{md[i + 3]};
      const std::uint32_t p = word % bits_;
      bytes_[p >> 3] = static_cast<unsigned char>(bytes_[p >> 3] | 1U << (p & 7));
    }
  }
  [[nodiscard]] const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::uint32_t bits_;
  std::vector<unsigned char> bytes_;
};

// The first bytes of a filter's cells as they lie in a file: words are little-endian.
std::vector<unsigned char> bytes_of(const bloom_filter& filter) {
  std::vector<unsigned char> out;
  for (const std::uint64_t word : support::words_of(filter))
    for (int i = 0; i < 8; ++i) out.push_back(static_cast<unsigned char>(word >> 8 * i));
  out.resize((filter.size_in_bits() + 7) / 8);
  return out;
}

// Squid's sizes are whole bytes: 8 * floor((capacity * bits_per_entry + 7) / 8).
TEST(SquidDigest, BytesAreTheSame) {
  for (const std::uint32_t bits : {1024U, 8U, 8 * 625U, 8 * 12'345U}) {
    bloom_filter filter({.keys = 1000, .bits = bits, .scheme = core::scheme::chunks});
    cache_digest theirs(bits);
    for (int i = 0; i < 500; ++i) {
      (void)filter.insert(get(url(i)));
      theirs.add(get(url(i)));
    }
    EXPECT_EQ(bytes_of(filter), theirs.bytes()) << bits;
  }
}

TEST(SquidDigest, MatchesAWorkedExample) {
  bloom_filter filter({.keys = 1, .bits = 1024, .scheme = core::scheme::chunks});
  (void)filter.insert(get("http://www.squid-cache.org/"));
  const auto bytes = bytes_of(filter);
  EXPECT_EQ(bytes[51 >> 3], 1U << (51 & 7));
  EXPECT_EQ(bytes[375 >> 3], 1U << (375 & 7));
  EXPECT_EQ(bytes[36], 3U) << "288 and 289";
  EXPECT_EQ(support::ones_of(support::words_of(filter)), 4U);
}

// Squid's default, 5 bits per entry, errs at 9.2 %.
TEST(SquidDigest, RateAtFiveBitsPerEntry) {
  const auto plan =
      bloom_filter::plan({.keys = 1'000'000, .bits = 5'000'000, .scheme = core::scheme::chunks});
  EXPECT_EQ(plan.probes, 4U);
  EXPECT_NEAR(plan.fpr, 0.0920, 5e-5);
}

}  // namespace
}  // namespace umbel::squid_digest_test
