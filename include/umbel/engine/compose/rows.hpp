// rows.hpp - dynamic Bloom filter [GWCL06]: a list of equal filters. A key is inserted into the
// first one with room, and a query asks all. The engine of dynamic Bloom filters.
//
// All rows have the same index, so two rows can be added. With counters (cells/counters.hpp) keys
// can be erased; with bits rows can only grow.
//
// Invariant  Every member is accepted by the row it was inserted into. No row holds more keys than
//            its room.
// Limits     An erase queries every row. It may add one row to another, which copies the row.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/can.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>

namespace umbel::core {

template <class Cells>
class rows {
 public:
  using engine = probes<k_probes, Cells>;
  struct row {
    engine filter;
    std::uint64_t keys = 0;

    template <class Self, class Field>
    static void fields(Self& self, Field&& field) {
      field("keys", self.keys);
    }
    static void describe(auto& self, auto& part) {
      part.fields("row", self);
      part.array("cells", self.filter.cells().storage());
    }
    void check() const noexcept {}  // rows::check() does it: all rows share its index
    friend bool operator==(const row& a, const row& b) noexcept {
      return a.keys == b.keys && a.filter.cells() == b.filter.cells();
    }
  };

  // One row of one cell, with room for one key.
  rows() : rows(k_probes(), 1, nullptr) {}
  rows(const k_probes& at, std::uint64_t room, std::pmr::memory_resource* memory)
      : index_(at), room_(room) {
    all_.push_back({engine(index_, memory), 0});
  }

  [[nodiscard]] const k_probes& index() const noexcept { return index_; }
  [[nodiscard]] const std::vector<row>& all() const noexcept { return all_; }
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }  // of one row
  [[nodiscard]] std::uint64_t ambiguous() const noexcept { return ambiguous_; }
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t sum = 0;
    for (const row& r : all_) sum += r.keys;
    return sum;
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return all_.size() * all_[0].filter.cells().storage().size() * 64;
  }
  // The false positive rate at the present fill of all rows.
  [[nodiscard]] double expected_fpr() const noexcept {
    double none = 1;
    for (const row& r : all_) {
      const auto used = static_cast<double>(r.filter.cells().used());
      none *= 1 - std::pow(used / static_cast<double>(r.filter.cells().size()), index_.probes());
    }
    return 1 - none;
  }
  void clear() {
    all_.erase(all_.begin() + 1, all_.end());
    all_[0].keys = 0;
    all_[0].filter.cells().storage().clear();
    ambiguous_ = 0;
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return query_any(all_.size(), by_number(), d);
  }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    query_any(all_.size(), by_number(), total, digest_at, out);
  }
  [[nodiscard]] std::size_t batch_from() const noexcept { return core::batch_from(all_[0].filter); }
  [[nodiscard, gnu::always_inline]] bool may_contain_near(digest d) const noexcept {
    return query_any_near(all_.size(), by_number(), d);
  }

  // For rows of counters: the minimum of a key's counters in each row, summed over rows. At least
  // the number of copies, unless a counter is stuck at its maximum.
  [[nodiscard]] std::uint64_t count(digest d) const noexcept {
    std::uint64_t sum = 0;
    for (const row& r : all_) {
      std::uint64_t least = Cells::most;
      each_of(index_, index_.start(d),
              [&](std::uint64_t i) { least = std::min(least, r.filter.cells().get(i)); });
      sum += least;
    }
    return sum;
  }

  // True if a cell of the row was clear.
  bool insert(digest d) {
    row& to = first_with_room();
    ++to.keys;
    return to.filter.insert(d);
  }
  void insert(std::size_t total, auto&& digest_at) {
    for (std::size_t first = 0; first < total;) {
      row& to = first_with_room();
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(room_ - to.keys, total - first));
      to.filter.insert(count, [&](std::size_t i) { return digest_at(first + i); });
      to.keys += count;
      first += count;
    }
  }

  erasure erase(digest d) {
    const std::size_t none = all_.size();
    std::size_t found = none;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].filter.may_contain(d)) continue;
      if (found != none) {
        ++ambiguous_;
        return erasure::refused;
      }
      found = i;
    }
    if (found == none) return erasure::absent;
    const erasure out = all_[found].filter.erase(d);
    if (out == erasure::done) {
      if (all_[found].keys > 0) --all_[found].keys;  // a damaged file may say 0
      add_up(found);
    }
    return out;
  }

  // Returns how many keys were erased. The cells of the first four rows are prefetched.
  std::size_t erase(std::size_t total, auto&& digest_at) {
    std::size_t done = 0;
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
      d = digest_at(i);
      for (std::size_t r = 0; r < std::min<std::size_t>(all_.size(), 4); ++r)
        all_[r].filter.prefetch_for_write(d);
        },
        [&](std::size_t, const digest& d) { done += erase(d) == erasure::done; });
    return done;
  }

  static void describe(auto& self, auto& part) {
    part.fields("index", self.index_);
    part.fields("room", self);
    part.list("rows", self.all_);
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("room", self.room_);
  }
  // After loading.
  void check() {
    index_.check();
    index_.require_usual();
    check_keys(room_);
    if (room_ == 0) throw bad_parameter("room: expected at least one key in a row");
    if (all_.empty()) throw bad_parameter("rows: expected at least one");
    for (row& r : all_) {
      r.filter.index() = index_;
      r.filter.check();
      if (r.keys > room_)
        throw bad_parameter(detail::text("keys: a row has room for ", room_, ", found ", r.keys));
    }
  }
  friend bool operator==(const rows& a, const rows& b) noexcept {
    return a.index_ == b.index_ && a.room_ == b.room_ && a.all_ == b.all_;
  }

 private:
  [[nodiscard]] auto by_number() const noexcept {
    return [this](std::size_t j) -> const engine& { return all_[j].filter; };
  }
  [[nodiscard]] row& first_with_room() {
    for (row& r : all_)
      if (r.keys < room_) return r;
    all_.push_back({engine(index_, all_[0].filter.cells().storage().bytes().memory()), 0});
    return all_.back();
  }
  // Adds this row to another one, if some row has room for the keys of both.
  void add_up(std::size_t which) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (i == which || all_[i].keys + all_[which].keys > room_) continue;
      const auto [to, from] = std::minmax(i, which);
      if (!all_[to].filter.cells().add(all_[from].filter.cells())) continue;
      all_[to].keys += all_[from].keys;
      all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(from));
      return;
    }
  }

  k_probes index_;
  std::uint64_t room_;
  std::vector<row> all_;         // never none
  std::uint64_t ambiguous_ = 0;  // not in files
};

}  // namespace umbel::core
