// seams.cpp - options that steer a build rather than shape its result, at their silliest: no thread or four billion, a
// shard for less than one key, values wider than their cells. Each works or is refused; none hangs or corrupts memory,
// so each runs in a process of its own.
#include <gtest/gtest.h>

#include <umbel/map/fuse_map.hpp>
#include <umbel/set/fuse_filter.hpp>
#include <umbel/set/golomb_filter.hpp>

#include "support/child.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

constexpr unsigned patience = 5;  // seconds; what hangs, hangs for ever

// Zero if `make` gives a structure without false negatives, or refuses properly.
template <class Make>
int works_or_refuses(const std::vector<digest>& keys, Make&& make) {
  try {
    return forgets_nothing(*make(), keys) ? 0 : 1;
  } catch (const error& refused) {
    std::fprintf(stderr, "refused: %s\n", refused.what());
    return 0;
  }
}

class Seams : public kind_test {};

TEST_P(Seams, AnyNumberOfThreads) {
  const auto once = members(3000, 1), keys = joined(once, once);  // repeats: sorting is threaded too
  for (const unsigned threads : {0U, 1000U, ~0U}) {
    SCOPED_TRACE(threads);
    EXPECT_EQ(in_child(patience,
                       [&] {
                         return works_or_refuses(keys, [&] {
                           return built(kind(), keys, {.fpr = 0.01, .threads = threads, .shard_from = 256});
                         });
                       }),
              success);
  }
}

TEST_P(Seams, AnyShardSize) {
  const auto keys = members(1000, 2);
  for (const std::uint64_t shard_from : {0ULL, 1ULL, 2ULL, 3ULL, 4ULL, 5ULL, ~0ULL}) {
    SCOPED_TRACE(shard_from);
    EXPECT_EQ(in_child(patience,
                       [&] {
                         return works_or_refuses(
                             keys, [&] { return built(kind(), keys, {.fpr = 0.01, .shard_from = shard_from}); });
                       }),
              success);
  }
}

UMBEL_EVERY_KIND(Seams);

class MapSeams : public kind_test {};

// Through the virtual face there is no key to check against but the value itself.
TEST_P(MapSeams, AValueWiderThanItsCellsIsRefused) {
  const unsigned bits = value_bits_of(kind());
  for (const std::uint64_t value : {std::uint64_t{1} << bits, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (const auto fpr : {std::optional<double>(), std::optional<double>(0.01)}) {
      EXPECT_EQ(in_child(patience,
                         [&] {
                           pair_spool pairs;
                           for (const digest& d : members(1000, 3)) pairs.add(core::valued{d, value_for(d, bits)});
                           pairs.add(core::valued{members(1001, 3).back(), value});
                           try {
                             (void)kind().build(pairs, {.value_bits = bits, .fpr = fpr});
                             return 1;
                           } catch (const bad_parameter&) {
                             return 0;
                           }
                         }),
                success)
          << value;
    }
  }
}

UMBEL_KINDS_THAT(is_map, MapSeams);

// The hashing of a range is threaded as well, before any spool exists.
TEST(TypedSeams, FourBillionThreads) {
  const auto keys = member_keys(150'000, 4);
  EXPECT_EQ(in_child(patience,
                     [&] {
                       try {
                         return fuse_filter::build(keys, {.fpr = 0.01, .threads = ~0U}).may_contain(keys[0]) ? 0 : 1;
                       } catch (const error&) {
                         return 0;
                       }
                     }),
            success);
}

TEST(TypedSeams, AValueWiderThanItsCellsNamesTheKey) {
  const std::vector<std::pair<std::string, std::uint64_t>> pairs{{"small", 1}, {"large", 16}};
  try {
    (void)fuse_map::build(pairs, {.value_bits = 4});
    FAIL();
  } catch (const bad_parameter& refused) {
    EXPECT_NE(std::string(refused.what()).find("large"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("16"), std::string::npos) << refused.what();
  }
}

}  // namespace
}  // namespace umbel::test
