// algebra.cpp - set algebra on arbitrary sets: RapidCheck draws them, and shrinks and prints
// counterexamples. Keys are small numbers, so that drawn sets overlap often.
// support/environment.hpp fixes the seed.
#include "support/kind_test.hpp"

#include <rapidcheck/gtest.h>  // uses gtest without including it

namespace umbel::test {
namespace {

using numbers = std::vector<std::uint8_t>;

std::vector<digest> keys_of(const numbers& some) {
  return sequence(some.size(), [&](std::uint64_t i) { return digest_of(some[i]); });
}

class Algebra : public kind_test {
 protected:
  static constexpr std::uint64_t bits = 1 << 13;
  [[nodiscard]] structure_ptr of(const numbers& some) const {
    auto out = kind().create({.keys = 512, .bits = bits});
    out->insert(keys_of(some));
    return out;
  }
  [[nodiscard]] static structure_ptr merged(const structure& a, const structure& b) {
    auto out = a.clone();
    out->merge(b);
    return out;
  }
};
class MergeAlgebra : public Algebra {
 protected:
  // Kinds that expand may lay out the entries of the two sides differently: then the answers are
  // equal, not the bytes.
  [[nodiscard]] bool same(const structure& a, const structure& b) const {
    if (!traits().expands || is_its_keys(kind())) return a.equals(b);
    const auto asked =
        joined(sequence(256, [](std::uint64_t i) { return digest_of(i); }), non_members(2000, 1));
    return answers(a, asked) == answers(b, asked);
  }
};

TEST_P(MergeAlgebra, MergeCommutes) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    RC_ASSERT(same(*merged(*of(a), *of(b)), *merged(*of(b), *of(a))));
  });
}
TEST_P(MergeAlgebra, MergeAssociates) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b, const numbers& c) {
    const auto left = merged(*merged(*of(a), *of(b)), *of(c));
    const auto right = merged(*of(a), *merged(*of(b), *of(c)));
    RC_ASSERT(same(*left, *right));
    RC_ASSERT(left->equals(*right) == (left->encode() == right->encode()));
  });
}
TEST_P(MergeAlgebra, MergeIsInsertion) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto grown = of(a);
    grown->insert(keys_of(b));
    if (is_its_keys(kind())) {
      RC_ASSERT(merged(*of(a), *of(b))->equals(*grown));
    } else {
      const auto either = merged(*of(a), *of(b));
      const auto keys = joined(keys_of(a), keys_of(b));
      RC_ASSERT(static_cast<bool>(forgets_nothing(*either, keys)));
      RC_ASSERT(count_hits(*either, keys) == keys.size());
      RC_ASSERT(either->expected_fpr() >= std::max(of(a)->expected_fpr(), of(b)->expected_fpr()));
      RC_ASSERT(!keys.empty() || either->expected_fpr() == 0);
    }
  });
}
UMBEL_KINDS_ONLY(merges_as_it_grows, MergeAlgebra, merging_kinds);

class IdempotentMerge : public MergeAlgebra {};
TEST_P(IdempotentMerge, MergeIsIdempotent) {
  rc::detail::checkGTest(
      [&](const numbers& a) { RC_ASSERT(merged(*of(a), *of(a))->equals(*of(a))); });
}
bool merges_sets(const any::kind& kind) { return merges_as_it_grows(kind) && !counts(kind); }
UMBEL_KINDS_ONLY(merges_sets, IdempotentMerge, without(merging_kinds, {"quotient-filter"}));

// Kinds that count copies add them: erasing one side leaves the other, bit for bit.
class CountingMerge : public MergeAlgebra {};
TEST_P(CountingMerge, MergeAddsAndEraseSubtracts) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto both = merged(*of(a), *of(b));
    RC_ASSERT(both->erase(keys_of(b)) == b.size());
    RC_ASSERT(both->equals(*of(a)));
    const auto twice = merged(*of(a), *of(a));
    RC_ASSERT(twice->equals(*of(a)) == a.empty());
    RC_ASSERT(twice->erase(keys_of(a)) == a.size());
    RC_ASSERT(twice->equals(*of(a)));
  });
}
bool merges_counts(const any::kind& kind) { return merges_as_it_grows(kind) && counts(kind); }
UMBEL_KINDS_ONLY(merges_counts, CountingMerge, "quotient-filter");

