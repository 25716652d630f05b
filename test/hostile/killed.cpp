// killed.cpp - kill -9 during a save: the file is completely the old one or the new one. What the
// killed process leaves beside it is never read, does not affect the next save, and can be removed.
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

TEST(Killed, AtFiftyMomentsOfASave) {
  const temp_dir dir;
  const std::string path = dir.file("x");
  // Different sizes, so that a torn mixture of the two is no file at all.
  const auto& kind = any::kind_named("bloom-filter");
  const auto a = built(kind, members(20'000, 1), {.fpr = 0.01}),
             b = built(kind, members(50'000, 2), {.fpr = 0.01});
  const auto a_bytes = a->encode(), b_bytes = b->encode();
  a->save(path);

  std::mt19937_64 random(2024);
  int saw_a = 0, saw_b = 0, stale = 0;
  for (int round = 0; round < 50; ++round) {
    int started[2];
    ASSERT_EQ(::pipe(started), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (bool first = true;; first = false) {
        b->save(path);
        if (first && ::write(started[1], "!", 1) != 1) ::_exit(1);
        a->save(path);
      }
    }
    char ready = 0;
    EXPECT_EQ(::read(started[0], &ready, 1), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, code " << WEXITSTATUS(status);
    ::close(started[0]);
    ::close(started[1]);

    const auto now = bytes_of(path);
    ASSERT_TRUE(now == a_bytes || now == b_bytes)
        << "torn in round " << round << ": " << now.size() << " bytes";
    EXPECT_TRUE(any::load(path)->equals(now == a_bytes ? *a : *b));
    (now == a_bytes ? saw_a : saw_b)++;
    for (const std::string& name : dir.names()) {
      if (name == "x") continue;
      ++stale;
      EXPECT_EQ(name.rfind("x.umbel-", 0), 0U) << name;
      EXPECT_TRUE(std::filesystem::remove(dir.file(name)));
    }
  }
  // Not a promise of the library: if no kill ever hit a save in the middle, this test would test
  // nothing.
  EXPECT_GT(stale, 0);
  EXPECT_GT(saw_a + saw_b, 0);
}

// Files left by an earlier killed save do not affect the next save.
TEST(Killed, StaleFilesDoNotAffectTheNextSave) {
  const temp_dir dir;
  const auto made = built(*any::kinds()[0], members(100, 3), {.fpr = 0.01});
  write_bytes(dir.file("x.umbel-abcdef"), {});
  made->save(dir.file("x"));
  EXPECT_TRUE(any::load(dir.file("x"))->equals(*made));
  EXPECT_EQ(dir.names(), (std::set<std::string>{"x", "x.umbel-abcdef"}));
}

}  // namespace
}  // namespace umbel::test
