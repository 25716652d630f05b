// named_map_test.cpp - a map with names for its values, as a program uses it, and how names are
// numbered.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/map/named_map.hpp>
#include <umbel/map/naming.hpp>

#include "support/temp_dir.hpp"

namespace umbel::test::named_map_test {
namespace {

using pairs = std::vector<std::pair<std::string, std::uint64_t>>;

named_map<binary_fuse_map> birds() {
  const pairs all{{"wren", 0}, {"robin", 0}, {"kite", 1}, {"swan", 2}};
  return named_map(binary_fuse_map::build(all, {.value_bits = 2, .fpr = 1e-6}),
                   cells::texts(std::vector<std::string>{"small", "large", "huge"}));
}

TEST(NamedMap, FindsNames) {
  const auto map = birds();
  EXPECT_EQ(map.find_name("robin"), "small");
  EXPECT_EQ(map.find_name("swan"), "huge");
  EXPECT_EQ(map.find("kite"), 1U);
  EXPECT_EQ(map.find_name("stone"), std::nullopt);
}

TEST(NamedMap, IsStoredInOneFileOfTheMapsKind) {
  const temp_dir here;
  save(birds(), here.file("birds"));
  const auto opened = open<named_map<binary_fuse_map>>(here.file("birds"));
  EXPECT_EQ(opened->find_name("kite"), "large");
  EXPECT_EQ(load<named_map<binary_fuse_map>>(here.file("birds")), birds());
  EXPECT_EQ(named_map<binary_fuse_map>::kind, binary_fuse_map::kind);
  // Opening the file as a plain map is an error that says there are names, instead of dropping
  // them.
  EXPECT_THROW((void)load<binary_fuse_map>(here.file("birds")), corrupt);
}

TEST(NamedMap, WithoutNamesIsThePlainMap) {
  const pairs all{{"wren", 10}, {"kite", 60}};
  const auto plain = binary_fuse_map::build(all, {.fpr = 0.01});
  const named_map<binary_fuse_map> same(plain);
  EXPECT_EQ(encode(same), encode(plain));
  EXPECT_EQ(decode<named_map<binary_fuse_map>>(encode(plain)), same);
  EXPECT_EQ(same.find("kite"), 60U);
  EXPECT_EQ(same.find_name("kite"), std::nullopt);
  EXPECT_EQ(same.size_in_bits(), plain.size_in_bits());
  EXPECT_GT(birds().size_in_bits(), 13U * 8);  // names count
}

TEST(Naming, NumbersByFallingCountThenBytes) {
  naming names;
  for (const char* const text : {"rare", "often", "b", "a", "often"})
    names.count(names.number(text));
  const auto order = names.settle();
  const std::vector<std::string> expected{"often", "a", "b", "rare"};
  EXPECT_EQ(order.table, cells::texts(expected));
  EXPECT_EQ(order.final_number, (std::vector<std::uint64_t>{3, 0, 2, 1}));
}

TEST(Naming, RemembersMany) {
  naming names;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t i = 0; i < 20'000; ++i)
      ASSERT_EQ(names.number("text " + std::to_string(i)), i);
  EXPECT_EQ(names.size(), 20'000U);
  EXPECT_EQ(names[77], "text 77");
}

}  // namespace
}  // namespace umbel::test::named_map_test
