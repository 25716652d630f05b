// adaptive_cuckoo.hpp - adaptive cuckoo filter [MPR20]: the engine of adaptive_cuckoo_filter.
//
// Every slot of the filter mirrors a slot of a table elsewhere (on disk, over a network) that holds
// the key itself. A slot has a selector, the number of the hash function that made its tag. When
// the table reports a false positive, the selector of the slot that matched is increased and its
// tag is recomputed from the key there.
//
// Layout     An even number of buckets of 4 slots. A slot is a tag of f bits above a selector of s
//            bits; 0 is an empty slot.
// Invariant  The tag in a slot is that of the table's key there, under the slot's selector.
// Table      digest_in(slot) is the digest of the key in a slot that holds one; move(from, to)
//            moves a key to an empty slot.
// Threads    Many readers or one writer.
// Differs    [MPR20] moves keys while it searches; here an insert searches breadth first and moves
//            keys only if all moves succeed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/cuckoo.hpp>

namespace umbel::core {

class adaptive_cuckoo {
  struct spots {
    digest of;
    std::array<std::uint64_t, 2> buckets;
  };

 public:
  static constexpr unsigned slots = 4;
  // The size of a table, without its memory, for plans.
  struct shape {
    static constexpr unsigned min_tag_bits = 2, max_tag_bits = 28;
    std::uint64_t buckets = 2, tag_bits = min_tag_bits, selector_bits = 2;

    // For `keys` keys at this false positive rate, or the lowest rate there is.
    [[nodiscard]] static shape fitted(std::uint64_t keys, double fpr, unsigned selector_bits) {
      shape out;
      out.selector_bits = selector_bits;
      // two more than for a cuckoo filter: there is no victim
      out.buckets = sizing::cuckoo_buckets(keys + 2, slots, max_tag_bits);
      while (out.tag_bits < max_tag_bits && out.rate(keys) > fpr) ++out.tag_bits;
      out.check();
      return out;
    }
    [[nodiscard]] unsigned width() const noexcept {
      return static_cast<unsigned>(tag_bits + selector_bits);
    }
    // The false positive rate for non-members that have not been queried before.
    [[nodiscard]] double rate(std::uint64_t keys) const noexcept {
      return sizing::cuckoo_fpr(keys, buckets, static_cast<unsigned>(tag_bits));
    }
    void check() const {
      if (selector_bits < 1 || selector_bits > 3)
        throw bad_parameter(detail::text("selector_bits: expected 1 to 3, found ", selector_bits));
      if (tag_bits < min_tag_bits || tag_bits > max_tag_bits)
        throw bad_parameter(detail::text("tag_bits: expected 2 to 28, found ", tag_bits));
      if (buckets < 2 || buckets % 2 != 0 || buckets > sizing::max_bits / 128)
        throw bad_parameter(
            detail::text("buckets: expected an even number from 2 to 2^49, found ", buckets));
    }
    friend bool operator==(const shape&, const shape&) = default;
  };

  adaptive_cuckoo() : adaptive_cuckoo(shape()) {}
  explicit adaptive_cuckoo(const shape& made, std::pmr::memory_resource* memory = nullptr)
      : shape_(made), cells_(made.buckets, slots, made.width(), memory) {}

