// weighted_tables.cpp - hostile files of weighted filters with a table, which the tests over the
// registry do not make.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/weighted_bloom_filter.hpp>

#include "support/file_image.hpp"
#include "support/hostile_walks.hpp"
#include "support/keys.hpp"

namespace umbel::test {
namespace {

class WeightedTables : public ::testing::Test {
 protected:
  [[nodiscard]] static file_image good() {
    std::vector<std::pair<digest, unsigned>> table;
    for (const digest& d : members(50, 7))
      table.emplace_back(d, static_cast<unsigned>(table.size() % 64));
    weighted_bloom_filter filter(table, {.keys = 100, .bits = 1000, .probes = 5});
    filter.insert_batch(members(100, 7));
    return file_image(encode(filter));
  }
  const any::kind& kind_ = any::kind_named("weighted-bloom-filter");
};

TEST_F(WeightedTables, CutAnywhere) { cut_everywhere(kind_, good(), 3); }
TEST_F(WeightedTables, FlippedAnywhere) { flip_everywhere(kind_, good(), 5); }
TEST_F(WeightedTables, FieldsMadeExtreme) { make_fields_extreme(kind_, good()); }

}  // namespace
}  // namespace umbel::test
