// stack.hpp - numbered Bloom filters in one array of bits: the layers of filter cascades.
//
// Idea       A cascade can size a layer only when it knows how many keys the earlier layers left.
//            So layers are built one by one, each a `probes` with memory of its own, and then
//            concatenated. Queries read the common array.
// Layout     `filters`: one word per filter: bits | probes << 48 | draw << 56, or zero if there is
//            no filter with this number. `bits`: the filters in order, each starting at a word;
//            bits past its last bit are zero.
// Invariant  The salt of filter i follows from i and its draw, so keys that collide in one filter
//            are independent in all others. A filter that does not exist accepts no key.
// Limits     Each filter has less than 2^48 bits and 1 to 255 probes; 2^16 filters, 2^8 draws.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel::core {

class filter_stack {
 public:
  static constexpr unsigned max_probes = 255;

  // One filter while it is built.
  class loose {
   public:
    loose() = default;  // none
    loose(const sizing::filter_shape& shape, std::size_t number, unsigned draw,
          std::pmr::memory_resource* memory)
        : draw_(draw) {
      if (shape.bits == 0) return;
      check_shape(shape.bits, shape.probes);
      engine_.emplace(index_of(shape.bits, shape.probes, number, draw), memory);
    }
    [[nodiscard]] bool exists() const noexcept { return engine_.has_value(); }
    // Templates, so that only programs that build compile the loops.
    template <class Key = digest>
    void insert(std::span<const std::type_identity_t<Key>> keys) noexcept {
      if (engine_) engine_->insert(keys.size(), [&](std::size_t i) { return keys[i]; });
    }
    // sink(i) for every key that the filter accepts, in order.
    template <class Key = digest, class Sink>
    void each_accepted(std::span<const Key> keys, Sink&& sink) const {
      if (!engine_) return;
      std::array<bool, 256> said;
      for (std::size_t first = 0; first < keys.size(); first += said.size()) {
        const auto some = keys.subspan(first, std::min(said.size(), keys.size() - first));
        engine_->may_contain(
            some.size(), [&](std::size_t i) { return some[i]; }, said.data());
        for (std::size_t i = 0; i < some.size(); ++i)
          if (said[i]) sink(first + i);
      }
    }

   private:
    friend filter_stack;
    using engine = probes<core::k_probes, cells::bits>;
    std::optional<engine> engine_;
    unsigned draw_ = 0;
  };

  filter_stack() = default;
  filter_stack(std::span<const loose> filters, std::pmr::memory_resource* memory)
      : table_(filters.size(), memory), bits_(total(filters), memory) {
    std::uint64_t* to = bits_.storage().data();
    for (std::size_t i = 0; i < filters.size(); ++i) {
      if (!filters[i].exists()) continue;
      const auto& words = filters[i].engine_->cells().storage();
      const auto& at = filters[i].engine_->index();
      table_[i] =
          at.cells() | std::uint64_t{at.probes()} << 48 | std::uint64_t{filters[i].draw_} << 56;
      to = std::copy(words.span().begin(), words.span().end(), to);
    }
    place();
  }

  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  [[nodiscard]] bool exists(std::size_t i) const noexcept { return placed_[i].probes != 0; }
  [[nodiscard]] unsigned probes(std::size_t i) const noexcept { return placed_[i].probes; }
  [[nodiscard]] unsigned draw(std::size_t i) const noexcept {
    return static_cast<unsigned>(table_[i] >> 56);
  }
  [[nodiscard]] std::uint64_t cells(std::size_t i) const noexcept {
    return table_[i] & detail::low_mask(48);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return bits_.size() + 64 * table_.size();
  }
  // The share of non-members that filter i accepts, from its fill.
  [[nodiscard]] double accepts(std::size_t i) const noexcept {
    if (!exists(i)) return 0;
    std::uint64_t ones = 0;
    for (std::uint64_t word = 0; word < words_for(cells(i)); ++word)
      ones += static_cast<unsigned>(std::popcount(bits_.storage()[placed_[i].first / 64 + word]));
    return std::pow(std::min(1.0, static_cast<double>(ones) / static_cast<double>(cells(i))),
                    probes(i));
  }

