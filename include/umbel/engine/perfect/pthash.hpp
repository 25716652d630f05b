// pthash.hpp - PTHash / PHOBIC-style minimal perfect hash [PT21], [GK25]: each bucket of keys has a
// pilot, a number found by search, that sends its keys to free slots.
//
// A digest determines a part, a bucket of that part, and a hash. The bucket's pilot (found in
// pthash_build.hpp) maps the hash to a slot that no other key has. There are slightly more slots
// than keys. Keys in slots from n on are remapped to the empty slots below n, by a short monotone
// list.
//
// Pilots     Bytes, read with one access; or numbers of any size, Golomb-Rice coded: buckets may
//            then be larger, and the hash takes fewer bits.
// Layout     2^p parts, which are ranges of digests, solved independently. All parts have equally
//            many slots and buckets: slot = part * slots + slot within the part, without a
//            directory. One byte per part says which attempt succeeded.
// Invariant  After build, index(x) differs for all keys of the build. It is below n for every
//            digest.
// Threads    Immutable: any number of readers.
// Source     [GK25], [PT21]. Parts are ranges aligned to bins, and each part has its own seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/pilot_slot.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/monotone.hpp>
#include <umbel/cells/pilots.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/perfect/pilot_buckets.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
template <class Pilots>
class pilot_builder;

struct perfect_build_options {
  perfect_preset preset = perfect_preset::balanced;
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  // a seam for tests: fewer keys than this make one part
  std::uint64_t part_from = sizing::pilot_part_from;
};

template <class Pilots>
class basic_pthash {
 public:
  using build_options = perfect_build_options;

