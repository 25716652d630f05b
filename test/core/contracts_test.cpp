// contracts_test.cpp - who keeps which of the three contracts, as the compiler sees it.
#include <umbel/core/contracts.hpp>

#include <gtest/gtest.h>

#include <umbel/core/peeled_build.hpp>
#include <umbel/index/fuse.hpp>
#include <umbel/index/scattered.hpp>
#include <umbel/map/fuse4_map.hpp>
#include <umbel/map/fuse_map.hpp>
#include <umbel/map/sparse_map.hpp>
#include <umbel/map/xor_map.hpp>
#include <umbel/set/fuse_filter.hpp>

namespace umbel::core::contracts_test {
namespace {

static_assert(retrieval<peeled<index::fuse<3>>> && retrieval<peeled<index::fuse<4>>>);
static_assert(retrieval<peeled<index::partitioned<3>>> && retrieval<peeled<index::scattered>>);
static_assert(retrieval<sparse>);
static_assert(!retrieval<fuse_filter> && !retrieval<fuse_map> && !retrieval<int>);

static_assert(checked_map<fuse_map> && checked_map<fuse4_map> && checked_map<xor_map> && checked_map<sparse_map>);
static_assert(!checked_map<fuse_filter> && !checked_map<peeled<index::fuse<3>>>);

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
static_assert(adaptable<peeled<index::scattered>> && !adaptable<universe>);

TEST(Contracts, AreCheckedByTheCompiler) { SUCCEED(); }

}  // namespace
}  // namespace umbel::core::contracts_test