  [[nodiscard]] bool may_contain(std::size_t i, digest d) const noexcept {
    const spot& at = placed_[i];
    return at.probes != 0 && core::with_fixed(at.walks, [&](const auto& walks) {
             return core::all_of(walks, d,
                                 [&](std::uint64_t cell) { return bits_.test(at.first + cell); });
           });
  }
  // Prefetches the first two cells that a query of filter i reads.
  void prefetch(std::size_t i, digest d) const noexcept {
    const spot& at = placed_[i];
    if (at.probes == 0) return;
    core::with_fixed(at.walks, [&](const auto& walks) {
      auto walk = walks.start(d);
      for (unsigned p = 0; p < std::min(at.probes, 2U); ++p)
        bits_.prefetch(at.first + walks.next(walk));
    });
  }

  friend bool operator==(const filter_stack& a, const filter_stack& b) noexcept {
    return a.table_ == b.table_ && a.bits_ == b.bits_;
  }
  static void describe(auto& self, auto& part) {
    part.array("filters", self.table_);
    part.array("bits", self.bits_.storage());
  }
  // `filters` is the required number of filters.
  void check(std::size_t filters) {
    table_.require(filters);
    // small, and checked before it is used: copy it
    table_.own();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < filters; ++i) {
      if (table_[i] == 0) continue;
      check_shape(cells(i), static_cast<unsigned>(table_[i] >> 48 & 255));
      sum += 64 * words_for(cells(i));
      if (sum > sizing::max_bits) throw corrupt("filters: more bits than there can be");
    }
    bits_.reshape(sum);
    place();
    const auto& words = std::as_const(bits_).storage();  // a view, perhaps
    for (std::size_t i = 0; i < filters; ++i)
      if (exists(i) && cells(i) % 64 != 0 &&
          words[(placed_[i].first + cells(i)) / 64] >> (cells(i) % 64) != 0)
        throw corrupt(detail::text("bits: some past the last of filter ", i, " are set"));
  }

 private:
  struct spot {
    core::k_probes walks;
    std::uint64_t first = 0;  // bit of the array
    unsigned probes = 0;      // 0: no filter here
  };

  static void check_shape(std::uint64_t bits, unsigned probes) {
    if (bits == 0 || bits > sizing::cascade_filter_bits - 1)
      throw bad_parameter(detail::text("filters: expected less than 2^48 bits, found ", bits));
    if (probes == 0 || probes > max_probes)
      throw bad_parameter(
          detail::text("filters: expected 1 to ", max_probes, " probes, found ", probes));
  }
  [[nodiscard]] static core::k_probes index_of(std::uint64_t bits, unsigned probes,
                                               std::size_t number, unsigned draw) {
    return {bits, probes, 1 + number + (std::uint64_t{draw} << 16)};  // salt 0: Bloom filters
  }
  [[nodiscard]] static std::uint64_t words_for(std::uint64_t bits) noexcept {
    return detail::ceil_div(bits, 64);
  }
  [[nodiscard]] static std::uint64_t total(std::span<const loose> filters) {
    std::uint64_t sum = 0;
    for (const loose& filter : filters)
      if (filter.exists()) sum += 64 * words_for(filter.engine_->cells().size());
    return sum;
  }
  void place() {
    placed_.assign(table_.size(), {});
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_[i] == 0) continue;
      const auto probes = static_cast<unsigned>(table_[i] >> 48 & 255);
      placed_[i] = {index_of(cells(i), probes, i, draw(i)), first, probes};
      first += 64 * words_for(cells(i));
    }
  }

  cells::words<> table_;
  cells::bits bits_;
  std::vector<spot> placed_;  // follows from the table
};

}  // namespace umbel::core
