// list_test.cpp - structures made of structures, through the codec: a tree type that no library
// header knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <umbel/cells/words.hpp>
#include <umbel/codec/codec.hpp>

#include "support/environment.hpp"
#include "support/file_image.hpp"

namespace list_test {
namespace {

using umbel::test::file_image;
namespace at = umbel::test::at;

// A node has a number, a few words and children; the number 666 is not allowed.
struct node {
  std::uint64_t number = 0;
  umbel::cells::words<std::uint16_t> words;
  std::vector<node> children;

  node() = default;
  explicit node(std::uint64_t n, std::vector<node> below = {})
      : number(n), words(n % 5), children(std::move(below)) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(n + i);
  }
  static void fields(auto& self, auto&& field) { field("number", self.number); }
  static void describe(auto& self, auto& part) {
    part.fields("node", self);
    part.array("words", self.words);
    part.list("children", self.children);
  }
  void check() const {
    if (number == 666) throw umbel::bad_parameter("number: 666 is not for nodes");
  }
  friend bool operator==(const node&, const node&) = default;
};

struct tree {
  static constexpr std::string_view kind = "test-tree";
  static constexpr std::uint32_t format_version = 9;
  umbel::hasher hash;
  std::vector<node> roots, others;

  static void describe(auto& self, auto& part) {
    part.hash(self.hash);
    part.list("roots", self.roots);
    part.list("others", self.others);
  }
  void check() const {}
  friend bool operator==(const tree&, const tree&) = default;
};

tree chain(unsigned depth) {  // `depth` lists, one in the other
  tree out;
  std::vector<node>* at = &out.roots;
  for (unsigned i = 1; i < depth; ++i) at = &at->emplace_back(i).children;
  return out;
}

TEST(Lists, ComeBack) {
  tree before{umbel::hasher::seeded(4),
              {node(1, {node(2), node(3, {node(4)})}), node(5)},
              {node(6), node(7), node(8)}};
  const auto file = umbel::encode(before);
  const auto after = umbel::decode<tree>(file);
  EXPECT_EQ(after, before);
  EXPECT_EQ(umbel::encode(after), file);
  EXPECT_EQ(umbel::decode<tree>(umbel::encode(tree{})), tree{});
}

RC_GTEST_PROP(Lists, OfAnyShapeComeBack, ()) {
  const auto grow = [](auto& self, std::vector<node>& out, unsigned depth) -> void {
    const auto count = *rc::gen::inRange(0, depth == 0 ? 1 : 4);
    for (int i = 0; i < count; ++i)
      self(self, out.emplace_back(*rc::gen::inRange<std::uint64_t>(0, 600)).children, depth - 1);
  };
  tree before;
  grow(grow, before.roots, 4);
  grow(grow, before.others, 3);
  const auto file = umbel::encode(before);
  RC_ASSERT(umbel::decode<tree>(file) == before);
  RC_ASSERT(umbel::encode(umbel::decode<tree>(file)) == file);
}

TEST(Lists, MayBeNestedEightDeep) {
  for (unsigned depth = 1; depth <= umbel::codec::max_depth; ++depth)
    EXPECT_EQ(umbel::decode<tree>(umbel::encode(chain(depth))), chain(depth)) << depth;
}

// What cannot be read must not be written: the error would come too late.
TEST(Lists, DeeperListsAreRefusedBeforeTheyAreWritten) {
  EXPECT_THROW((void)umbel::encode(chain(umbel::codec::max_depth + 1)), umbel::error);
}
TEST(Lists, TooManySectionsAreRefusedBeforeTheyAreWritten) {
  tree wide;
  // Three sections each, and two for the lists.
  const std::size_t most = (umbel::codec::max_sections - 2) / 3;
  wide.roots.resize(most);
  EXPECT_EQ(umbel::decode<tree>(umbel::encode(wide)), wide);
  wide.roots.resize(most + 1);
  EXPECT_THROW((void)umbel::encode(wide), umbel::error);
}

// The reader's own limit, against files no writer makes: `depth` nested lists.
std::vector<std::byte> nested(unsigned depth) {
  using umbel::codec::section_type;
  umbel::codec::envelope e;
  e.kind = tree::kind;
  e.kind_version = tree::format_version;
  e.sections.push_back({"roots", section_type::list, depth > 1});
  for (unsigned i = 1; i < depth; ++i) {
    e.sections.push_back({"node", section_type::fields, 1, 0, 8});
    e.sections.push_back({"words", section_type::array, 2});
    e.sections.push_back({"children", section_type::list, i + 1 < depth});
  }
  e.sections.push_back({"others", section_type::list});
  umbel::codec::lay_out(e);
  file_image image(umbel::codec::encode_front(e));
  image.resize(e.file_bytes);
  const auto bytes = image.seal().bytes();
  return {bytes.begin(), bytes.end()};
}
TEST(Lists, DeeperListsAreNotRead) {
  EXPECT_EQ(umbel::decode<tree>(nested(8)).roots.size(), 1U);
  for (const unsigned depth : {9U, 10U, 1000U})
    EXPECT_THROW((void)umbel::decode<tree>(nested(depth)), umbel::corrupt) << depth;
}

TEST(Lists, CountsMustMatchTheItems) {
  const file_image image(umbel::encode(tree{{}, {node(1), node(2)}, {}}));
  const std::size_t roots = image.entries()[0].at;
  for (const std::uint32_t count : {0U, 1U, 3U, 4U, 6U, 7U, 1000U, 0x80000000U, 0xFFFFFFFFU}) {
    auto other = image;
    EXPECT_THROW(
        (void)umbel::decode<tree>(other.set(roots + at::entry_count, count).seal().bytes()),
        umbel::corrupt)
        << count;
  }
  // A list has neither bytes nor a checksum.
  for (const std::size_t field : {at::entry_length, at::entry_check}) {
    auto other = image;
    EXPECT_THROW(
        (void)umbel::decode<tree>(other.set(roots + field, std::uint64_t{64}).seal().bytes()),
        umbel::corrupt);
  }
}

TEST(Lists, AnItemIsCheckedLikeTheWhole) {
  file_image image(umbel::encode(tree{{}, {node(1), node(665, {node(2)})}, {}}));
  int changed = 0;
  for (const auto place : image.field_places()) {
    if (image.get<std::uint64_t>(place) != 665) continue;
    image.set(place, std::uint64_t{666}).seal();
    ++changed;
  }
  ASSERT_EQ(changed, 1);
  EXPECT_THROW((void)umbel::decode<tree>(image.bytes()), umbel::corrupt)
      << "a file is corrupt, not a bad parameter";
}

// Reading into a structure that already has items replaces them.
struct prepared {
  static constexpr std::string_view kind = "test-prepared";
  static constexpr std::uint32_t format_version = 1;
  std::vector<node> items = {node(1)};
  static void describe(auto& self, auto& part) { part.list("items", self.items); }
  void check() const {}
};
TEST(Lists, ReadingReplacesOldItems) {
  prepared before;
  EXPECT_EQ(umbel::decode<prepared>(umbel::encode(before)).items, before.items);
  before.items = {node(2), node(3)};
  EXPECT_EQ(umbel::decode<prepared>(umbel::encode(before)).items, before.items);
}

// One file has one hash: parts with different hashes cannot be written.
struct mixed {
  static constexpr std::string_view kind = "test-mixed";
  static constexpr std::uint32_t format_version = 1;
  struct part_with_hash {
    umbel::hasher hash;
    std::uint64_t number = 1;
    static void fields(auto& self, auto&& field) { field("number", self.number); }
    static void describe(auto& self, auto& part) {
      part.hash(self.hash);
      part.fields("part", self);
    }
    void check() const {}
  };
  std::vector<part_with_hash> items;
  static void describe(auto& self, auto& part) { part.list("items", self.items); }
  void check() const {}
};
TEST(Lists, PartsShareOneHash) {
  const auto same = umbel::hasher::seeded(5);
  const auto back = umbel::decode<mixed>(umbel::encode(mixed{{{same}, {same}}}));
  ASSERT_EQ(back.items.size(), 2U);
  EXPECT_EQ(back.items[1].hash, same);
  EXPECT_THROW((void)umbel::encode(mixed{{{same}, {umbel::hasher()}}}), umbel::incompatible);
}

}  // namespace
}  // namespace list_test
