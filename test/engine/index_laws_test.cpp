// index_laws_test.cpp - what every index promises (engine/probe/index.hpp): positions that are
// inside, that follow from digest and geometry alone, and that a stored index names again.
#include <umbel/engine/probe/index.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/engine/probe/banked.hpp>
#include <umbel/engine/probe/choices.hpp>
#include <umbel/engine/probe/counted_probes.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/literal_probes.hpp>
#include <umbel/engine/probe/one_of_k.hpp>
#include <umbel/engine/probe/probe_table.hpp>
#include <umbel/engine/probe/row_probes.hpp>
#include <umbel/engine/probe/selected_probes.hpp>
#include <umbel/engine/probe/slice_probes.hpp>
#include <umbel/engine/probe/threshold_probes.hpp>

#include "support/fuse_keys.hpp"
#include "support/schemes.hpp"
#include "support/stored.hpp"

namespace umbel::core::index_laws_test {
namespace {

using positions = std::vector<std::uint64_t>;

std::vector<digest> keys() {
  auto out = ::fuse_test::digests(300, 1);
  for (const std::uint64_t edge : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63})
    for (const std::uint64_t other : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}})
      out.push_back({edge, other});
  return out;
}

// All of a key, walk after walk; how many cells each walk has, before them.
template <class Index>
positions of(const Index& at, digest d) {
  positions out;
  auto walk = at.start(d);
  do {
    out.push_back(cells_of(at, walk));
    each_of(at, walk, [&](std::uint64_t cell) { out.push_back(cell); });
  } while (another(at, walk));
  return out;
}

// ---- every index, in geometries of all sizes ----

