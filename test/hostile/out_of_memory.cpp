// out_of_memory.cpp - the n-th allocation fails, for every n (bad-inputs 18): the allocator's
// exception comes through, nothing leaks, nothing that was there has changed, and the next try
// succeeds.
#include "support/heap.hpp"
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

// Lets `work` fail at its first allocation, its second, and so on until it gets through; how many
// times it failed.
template <class Work>
std::int64_t fail_everywhere(Work&& work) {
  work();  // warm: what is kept for later, such as scratch of a thread, exists now
  for (std::int64_t nth = 1;; ++nth) {
    const heap::watch memory;
    const heap::failure order(nth);
    try {
      work();
      if (!order.happened()) return nth - 1;
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(memory.now(), 0) << "leaked when allocation " << nth << " failed";
    if (::testing::Test::HasFailure()) return nth;
  }
}

class OutOfMemory : public kind_test {
 protected:
  [[nodiscard]] std::optional<unsigned> wanted_bits() const {
    return is_map(kind()) ? std::optional(value_bits_of(kind())) : std::nullopt;
  }
  // some twice
  const std::vector<digest> keys_ =
      joined(members(small_or(100, 300), 1), members(small_or(20, 50), 1));
};

TEST_P(OutOfMemory, WhileBuilding) {
  for (const unsigned threads : {1U, 2U}) {
    const any::options options{
        .value_bits = wanted_bits(), .fpr = 0.01, .threads = threads, .shard_from = 64};
    const auto sets = spooled(keys_), others = others_than(keys_);
    const auto pairs = paired(keys_, value_bits_of(kind()));
    const auto build_it = [&] {
      takes_pairs(kind()) ? (void)kind().build(pairs, options)
                          : (void)built(kind(), sets, options, others);
    };
    // A thread that fails to start leaves the standard library's own scratch behind: no count.
    // Which allocation is the n-th depends on the threads anyway, so from the fortieth on every
    // seventh will do; where starting a thread is expensive, ever fewer.
    if (threads == 2) {
      for (std::uint64_t nth = 1; nth < 400; nth += small() ? 1 + nth / 4 : nth < 40 ? 1 : 7) {
        const heap::failure order(static_cast<std::int64_t>(nth));
        try {
          build_it();
          if (!order.happened()) break;
        } catch (const std::bad_alloc&) {
        }
      }
    } else {
      EXPECT_GE(fail_everywhere(build_it), 1);
    }
  }
}

TEST_P(OutOfMemory, WhileDecoding) {
  const auto bytes = build(keys_)->encode();
  EXPECT_GE(fail_everywhere([&] { (void)kind().decode(bytes, {}); }), 1);
}

TEST_P(OutOfMemory, WhileEncodingAndCloning) {
  const auto made = build(keys_);
  const auto before = made->encode();
  EXPECT_GE(fail_everywhere([&] { (void)made->encode(); }), 1);
  EXPECT_GE(fail_everywhere([&] { (void)made->clone(); }), 1);
  EXPECT_EQ(made->encode(), before);
}

TEST_P(OutOfMemory, WhileSavingLoadingAndOpening) {
  const temp_dir dir;
  const std::string path = dir.file("x");
  const auto made = build(keys_);
  made->save(path);
  EXPECT_GE(fail_everywhere([&] { made->save(path); }), 1);
  EXPECT_EQ(dir.names(), std::set<std::string>{"x"});
  EXPECT_GE(fail_everywhere([&] { (void)kind().load(path, {}); }), 1);
  EXPECT_GE(fail_everywhere([&] { (void)kind().open(path, {}); }), 1);
  EXPECT_TRUE(kind().load(path, {})->equals(*made));
}

// A verb that needs memory and gets none leaves the structure as it was.
class FoldingOutOfMemory : public OutOfMemory {};
TEST_P(FoldingOutOfMemory, AFailedFoldChangesNothing) {
  const auto made = kind().create({.keys = 1000, .bits = 1 << 14});
  made->insert(keys_);
  const auto before = made->encode();
  for (std::int64_t nth = 1;; ++nth) {
    const auto copy = made->clone();
    bool failed = false;
    {
      const heap::failure order(nth);
      try {
        copy->fold();
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (!failed) {
      EXPECT_GT(nth, 1) << "half as many cells take memory";
      break;
    }
    EXPECT_EQ(copy->encode(), before) << nth;
  }
}
// Of kinds that take more memory as keys come, some insert fails. For each key in turn, the first
// allocation fails, then the second, and so on until the key is in.
class GrowingOutOfMemory : public OutOfMemory {};
TEST_P(GrowingOutOfMemory, AFailedInsertChangesNothing) {
  const auto made = create(100);
  const auto keys = members(expands(kind()) ? 400 : 100, 4);
  std::uint64_t failures = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto before = made->encode();
    for (std::int64_t nth = 1;; ++nth) {
      const heap::failure order(nth);
      try {
        made->insert(std::span(&keys[i], 1));
        break;
      } catch (const std::bad_alloc&) {
      }
      ++failures;
      ASSERT_EQ(made->encode(), before) << "key " << i << ", allocation " << nth;
    }
  }
  EXPECT_TRUE(keeps_its_keys(*made, keys));
  EXPECT_TRUE(failures > 0 || !expands(kind()));
}

// A build gives back what it borrowed: after it, the structure is all there is.
TEST_P(OutOfMemory, ABuildKeepsNoScratch) {
  const auto keys = members(small_or(20'000, 200'000), 3);
  const auto sets = spooled(keys), others = others_than(keys);
  const auto pairs = paired(keys, value_bits_of(kind()));
  const heap::watch memory;
  const auto made = takes_pairs(kind())
                        ? kind().build(pairs, {.value_bits = wanted_bits(), .fpr = 0.01})
                        : built(kind(), sets, {.fpr = 0.01}, others);
  EXPECT_LE(memory.now(), static_cast<std::int64_t>(made->size_in_bits() / 8) + (64 << 10));
}

UMBEL_EVERY_KIND(OutOfMemory);
UMBEL_KINDS_ONLY(folds, FoldingOutOfMemory, folding_kinds);
UMBEL_KINDS_BUT(grows, GrowingOutOfMemory, static_kinds);

// Spools know no kinds.
TEST(OutOfMemorySpool, WhileFillingAndSorting) {
  const temp_dir dir;
  const auto many = members(3000, 2);
  EXPECT_GE(fail_everywhere([&] {
              digest_spool spool(spool_options{.memory_limit = 1 << 16, .directory = dir.path()});
              spool.add(many);
              (void)spool.distinct();
            }),
            1);
}

}  // namespace
}  // namespace umbel::test
