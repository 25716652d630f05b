// variable_bloom_filter.hpp - signatures of variable length: keys can be strengthened, weakened, erased and aged. May forget.
// Idea       A key has k bits. An insert sets the first t of them, and a key with q or more set may be in. What lies between
//            is play: bits can be cleared, of one key or of all in turn, and a key fades before it is gone; one that is
//            worth more can be given more of its bits.
// Layout     One array of m bits, an index that names k per key, and the bit that ages next.
// Invariant  Where nothing was cleared and q <= t no key is forgotten. With t = q = k it is a bloom_filter, bit for bit.
// Limits     Bits are shared: clearing those of one key shortens others, and may make them forgotten. Bits of a key may
//            coincide, with chance k^2/2m, and then count for each; so does a bit cleared.
// Threads    Many readers or one writer.
// Source     [LPB05], [TRL12] sec. III-L. The t bits are the first of the walk, unless they are drawn.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/threshold_probes.hpp>
#include <umbel/sizing/variable.hpp>

namespace umbel {

struct variable_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // k; 0: 10
  unsigned marks = 0;   // t, what an insert sets; 0: seven tenths of k
  unsigned needed = 0;  // q, what a query wants; 0: six tenths of k
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class variable_bloom_filter : public core::keyed<core::probes<core::threshold_probes, cells::bits>> {
  using base = core::keyed<core::probes<core::threshold_probes, cells::bits>>;

 public:
  using options = variable_options;
  static constexpr std::string_view kind = "variable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{
      .of = family::set, .erases = true, .popularity_aware = true, .may_forget = true, .windowed = true};

  variable_bloom_filter() = default;
  explicit variable_bloom_filter(const options& wish) : variable_bloom_filter(shaped(wish), wish) {}

  template <core::key_range Keys>
  [[nodiscard]] static variable_bloom_filter build(const Keys& keys, const options& wish) {
    return core::grown<variable_bloom_filter>(keys, wish);
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) { return shaped(wish).planned; }

  [[nodiscard]] unsigned marks() const noexcept { return engine_.index().marks(); }
  [[nodiscard]] unsigned needed() const noexcept { return engine_.index().needed(); }
  [[nodiscard]] double expected_fpr() const noexcept { return sizing::variable_fpr(fill(), probes(), needed()); }
  // The chance that a key is forgotten once a share of the set bits, chosen at random, is cleared.
  [[nodiscard]] double expected_fnr(double cleared) const noexcept {
    return sizing::variable_fnr(fill(), cleared, probes(), marks(), needed());
  }

