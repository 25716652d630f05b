// nested_lists.cpp - lists of the container, in which structures of several parts are stored: every
// count, depth and item is checked as the top level is. The structures are toys, because the reader
// is tested, not a kind.
#include <string_view>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/file_image.hpp"
#include "support/heap.hpp"

namespace umbel::test {
namespace {

// A leaf has a field with an impossible value, and an array whose size must match it.
struct leaf {
  std::uint64_t words_told = 1;
  cells::words<> words{1};
  static void fields(auto& self, auto&& field) { field("words_told", self.words_told); }
  static void describe(auto& self, auto& part) {
    part.fields("leaf", self);
    part.array("words", self.words);
  }
  void check() {
    if (words_told == 0 || words_told > 100) throw bad_parameter("words_told: impossible");
    words.require(words_told);
  }
};

struct tree {
  static constexpr std::string_view kind = "toy-tree";
  static constexpr std::uint32_t format_version = 1;
  hasher hash;
  std::vector<leaf> leaves;
  static void describe(auto& self, auto& part) {
    part.hash(self.hash);
    part.list("leaves", self.leaves);
  }
  void check() const {}
};

// Nested lists, as deep as the file says.
struct nest {
  static constexpr std::string_view kind = "toy-nest";
  static constexpr std::uint32_t format_version = 1;
  hasher hash;
  std::vector<nest> inner;
  static void describe(auto& self, auto& part) {
    part.hash(self.hash);
    part.list("inner", self.inner);
  }
  void check() const {}
};

tree grown(std::size_t leaves) {
  tree out;
  out.leaves.resize(leaves);
  for (std::size_t i = 0; i < leaves; ++i) {
    out.leaves[i].words_told = i % 3 + 1;
    out.leaves[i].words = cells::words<>(i % 3 + 1);
    out.leaves[i].words[0] = i;
  }
  return out;
}
nest deep(unsigned depth) {
  nest out;
  if (depth > 1) out.inner.push_back(deep(depth - 1));
  return out;
}

TEST(NestedLists, ComeBack) {
  for (const std::size_t leaves : {0, 1, 2, 100}) {
    const auto bytes = encode(grown(leaves));
    const auto again = decode<tree>(bytes);
    ASSERT_EQ(again.leaves.size(), leaves);
    for (std::size_t i = 0; i < leaves; ++i) EXPECT_EQ(again.leaves[i].words[0], i);
    EXPECT_EQ(encode(again), bytes);
  }
}

TEST(NestedLists, CountsMustMatchTheItems) {
  const file_image good{encode(grown(3))};
  for (const std::uint32_t count : {0U, 1U, 2U, 4U, 6U, 7U, 1U << 16, 1U << 31, ~0U}) {
    file_image image = good;
    image.set(good.entries()[0].at + at::entry_count, count).seal();
    const heap::watch memory;
    EXPECT_THROW((void)decode<tree>(image.bytes()), corrupt) << count;
    EXPECT_LE(memory.peak(), static_cast<std::int64_t>(image.size()) + (1 << 20));
  }
}

TEST(NestedLists, AListHasNoBytesOfItsOwn) {
  const file_image good{encode(grown(2))};
  const auto list = good.entries()[0].at;
  for (const std::size_t field : {at::entry_offset, at::entry_length, at::entry_check}) {
    file_image image = good;
    EXPECT_THROW(
        (void)decode<tree>(image.set(list + field, std::uint64_t{64}).seal_front().bytes()),
        corrupt)
        << field;
  }
}

// An item that its own validator refuses is damage to the file, whatever error the validator
// throws.
TEST(NestedLists, ItemsAreValidated) {
  const file_image good{encode(grown(3))};
  for (const std::size_t place : good.field_places())
    for (const std::uint64_t told :
         {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{101}, ~std::uint64_t{0}}) {
      file_image image = good;
      EXPECT_THROW((void)decode<tree>(image.set(place, told).seal().bytes()), corrupt) << told;
    }
}

TEST(NestedLists, DepthIsBounded) {
  for (unsigned depth = 1; depth <= codec::max_depth; ++depth) {
    const auto bytes = encode(deep(depth));
    EXPECT_EQ(encode(decode<nest>(bytes)), bytes) << depth;
  }
  for (const unsigned depth : {codec::max_depth + 1, codec::max_depth + 2, 1000U})
    // codec.Lists holds the reader to the same limit.
    EXPECT_THROW((void)encode(deep(depth)), bad_parameter) << depth;
}

TEST(NestedLists, CutAndFlippedEverywhere) {
  const auto bytes = encode(grown(2));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_THROW((void)decode<tree>(std::span(bytes).first(size)), corrupt) << size;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    file_image image{bytes};
    image.flip(bit);
    ASSERT_THROW((void)decode<tree>(image.bytes()), error) << bit;
  }
}

}  // namespace
}  // namespace umbel::test
