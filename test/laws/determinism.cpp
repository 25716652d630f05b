// determinism.cpp - builds are functions: the same set gives the same bytes, in any order, with repeats, with any number
// of threads, in memory or spilled to disk, and with one shard or thousands.
// The shard seam (`shard_from`) makes many shards of few keys; a kind without shards ignores it.
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Determinism : public kind_test {
 protected:
  // 0 where the kind has no shards.
  [[nodiscard]] static std::uint64_t shards(const structure& of) {
    std::uint64_t keys = 0;  // of the part whose fields these are: one without keys has no shards
    for (const auto& [name, value] : of.fields()) {
      if (name == "keys") keys = std::get<std::uint64_t>(value);
      if (name == "shard_bits" && keys != 0) return std::uint64_t{1} << std::get<std::uint64_t>(value);
    }
    return 0;
  }
  // The first of the builds, which all others equal. One that is asked for twice, or by two threads, comes in another
  // order as well: whatever leaks into the bytes shows.
  structure_ptr hold(std::uint64_t n, const any::options& wish, std::uint64_t seed) const {
    const auto keys = members(n, seed);
    auto first = build(keys, wish);
    const auto bytes = first->encode();
    EXPECT_TRUE(forgets_nothing(*first, keys)) << "seed " << seed;
    const std::vector<digest> backwards(keys.rbegin(), keys.rend());
    EXPECT_EQ(build(backwards, wish)->encode(), bytes) << "backwards";
    for (unsigned threads = 1; threads <= small_or(2, 3); ++threads) {
      any::options many = wish;
      many.threads = threads;
      EXPECT_EQ(build(shuffled(keys, seed + threads), many)->encode(), bytes) << threads << " threads, another order";
    }
    return first;
  }
  // Growing kinds need to be told their number of keys when repeats would be counted.
  [[nodiscard]] any::options told(std::uint64_t n, any::options wish) const {
    if (!what().is_static) wish.keys = n;
    return wish;
  }
};

TEST_P(Determinism, OneShard) {
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{100}, small_or(1000, 5000)})
    (void)hold(n, {.fpr = 0.01}, 60);
}

TEST_P(Determinism, ManyShards) {
  const std::uint64_t n = small_or(1'000, 10'000);
  for (const std::uint64_t shard_from : {std::uint64_t{4}, n / 80, n / 10}) {
    SCOPED_TRACE(shard_from);
    const any::options wish{.fpr = 0.01, .shard_from = shard_from};
    const std::uint64_t made = shards(*hold(n, wish, 61));
    EXPECT_TRUE(made == 0 || made >= 8) << made << " shards: the seam did not open";
  }
}

// Shards answer for their own digests only, and the rate does not suffer from their number.
TEST_P(Determinism, ShardsAreFilteredApart) {
  if (!errs(kind())) return;  // strangers are promised nothing
  const std::uint64_t n = 20'000;
  const auto made = build(members(n, 62), {.fpr = 0.01, .shard_from = 64});
  const double hits = static_cast<double>(stranger_hits(*made, 100'000, 62));
  EXPECT_LE(hits, 100'000 * 0.01 * 1.05 + 5 * std::sqrt(1000.0));
}

TEST_P(Determinism, RepeatsChangeNothing) {
  if (what().counts) return;  // counting kinds tell repeats apart
  const std::uint64_t n = 3000;
  const auto keys = members(n, 63);
  for (const std::uint64_t shard_from : {std::uint64_t{64}, std::uint64_t{1} << 40}) {
    const auto wish = told(n, {.fpr = 0.01, .shard_from = shard_from});
    const auto bytes = build(keys, wish)->encode();
    EXPECT_EQ(build(joined(keys, keys), wish)->encode(), bytes) << "all twice";
    EXPECT_EQ(build(joined(keys, {keys[17]}), wish)->encode(), bytes) << "one twice";
    EXPECT_EQ(build(joined(std::vector<digest>(1000, keys[5]), keys), wish)->encode(), bytes) << "one 1001 times";
    auto threaded = wish;
    threaded.threads = 2;
    EXPECT_EQ(build(shuffled(joined(keys, keys), 64), threaded)->encode(), bytes) << "all twice, two threads";
  }
}

TEST_P(Determinism, ASpoolOnDiskGivesTheSameBytes) {
  if (takes_pairs(kind())) return;  // the spool of pairs is the same code
  const temp_dir dir;
  const auto keys = members(small_or(30'000, 100'000), 65);
  digest_spool spilling(spool_options{.memory_limit = 1 << 19, .directory = dir.path()});
  spilling.add(keys);
  ASSERT_TRUE(spilling.spilled());
  EXPECT_TRUE(dir.names().empty()) << "the temporary file has no name";
  const any::options wish{.fpr = 0.01, .shard_from = 4000};
  EXPECT_EQ(built(kind(), spilling, wish, others_than(keys))->encode(), build(keys, wish)->encode());
}

// Sizes on both sides of every step in a builder's arithmetic.
TEST_P(Determinism, SmallSizesOneByOne) {
  for (std::uint64_t n = 0; n <= small_or(70, 300); ++n) {
    const auto keys = members(n, 66);
    const any::options wish{.fpr = 0.1, .shard_from = 4};
    ASSERT_EQ(build(keys, wish)->encode(), build(shuffled(keys, n), wish)->encode()) << n;
  }
}

UMBEL_EVERY_KIND(Determinism);

}  // namespace
}  // namespace umbel::test
