// system_test.cpp - wrappers of system calls: short counts, interruptions, failures; and files
// without a name.
#include <umbel/base/scratch_file.hpp>
#include <umbel/base/system.hpp>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_dir.hpp"

namespace umbel::detail::system_test {
namespace {

TEST(MoveAll, GoesOnAfterShortCountsAndInterruptions) {
  std::vector<std::size_t> asked;
  int calls = 0;
  EXPECT_TRUE(move_all(10, "move", "here", [&](std::size_t done) -> ssize_t {
    asked.push_back(done);
    if (++calls == 2) return errno = EINTR, -1;
    return 3;
  }));
  EXPECT_EQ(asked, (std::vector<std::size_t>{0, 3, 3, 6, 9}));
}

TEST(MoveAll, SaysWhenTheFileEnds) {
  EXPECT_FALSE(
      move_all(10, "move", "here", [](std::size_t done) -> ssize_t { return done < 6 ? 3 : 0; }));
}

TEST(MoveAll, FailuresNameOperationPathAndReason) {
  try {
    (void)move_all(10, "cannot move", "/some/where",
                   [](std::size_t) -> ssize_t { return errno = ENOSPC, -1; });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const io_error& e) {
    EXPECT_STREQ(e.what(), "cannot move /some/where: No space left on device");
  }
}

TEST(Descriptor, ClosesItselfOnce) {
  int raw = -1;
  {
    descriptor a(::dup(0));
    raw = a.get();
    ASSERT_GE(raw, 0);
    descriptor b = std::move(a);
    EXPECT_EQ(b.get(), raw);
    EXPECT_EQ(a.get(), -1);  // NOLINT(bugprone-use-after-move): promised to be empty
    EXPECT_GE(::fcntl(raw, F_GETFD), 0);
  }
  EXPECT_EQ(::fcntl(raw, F_GETFD), -1) << "still open";
}

class ScratchFile : public ::testing::Test {
 protected:
  test::temp_dir folder_;
};

TEST_F(ScratchFile, HasNoNameAndKeepsWhatItIsGiven) {
  scratch_file file(folder_.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "it should have lost its name";
  EXPECT_EQ(file.append("hello", 5), 0U);
  EXPECT_EQ(file.append(" world", 6), 5U);
  EXPECT_EQ(file.append("", 0), 11U);
  char back[6] = {};
  file.read(back, 5, 6);
  EXPECT_STREQ(back, "world");
  EXPECT_THROW(file.read(back, 5, 7), io_error) << "past the end";
}

TEST_F(ScratchFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_THROW(scratch_file(folder_.file("missing")), io_error);
}

TEST_F(ScratchFile, ObeysTMPDIR) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ASSERT_EQ(::setenv("TMPDIR", folder_.file("missing").c_str(), 1), 0);
  EXPECT_THROW(scratch_file(""), io_error);
  ASSERT_EQ(::setenv("TMPDIR", folder_.path().c_str(), 1), 0);
  EXPECT_NO_THROW(scratch_file(""));
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace umbel::detail::system_test
