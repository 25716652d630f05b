// replaced.cpp - a mapped file that is replaced or removed while it is read: existing readers keep
// the old file, new readers get the new one, and no reader sees a mixture.
#include <atomic>
#include <filesystem>
#include <thread>

#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Replaced : public kind_test {
 protected:
  temp_dir dir_;
  const std::string path_ = dir_.file("x");
  const std::vector<digest> first_ = members(1000, 1), second_ = members(1500, 2);
  const structure_ptr old_ = build(first_), new_ = build(second_);
};

TEST_P(Replaced, ReadersKeepWhatTheyOpened) {
  old_->save(path_);
  const auto reader = any::open(path_);
  const answers before(*reader, non_members(5000, 3));
  new_->save(path_);
  EXPECT_TRUE(keeps_its_keys(*reader, first_));
  EXPECT_EQ(answers(*reader, non_members(5000, 3)), before);
  EXPECT_TRUE(keeps_its_keys(*any::open(path_), second_));
  std::filesystem::remove(path_);
  EXPECT_TRUE(keeps_its_keys(*reader, first_));
  EXPECT_TRUE(reader->equals(*old_));
}

TEST_P(Replaced, WhileAnotherThreadReads) {
  old_->save(path_);
  const auto reader = any::open(path_);
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> rounds = 0;
  std::jthread other([&] {
    while (!done || rounds < 3) {
      if (!keeps_its_keys(*reader, first_)) ++wrong;
      // A reader that opens in between gets one of the two files, whole.
      const auto fresh = any::load(path_);
      if (!fresh->equals(*old_) && !fresh->equals(*new_)) ++wrong;
      ++rounds;
    }
  });
  for (int i = 0; i < 30; ++i) (i % 2 == 0 ? new_ : old_)->save(path_);
  done = true;
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(rounds, 3);
}

UMBEL_EVERY_KIND(Replaced);

}  // namespace
}  // namespace umbel::test
