// expandable_filter.hpp - set that erases and grows without end and without its keys, at a rate that stays: log2(1/fpr) + 3.5 bits in a
// slot, of which between half and 95 % are used; one or two cache lines per query.
// Idea       A quotient filter that doubles when it is full. A fingerprint then gives its first bit to its home, and new keys get whole
//            ones: a slot holds a fingerprint of any length up to F, and F itself grows slowly, so that the sum of all
//            generations' false positives stays below what was asked for.
// Layout     engine/table/quotient_table.hpp, values of F + 1 bits: a fingerprint, a one, and zeros for the bits it has given away. A value that has given
//            all is void and matches every key of its home; doubled, it stands in both halves.
// Invariant  Of every key that is in, a prefix stands in its home. The sum over generations is bounded by sizing/expandable.hpp.
// Limits     A void value that is erased leaves its other halves behind: they are counted in the rate, and no more than the bound
//            allows for. Doubling takes the time and the memory of both tables at once. The order of inserts shows in the bytes. No union.
// Threads    Many readers or one writer.
// Source     [DBRT23] for lengths that differ, [DBH24] for void values in both halves; differs in the run order, which is by value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/table/quotient_filters.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/expandable.hpp>

namespace umbel {

struct expandable_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two; `keys` is a first guess
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread; builds sort on as many
};

class expandable_filter : public core::run_filter<expandable_filter>, public core::set_inserts<expandable_filter> {
  using base = core::run_filter<expandable_filter>;

 public:
  using options = expandable_options;
  static constexpr std::string_view kind = "expandable-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .erases = true, .expands = true, .order_dependent = true, .lines = 2};

  expandable_filter() : base({}, {1, 2}), first_length_(1) {}
  explicit expandable_filter(const options& wish) : expandable_filter(sized(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish);

  using core::set_inserts<expandable_filter>::build;
  // Each key once, the same bytes in any order of them.
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the sorting
  [[nodiscard]] static expandable_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return core::build_in_order<expandable_filter>(keys, wish);
  }

  // Of a key that is known to be in: its fingerprint is made whole again. False: it is certainly not in.
  template <key K>
  bool rejuvenate(const K& k) noexcept {
    return renew(locate(hash_(k)));
  }
  // Twice the slots. Inserts do this when there is no room. Throws `full` where 2^56 bits do not suffice.
  void expand();

  // As small as it was made.
  void clear();
  [[nodiscard]] unsigned length() const noexcept { return table_.width() - 1; }  // of new fingerprints
  [[nodiscard]] unsigned generation() const noexcept { return static_cast<unsigned>(generation_); }  // doublings so far
  // Slots: copies of keys, and the halves of void ones.
  [[nodiscard]] std::uint64_t used() const noexcept { return table_.used(); }
  // Of all homes and fingerprints, the share that is let through. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;

  friend bool operator==(const expandable_filter& a, const expandable_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.generation_ == b.generation_ && a.first_length_ == b.first_length_ &&
           a.table_ == b.table_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("generation", self.generation_);
    field("first_length", self.first_length_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("expandable", self);
    core::quotient_table::describe(self.table_, part);
  }
  void check();

 private:
  friend base;
  friend core::set_inserts<expandable_filter>;
  using typename base::spot;  // the value is a whole fingerprint with its one

  expandable_filter(const sizing::expandable_plan& made, const options& wish)
      : base(wish.hash, {made.blocks, made.length + 1, wish.memory}), first_length_(made.length) {}
  [[nodiscard]] static sizing::expandable_plan sized(const options& wish);

  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient, 1)};
    spot out = table_.locate(words(d), length());
    out.value = out.value << 1 | 1;
    return out;
  }
  // Whether the bits above the lowest one agree. A zero, which no insert makes, matches nothing.
  [[nodiscard]] static bool matches(std::uint64_t value, std::uint64_t whole) noexcept {
    const std::uint64_t one = value & (0 - value);
    return one != 0 && ((value ^ whole) & ~((one << 1) - 1)) == 0;
  }
  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, const spot& key) const noexcept {
    return table_.any_of(bits, key.home, [&](std::uint64_t value) { return matches(value, key.value); });
  }

  bool insert_digest(digest d);  // true: the key was certainly new; a copy is kept either way
  // As many at once as there is room for, then a doubling: where it falls does not depend on batches.
  void insert_digests(std::size_t total, auto& digest_at) {
    for (std::size_t done = 0; done < total;) {
      if (table_.used() >= table_.room()) expand();
      const std::size_t count = std::min<std::size_t>(total - done, table_.room() - table_.used());
      table_.each_written(
          count, [&](std::size_t i) { return locate(digest_at(done + i)); },
          [&](auto bits, std::size_t, const spot& key) { (void)table_.insert(bits, key.home, key.value); });
      done += count;
    }
  }
  // The longest match goes: whoever shares a shorter one with the key still finds that.
  template <class Bits>
  bool take_out(Bits bits, const spot& key) noexcept {
    std::uint64_t longest = 0;
    (void)table_.any_of(bits, key.home, [&](std::uint64_t value) {
      if (matches(value, key.value) && (longest == 0 || (value & (0 - value)) < (longest & (0 - longest))))
        longest = value;
      return false;
    });
    return longest != 0 && table_.remove(bits, key.home, [&](std::uint64_t value) { return value == longest; });
  }
  bool renew(const spot& key) noexcept;

  std::uint64_t generation_ = 0;
  std::uint64_t first_length_;  // of fingerprints before the first doubling
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/expandable_filter.ipp>
#endif
