// coded_maps.cpp - hostile files of coded maps in every form; the tests over the registry reach
// only the form for equal values. Files are cut, flipped, given extreme fields, wrong directories,
// invalid codes and random cells: each is refused, or taken and safe.
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/coded_map.hpp>

#include "support/file_image.hpp"
#include "support/hostile_walks.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

using enum coded_form;

// The keys of asked_keys(): some answers are members'. A fifth of the values have few keys each.
pair_spool asked_pairs(std::uint64_t keys, std::uint64_t share) {
  pair_spool out;
  for (const digest& d : members(keys, 7))
    out.add(core::valued{d, d.hi % 100 < share ? 7 : d.lo % 5 == 0 ? d.lo >> 50 : d.lo % 3});
  return out;
}

struct coded_sample {
  const char* what;
  coded_form as;
  std::optional<double> fpr{};
  std::uint64_t keys = 60, share = 30;
};
constexpr coded_sample coded_samples[] = {{"plain", plain, 0.05},
                                          {"escape", escape, 0.05, 400},
                                          {"coded_small", coded_small, 0.05, 400},
                                          {"unchecked", coded_small, {}, 400},
                                          {"dominant", dominant, 0.05, 400, 90},
                                          {"dominant_unchecked", dominant, {}, 400, 90},
                                          {"coded", coded, 0.05, 200},
                                          {"coded_unchecked", coded, {}, 200},
                                          {"one_value", coded_small, 0.05, 60, 100}};

class CodedMaps : public ::testing::TestWithParam<coded_sample> {
 protected:
  const any::kind& kind_ = any::kind_named("coded-map");
  const coded_map made_ =
      coded_map::build(asked_pairs(GetParam().keys, GetParam().share),
                       {.value_bits = 14, .fpr = GetParam().fpr, .form = GetParam().as});
  const file_image good_{encode(made_)};
};

TEST_P(CodedMaps, SamplesHaveTheirForms) {
  EXPECT_EQ(made_.form(), GetParam().as);
  EXPECT_EQ(both_ways(kind_, good_), verdict::taken);
}
TEST_P(CodedMaps, Cut) { cut_everywhere(kind_, good_, small() ? 17 : 1); }
TEST_P(CodedMaps, Flipped) { flip_everywhere(kind_, good_, small() ? 61 : 5); }
TEST_P(CodedMaps, ExtremeFields) { make_fields_extreme(kind_, good_); }
// Every word of the directory, and every number of codes: lengths and fields that no section's own
// length bounds.
TEST_P(CodedMaps, InconsistentDirectoriesAndCodesAreRefusedOrSafe) {
  for (const auto& entry : good_.entries()) {
    if (entry.name != "directory" && entry.name != "codes") continue;
    const std::size_t step = entry.name == "codes" ? 4 : 8;
    for (std::size_t at = entry.offset; at < entry.offset + entry.length; at += step)
      for (unsigned bit = 0; bit < 8 * step; bit += small() ? 5 : 1)
        for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
          file_image image = good_;
          const std::uint64_t lie = (std::uint64_t{1} << bit) + near;
          if (step == 4)
            image.set(at, static_cast<std::uint32_t>(lie));
          else
            image.set(at, lie);
          (void)both_ways(kind_, image.seal());
          if (HasFailure()) FAIL() << entry.name << " at " << at << ": " << lie;
        }
  }
}
TEST_P(CodedMaps, RandomCellsAreSafe) {
  for (std::uint64_t seed = 1; seed <= small_or(10, 100); ++seed) {
    file_image image = good_;
    std::mt19937_64 random(seed);
    for (const auto& entry : good_.entries())
      for (std::size_t byte = entry.offset;
           entry.name == "words" && byte < entry.offset + entry.length; ++byte)
        if (random() % 3 == 0) image.set(byte, static_cast<std::uint8_t>(random()));
    (void)both_ways(kind_, image);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, CodedMaps, ::testing::ValuesIn(coded_samples),
                         [](const auto& of) { return of.param.what; });

}  // namespace
}  // namespace umbel::test
