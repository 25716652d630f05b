// beside_stores.cpp - damaged files of adaptive filters, which the tests over the registry do not
// make because these filters need a store of keys.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/set/adaptive_cuckoo_filter.hpp>
#include <umbel/set/telescoping_filter.hpp>

#include "support/file_image.hpp"
#include "support/keys.hpp"

namespace umbel::test {
namespace {

// Keys by home slot or slot.
struct shelf {
  std::vector<digest> keys;
  [[nodiscard]] digest key(std::uint64_t slot) const { return keys[slot % keys.size()]; }
  void move(std::uint64_t, std::uint64_t) {}
};

template <class Filter>
struct beside;
template <>
struct beside<telescoping_filter> {
  static auto store_of(const telescoping_filter& f, const std::vector<digest>& keys) {
    return [&](std::uint64_t home, auto&& visit) {
      for (const digest& d : keys)
        if (f.home(d) == home) visit(d);
    };
  }
  static telescoping_filter filled(const std::vector<digest>& keys) {
    telescoping_filter out({.keys = keys.size(), .fpr = 0.1});
    EXPECT_EQ(out.insert_batch(keys), keys.size());
    const auto store = store_of(out, keys);
    for (const digest& d : non_members(300, 1))
      if (out.may_contain(d)) (void)out.adapt(d, store);
    return out;
  }
  static void use(telescoping_filter& f, const std::vector<digest>& keys) {
    const auto store = store_of(f, keys);
    for (const digest& d : non_members(20, 2)) {
      (void)f.may_contain(d);
      (void)f.adapt(d, store);
      (void)f.try_insert(d);
      (void)f.erase(keys[0], store);
    }
  }
};
template <>
struct beside<adaptive_cuckoo_filter> {
  static adaptive_cuckoo_filter filled(const std::vector<digest>& keys) {
    adaptive_cuckoo_filter out({.keys = keys.size(), .fpr = 0.1});
    shelf behind{std::vector<digest>(out.size())};
    for (const digest& d : keys) {
      const auto slot = out.insert(d, behind);
      EXPECT_TRUE(slot);
      if (slot) behind.keys[*slot] = d;
    }
    return out;
  }
  static void use(adaptive_cuckoo_filter& f, const std::vector<digest>& keys) {
    shelf behind{keys};
    for (const digest& d : non_members(20, 2)) {
      (void)f.may_contain(d);
      (void)f.adapt(d, behind);
      (void)f.insert(d, behind);
    }
  }
};

template <class Filter>
class BesideStores : public ::testing::Test {
 protected:
  const std::vector<digest> keys_ = members(40, 1);
  const file_image good_{encode(beside<Filter>::filled(keys_))};

  // Refused, or taken and safe.
  void try_out(const file_image& image) const {
    try {
      auto made = decode<Filter>(image.bytes());
      beside<Filter>::use(made, keys_);
    } catch (const error&) {
    }
  }
};
using both = ::testing::Types<telescoping_filter, adaptive_cuckoo_filter>;
TYPED_TEST_SUITE(BesideStores, both);

TYPED_TEST(BesideStores, CutAnywhere) {
  for (std::size_t size = 0; size < this->good_.size(); ++size) {
    file_image cut = this->good_;
    cut.resize(size);
    ASSERT_THROW((void)decode<TypeParam>(cut.bytes()), error) << size;
    if (size < at::header_end) continue;
    ASSERT_THROW((void)decode<TypeParam>(cut.claim_size().seal().bytes()), error) << size;
  }
}
TYPED_TEST(BesideStores, FlippedAnywhere) {
  for (std::size_t bit = 0; bit < this->good_.size() * 8; ++bit) {
    file_image image = this->good_;
    image.flip(bit);
    ASSERT_THROW((void)decode<TypeParam>(image.bytes()), error) << bit;
    this->try_out(image.seal());
  }
}
TYPED_TEST(BesideStores, FieldsMadeExtreme) {
  for (const std::size_t place : this->good_.field_places())
    for (unsigned bit = 0; bit < 64; ++bit)
      for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        file_image image = this->good_;
        this->try_out(image.set(place, (std::uint64_t{1} << bit) + near).seal());
      }
}

}  // namespace
}  // namespace umbel::test
