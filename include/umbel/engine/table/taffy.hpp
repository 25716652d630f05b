// taffy.hpp - taffy cuckoo table [App22], which doubles without its keys: the engine of
// taffy_cuckoo_filter.
//
// A key is a fraction of 1, written in binary: its first bits are its place, the next bits its
// head, five more its tail. An entry stores head and tail; its bucket gives the place. When the
// table doubles, places take one more bit: the first of the head, which takes the first of the
// tail. An entry without a tail is copied to both of its possible places.
//
// Layout     Two sides of N buckets of 4 slots. A slot is a head of h bits above 6 bits: a tail of
//            0 to 5 bits, a one after it, and zeros. 0 is an empty slot. On side s the place is
//            rotated, modulo N, by an amount that follows from the head: bucket and head determine
//            the place. At most 8 entries are in a stash.
//            Frozen: slots are heads alone, ascending in a row, the last one repeated; a row that
//            descends, 1 0 0 0, is empty.
// Invariant  Every key given is covered by an entry, however often the table doubles. At most nine
//            tenths of the slots are taken.
// Limits     N is below 2^(58 - h). No erase: keys that agree in all bits share an entry.
// Threads    Many readers or one writer.
// Differs    In [App22] the first N is a power of two, heads have one width, and a Feistel
//            permutation takes the place of the rotation; an empty row of its frozen table matches
//            some keys.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/scouts.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/taffy.hpp>

namespace umbel::core {

class taffy {
  static constexpr unsigned stash_size = sizing::taffy_stash, max_moves = 500;
  static constexpr unsigned code_bits = sizing::taffy_tail_bits + 1;
  static constexpr std::uint64_t no_tail = 1 << sizing::taffy_tail_bits,
                                 code_mask = 2 * no_tail - 1;

  // Place and head of a key as one number, the front, and the code of its tail.
  struct entry {
    std::uint64_t front, code;
  };

 public:
  enum class form : bool { growing, frozen };
  taffy() : taffy(1, 0, sizing::taffy_least_head, form::growing, nullptr) {}
  taffy(std::uint64_t first_buckets, std::uint64_t growths, std::uint64_t head_bits, form as,
        std::pmr::memory_resource* memory);
  static void check_shape(std::uint64_t first_buckets, std::uint64_t growths,
                          std::uint64_t head_bits);

  // of each side
  [[nodiscard]] std::uint64_t buckets() const noexcept { return first_buckets_ << growths_; }
  [[nodiscard]] unsigned growths() const noexcept { return static_cast<unsigned>(growths_); }
  [[nodiscard]] unsigned head_bits() const noexcept { return static_cast<unsigned>(head_bits_); }
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return (table_.storage().size() + stash_.size()) * 64;
  }
  // The share of non-members that match an entry. Frozen: entries / (N 2^h), at most 8 * load /
  // 2^h.
  [[nodiscard]] double expected_fpr() const noexcept;
  void clear();

  // Inserts every entry of `other`; the table with fewer doublings is doubled first. Both must have
  // begun with the same shape.
  void merge(const taffy& other);
  // The same set without tails, read-only.
  [[nodiscard]] taffy freeze() const;
  [[nodiscard]] bool is_frozen() const noexcept { return frozen_ != 0; }

