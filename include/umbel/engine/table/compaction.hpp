// compaction.hpp - hash compaction [WL93], an open-addressing table of fingerprints: the engine of
// hash_compaction_filter.
//
// Each key has a home slot and a fingerprint of r bits, never 0; an empty slot is 0. Probing is
// linear and ordered [AK74]: a search passes larger fingerprints and ends at the first that is not
// larger, which is the key's or proves it absent. An insert that meets an equal fingerprint is
// done; one that meets a smaller fingerprint takes its slot, and the smaller one moves on.
//
// Layout     `slots` packed cells of r bits, a ring. No other state.
// Invariant  All slots from a key's home up to its fingerprint hold larger ones. So cells are a
//            function of the set of keys, and the false positive rate is known exactly from them.
// Limits     Full when every slot is taken. No erase: a slot may stand for several keys. No union:
//            a slot does not tell the home of its fingerprint.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/config.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class compaction {
  struct spot {
    std::uint64_t home, value;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::compaction)};
    const detail::remixed word = words(d);
    return {detail::fastrange(word.first(), slots_),
            1 + detail::fastrange(word.second(), detail::low_mask(width()))};
  }

 public:
  compaction() : compaction(1, 1) {}
  compaction(std::uint64_t slots, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : slots_(slots), width_(width), table_(slots, width, memory) {}

  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return table_.storage().size() * 64; }
  [[nodiscard]] std::uint64_t values() const noexcept;  // slots taken: colliding keys share one
  // The share of all (home, fingerprint) pairs that pass. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;
  // Distinct keys inserted so far: the slots taken, plus an estimate of the keys that were false
  // positives when inserted.
  [[nodiscard]] estimate cardinality() const noexcept;
  [[nodiscard]] occupancy occupied() const noexcept { return {values(), slots_}; }
  void clear() noexcept { table_.storage().clear(); }

  [[nodiscard]] bool may_contain(digest d) const noexcept { return search(locate(d)); }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& key) {
      key = locate(digest_at(i));
      table_.prefetch(key.home);
        },
        [&](std::size_t i, const spot& key) { out[i] = search(key); });
  }

  // Nothing if there is no room, else whether the key was new.
  std::optional<bool> try_insert(digest d) noexcept { return place(locate(d)); }
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t taken = 0;
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& key) {
      key = locate(digest_at(i));
      table_.prefetch(key.home);
        },
        [&](std::size_t i, const spot& key) {
      if (taken == i && place(key)) ++taken;  // none after the first without room
    });
    return taken;
  }

  friend bool operator==(const compaction& a, const compaction& b) noexcept {
    return a.slots_ == b.slots_ && a.width_ == b.width_ && a.table_ == b.table_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("slots", self.slots_);
    field("width", self.width_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("table", self);
    part.array("cells", self.table_.storage());
  }
  void check();

 private:
  // The first slot from `at` on, with wrap-around, whose value is not above `value`; `slots` if
  // there is none. One cell beyond the last slot exists and is 0 in every file, so both loops end
  // there at the latest.
  [[nodiscard]] std::uint64_t stop(std::uint64_t at, std::uint64_t value) const noexcept {
    while (table_.get(at) > value) ++at;
    if (at != slots_) return at;
    at = 0;
    while (table_.get(at) > value) ++at;
    return at;
  }
  [[nodiscard]] bool search(const spot& key) const noexcept {
    return table_.get(stop(key.home, key.value)) == key.value;
  }
  std::optional<bool> place(const spot& key) noexcept;
  template <class Store>
  [[nodiscard]] bool send_on(std::uint64_t at, std::uint64_t value, Store&& store) const noexcept;

  std::uint64_t slots_;
  std::uint64_t width_;
  cells::packed table_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/compaction.ipp>
#endif
