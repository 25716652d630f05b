// binary_fuse_map_errors_test.cpp - pairs and options that no map can be made of: each is refused
// with an error that names it.
#include <climits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <umbel/map/binary_fuse_map.hpp>

#include "support/child.hpp"
#include "support/fuse_keys.hpp"

namespace binary_fuse_map_errors_test {
namespace {

using namespace fuse_test;
using testing::AllOf;
using testing::HasSubstr;
using umbel::binary_fuse_map;
using umbel::test::in_child;
using umbel::test::success;
using text_pairs = std::vector<std::pair<std::string, std::uint64_t>>;

template <class Error, class Work>
std::string told(Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(FuseMapErrors, AConflictNamesTheKeyAndBothValues) {
  text_pairs given = {{"one", 1}, {"two", 2}, {"three", 3}, {"two", 7}, {"one", 1}};
  EXPECT_THAT(
      told<umbel::conflict>([&] { (void)binary_fuse_map::build(given, {.value_bits = 3}); }),
      AllOf(HasSubstr("\"two\""), HasSubstr("2"), HasSubstr("7")));
  const std::vector<std::pair<int, unsigned>> integers = {{-5, 10}, {6, 11}, {-5, 12}};
  EXPECT_THAT(
      told<umbel::conflict>([&] { (void)binary_fuse_map::build(integers, {.value_bits = 8}); }),
      AllOf(HasSubstr("-5"), HasSubstr("10"), HasSubstr("12")));
}

TEST(FuseMapErrors, AConflictAmongManyIsFound) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> given;
  for (std::uint64_t i = 0; i < 100'000; ++i) given.emplace_back(i * 3, i & 1);
  given.emplace_back(77'777 * 3, 0);
  for (const unsigned threads : {1U, 2U})
    EXPECT_THAT(told<umbel::conflict>([&] {
                  (void)binary_fuse_map::build(
                      given, {.value_bits = 1, .threads = threads, .shard_from = 10'000});
                }),
                HasSubstr("233331"));
}

TEST(FuseMapErrors, TheFirstOfSeveralTooWideValuesIsNamed) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> given;
  for (std::uint64_t i = 0; i < 300'000; ++i) given.emplace_back(i * 3, i & 1);
  for (const std::uint64_t i : {299'999U, 200'001U, 70'001U, 70'002U}) given[i].second = i;
  for (const unsigned threads : {1U, 2U, 5U})
    EXPECT_THAT(
        told<umbel::bad_parameter>(
            [&] { (void)binary_fuse_map::build(given, {.value_bits = 1, .threads = threads}); }),
        AllOf(HasSubstr("value 70001 "), HasSubstr("key 210003 "), HasSubstr("number 70001")));
}

TEST(FuseMapErrors, EqualRepeatsAreAccepted) {
  const text_pairs given = {{"a", 1}, {"b", 2}, {"a", 1}, {"a", 1}};
  EXPECT_EQ(binary_fuse_map::build(given, {.value_bits = 2}).keys(), 2U);
}

TEST(FuseMapErrors, AValueTooWideNamesKeyAndPosition) {
  const text_pairs given = {{"fits", 7}, {"fits too", 0}, {"does not", 8}};
  EXPECT_THAT(
      told<umbel::bad_parameter>([&] { (void)binary_fuse_map::build(given, {.value_bits = 3}); }),
      AllOf(HasSubstr("\"does not\""), HasSubstr("number 2"), HasSubstr("8"), HasSubstr("3 bits")));
  const std::vector<std::pair<int, int>> negative = {{1, -1}};
  EXPECT_THAT(told<umbel::bad_parameter>(
                  [&] { (void)binary_fuse_map::build(negative, {.value_bits = 8}); }),
              HasSubstr("of key 1"));
}

// A spool is the other way in, which the tool uses. In a child process: a value wider than its
// field overwrites the place of its row and corrupts memory.
TEST(FuseMapErrors, AValueTooWideInASpoolIsRefusedToo) {
  for (const unsigned bits : {1U, 3U, 8U, 13U, 60U}) {
    for (const std::optional<double> fpr : {std::optional<double>(), std::optional(1.0 / 16)}) {
      for (const std::uint64_t value : {std::uint64_t{1} << bits, ~std::uint64_t{0}}) {
        const auto ended = in_child(10, [&] {
          pair_spool spool;
          spool.add(pairs(1000, bits, 1));
          spool.add(valued{digest_of(5000, 1), value});
          try {
            (void)binary_fuse_map::build(spool, {.value_bits = bits, .fpr = fpr});
          } catch (const umbel::bad_parameter&) {
            return 0;
          }
          return 1;
        });
        EXPECT_EQ(ended, success) << value << " in " << bits << " bits"
                                  << (fpr ? " and a check" : "") << ": 1 means built";
      }
    }
  }
}

TEST(FuseMapErrors, ValueBitsAreChecked) {
  const text_pairs given = {{"a", 0}, {"b", 2}};
  for (const unsigned bits : {0U, 65U, 66U, 128U, UINT_MAX})
    EXPECT_THAT(told<umbel::bad_parameter>(
                    [&] { (void)binary_fuse_map::build(given, {.value_bits = bits}); }),
                HasSubstr("value_bits"))
        << bits;
  for (const unsigned bits : {0U, 65U, UINT_MAX}) {
    EXPECT_THROW((void)binary_fuse_map::build(pair_spool(), {.value_bits = bits}),
                 umbel::bad_parameter);
    EXPECT_THROW((void)binary_fuse_map::plan({.keys = 10, .value_bits = bits}),
                 umbel::bad_parameter);
  }
}

TEST(FuseMapErrors, RatesAreChecked) {
  const text_pairs given = {{"a", 0}};
  for (const double fpr : {0.0, 1.0, 2.0, -0.01, std::nan(""), HUGE_VAL, -HUGE_VAL, 1e-320}) {
    EXPECT_THROW((void)binary_fuse_map::build(given, {.value_bits = 8, .fpr = fpr}),
                 umbel::bad_parameter)
        << fpr;
    EXPECT_THROW((void)binary_fuse_map::plan({.keys = 10, .value_bits = 8, .fpr = fpr}),
                 umbel::bad_parameter)
        << fpr;
  }
}

TEST(FuseMapErrors, PlansAgreeWithBuilds) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> given;
  for (std::uint64_t i = 0; i < 20'000; ++i) given.emplace_back(i, i & 7);
  const auto near = [&](const binary_fuse_map::options_type& options) {
    const auto plan = binary_fuse_map::plan(options);
    const auto map = binary_fuse_map::build(given, options);
    EXPECT_DOUBLE_EQ(plan.fpr, map.expected_fpr());
    EXPECT_NEAR(static_cast<double>(plan.bits) / static_cast<double>(map.size_in_bits()), 1, 0.1);
  };
  near({.keys = 20'000, .value_bits = 3});
  near({.keys = 20'000, .value_bits = 3, .fpr = 0.01});
  EXPECT_EQ(binary_fuse_map::plan({.keys = 20'000, .value_bits = 3, .shard_from = 400}).bits,
            umbel::core::peeled<umbel::core::fuse<3>>::plan(20'000, 3, 0, 400).bits)
      << "the seam is an option like any other";
}

}  // namespace
}  // namespace binary_fuse_map_errors_test