  [[nodiscard]] bool may_contain(digest d) const noexcept { return holds(entry_of(d)); }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    table_.with_row([&](auto row) {
      detail::ring<entry>(
          total,
          [&](std::size_t i, entry& e) {
        e = entry_of(digest_at(i));
        fetch(e);
          },
          [&](std::size_t i, const entry& e) { out[i] = holds<decltype(row)>(e); });
    });
  }

  bool insert(digest d) {
    require_growing();
    if (holds(entry_of(d))) return false;
    if (is_full()) grow();
    place(entry_of(d));
    return true;
  }
  // Inserts in stretches, so that little look-ahead is wasted when the table doubles in the middle
  // of one; the ring itself cannot throw.
  template <class DigestAt>
  void insert(std::size_t total, DigestAt& digest_at) {
    require_growing();
    constexpr std::size_t stretch = 1024;
    for (std::size_t done = 0; done < total;) {
      const std::size_t count = std::min(stretch, total - done);
      const bool is_large = table_.storage().size() >= detail::scouted_words;
      std::size_t taken = 0;
      detail::ring_with_scouts<entry, scout>(
          count,
          [&](std::size_t i, entry& e) {
        e = entry_of(digest_at(done + i));
        fetch(e);
          },
          [&](const entry& e, scout& of) { return is_large && sends(e, of); },
          [&](scout& of) { return look_on(of); },
          [&](std::size_t i, const entry& e) {
        if (taken != i) return false;
        const bool known = holds(e);
        if (!known && is_full()) return false;
        ++taken;
        return !known && !place(e);
      });
      done += taken;
      if (taken < count) grow();
    }
  }

  friend bool operator==(const taffy& a, const taffy& b) noexcept {
    return a.first_buckets_ == b.first_buckets_ && a.growths_ == b.growths_ &&
           a.head_bits_ == b.head_bits_ && a.entries_ == b.entries_ && a.frozen_ == b.frozen_ &&
           a.table_ == b.table_ && a.stash_ == b.stash_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("first_buckets", self.first_buckets_);
    field("growths", self.growths_);
    field("head_bits", self.head_bits_);
    field("entries", self.entries_);
    field("frozen", self.frozen_, no_or_yes);
  }
  static void describe(auto& self, auto& part) {
    part.fields("table", self);
    part.array("cells", self.table_.storage());
    part.array("stash", self.stash_);
  }
  void check();

 private:
  [[nodiscard]] entry entry_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::taffy)};
    const auto product = static_cast<detail::uint128>(words(d).first()) * first_buckets_;
    const detail::uint128 known = product >> (64 - growths_ - head_bits_ - sizing::taffy_tail_bits);
    const auto bits = static_cast<std::uint64_t>(known);
    return {bits >> sizing::taffy_tail_bits, (bits << 1 | 1) & code_mask};
  }
  // By how much places are rotated on a side.
  [[nodiscard]] std::uint64_t turn(std::uint64_t head, unsigned side) const noexcept {
    return detail::fastrange(detail::remix(head, side), buckets());
  }
  [[nodiscard]] std::uint64_t row_of(std::uint64_t front, unsigned side) const noexcept {
    const std::uint64_t place = (front >> head_bits_) + turn(front & head_mask(), side);
    return place - (place >= buckets() ? buckets() : 0) + (side == 0 ? 0 : buckets());
  }
  // The front of a slot's content in a row. Defined for any content, also of damaged files.
  [[nodiscard]] std::uint64_t front_in(std::uint64_t row, std::uint64_t slot) const noexcept {
    const unsigned side = row >= buckets();
    const std::uint64_t bucket = row - (side == 0 ? 0 : buckets()), head = slot >> code_bits,
                        back = turn(head, side);
    return (bucket - back + (bucket < back ? buckets() : 0)) << head_bits_ | head;
  }
  [[nodiscard]] unsigned slot_bits() const noexcept {
    return head_bits() + (is_frozen() ? 0 : code_bits);
  }
  [[nodiscard]] std::uint64_t head_mask() const noexcept { return detail::low_mask(head_bits()); }
  [[nodiscard]] std::uint64_t slot_of(const entry& e) const noexcept {
    return (e.front & head_mask()) << code_bits | e.code;
  }
  // Whether the stored slot agrees with the wanted one in the head and in all stored bits of the
  // tail, and has no more tail bits than it. A code of 0, which has no one, counts as an empty
  // tail.
  [[nodiscard]] static bool covers(std::uint64_t stored, std::uint64_t wanted) noexcept {
    const int spent = std::countr_zero(stored | no_tail);
    return (((stored ^ wanted) >> spent >> 1) == 0) & (spent >= std::countr_zero(wanted));
  }

  template <class Row>
  [[nodiscard]] bool row_holds_head(std::uint64_t i, std::uint64_t head) const noexcept {
    const auto row = table_.load<Row>(i);
    const bool rises = table_.get(row, 0) <= table_.get(row, sizing::taffy_slots - 1);
    return rises && table_.holding(row, head) != 0;
  }
  template <class Row>
  [[nodiscard]] bool row_covers(std::uint64_t i, std::uint64_t wanted) const noexcept {
    if (is_frozen()) return row_holds_head<Row>(i, wanted >> code_bits);
    const auto row = table_.load<Row>(i);
    bool found = false;
    for (unsigned j = 0; j < sizing::taffy_slots; ++j) {
      const std::uint64_t stored = table_.get(row, j);
      found |= (stored != 0) & covers(stored, wanted);
    }
    return found;
  }
  template <class Row>
  [[nodiscard]] bool holds(const entry& e) const noexcept {
    const std::uint64_t wanted = slot_of(e);
    if (row_covers<Row>(row_of(e.front, 0), wanted) || row_covers<Row>(row_of(e.front, 1), wanted))
      return true;
    if (stashed_ == 0) return false;
    for (const std::uint64_t stored : stash_.span())
      if (stored != 0 && covers(stored, e.front << code_bits | e.code)) return true;
    return false;
  }
  void fetch(const entry& e) const noexcept {
    table_.prefetch(row_of(e.front, 0));
    table_.prefetch(row_of(e.front, 1));
  }

  [[nodiscard]] bool holds(const entry& e) const noexcept {
    return table_.with_row([&](auto row) { return holds<decltype(row)>(e); });
  }

  [[nodiscard]] bool is_full() const noexcept {
    return entries_ >= sizing::taffy_room(buckets()) || stashed_ == stash_size;
  }
  void require_growing() const;
  // False if an entry had to be evicted.
  bool place(entry e) noexcept;
  // The look-ahead of an eviction chain: the next row, and the state that selects the evicted slot.
  struct scout {
    std::uint64_t row, chance;
  };
  [[nodiscard]] bool sends(const entry& e, scout& of) const noexcept;
  [[nodiscard]] bool look_on(scout& of) const noexcept;
  [[nodiscard]] static unsigned drawn(std::uint64_t& chance) noexcept {
    const auto slot = static_cast<unsigned>(detail::fastrange(chance, sizing::taffy_slots));
    chance = chance * detail::golden + 1;
    return slot;
  }
  void grow();
  template <class Work>
  void for_each_in_row(std::uint64_t i, Work&& work) const;
  // Work on every entry as it would be after `more` doublings: an entry without a tail at all of
  // its places.
  template <class Work>
  void for_each_extended(std::uint64_t more, Work&& work) const;
  template <class Work>
  static void extend(const entry& e, std::uint64_t more, Work&& work);
  [[nodiscard]] std::optional<taffy> grown(std::uint64_t more) const;

  std::uint64_t first_buckets_, growths_, head_bits_, entries_ = 0, frozen_ = 0;
  unsigned stashed_ = 0;
  cells::buckets table_;
  cells::words<> stash_;  // front << 6 | code; used entries come first
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/taffy.ipp>
#endif
