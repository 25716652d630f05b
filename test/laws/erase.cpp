// erase.cpp - erasing a key that is in never removes another key. Every kind that erases is in one
// of three suites: it erases every key that is in, or it refuses keys whose erase could remove
// another, or it may lose others by design.
#include <random>

#include "support/gate.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

// The erase of a key that is in: 1 if one copy was erased, 0 if the structure kept it.
[[nodiscard]] std::size_t erase_one(structure& from, const digest& key) {
  return from.erase(std::span(&key, 1));
}

bool erases_as_it_grows(const any::kind& kind) { return grows(kind) && erases(kind); }
// A thousand keys in a structure planned for a thousand.
bool refuses_some(const any::kind& kind) {
  if (!erases_as_it_grows(kind)) return false;
  const auto keys = members(1000, 402);
  auto made = kind.create({.keys = keys.size(), .fpr = 0.01});
  made->insert(keys);
  return made->erase(keys) != keys.size();
}

class AnyErasing : public kind_test {};  // all that erase
class Erasing : public kind_test {};     // and do not forget
class FullErasing : public kind_test {};
class LimitedErasing : public kind_test {};
class ForgetfulErasing : public kind_test {};

// Inserts, legal erases and, at random moments, encoding and decoding, compared with the count of
// copies of every key.
TEST_P(Erasing, RandomInsertsAndErasesLoseNoKey) {
  const std::uint64_t pool = small_or(300, 5'000), steps = small_or(5'000, 1'000'000);
  const auto keys = members(pool, 400);
  std::vector<unsigned> copies(pool);
  std::uint64_t in = 0;
  auto walked = create(pool, {.fpr = 0.01});
  std::mt19937_64 random(401);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::uint64_t i = random() % pool;
    if (copies[i] < 2 && in < pool && (copies[i] == 0 || random() % 8 == 0)) {
      walked->insert(std::span(&keys[i], 1));
      ++copies[i], ++in;
    } else if (copies[i] > 0 && erase_one(*walked, keys[i]) == 1) {
      --copies[i], --in;
    }
    if (copies[i] > 0) {
      ASSERT_TRUE(walked->may_contain_one(keys[i])) << "step " << step;
    }
    if (random() % (steps / 16) != 0 && step + 1 != steps) continue;
    walked = kind().decode(walked->encode(), {});
    for (std::uint64_t k = 0; k < pool; ++k) {
      if (copies[k] > 0) {
        ASSERT_TRUE(walked->may_contain_one(keys[k])) << "step " << step << ", key " << k;
      }
    }
  }
}

