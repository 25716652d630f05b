// file_lock_test.cpp - one process at a time changes a file, even if lock holders are killed.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <umbel/codec/atomic_file.hpp>
#include <umbel/codec/file_lock.hpp>

#include "support/child.hpp"
#include "support/temp_dir.hpp"

namespace file_lock_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using umbel::codec::busy;
using umbel::codec::file_lock;
using umbel::test::bytes_of;
using umbel::test::in_child;
using umbel::test::success;
using umbel::test::temp_dir;
using umbel::test::write_bytes;
namespace fs = std::filesystem;

void write_text(const std::string& path, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  write_bytes(path, bytes);
}
std::string text_of(const std::string& path) {
  const auto bytes = bytes_of(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
void replace(const std::string& path, std::string_view text) {
  umbel::codec::atomic_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}
// What `busy` says, or "free".
std::string said_of(const std::string& path) {
  try {
    const file_lock lock(path, file_lock::when_busy::fail);
    return "free";
  } catch (const busy& e) {
    return e.what();
  }
}
// A read, a change and a write back, with time for other processes in between.
void count_up(const std::string& path) {
  const file_lock lock(path);
  const int number = std::stoi(text_of(path));
  std::this_thread::sleep_for(1ms);
  replace(path, std::to_string(number + 1));
}

// A process that runs `work` and reports its progress through a pipe.
class process {
 public:
  using teller = std::function<void()>;
  explicit process(const std::function<void(const teller& tell)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    id_ = ::fork();
    if (id_ == 0) {
      ::alarm(60);
      int code = 0;
      try {
        work([&] { [[maybe_unused]] const auto told = ::write(ends[1], "!", 1); });
      } catch (const std::exception& failed) {
        std::fprintf(stderr, "in the process: %s\n", failed.what());
        code = 99;
      }
      ::_exit(code);
    }
    ::close(ends[1]);
    told_ = ends[0];
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process() {
    if (id_ > 0) end(SIGKILL);
    ::close(told_);
  }

  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] bool hears() const {
    char one = 0;
    return ::read(told_, &one, 1) == 1;
  }
  // Sends a signal, if it is not 0; returns the exit code, or minus the signal that ended it.
  int end(int signal = 0) {
    if (signal != 0) ::kill(id_, signal);
    int status = 0;
    EXPECT_EQ(::waitpid(id_, &status, 0), id_);
    id_ = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t id_ = -1;
  int told_ = -1;
};

class FileLock : public testing::Test {
 protected:
  FileLock() { write_text(path_, "0"); }
  [[nodiscard]] bool waits(pid_t id) const {  // in flock, not before it
    std::ifstream in("/proc/" + std::to_string(id) + "/syscall");
    long number = -1;
    in >> number;
    return number == SYS_flock;
  }
  // Until that process is blocked in flock(2), at most ten seconds.
  void await_waiting(pid_t id) const {
    for (int i = 0; i < 1000 && !waits(id); ++i) std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(waits(id)) << "the process never waited for the lock";
  }

  temp_dir dir_;
  const std::string path_ = dir_.file("f"), beside_ = path_ + ".umbel-lock";
};

TEST_F(FileLock, IsGoneWhenItIsReleased) {
  {
    const file_lock lock(path_);
    EXPECT_EQ(lock.path(), beside_);
    EXPECT_EQ(dir_.names(), (std::set<std::string>{"f", "f.umbel-lock"}));
  }
  EXPECT_EQ(dir_.names(), std::set<std::string>{"f"});
}

TEST_F(FileLock, NamesItsHolder) {
  const file_lock lock(path_);
  const std::string said = said_of(path_);
  EXPECT_THAT(said, HasSubstr(path_));
  EXPECT_THAT(said, HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(said, HasSubstr("test_codec"));
}

TEST_F(FileLock, NeverShowsControlCharacters) {
  const file_lock lock(path_);
  write_text(beside_, "1\x1b[2J\n\nx\x07\x7fy\n");
  EXPECT_THAT(said_of(path_), HasSubstr("1?[2J"));
  EXPECT_THAT(said_of(path_), HasSubstr("(x??y)"));
}

TEST_F(FileLock, CanBeMoved) {
  std::optional<file_lock> kept;
  {
    file_lock first(path_);
    kept.emplace(std::move(first));
  }
  EXPECT_NE(said_of(path_), "free");
  kept.reset();
  EXPECT_EQ(said_of(path_), "free");
}

TEST_F(FileLock, CanBeTakenBeforeTheFileExists) {
  const file_lock lock(dir_.file("new"));
  EXPECT_NE(said_of(dir_.file("new")), "free");
  replace(dir_.file("new"), "1");
  EXPECT_NE(said_of(dir_.file("new")), "free");
}

TEST_F(FileLock, TwentyProcessesLoseNoChange) {
  constexpr int processes = 20, changes = 10;
  std::vector<std::unique_ptr<process>> all;
  for (int i = 0; i < processes; ++i)
    all.push_back(std::make_unique<process>([&](const auto&) {
      for (int n = 0; n < changes; ++n) count_up(path_);
    }));
  for (const auto& one : all) EXPECT_EQ(one->end(), 0);
  EXPECT_EQ(text_of(path_), std::to_string(processes * changes));
  EXPECT_EQ(dir_.names(), std::set<std::string>{"f"});
}

TEST_F(FileLock, ThreadsExcludeEachOther) {
  constexpr int threads = 8, changes = 20;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        for (int n = 0; n < changes; ++n) count_up(path_);
      });
  }
  EXPECT_EQ(text_of(path_), std::to_string(threads * changes));
}

// While processes are killed at random moments, others continue, and no counted change is lost.
TEST_F(FileLock, AKilledHolderLetsTheNextOneIn) {
  constexpr int rounds = 60;
  std::mt19937_64 random(20);
  int least = 0;
  for (int round = 0; round < rounds; ++round) {
    process victim([&](const auto& tell) {
      for (bool first = true;; first = false) {
        const file_lock lock(path_);
        if (first) tell();
        replace(path_, std::to_string(std::stoi(text_of(path_)) + 1));
      }
    });
    ASSERT_TRUE(victim.hears());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    EXPECT_EQ(victim.end(SIGKILL), -SIGKILL);
    const int before = std::stoi(text_of(path_));
    EXPECT_GE(before, least);
    count_up(path_);  // would wait for ever if the dead held it
    least = before + 1;
    EXPECT_EQ(text_of(path_), std::to_string(least));
    EXPECT_FALSE(fs::exists(beside_)) << "what the dead left is removed by the next";
    for (const std::string& name : dir_.names())  // half-written files of the dead
      if (name != "f") fs::remove(dir_.file(name));
  }
}

TEST_F(FileLock, AKilledHolderIsNotNamed) {
  process victim([&](const auto& tell) {
    const file_lock lock(path_);
    tell();
    ::pause();
  });
  ASSERT_TRUE(victim.hears());
  EXPECT_THAT(said_of(path_), HasSubstr("process " + std::to_string(victim.id())));
  const std::string dead = std::to_string(victim.id());
  victim.end(SIGKILL);
  EXPECT_THAT(text_of(beside_), HasSubstr(dead));  // its lock file stays, but no process holds it
  const file_lock lock(path_);
  EXPECT_THAT(said_of(path_), HasSubstr("process " + std::to_string(::getpid())));
}

// The second process waits on a lock file that the first removes when it is done.
TEST_F(FileLock, AWaiterWhoseLockFileIsReleasedStartsAgain) {
  std::optional<file_lock> first(path_);
  process second([&](const auto& tell) {
    const file_lock lock(path_);
    tell();
    ::pause();
  });
  await_waiting(second.id());
  first.reset();
  ASSERT_TRUE(second.hears());
  EXPECT_THAT(said_of(path_), HasSubstr("process " + std::to_string(second.id())));
  EXPECT_TRUE(fs::exists(beside_)) << "the second holds one that others can find";
  second.end(SIGKILL);
}

// The lock file is removed while one process holds it and another waits for it. A third process
// finds no lock file, makes one, and must still wait.
TEST_F(FileLock, ALockFileRemovedWhileOthersWaitStillExcludes) {
  std::optional<file_lock> first(path_);
  const auto adds_one = [&](const auto& tell) {
    const file_lock lock(path_);
    tell();
    const int number = std::stoi(text_of(path_));
    std::this_thread::sleep_for(50ms);
    replace(path_, std::to_string(number + 1));
  };
  process second(adds_one);
  await_waiting(second.id());
  fs::remove(beside_);
  EXPECT_THAT(said_of(path_), HasSubstr("is being changed by another process"));
  process third(adds_one);
  await_waiting(third.id());
  replace(path_, "100");  // the first finishes its work undisturbed
  EXPECT_THAT(said_of(path_), HasSubstr("is being changed"));
  first.reset();
  EXPECT_EQ(second.end() + third.end(), 0);
  EXPECT_EQ(text_of(path_), "102");
  EXPECT_EQ(dir_.names(), std::set<std::string>{"f"});
}

// The same at random: a process removes the lock file repeatedly while others count.
TEST_F(FileLock, NothingIsLostWhileLockFilesAreRemoved) {
  constexpr int processes = 6, changes = 40;
  process remover([&](const auto&) {
    for (;;) {
      ::unlink(beside_.c_str());
      std::this_thread::sleep_for(1ms);
    }
  });
  std::vector<std::unique_ptr<process>> all;
  for (int i = 0; i < processes; ++i)
    all.push_back(std::make_unique<process>([&](const auto&) {
      for (int n = 0; n < changes; ++n) count_up(path_);
    }));
  for (const auto& one : all) EXPECT_EQ(one->end(), 0);
  EXPECT_EQ(text_of(path_), std::to_string(processes * changes));
}

TEST_F(FileLock, AllNamesOfAFileShareOneLock) {
  fs::create_directory(dir_.file("d"));
  fs::create_symlink("../f", dir_.file("d/relative"));
  fs::create_symlink(dir_.file("d/relative"), dir_.file("absolute"));
  const file_lock lock(dir_.file("absolute"));
  EXPECT_TRUE(fs::exists(beside_));
  for (const char* const name : {"f", "d/relative", "absolute", "d/../f"})
    EXPECT_THAT(said_of(dir_.file(name)), HasSubstr("is being changed")) << name;
}

TEST_F(FileLock, AHardLinkInAnotherFolderIsTheSameFile) {
  fs::create_directory(dir_.file("d"));
  fs::create_hard_link(path_, dir_.file("d/f"));
  const file_lock lock(path_);
  EXPECT_THAT(said_of(dir_.file("d/f")), HasSubstr("is being changed"));
}

TEST_F(FileLock, ALinkThatIsChangedMeanwhileIsFollowedAgain) {
  write_text(dir_.file("g"), "0");
  fs::create_symlink("f", dir_.file("link"));
  std::optional<file_lock> first(path_);
  process second([&](const auto& tell) {
    const file_lock lock(dir_.file("link"));
    tell();
    ::pause();
  });
  await_waiting(second.id());
  fs::remove(dir_.file("link"));
  fs::create_symlink("g", dir_.file("link"));
  first.reset();
  ASSERT_TRUE(second.hears());
  EXPECT_EQ(said_of(path_), "free");
  EXPECT_THAT(said_of(dir_.file("g")), HasSubstr("is being changed"));
}

TEST_F(FileLock, HasThePermissionsOfItsFile) {
  for (const mode_t mode : {0600, 0640, 0644, 0666}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const file_lock lock(path_);
    struct stat facts {};
    ASSERT_EQ(::stat(beside_.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, mode);
  }
}

// A lock file left by another user is at most readable: it is replaced, so that it names the new
// holder.
TEST_F(FileLock, ReplacesALockFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  write_text(beside_, "1\nelsewhere\nold\n");
  ASSERT_EQ(::chmod(beside_.c_str(), 0644), 0);
  EXPECT_EQ(in_child(
                30,
                [&] {
    constexpr uid_t nobody = 65534;
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 97;
    const file_lock lock(path_);
    const std::string said = said_of(path_), me = std::to_string(::getpid());
    return said.find("process " + me) != std::string::npos ? 0 : 1;
                }),
            success);
  EXPECT_EQ(dir_.names(), std::set<std::string>{"f"});
}

// In a folder like /tmp the files of another user cannot be removed; the lock works all the same.
TEST_F(FileLock, WorksWithALockFileThatCannotBeRemoved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ASSERT_EQ(::chmod(dir_.path().c_str(), 01777), 0);
  write_text(beside_, "1\nelsewhere\nold\n");
  ASSERT_EQ(::chmod(beside_.c_str(), 0644), 0);
  EXPECT_EQ(in_child(
                30,
                [&] {
    constexpr uid_t nobody = 65534;
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 97;
    const file_lock lock(path_);
    return said_of(path_) != "free" ? 0 : 1;
                }),
            success);
  EXPECT_EQ(said_of(path_), "free");
}

TEST_F(FileLock, FilesThatAreNoLockFilesAreLeftUnchanged) {
  write_text(dir_.file("precious"), "text");
  const auto refused = [&] {
    try {
      const file_lock lock(path_);
      return false;
    } catch (const umbel::io_error& e) {
      return std::string_view(e.what()).find("umbel-lock") != std::string_view::npos;
    }
  };
  fs::create_symlink("precious", beside_);
  EXPECT_TRUE(refused());
  fs::remove(beside_);
  fs::create_symlink("nothing", beside_);
  EXPECT_TRUE(refused());
  fs::remove(beside_);
  fs::create_hard_link(dir_.file("precious"), beside_);
  EXPECT_TRUE(refused());
  fs::remove(beside_);
  ASSERT_EQ(::mkfifo(beside_.c_str(), 0600), 0);
  EXPECT_TRUE(refused());
  fs::remove(beside_);
  fs::create_directory(beside_);
  EXPECT_TRUE(refused());
  EXPECT_EQ(text_of(dir_.file("precious")), "text");
  EXPECT_FALSE(fs::exists(dir_.file("nothing")));
}

TEST_F(FileLock, ReportsWhereNoLockIsPossible) {
  EXPECT_THROW(file_lock(dir_.file("missing/f")), umbel::io_error);
  EXPECT_THROW(file_lock{dir_.path()}, umbel::io_error);
  EXPECT_THROW(file_lock{"/dev/null"}, umbel::io_error);
}

TEST_F(FileLock, AFolderThatCannotBeWrittenIsAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0555), 0);
  EXPECT_EQ(in_child(
                30,
                [&] {
    constexpr uid_t nobody = 65534;
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 97;
    try {
      const file_lock lock(path_);
      return 1;
    } catch (const umbel::io_error&) {
      return 0;
    }
                }),
            success);
}

TEST_F(FileLock, AForkedChildNeitherKeepsNorReleasesTheLock) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  std::optional<file_lock> lock(path_);
  const pid_t child = ::fork();
  if (child == 0) {
    lock.reset();  // its copy
    [[maybe_unused]] const auto written = ::write(told[1], "!", 1);
    ::pause();
  }
  char one = 0;
  ASSERT_EQ(::read(told[0], &one, 1), 1);
  EXPECT_NE(said_of(path_), "free");
  lock.reset();
  EXPECT_EQ(said_of(path_), "free") << "the child, which has the files open, still holds it";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(told[0]);
  ::close(told[1]);
}

}  // namespace
}  // namespace file_lock_test
