// seams.cpp - extreme values of options that steer a build without changing its result: no thread
// or four billion, a shard for less than one key, values wider than their cells. Each works or is
// refused; a hang or memory corruption would end only the child process.
#include <gtest/gtest.h>

#include <array>

#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/golomb_coded_set.hpp>

#include "support/child.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

constexpr unsigned patience = 5;  // seconds; what hangs, hangs for ever

// Whether make(setting) gives a structure without false negatives, or refuses with an error, for
// every setting. All settings run in one child, since starting one takes longer than most builds.
// The last output names the setting that ended it.
template <class Settings, class Make>
bool all_work_or_are_refused(const Settings& settings, const std::vector<digest>& keys,
                             Make&& make) {
  return in_child(patience * static_cast<unsigned>(settings.size()), [&] {
           for (const auto setting : settings) {
             std::fprintf(stderr, "setting %llu\n", static_cast<unsigned long long>(setting));
             try {
               if (!keeps_its_keys(*make(setting), keys)) return 1;
             } catch (const error& refused) {
               std::fprintf(stderr, "refused: %s\n", refused.what());
             }
           }
           return 0;
         }) == success;
}

class Seams : public kind_test {};

TEST_P(Seams, AnyNumberOfThreads) {
  // Repeated keys: sorting is threaded too.
  const auto once = members(3000, 1), keys = joined(once, once);
  EXPECT_TRUE(all_work_or_are_refused(std::array{0U, 7U, ~0U}, keys, [&](unsigned threads) {
    return built(kind(), keys, {.fpr = 0.01, .threads = threads, .shard_from = 256});
  }));
}

TEST_P(Seams, AnyShardSize) {
  const auto keys = members(1000, 2);
  EXPECT_TRUE(all_work_or_are_refused(std::array{0ULL, 1ULL, 2ULL, 3ULL, 4ULL, 5ULL, ~0ULL}, keys,
                                      [&](std::uint64_t shard_from) {
    return built(kind(), keys, {.fpr = 0.01, .shard_from = shard_from});
  }));
}

UMBEL_EVERY_KIND(Seams);

class MapSeams : public kind_test {};

// Through the virtual interface there is no key to name, only the value.
TEST_P(MapSeams, AValueWiderThanItsCellsIsRefused) {
  const unsigned bits = value_bits_of(kind());
  for (const std::uint64_t value :
       {std::uint64_t{1} << bits, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (const auto fpr : {std::optional<double>(), std::optional<double>(0.01)}) {
      EXPECT_EQ(in_child(
                    patience,
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
  EXPECT_EQ(in_child(
                patience,
                [&] {
    try {
      return binary_fuse_filter::build(keys, {.fpr = 0.01, .threads = ~0U}).may_contain(keys[0])
                 ? 0
                 : 1;
    } catch (const error&) {
      return 0;
    }
                }),
            success);
}

TEST(TypedSeams, AValueWiderThanItsCellsNamesTheKey) {
  const std::vector<std::pair<std::string, std::uint64_t>> pairs{{"small", 1}, {"large", 16}};
  try {
    (void)binary_fuse_map::build(pairs, {.value_bits = 4});
    FAIL();
  } catch (const bad_parameter& refused) {
    EXPECT_NE(std::string(refused.what()).find("large"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("16"), std::string::npos) << refused.what();
  }
}

}  // namespace
}  // namespace umbel::test
