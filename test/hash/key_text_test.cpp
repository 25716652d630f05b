// key_text_test.cpp - trimming and case folding against Unicode's own table [Uni22], code point by
// code point, and bytes that are not UTF-8.
#include <umbel/hash/key_text.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"

namespace umbel::key_text_test {
namespace {

std::string folded_text(std::string_view text) {
  std::string out;
  fold_case(text, out);
  return out;
}

// Statuses C and S of Unicode's file, which Debian's unicode-data installs.
std::map<std::uint32_t, std::uint32_t> simple_foldings() {
  std::ifstream file("/usr/share/unicode/CaseFolding.txt");
  EXPECT_TRUE(file) << "the package unicode-data is missing: run tools/setup.sh";
  std::map<std::uint32_t, std::uint32_t> out;
  const auto number = [](const std::string& hex) {
    return static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16));
  };
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string letter, status, image;
    if (line.empty() || line[0] == '#' || !(words >> letter >> status >> image)) continue;
    if (status == "C;" || status == "S;") out[number(letter)] = number(image);
  }
  return out;
}

TEST(KeyText, FoldsEveryCodePointAsUnicodeDoes) {
  const auto known = simple_foldings();
  ASSERT_GT(known.size(), 1400U);
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    const auto found = known.find(c);
    ASSERT_EQ(folded(c), found == known.end() ? c : found->second) << std::hex << c;
  }
}

TEST(KeyText, FoldsWords) {
  EXPECT_EQ(folded_text("Hello, World 42!"), "hello, world 42!");
  EXPECT_EQ(folded_text("\xC3\x85NGSTR\xC3\x96M"), "\xC3\xA5ngstr\xC3\xB6m");
  EXPECT_EQ(folded_text("\xCE\xA3\xCE\x8A\xCE\xA3\xCF\x85\xCF\x86\xCE\xBF\xCF\x82"),
            "\xCF\x83\xCE\xAF\xCF\x83\xCF\x85\xCF\x86\xCE\xBF\xCF\x83")
      << "a final sigma is a sigma";
  EXPECT_EQ(folded_text("\xC8\xBA"), "\xE2\xB1\xA5") << "two bytes become three";
  EXPECT_EQ(folded_text("\xE1\xBA\x9E"), "\xC3\x9F") << "the capital sharp s; never ss";
  EXPECT_EQ(folded_text("\xF0\x90\x90\x80"), "\xF0\x90\x90\xA8") << "four bytes";
  EXPECT_EQ(folded_text("\xC4\xB0"), "\xC4\xB0") << "a dotted capital I has no simple folding";
}

TEST(KeyText, KeepsBytesThatAreNotUtf8) {
  for (const std::string_view bytes : {"\x80", "\xC3", "\xC0\x81", "\xE0\x80\x80", "\xED\xA0\x80",
                                       "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(folded_text(bytes), bytes);
    EXPECT_EQ(folded_text(std::string("A") + std::string(bytes) + "B"),
              "a" + std::string(bytes) + "b");
  }
}

RC_GTEST_PROP(KeyText, FoldingTwiceIsFoldingOnce, (const std::string& bytes)) {
  const std::string once = folded_text(bytes);
  RC_ASSERT(folded_text(once) == once);
}

TEST(KeyText, TrimsWhiteSpaceOfUnicode) {
  // The 25 code points that have the property White_Space.
  for (const std::string_view space : {"\t",           "\n",           "\v",
                                       "\f",           "\r",           " ",
                                       "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80",
                                       "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
                                       "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85",
                                       "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
                                       "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
                                       "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F",
                                       "\xE3\x80\x80"}) {
    const std::string s(space);
    EXPECT_EQ(trimmed(s + "a" + s + "b" + s + " " + s), "a" + s + "b");
    EXPECT_EQ(trimmed(s + s), "");
  }
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xE2\x80\x8B"
                    "a"),
            "\xE2\x80\x8B"
            "a")
      << "a zero-width space is no white space";
  EXPECT_EQ(trimmed("\xA0x\x85"), "\xA0x\x85") << "Latin-1 is not UTF-8";
}

TEST(KeyText, PreparesAsTheRecipeSays) {
  std::string room;
  EXPECT_EQ(prepared(" A ", {}, room), " A ");
  EXPECT_EQ(prepared(" A ", {.type = key_type::string, .trimmed = true}, room), "A");
  EXPECT_EQ(prepared(" A ", {.type = key_type::string, .case_folded = true}, room), " a ");
  EXPECT_EQ(prepared(" A ", {.type = key_type::string, .trimmed = true, .case_folded = true}, room),
            "a");
}

}  // namespace
}  // namespace umbel::key_text_test
