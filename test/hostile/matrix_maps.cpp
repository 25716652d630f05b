// matrix_maps.cpp - hostile files of matrix maps in every form; the tests over the registry reach
// only the form `grouped`. Files are cut, flipped, given extreme fields, wrong directories and
// random entries and cells: each is refused, or taken and safe.
#include <random>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/matrix_map.hpp>

#include "support/file_image.hpp"
#include "support/hostile_walks.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace matrix_files {
namespace {

struct sample {
  const char* what;
  matrix_map::options_type options;
  std::uint64_t keys = 200;
  bool crowded = false;
};
const sample samples[] = {
    {"grouped", {.value_bits = 6, .fpr = 0.05}},
    {"spare", {.value_bits = 6, .fpr = 0.05, .spare = 3}},
    {"one_level", {.value_bits = 6, .fpr = 0.05, .levels = 1}},
    {"listed", {.value_bits = 6, .fpr = 0.05, .levels = 1}, 60'000, true},
    {"pairwise", {.value_bits = 6, .fpr = 0.05, .source = matrix_source::pairwise}},
    {"tabulated", {.value_bits = 6, .fpr = 0.05, .form = matrix_form::tabulated}},
    {"exact", {.value_bits = 6, .fpr = 0.05, .form = matrix_form::exact}},
    {"exact_word", {.value_bits = 6, .fpr = 0.05, .form = matrix_form::exact}, 40},
    {"dense", {.value_bits = 6, .fpr = 0.05, .form = matrix_form::dense, .spare = 1}}};

// The keys of asked_keys(): some answers are members'. 150 keys in one bucket make it bad, and its
// side list is short enough.
pair_spool pairs_of(const sample& s) {
  pair_spool out;
  std::uint64_t left = s.crowded ? 150 : 0;
  for (digest d : members(s.keys, 7)) {
    if (left > 0) d.hi = 0x7777777777000000 + left--;
    out.add(core::valued{d, d.lo >> 58});
  }
  return out;
}

class MatrixMaps : public ::testing::TestWithParam<sample> {
 protected:
  [[nodiscard]] bool is_large() const { return GetParam().keys > 1000; }
  const any::kind& kind_ = any::kind_named("matrix-map");
  const matrix_map made_ = matrix_map::build(pairs_of(GetParam()), GetParam().options);
  const file_image good_{encode(made_)};
};

TEST_P(MatrixMaps, SamplesHaveTheirForms) {
  EXPECT_EQ(made_.form(), GetParam().options.form);
  EXPECT_EQ(made_.engine().retrieval().groups().listed_keys() != 0, GetParam().crowded);
  EXPECT_EQ(both_ways(kind_, good_), verdict::taken);
}
TEST_P(MatrixMaps, Cut) { cut_everywhere(kind_, good_, is_large() ? 997 : small() ? 17 : 1); }
TEST_P(MatrixMaps, Flipped) { flip_everywhere(kind_, good_, is_large() ? 2999 : small() ? 61 : 5); }
TEST_P(MatrixMaps, ExtremeFields) { make_fields_extreme(kind_, good_); }
TEST_P(MatrixMaps, InconsistentListsAreRefusedOrSafe) {
  for (const auto& entry : good_.entries()) {
    if (entry.name != "directory" && entry.name != "seeds" && entry.name != "side") continue;
    const std::size_t step = is_large() ? entry.length / 64 * 8 + 8 : 8;
    for (std::size_t at = entry.offset; at < entry.offset + entry.length; at += step)
      for (unsigned bit = 0; bit < 64; bit += small() || is_large() ? 7 : 1)
        for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
          file_image image = good_;
          (void)both_ways(kind_, image.set(at, (std::uint64_t{1} << bit) + near).seal());
          if (HasFailure()) FAIL() << entry.name << " at " << at << ": 2^" << bit << " + " << near;
        }
  }
}
// Entries are not checked when a file is read: whatever they hold, a query returns an answer.
TEST_P(MatrixMaps, RandomEntriesAndCellsAreSafe) {
  for (std::uint64_t seed = 1; seed <= small_or(10, 100); ++seed) {
    file_image image = good_;
    std::mt19937_64 random(seed);
    for (const auto& entry : good_.entries()) {
      if (entry.name != "entries" && entry.name != "cells") continue;
      for (std::size_t byte = entry.offset; byte < entry.offset + entry.length; ++byte)
        if (random() % (seed % 4 + 1) == 0) image.set(byte, static_cast<std::uint8_t>(random()));
    }
    (void)both_ways(kind_, image);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, MatrixMaps, ::testing::ValuesIn(samples),
                         [](const auto& of) { return of.param.what; });

}  // namespace
}  // namespace matrix_files
}  // namespace umbel::test
