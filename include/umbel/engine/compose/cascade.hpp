// cascade.hpp - filter cascade of CRLite [LCL17]: Bloom filters, each of which stores the false
// positives of the one before. The engine of exact cascade sets.
//
// The first Bloom filter stores the members and accepts some non-members. The second stores these
// non-members and accepts some members. The third stores those, and so on until a layer has no
// false positive in the universe. A query goes down until a layer rejects the key; whether the
// number of that layer is odd or even gives the answer.
//
// Layout     The layers are one engine/compose/stack.hpp. If most of the universe are members, the
//            non-members are stored and answers are inverted.
// Invariant  Every key of the universe gets the right answer. Other keys get either answer.
// Limits     At most 254 layers. Each layer has its own salt.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/engine/compose/stack.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel::core {

class cascade {
 public:
  cascade() = default;
  // From two disjoint spools without duplicate keys.
  template <class Spool>
  cascade(Spool members, Spool others, std::pmr::memory_resource* memory)
      : members_(members.size()),
        universe_(members.size() + others.size()),
        inverted_(members.size() > others.size()) {
    if (inverted_ != 0) std::swap(members, others);
    if (members.size() != 0) filters_ = layers_of(members, others, memory);
    layers_ = filters_.size();
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return members_; }
  [[nodiscard]] std::uint64_t universe() const noexcept { return universe_; }  // members and others
  [[nodiscard]] bool inverted() const noexcept { return inverted_ != 0; }
  [[nodiscard]] unsigned layers() const noexcept { return static_cast<unsigned>(layers_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return filters_.size_in_bits(); }
  // The share of keys outside the universe that are answered yes.
  [[nodiscard]] double expected_fpr() const noexcept {
    double odd = 0, reached = 1;  // accepted by an odd number of layers, and by all so far
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      reached *= filters_.accepts(i);
      odd += i % 2 == 0 ? reached : -reached;
    }
    return std::clamp(inverted_ != 0 ? 1 - odd : odd, 0.0, 1.0);
  }

  [[nodiscard]] bool contains(digest d) const noexcept {
    std::size_t layer = 0;
    while (layer < filters_.size() && filters_.may_contain(layer, d)) ++layer;
    return (layer % 2 != 0) != (inverted_ != 0);
  }
  // The first layer rejects most non-members, the second most members. So the first cells of both
  // are prefetched.
  void contains(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    const std::size_t ahead = std::min<std::size_t>(filters_.size(), 2);
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
      d = digest_at(i);
      for (std::size_t layer = 0; layer < ahead; ++layer) filters_.prefetch(layer, d);
        },
        [&](std::size_t i, const digest& d) { out[i] = contains(d); });
  }

  friend bool operator==(const cascade&, const cascade&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("members", self.members_);
    field("universe", self.universe_);
    field("inverted", self.inverted_, no_or_yes);
    field("layers", self.layers_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("cascade", self);
    filter_stack::describe(self.filters_, part);
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("cascade: field ", field, " has the impossible value ", found));
    };
    require(universe_ <= 2 * max_keys, "universe", universe_);
    require(members_ <= universe_, "members", members_);
    const std::uint64_t others = universe_ - members_;
    require(inverted_ == (members_ > others ? 1U : 0U), "inverted", inverted_);
    require(layers_ <= sizing::exact_max_layers, "layers", layers_);
    require((layers_ == 0) == (members_ == 0 || others == 0), "layers", layers_);
    filters_.check(layers_);
    for (std::size_t i = 0; i < layers_; ++i) require(filters_.exists(i), "layers", layers_);
    if (layers_ != 0) require(std::min(members_, others) <= filters_.cells(0), "members", members_);
  }

 private:
  // One side of the universe, as far as it is still undecided: at first the whole spool, later a
  // few keys in memory.
  template <class Spool>
  struct side {
    const Spool* all;
    std::vector<digest> some;
    [[nodiscard]] std::uint64_t size() const noexcept {
      return all != nullptr ? all->size() : some.size();
    }
    template <class Work>
    void in_blocks(Work&& work) const {
      if (all != nullptr)
        all->for_each(0, Spool::bins, work);
      else
        work(std::span<const digest>(some));
    }
    // The keys that the filter accepts.
    [[nodiscard]] std::vector<digest> accepted_by(const filter_stack::loose& filter) const {
      std::vector<digest> out;
      in_blocks([&](std::span<const digest> block) {
        filter.each_accepted(block, [&](std::size_t i) { out.push_back(block[i]); });
      });
      return out;
    }
  };

  template <class Spool>
  [[nodiscard]] static filter_stack layers_of(const Spool& stored, const Spool& others,
                                              std::pmr::memory_resource* memory) {
    std::vector<filter_stack::loose> filters;
    // the keys that the next layer stores, and those that it should reject
    side<Spool> inside{&stored, {}}, outside{&others, {}};
    while (inside.size() != 0 && outside.size() != 0) {
      if (filters.size() == sizing::exact_max_layers)
        throw unsolvable(
            detail::text("exact-cascade-set: keys still alike after ", filters.size(), " layers"));
      const auto shape = sizing::exact_layer(inside.size(), static_cast<unsigned>(filters.size()),
                                             stored.size(), others.size());
      std::vector<digest> wrong;
      for (unsigned draw = 0;; ++draw) {  // a layer that rejects no key is drawn again
        filter_stack::loose layer(shape, filters.size(), draw, memory);
        inside.in_blocks([&](std::span<const digest> block) { layer.insert(block); });
        wrong = outside.accepted_by(layer);
        if (wrong.size() < outside.size() || draw + 1 == sizing::cascade_draws) {
          filters.push_back(std::move(layer));
          break;
        }
      }
      outside = side<Spool>{nullptr, std::move(wrong)};
      std::swap(inside, outside);
    }
    return filter_stack(filters, memory);
  }

  std::uint64_t members_ = 0;
  std::uint64_t universe_ = 0;
  std::uint64_t inverted_ = 0;
  std::uint64_t layers_ = 0;
  filter_stack filters_;
};

}  // namespace umbel::core