  // of the table, in slots
  [[nodiscard]] std::uint64_t size() const noexcept { return buckets() * slots; }
  [[nodiscard]] std::uint64_t buckets() const noexcept { return shape_.buckets; }
  [[nodiscard]] unsigned tag_bits() const noexcept {
    return static_cast<unsigned>(shape_.tag_bits);
  }
  [[nodiscard]] unsigned selector_bits() const noexcept {
    return static_cast<unsigned>(shape_.selector_bits);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.storage().size() * 64; }
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < buckets(); ++i) sum += cells_.taken(load(i));
    return sum;
  }
  // The false positive rate for non-members that have not been queried before.
  [[nodiscard]] double expected_fpr() const noexcept { return shape_.rate(keys()); }

  [[nodiscard]] bool may_contain(digest d) const noexcept { return find(spots_of(d)).has_value(); }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    detail::ring<spots>(
        total,
        [&](std::size_t i, spots& at) {
      at = spots_of(digest_at(i));
      for (const std::uint64_t bucket : at.buckets) cells_.prefetch(bucket);
        },
        [&](std::size_t i, const spots& at) { out[i] = find(at).has_value(); });
  }
  // The slot of the table to compare with; nothing if the key is certainly not a member.
  [[nodiscard]] std::optional<std::uint64_t> slot_of(digest d) const noexcept {
    return find(spots_of(d));
  }
  // The slot that holds the key.
  template <class Table>
  [[nodiscard]] std::optional<std::uint64_t> exact_slot_of(digest d, const Table& table) const {
    for (const std::uint64_t bucket : spots_of(d).buckets)
      for (std::uint64_t slot = bucket * slots; slot < (bucket + 1) * slots; ++slot)
        if (get(slot) != 0 && table.digest_in(slot) == d) return slot;
    return std::nullopt;
  }
  // The slot in which the table must now store the key, after the moves it was told to make.
  // Nothing if there is no room; then nothing changed.
  template <class Table>
  [[nodiscard]] std::optional<std::uint64_t> insert(digest d, Table& table) {
    const auto slot = make_room(spots_of(d), table);
    if (slot) put(*slot, tag_of(d, 0));
    return slot;
  }
  // Frees a slot; the table must remove the key there.
  void free(std::uint64_t slot) noexcept { put(slot, 0); }
  // After a false positive: every slot that matched gets another tag. True if the key no longer
  // passes. False if some key has the same tag under every selector.
  template <class Table>
  bool adapt(digest d, const Table& table) {
    const spots at = spots_of(d);
    for (unsigned tries = 0; tries < 2 * slots << selector_bits(); ++tries) {
      const auto slot = find(at);
      if (!slot) return true;
      const std::uint64_t selector = (get(*slot) + 1) & detail::low_mask(selector_bits());
      put(*slot, tag_of(table.digest_in(*slot), selector));
    }
    return !find(at);
  }

  friend bool operator==(const adaptive_cuckoo& a, const adaptive_cuckoo& b) noexcept {
    return a.shape_ == b.shape_ && a.cells_ == b.cells_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("buckets", self.shape_.buckets);
    field("tag_bits", self.shape_.tag_bits);
    field("selector_bits", self.shape_.selector_bits);
  }
  static void describe(auto& self, auto& part) {
    part.fields("table", self);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    shape_.check();
    cells_.reshape(buckets(), slots, shape_.width());
  }

 private:
  static constexpr unsigned max_selectors = 8;
  static constexpr std::size_t max_seen = 2048;  // slots looked at before an insert gives up
  using row = cells::buckets::wide::word;

  // Two different buckets. They do not depend on the tag: since the table has the key, the
  // alternate bucket need not follow from the tag.
  [[nodiscard]] spots spots_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::selectors)};
    const detail::remixed word = words(d);
    const std::uint64_t first = detail::fastrange(word.first(), buckets());
    const std::uint64_t second = detail::fastrange(word.second(), buckets() - 1);
    return {d, {first, second + (second >= first ? 1 : 0)}};
  }
  [[nodiscard]] std::uint64_t other(const spots& at, std::uint64_t bucket) const noexcept {
    return at.buckets[0] == bucket ? at.buckets[1] : at.buckets[0];
  }
  [[nodiscard]] std::uint64_t tag_of(digest d, std::uint64_t selector) const noexcept {
    const detail::remixer words{detail::salt_of(detail::stage::selectors, 1 + selector)};
    return (1 + detail::fastrange(words(d).first(), detail::low_mask(tag_bits())))
               << selector_bits() |
           selector;
  }
  [[nodiscard]] row load(std::uint64_t bucket) const noexcept {
    return cells_.with_row([&](auto zero) -> row { return cells_.load<decltype(zero)>(bucket); });
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t slot) const noexcept {
    return cells_.get(load(slot / slots), static_cast<unsigned>(slot % slots));
  }
  void put(std::uint64_t slot, std::uint64_t value) noexcept {
    const row change = row{get(slot) ^ value} << (slot % slots * cells_.width());
    cells_.with_row([&](auto zero) {
      using reading = decltype(zero);
      cells_.flip<reading>(slot / slots, static_cast<typename reading::word>(change));
    });
  }
  [[nodiscard]] std::optional<std::uint64_t> find(const spots& at) const noexcept {
    std::array<std::uint64_t, max_selectors> tags;
    for (unsigned i = 0; i < 1U << selector_bits(); ++i) tags[i] = tag_of(at.of, i);
    for (const std::uint64_t bucket : at.buckets)
      for (unsigned j = 0; j < slots; ++j) {
        const std::uint64_t stored = cells_.get(load(bucket), j);
        if (stored != 0 && stored == tags[stored & detail::low_mask(selector_bits())])
          return bucket * slots + j;
      }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> empty_slot(std::uint64_t bucket) const noexcept {
    for (unsigned j = 0; j < slots; ++j)
      if (cells_.get(load(bucket), j) == 0) return bucket * slots + j;
    return std::nullopt;
  }

  // A free slot in one of the two buckets, found by a breadth-first search for the shortest chain
  // of moves; each move fills the slot that the move before it left.
  template <class Table>
  [[nodiscard]] std::optional<std::uint64_t> make_room(const spots& at, Table& table) {
    struct seen {
      std::uint64_t slot;
      std::size_t from;  // the chain that led here
    };
    constexpr std::size_t start = ~std::size_t{0};
    std::vector<seen> all;
    const auto see = [&](std::uint64_t bucket, std::size_t from) {
      for (std::uint64_t slot = bucket * slots; slot < (bucket + 1) * slots; ++slot)
        all.push_back({slot, from});
    };
    for (const std::uint64_t bucket : at.buckets)
      if (const auto slot = empty_slot(bucket)) return slot;
    for (const std::uint64_t bucket : at.buckets) see(bucket, start);
    for (std::size_t i = 0; i < all.size() && all.size() < max_seen; ++i) {
      const std::uint64_t bucket =
          other(spots_of(table.digest_in(all[i].slot)), all[i].slot / slots);
      if (auto free = empty_slot(bucket)) {
        std::size_t step = i;
        for (; step != start; step = all[step].from) {  // the last of the chain moves first
          const std::uint64_t slot = all[step].slot;
          table.move(slot, *free);
          put(*free, tag_of(table.digest_in(*free), 0));
          put(slot, 0);
          free = slot;
        }
        return free;
      }
      bool again = false;  // a chain must not return to a bucket: its slot may be moved already
      for (std::size_t step = i; step != start; step = all[step].from)
        again |= all[step].slot / slots == bucket;
      if (!again) see(bucket, i);
    }
    return std::nullopt;
  }

  shape shape_;
  cells::buckets cells_;
};

}  // namespace umbel::core
