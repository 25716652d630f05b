// texts_test.cpp - a table of texts gives back what it was made of, in as few bits as it says.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/texts.hpp>

namespace texts_test {
namespace {

using umbel::cells::texts;

TEST(Texts, ComeBackByNumber) {
  const std::vector<std::string> cases[] = {
      {"one"},
      {""},
      {"", ""},
      {"", "a", ""},
      {"wren", "kite", std::string("a\0b", 3), "\xff\xfe", std::string(70'000, 'x')}};
  for (const auto& all : cases) {
    const texts table(all);
    ASSERT_EQ(table.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(table[i], all[i]);
  }
}

TEST(Texts, NoneAreNothing) {
  const texts none(std::vector<std::string>{});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size_in_bits(), 0U);
  EXPECT_EQ(none, texts());
}

TEST(Texts, EqualMeansTheSameTextsInTheSameOrder) {
  const std::vector<std::string> a{"ab", "c"}, b{"a", "bc"}, c{"c", "ab"};
  EXPECT_EQ(texts(a), texts(a));
  EXPECT_NE(texts(a), texts(b));  // the same bytes, cut elsewhere
  EXPECT_NE(texts(a), texts(c));
}

// Bytes, and ends of as many bits as the number of bytes has; at most two words of them are
// rounding and the spare one.
TEST(Texts, TakeTheirBytesAndNarrowEnds) {
  std::vector<std::string> all;
  for (int i = 0; i < 1000; ++i) all.emplace_back(std::to_string(i));
  const std::uint64_t bytes = 10 + 2 * 90 + 3 * 900, width = 12;  // 2890 bytes
  EXPECT_GE(texts(all).size_in_bits(), bytes * 8 + 1000 * width);
  EXPECT_LE(texts(all).size_in_bits(), bytes * 8 + 1000 * width + 128);
}

}  // namespace
}  // namespace texts_test
