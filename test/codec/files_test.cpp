// files_test.cpp - save, load and open: a save is complete or has no effect, leaves no other file,
// and errors name the path.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include <umbel/umbel.hpp>

#include "support/child.hpp"
#include "support/file_image.hpp"
#include "support/fuse_keys.hpp"
#include "support/temp_dir.hpp"

namespace files_test {
namespace {

using namespace fuse_test;
using umbel::binary_fuse_filter;
using umbel::test::in_child;
using umbel::test::success;
using umbel::test::temp_dir;
namespace fs = std::filesystem;

binary_fuse_filter filter_of(std::uint64_t n, std::uint64_t seed) {
  return binary_fuse_filter::build(digests(n, seed), {.fpr = 1.0 / 256});
}
std::size_t files_in(const temp_dir& here) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(here.path()), fs::directory_iterator()));
}
template <class Work>
std::string io_error_of(Work&& work) {
  try {
    work();
  } catch (const umbel::io_error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no io_error";
  return {};
}

TEST(Files, SaveReplacesTheWholeFile) {
  const temp_dir here;
  const auto first = filter_of(1000, 1), second = filter_of(50, 2);
  umbel::save(first, here.file("f"));
  EXPECT_EQ(umbel::load<binary_fuse_filter>(here.file("f")), first);
  umbel::save(second, here.file("f"));
  EXPECT_EQ(umbel::load<binary_fuse_filter>(here.file("f")), second);
  EXPECT_EQ(files_in(here), 1U);
}

TEST(Files, AnOpenedFileOutlivesItsReplacement) {
  const temp_dir here;
  const auto first = filter_of(1000, 1);
  umbel::save(first, here.file("f"));
  const auto opened = umbel::open<binary_fuse_filter>(here.file("f"));
  umbel::save(filter_of(50, 2), here.file("f"));
  EXPECT_EQ(*opened, first);
  fs::remove(here.file("f"));
  for (const auto& d : digests(1000, 1)) ASSERT_TRUE(opened->may_contain(d));
}

TEST(Files, ACopyOutlivesTheMapping) {
  const temp_dir here;
  const auto first = filter_of(1000, 1);
  umbel::save(first, here.file("f"));
  const auto copy = [&] {
    const auto opened = umbel::open<binary_fuse_filter>(here.file("f"));
    return binary_fuse_filter(*opened);
  }();
  EXPECT_EQ(copy, first);
}

TEST(Files, NewFilesFollowTheUmask) {
  const temp_dir here;
  const auto ended = in_child(10, [&] {
    ::umask(027);
    umbel::save(filter_of(10, 1), here.file("f"));
    struct stat facts {};
    return ::stat((here.file("f")).c_str(), &facts) == 0 && (facts.st_mode & 0777) == 0640 ? 0 : 1;
  });
  EXPECT_EQ(ended, success);
}

TEST(Files, AFailedSaveLeavesTheOldFile) {
  const temp_dir here;
  const auto old = filter_of(100, 1);
  umbel::save(old, here.file("f"));
  const auto ended = in_child(20, [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 3;
    try {
      umbel::save(filter_of(100'000, 2), here.file("f"));
    } catch (const umbel::io_error&) {
      return 0;
    }
    return 1;
  });
  EXPECT_EQ(ended, success);
  EXPECT_EQ(umbel::load<binary_fuse_filter>(here.file("f")), old);
  EXPECT_EQ(files_in(here), 1U);
}

TEST(Files, ErrorsNameThePath) {
  const temp_dir here;
  const auto filter = filter_of(10, 1);
  const std::string missing = here.file("missing"), nowhere = here.file("no/such/folder");
  EXPECT_THAT(io_error_of([&] { (void)umbel::load<binary_fuse_filter>(missing); }),
              testing::HasSubstr(missing));
  EXPECT_THAT(io_error_of([&] { (void)umbel::open<binary_fuse_filter>(missing); }),
              testing::HasSubstr(missing));
  EXPECT_THAT(io_error_of([&] { umbel::save(filter, nowhere); }), testing::HasSubstr(nowhere));
  EXPECT_THAT(io_error_of([&] { umbel::save(filter, here.path()); }),
              testing::HasSubstr(here.path()));
  EXPECT_THAT(io_error_of([&] { (void)umbel::load<binary_fuse_filter>(here.path()); }),
              testing::HasSubstr(here.path()));
  EXPECT_TRUE(here.names().empty());
}

TEST(Files, WhatIsNotAFilterIsRefused) {
  const temp_dir here;
  for (const std::size_t size : {0U, 1U, 5U, 127U, 128U, 5000U}) {
    std::ofstream(here.file("f"), std::ios::binary) << std::string(size, 'x');
    EXPECT_THROW((void)umbel::load<binary_fuse_filter>(here.file("f")), umbel::corrupt) << size;
    EXPECT_THROW((void)umbel::open<binary_fuse_filter>(here.file("f")), umbel::corrupt) << size;
  }
}

TEST(Files, LoadVerifiesCellsAndOpenDoesNot) {
  const temp_dir here;
  const auto filter = filter_of(1000, 1);
  auto file = umbel::encode(filter);
  file[file.size() - 200] ^= std::byte{1};
  std::ofstream(here.file("f"), std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  EXPECT_THROW((void)umbel::load<binary_fuse_filter>(here.file("f")), umbel::corrupt);
  const auto opened = umbel::open<binary_fuse_filter>(here.file("f"));
  std::size_t forgotten = 0;
  for (const auto& d : digests(1000, 1)) forgotten += !opened->may_contain(d);
  EXPECT_LE(forgotten, 20U);  // the keys of one cell
}

// Sizes whose product is 2^64 and wraps to 0: 2^27 shards of 2^31 cells of 64 bits. In a child
// process, because a reader that accepts them reads far out of bounds.
struct forged_fuse {
  static constexpr std::string_view kind = binary_fuse_filter::kind;
  static constexpr std::uint32_t format_version = binary_fuse_filter::format_version;
  umbel::hasher hash;
  std::uint64_t keys = 1, width = 64, shard_bits = 27, length_bits = 20, segments = (1 << 11) - 2;
  umbel::cells::words<std::uint8_t> attempts{std::size_t{1} << 27};
  umbel::cells::words<> cells{std::size_t{1}};
  static void fields(auto& self, auto&& field) {
    field("keys", self.keys), field("width", self.width), field("shard_bits", self.shard_bits);
    field("length_bits", self.length_bits), field("segments", self.segments);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash);
    part.fields("fuse", self);
    part.array("attempts", self.attempts);
    part.array("cells", self.cells);
  }
};
TEST(Files, SizesWhoseProductWrapsAreRefused) {
  const auto ended = in_child(60, [] {
    const auto file = umbel::encode(forged_fuse());
    try {
      const auto filter = umbel::decode<binary_fuse_filter>(file);
      int hits = 0;
      for (std::uint64_t i = 0; i < 100; ++i) hits += filter.may_contain(digest_of(i, 1));
      return 1 + (hits > 50);
    } catch (const umbel::corrupt&) {
      return 0;
    }
  });
  EXPECT_EQ(ended, success) << "1, 2: accepted; 139: accepted, and then read outside";
}

}  // namespace
}  // namespace files_test
