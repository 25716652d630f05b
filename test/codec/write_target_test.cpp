// write_target_test.cpp - a replaced file keeps its permissions, and links to it stay links.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/write_target.hpp>

#include "support/child.hpp"
#include "support/temp_dir.hpp"

namespace write_target_test {
namespace {

using umbel::codec::write_target;
using umbel::test::bytes_of;
using umbel::test::in_child;
using umbel::test::success;
using umbel::test::temp_dir;
using umbel::test::write_bytes;
namespace fs = std::filesystem;

void replace(const std::string& path, std::string_view text) {
  umbel::codec::atomic_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}
std::string text_of(const std::string& path) {
  const auto bytes = bytes_of(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
struct stat facts_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts;
}

TEST(WriteTarget, KeepsTheMode) {
  const temp_dir dir;
  for (const mode_t mode : {0600, 0640, 0644, 0666, 0400, 0755}) {
    write_bytes(dir.file("f"), {});
    ASSERT_EQ(::chmod(dir.file("f").c_str(), mode), 0);
    replace(dir.file("f"), "new");
    EXPECT_EQ(facts_of(dir.file("f")).st_mode & 07777U, mode);
    EXPECT_EQ(text_of(dir.file("f")), "new");
    fs::remove(dir.file("f"));
  }
}

TEST(WriteTarget, IsNeverReadableByMoreThanTheOldFile) {
  const temp_dir dir;
  write_bytes(dir.file("f"), {});
  ASSERT_EQ(::chmod(dir.file("f").c_str(), 0600), 0);
  umbel::codec::atomic_file file(dir.file("f"));
  for (const std::string& name : dir.names()) {
    EXPECT_EQ(facts_of(dir.file(name)).st_mode & 0777U, 0600U) << name;
  }
}

TEST(WriteTarget, KeepsOwnerAndGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const temp_dir dir;
  write_bytes(dir.file("f"), {});
  ASSERT_EQ(::chown(dir.file("f").c_str(), 1234, 5678), 0);
  ASSERT_EQ(::chmod(dir.file("f").c_str(), 0640), 0);
  replace(dir.file("f"), "new");
  const struct stat now = facts_of(dir.file("f"));
  EXPECT_EQ(now.st_uid, 1234U);
  EXPECT_EQ(now.st_gid, 5678U);
  EXPECT_EQ(now.st_mode & 0777U, 0640U);
}

TEST(WriteTarget, AnotherGroupGetsNoMoreRightsThanOthersHad) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const temp_dir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  using modes = std::pair<mode_t, mode_t>;
  for (const auto& [mode, becomes] : {modes{0660, 0600}, modes{0664, 0644}, modes{0606, 0606}}) {
    write_bytes(dir.file("f"), {});
    ASSERT_EQ(::chmod(dir.file("f").c_str(), mode), 0);
    EXPECT_EQ(in_child(
                  30,
                  [&] {
      constexpr uid_t nobody = 65534;
      if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 97;
      replace(dir.file("f"), "new");
      return 0;
                  }),
              success);
    EXPECT_EQ(facts_of(dir.file("f")).st_mode & 0777U, becomes);
    fs::remove(dir.file("f"));
  }
}

TEST(WriteTarget, FollowsLinks) {
  const temp_dir dir;
  fs::create_directory(dir.file("d"));
  write_bytes(dir.file("d/f"), {});
  fs::create_symlink("d/f", dir.file("relative"));
  fs::create_symlink("../relative", dir.file("d/twice"));
  fs::create_symlink(dir.file("d/twice"), dir.file("absolute"));
  for (const char* const name : {"relative", "d/twice", "absolute"}) {
    replace(dir.file(name), name);
    EXPECT_TRUE(fs::is_symlink(dir.file(name)));
    EXPECT_EQ(text_of(dir.file("d/f")), name);
  }
  EXPECT_FALSE(fs::is_symlink(dir.file("d/f")));
  EXPECT_EQ(dir.names(), (std::set<std::string>{"absolute", "d", "relative"}));
}

TEST(WriteTarget, FollowsLinksFromTheWorkingFolder) {
  const temp_dir dir;
  EXPECT_EQ(in_child(
                30,
                [&] {
    if (::chdir(dir.path().c_str()) != 0) return 97;
    fs::create_symlink("f", "link");
    replace("link", "new");
    return fs::is_symlink("link") && text_of("f") == "new" ? 0 : 1;
                }),
            success);
}

TEST(WriteTarget, CreatesTheTargetOfALink) {
  const temp_dir dir;
  fs::create_directory(dir.file("d"));
  fs::create_symlink("d/f", dir.file("link"));
  replace(dir.file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(dir.file("link")));
  EXPECT_EQ(text_of(dir.file("d/f")), "new");
}

TEST(WriteTarget, RefusesLinksThatLeadNowhere) {
  const temp_dir dir;
  fs::create_symlink("loop", dir.file("loop"));
  fs::create_symlink("missing/f", dir.file("lost"));
  fs::create_symlink(".", dir.file("folder"));
  for (const char* const name : {"loop", "lost", "folder"})
    EXPECT_THROW(replace(dir.file(name), "new"), umbel::io_error) << name;
  EXPECT_EQ(dir.names(), (std::set<std::string>{"folder", "loop", "lost"}));
}

// The text of a link in /proc/self/fd is "name (deleted)" once the file has no name.
TEST(WriteTarget, RefusesAFileWithoutAName) {
  const temp_dir dir;
  const umbel::detail::descriptor file(::open(dir.file("f").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_GE(file.get(), 0);
  fs::remove(dir.file("f"));
  EXPECT_THROW(replace("/proc/self/fd/" + std::to_string(file.get()), "new"), umbel::io_error);
  EXPECT_TRUE(dir.names().empty());
}

// A link that another user left in a world-writable folder is not followed where the kernel does
// not follow it.
TEST(WriteTarget, HonoursProtectedLinks) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const temp_dir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 01777), 0);
  const temp_dir own;
  write_bytes(own.file("precious"), {});
  fs::create_symlink(own.file("precious"), dir.file("trap"));
  ASSERT_EQ(::lchown(dir.file("trap").c_str(), 65534, 65534), 0);
  struct stat facts {};
  if (::stat(dir.file("trap").c_str(), &facts) == 0) GTEST_SKIP() << "fs.protected_symlinks is off";
  EXPECT_THROW(replace(dir.file("trap"), "new"), umbel::io_error);
  EXPECT_EQ(text_of(own.file("precious")), "");
}

}  // namespace
}  // namespace write_target_test
