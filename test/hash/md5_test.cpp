// md5_test.cpp - MD5 [Riv92] against OpenSSL at every padding length, and the vectors of its
// definition (section A.5).
#include <umbel/hash/hasher.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "support/keys.hpp"

namespace umbel::md5_test {
namespace {

using namespace std::string_literals;

digest of_openssl(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, EVP_md5(), nullptr);
  const auto big_endian = [&](std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t i = at; i < at + 8; ++i) word = word << 8 | out[i];
    return word;
  };
  return {.hi = big_endian(0), .lo = big_endian(8)};
}

// Every length around the ends of the first blocks (55, 56, 63, 64 ...), and a long one.
TEST(Md5, IsOpenSslsAtEveryLength) {
  std::string text;
  for (std::uint64_t size = 0; size <= 300; ++size) {
    EXPECT_EQ(hasher::md5()(text), of_openssl(text)) << size;
    text += static_cast<char>(test::scatter(size));
  }
  text.assign(1'000'003, 'a');
  EXPECT_EQ(hasher::md5()(text), of_openssl(text));
}

TEST(Md5, VectorsOfItsDefinition) {
  const std::pair<std::string_view, digest> vectors[] = {
      {"", {0xd41d8cd98f00b204, 0xe9800998ecf8427e}},
      {"a", {0x0cc175b9c0f1b6a8, 0x31c399e269772661}},
      {"abc", {0x900150983cd24fb0, 0xd6963f7d28e17f72}},
      {"message digest", {0xf96b697d7cb7938d, 0x525a2f31aaf161d0}},
      {"abcdefghijklmnopqrstuvwxyz", {0xc3fcd3d76192e400, 0x7dfb496cca67e13b}},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       {0xd174ab98d277d9f5, 0xa5611c2c9f419d9f}},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
       {0x57edf4a22be3c955, 0xac49da2e2107b67a}}};
  for (const auto& [text, expected] : vectors) EXPECT_EQ(hasher::md5()(text), expected) << text;
}

// Integers of every width are their 8 little-endian bytes, the sign extended.
TEST(Md5, OfIntegers) {
  const hasher md5 = hasher::md5();
  EXPECT_EQ(md5(0x0102), of_openssl("\x02\x01\0\0\0\0\0\0"s));
  EXPECT_EQ(md5(std::int8_t{-1}), of_openssl(std::string(8, '\xff')));
  EXPECT_EQ(md5(std::uint16_t{0xFFFF}), md5(std::uint64_t{0xFFFF}));
  EXPECT_NE(md5(42), md5("42"));
}

TEST(Md5, HasNeitherSeedNorKey) {
  EXPECT_EQ(hasher::md5().seed(), 0U);
  EXPECT_EQ(hasher::md5().key_check(), 0U);
  EXPECT_FALSE(hasher::md5().is_keyed());
  EXPECT_NE(hasher::md5(), hasher());
}

}  // namespace
}  // namespace umbel::md5_test
