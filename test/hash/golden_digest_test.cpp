// golden_digest_test.cpp - digests that must never change: files, servers and other languages
// depend on them.
// Source     XXH3-128 of text: libxxhash 0.8.1, "" and "abc" also published, and the sanity buffer
//            of its test suite [Col19]. Integers: derived in Python from the text of hasher.hpp.
//            SipHash: the paper's test key [AB12]. MD5 and CRC: Python's hashlib and zlib, and a
//            bitwise CRC-32C.
#include <umbel/hash/hasher.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace umbel::golden_digest_test {
namespace {

using namespace std::string_literals;

struct text_case {
  std::uint64_t seed;
  std::string_view key;
  digest expected;
};
constexpr text_case texts[] = {
    {0, "", {0x99aa06d3014798d8, 0x6001c324468d497f}},
    {0, "a", {0xa96faf705af16834, 0xe6c632b61e964e1f}},
    {0, "abc", {0x06b05ab6733a6185, 0x78af5f94892f3950}},
    {0, "42", {0xb080ccd44c7163e9, 0x1217cb28c0ef2191}},
    {0, "alice", {0x48bb949a3dd26afa, 0xc9a1342ad0e35dd2}},
    {0, "bob", {0x015e9a65c5814976, 0x1403c0c40f49b8e5}},
    {1, "", {0xd9265cc53bb2b9ae, 0x6131b78f753823cd}},
    {1, "alice", {0xdb94300b7dbd1d61, 0xa80ee331b6c76da5}},
    {42, "alice", {0x5545ed1a26a9f706, 0x93044a23d5e78cd7}},
    {0xdeadbeef, "bob", {0xefe17619b9185475, 0xed12288cb1100db4}},
    {0, "The quick brown fox jumps over the lazy dog", {0xddd650205ca3e7fa, 0x24a1cc2e3a8a7651}},
};

TEST(GoldenDigest, OfText) {
  for (const auto& [seed, key, expected] : texts)
    EXPECT_EQ(hasher::seeded(seed)(key), expected) << seed << ' ' << key;
  EXPECT_EQ(hasher()("alice"), hasher::seeded(0)("alice"));
}

// Every branch of XXH3 by length: 0, 1-3, 4-8, 9-16, 17-128, 129-240, more.
TEST(GoldenDigest, OfXxhashsOwnSanityBuffer) {
  std::string buffer(5000, '\0');
  std::uint64_t generator = 2654435761U;
  for (char& byte : buffer) {
    byte = static_cast<char>(generator >> 56);
    generator *= 11400714785074694797U;
  }
  const std::pair<std::size_t, digest> expected[] = {
      {1, {0xA6CD5E9392000F6A, 0xC44BDFF4074EECDB}},
      {4, {0x970D585AC632BF8E, 0x2E7D8D6876A39FE9}},
      {16, {0xC68C368ECF8A9C05, 0x562980258A998629}},
      {17, {0x955FA78643ED3669, 0xABBC12D11973D7DB}},
      {32, {0x98FC6458710DC2E8, 0x278410A17595E3F9}},
      {100, {0x9B50B05817AB158E, 0x5FCBC2E3295F2476}},
      {240, {0xAA4202DAA2769DC8, 0x5C9AAE94C8EBE5A0}},
      {241, {0x99A80ECF0ECFC647, 0xC5A639ECD2030E5E}},
      {1000, {0x9B857ABF662E5A25, 0xACA2DDE0F1951B9A}},
      {4161, {0x06E30DA044FBC01E, 0xEFB6CCB06C0B206A}}};
  for (const auto& [size, d] : expected)
    EXPECT_EQ(hasher()(std::string_view(buffer).substr(0, size)), d) << size;
}

TEST(GoldenDigest, OfIntegers) {
  const hasher plain;
  EXPECT_EQ(plain(0), (digest{0x670527f286862c69, 0x042e8c22eaa5fbdb}));
  EXPECT_EQ(plain(1), (digest{0x0093c56e1dcb401d, 0x63b86ebe71e897ac}));
  EXPECT_EQ(plain(42), (digest{0x34a4f54ed59bbc5d, 0x578f5e9eb9b86b91}));
  EXPECT_EQ(plain(-1), (digest{0x661127ec9005138a, 0x5b5b56789c9c9ff6}));
  EXPECT_EQ(plain(-42), (digest{0xd416adbe3b5bd0ae, 0xe95cdc2a37c25ccd}));
  EXPECT_EQ(plain(std::uint64_t{1} << 63), (digest{0x96de113cc560de41, 0x842e8c22eaa5fbdb}));
  EXPECT_EQ(hasher::seeded(1)(0), (digest{0x2dbc22798ac1bc83, 0x085d1845d54bf7b6}));
  EXPECT_EQ(hasher::seeded(1)(42), (digest{0x911d7ff659b3c31a, 0xb4fc45ca06398800}));
  EXPECT_EQ(hasher::seeded(0xdeadbeef)(42), (digest{0xcb2b4173cba276ce, 0xa89346d3e9410b46}));
  // For each seed one integer has digest zero: a value like any other.
  EXPECT_EQ(plain(detail::golden), (digest{0, 0}));
  EXPECT_EQ(hasher::seeded(~std::uint64_t{0})(42),
            (digest{0x5360d27bcf126fac, 0x5360d27bcf126fb6}));
}

// Keyed: SipHash-2-4-128 of the bytes, of 8 little-endian bytes for integers.
TEST(GoldenDigest, UnderASecretKey) {
  secret_key key;
  for (std::uint8_t i = 0; i < 16; ++i) key[i] = i;
  const hasher keyed = hasher::keyed(key);
  // The reference implementation's first vectors: bytes a3817f04 ba25a8e6 6df67214 c7550293,
  // da87c1d8 ...
  EXPECT_EQ(keyed(""), (digest{0x930255c71472f66d, 0xe6a825ba047f81a3}));
  EXPECT_EQ(keyed("\0"s), (digest{0x45fc229b11597634, 0x44af996bd8c187da}));
  EXPECT_EQ(keyed("\x00\x01"s), (digest{0xe4ff0af6de8ba3fc, 0xc75da4a48d227781}));
  EXPECT_EQ(keyed(-1), keyed("\xff\xff\xff\xff\xff\xff\xff\xff"s));
  EXPECT_EQ(keyed(0x0102), keyed("\x02\x01\0\0\0\0\0\0"s));
  EXPECT_NE(keyed(42), keyed("42"));
  EXPECT_NE(keyed(42), hasher()(42));
}

// The hashes of other programs: MD5's 16 bytes as two big-endian words, CRC-32 beside CRC-32C.
TEST(GoldenDigest, OfForeignHashes) {
  const hasher md5 = hasher::md5(), crc = hasher::crc();
  EXPECT_EQ(md5(""), (digest{0xd41d8cd98f00b204, 0xe9800998ecf8427e}));
  EXPECT_EQ(md5("alice"), (digest{0x6384e2b2184bcbf5, 0x8eccf10ca7a6563c}));
  EXPECT_EQ(md5("bob"), (digest{0x9f9d51bc70ef21ca, 0x5c14f307980a29d8}));
  EXPECT_EQ(md5("\x01http://www.squid-cache.org/"),
            (digest{0x69677c33244c8d77, 0x6d1ed1210e07c120}));
  EXPECT_EQ(md5(42), (digest{0xe8bdc34458096e6d, 0x18755f4c86df8b95}));
  EXPECT_EQ(md5(-1), (digest{0xc2cb56f4c5bf656f, 0xaca0986e7eba0308}));
  // The published test vectors of FNV-1, 64 bits.
  const hasher fnv = hasher::fnv();
  EXPECT_EQ(fnv("").hi, 0xcbf29ce484222325U);
  EXPECT_EQ(fnv("a").hi, 0xaf63bd4c8601b7beU);
  EXPECT_EQ(fnv("foobar").hi, 0x340d8765a4dda9c2U);
  EXPECT_EQ(fnv(42).hi, fnv(std::string("\x2a\0\0\0\0\0\0\0", 8)).hi);
  EXPECT_EQ(crc(""), (digest{0, 0}));
  EXPECT_EQ(crc("alice"), (digest{0x278ebc47fb02028e, 0xfb02028e278ebc47}));
  EXPECT_EQ(crc("bob"), (digest{0xf5cbb140ee3246d4, 0xee3246d4f5cbb140}));
  EXPECT_EQ(crc(42), (digest{0x0d94a1f7516b2987, 0x516b29870d94a1f7}));
  EXPECT_EQ(crc(-1), (digest{0x2144df1c48674bc7, 0x48674bc72144df1c}));
}

// The check value of a key that a file stores: enough to refuse another key, and zero for unkeyed
// hashes.
TEST(GoldenDigest, KeyCheckTellsKeysApart) {
  secret_key key{};
  const auto zero = hasher::keyed(key).key_check();
  key[15] = 1;
  EXPECT_NE(hasher::keyed(key).key_check(), zero);
  EXPECT_EQ(hasher::keyed(key).key_check(), hasher::keyed(key).key_check());
  EXPECT_EQ(hasher().key_check(), 0U);
  EXPECT_EQ(hasher::seeded(7).key_check(), 0U);
}

}  // namespace
}  // namespace umbel::golden_digest_test
