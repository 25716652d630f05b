// retrieval_laws_test.cpp - what every retrieval engine promises (engine/retrieval/retrieval.hpp),
// in every form it can be built in: members have their values, singly and in batches, whatever
// order they came in; what was stored is read back, and nothing else is believed.
#include <umbel/engine/retrieval/retrieval.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/perfect/slots.hpp>
#include <umbel/engine/retrieval/any_graph.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/matrix/build.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/engine/retrieval/sparse_build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/engine/retrieval/xor.hpp>
#include <umbel/umbel.hpp>

#include "support/fuse_keys.hpp"
#include "support/memory_file.hpp"
#include "support/stored.hpp"

namespace umbel::core::retrieval_laws_test {
namespace {

// ---- which classes are engines ----

using engines = ::testing::Types<peeled<fuse<3>>, peeled<fuse<4>>, peeled<xor_graph<3>>,
                                 peeled<scattered>, peeled<any_graph>, sparse, ribbon, matrix,
                                 slotted<>, slotted<cells::shared_packed>>;

// The adaptors take engines, and refuse structures that are close to one: a map, and an exact set.
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
inline constexpr bool adapted<::testing::Types<Engine...>> =
    ((retrieval<Engine> && makes_a_filter<Engine> && makes_a_map<Engine>)&&...);
static_assert(adapted<engines>);
static_assert(!retrieval<digest> && !retrieval<hasher> && !retrieval<fuse<3>>);
static_assert(!makes_a_filter<binary_fuse_map> && !makes_a_filter<umbel::exact_set> &&
              !makes_a_filter<bloom_filter>);
static_assert(!makes_a_map<binary_fuse_map> && !makes_a_map<umbel::exact_set> &&
              !makes_a_map<bloom_filter>);
// No kind is an engine: engines know no keys, only digests.
#define UMBEL_KIND(folder, kind, summary) static_assert(!retrieval<umbel::kind>, #kind);
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

// An engine without its batch, and one that builds something else, are none.
struct without_batch : peeled<fuse<3>> {
  void values() = delete;
};
static_assert(!retrieval<without_batch>);

// ---- the forms an engine can be built in ----

template <class Engine>
struct form {
  std::string name;
  typename Engine::build_options options{};

  // Whether rows come from functions drawn from a seed, which a field holds.
  [[nodiscard]] bool is_drawn() const {
    if constexpr (requires { options.source; }) return options.source == matrix_source::pairwise;
    return false;
  }
};

template <class Graph>
std::vector<form<peeled<Graph>>> forms_of(const peeled<Graph>*) {
  std::vector<form<peeled<Graph>>> out{{"whole", {}}};
  out.push_back({"sharded", {.shard_from = 64}});
  return out;
}
std::vector<form<peeled<any_graph>>> forms_of(const peeled<any_graph>*) {
  std::vector<form<peeled<any_graph>>> out;
  for (const auto graph : {graph_form::random, graph_form::partitioned, graph_form::fuse})
    for (const unsigned arity : {2U, 3U, 4U}) {
      if (graph == graph_form::fuse && arity == 2) continue;
      for (const std::uint64_t shard_from : {std::uint64_t{64}, sizing::peel_shard_from})
        out.push_back({std::to_string(static_cast<unsigned>(graph)) + " of arity " +
                           std::to_string(arity) + ", shards from " + std::to_string(shard_from),
                       {.graph = {.form = graph, .arity = arity}, .shard_from = shard_from}});
    }
  return out;
}
std::vector<form<sparse>> forms_of(const sparse*) {
  std::vector<form<sparse>> out;
  for (unsigned probes = 3; probes <= 8; ++probes)
    out.push_back({std::to_string(probes) + " probes", {.probes = probes}});
  return out;
}
std::vector<form<ribbon>> forms_of(const ribbon*) {
  std::vector<form<ribbon>> out;
  for (std::size_t i = 0; i < ribbon_preset_names.size(); ++i)
    for (const std::uint64_t shard_from : {std::uint64_t{64}, sizing::peel_shard_from})
      out.push_back(
          {std::string(ribbon_preset_names[i]) + ", shards from " + std::to_string(shard_from),
           {.preset = static_cast<ribbon_preset>(i), .shard_from = shard_from}});
  return out;
}
std::vector<form<matrix>> forms_of(const matrix*) {
  std::vector<form<matrix>> out;
  for (std::size_t i = 0; i < matrix_form_names.size(); ++i)
    out.push_back({std::string(matrix_form_names[i]), {.form = static_cast<matrix_form>(i)}});
  out.push_back({"pairwise", {.source = matrix_source::pairwise}});
  out.push_back({"one level", {.levels = 1}});
  return out;
}
template <class Cells>
std::vector<form<slotted<Cells>>> forms_of(const slotted<Cells>*) {
  std::vector<form<slotted<Cells>>> out;
  for (std::size_t i = 0; i < perfect_preset_names.size(); ++i)
    out.push_back(
        {std::string(perfect_preset_names[i]), {.preset = static_cast<perfect_preset>(i)}});
  out.push_back({"in parts", {.shard_from = 64}});
  return out;
}

template <class Engine>
class RetrievalLaws : public ::testing::Test {
 protected:
  using engine = Engine;
  using all_forms = std::vector<form<Engine>>;