class IntersectAlgebra : public MergeAlgebra {};
TEST_P(IntersectAlgebra, IntersectLiesBelowBothAndAboveTheCommonKeys) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b, const numbers& common) {
    const auto left = merged(*of(a), *of(common)), right = merged(*of(b), *of(common));
    const auto both = left->clone();
    both->intersect(*right);
    RC_ASSERT(merged(*both, *of(common))->equals(*both));  // above: the common keys add nothing
    RC_ASSERT(merged(*both, *left)->equals(*left));        // below: it adds nothing to either
    RC_ASSERT(merged(*both, *right)->equals(*right));
    const auto other_way = right->clone();
    other_way->intersect(*left);
    RC_ASSERT(other_way->equals(*both));
  });
}
TEST_P(IntersectAlgebra, AbsorptionHolds) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto x = merged(*of(a), *of(b));
    x->intersect(*of(a));
    RC_ASSERT(x->equals(*of(a)));  // (A or B) and A == A
  });
}
bool merges_and_intersects(const any::kind& kind) {
  return merges_as_it_grows(kind) && intersects(kind);
}
UMBEL_KINDS_ONLY(merges_and_intersects, IntersectAlgebra, intersecting_kinds);

class FoldAlgebra : public MergeAlgebra {};
TEST_P(FoldAlgebra, FoldCommutesWithInsertAndMerge) {
  const auto folded = [&](structure_ptr s) {
    s->fold();
    return s;
  };
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto inserted_late = folded(of(a));
    inserted_late->insert(keys_of(b));
    RC_ASSERT(folded(merged(*of(a), *of(b)))->equals(*merged(*folded(of(a)), *folded(of(b)))));
    if (is_its_keys(kind())) {
      RC_ASSERT(folded(merged(*of(a), *of(b)))->equals(*inserted_late));
    } else {
      RC_ASSERT(static_cast<bool>(forgets_nothing(*inserted_late, joined(keys_of(a), keys_of(b)))));
    }
  });
}
bool merges_and_folds(const any::kind& kind) { return merges_as_it_grows(kind) && folds(kind); }
UMBEL_KINDS_ONLY(merges_and_folds, FoldAlgebra, folding_kinds);

class BuildAlgebra : public Algebra {
 protected:
  [[nodiscard]] any::options asked() const {
    return {.keys = is_static(kind()) ? std::nullopt : std::optional<std::uint64_t>(100),
            .fpr = 0.01};
  }
};
class SetAlgebra : public BuildAlgebra {};
class RememberingAlgebra : public BuildAlgebra {};

// The same multiset in any order of its keys.
TEST_P(BuildAlgebra, OrderDoesNotMatter) {
  rc::detail::checkGTest([&](const numbers& told) {
    const auto once = build(keys_of(told), asked()),
               again = build(keys_of(shuffled(told, told.size())), asked());
    RC_ASSERT(once->equals(*again));
    RC_ASSERT(once->encode() == again->encode());
  });
}
// The same set in any order of its keys, with any repeats.
TEST_P(SetAlgebra, OrderAndRepeatsDoNotMatter) {
  rc::detail::checkGTest([&](const numbers& told) {
    const auto again = shuffled(joined(told, told), told.size());
    const auto once = build(keys_of(told), asked()), twice = build(keys_of(again), asked());
    RC_ASSERT(once->equals(*twice));
    RC_ASSERT(once->encode() == twice->encode());
  });
}
TEST_P(RememberingAlgebra, HasNoFalseNegatives) {
  rc::detail::checkGTest([&](const std::vector<std::uint64_t>& told) {
    const auto keys = sequence(told.size(), [&](std::uint64_t i) { return digest_of(told[i]); });
    RC_ASSERT(static_cast<bool>(forgets_nothing(*build(keys), keys)));
  });
}
TEST_P(BuildAlgebra, BytesDecodeToTheSameStructure) {
  rc::detail::checkGTest([&](const numbers& told) {
    const auto made = build(keys_of(told));
    const auto bytes = made->encode();
    const auto again = kind().decode(bytes, {});
    RC_ASSERT(again->equals(*made));
    RC_ASSERT(again->encode() == bytes);
  });
}
UMBEL_EVERY_KIND(BuildAlgebra);
UMBEL_KINDS_BUT(ignores_repeats, SetAlgebra, counting_kinds);
UMBEL_KINDS_BUT(remembers, RememberingAlgebra, forgetful_kinds);

}  // namespace
}  // namespace umbel::test
