// can_test.cpp - a kind has the verbs its traits promise and no other, single and in batches; and
// what has but half of a verb does not have it.
#include <umbel/core/can.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/perfect/slots.hpp>
#include <umbel/engine/retrieval/matrix/build.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/sparse_build.hpp>
#include <umbel/umbel.hpp>

#include "support/fuse_keys.hpp"
#include "support/gate.hpp"

namespace umbel::core::can_test {
namespace {

// ---- kinds ----

template <class Kind>
using engine_of = typename Kind::engine_type;

// An engine may do more than its kind offers: these are built at once by one that grows.
template <class Kind>
inline constexpr bool is_grown_at_once =
    std::is_same_v<Kind, best_of_bloom_filter> || std::is_same_v<Kind, selected_bloom_filter>;

template <class Kind, class Engine = engine_of<Kind>>
inline constexpr bool grows = can::insert<Engine> || can::try_insert<Engine>;

template <class Kind, class Engine = engine_of<Kind>>
inline constexpr bool keeps_what_it_says =
    can::contain<Engine> == Kind::traits.exact&& can::find<Engine> ==
        (Kind::traits.answers == output::value) &&
    can::value<Engine> == can::find<Engine>&& can::index<Engine> ==
        (Kind::traits.answers == output::index) &&
    can::try_insert<Engine> == (Kind::traits.may_fill && !Kind::traits.is_static) &&
    can::erase<Engine> == Kind::traits.erases&& can::count<Engine> ==
        Kind::traits.counts&& grows<Kind> ==
        (!Kind::traits.is_static || is_grown_at_once<Kind>)&&
            // one of the four ways to ask
            can::may_contain<Engine> +
            can::contain<Engine> + can::find<Engine> + can::index<Engine> ==
        1;
#define UMBEL_KIND(folder, kind, summary) static_assert(keeps_what_it_says<umbel::kind>, #kind);
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

// The traits do not decide that alone: these are named here too.
static_assert(can::contain<engine_of<umbel::exact_set>> &&
              can::contain<engine_of<exact_cascade_set>>);
static_assert(!can::contain<engine_of<bloom_filter>> && !can::contain<engine_of<binary_fuse_map>>);
static_assert(can::find<engine_of<bloomier_filter>> && can::find<engine_of<coded_map>> &&
              !can::find<engine_of<binary_fuse_filter>>);
static_assert(!can::find<engine_of<meta_map>>, "a set of databases is not one value");
static_assert(can::try_insert<engine_of<cuckoo_filter>> && can::erase<engine_of<cuckoo_filter>>);

// ---- half a verb ----

// Each verb alone, for one digest; `batch` adds the other half.
struct single {
  [[nodiscard]] bool may_contain(digest) const noexcept { return false; }
  [[nodiscard]] bool contains(digest) const noexcept { return false; }
  bool insert(digest) { return true; }
  std::optional<bool> try_insert(digest) noexcept { return {}; }
  erasure erase(digest) { return erasure::absent; }
  [[nodiscard]] std::uint64_t count(digest) const noexcept { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> find(digest) const noexcept { return {}; }
  [[nodiscard]] std::uint64_t value(digest) const noexcept { return 0; }
  [[nodiscard]] std::uint64_t index(digest) const noexcept { return 0; }
  [[nodiscard]] occupancy occupied() const noexcept { return {0, 0}; }
};
struct batched : single {
  using single::contains, single::erase, single::find, single::index, single::insert,
      single::may_contain, single::try_insert, single::value;
  void may_contain(std::size_t, auto&&, bool*) const noexcept {}
  void contains(std::size_t, auto&&, bool*) const noexcept {}
  void insert(std::size_t, auto&&) {}
  std::size_t try_insert(std::size_t, auto&&) noexcept { return 0; }
  std::size_t erase(std::size_t, auto&&) { return 0; }
  void find(std::size_t, auto&&, std::optional<std::uint64_t>*) const noexcept {}
  void value(std::size_t, auto&&, std::uint64_t*) const noexcept {}
  void index(std::size_t, auto&&, std::uint64_t*) const noexcept {}
};
static_assert(!can::may_contain<single> && !can::contain<single> && !can::insert<single> &&
              !can::try_insert<single> && !can::erase<single> && !can::find<single> &&
              !can::value<single> && !can::index<single>);
static_assert(can::may_contain<batched> && can::contain<batched> && can::insert<batched> &&
              can::try_insert<batched> && can::erase<batched> && can::find<batched> &&
              can::value<batched> && can::index<batched>);
static_assert(can::count<single>, "has no batch");

struct throwing : batched {
  [[nodiscard]] bool may_contain(digest) const { return false; }
  void may_contain(std::size_t, auto&&, bool*) const {}
};
static_assert(!can::may_contain<throwing>, "a query cannot fail");

// ---- what kinds promise of digests ----

template <class Map>
class CheckedMap : public ::testing::Test {};
using maps = ::testing::Types<xor_map, binary_fuse_map, binary_fuse4_map, cascade_map,
                              bloomier_filter, mutable_bloomier_filter, indexed_map, sparse_map,
                              ribbon_map, matrix_map, coded_map>;
TYPED_TEST_SUITE(CheckedMap, maps);
TYPED_TEST(CheckedMap, MembersHaveValuesAndNonMembersAtItsRateOnly) {
  constexpr std::uint64_t n = 2000, asked = 20'000;
  const auto all = fuse_test::pairs(n, 4, 6);
  typename TypeParam::options_type how{};
  how.value_bits = 4;
  how.fpr = 0.01;
  const auto map = TypeParam::build(fuse_test::spooled(all), how);
  EXPECT_EQ(map.keys(), n);
  EXPECT_EQ(map.value_bits(), 4U);
  for (const valued& v : all) {
    ASSERT_EQ(map.find(v.key), v.value);
    ASSERT_EQ(map.value(v.key), v.value);
  }
  std::uint64_t found = 0;
  for (const digest& d : fuse_test::digests(asked, 7)) found += map.find(d).has_value();
  EXPECT_TRUE(umbel::test::no_more_than(found, asked, 0.01));
  EXPECT_TRUE(umbel::test::binomial_gate(found, asked, map.expected_fpr()));
}

template <class Set>
class ExactSet : public ::testing::Test {};
using exact_sets = ::testing::Types<umbel::exact_set, exact_cascade_set>;
TYPED_TEST_SUITE(ExactSet, exact_sets);
TYPED_TEST(ExactSet, DoesNotErrOnItsUniverse) {
  const auto in = fuse_test::digests(2000, 8), out = fuse_test::digests(10'000, 9);
  const auto set = TypeParam::build(fuse_test::spooled(in), fuse_test::spooled(out), {});
  for (const digest& d : in) ASSERT_TRUE(set.contains(d));
  for (const digest& d : out) ASSERT_FALSE(set.contains(d));
}

// ---- no room ----

template <class Set>
class NoRoom : public ::testing::Test {
 protected:
  static constexpr std::uint64_t planned = 2000;
  // Until there is no room, one by one or in a batch; what was said then, and how many were taken.
  struct refusal {
    std::string said;
    std::uint64_t taken = 0;
  };
  [[nodiscard]] static refusal refused_one_by_one() {
    Set set({.keys = planned, .fpr = 0.01});
    refusal out;
    try {
      for (const digest& d : fuse_test::digests(20 * planned, 10)) {
        set.insert(d);
        ++out.taken;
      }
    } catch (const full& said) {
      out.said = said.what();
    }
    return out;
  }
  [[nodiscard]] static refusal refused_batch() {
    Set set({.keys = planned, .fpr = 0.01});
    try {
      insert_all(set, fuse_test::digests(20 * planned, 10));
    } catch (const full& said) {
      return {said.what(), said.taken};
    }
    return {};
  }
  // The number after a word of the message.
  [[nodiscard]] static std::uint64_t number_after(const std::string& said, std::string_view word) {
    const auto at = said.find(word);
    return at == said.npos ? 0 : std::stoull(said.substr(at + word.size()));
  }
};
using filling_sets =
    ::testing::Types<cuckoo_filter, quotient_filter, vector_quotient_filter, telescoping_filter,
                     hash_compaction_filter, split_bloom_filter>;
TYPED_TEST_SUITE(NoRoom, filling_sets);

TYPED_TEST(NoRoom, NamesTheKindTheKeysThatAreInAndHowManyToBuildItFor) {
  const auto one = this->refused_one_by_one();
  ASSERT_FALSE(one.said.empty()) << "took all of them";
  EXPECT_EQ(one.said.rfind(std::string(TypeParam::kind) + " is full after ", 0), 0U) << one.said;
  const auto in = this->number_after(one.said, "is full after ");
  EXPECT_LE(in, one.taken) << one.said << ": keys may share a slot";
  EXPECT_GE(in, this->planned) << one.said << ": the planned keys fit";
  EXPECT_GE(this->number_after(one.said, "it has "), in) << one.said;
  EXPECT_GT(this->number_after(one.said, "Build it for "), in) << one.said;

  const auto batch = this->refused_batch();
  EXPECT_EQ(batch.taken, one.taken) << batch.said;
  EXPECT_EQ(this->number_after(batch.said, "is full after "), batch.taken) << batch.said;
  EXPECT_EQ(this->number_after(batch.said, " of "), 20 * this->planned) << batch.said;
}
// Whoever does as told has room.
TYPED_TEST(NoRoom, TheNumberToldIsEnough) {
  const auto told = this->number_after(this->refused_batch().said, "Build it for ");
  ASSERT_GE(told, 20 * this->planned);
  TypeParam set({.keys = told, .fpr = 0.01});
  EXPECT_NO_THROW(insert_all(set, fuse_test::digests(20 * this->planned, 10)));
}
TEST(NoRoomInABuild, SaysHowManyKeysDoNotFit) {
  const auto keys = fuse_test::digests(12'000, 11);
  try {
    (void)cuckoo_filter::build(keys, {.keys = 1000, .fpr = 0.01});
    FAIL() << "taken";
  } catch (const full& refused) {
    const std::string said = refused.what();
    EXPECT_EQ(said.rfind("cuckoo-filter has no room for 12000 keys in ", 0), 0U) << said;
    EXPECT_NE(said.find("Build it for 12000 keys or more"), said.npos) << said;
  }
}

}  // namespace
}  // namespace umbel::core::can_test
