// strange_keys.cpp - unusual keys (bad-inputs 19 to 23): repeated, all equal, empty, with any
// bytes. Keys longer than 2 GiB: test/hash/long_keys_test.cpp.
#include <cstring>
#include <string>
#include <utility>

#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/binary_fuse_filter.hpp>

#include "support/child.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

class StrangeKeys : public kind_test {};

TEST_P(StrangeKeys, AllTheSame) {  // 20
  const std::vector<digest> same(small_or(10'000, 100'000), members(1, 1)[0]);
  EXPECT_EQ(in_child(
                20,
                [&] {
    const auto made = build(same, {.fpr = 0.01});
    const bool errs_rarely = !traits().rated() || non_member_hits(*made, 10'000, 1) < 500;
    return keeps_its_keys(*made, std::span(same).first(1)) && errs_rarely ? 0 : 1;
                }),
            success);
}

std::vector<std::string> strange_texts() {
  using namespace std::string_literals;
  return {"",    "\0"s, "\0\0"s, "a\0b"s,        "a\0c"s, "a",
          "a\n", "\n",  "\r\n",  "\xff\xfe",     "\xc3(", "\xed\xa0\x80",
          " ",   "a ",  " a",    "\xe2\x82\xac", "%s%n",  std::string(100'000, 'x'),
          "-0",  "0",   "--",    "a\tb"};
}
// The finest rate that the kind can keep for so few keys.
double finest_rate(const any::kind& kind, std::size_t keys) {
  double fpr = 1e-6;
  while (!in_reach(kind, {.keys = keys, .fpr = fpr})) fpr *= 10;
  return fpr;
}

TEST_P(StrangeKeys, EmptyAndWithAnyBytes) {  // 21, 23
  const auto keys = strange_texts();
  const hasher hash = build({}, {.fpr = 0.01})->hash();  // a foreign kind's own
  const auto made = build(hashed(hash, keys), {.fpr = finest_rate(kind(), keys.size())});
  EXPECT_TRUE(keeps_its_keys(*made, hashed(made->hash(), keys)));
}

class StrangeNonMembers : public kind_test {};
TEST_P(StrangeNonMembers, EachTextIsAKeyOfItsOwn) {  // 21, 23
  const auto keys = strange_texts();
  const double fpr = finest_rate(kind(), keys.size());
  const hasher hash = build({}, {.fpr = 0.01})->hash();
  // Each is a key of its own: leaving one out, that one is a non-member, or one of the others that
  // an exact set was told of.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto others = keys;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto members = hashed(hash, others);
    const auto without = is_exact(kind())
                             ? built(kind(), spooled(members), {}, spooled(hashed(hash, keys)))
                             : build(members, {.fpr = fpr});
    EXPECT_FALSE(without->may_contain_one(hash(keys[i]))) << "key number " << i;
  }
}

// To a perfect hash no key is a non-member.
bool tells_non_members(const any::kind& kind) { return errs(kind) || is_exact(kind); }
UMBEL_EVERY_KIND(StrangeKeys);
UMBEL_KINDS_BUT(tells_non_members, StrangeNonMembers, "perfect-hash");

class StrangePairs : public kind_test {
 protected:
  [[nodiscard]] unsigned bits() const { return value_bits_of(kind()); }
};

TEST_P(StrangePairs, OneKeyWithOneValueTwiceIsTaken) {  // 19
  auto keys = members(1000, 2);
  keys.push_back(keys[500]);
  EXPECT_TRUE(forgets_nothing(*build(keys), keys));
}

TEST_P(StrangePairs, OneKeyWithTwoValuesIsAConflict) {  // 19
  for (const std::uint64_t shard_from : {std::uint64_t{64}, std::uint64_t{1} << 40}) {
    for (const unsigned threads : {1U, 2U}) {
      pair_spool pairs;
      for (const digest& d : members(1000, 3)) pairs.add(core::valued{d, value_for(d, bits())});
      const digest twice = members(1000, 3)[321];
      pairs.add(core::valued{twice, value_for(twice, bits()) ^ 1});
      EXPECT_THROW((void)kind().build(
                       pairs, {.value_bits = bits(), .threads = threads, .shard_from = shard_from}),
                   conflict);
    }
  }
}

TEST_P(StrangePairs, AllTheSameKeyWithManyValues) {  // 20
  pair_spool pairs;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    pairs.add(core::valued{members(1, 4)[0], i % (1U << bits())});
  EXPECT_EQ(in_child(
                20,
                [&] {
    try {
      (void)kind().build(pairs, {.value_bits = bits()});
      return 1;
    } catch (const conflict&) {
      return 0;
    }
                }),
            success);
}

UMBEL_KINDS_THAT(is_map, StrangePairs);

// Where keys are available, the error names the key and both values.
TEST(NamedConflict, AConflictNamesTheKey) {
  std::vector<std::pair<std::string, std::uint64_t>> pairs;
  for (std::uint64_t i = 0; i < 500; ++i) pairs.emplace_back("key" + std::to_string(i), i % 16);
  pairs.emplace_back("key77", 3);
  try {
    (void)binary_fuse_map::build(pairs, {.value_bits = 4});
    FAIL() << "taken";
  } catch (const conflict& refused) {
    const std::string said = refused.what();
    EXPECT_NE(said.find("\"key77\""), std::string::npos) << said;
    EXPECT_NE(said.find("13"), std::string::npos) << said;
    EXPECT_NE(said.find(" 3"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace umbel::test
