// large_maps_test.cpp - every static map at 1e8 keys: each key answers its value, non-members pass
// at the promised rate.
#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include <umbel/any/any.hpp>

#include "support/fuse_long.hpp"
#include "support/gate.hpp"

namespace large_maps {
namespace {

using namespace fuse_test;
namespace any = umbel::any;

class LargeMaps : public long_test, public testing::WithParamInterface<const any::kind*> {};

constexpr std::uint64_t n = 100'000'000;
constexpr unsigned value_bits = 4;
constexpr double fpr = 1.0 / 16;

[[nodiscard]] std::uint64_t value_of(const digest& d) noexcept { return value_for(d, value_bits); }

// The same pairs for all of them.
[[nodiscard]] const pair_spool& pairs_once() {
  static const pair_spool all = [] {
    pair_spool out;
    for (std::uint64_t i = 0; i < n; ++i)
      out.add(valued{digest_of(i, 1), value_of(digest_of(i, 1))});
    return out;
  }();
  return all;
}

TEST_P(LargeMaps, AHundredMillionKeysAnswerTheirValues) {
  const any::kind& kind = *GetParam();
  ASSERT_LE(value_bits, kind.traits().max_value_bits);
  any::options options{.fpr = fpr};
  options.value_bits = value_bits;
  options.threads = 2;
  const auto map = kind.build(pairs_once(), options);
  EXPECT_EQ(map->keys(), n);
  std::vector<std::optional<std::uint64_t>> found(1 << 14);
  std::uint64_t wrong = 0, passed = 0;
  in_runs(n, 1, [&](std::uint64_t, std::span<const digest> keys) {
    map->find(keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i) wrong += found[i] != value_of(keys[i]);
  });
  EXPECT_EQ(wrong, 0U) << "of " << n << " keys";
  in_runs(n / 10, 2, [&](std::uint64_t, std::span<const digest> keys) {
    map->find(keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i) passed += found[i].has_value();
  });
  EXPECT_TRUE(
      umbel::test::binomial_gate(passed, n / 10, map->expected_fpr(), umbel::test::exact_model));
  RecordProperty("bits_per_key",
                 std::to_string(static_cast<double>(map->size_in_bits()) / static_cast<double>(n)));
}

[[nodiscard]] std::vector<const any::kind*> maps() {
  std::vector<const any::kind*> out;
  for (const any::kind* const kind : any::kinds())
    if (kind->traits().answers == umbel::output::value && kind->traits().is_static)
      out.push_back(kind);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Every, LargeMaps, testing::ValuesIn(maps()), [](const auto& which) {
  std::string name(which.param->name());
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace large_maps
