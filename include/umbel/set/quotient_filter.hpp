// quotient_filter.hpp - growing set that erases, merges and doubles without its keys: (log2(1/fpr) + 2.1) / 0.95 bits per key,
// one or two cache lines per query. Smaller than a Bloom filter for rates below 2 %.
// Idea       A key's fingerprint is a number below slots * 2^r. Its high part, the quotient, is a home slot and needs no space; its
//            low r bits, the remainder, are stored near there. The filter is the sorted list of all fingerprints.
// Layout     engine/table/quotient_table.hpp: homes are quotients, values remainders. Any number of blocks of 64 slots: a fingerprint is
//            floor(word * slots * 2^r / 2^64), so twice the slots with one bit less each are the same fingerprints.
// Invariant  Every copy of every fingerprint is kept. So an erase takes out one copy and harms nobody; bytes are a function of
//            the multiset of keys, in any order of inserts and erases; and the rate is known exactly from them.
// Limits     Full at 95 % of the slots: `full`. The keys that were planned always fit. Each copy of a key takes a slot, and many
//            copies of one make queries near it slow. An erase of a key that was never given may take out another's.
// Threads    Many readers or one writer.
// Source     [BFJKK+12], in the rank-and-select form of [PBJP17]; the practical form of [PPR05].
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/table/quotient_filters.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel {

struct quotient_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  double load =
      sizing::quotient_most_load;  // most slots that `keys` keys may take, as a share: lower is faster to fill
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class quotient_filter : public core::run_filter<quotient_filter>, public core::bounded_inserts<quotient_filter> {
  using base = core::run_filter<quotient_filter>;

 public:
  using options = quotient_options;
  static constexpr std::string_view kind = "quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{
      .of = family::set, .counts = true, .erases = true, .mergeable = true, .may_fill = true, .lines = 2};

  quotient_filter() = default;
  explicit quotient_filter(const options& wish) : quotient_filter(sized(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish);

  // Copies of a key that are in; more only if another key has the same fingerprint, which fpr of them have.
  template <key K>
  [[nodiscard]] std::uint64_t count(const K& k) const noexcept {
    return copies_of(locate(hash_(k)));
  }
  // All fingerprints, ascending, each as often as it is in.
  template <class Visit>
  void each_fingerprint(Visit&& visit) const {
    table_.walk([&](std::uint64_t home, std::uint64_t value) { visit(home << width() | value); });
  }

  // The multiset of both. Two filters of one size and hash only: else `incompatible`. Throws `full`, with nothing changed.
  void merge(const quotient_filter& other);
  // Twice the slots of one bit less each, without the keys: the same fingerprints and the same rate, room for as many again,
  // whose rate is then twice what was planned. Throws bad_parameter if a slot has but one bit.
  void expand();

  void clear() noexcept { table_.clear(); }
  [[nodiscard]] unsigned width() const noexcept { return table_.width(); }
  [[nodiscard]] std::uint64_t copies() const noexcept { return table_.used(); }  // of all keys
  // Of all fingerprints, the share that is in. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;

  friend bool operator==(const quotient_filter& a, const quotient_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.table_ == b.table_;
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    core::quotient_table::describe(self.table_, part);
  }
  void check();

 private:
  friend base;
  friend core::bounded_inserts<quotient_filter>;
  using typename base::spot;

  quotient_filter(const sizing::quotient_plan& made, const options& wish)
      : base(wish.hash, {made.blocks, made.width, wish.memory}) {}
  [[nodiscard]] static sizing::quotient_plan sized(const options& wish);

  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient)};
    return table_.locate(words(d).first(), width());
  }
  [[nodiscard]] std::uint64_t copies_of(const spot& key) const noexcept;

  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, const spot& key) const noexcept {
    return table_.contains(bits, key.home, key.value);
  }
  template <class Bits>
  bool take_out(Bits bits, const spot& key) noexcept {
    return table_.remove(bits, key.home, [&](std::uint64_t value) { return value == key.value; });
  }

  // Nothing: there is no room. Else whether the key was certainly new; a copy is kept either way.
  std::optional<bool> try_insert_digest(digest d) noexcept;
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t taken = 0;
    table_.each_written(total, located(digest_at), [&](auto bits, std::size_t i, const spot& key) {
      if (taken == i && table_.insert(bits, key.home, key.value)) ++taken;  // none after the first without room
    });
    return taken;
  }
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/quotient_filter.ipp>
#endif