// If nothing was refused, nothing is left.
TEST_P(FullErasing, WhatIsErasedIsGone) {
  const auto keys = members(1000, 402);
  const auto emptied = grow(keys);
  EXPECT_GT(emptied->expected_fpr(), 0);
  ASSERT_EQ(emptied->erase(keys), keys.size());
  EXPECT_EQ(emptied->expected_fpr(), 0);
  EXPECT_EQ(non_member_hits(*emptied, 10'000, 402), 0U);
  EXPECT_NO_THROW(emptied->insert(keys)) << "the room is back";
  EXPECT_TRUE(forgets_nothing(*emptied, keys));
}

// Refused keys stay, with all planned keys in and with half of them. Erased keys are gone except
// for false positives, and no more non-members pass.
TEST_P(LimitedErasing, RefusedKeysStayAndErasedKeysAreGone) {
  for (const std::uint64_t room : {1000, 2000}) {
    SCOPED_TRACE(room);
    const auto keys = members(1000, 406);
    const auto asked = non_members(20'000, 406);
    const auto made = create(room);
    made->insert(keys);
    const answers before(*made, asked);
    const double rate = made->expected_fpr();
    std::vector<digest> gone, refused;
    for (const digest& d : keys) (erase_one(*made, d) == 1 ? gone : refused).push_back(d);
    EXPECT_GT(gone.size(), 0U);
    EXPECT_GT(refused.size(), 0U);
    EXPECT_TRUE(forgets_nothing(*made, refused));
    EXPECT_TRUE(no_more_than(count_hits(*made, gone), gone.size(), rate));
    EXPECT_LE(made->expected_fpr(), rate);
    const answers after(*made, asked);
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_LE(after[i], before[i]) << i;
    const auto bytes = made->encode();
    for (const digest& d : refused)
      ASSERT_EQ(erase_one(*made, d), 0U) << "refused once, refused again";
    EXPECT_EQ(made->encode(), bytes);
    EXPECT_NO_THROW(made->insert(gone)) << "the room is back";
    EXPECT_TRUE(forgets_nothing(*made, keys));
  }
}

// Kinds that may lose keys still reject what they erased, and accept no more non-members than
// before.
TEST_P(ForgetfulErasing, ErasedKeysAreRejected) {
  const auto keys = members(2000, 407);
  const auto asked = non_members(20'000, 407);
  const auto made = grow(keys);
  const std::uint64_t before = count_hits(*made, asked);
  std::uint64_t gone = 0;
  for (const digest& d : std::span(keys).first(1000)) {
    if (erase_one(*made, d) == 0) continue;
    ++gone;
    ASSERT_FALSE(made->may_contain_one(d)) << gone;
  }
  EXPECT_GE(gone, 500U);
  EXPECT_LE(count_hits(*made, asked), before);
  EXPECT_GT(count_hits(*made, std::span(keys).last(1000)), 500U) << "the others are mostly in";
}

TEST_P(AnyErasing, ErasingAnAbsentKeyChangesNothing) {
  const auto keys = members(500, 403);
  const auto made = grow(keys);
  const auto before = made->encode();
  std::uint64_t tried = 0;
  for (const digest& d : members(2000, 404)) {
    if (made->may_contain_one(d)) continue;
    EXPECT_EQ(erase_one(*made, d), 0U);
    ++tried;
  }
  EXPECT_GT(tried, 1500U);
  EXPECT_EQ(made->encode(), before);
}

TEST_P(AnyErasing, ABatchErasesWhatSingleCallsDo) {
  const auto keys = members(2000, 405);
  const auto one_by_one = grow(keys), at_once = grow(keys);
  std::size_t done = 0;
  for (const digest& d : std::span(keys).first(1500)) done += erase_one(*one_by_one, d);
  EXPECT_GT(done, 0U);
  EXPECT_EQ(at_once->erase(std::span(keys).first(1500)), done);
  EXPECT_TRUE(at_once->equals(*one_by_one));
}

bool erases_without_forgetting(const any::kind& kind) {
  return erases_as_it_grows(kind) && remembers(kind);
}
bool erases_all(const any::kind& kind) {
  return erases_without_forgetting(kind) && !refuses_some(kind);
}
bool erases_some(const any::kind& kind) {
  return erases_without_forgetting(kind) && refuses_some(kind);
}
bool erases_and_forgets(const any::kind& kind) {
  return erases_as_it_grows(kind) && !remembers(kind);
}
UMBEL_KINDS_ONLY(erases, AnyErasing, erasing_kinds);
UMBEL_KINDS_ONLY(erases_without_forgetting, Erasing,
                 without(erasing_kinds, {"removable-bloom-filter", "variable-bloom-filter"}));
UMBEL_KINDS_ONLY(erases_all, FullErasing,
                 without(erasing_kinds, {"deletable-bloom-filter", "removable-bloom-filter",
                                         "variable-bloom-filter"}));
UMBEL_KINDS_ONLY(erases_some, LimitedErasing, "deletable-bloom-filter");
UMBEL_KINDS_ONLY(erases_and_forgets, ForgetfulErasing, "removable-bloom-filter",
                 "variable-bloom-filter");

}  // namespace
}  // namespace umbel::test
