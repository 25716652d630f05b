// filled_rows.hpp - split Bloom filter [XDL04]: equal rows of one array of bits, with room for a
// number of keys each. The engine of split Bloom filters.
//
// Form `fill`: keys fill one row after another, and a query asks all rows in use. Form `hash`: the
// digest selects the row of a key (engine/probe/row_probes.hpp).
//
// Invariant  No false negatives. No more keys are inserted than there is room for.
// Limits     A repeated insert takes room again once another row is in use. No erase.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/engine/probe/row_probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class filled_rows {
 public:
  filled_rows() = default;
  // Each row has room for `room` keys.
  filled_rows(const row_probes& at, std::uint64_t room, std::pmr::memory_resource* memory)
      : room_(room), bits_(at, memory) {}

  [[nodiscard]] const row_probes& index() const noexcept { return bits_.index(); }
  [[nodiscard]] const cells::bits& cells() const noexcept { return bits_.cells(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return bits_.size_in_bits(); }
  // inserts that changed their row
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return index().rows(); }
  // The share of a row's bits that are set.
  [[nodiscard]] double fill(std::uint64_t row) const noexcept {
    const std::uint64_t each = index().row().cells(), first = row * each, end = first + each;
    std::uint64_t ones = 0;
    for (std::uint64_t word = first / 64; word * 64 < end; ++word) {
      std::uint64_t here = cells().storage()[word];
      if (word * 64 < first) here &= ~detail::low_mask(static_cast<unsigned>(first % 64));
      if (word * 64 + 64 > end) here &= detail::low_mask(static_cast<unsigned>(end % 64));
      ones += static_cast<unsigned>(std::popcount(here));
    }
    return static_cast<double>(ones) / static_cast<double>(each);
  }
  // The false positive rate at the present fill of every row.
  [[nodiscard]] double expected_fpr() const noexcept {
    double none = 1, sum = 0;
    for (std::uint64_t i = 0; i < rows(); ++i) {
      const double rate = std::pow(fill(i), index().probes());
      none *= 1 - rate;
      sum += rate / static_cast<double>(rows());
    }
    return index().hashed() ? sum : 1 - none;
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept { return bits_.may_contain(d); }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    bits_.may_contain(total, digest_at, out);
  }
  [[nodiscard]] std::size_t batch_from() const noexcept { return bits_.batch_from(); }
  [[nodiscard, gnu::always_inline]] bool may_contain_near(digest d) const noexcept {
    return bits_.may_contain_near(d);
  }
  // Whether the row changed. Nothing: there is no room.
  std::optional<bool> try_insert(digest d) noexcept {
    if (is_full()) return may_contain(d) ? std::optional(false) : std::nullopt;
    return put(index().start(d, row_to_fill()));
  }
  // Returns how many keys were inserted: those before the first without room.
  std::size_t try_insert(std::size_t total, auto&& digest_at) noexcept {
    std::size_t taken = 0;
    while (taken < total && !is_full()) {
      const std::uint64_t left =
          (index().hashed() ? room_ * rows() : (row_to_fill() + 1) * room_) - keys_;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, total - taken));
      const unsigned row = row_to_fill();
      detail::ring<row_probes::walk>(
          count,
          [&](std::size_t i, row_probes::walk& w) {
        w = index().start(digest_at(taken + i), row);
        each_of(index(), w, [&](std::uint64_t cell) { cells().prefetch_for_write(cell); });
          },
          [&](std::size_t, const row_probes::walk& w) { put(w); });
      taken += count;
    }
    // full: keys that are already members need no room
    while (taken < total && may_contain(digest_at(taken))) ++taken;
    return taken;
  }
  [[nodiscard]] occupancy occupied() const noexcept { return {keys_, room_ * rows()}; }
  void clear() noexcept {
    bits_.clear();
    keys_ = 0;
    use_rows();
  }

  friend bool operator==(const filled_rows&, const filled_rows&) noexcept = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("room", self.room_);
    field("keys", self.keys_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("index", self.bits_.index());
    part.fields("split", self);
    part.array("cells", self.bits_.cells().storage());
  }
  void check() {
    bits_.check();
    check_keys(room_);
    if (room_ == 0 || keys_ > room_ * rows())
      throw bad_parameter(
          detail::text("keys: expected at most ", room_, " in each row, found ", keys_, " in all"));
    use_rows();
  }

 private:
  void use_rows() noexcept {
    const std::uint64_t in_use = keys_ == 0 ? 1 : detail::ceil_div(keys_, room_);
    bits_.index().use(index().hashed() ? 1 : static_cast<unsigned>(in_use));
  }
  [[nodiscard]] bool is_full() const noexcept { return keys_ == room_ * rows(); }
  [[nodiscard]] unsigned row_to_fill() const noexcept {
    return static_cast<unsigned>(keys_ / room_);
  }
  bool put(const row_probes::walk& places) noexcept {
    bool changed = false;
    each_of(index(), places, [&](std::uint64_t i) { changed |= bits_.cells().set(i); });
    keys_ += changed;
    if (changed) use_rows();
    return changed;
  }

  std::uint64_t room_ = 1;
  std::uint64_t keys_ = 0;
  probes<row_probes, cells::bits> bits_;
};

}  // namespace umbel::core
