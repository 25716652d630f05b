// parameters.cpp - impossible options (bad-inputs 1 to 16), through every kind's plan, create and
// build: refused at once with an error that names the field; unusual but possible options work.
#include <cmath>
#include <limits>
#include <string>

#include "support/heap.hpp"
#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

constexpr std::uint64_t wrapped = ~std::uint64_t{0};  // what -1 becomes
constexpr double infinity = std::numeric_limits<double>::infinity();

// Allocates at most 16 MiB: a request for more fails as on an exhausted system.
class thrifty final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > (16 << 20)) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(at, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

class Parameters : public kind_test {
 protected:
  // bad_parameter, and the message starts with the field.
  template <class Call>
  void expect_refused(const std::string& field, Call&& call) const {
    const heap::watch memory;
    try {
      call();
      ADD_FAILURE() << "taken";
    } catch (const bad_parameter& refused) {
      EXPECT_NE(std::string(refused.what()).find(field), std::string::npos) << refused.what();
    } catch (const std::exception& wrong) {
      ADD_FAILURE() << "wrong type of error: " << wrong.what();
    }
    EXPECT_LE(memory.peak(), 1 << 20);
  }
  // Refused by every way in.
  void expect_refused_everywhere(const std::string& field, const any::options& options) const {
    expect_refused(field, [&] { (void)kind().plan(options); });
    if (grows(kind())) expect_refused(field, [&] { (void)kind().create(options); });
    expect_refused(field, [&] { (void)built(kind(), few_, options); });
  }
  const std::vector<digest> few_ = members(10, 1);
};

class RatedParameters : public Parameters {};
TEST_P(RatedParameters, ImpossibleRates) {  // 5 to 11
  for (const double fpr :
       {0.0, 1.0, 2.0, -0.01, -0.0, 1e300, std::nan(""), infinity, -infinity, 1e-320, 0x1p-1074}) {
    SCOPED_TRACE(fpr);
    expect_refused_everywhere("fpr", {.keys = 1000, .fpr = fpr});
    expect_refused_everywhere("fpr", {.keys = 0, .fpr = fpr});
  }
}

TEST_P(Parameters,
       ImpossibleNumbersOfKeys) {  // 2, 3: "-1" as text is the tool's; as a number it is 2^64 - 1
  for (const std::uint64_t keys : {wrapped, std::uint64_t{1} << 63, std::uint64_t{1} << 51}) {
    SCOPED_TRACE(keys);
    const any::options options = fitting(kind(), {.keys = keys, .fpr = 0.01});
    expect_refused("keys", [&] { (void)kind().plan(options); });
    if (grows(kind())) expect_refused("keys", [&] { (void)kind().create(options); });
  }
}

TEST_P(Parameters, ImpossibleNumbersOfBits) {  // 16, and sizes larger than any machine
  for (const std::uint64_t bits :
       {std::uint64_t{0}, (std::uint64_t{1} << 56) + 1, std::uint64_t{1} << 63, wrapped}) {
    SCOPED_TRACE(bits);
    expect_refused_everywhere("bits", {.keys = 1000, .bits = bits});
  }
}

TEST_P(Parameters, ExactlyTwoOfThree) {
  if (!grows(kind()))
    return expect_refused_everywhere("bits",
                                     fitting(kind(), {.keys = 10, .fpr = 0.01, .bits = 1000}));
  for (const any::options& options :
       {any::options{}, any::options{.keys = 10}, any::options{.fpr = 0.01},
        any::options{.bits = 1000}, any::options{.keys = 10, .fpr = 0.01, .bits = 1000}}) {
    expect_refused("two of", [&] { (void)kind().plan(options); });
    expect_refused("two of", [&] { (void)kind().create(options); });
  }
}

// 4: more bits than a 64-bit number can count. Refused, or a correct plan whose memory cannot be
// allocated.
TEST_P(Parameters, MoreBitsThanAnyMachineHas) {
  thrifty memory;
  for (const double fpr : {0.01, 1e-9, 0x1p-60}) {
    const any::options options =
        fitting(kind(), {.keys = std::uint64_t{1} << 50, .fpr = fpr, .memory = &memory});
    const heap::watch watch;
    try {
      EXPECT_LE(kind().plan(options).fpr, errs(kind()) ? fpr * (1 + 1e-8) : 1);
      if (grows(kind())) {
        EXPECT_THROW((void)kind().create(options), std::bad_alloc);
      }
    } catch (const bad_parameter&) {
    }
    EXPECT_LE(watch.peak(), 1 << 20);
  }
}

TEST_P(Parameters, OddButPossible) {  // 1, 12, 13
  const auto few = members(3, 2);
  for (const double fpr : {0.99, 0.9999999999999999, 0.5, 0x1p-30}) {
    SCOPED_TRACE(fpr);
    if (!in_reach(kind(), {.keys = few.size(), .fpr = fpr})) continue;
    const auto made = built(kind(), few, {.fpr = fpr});
    EXPECT_TRUE(keeps_its_keys(*made, few));
    EXPECT_GE(made->size_in_bits(), 1U);
    const auto none = built(kind(), {}, {.fpr = fpr});
    // A key may require clear bits.
    EXPECT_TRUE(!remembers(kind()) || non_member_hits(*none, 1000, 2) == 0);
  }
}

class GrowingParameters : public Parameters {};
TEST_P(GrowingParameters, TheSmallestFilters) {
  const auto few = members(3, 3);
  for (const any::options& options :
       {any::options{.keys = 0, .fpr = 0.01}, any::options{.keys = 0, .bits = 1},
        any::options{.keys = 1, .bits = 1}, any::options{.keys = 1'000'000, .bits = 1},
        any::options{.fpr = 0.5, .bits = 1}, any::options{.fpr = 0x1p-50, .bits = 7},
        any::options{.fpr = 0.9999999999999999, .bits = 1}}) {
    if (!in_reach(kind(), options)) continue;
    const auto made = kind().create(options);
    EXPECT_GE(made->size_in_bits(), 1U);
    // Where keys also clear bits, a non-member may require clear bits.
    if (remembers(kind())) {
      EXPECT_EQ(non_member_hits(*made, 1000, 3), 0U);
      EXPECT_EQ(made->expected_fpr(), 0);
    }
    // one of a single bit may well forget, where the kind may
    const auto in = std::span(few).first(fill(*made, few));
    EXPECT_TRUE(!remembers(kind()) || forgets_nothing(*made, in));
    EXPECT_LE(made->expected_fpr(), 1);
    if (const auto told = made->cardinality()) {
      EXPECT_TRUE(std::isfinite(told->value));
    }
    EXPECT_TRUE(kind().decode(made->encode(), {})->equals(*made));
  }
}

class MapParameters : public Parameters {};
TEST_P(MapParameters, ImpossibleWidths) {
  for (const unsigned bits : {0U, traits().max_value_bits + 1, 65U, 255U, 1U << 31, ~0U}) {
    SCOPED_TRACE(bits);
    for (const auto fpr : {std::optional<double>(), std::optional<double>(0.01)}) {
      const any::options options{.keys = 10, .value_bits = bits, .fpr = fpr};
      expect_refused("value_bits", [&] { (void)kind().plan(options); });
      expect_refused("value_bits", [&] { (void)kind().build(paired(few_, 1), options); });
    }
  }
  // Value and check mostly share a word; where each has its own word, both have room.
  const any::options wide{.keys = 10, .value_bits = 60, .fpr = 1e-6};
  try {
    EXPECT_TRUE(forgets_nothing(*built(kind(), few_, wide), few_, 60));
    EXPECT_TRUE(traits().assigns);
  } catch (const bad_parameter& refused) {
    EXPECT_EQ(std::string(refused.what()).rfind("value_bits", 0), 0U) << refused.what();
  }
}
TEST_P(MapParameters, EveryPossibleWidth) {
  const auto keys = members(200, 4);
  for (unsigned bits = 1; bits <= traits().max_value_bits; ++bits) {
    EXPECT_TRUE(forgets_nothing(*built(kind(), keys, {.value_bits = bits}), keys, bits)) << bits;
    if (bits <= 54) {
      EXPECT_TRUE(
          forgets_nothing(*built(kind(), keys, {.value_bits = bits, .fpr = 1e-3}), keys, bits))
          << bits;
    }
  }
}

UMBEL_EVERY_KIND(Parameters);
UMBEL_KINDS_THAT(errs, RatedParameters);
UMBEL_KINDS_THAT(grows, GrowingParameters);
UMBEL_KINDS_THAT(is_map, MapParameters);

}  // namespace
}  // namespace umbel::test
