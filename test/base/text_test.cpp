// text_test.cpp - text of messages: words unchanged, integers in full, decimals that read back
// exactly.
#include <umbel/base/text.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/rapidcheck_seeded.hpp"

namespace umbel::detail::text_test {
namespace {

using namespace std::string_literals;

TEST(Text, JoinsWordsOfEveryKind) {
  const char* const pointer = "three";
  EXPECT_EQ(text("one", " two "s, std::string_view(pointer), pointer), "one two threethree");
  EXPECT_EQ(text(), "");
  EXPECT_EQ(text("with\0nul"s), "with\0nul"s);
}

TEST(Text, WritesIntegersInFull) {
  EXPECT_EQ(text(0, " ", -1), "0 -1");
  EXPECT_EQ(text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text(std::uint8_t{65}), "65");
  EXPECT_EQ(text(std::size_t{7}, "/", 8U, "/", short{-9}), "7/8/-9");
}

TEST(Text, WritesTheShortestDecimalThatReadsBack) {
  EXPECT_EQ(text(0.01), "0.01");
  EXPECT_EQ(text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(text(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
  EXPECT_EQ(text(std::nan("")), "nan");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-inf");
}

RC_GTEST_PROP(Text, DecimalsReadBackExactly, (double x)) {
  RC_ASSERT(std::strtod(text(x).c_str(), nullptr) == x);
}

}  // namespace
}  // namespace umbel::detail::text_test
