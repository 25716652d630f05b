// pilots_test.cpp - pilots come back from bytes and from codes, whatever their sizes, in one part
// or several.
#include <vector>

#include <gtest/gtest.h>

#include <umbel/base/integers.hpp>
#include <umbel/cells/pilots.hpp>

namespace umbel::test {
namespace pilots_test {
namespace {

template <class Pilots>
void expect_back(const std::vector<std::uint32_t>& given, std::uint64_t buckets) {
  const Pilots made(given, buckets, nullptr);
  const auto read = made.read();
  for (std::uint64_t i = 0; i < given.size(); ++i) {
    const std::uint64_t part = i / buckets;
    const auto spot = read.at(part, part * buckets, i % buckets);
    read.prefetch(spot);
    ASSERT_EQ(read.get(spot), given[i]) << i;
  }
}

TEST(Pilots, ComeBack) {
  for (const std::uint64_t buckets : {1U, 2U, 63U, 64U, 65U, 1000U, 4097U})
    for (const std::uint64_t parts : {1U, 2U, 8U}) {
      std::vector<std::uint32_t> bytes, any;
      for (std::uint64_t i = 0; i < buckets * parts; ++i) {
        const std::uint64_t word = detail::remix(buckets, i);
        bytes.push_back(static_cast<std::uint32_t>(word % 256));
        // few large, most small
        any.push_back(static_cast<std::uint32_t>(word >> 40 >> word % 24));
      }
      expect_back<cells::byte_pilots>(bytes, buckets);
      expect_back<cells::coded_pilots>(bytes, buckets);
      expect_back<cells::coded_pilots>(any, buckets);
      expect_back<cells::coded_pilots>(std::vector<std::uint32_t>(any.size()), buckets);
    }
}

}  // namespace
}  // namespace pilots_test
}  // namespace umbel::test
