// cuckoo.hpp - cuckoo hash table of tags: the engine of cuckoo filters [FAKM14].
//
// Each key has a tag and two candidate buckets. Either bucket and the tag determine the other
// (partial-key cuckoo hashing), so a tag can be moved without its key. An insert that finds both
// buckets full evicts a tag to its alternate bucket, and repeats from there.
//
// Layout     Buckets of 2, 4 or 8 slots (cells/buckets.hpp); those of 4 may be sorted. One extra
//            slot, the victim, holds the tag left over when an eviction chain reaches its limit.
// Invariant  Every inserted tag is in one of its two buckets or is the victim: no false negatives.
// Limits     While the victim is occupied, inserts fail. An erase tries to place it. At most
//            2 * slots + 1 copies of one key fit.
// Details    Eviction prefers a tag whose alternate bucket has room. Where none has, a number that
//            follows from the key chooses, so the same sequence of operations gives the same bytes.
//            Batches prefetch eviction chains (base/scouts.hpp).
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/scouts.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/core/can.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/engine/table/bucket_pair.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/cuckoo.hpp>

namespace umbel::core {

class cuckoo {
 public:
  static constexpr unsigned max_moves = 2000;
  using spot = bucket_pair::spot;

  // Tags that found both buckets full during a build.
  class crowd {
    friend cuckoo;
    static constexpr std::size_t most = 64;
    // A tag without a slot, and the full bucket from which it will evict another tag.
    struct walker {
      std::uint64_t bucket, tag, chance;
      unsigned moves;
    };
    walker who[most];
    std::size_t count = 0;
  };

  cuckoo() : cuckoo(bucket_pair(2, 2), 4) {}
  cuckoo(const bucket_pair& at, unsigned slots, bool sorted = false,
         std::pmr::memory_resource* memory = nullptr)
      : index_(at), slots_(slots), sorted_(sorted) {
    check_shape(at, slots, sorted);
    cells_ = cells::buckets(at.buckets(), slots, at.width(), memory, sorted);
    set_victim(0, 0);
  }
  static void check_slots(std::uint64_t slots, std::uint64_t sorted) {
    if (slots != 2 && slots != 4 && slots != 8)
      throw bad_parameter(detail::text("slots: expected 2, 4 or 8 in a bucket, found ", slots));
    if (sorted > 1) throw bad_parameter(detail::text("sorted: expected 0 or 1, found ", sorted));
    if (sorted != 0 && slots != 4)
      throw bad_parameter(detail::text("sorted: buckets of 4 slots can be, these have ", slots));
  }
  static void check_shape(const bucket_pair& at, std::uint64_t slots, std::uint64_t sorted) {
    using cells::buckets;
    check_slots(slots, sorted);
    if (sorted != 0 && (at.width() < buckets::min_sorted || at.width() > buckets::max_sorted))
      throw bad_parameter(detail::text("width: sorted tags have 4 to 16 bits, these ", at.width()));
    const std::uint64_t row =
        buckets::bits_of(static_cast<unsigned>(slots), at.width(), sorted != 0);
    if (row > buckets::max_row_bits)
      throw bad_parameter(detail::text("width: ", at.width(), " bits are too many for ", slots,
                                       " slots in a bucket"));
    if (at.buckets() > sizing::max_bits / row)
      throw bad_parameter(
          detail::text("keys: buckets for so many, ", at.buckets(), ", take more than 2^56 bits"));
  }

  [[nodiscard]] const bucket_pair& index() const noexcept { return index_; }
  [[nodiscard]] unsigned slots() const noexcept { return static_cast<unsigned>(slots_); }
  [[nodiscard]] const cells::buckets& cells() const noexcept { return cells_; }
  [[nodiscard]] bool has_victim() const noexcept { return victim_tag_ != 0; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.storage().size() * 64; }
  // The number of tags: one for every insert, copies included, minus erases. Counted at every call.
  [[nodiscard]] std::uint64_t keys() const noexcept {
    return cells_.with_row([&](auto row) {
      std::uint64_t sum = has_victim() ? 1 : 0;
      for (std::uint64_t i = 0; i < index_.buckets(); ++i)
        sum += cells_.taken(cells_.load<decltype(row)>(i));
      return sum;
    });
  }
  // The false positive rate if all keys are distinct.
  [[nodiscard]] double expected_fpr() const noexcept {
    return sizing::cuckoo_fpr(keys(), index_.buckets(), index_.width());
  }
  [[nodiscard]] occupancy occupied() const noexcept { return {keys(), index_.buckets() * slots_}; }
  void clear() noexcept {
    cells_.storage().clear();
    set_victim(0, 0);
  }