  using base::insert;
  // Sets the first `count` of the key's bits instead of `marks`: more for a key that shall last longer. True if any changed.
  template <key K>
  bool insert(const K& k, unsigned count) {
    check_count(count);
    const places at(engine_.index(), hash_(k));
    bool changed = false;
    for (unsigned i = 0; i < count; ++i) changed |= engine_.cells().set(at[i]);
    return changed;
  }
  // The same with bits that `seed` draws from all of the key's, each as likely: one that comes again and again, each time with
  // another seed, grows longer.
  template <key K>
  bool insert(const K& k, unsigned count, std::uint64_t seed) {
    check_count(count);
    const digest d = hash_(k);
    const places at(engine_.index(), d);
    std::array<std::uint8_t, sizing::bloom_max_probes> left;  // numbers of bits; those before i are drawn
    for (unsigned i = 0; i < probes(); ++i) left[i] = static_cast<std::uint8_t>(i);
    bool changed = false;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t other = i + detail::fastrange(detail::remix(detail::remix(seed, d.lo), i), probes() - i);
      std::swap(left[i], left[other]);
      changed |= engine_.cells().set(at[left[i]]);
    }
    return changed;
  }
  // Sets the first of the key's bits that is clear; false if there is none.
  template <key K>
  bool strengthen(const K& k) noexcept {
    const places at(engine_.index(), hash_(k));
    for (unsigned i = 0; i < probes(); ++i)
      if (engine_.cells().set(at[i])) return true;
    return false;
  }
  // Clears set bits of the key, from its last one on, until fewer than `least` are set; how many. `erase` goes down to
  // where the key is no longer found.
  template <key K>
  unsigned weaken(const K& k, unsigned least) noexcept {
    return weaken_digest(hash_(k), least);
  }
  // Clears bits of the key until it is no longer found.
  template <key K>
  bool erase(const K& k) noexcept {
    return try_erase(k) == core::erasure::done;
  }
  template <key K>
  core::erasure try_erase(const K& k) noexcept {
    return erase_digest(hash_(k));
  }
  template <core::key_span Keys>
  std::size_t erase_batch(const Keys& keys) noexcept {
    std::size_t done = 0;
    hash_.with_digests(core::as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) noexcept {
      done += erase_digests(count, digest_at);
    });
    return done;
  }
  // How many of the key's bits are set.
  template <key K>
  [[nodiscard]] unsigned length(const K& k) const noexcept {
    return length(places(engine_.index(), hash_(k)));
  }
  // Clears the next `count` bits in turn: as many as there are bits clear everything once.
  void age(std::uint64_t count) noexcept {
    const std::uint64_t end = (cursor_ + count % size_in_bits()) % size_in_bits();
    auto& words = engine_.cells().storage();
    for (std::uint64_t left = std::min(count, size_in_bits()); left > 0;) {
      const std::uint64_t in_word = cursor_ % 64, run = std::min({left, 64 - in_word, size_in_bits() - cursor_});
      words[cursor_ / 64] &= ~(detail::low_mask(static_cast<unsigned>(run)) << in_word);
      left -= run;
      cursor_ = cursor_ + run == size_in_bits() ? 0 : cursor_ + run;
    }
    cursor_ = end;
  }
  [[nodiscard]] std::uint64_t oldest() const noexcept { return cursor_; }  // the bit that ages next
  void clear() noexcept {
    base::clear();
    cursor_ = 0;
  }

  friend bool operator==(const variable_bloom_filter&, const variable_bloom_filter&) = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("oldest", self.cursor_);
  }
  static void describe(auto& self, auto& part) {
    base::describe(self, part);
    part.fields("age", self);
  }
  void check() {
    base::check();
    if (cursor_ >= size_in_bits())
      throw bad_parameter(detail::text("oldest: expected less than the ", size_in_bits(), " bits, found ", cursor_));
  }

 private:
  struct shape {
    umbel::plan planned;
    unsigned marks, needed;
  };
  [[nodiscard]] static shape shaped(const options& wish);
  variable_bloom_filter(const shape& made, const options& wish)
      : base(wish.hash,
             engine_type({made.planned.bits, made.planned.probes, made.marks, made.needed}, wish.memory)) {}

  void check_count(unsigned count) const {
    if (count == 0 || count > probes())
      throw bad_parameter(detail::text("count: expected 1 to ", probes(), ", found ", count));
  }
  // Where a key's bits are, for verbs that go over them more than once.
  class places {
   public:
    places(const core::threshold_probes& of, digest d) noexcept {
      unsigned i = 0;
      core::each_of(of, of.start(d), [&](std::uint64_t cell) { all_[i++] = cell; });
    }
    [[nodiscard]] std::uint64_t operator[](unsigned i) const noexcept { return all_[i]; }

   private:
    std::array<std::uint64_t, sizing::bloom_max_probes> all_;
  };
  [[nodiscard]] unsigned length(const places& at) const noexcept {
    unsigned sum = 0;
    for (unsigned i = 0; i < probes(); ++i) sum += engine_.cells().test(at[i]);
    return sum;
  }
  unsigned weaken_digest(digest d, unsigned least) noexcept {
    const places at(engine_.index(), d);
    unsigned cleared = 0;
    for (unsigned i = probes(); i > 0 && length(at) >= std::max(least, 1U); --i)
      cleared += engine_.cells().reset(at[i - 1]);
    return cleared;
  }
  core::erasure erase_digest(digest d) noexcept {
    if (!engine_.may_contain(d)) return core::erasure::absent;
    weaken_digest(d, needed());
    return core::erasure::done;
  }
  std::size_t erase_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t done = 0;
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
          d = digest_at(i);
          engine_.prefetch_for_write(d);
        },
        [&](std::size_t, const digest& d) { done += erase_digest(d) == core::erasure::done; });
    return done;
  }

  std::uint64_t cursor_ = 0;
};

inline variable_bloom_filter::shape variable_bloom_filter::shaped(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const unsigned probes = wish.probes != 0 ? wish.probes : 10;
  const auto tenths = [&](unsigned count) { return std::max(1U, probes * count / 10); };
  const unsigned marks = wish.marks != 0 ? wish.marks : tenths(7), needed = wish.needed != 0 ? wish.needed : tenths(6);
  (void)core::threshold_probes(1, probes, marks, needed);  // refuses what cannot be
  std::uint64_t keys = wish.keys.value_or(0);
  const std::uint64_t bits = wish.bits ? *wish.bits : sizing::variable_bits(keys, *wish.fpr, probes, marks, needed);
  if (!wish.keys) keys = sizing::variable_room(bits, *wish.fpr, probes, marks, needed);
  const double fill = sizing::variable_fill(static_cast<double>(keys), static_cast<double>(bits), marks);
  const double rate = sizing::variable_fpr(fill, probes, needed);
  core::check_kept(wish.fpr, rate);
  return {{.keys = keys, .cells = bits, .probes = probes, .bits = bits, .fpr = rate}, marks, needed};
}

}  // namespace umbel