  [[nodiscard]] static all_forms forms() { return forms_of(static_cast<const Engine*>(nullptr)); }
  [[nodiscard]] static Engine built(const std::vector<valued>& all, const form<Engine>& as,
                                    unsigned width, unsigned threads = 1) {
    auto options = as.options;
    options.width = width;
    options.threads = threads;
    return Engine::build(::fuse_test::spooled(all), options, any_value{});
  }
  // What an engine must answer: the values it was given. One that makes all members answer 0 has
  // no values (`all_zero`, see tagged.hpp).
  [[nodiscard]] static std::vector<valued> promised(std::vector<valued> all,
                                                    [[maybe_unused]] const form<Engine>& as) {
    if constexpr (requires { Engine{}.all_zero(); })
      if (built(all, as, width).all_zero())
        for (valued& v : all) v.value = 0;
    return all;
  }
  // Cells that threads share are of whole machine words.
  [[nodiscard]] static std::vector<unsigned> widths() {
    if constexpr (std::same_as<Engine, slotted<cells::shared_packed>>) return {8, 16, 32, 64};
    std::vector<unsigned> out;
    for (unsigned width = 1; width <= 64; ++width) out.push_back(width);
    return out;
  }
  static constexpr unsigned width = 16;
};
TYPED_TEST_SUITE(RetrievalLaws, engines);

TYPED_TEST(RetrievalLaws, MembersHaveTheirValuesAtEveryWidth) {
  for (const auto& as : this->forms())
    for (const unsigned width : this->widths()) {
      const auto all = ::fuse_test::pairs(200, width, width);
      const auto engine = this->built(all, as, width);
      ASSERT_EQ(engine.keys(), all.size()) << as.name;
      ASSERT_EQ(engine.width(), width) << as.name;
      ASSERT_GE(engine.size_in_bits(), all.size() * width) << as.name;
      ASSERT_EQ(::fuse_test::wrong(engine, this->promised(all, as)), 0U)
          << as.name << ", " << width << " bits";
    }
}

// Of members and non-members, of any number of them.
TYPED_TEST(RetrievalLaws, ABatchAnswersAsSingleCallsDo) {
  for (const auto& as : this->forms()) {
    const auto engine = this->built(::fuse_test::pairs(1500, this->width, 1), as, this->width);
    for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 129U, 2000U}) {
      std::vector<digest> asked;
      for (std::uint64_t i = 0; i < count; ++i)
        asked.push_back(::fuse_test::digest_of(i, 1 + i % 2));
      std::size_t next = 0;
      engine.values(
          count, [&](std::size_t i) { return asked[i]; }, any_note{},
          [&](std::size_t i, std::uint64_t, std::uint64_t value) {
        ASSERT_EQ(i, next++) << "in order";
        ASSERT_EQ(value, engine.value(asked[i])) << as.name << ", key " << i << " of " << count;
          });
      ASSERT_EQ(next, count) << as.name;
    }
  }
}

TYPED_TEST(RetrievalLaws, TheOrderOfKeysDoesNotShow) {
  for (const auto& as : this->forms()) {
    const auto all = ::fuse_test::pairs(1500, this->width, 2);
    const auto engine = this->built(all, as, this->width);
    const auto bytes = test::bytes_of(engine);
    const auto other_way = ::fuse_test::shuffled(all, 3);
    EXPECT_TRUE(this->built(other_way, as, this->width) == engine) << as.name;
    EXPECT_EQ(test::bytes_of(this->built(other_way, as, this->width)), bytes) << as.name;
    EXPECT_EQ(test::bytes_of(this->built(other_way, as, this->width, 2)), bytes)
        << as.name << ", two threads";
  }
}

TYPED_TEST(RetrievalLaws, CopiesOfAKeyDoNotShow) {
  for (const auto& as : this->forms()) {
    auto all = ::fuse_test::pairs(500, this->width, 4);
    const auto once = this->built(all, as, this->width);
    all.insert(all.end(), all.begin(), all.begin() + 100);
    const auto twice = this->built(all, as, this->width);
    EXPECT_EQ(twice.keys(), 500U) << as.name;
    EXPECT_TRUE(twice == once) << as.name;
  }
}