  // Each of the three cases tests one field, which combines the shape of the rows with the victim.
  // Out of cache, the fewer instructions a query has, the more queries wait for memory at the same
  // time. Rows of whole bytes are a case of their own: read with a shift, they took a fifth longer
  // at 1e7 keys. The other cases get the digest as two words; otherwise g++ stores it to memory
  // before it knows which case applies.
  [[nodiscard, gnu::always_inline]] bool may_contain(digest d) const noexcept {
    if (is_plain_) [[likely]]
      return in_rows<whole>(index_(d));
    return may_contain_apart(d.hi, d.lo);
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    over(total, digest_at,
         [&](auto row, std::size_t i, const spot& key) { out[i] = holds<decltype(row)>(key); });
  }

  // Nothing if there is no room; then nothing changed. Copies of a key are kept, so an insert
  // always changes the table.
  [[nodiscard]] std::optional<bool> try_insert(digest d) noexcept {
    if (is_plain_) [[likely]] {
      settle<whole>(index_(d));
      return true;
    }
    const bool fits = cells_.with_row([&](auto row) { return place<decltype(row)>(index_(d)); });
    return fits ? std::optional(true) : std::nullopt;
  }
  // Returns how many keys were inserted: those before the first without room. The bytes are those
  // that single inserts leave.
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at) noexcept {
    return try_insert(total, digest_at, cells_.storage().size() >= detail::scouted_words);
  }
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at,
                                       bool with_scouts) noexcept {
    std::size_t taken = 0;
    const auto take_on = [&](auto row, std::size_t i, const spot& key) {
      if (taken != i || has_victim()) return false;
      ++taken;
      return !settle<decltype(row)>(key);
    };
    if (!with_scouts) {
      over(total, digest_at, take_on);
      return taken;
    }
    cells_.with_row([&](auto row) {
      using Row = decltype(row);
      detail::ring_with_scouts<spot, scout>(
          total, [&](std::size_t i, spot& key) { key = fetched(digest_at(i)); },
          [&](const spot& key, scout& of) { return sends<Row>(key, of); },
          [&](scout& of) { return look_on<Row>(of); },
          [&](std::size_t i, const spot& key) { return take_on(row, i, key); });
    });
    return taken;
  }

  // Inserts of a build. A tag that finds both buckets full waits until there are many such tags;
  // then all of them make one eviction step together, so that their buckets are fetched at the same
  // time. False if there is no room for all. Then a tag that had a slot may have lost it, and the
  // table must be discarded.
  template <class DigestAt>
  [[nodiscard]] bool fill(crowd& waiting, std::size_t total, DigestAt& digest_at) noexcept {
    bool fits = true;
    over(total, digest_at, [&](auto row, std::size_t, const spot& key) {
      using Row = decltype(row);
      if (!fits || settle<Row>(key.first, key.tag) || settle<Row>(key.second, key.tag)) return;
      waiting.who[waiting.count++] = starting(key.second, key.tag);
      if (waiting.count == crowd::most) fits = walk<Row>(waiting, crowd::most / 2);
    });
    return fits;
  }
  [[nodiscard]] bool finish(crowd& waiting) noexcept {
    return cells_.with_row([&](auto row) { return walk<decltype(row)>(waiting, 0); });
  }

  [[nodiscard]] erasure erase(digest d) noexcept {
    if (is_plain_) [[likely]]
      return take<whole>(index_(d)) ? erasure::done : erasure::absent;
    return cells_.with_row([&](auto row) { return remove<decltype(row)>(index_(d)); });
  }
  template <class DigestAt>
  [[nodiscard]] std::size_t erase(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t done = 0;
    over(total, digest_at, [&](auto row, std::size_t, const spot& key) {
      done += remove<decltype(row)>(key) == erasure::done;
    });
    return done;
  }

  static void describe(auto& self, auto& part) {
    part.fields("table", self);
    part.array("cells", self.cells_.storage());
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    bucket_pair::fields(self.index_, field);
    field("slots", self.slots_);
    field("sorted", self.sorted_, no_or_yes);
    field("victim_bucket", self.victim_bucket_);
    field("victim_tag", self.victim_tag_);
  }
  void check() {
    index_.check();
    check_shape(index_, slots_, sorted_);
    if (victim_tag_ > index_.tags() || victim_bucket_ >= index_.buckets() ||
        (victim_tag_ == 0 && victim_bucket_ != 0))
      throw corrupt(
          detail::text("victim: no tag ", victim_tag_, " can be in bucket ", victim_bucket_));
    cells_.reshape(index_.buckets(), slots(), index_.width(), sorted_ != 0);
    set_victim(victim_bucket_, victim_tag_);
  }
  friend bool operator==(const cuckoo& a, const cuckoo& b) noexcept {
    return a.index_ == b.index_ && a.slots_ == b.slots_ && a.sorted_ == b.sorted_ &&
           a.victim_bucket_ == b.victim_bucket_ && a.victim_tag_ == b.victim_tag_ &&
           a.cells_ == b.cells_;
  }

 private:
  using whole = cells::buckets::whole;
  using walker = crowd::walker;
  struct scout {
    std::uint64_t bucket, chance;
  };

  void set_victim(std::uint64_t bucket, std::uint64_t tag) noexcept {
    victim_bucket_ = bucket;
    victim_tag_ = tag;
    is_plain_ = tag == 0 && cells_.are_whole();
    is_shifted_ = tag == 0 && cells_.are_narrow();
  }
  [[nodiscard]] spot fetched(digest d) const noexcept {
    const spot key = index_(d);
    cells_.prefetch(key.first);
    cells_.prefetch(key.second);
    return key;
  }
  // work(row, i, spot) for every key, after its rows have been prefetched.
  template <class DigestAt, class Work>
  [[UMBEL_FLAT]] void over(std::size_t total, DigestAt& digest_at, Work&& work) const noexcept {
    cells_.with_row([&](auto row) {
      detail::ring<spot>(
          total, [&](std::size_t i, spot& key) { key = fetched(digest_at(i)); },
          [&](std::size_t i, const spot& key) { work(row, i, key); });
    });
  }
  [[nodiscard]] bool is_victim(const spot& key) const noexcept {
    return key.tag == victim_tag_ && (key.first == victim_bucket_ || key.second == victim_bucket_);
  }
  // Both rows at once: half of all members are in the second, and a branch would be unpredictable.
  template <class Row>
  [[nodiscard]] bool in_rows(const spot& key) const noexcept {
    const auto slots = cells_.holding<Row>(key.first, key.second, key.tag);
    return (slots[0] | slots[1]) != 0;
  }
  template <class Row>
  [[nodiscard]] bool holds(const spot& key) const noexcept {
    return in_rows<Row>(key) || is_victim(key);
  }
  // Two functions: in one, the short case would have to save the registers of the long ones.
  [[nodiscard, gnu::noinline]] bool may_contain_apart(std::uint64_t hi,
                                                      std::uint64_t lo) const noexcept {
    if (is_shifted_) [[likely]]
      return in_rows<cells::buckets::narrow>(index_({hi, lo}));
    return may_contain_other(hi, lo);
  }
  [[nodiscard, gnu::noinline]] bool may_contain_other(std::uint64_t hi,
                                                      std::uint64_t lo) const noexcept {
    return cells_.with_row([&](auto row) { return holds<decltype(row)>(index_({hi, lo})); });
  }

  template <class Row>
  [[nodiscard]] bool settle(std::uint64_t bucket, std::uint64_t tag) noexcept {
    const auto room = cells_.empty(cells_.load<Row>(bucket));
    if (room == 0) return false;
    cells_.flip<Row>(bucket, cells_.in_slot(room, tag));
    return true;
  }
  // First one row, then the other: until the table is nearly full, the first has room. Prefetching
  // the second, or reading both and choosing without a branch, gained nothing at 1e7 keys. False if
  // a tag had to be evicted.
  template <class Row>
  bool settle(const spot& key) noexcept {
    if (settle<Row>(key.first, key.tag) || settle<Row>(key.second, key.tag)) return true;
    displace<Row>(key.second, key.tag);
    return false;
  }
  template <class Row>
  [[nodiscard]] bool place(const spot& key) noexcept {
    if (has_victim()) return false;
    settle<Row>(key);
    return true;
  }
  [[nodiscard]] static walker starting(std::uint64_t bucket, std::uint64_t tag) noexcept {
    return {bucket, tag, detail::remix(bucket, tag), 0};
  }
  // The slot to evict: one whose alternate bucket has room; if there is none, the slot given by
  // `chance`. The alternate buckets of all tags are read together, in one wait for memory. When
  // `chance` alone selected the slot, filling a table of 1e7 keys took nearly twice as long.
  template <class Row>
  [[nodiscard]] unsigned leaver(std::uint64_t bucket, typename Row::word row,
                                std::uint64_t& chance) const noexcept {
    auto slot = static_cast<unsigned>(detail::fastrange(chance, slots_));
    chance = chance * detail::golden + 1;
    for (unsigned i = 0; i < slots_; ++i)
      slot =
          cells_.empty(cells_.load<Row>(index_.other(bucket, cells_.get(row, i)))) != 0 ? i : slot;
    return slot;
  }
  // Prefetches the alternate buckets of all tags in this bucket.
  template <class Row>
  void fetch_beyond(std::uint64_t bucket, typename Row::word row) const noexcept {
    for (unsigned i = 0; i < slots_; ++i) cells_.prefetch(index_.other(bucket, cells_.get(row, i)));
  }
  // The look-ahead of a key follows the eviction chain that the key would start now. In a large
  // table it is rarely outdated, because 64 keys touch few of all buckets. True if there is an
  // eviction step to make; the buckets that it reads have been prefetched.
  template <class Row>
  [[nodiscard]] bool sends(const spot& key, scout& of) const noexcept {
    const auto row = cells_.load<Row>(key.second);
    if ((cells_.empty(cells_.load<Row>(key.first)) | cells_.empty(row)) != 0) return false;
    of = {key.second, detail::remix(key.second, key.tag)};
    fetch_beyond<Row>(key.second, row);
    return true;
  }
  template <class Row>
  [[nodiscard]] bool look_on(scout& of) const noexcept {
    const auto row = cells_.load<Row>(of.bucket);
    of.bucket = index_.other(of.bucket, cells_.get(row, leaver<Row>(of.bucket, row, of.chance)));
    const auto next = cells_.load<Row>(of.bucket);
    if (cells_.empty(next) != 0) return false;
    fetch_beyond<Row>(of.bucket, next);
    return true;
  }
  // One eviction step. True if the evicted tag found a slot.
  template <class Row>
  [[nodiscard]] bool step(walker& w) noexcept {
    const auto row = cells_.load<Row>(w.bucket);
    const unsigned slot = leaver<Row>(w.bucket, row, w.chance);
    const std::uint64_t moved = cells_.get(row, slot);
    cells_.flip<Row>(w.bucket, typename Row::word{moved ^ w.tag} << (slot * cells_.width()));
    w.tag = moved;
    w.bucket = index_.other(w.bucket, moved);
    return settle<Row>(w.bucket, moved);
  }
  // The tag left over after max_moves becomes the victim, with its last bucket.
  template <class Row>
  [[gnu::noinline]] void displace(std::uint64_t bucket, std::uint64_t tag) noexcept {
    walker w = starting(bucket, tag);
    for (unsigned move = 0; move < max_moves; ++move)
      if (step<Row>(w)) return;
    set_victim(w.bucket, w.tag);
  }
  // Evicts until no more than `few` tags are waiting. False if one of them found no slot and there
  // is a victim already.
  template <class Row>
  [[nodiscard, gnu::noinline]] bool walk(crowd& waiting, std::size_t few) noexcept {
    while (waiting.count > few) {
      const std::span<walker> all(waiting.who, std::exchange(waiting.count, 0));
      for (const walker& w : all) fetch_beyond<Row>(w.bucket, cells_.load<Row>(w.bucket));
      for (walker& w : all) {
        if (step<Row>(w)) continue;
        if (++w.moves < max_moves) {
          waiting.who[waiting.count++] = w;
        } else {
          if (has_victim()) return false;
          set_victim(w.bucket, w.tag);
        }
      }
    }
    return true;
  }
  template <class Row>
  [[nodiscard]] bool take(const spot& key) noexcept {
    return cells_.take<Row>(key.first, key.second, key.tag);
  }
  template <class Row>
  [[nodiscard]] erasure remove(const spot& key) noexcept {
    if (!take<Row>(key)) {
      if (!is_victim(key)) return erasure::absent;
      set_victim(0, 0);
      return erasure::done;
    }
    if (has_victim()) readmit<Row>();
    return erasure::done;
  }
  // Inserts the victim again, now that there is a free slot.
  template <class Row>
  [[gnu::noinline]] void readmit() noexcept {
    const std::uint64_t bucket = victim_bucket_, tag = victim_tag_;
    set_victim(0, 0);
    (void)place<Row>({bucket, index_.other(bucket, tag), tag});
  }

  bucket_pair index_;
  std::uint64_t slots_ = 4, sorted_ = 0;
  std::uint64_t victim_bucket_ = 0, victim_tag_ = 0;  // tag 0: there is none
  // no victim, and rows are whole bytes of one word
  bool is_plain_ = false;
  bool is_shifted_ = false;  // no victim, and rows are bits of one word
  cells::buckets cells_;
};

}  // namespace umbel::core
