// contracts_test.cpp - which classes keep which of the three contracts: every kind of the registry
// and every engine is asked by name, and each engine is held to the promise as well as to the form.
#include <umbel/core/contracts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/matrix/build.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/sparse_build.hpp>
#include <umbel/umbel.hpp>

#include "support/fuse_keys.hpp"
#include "support/gate.hpp"

namespace umbel::core::contracts_test {
namespace {

// ---- kinds ----

// A kind is an exact set if it says so in its traits, and otherwise has no `contains` to be
// mistaken for one. A kind is a checked map if it answers with one value. None is an engine:
// engines know no keys, only digests.
template <class Kind>
inline constexpr bool keeps_what_it_says = exact_set<Kind> ==
                                               Kind::traits.exact&& checked_map<Kind> ==
                                               (Kind::traits.answers == output::value) &&
                                           !retrieval<Kind>;
#define UMBEL_KIND(folder, kind, summary) static_assert(keeps_what_it_says<umbel::kind>, #kind);
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

// The traits do not decide that alone: these are named here too.
static_assert(exact_set<umbel::exact_set> && exact_set<exact_cascade_set>);
static_assert(!exact_set<binary_fuse_filter> && !exact_set<bloom_filter> &&
              !exact_set<binary_fuse_map> && !exact_set<perfect_hash>);
static_assert(checked_map<xor_map> && checked_map<binary_fuse_map> &&
              checked_map<binary_fuse4_map> && checked_map<cascade_map> &&
              checked_map<bloomier_filter> && checked_map<mutable_bloomier_filter> &&
              checked_map<indexed_map> && checked_map<sparse_map> && checked_map<ribbon_map> &&
              checked_map<matrix_map> && checked_map<coded_map>);
static_assert(!checked_map<binary_fuse_filter> && !checked_map<umbel::exact_set> &&
              !checked_map<perfect_hash>);
static_assert(!checked_map<meta_map>, "a set of databases is not one value");

// ---- engines ----

using engines =
    ::testing::Types<peeled<fuse<3>>, peeled<fuse<4>>, peeled<xor_graph<3>>, peeled<scattered>,
                     peeled<any_graph>, sparse, ribbon, matrix, slotted<>>;

template <class Engine>
inline constexpr bool only_an_engine =
    retrieval<Engine> && !checked_map<Engine> && !exact_set<Engine>;
template <class>
inline constexpr bool only_engines = false;
template <class... Engine>
inline constexpr bool only_engines<::testing::Types<Engine...>> = (only_an_engine<Engine> && ...);
static_assert(only_engines<engines>);
static_assert(!retrieval<digest> && !retrieval<hasher> && !retrieval<fuse<3>>);

// The adaptors take engines, and refuse structures that are close to one: a map and an exact set.
template <class Engine>
concept makes_a_filter = requires {
  typename tagged<Engine>;
};
template <class Engine>
concept makes_a_map = requires {
  typename checked<Engine>;
};
template <class>
inline constexpr bool adapted = false;
template <class... Engine>
inline constexpr bool adapted<::testing::Types<Engine...>> = ((makes_a_filter<Engine> &&
                                                               makes_a_map<Engine>)&&...);
static_assert(adapted<engines>);
static_assert(!makes_a_filter<binary_fuse_map> && !makes_a_filter<umbel::exact_set> &&
              !makes_a_filter<bloom_filter>);
static_assert(!makes_a_map<binary_fuse_map> && !makes_a_map<umbel::exact_set> &&
              !makes_a_map<bloom_filter>);

// What the compiler cannot see of the retrieval contract.
template <class Engine>
class Retrieval : public ::testing::Test {
 protected:
  static Engine built(const std::vector<valued>& all) {
    typename Engine::build_options how;
    how.width = width;
    return Engine::build(fuse_test::spooled(all), how,
                         [](const valued& v, auto...) { return v.value; });
  }
  static constexpr unsigned width = 9;
};
TYPED_TEST_SUITE(Retrieval, engines);

TYPED_TEST(Retrieval, MembersHaveTheirValuesSinglyAndInABatch) {
  const auto all = fuse_test::pairs(3000, this->width, 1);
  auto engine = this->built(all);
  EXPECT_EQ(engine.keys(), all.size());
  EXPECT_EQ(engine.width(), this->width);
  EXPECT_GE(engine.size_in_bits(), all.size() * this->width);
  EXPECT_EQ(fuse_test::wrong(engine, all), 0U);
  engine.check();  // what it built it also accepts
  EXPECT_EQ(fuse_test::wrong(engine, all), 0U);
}
TYPED_TEST(Retrieval, KeysAreDistinct) {
  auto all = fuse_test::pairs(500, this->width, 2);
  const auto once = this->built(all);
  all.insert(all.end(), all.begin(), all.begin() + 100);
  EXPECT_EQ(this->built(all).keys(), 500U);
  EXPECT_TRUE(this->built(all) == once);
}
TYPED_TEST(Retrieval, WithoutKeysEveryValueIsZero) {
  const auto asked = fuse_test::digests(200, 3);
  for (const TypeParam& engine : {TypeParam{}, this->built({})}) {
    EXPECT_EQ(engine.keys(), 0U);
    std::vector<valued> zeros;
    for (const digest& d : asked) zeros.push_back({d, 0});
    EXPECT_EQ(fuse_test::wrong(engine, zeros), 0U);
  }
}
TYPED_TEST(Retrieval, CopiesAreEqualAndOthersAreNot) {
  const auto all = fuse_test::pairs(800, this->width, 4);
  const auto engine = this->built(all);
  const TypeParam copy = engine;  // NOLINT: the copy is what is tested
  EXPECT_TRUE(copy == engine);
  EXPECT_EQ(fuse_test::wrong(copy, all), 0U);
  EXPECT_FALSE(this->built(fuse_test::pairs(800, this->width, 5)) == engine);
  EXPECT_FALSE(TypeParam{} == engine);
}

// ---- what the two contracts for users promise ----

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

}  // namespace
}  // namespace umbel::core::contracts_test
