// long_keys_test.cpp - keys longer than 2 GiB and 4 GiB: no length is cut to 31 or 32 bits.
#include <sys/mman.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/hash/hasher.hpp>
#include <umbel/set/binary_fuse_filter.hpp>

#include "support/environment.hpp"

namespace umbel::long_keys_test {
namespace {

// The pages are never written, so they take no memory.
TEST(LongKeys, BeyondTwoGiB) {
  if (test::small()) GTEST_SKIP() << "hashes 13 GB: full-size runs only";
  constexpr std::size_t most = (std::size_t{1} << 32) + 5;
  void* const pages =
      ::mmap(nullptr, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  (void)::madvise(pages, most, MADV_HUGEPAGE);
  const auto zeros = [&](std::size_t size) {
    return std::string_view(static_cast<const char*>(pages), size);
  };
  const hasher hash;
  const auto long_key = hash(zeros(most));
  EXPECT_NE(long_key, hash(zeros(most & 0xFFFFFFFF)));
  EXPECT_NE(long_key, hash(zeros(most - 1)));
  EXPECT_NE(hash(zeros((std::size_t{1} << 31) + 1)), hash(zeros(1)));
  const std::vector<std::string_view> keys{zeros(most), zeros(5), zeros(0)};
  const auto filter = binary_fuse_filter::build(keys, {.fpr = 1e-6});
  EXPECT_TRUE(filter.may_contain(zeros(most)));
  EXPECT_FALSE(filter.may_contain(zeros(6)));
  ::munmap(pages, most);
}

}  // namespace
}  // namespace umbel::long_keys_test