  basic_pthash() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, perfect_preset preset,
                                        std::uint64_t part_from = sizing::pilot_part_from) {
    check_keys(n);
    if (n == 0) return {};
    const unsigned bits = sizing::pilot_part_bits(n, part_from);
    const std::uint64_t slots = sizing::pilot_slots(sizing::pilot_fullest(n, bits)) << bits;
    const std::uint64_t buckets =
        sizing::pilot_buckets(n, bits, sizing::shape_of(preset, n >> bits).lambda) << bits;
    return {.keys = n,
            .cells = buckets,
            .probes = 1,
            .bits = sizing::pilot_bits(preset, n, buckets) + (std::uint64_t{8} << bits) +
                    sizing::monotone_bits(slots - n, n),
            .fpr = 1};
  }

  // Duplicate keys are dropped. Throws unsolvable.
  template <class Record>
  [[nodiscard]] static basic_pthash build(const basic_spool<Record>& keys,
                                          const build_options& options);  // pthash_build.hpp

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return pilots_.size_in_bits() + attempts_.size() * 8 + rest_.size_in_bits();
  }

  // For each part, the number of seeds that failed before the one that fits.
  [[nodiscard]] std::span<const std::uint8_t> attempts() const noexcept { return attempts_.span(); }

  // Below keys(), and different for all keys of the build; 0 if there is none.
  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    return keys_ == 0 ? 0 : index_of_built(d);
  }
  // The same if there is at least one key.
  [[nodiscard, gnu::always_inline]] std::uint64_t index_of_built(digest d) const noexcept {
    const placer place(*this);
    const std::uint64_t slot = place.slot(place.at(d));
    if (slot < keys_) [[likely]]
      return slot;
    return lead_back(slot);
  }
  // sink(i, note_of(digest), index) for i below `total`, in order.
  template <class DigestAt, class NoteOf, class Sink>
  void indices(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
               Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(digest_at(i)), std::uint64_t{0});
      return;
    }
    indices_of(total, digest_at, note_of, sink);
  }

  // The same for digests in an array: compiled once.
  void indices(const digest* keys, std::size_t total, std::uint64_t* out) const noexcept {
    struct nothing {};
    indices(
        total, detail::digest_list{keys}, [](digest) { return nothing{}; },
        [out](std::size_t i, nothing, std::uint64_t index) { out[i] = index; });
  }

  friend bool operator==(const basic_pthash& a, const basic_pthash& b) noexcept {
    return a.keys_ == b.keys_ && a.part_bits_ == b.part_bits_ && a.slots_ == b.slots_ &&
           a.buckets_ == b.buckets_ && a.skewed_ == b.skewed_ && a.attempts_ == b.attempts_ &&
           a.pilots_ == b.pilots_ && a.rest_ == b.rest_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("part_bits", self.part_bits_);
    field("slots", self.slots_);
    field("buckets", self.buckets_);
    field("skewed", self.skewed_, no_or_yes);
  }
  static void describe(auto& self, auto& part) {
    part.fields("piloted", self);
    part.array("attempts", self.attempts_);
    Pilots::describe(self.pilots_, part);
    cells::monotone::describe(self.rest_, part);
  }
  void check() {
    const field_check require{"piloted"};
    require(keys_ <= max_keys, "keys", keys_);
    require(part_bits_ <= (keys_ == 0 ? 0 : 40), "part_bits", part_bits_);
    require(skewed_ <= (keys_ == 0 ? 0 : 1), "skewed", skewed_);
    require(keys_ == 0 ? slots_ == 0 : slots_ >= 1 && slots_ <= max_slots, "slots", slots_);
    require(keys_ == 0 ? buckets_ == 0 : buckets_ >= 1 && buckets_ <= core::pilot_buckets::most,
            "buckets", buckets_);
    require(keys_ <= all_slots(), "keys", keys_);
    require(all_slots() <= sizing::max_bits, "slots", slots_);
    attempts_.require(keys_ == 0 ? 0 : std::uint64_t{1} << part_bits_);
    // small, and read by every query: copy it
    attempts_.own();
    for (const std::uint8_t attempt : attempts_.span())
      require(attempt < sizing::pilot_attempts, "attempt", attempt);
    pilots_.reshape(std::uint64_t{keys_ != 0} << part_bits_, buckets_);
    const std::uint64_t rest = all_slots() - keys_;
    rest_.reshape(rest, keys_ == 0 ? 1 : keys_, sizing::monotone_low_bits(rest, keys_));
    draw_parts();
  }

 private:
  friend pilot_builder<Pilots>;
  static constexpr std::uint64_t max_slots = std::uint64_t{1} << 31;  // of a part

  struct part {  // precomputed: a batch would wait for the multiplier
    detail::remixer words;
    std::uint64_t first_bucket, first_slot;
  };
  struct spot {
    typename Pilots::spot pilot;
    std::uint64_t first_slot;
    std::uint32_t hash;
  };
  // What locating a key needs, copied by value: a loop then keeps it in registers.
  struct placer {
    explicit placer(const basic_pthash& from) noexcept
        : buckets(&from.bucket_index_),
          parts(from.parts_.data()),
          pilots(from.pilots_.read()),
          slots(static_cast<std::uint32_t>(from.slots_)),
          count(from.parts_.size()) {}
    const core::pilot_buckets* buckets;
    const part* parts;
    typename Pilots::reader pilots;
    std::uint32_t slots;
    std::uint64_t count;  // of parts

    [[nodiscard, gnu::always_inline]] spot at(digest d) const noexcept {
      const std::uint64_t number = detail::fastrange(d.hi, count);
      const part& here = parts[number];
      const std::uint64_t word = here.words(d).first();
      return {pilots.at(number, here.first_bucket, buckets->bucket(word)), here.first_slot,
              core::pilot_buckets::hash(word)};
    }
    [[nodiscard, gnu::always_inline]] std::uint64_t slot(const spot& s) const noexcept {
      return s.first_slot +
             detail::pilot_slot(s.hash, detail::pilot_word(pilots.get(s.pilot)), slots);
    }
  };
  // One key in a hundred comes here. Not inlined, because it would take registers of the loops over
  // keys.
  [[nodiscard, gnu::noinline, gnu::cold]] std::uint64_t lead_back(
      std::uint64_t slot) const noexcept {
    return rest_[slot - keys_];
  }
  template <class DigestAt, class NoteOf, class Sink>
  [[UMBEL_FLAT]] void indices_of(std::size_t total, DigestAt& digest_at, NoteOf& note_of,
                                 Sink& sink) const noexcept {
    struct slot {
      spot at;
      [[no_unique_address]] decltype(note_of(digest{})) note;
    };
    const placer place(*this);
    detail::ring<slot>(
        total,
        [&, place](std::size_t i, slot& s) {
      const digest d = digest_at(i);
      s = {place.at(d), note_of(d)};
      place.pilots.prefetch(s.at.pilot);
        },
        [&, place, keys = keys_](std::size_t i, const slot& s) {
      const std::uint64_t slot = place.slot(s.at);
      sink(i, s.note, slot < keys ? slot : lead_back(slot));
    });
  }

  [[nodiscard]] std::uint64_t all_slots() const noexcept { return slots_ << part_bits_; }
  void draw_parts() {
    bucket_index_ = core::pilot_buckets(buckets_, skewed_ != 0);
    parts_.clear();
    for (std::uint64_t i = 0; i < attempts_.size(); ++i)
      parts_.push_back({core::pilot_buckets::words(attempts_[i]), i * buckets_, i * slots_});
  }

  std::uint64_t keys_ = 0;
  std::uint64_t part_bits_ = 0;
  std::uint64_t slots_ = 0;    // of a part
  std::uint64_t buckets_ = 0;  // of a part
  std::uint64_t skewed_ = 0;
  cells::words<std::uint8_t> attempts_;  // one per part
  Pilots pilots_;
  cells::monotone rest_;  // the slots below keys_ that replace those from keys_ on
  // These follow from the fields above:
  core::pilot_buckets bucket_index_;
  std::vector<part> parts_;
};

using pthash = basic_pthash<cells::byte_pilots>;
using coded = basic_pthash<cells::coded_pilots>;

}  // namespace umbel::core
