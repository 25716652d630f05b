// contracts_test.cpp - who keeps which of the three contracts, as the compiler sees it.
#include <umbel/core/contracts.hpp>

#include <gtest/gtest.h>

#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/map/fuse4_map.hpp>
#include <umbel/map/fuse_map.hpp>
#include <umbel/map/sparse_map.hpp>
#include <umbel/map/xor_map.hpp>
#include <umbel/set/fuse_filter.hpp>

namespace umbel::core::contracts_test {
namespace {

static_assert(retrieval<peeled<core::fuse<3>>> && retrieval<peeled<core::fuse<4>>>);
static_assert(retrieval<peeled<core::xor_graph<3>>> && retrieval<peeled<core::scattered>>);
static_assert(retrieval<sparse>);
static_assert(!retrieval<fuse_filter> && !retrieval<fuse_map> && !retrieval<int>);

static_assert(checked_map<fuse_map> && checked_map<fuse4_map> && checked_map<xor_map> && checked_map<sparse_map>);
static_assert(!checked_map<fuse_filter> && !checked_map<peeled<core::fuse<3>>>);

// A set that may err has no `contains`; one that does not err has.
struct universe {
  [[nodiscard]] bool contains(digest) const noexcept { return true; }
};
static_assert(exact_set<universe> && !exact_set<fuse_filter> && !exact_set<fuse_map>);

// The adaptors take engines that keep the retrieval contract, and no others.
template <class Engine>
concept adaptable = requires {
  typename retrieval_filter<fuse_filter, Engine>;
};
static_assert(adaptable<peeled<core::scattered>> && !adaptable<universe>);

TEST(Contracts, AreCheckedByTheCompiler) { SUCCEED(); }

}  // namespace
}  // namespace umbel::core::contracts_test
