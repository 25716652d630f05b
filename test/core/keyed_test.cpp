// keyed_test.cpp - kinds that share an engine stay apart.
#include <map>
#include <string_view>
#include <typeindex>

#include <gtest/gtest.h>

#include <umbel/core/keyed.hpp>
#include <umbel/umbel.hpp>

namespace {

template <class A, class B>
concept merges_with = requires(A a, const B& b) {
  a.merge(b);
};
template <class A, class B>
concept intersects_with = requires(A a, const B& b) {
  a.intersect(b);
};
template <class A, class B>
concept compares_with = requires(const A& a, const B& b) {
  a == b;
};

static_assert(merges_with<umbel::bloom_filter, umbel::bloom_filter>);
static_assert(compares_with<umbel::retouched_bloom_filter, umbel::retouched_bloom_filter>);
// A retouched filter may forget keys: in a Bloom filter it would break the promise.
static_assert(!merges_with<umbel::bloom_filter, umbel::retouched_bloom_filter>);
static_assert(!intersects_with<umbel::bloom_filter, umbel::best_of_bloom_filter>);
static_assert(!compares_with<umbel::bloom_filter, umbel::retouched_bloom_filter>);
static_assert(!compares_with<umbel::best_of_bloom_filter, umbel::retouched_bloom_filter>);

template <class Engine, class Kind>
std::type_index face_of(const umbel::core::keyed<Engine, Kind>*) {
  return typeid(umbel::core::keyed<Engine, Kind>);
}

TEST(Keyed, NoTwoKindsShareAFace) {
  std::map<std::type_index, std::string_view> faces;
#define UMBEL_KIND(folder, kind, summary)                                                       \
  {                                                                                             \
    const auto [at, fresh] = faces.emplace(face_of(static_cast<umbel::kind*>(nullptr)), #kind); \
    EXPECT_TRUE(fresh) << #kind " can be merged with " << at->second;                           \
  }
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
  EXPECT_GE(faces.size(), 54u);
}

}  // namespace
