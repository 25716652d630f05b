// field_extremes.cpp - every field of every kind at extreme values, with correct checksums
// (bad-inputs 33 to 37, 42, 43): zero, one more, one less, 255, 2^31, 2^32, 2^63, all ones, a NaN,
// and products that wrap to a small number. support/verdict.hpp judges: refused with `corrupt` and
// little memory, or taken, safe, and encoded unchanged.
#include <algorithm>
#include <bit>
#include <limits>

#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

// Every `step`-th power of two, and their neighbours.
std::vector<std::uint64_t> extremes(std::uint64_t value, unsigned step = 1) {
  std::vector<std::uint64_t> out{0, 1, 2, 3, 7, 8, 63, 64, 65, 100, 255, 256, 1023, 1024, 1025};
  for (unsigned bit = 63; bit >= 16; bit -= std::min(bit, step))
    for (const std::uint64_t near : {-1, 0, 1}) out.push_back((std::uint64_t{1} << bit) + near);
  for (const std::uint64_t near :
       {value - 1, value + 1, value * 2, value / 2, value + 64, value - 64, value + 256,
        std::uint64_t{0} - value, value << 32, value << 56, value + (std::uint64_t{1} << 58)})
    out.push_back(near);
  out.push_back(~std::uint64_t{0});
  out.push_back(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()));
  out.push_back(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()));
  return out;
}

class FieldExtremes : public kind_test {
 protected:
  // Every `step`-th power of two, in memory and mapped.
  void judge(const file_image& good, unsigned step, bool pairs = false) {
    const auto places = good.field_places();
    std::uint64_t pair = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      SCOPED_TRACE("field number " + std::to_string(i));
      for (const std::uint64_t value : extremes(good.get<std::uint64_t>(places[i]), step)) {
        file_image image = good;
        image.set(places[i], value);
        judge_one(image);
        for (std::size_t j = i + 1; pairs && j < places.size(); ++j)
          for (const std::uint64_t other :
               {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 32,
                std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
            if (++pair % small_or(5, 1) != 0) continue;
            file_image both = image;
            judge_one(both.set(places[j], other));
          }
        if (HasFailure()) FAIL() << value;
      }
    }
  }
  void judge_one(file_image& image) {
    (void)decoded(kind(), image.seal().bytes(), 60);
    file_.assign(image.bytes());
    (void)mapped(kind(), file_.path(), image.size(), 60);
  }

 private:
  // One file for all: creating one takes longer than judging it.
  memory_file file_;
};

TEST_P(FieldExtremes, OneAtATime) {
  judge(file_image(build(members(300, 7))->encode()), 1);
  judge(file_image(build({})->encode()), small() ? 8 : 1);
}

TEST_P(FieldExtremes, TwoAtATime) { judge(file_image(build(members(60, 7))->encode()), 8, true); }

// What a constructor refuses, a file may not contain either: a named field at an impossible value.
TEST_P(FieldExtremes, ImpossibleValuesAreRefused) {
  const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> impossible{
      {"probes", {0, 1025, 1ULL << 32, (1ULL << 32) + 7, 1ULL << 63}},
      {"cells", {0, 1, 1ULL << 63, ~0ULL}},
      {"blocks", {0, 1ULL << 58, 1ULL << 61, 1ULL << 63, ~0ULL}},
      {"scheme", {12, 255, (1ULL << 32) + 1}},
      {"banks", {0, 1, 3, 12, 8192, 1ULL << 63, ~0ULL}},
      {"width", {0, 65, 255}},
      {"value_bits", {0, 65, 255}},
      {"segments", {0, 1ULL << 32, ~0ULL}},
      {"length_bits", {0, 21, 64, 255}},
      {"shard_bits", {1, 33, 64, 255}},
      {"form", {3, 255, 1ULL << 32}},
      {"arity", {0, 1, 9, 1ULL << 32}},
      {"block", {0, 1, (1ULL << 31) + 1, ~0ULL}},
      {"largest", {1ULL << 16, 1ULL << 32, ~0ULL}},  // wider than a value of 8 bits and its check
      {"buckets", {0, 1ULL << 63}},
      {"spread", {0, 1, (1ULL << 40) + 1}},
      {"remainder_bits", {41, 64, 255}},
      {"offset_bits", {0, 58, 64, 255}},
      {"groups", {0, 1ULL << 40, (1ULL << 50) + 1, 1ULL << 63, ~0ULL}},
      {"choice_bits", {0, 9, 64, 1ULL << 32, 1ULL << 63}},
      // 43: more than the cells can hold.
      {"keys", {100'000, 1ULL << 40, 1ULL << 50, 1ULL << 63, ~0ULL}},
      {"values", {100'000, 1ULL << 40, 1ULL << 50, 1ULL << 63, ~0ULL}},
  };
  const file_image good{build(members(300, 7))->encode()};
  auto names = build({})->fields();
  for (const auto& e : good.entries())  // lists are told beside the fields, by their length
    if (e.type == 3) std::erase_if(names, [&](const auto& field) { return field.first == e.name; });
  for (const auto& [field, values] : impossible)
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const std::uint64_t value : values) {
        if (names[i].first != field) continue;
        file_image image = good;
        image.set(good.field_places()[i], value).seal();
        EXPECT_EQ(decoded(kind(), image.bytes()), verdict::refused) << field << " = " << value;
        const memory_file file(image.bytes());
        EXPECT_EQ(mapped(kind(), file.path(), image.size()), verdict::refused)
            << field << " = " << value << ", mapped";
      }
}

UMBEL_EVERY_KIND(FieldExtremes);

}  // namespace
}  // namespace umbel::test
