// cuckoo.hpp - tags in pairs of buckets: who finds no room displaces another, which has a second bucket to go to.
// Idea       A tag stands in one of two buckets, and from either the other is known without the key. An insert into two full
//            buckets takes the place of a tag there, which moves to its other bucket, and so on until one has room. Nobody
//            knows better than chance whom to displace; chance here follows from the key, so equal histories give equal bytes.
// Layout     Buckets of 2, 4 or 8 slots (cells/buckets.hpp) and one tag that has no slot, the victim: what the last walk
//            ended with.
// Invariant  Every tag inserted and not erased is in one of its two buckets or is the victim: no key is forgotten. At most
//            2 * slots copies of a key are in its buckets, one more is the victim, and the next finds no room.
// Limits     While there is a victim nothing can be inserted. An erase tries to place it.
// Threads    Many readers or one writer.
// Source     [FAKM14].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/core/face.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/index/bucket_pair.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

class cuckoo {
 public:
  static constexpr unsigned most_moves = 2000;
  using spot = index::bucket_pair::spot;

  cuckoo() : cuckoo(index::bucket_pair(2, 2), 4) {}
  cuckoo(const index::bucket_pair& at, unsigned slots, std::pmr::memory_resource* memory = nullptr)
      : at_(at), slots_(slots) {
    check_shape(at, slots);
    cells_ = cells::buckets(at.buckets(), slots, at.width(), memory);
  }
  static void check_slots(std::uint64_t slots) {
    if (slots != 2 && slots != 4 && slots != 8)
      throw bad_parameter(detail::text("slots: expected 2, 4 or 8 in a bucket, found ", slots));
  }
  static void check_shape(const index::bucket_pair& at, std::uint64_t slots) {
    check_slots(slots);
    const std::uint64_t row = slots * at.width();
    if (row > cells::buckets::most_row_bits)
      throw bad_parameter(detail::text("width: ", at.width(), " bits are too many for ", slots, " slots in a bucket"));
    if (at.buckets() > sizing::max_bits / row)
      throw bad_parameter(detail::text("keys: buckets for so many, ", at.buckets(), ", take more than 2^56 bits"));
  }

  [[nodiscard]] const index::bucket_pair& at() const noexcept { return at_; }
  [[nodiscard]] unsigned slots() const noexcept { return static_cast<unsigned>(slots_); }
  [[nodiscard]] const cells::buckets& cells() const noexcept { return cells_; }
  [[nodiscard]] bool has_victim() const noexcept { return victim_tag_ != 0; }
  // Tags there are: one for every key inserted and not erased.
  [[nodiscard]] std::uint64_t keys() const noexcept {
    return cells_.with_row([&](auto row) {
      std::uint64_t sum = has_victim() ? 1 : 0;
      for (std::uint64_t i = 0; i < at_.buckets(); ++i) sum += cells_.taken(cells_.load<decltype(row)>(i));
      return sum;
    });
  }
  void clear() noexcept {
    cells_.storage().clear();
    victim_bucket_ = victim_tag_ = 0;
  }

  [[nodiscard]] bool query(digest d) const noexcept {
    return cells_.are_wide() ? wide_query(d) : holds<cells::buckets::narrow>(at_(d));
  }
  template <class DigestAt>
  [[UMBEL_FLAT]] void query(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    cells_.with_row([&](auto row) {
      detail::ring<spot>(
          total, [&](std::size_t i, spot& key) { key = fetched(digest_at(i)); },
          [&](std::size_t i, const spot& key) { out[i] = holds<decltype(row)>(key); });
    });
  }

  // False: there is no room, and nothing changed.
  [[nodiscard]] bool insert(digest d) noexcept {
    return cells_.with_row([&](auto row) { return place<decltype(row)>(at_(d)); });
  }
  // How many were taken: those before the first without room.
  template <class DigestAt>
  [[nodiscard]] std::size_t insert(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t taken = 0;
    cells_.with_row([&](auto row) {
      detail::ring<spot>(
          total, [&](std::size_t i, spot& key) { key = fetched(digest_at(i)); },
          [&](std::size_t i, const spot& key) {
            if (taken == i && place<decltype(row)>(key)) ++taken;
          });
    });
    return taken;
  }