std::vector<k_probes> samples(const k_probes*) {
  std::vector<k_probes> out;
  for (const scheme how : support::every_scheme())
    for (const std::uint64_t cells : {1ULL, 2ULL, 64ULL, 1021ULL, 4096ULL, 95'851ULL, 1ULL << 40})
      for (const unsigned probes : {1U, 2U, 7U, 30U})
        out.push_back(support::shape_of(how, cells, probes));
  out.emplace_back(1U << 20, 8, 7);
  out.emplace_back(std::uint64_t{1} << 56, 1024);
  return out;
}
std::vector<banked> samples(const banked*) {
  std::vector<banked> out;
  for (const std::uint64_t banks : {1U, 2U, 16U, 4096U})
    for (const std::uint64_t each : {1U, 2U, 1021U})
      for (const unsigned probes : {1U, 2U, 12U})
        if (probes <= banks) out.emplace_back(banks * each, probes, banks);
  return out;
}
std::vector<slice_probes> samples(const slice_probes*) {
  std::vector<slice_probes> out;
  for (const std::uint64_t slice : {1U, 3U, 64U, 10'000U})
    for (const unsigned probes : {1U, 2U, 13U})
      for (const std::uint64_t salt : {0U, 5U})
        out.push_back(slice_probes::of(slice, probes, salt));
  return out;
}
std::vector<choices> samples(const choices*) {
  std::vector<choices> out;
  for (const std::uint64_t cells : {1U, 100U, 4096U, 95'851U})
    for (unsigned groups = sizing::min_choices; groups <= sizing::max_choices; ++groups)
      out.emplace_back(cells, 5, groups);
  return out;
}
using counted = counted_probes<probe_table>;
std::vector<counted> samples(const counted*) {
  pair_spool numbers;  // of every second random key
  const auto some = ::fuse_test::digests(300, 1);
  for (std::size_t i = 0; i < some.size(); i += 2) numbers.add(valued{some[i], i % 64});
  const auto table = probe_table::build(numbers);
  std::vector<counted> out;
  for (const std::uint64_t cells : {1U, 1021U, 4096U, 95'851U})
    for (const auto& of : {probe_table(), table}) out.emplace_back(k_probes(cells, 6), of);
  return out;
}
std::vector<literal_probes> samples(const literal_probes*) {
  std::vector<literal_probes> out;
  for (const std::uint64_t bits : {1U, 2U, 1021U, 95'851U})
    for (const auto& [sets, clears] : {std::pair{1U, 0U}, {1U, 1U}, {8U, 0U}, {8U, 8U}, {3U, 64U}})
      out.emplace_back(bits, sets, clears);
  return out;
}
std::vector<one_of_k> samples(const one_of_k*) {
  std::vector<one_of_k> out;
  for (const k_probes& all : samples(static_cast<const k_probes*>(nullptr))) out.emplace_back(all);
  return out;
}
std::vector<row_probes> samples(const row_probes*) {
  std::vector<row_probes> out;
  for (const std::uint64_t cells : {1U, 1021U, 4096U})
    for (const std::uint64_t rows : {1U, 2U, 5U})
      for (const bool hashed : {false, true}) {
        out.emplace_back(k_probes(cells, 4), rows, hashed);
        if (!hashed) out.back().use(static_cast<unsigned>(rows));
      }
  return out;
}
std::vector<selected_probes> samples(const selected_probes*) {
  std::vector<selected_probes> out;
  for (const std::uint64_t cells : {1U, 1021U, 95'851U})
    for (const std::uint64_t groups : {1U, 17U}) {
      selected_probes one(k_probes(cells, 5), groups, 3);
      for (std::uint64_t i = 0; i < groups; ++i) one.choices().set(i, i * 5 % 8);
      out.push_back(one);
    }
  return out;
}
std::vector<threshold_probes> samples(const threshold_probes*) {
  std::vector<threshold_probes> out;
  for (const std::uint64_t cells : {1U, 1021U, 95'851U})
    for (const auto& [marks, needed] : {std::pair{1U, 1U}, {7U, 5U}, {10U, 10U}})
      out.emplace_back(cells, 10, marks, needed);
  return out;
}

// What the number of cells must be a multiple of, so that the index can be halved.
template <class Index>
std::uint64_t halves_by(const Index&) {
  return 2;
}
std::uint64_t halves_by(const k_probes& at) {
  return at.scheme() == scheme::partitioned ? 2 * at.probes() : steps_modulo(at.scheme()) ? 4 : 2;
}
std::uint64_t halves_by(const banked& at) { return 2 * at.banks(); }

// What is stored with it, beside its fields: the reader has filled these when it calls check().
template <class Index>
Index beside_fields(const Index&) {
  return {};
}
counted beside_fields(const counted& of) { return {k_probes(), of.table()}; }
selected_probes beside_fields(const selected_probes& of) {
  selected_probes out;
  out.choices() = of.choices();
  return out;
}
row_probes beside_fields(const row_probes& of) {  // how many rows are in use is not of the index
  row_probes out;
  out.use(of.used());
  return out;
}

using indices = ::testing::Types<k_probes, banked, slice_probes, choices, counted, literal_probes,
                                 one_of_k, row_probes, selected_probes, threshold_probes>;

template <class Index>
class IndexLaws : public ::testing::Test {
  static_assert(core::index<Index>);

 protected:
  [[nodiscard]] static std::vector<Index> all() {
    return samples(static_cast<const Index*>(nullptr));
  }
  // Fields, one after another; none of an index that is never stored.
  [[nodiscard]] static std::vector<std::uint64_t> fields_of(Index at) {
    std::vector<std::uint64_t> out;
    if constexpr (is_stored)
      Index::fields(at, [&](std::string_view, auto& value, const auto&...) {
        out.push_back(static_cast<std::uint64_t>(value));
      });
    return out;
  }
  static constexpr bool is_stored = requires(Index & at) {
    Index::fields(at, [](std::string_view, auto&, const auto&...) {});
  };
};
TYPED_TEST_SUITE(IndexLaws, indices);

TYPED_TEST(IndexLaws, PositionsAreInside) {
  for (const auto& at : this->all()) {
    ASSERT_GE(at.cells(), 1U);
    ASSERT_GE(at.probes(), 1U);
    for (const digest& d : keys()) {
      auto walk = at.start(d);
      do each_of(at, walk, [&](std::uint64_t cell) { ASSERT_LT(cell, at.cells()); });
      while (another(at, walk));
    }
  }
}

// A walk has as many steps as the index says, unless the index counts each for itself.
TYPED_TEST(IndexLaws, AWalkHasItsProbes) {
  for (const auto& at : this->all())
    for (const digest& d : keys()) {
      std::size_t steps = 0;
      const auto walk = at.start(d);
      each_of(at, walk, [&](std::uint64_t) { ++steps; });
      if constexpr (counting_by_walk<TypeParam>) {
        ASSERT_EQ(steps, at.probes(walk));
        ASSERT_LE(steps, 63U) << "what a table can say";
      } else {
        ASSERT_EQ(steps, at.probes());
      }
      if constexpr (tolerant<TypeParam>) {
        ASSERT_LE(at.marks(), at.probes());
        ASSERT_LT(at.spare(), at.probes()) << "or a key would need no cell";
      }
    }
}

// Nothing but digest and geometry counts: not what was asked before, not which copy is asked.
TYPED_TEST(IndexLaws, PositionsFollowFromDigestAndGeometryAlone) {
  const auto alike = this->all();
  std::size_t i = 0;
  for (const auto& at : this->all()) {
    const auto& twin = alike[i++];
    const TypeParam copy = at;  // NOLINT: the copy is what is tested
    std::vector<positions> first;
    for (const digest& d : keys()) first.push_back(of(at, d));
    std::size_t key = 0;
    for (const digest& d : keys()) {
      ASSERT_EQ(of(at, d), first[key]) << "asked again";
      ASSERT_EQ(of(copy, d), first[key]) << "a copy";
      ASSERT_EQ(of(twin, d), first[key]) << "another of this geometry";
      ++key;
    }
  }
}

// A batch stops a walk and goes on with it, many at once.
TYPED_TEST(IndexLaws, AWalkGoesOnFromWhereItWas) {
  for (const auto& at : this->all()) {
    const auto some = keys();
    for (std::size_t i = 0; i + 1 < some.size(); i += 2) {
      auto one = at.start(some[i]), other = at.start(some[i + 1]);
      const unsigned steps = std::min(cells_of(at, one), cells_of(at, other));
      positions alone, other_alone;
      each_of(at, one, [&](std::uint64_t cell) { alone.push_back(cell); });
      each_of(at, other, [&](std::uint64_t cell) { other_alone.push_back(cell); });
      for (unsigned step = 0; step < steps; ++step) {
        auto copy = one;
        ASSERT_EQ(at.next(copy), alone[step]) << "a copy of the walk";
        ASSERT_EQ(at.next(one), alone[step]);
        ASSERT_EQ(at.next(other), other_alone[step]) << "in turns";
      }
    }
  }
}

// Loops over many keys take a form whose steps are inlined, and single queries one by words.
TYPED_TEST(IndexLaws, EveryWayNamesTheSameCells) {
  for (const auto& at : this->all())
    for (const digest& d : keys()) {
      with_fixed(at, [&](const auto& inlined) {
        static_assert(core::index<std::remove_cvref_t<decltype(inlined)>>);
        ASSERT_EQ(inlined.cells(), at.cells());
        ASSERT_EQ(inlined.probes(), at.probes());
        ASSERT_EQ(of(inlined, d), of(at, d));
      });
      if constexpr (requires { at.has_words(); }) {
        if (!at.has_words()) continue;
        const typename TypeParam::by_words words(at);
        auto short_walk = words.start(d);
        auto walk = at.start(d);
        for (unsigned i = 0; i < at.probes(); ++i) {
          const cells::bit_spot spot = words.next(short_walk);
          ASSERT_EQ(spot.word * 64 + spot.bit, at.next(walk));
        }
      }
    }
}

// Each walk of an index with choices is of its own number and begins anew.
TYPED_TEST(IndexLaws, ChoicesAreNumbered) {
  for (const auto& at : this->all())
    for (const digest& d : keys()) {
      auto walk = at.start(d);
      unsigned walks = 1;
      if constexpr (choosing<TypeParam>) {
        ASSERT_EQ(walk.number, 0U);
        for (; another(at, walk); ++walks) {
          ASSERT_EQ(walk.number, walks);
          auto begun = at.start(d, walks);
          auto copy = walk;
          ASSERT_EQ(at.next(copy), at.next(begun));
        }
        ASSERT_EQ(walks, std::max(1U, at.groups()));
      } else {
        ASSERT_FALSE(another(at, walk));
      }
    }
}

// Half an index names half of each position, or each position modulo half: so filters fold.
TYPED_TEST(IndexLaws, AHalvedIndexNamesHalfOfEachPosition) {
  [[maybe_unused]] std::size_t halved = 0;
  for ([[maybe_unused]] const auto& at : this->all()) {
    if constexpr (requires { at.halved(); }) {
      if (at.cells() % halves_by(at) != 0) {
        EXPECT_THROW((void)at.halved(), bad_parameter) << at.in_words();
        continue;
      }
      const TypeParam half = at.halved();
      ++halved;
      ASSERT_EQ(half.cells() * 2, at.cells());
      for (const digest& d : keys()) {
        auto small = half.start(d);
        auto large = at.start(d);
        for (unsigned i = 0, steps = cells_of(at, large); i < steps; ++i) {
          const std::uint64_t cell = at.next(large);
          ASSERT_EQ(half.next(small), at.folds_onto_itself() ? cell % half.cells() : cell / 2)
              << at.in_words();
        }
      }
    }
  }
  if constexpr (requires(const TypeParam& at) { at.halved(); }) {
    EXPECT_GT(halved, 0U);
  }
}

TYPED_TEST(IndexLaws, CopiesAreEqualAndOtherGeometriesAreNot) {
  const auto all = this->all(), again = this->all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i] == again[i]) << i;
    for (std::size_t j = 0; j < i; ++j) {
      const bool alike = this->is_stored && all[i].cells() == all[j].cells() &&
                         this->fields_of(all[i]) == this->fields_of(all[j]);
      // Equal fields may still differ in a table beside them; different fields are never equal.
      if (this->is_stored && !alike) {
        EXPECT_FALSE(all[i] == all[j]) << i << ' ' << j;
      }
    }
  }
}

// Fields are all there is to an index, with the tables that some have beside them.
TYPED_TEST(IndexLaws, WhatIsStoredIsReadBack) {
  if constexpr (TestFixture::is_stored) {
    for (const auto& at : this->all()) {
      const auto stored = this->fields_of(at);
      TypeParam again = beside_fields(at);
      std::size_t i = 0;
      TypeParam::fields(again, [&](std::string_view, auto& value, const auto&...) {
        value = static_cast<std::remove_cvref_t<decltype(value)>>(stored[i++]);
      });
      again.check();
      EXPECT_TRUE(again == at);
      for (const digest& d : keys()) ASSERT_EQ(of(again, d), of(at, d));
    }
  } else {
    static_assert(std::same_as<TypeParam, one_of_k>, "an address, drawn anew by who needs it");
  }
}

// Of a field with another value check() refuses it, or it is the index of another geometry that
// keeps the first two laws. Zero and all ones are no geometry: a salt alone may be any number.
TYPED_TEST(IndexLaws, NonsenseIsRefused) {
  if constexpr (TestFixture::is_stored) {
    const auto some = keys();
    for (const auto& at : this->all())
      for (std::size_t number = 0;; ++number) {
        bool is_there = false;
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
              std::uint64_t{64}, std::uint64_t{1000}, std::uint64_t{1} << 32,
              (std::uint64_t{1} << 56) + 1, ~std::uint64_t{0}}) {
          TypeParam spoiled = at;
          auto one = test::spoiler::field(number, value);
          (void)one.spoil(spoiled);
          if (!one.found()) break;
          is_there = true;
          const bool taken = test::passes(spoiled);
          if (value > std::uint64_t{1} << 56 && one.name() != "salt") {
            EXPECT_FALSE(taken) << one.name() << ' ' << value;
          }
          if (value == 0 && (one.name() == "cells" || one.name() == "probes")) {
            EXPECT_FALSE(taken) << one.name();
          }
          if (!taken) continue;
          for (std::size_t i = 0; i < some.size(); i += 50) {
            const auto walk = spoiled.start(some[i]);
            std::uint64_t steps = 0;
            each_of(spoiled, walk, [&](std::uint64_t cell) {
              ++steps;
              ASSERT_LT(cell, spoiled.cells()) << one.name() << ' ' << value;
            });
            ASSERT_EQ(steps, cells_of(spoiled, walk));
          }
        }
        if (!is_there) {
          EXPECT_GE(number, 2U) << "cells and probes at least";
          break;
        }
      }
  } else {
    TypeParam fine;
    EXPECT_TRUE(test::passes(fine));
  }
}

// ---- the contract itself ----

struct without_next {
  [[nodiscard]] std::uint64_t cells() const { return 1; }
  [[nodiscard]] unsigned probes() const { return 1; }
  [[nodiscard]] int start(digest) const { return 0; }
};
struct without_size : without_next {
  void cells() const {}
  [[nodiscard]] std::uint64_t next(int&) const { return 0; }
};
struct smallest : without_next {
  [[nodiscard]] std::uint64_t next(int&) const { return 0; }
};
static_assert(core::index<smallest> && !core::index<without_next> && !core::index<without_size>);
static_assert(!core::index<digest> && !choosing<smallest> && !tolerant<smallest> &&
              !counting_by_walk<smallest>);
static_assert(choosing<choices> && choosing<row_probes> && tolerant<threshold_probes> &&
              counting_by_walk<counted>);

}  // namespace
}  // namespace umbel::core::index_laws_test
