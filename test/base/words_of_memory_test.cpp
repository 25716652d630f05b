// words_of_memory_test.cpp - little-endian words at any address, and the error types with their
// base class.
#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <gtest/gtest.h>

namespace umbel::words_of_memory_test {
namespace {

TEST(Endian, ReadsTheLowByteFirstAtAnyAddress) {
  std::array<unsigned char, 16> bytes{};
  for (unsigned i = 0; i < 16; ++i) bytes[i] = static_cast<unsigned char>(i + 1);
  for (unsigned at = 0; at <= 8; ++at) {
    std::uint64_t expected = 0;
    for (unsigned i = 0; i < 8; ++i) expected |= std::uint64_t{bytes[at + i]} << (8 * i);
    EXPECT_EQ(detail::load_le<std::uint64_t>(bytes.data() + at), expected);
  }
  EXPECT_EQ(detail::load_le<std::uint16_t>(bytes.data() + 1), 0x0302);
  detail::store_le<std::uint32_t>(bytes.data() + 3, 0xa1b2c3d4);
  EXPECT_EQ(bytes[3], 0xd4);
  EXPECT_EQ(bytes[6], 0xa1);
  EXPECT_EQ(bytes[7], 8) << "only four bytes were to be written";
  EXPECT_EQ(detail::load_le<std::uint32_t>(bytes.data() + 3), 0xa1b2c3d4);
}

template <class Kind>
class Errors : public ::testing::Test {};
using kinds =
    ::testing::Types<bad_parameter, full, incompatible, conflict, unsolvable, corrupt, io_error>;
TYPED_TEST_SUITE(Errors, kinds);

TYPED_TEST(Errors, AreCaughtByTheOneBaseWithTheirMessage) {
  static_assert(std::is_base_of_v<std::runtime_error, error>);
  try {
    throw TypeParam("field: expected this, found that");
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "field: expected this, found that");
  }
}

}  // namespace
}  // namespace umbel::words_of_memory_test