TYPED_TEST(RetrievalLaws, OneKeyWithTwoValuesIsAConflict) {
  for (const auto& as : this->forms())
    for (const std::uint64_t n : {1U, 500U}) {
      auto all = ::fuse_test::pairs(n, this->width, 5);
      all.push_back({all[n / 2].key, all[n / 2].value ^ 1});
      EXPECT_THROW((void)this->built(all, as, this->width), conflict)
          << as.name << ", " << n << " keys";
    }
}

TYPED_TEST(RetrievalLaws, FewKeys) {
  for (const auto& as : this->forms())
    for (std::uint64_t n = 1; n <= 8; ++n) {
      const auto all = ::fuse_test::pairs(n, this->width, 6);
      const auto engine = this->built(all, as, this->width);
      ASSERT_EQ(engine.keys(), n) << as.name;
      ASSERT_EQ(::fuse_test::wrong(engine, this->promised(all, as)), 0U)
          << as.name << ", " << n << " keys";
    }
}

TYPED_TEST(RetrievalLaws, WithoutKeysEveryValueIsZero) {
  std::vector<valued> zeros;
  for (const digest& d : ::fuse_test::digests(200, 7)) zeros.push_back({d, 0});
  for (const auto& as : this->forms())
    for (const TypeParam& engine : {TypeParam{}, this->built({}, as, this->width)}) {
      EXPECT_EQ(engine.keys(), 0U) << as.name;
      EXPECT_EQ(::fuse_test::wrong(engine, zeros), 0U) << as.name;
    }
}

TYPED_TEST(RetrievalLaws, CopiesAreEqualAndOthersAreNot) {
  for (const auto& as : this->forms()) {
    const auto all = ::fuse_test::pairs(800, this->width, 8);
    const auto engine = this->built(all, as, this->width);
    const TypeParam copy = engine;  // NOLINT: the copy is what is tested
    EXPECT_TRUE(copy == engine) << as.name;
    EXPECT_EQ(::fuse_test::wrong(copy, this->promised(all, as)), 0U) << as.name;
    EXPECT_FALSE(this->built(::fuse_test::pairs(800, this->width, 9), as, this->width) == engine)
        << as.name;
    EXPECT_FALSE(TypeParam{} == engine) << as.name;
  }
}

TYPED_TEST(RetrievalLaws, WhatIsStoredIsReadBack) {
  for (const auto& as : this->forms())
    for (const std::uint64_t n : {0U, 1U, 700U}) {
      const auto all = ::fuse_test::pairs(n, this->width, 10);
      const auto expected = this->promised(all, as);
      auto engine = this->built(all, as, this->width);
      engine.check();  // what it built it also accepts
      const auto again = test::read_back(engine);
      EXPECT_TRUE(again == engine) << as.name << ", " << n << " keys";
      EXPECT_EQ(::fuse_test::wrong(again, expected), 0U) << as.name;
      // And mapped, which owns none of its cells.
      const test::memory_file file(test::bytes_of(engine));
      const auto mapped = open<test::stored<TypeParam>>(file.path());
      EXPECT_TRUE(mapped->part == engine) << as.name << ", " << n << " keys";
      EXPECT_EQ(::fuse_test::wrong(mapped->part, expected), 0U) << as.name;
      const TypeParam owned = mapped->part;
      EXPECT_EQ(test::bytes_of(owned), test::bytes_of(engine)) << as.name;
    }
}

// Every field, set to what no build can have written: all ones. And every array, one word short. A
// seed may be any number.
TYPED_TEST(RetrievalLaws, NonsenseIsRefused) {
  for (const auto& as : this->forms()) {
    const auto engine = this->built(::fuse_test::pairs(700, this->width, 11), as, this->width);
    for (std::size_t number = 0;; ++number) {
      TypeParam spoiled = engine;
      auto one = test::spoiler::field(number, ~std::uint64_t{0});
      const bool changed = one.spoil(spoiled);
      if (!one.found()) {
        EXPECT_GT(number, 1U) << "keys and width at least";
        break;
      }
      const bool is_seed = one.name() == "draw" && as.is_drawn();
      EXPECT_EQ(changed && test::passes(spoiled), is_seed) << as.name << ": " << one.name();
    }
    std::size_t shortened = 0;
    for (std::size_t number = 0;; ++number) {
      TypeParam spoiled = engine;
      auto one = test::spoiler::array(number);
      const bool changed = one.spoil(spoiled);
      if (!one.found()) break;
      shortened += changed;
      EXPECT_FALSE(changed && test::passes(spoiled)) << as.name << ": " << one.name();
    }
    EXPECT_GT(shortened, 0U) << as.name;
  }
}

}  // namespace
}  // namespace umbel::core::retrieval_laws_test
