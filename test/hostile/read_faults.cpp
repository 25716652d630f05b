// read_faults.cpp - loads and spools that fail: an input/output error, an early end or a short read
// at the n-th system call, for every n. An error, never a wrong structure; short reads are
// continued.
#include <cerrno>

#include "support/faults.hpp"
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class ReadFaults : public kind_test {
 protected:
  void SetUp() override { made_->save(path_); }
  temp_dir dir_;
  const std::string path_ = dir_.file("x");
  const structure_ptr made_ = build(members(500, 1));
};

TEST_P(ReadFaults, AnErrorAtEveryCall) {
  for (const bool mapping : {false, true}) {
    int nth = 1;
    for (;; ++nth) {
      fault order(nth, fault::kind::error, EIO);
      try {
        const auto again = mapping ? any::open(path_) : any::load(path_);
        if (!order.happened()) break;
        // An error of closing a file that was only read loses nothing.
        EXPECT_EQ(order.call(), "close") << "went unnoticed";
        EXPECT_TRUE(again->equals(*made_));
      } catch (const io_error& refused) {
        EXPECT_NE(std::string(refused.what()).find(path_), std::string::npos) << refused.what();
      }
    }
    EXPECT_GT(nth, 4);
  }
}

// The file became shorter after its size was read.
TEST_P(ReadFaults, AnEarlyEndAtEveryRead) {
  for (int nth = 1;; ++nth) {
    fault order(nth, fault::kind::end_of_file);
    try {
      const auto again = any::load(path_);
      if (!order.happened()) break;
      EXPECT_NE(order.call(), "pread");
    } catch (const corrupt& refused) {
      EXPECT_EQ(order.call(), "pread") << refused.what();
    }
  }
}

TEST_P(ReadFaults, ShortReadsAndInterruptionsAreContinued) {
  for (const auto how : {fault::kind::short_count, fault::kind::interruption})
    for (int nth = 1;; ++nth) {
      fault order(nth, how);
      ASSERT_TRUE(any::load(path_)->equals(*made_)) << nth;
      if (!order.happened()) break;
    }
}

UMBEL_EVERY_KIND(ReadFaults);

// Keys of a static build that wait on disk: if the disk fails, the build fails; it never continues
// with some of the keys.
TEST(SpoolFaults, AnErrorAtEveryCall) {
  const temp_dir dir;
  const auto keys = members(5000, 2);
  const auto spool_and_count = [&] {
    digest_spool spool(spool_options{.memory_limit = 1 << 15, .directory = dir.path()});
    spool.add(keys);
    std::uint64_t count = 0;
    spool.for_each(0, digest_spool::bins,
                   [&](std::span<const digest> block) { count += block.size(); });
    return count;
  };
  int nth = 1;
  for (;; ++nth) {
    fault order(nth, fault::kind::error, nth % 2 == 0 ? EIO : ENOSPC);
    try {
      const std::uint64_t count = spool_and_count();
      if (!order.happened()) break;
      EXPECT_EQ(order.call(), "close") << "went unnoticed";
      EXPECT_EQ(count, keys.size());
    } catch (const io_error&) {
    }
    ASSERT_TRUE(dir.names().empty());
  }
  EXPECT_GT(nth, 100);
  for (const auto how : {fault::kind::short_count, fault::kind::interruption})
    for (int each = 1; each < nth; each += 7) {
      const fault order(each, how);
      ASSERT_EQ(spool_and_count(), keys.size()) << each;
    }
}

}  // namespace
}  // namespace umbel::test
