// hash_compaction_filter.hpp - growing set for small error rates: log2(1/fpr) + 5 bits per key, one or two cache lines per
// query; smaller than a Bloom filter for rates below one in a thousand.
// Idea       A key has a home slot and a fingerprint of r bits, never 0; an empty slot is 0. The walk from a home is over
//            larger fingerprints and ends at the first that is not: there the key is, or nowhere. Meeting its equal a
//            fingerprint is there already; displacing a smaller one, it sends that one on.
// Layout     `slots` packed cells of r bits, a ring: after the last comes the first. No other state.
// Invariant  All slots from a key's home up to its fingerprint hold larger ones. So cells are a function of the set of keys,
//            in any order of inserts; and the rate is known exactly from them, not estimated.
// Limits     Full when every slot is taken: `full`. `keys` planned keys always fit, and beyond them the rate rises fast.
//            No erase: a slot may stand for several keys. No union: slots do not tell the homes of what they hold.
// Threads    Many readers or one writer.
// Source     [BM04] sec. 2.3 and [WL93] (hash compaction); differs in the order of slots, [AK74], which divides the
//            rate of a nearly full table by five and ends searches early.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/hash_compaction.hpp>

namespace umbel {

struct hash_compaction_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  double load = 0.95;  // most slots that `keys` keys may take, as a share: inserts slow down with 1/(1 - load)^2
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class hash_compaction_filter : public core::set_queries<hash_compaction_filter>,
                               public core::bounded_inserts<hash_compaction_filter> {
 public:
  using options = hash_compaction_options;
  static constexpr std::string_view kind = "hash-compaction-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .may_fill = true, .lines = 2};

  hash_compaction_filter() : hash_compaction_filter(1, 1, {}) {}
  explicit hash_compaction_filter(const options& wish) : hash_compaction_filter(sized(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish);

  void clear() noexcept { table_.storage().clear(); }
  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return table_.storage().size() * 64; }
  [[nodiscard]] std::uint64_t values() const noexcept;  // slots taken: keys that meet share one
  // Of all homes and fingerprints, the share that is let through. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;
  // Distinct keys inserted so far: slots taken, and those that met another's fingerprint on their way.
  [[nodiscard]] estimate cardinality() const noexcept;

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const hash_compaction_filter& a, const hash_compaction_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.slots_ == b.slots_ && a.width_ == b.width_ && a.table_ == b.table_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("slots", self.slots_);
    field("width", self.width_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("table", self);
    part.array("cells", self.table_.storage());
  }
  void check();

 private:
  friend core::set_queries<hash_compaction_filter>;
  friend core::bounded_inserts<hash_compaction_filter>;

  hash_compaction_filter(std::uint64_t slots, unsigned width, const options& wish)
      : hash_(wish.hash), slots_(slots), width_(width), table_(slots, width, wish.memory) {}
  hash_compaction_filter(const sizing::compaction_plan& made, const options& wish)
      : hash_compaction_filter(made.slots, made.width, wish) {}
  [[nodiscard]] static sizing::compaction_plan sized(const options& wish);

  struct spot {
    std::uint64_t home, value;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::compaction)};
    const detail::remixed word = words(d);
    return {detail::fastrange(word.first(), slots_), 1 + detail::fastrange(word.second(), detail::low_mask(width()))};
  }
  // The first slot from here on, all the way round, that is not above `value`; `slots` if there is none. The cell past
  // the last is there and 0, whatever a file holds: a walk over any cells ends there, the second time for good.
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
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return search(locate(d)); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& key) {
          key = locate(digest_at(i));
          table_.prefetch(key.home);
        },
        [&](std::size_t i, const spot& key) { out[i] = search(key); });
  }

  // Nothing: there is no room. Else whether the key was new.
  std::optional<bool> try_insert_digest(digest d) noexcept { return place(locate(d)); }
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
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
  std::optional<bool> place(const spot& key) noexcept;
  template <class Store>
  [[nodiscard]] bool send_on(std::uint64_t at, std::uint64_t value, Store&& store) const noexcept;

  hasher hash_;
  std::uint64_t slots_;
  std::uint64_t width_;
  cells::packed table_;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/hash_compaction_filter.ipp>
#endif
