// siphash_test.cpp - SipHash-128 [AB12] against OpenSSL's, at every length from 0 to 64 and beyond,
// under many keys.
#include <umbel/hash/siphash.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <umbel/base/endian.hpp>

#include "support/statistics_gate.hpp"

namespace umbel::siphash_test {
namespace {

// Bytes 0..7 of the published output are `lo`, 8..15 are `hi`, both little-endian.
digest openssl_siphash(const std::vector<unsigned char>& bytes, const secret_key& key) {
  static const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(
      EVP_MAC_fetch(nullptr, "SIPHASH", nullptr), EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(
      EVP_MAC_CTX_new(mac.get()), EVP_MAC_CTX_free);
  unsigned size = 16;
  const OSSL_PARAM options[] = {OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size),
                                OSSL_PARAM_construct_end()};
  std::array<unsigned char, 16> out{};
  std::size_t written = 0;
  if (EVP_MAC_init(context.get(), key.data(), key.size(), options) != 1 ||
      EVP_MAC_update(context.get(), bytes.data(), bytes.size()) != 1 ||
      EVP_MAC_final(context.get(), out.data(), &written, out.size()) != 1 || written != 16)
    throw std::runtime_error("OpenSSL has no SipHash-128");
  return {.hi = detail::load_le<std::uint64_t>(out.data() + 8),
          .lo = detail::load_le<std::uint64_t>(out.data())};
}

TEST(SipHash, AgreesWithOpenSSLAtEveryLength) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    secret_key key;
    for (unsigned i = 0; i < 16; ++i)
      key[i] = static_cast<std::uint8_t>(round == 0 ? i : statistics::scatter(round * 16 + i));
    for (std::size_t size = 0; size <= 64; ++size) {
      std::vector<unsigned char> bytes(size);
      for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<unsigned char>(
            round == 0 ? i : statistics::scatter(round << 32 | size << 16 | i));
      ASSERT_EQ(detail::siphash128(bytes.data(), size, key), openssl_siphash(bytes, key))
          << size << " bytes";
    }
  }
}

// The length enters as its low byte: 255, 256 and 257 must not be confused.
TEST(SipHash, AgreesWithOpenSSLOnLongInput) {
  const secret_key key{1, 2, 3};
  for (const std::size_t size : {255U, 256U, 257U, 1000U, 100'003U}) {
    const std::vector<unsigned char> bytes(size, 0xa5);
    EXPECT_EQ(detail::siphash128(bytes.data(), size, key), openssl_siphash(bytes, key))
        << size << " bytes";
  }
}

// Input may be unaligned, and the bytes around it do not matter.
TEST(SipHash, IgnoresAlignmentAndNeighbours) {
  std::vector<unsigned char> memory(64 + 40, 0xee);
  const secret_key key{9};
  const std::vector<unsigned char> plain(40, 0x11);
  for (std::size_t at = 0; at < 64; at += 7) {
    std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(at));
    std::copy(plain.begin(), plain.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_EQ(detail::siphash128(memory.data() + at, 40, key),
              detail::siphash128(plain.data(), 40, key));
  }
}

// Every bit of the key matters.
TEST(SipHash, EveryKeyBitCounts) {
  const secret_key zero{};
  const digest base = detail::siphash128("umbel", 5, zero);
  for (unsigned bit = 0; bit < 128; ++bit) {
    secret_key key{};
    key[bit / 8] = static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_NE(detail::siphash128("umbel", 5, key), base) << bit;
  }
}

}  // namespace
}  // namespace umbel::siphash_test
