// write_faults.cpp - saves that fail: no space, an input/output error or a short write at the n-th
// system call, for every n. The old file is intact, no other file is left, and the error reports
// the cause.
#include <cerrno>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>

#include "support/child.hpp"
#include "support/faults.hpp"
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class WriteFaults : public kind_test {
 protected:
  void SetUp() override { old_->save(path_); }
  // A save that may fail: the target is the whole old file or the whole new one, and no other file
  // is there.
  ::testing::AssertionResult tried(const std::string& what, bool must_fail) {
    bool failed = false;
    std::string said;
    try {
      new_->save(path_);
    } catch (const io_error& refused) {
      failed = true;
      said = refused.what();
    }
    if (dir_.names() != std::set<std::string>{"x"})
      return ::testing::AssertionFailure() << what << ": left something";
    const auto now = bytes_of(path_);
    if (now != (failed ? old_ : new_)->encode())
      return ::testing::AssertionFailure() << what << ": neither the old file nor the new one";
    if (must_fail && !failed) return ::testing::AssertionFailure() << what << ": went unnoticed";
    if (failed && said.find("x") == std::string::npos)
      return ::testing::AssertionFailure() << what << ": " << said;
    old_->save(path_);
    return ::testing::AssertionSuccess();
  }

  temp_dir dir_;
  const std::string path_ = dir_.file("x");
  const structure_ptr old_ = build(members(200, 1)), new_ = build(members(300, 2));
};

TEST_P(WriteFaults, AnErrorAtEveryCall) {
  for (const int code : {EIO, ENOSPC, EDQUOT, EROFS}) {
    std::set<std::string> seen;
    for (int nth = 1; nth < 100; ++nth) {
      old_->save(path_);
      fault order(nth, fault::kind::error, code);
      bool failed = false;
      try {
        new_->save(path_);
      } catch (const io_error& refused) {
        failed = true;
        EXPECT_NE(std::string(refused.what()).find(std::strerror(code)), std::string::npos)
            << refused.what();
      }
      if (!order.happened()) break;
      seen.insert(order.call());
      SCOPED_TRACE("call " + std::to_string(nth) + ", " + order.call());
      // After the rename the new file is in place; failing to sync its folder is not an error.
      const auto now = bytes_of(path_);
      ASSERT_EQ(now, (failed ? old_ : new_)->encode());
      ASSERT_EQ(dir_.names(), std::set<std::string>{"x"});
      if (order.call() == "mkstemp" || order.call() == "write" || order.call() == "rename") {
        ASSERT_TRUE(failed);
      }
    }
    EXPECT_TRUE(seen.contains("mkstemp") && seen.contains("write") && seen.contains("fsync") &&
                seen.contains("close") && seen.contains("rename"));
  }
}

// A sync or close that fails before the rename may lose bytes: the first of each must be detected.
TEST_P(WriteFaults, AFailedSyncOrCloseIsNotIgnored) {
  std::set<std::string> first;
  for (int nth = 1; nth < 100; ++nth) {
    bool failed = false;
    std::string call;
    {
      fault order(nth, fault::kind::error, EIO);
      try {
        new_->save(path_);
      } catch (const io_error&) {
        failed = true;
      }
      if (!order.happened()) break;
      call = order.call();
    }
    if (first.insert(call).second && (call == "fsync" || call == "close")) {
      EXPECT_TRUE(failed) << call;
    }
    old_->save(path_);
  }
  EXPECT_TRUE(first.contains("fsync") && first.contains("close"));
}

TEST_P(WriteFaults, ShortWritesAndInterruptionsAreContinued) {
  for (const auto how : {fault::kind::short_count, fault::kind::interruption}) {
    for (int nth = 1; nth < 100; ++nth) {
      fault order(nth, how);
      ASSERT_TRUE(tried("call " + std::to_string(nth), false));
      if (!order.happened()) break;
    }
    EXPECT_NO_THROW(new_->save(path_));
  }
}

// The system's own refusal: a limit on file sizes, at every size from nothing to one byte too few.
TEST_P(WriteFaults, NoRoomForTheLastBytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  const std::size_t size = new_->encode().size(), step = small() ? 61 : 7;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  for (std::size_t room = 0; room < size; room += room + step < size ? step : 1) {
    const rlimit limit{room, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool failed = false;
    try {
      new_->save(path_);
    } catch (const io_error&) {
      failed = true;
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_TRUE(failed) << room;
    ASSERT_EQ(dir_.names(), std::set<std::string>{"x"}) << room;
    ASSERT_EQ(bytes_of(path_), old_->encode()) << room;
  }
}

UMBEL_EVERY_KIND(WriteFaults);

// A full file system of 48 KiB, mounted where only a child process can see it.
TEST(FullDisk, KeepsTheOldFile) {
  const temp_dir dir;
  const ending end =
      // Every kind, the large ones once; a few kinds under the sanitizers, which would find no more
      // in the others.
      in_child(100, [&] {
        if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
        if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=48k") != 0) return 77;
        for (std::size_t i = 0; i < any::kinds().size(); i += small_or(6, 1)) {
          const any::kind* const kind = any::kinds()[i];
          const auto small_one = built(*kind, members(100, 3), {.fpr = 0.01});
          const auto large_one = built(*kind, members(200'000, 3), {.fpr = 0.01});
          small_one->save(dir.file("x"));
          try {
            large_one->save(dir.file("x"));
            return 1;
          } catch (const io_error&) {
          }
          if (dir.names() != std::set<std::string>{"x"}) return 2;
          if (!any::load(dir.file("x"))->equals(*small_one)) return 3;
        }
        return 0;
      });
  if (end == ending{77, 0}) GTEST_SKIP() << "not allowed to mount a file system here";
  EXPECT_EQ(end, success);
}

}  // namespace
}  // namespace umbel::test
