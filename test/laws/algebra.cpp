// algebra.cpp - the algebra of sets, for arbitrary sets: RapidCheck draws them, shrinks what fails and prints it.
// Keys are small numbers, so that drawn sets overlap often. The seed is fixed in support/environment.hpp.
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
  // What expands may lay the entries of one side out beside those of the other: then it is the answers that are the same.
  [[nodiscard]] bool same(const structure& a, const structure& b) const {
    if (!what().expands || is_its_keys(kind())) return a.equals(b);
    const auto asked = joined(sequence(256, [](std::uint64_t i) { return digest_of(i); }), strangers(2000, 1));
    return answers(a, asked) == answers(b, asked);
  }
};

TEST_P(MergeAlgebra, MergeCommutes) {
  rc::detail::checkGTest(
      [&](const numbers& a, const numbers& b) { RC_ASSERT(same(*merged(*of(a), *of(b)), *merged(*of(b), *of(a)))); });
}
TEST_P(MergeAlgebra, MergeAssociates) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b, const numbers& c) {
    const auto left = merged(*merged(*of(a), *of(b)), *of(c));
    const auto right = merged(*of(a), *merged(*of(b), *of(c)));
    RC_ASSERT(same(*left, *right));
    RC_ASSERT(!left->equals(*right) || left->encode() == right->encode());
  });
}
TEST_P(MergeAlgebra, MergeIsInsertion) {
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto grown = of(a);
    grown->insert(keys_of(b));
    if (is_its_keys(kind())) {
      RC_ASSERT(merged(*of(a), *of(b))->equals(*grown));
    } else {
      RC_ASSERT(static_cast<bool>(forgets_nothing(*merged(*of(a), *of(b)), joined(keys_of(a), keys_of(b)))));
    }
  });
}
TEST_P(MergeAlgebra, MergeIsIdempotent) {
  if (what().counts) return;  // counting kinds add up
  rc::detail::checkGTest([&](const numbers& a) { RC_ASSERT(merged(*of(a), *of(a))->equals(*of(a))); });
}
TEST_P(MergeAlgebra, IntersectLiesBelowBothAndAboveTheCommonKeys) {
  if (!has_verb(*of({1}), [](structure& s) { s.intersect(s); })) return;
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
TEST_P(MergeAlgebra, AbsorptionHolds) {
  if (!has_verb(*of({1}), [](structure& s) { s.intersect(s); })) return;
  rc::detail::checkGTest([&](const numbers& a, const numbers& b) {
    const auto x = merged(*of(a), *of(b));
    x->intersect(*of(a));
    RC_ASSERT(x->equals(*of(a)));  // (A or B) and A == A
  });
}
TEST_P(MergeAlgebra, FoldCommutesWithInsertAndMerge) {
  if (!has_verb(*of({1}), [](structure& s) { s.fold(); })) return;
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
UMBEL_KINDS_THAT([](const any::kind& k) { return merges(k) && grows(k); }, MergeAlgebra);

class BuildAlgebra : public Algebra {};

// One set, however often and in whatever order its keys are told.
TEST_P(BuildAlgebra, ASetIsItsKeys) {
  if (what().counts) return;  // counting kinds tell repeats apart
  const any::options wish{.keys = what().is_static ? std::nullopt : std::optional<std::uint64_t>(100), .fpr = 0.01};
  rc::detail::checkGTest([&](const numbers& told) {
    const auto again = shuffled(joined(told, told), told.size());
    const auto once = build(keys_of(told), wish), twice = build(keys_of(again), wish);
    RC_ASSERT(once->equals(*twice));
    RC_ASSERT(once->encode() == twice->encode());
  });
}
TEST_P(BuildAlgebra, ForgetsNothing) {
  if (what().may_forget) return;
  rc::detail::checkGTest([&](const std::vector<std::uint64_t>& told) {
    const auto keys = sequence(told.size(), [&](std::uint64_t i) { return digest_of(told[i]); });
    RC_ASSERT(static_cast<bool>(forgets_nothing(*build(keys), keys)));
  });
}
TEST_P(BuildAlgebra, BytesComeBack) {
  rc::detail::checkGTest([&](const numbers& told) {
    const auto made = build(keys_of(told));
    const auto bytes = made->encode();
    const auto again = kind().decode(bytes, {});
    RC_ASSERT(again->equals(*made));
    RC_ASSERT(again->encode() == bytes);
  });
}
UMBEL_EVERY_KIND(BuildAlgebra);

}  // namespace
}  // namespace umbel::test
