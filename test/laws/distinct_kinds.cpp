// distinct_kinds.cpp - no two kinds are the same: they never store the same bytes for the same
// keys. The header of a file names its kind, so everything after it is compared.
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

std::string payload(const structure& of) {
  const auto bytes = of.encode();
  const auto front = codec::check_header(bytes, bytes.size()).bytes;
  return {reinterpret_cast<const char*>(bytes.data()) + front, bytes.size() - front};
}

void expect_distinct(std::uint64_t n, const any::options& options) {
  std::map<std::string, std::string_view> seen;
  for (const any::kind* const kind : any::kinds()) {
    if (any::options counted = options; !(counted.keys = n, in_reach(*kind, counted))) continue;
    const auto [at, fresh] =
        seen.try_emplace(payload(*built(*kind, members(n, 70), options)), kind->name());
    EXPECT_TRUE(fresh) << kind->name() << " and " << at->second << " are one kind, at n = " << n;
  }
}

// From ten keys on: a static map of one key sets one cell, where two graphs may agree by chance.
TEST(DistinctKinds, StoreDifferentBytes) {
  for (const std::uint64_t n : {10, 100, 1000, 10'000})
    for (const double fpr : {0.3, 0.01, 1.0 / 256, 1e-6}) expect_distinct(n, {.fpr = fpr});
}

// Built from keys alone, these filters are plain filters by design: they differ in verbs or tables.
bool is_told_more(const any::kind& kind) {
  return kind.traits().popularity_aware || kind.traits().may_forget;
}

std::vector<bool> passed_by(const any::kind& kind) {
  const answers said(*built(kind, members(1000, 71), {.fpr = 0.1}), non_members(20'000, 71));
  std::vector<bool> out;
  for (std::size_t i = 0; i < said.size(); ++i) out.push_back(said[i]);
  return out;
}

// Two kinds do not have the same false positives either: that would be the same filter under
// another name. A meta-map whose keys have one owner each is a map of their numbers.
TEST(DistinctKinds, ErrDifferently) {
  std::map<std::vector<bool>, std::string_view> seen;
  std::set<std::pair<std::string_view, std::string_view>> twins;
  for (const any::kind* const kind :
       kinds_that([](const any::kind& k) { return !is_told_more(k); })) {
    const auto passed = passed_by(*kind);
    const auto [at, fresh] = seen.try_emplace(passed, kind->name());
    // A map's tag is a filter's fingerprint by design: one adaptor serves both.
    if (!fresh && takes_pairs(*kind) == takes_pairs(any::kind_named(at->second)))
      twins.emplace(at->second, kind->name());
  }
  EXPECT_EQ(twins, (decltype(twins){{"binary-fuse4-map", "meta-map"}}));
}

// Kinds that take further input, and the plain kind that each equals without it: none is missing
// here.
TEST(DistinctKinds, WithoutFurtherInputTheyArePlainFilters) {
  std::map<std::string_view, kind_names> twins;
  for (const any::kind* const kind : kinds_that(is_told_more)) {
    const auto passed = passed_by(*kind);
    kind_names& out = twins[kind->name()];
    for (const any::kind* const other : any::kinds())
      if (other != kind && passed_by(*other) == passed) out.insert(other->name());
  }
  EXPECT_EQ(twins, (std::map<std::string_view, kind_names>{
                       {"aging-bloom-filter", {}},
                       {"generalized-bloom-filter", {}},
                       {"removable-bloom-filter", {}},
                       {"retouched-bloom-filter", {"bloom-filter", "weighted-bloom-filter"}},
                       {"variable-bloom-filter", {}},
                       {"weighted-bloom-filter", {"bloom-filter", "retouched-bloom-filter"}}}));
}

}  // namespace
}  // namespace umbel::test