  [[nodiscard]] erasure erase(digest d) noexcept {
    return cells_.with_row([&](auto row) { return remove<decltype(row)>(at_(d)); });
  }
  template <class DigestAt>
  [[nodiscard]] std::size_t erase(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t done = 0;
    cells_.with_row([&](auto row) {
      detail::ring<spot>(
          total, [&](std::size_t i, spot& key) { key = fetched(digest_at(i)); },
          [&](std::size_t, const spot& key) { done += remove<decltype(row)>(key) == erasure::done; });
    });
    return done;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    index::bucket_pair::fields(self.at_, field);
    field("slots", self.slots_);
    field("victim_bucket", self.victim_bucket_);
    field("victim_tag", self.victim_tag_);
  }
  [[nodiscard]] const cells::words<>& storage() const noexcept { return cells_.storage(); }
  [[nodiscard]] cells::words<>& storage() noexcept { return cells_.storage(); }
  void check() {
    at_.check();
    check_shape(at_, slots_);
    if (victim_tag_ > at_.tags() || victim_bucket_ >= at_.buckets() || (victim_tag_ == 0 && victim_bucket_ != 0))
      throw corrupt(detail::text("victim: no tag ", victim_tag_, " can be in bucket ", victim_bucket_));
    cells_.reshape(at_.buckets(), slots(), at_.width());
  }
  friend bool operator==(const cuckoo& a, const cuckoo& b) noexcept {
    return a.at_ == b.at_ && a.slots_ == b.slots_ && a.victim_bucket_ == b.victim_bucket_ &&
           a.victim_tag_ == b.victim_tag_ && a.cells_ == b.cells_;
  }

 private:
  [[nodiscard, gnu::noinline]] bool wide_query(digest d) const noexcept { return holds<cells::buckets::wide>(at_(d)); }
  [[nodiscard]] spot fetched(digest d) const noexcept {
    const spot key = at_(d);
    cells_.prefetch(key.first);
    cells_.prefetch(key.second);
    return key;
  }
  [[nodiscard]] bool is_victim(const spot& key) const noexcept {
    return key.tag == victim_tag_ && (key.first == victim_bucket_ || key.second == victim_bucket_);
  }
  // Both rows at once: half of all members are in the second, and nobody foresees which.
  template <class Row>
  [[nodiscard]] bool holds(const spot& key) const noexcept {
    const Row found =
        cells_.holding(cells_.load<Row>(key.first), key.tag) | cells_.holding(cells_.load<Row>(key.second), key.tag);
    return found != 0 || is_victim(key);
  }
  template <class Row>
  [[nodiscard]] bool settle(std::uint64_t bucket, std::uint64_t tag) noexcept {
    const Row room = cells_.empty(cells_.load<Row>(bucket));
    if (room == 0) return false;
    cells_.flip(bucket, cells_.in_slot(room, tag));
    return true;
  }
  template <class Row>
  [[nodiscard]] bool place(const spot& key) noexcept {
    if (has_victim()) return false;
    if (!settle<Row>(key.first, key.tag) && !settle<Row>(key.second, key.tag)) displace<Row>(key.second, key.tag);
    return true;
  }
  // From a full bucket on. What is left in hand at the end is the victim, beside the bucket it was last refused by.
  template <class Row>
  [[gnu::noinline]] void displace(std::uint64_t bucket, std::uint64_t tag) noexcept {
    std::uint64_t chance = detail::remix(bucket, tag);
    for (unsigned move = 0; move < most_moves; ++move) {
      const auto slot = static_cast<unsigned>(detail::fastrange(chance, slots_));
      chance = chance * detail::golden + 1;
      const std::uint64_t moved = cells_.get(cells_.load<Row>(bucket), slot);
      cells_.flip(bucket, Row{moved ^ tag} << (slot * cells_.width()));
      tag = moved;
      bucket = at_.other(bucket, tag);
      if (settle<Row>(bucket, tag)) return;
    }
    victim_bucket_ = bucket;
    victim_tag_ = tag;
  }
  template <class Row>
  [[nodiscard]] bool take(std::uint64_t bucket, std::uint64_t tag) noexcept {
    const Row found = cells_.holding(cells_.load<Row>(bucket), tag);
    if (found == 0) return false;
    cells_.flip(bucket, cells_.in_slot(found, tag));
    return true;
  }
  template <class Row>
  [[nodiscard]] erasure remove(const spot& key) noexcept {
    if (!take<Row>(key.first, key.tag) && !take<Row>(key.second, key.tag)) {
      if (!is_victim(key)) return erasure::absent;
      victim_bucket_ = victim_tag_ = 0;
      return erasure::done;
    }
    if (has_victim()) readmit<Row>();
    return erasure::done;
  }
  // The victim tries again, now that there is a slot more.
  template <class Row>
  [[gnu::noinline]] void readmit() noexcept {
    const std::uint64_t bucket = victim_bucket_, tag = victim_tag_;
    victim_bucket_ = victim_tag_ = 0;
    (void)place<Row>({bucket, at_.other(bucket, tag), tag});
  }

  index::bucket_pair at_;
  std::uint64_t slots_ = 4;
  std::uint64_t victim_bucket_ = 0, victim_tag_ = 0;  // tag 0: there is none
  cells::buckets cells_;
};

}  // namespace umbel::core
