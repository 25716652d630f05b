// key_types_test.cpp - which values are equal as keys, and that a batch hashes as single calls do.
#include <umbel/hash/hasher.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"

namespace shop {  // another namespace, with its own key type

struct article {
  std::uint32_t maker;
  std::string name;
};
umbel::digest umbel_digest(const umbel::hasher& hash, const article& a) {
  return hash(std::to_string(a.maker) + '/' + a.name);
}

// Convertible to text, but with its own hash overload, which takes precedence.
struct nickname {
  std::string letters;
  operator std::string_view() const { return letters; }  // NOLINT(google-explicit-constructor)
};
umbel::digest umbel_digest(const umbel::hasher& hash, const nickname& n) {
  return hash("nick:" + n.letters);
}

struct non_member {};

}  // namespace shop

namespace umbel::key_types_test {
namespace {

const std::array<hasher, 4> hashers = {hasher(), hasher::seeded(17), hasher::keyed({1, 2, 3}),
                                       hasher::parquet()};

template <class T>
std::span<const std::byte> as_bytes(const T& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

RC_GTEST_PROP(KeyTypes, AllSpellingsOfTheSameBytesAreOneKey, (const std::string& text)) {
  for (const hasher& hash : hashers) {
    const digest d = hash(std::string_view(text));
    RC_ASSERT(hash(text) == d);
    RC_ASSERT(hash(as_bytes(text)) == d);
    const std::vector<unsigned char> raw(text.begin(), text.end());
    RC_ASSERT(hash(raw) == d);
    RC_ASSERT(hash(std::span<const unsigned char>(raw)) == d);
    if (text.find('\0') == std::string::npos) {
      RC_ASSERT(hash(text.c_str()) == d);
    }
  }
}

TEST(KeyTypes, LiteralsAndArrays) {
  const char array[] = "alice";
  const char* const pointer = array;
  for (const hasher& hash : hashers) {
    EXPECT_EQ(hash("alice"), hash(std::string_view("alice")));
    EXPECT_EQ(hash(array), hash("alice"));
    EXPECT_EQ(hash(pointer), hash("alice"));
    EXPECT_EQ(hash(std::vector<std::byte>{}), hash(""));
    EXPECT_NE(hash(""), hash(std::string_view("\0", 1)));
  }
}

// Integers sign-extend to 64 bits, so the type an integer is kept in does not matter (Parquet's
// rules are its own).
TEST(KeyTypes, IntegersAreTheirValue) {
  for (const hasher& hash : std::span(hashers).first(3)) {
    EXPECT_EQ(hash(std::int32_t{-1}), hash(std::int64_t{-1}));
    EXPECT_EQ(hash(std::int8_t{-1}), hash(std::int64_t{-1}));
    EXPECT_EQ(hash(std::int16_t{-300}), hash(-300LL));
    EXPECT_EQ(hash(std::uint8_t{200}), hash(200));
    EXPECT_EQ(hash(42U), hash(42L));
    EXPECT_EQ(hash(std::numeric_limits<std::uint64_t>::max()), hash(-1)) << "the same 64 bits";
    EXPECT_NE(hash(std::uint32_t{0xffffffff}), hash(std::int32_t{-1})) << "different values";
    EXPECT_EQ(hash(true), hash(1));
  }
}

TEST(KeyTypes, NumbersAndTheirTextAreDifferentKeys) {
  for (const hasher& hash : std::span(hashers).first(3)) {
    for (const int i : {0, 1, 42, -42, 1'000'000}) EXPECT_NE(hash(i), hash(std::to_string(i))) << i;
    EXPECT_NE(hash(1), hash(1.0)) << "a double is its bytes";
  }
  const std::uint64_t word = 42;
  EXPECT_NE(hasher()(word), hasher()(std::string_view(reinterpret_cast<const char*>(&word), 8)))
      << "mixer, not bytes";
}

// A tuple's digest is the hash of its columns' digests, 16 bytes each.
TEST(KeyTypes, SeveralColumnsAreOneKey) {
  const auto two = [](std::string_view a, std::string_view b) { return std::pair(a, b); };
  for (const hasher& hash : hashers) {
    EXPECT_NE(hash(two("ab", "c")), hash(two("a", "bc")));
    EXPECT_NE(hash(two("a", "b")), hash(two("b", "a")));
    EXPECT_NE(hash(two("ab", "")), hash(two("", "ab")));
    EXPECT_NE(hash(two("ab", "")), hash("ab"));
    EXPECT_NE(hash(std::tuple("a", "b", "")), hash(two("a", "b")));
    EXPECT_NE(hash(std::pair(1, 2)), hash(two("1", "2")));
    EXPECT_EQ(hash(std::tuple(7, "x")), hash(std::pair(7, std::string("x"))));
    const digest columns[] = {hash("a"), hash(7)};
    EXPECT_EQ(hash(std::pair("a", 7)), hash.tuple(columns));
    EXPECT_EQ(hash.tuple(columns), hash(std::as_bytes(std::span(columns))));
  }
}

TEST(KeyTypes, ADigestIsTakenAsItIs) {
  const digest d{1, 2};
  for (const hasher& hash : hashers) EXPECT_EQ(hash(d), d);
}

TEST(KeyTypes, AnyTypeBecomesAKeyByOneOverload) {
  for (const hasher& hash : hashers) {
    EXPECT_EQ(hash(shop::article{7, "tea"}), hash("7/tea"));
    EXPECT_EQ(hash(shop::nickname{"al"}), hash("nick:al"));
  }
}

static_assert(key<int> && key<bool> && key<std::uint64_t> && key<double> && key<std::string> &&
              key<std::string_view>);
static_assert(key<const char*> && key<char[6]> && key<std::span<const std::byte>> &&
              key<std::vector<std::byte>>);
static_assert(key<std::vector<unsigned char>> && key<digest> && key<shop::article>);
static_assert(key<std::pair<int, std::string>> && key<std::tuple<digest, double, const char*>>);
static_assert(!key<std::tuple<>> && !key<std::tuple<int>> && !key<std::pair<int, void*>>);
static_assert(!key<shop::non_member> && !key<std::vector<int>> && !key<void*> && !key<int*>);

TEST(KeyTypes, NullptrAndPaddedTypesAreNoKeys) {
  EXPECT_FALSE(key<std::nullptr_t>) << "it would be read as a C string";
  EXPECT_FALSE(key<long double>)
      << "six of its sixteen bytes are padding, and differ from call to call";
}

// A batch comes in spans, in order; within one, digest_at(i) may be called again.
template <class K>
void expect_batch_equals_single(const std::vector<K>& keys) {
  for (const hasher& hash : hashers) {
    std::size_t done = 0;
    hash.with_digests(std::span<const K>(keys),
                      [&](std::size_t first, std::size_t count, auto digest_at) {
      EXPECT_EQ(first, done);
      for (const char* const pass : {"first", "second"})
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(digest_at(i), hash(keys[first + i])) << pass << " " << i;
      done += count;
    });
    EXPECT_EQ(done, keys.size());
  }
}

TEST(KeyTypes, BatchEqualsSingleForEveryType) {
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  std::vector<const char*> pointers;
  std::vector<std::span<const std::byte>> spans;
  std::vector<std::vector<unsigned char>> raws;
  std::vector<shop::article> articles;
  std::vector<digest> digests;
  for (std::uint32_t i = 0; i < 1300; ++i) {
    std::string text(i, ' ');
    // All different.
    for (std::uint32_t j = 0; j < i; ++j) text[j] = static_cast<char>('!' + (7 * i + 11 * j) % 90);
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    views.emplace_back(text);
    pointers.push_back(text.c_str());
    spans.push_back(as_bytes(text));
    raws.emplace_back(text.begin(), text.end());
    articles.push_back({static_cast<std::uint32_t>(text.size()), text});
    digests.push_back(hasher()(text));
  }
  expect_batch_equals_single(texts);
  expect_batch_equals_single(views);
  expect_batch_equals_single(pointers);
  expect_batch_equals_single(spans);
  expect_batch_equals_single(raws);
  expect_batch_equals_single(articles);
  expect_batch_equals_single(digests);
  expect_batch_equals_single(std::vector<std::int8_t>{-128, -1, 0, 1, 127});
  expect_batch_equals_single(std::vector<std::uint16_t>{0, 1, 65535});
  expect_batch_equals_single(std::vector<int>{-5, 0, 5, std::numeric_limits<int>::min()});
  expect_batch_equals_single(
      std::vector<std::uint64_t>{0, 1, std::numeric_limits<std::uint64_t>::max()});
  expect_batch_equals_single(
      std::vector<double>{0.0, -0.0, 1.5, std::numeric_limits<double>::infinity()});
  expect_batch_equals_single(std::vector<std::string_view>{});
}

TEST(KeyTypes, HashersCompareByTheirFunction) {
  EXPECT_EQ(hasher(), hasher::seeded(0));
  EXPECT_NE(hasher(), hasher::seeded(1));
  EXPECT_EQ(hasher::keyed({1}), hasher::keyed({1}));
  EXPECT_NE(hasher::keyed({1}), hasher::keyed({2}));
  EXPECT_NE(hasher::keyed({}), hasher());
  EXPECT_NE(hasher::parquet(), hasher());
}

}  // namespace
}  // namespace umbel::key_types_test
