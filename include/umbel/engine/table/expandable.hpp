// expandable.hpp - fingerprints of different lengths in a quotient table that doubles: the engine
// of expandable_filter [DBRT23].
//
// When the table doubles, each fingerprint gives its first bit to its home; new keys get
// full-length fingerprints. So a slot holds a fingerprint of any length up to F. F itself grows
// slowly, so that the false positive rates of all generations add up to less than the requested
// one.
//
// Layout     Values of F + 1 bits: a fingerprint, a one, and zeros for the bits it has given away.
//            A value that has given away all bits is void and matches every key of its home; when
//            the table doubles, it is copied to both halves [DBH24].
// Invariant  For every member, a prefix of its fingerprint is in its home.
// Limits     An erased void value leaves its copies behind: they count in the rate, within the
//            bound. Doubling takes the time and the memory of both tables at once.
// Threads    Many readers or one writer.
// Differs    [DBRT23] orders a run by length; here it is ordered by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/config.hpp>
#include <umbel/engine/table/fingerprint_runs.hpp>
#include <umbel/engine/table/quotient_table.hpp>

namespace umbel::core {

// A stored value matches the fingerprints that begin with it.
struct fingerprint_prefixes {
  using spot = quotient_table::spot;  // the value is a whole fingerprint with its one

  [[nodiscard]] spot locate(const quotient_table& table, digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient, 1)};
    spot out = table.locate(words(d), table.width() - 1);
    out.value = out.value << 1 | 1;
    return out;
  }
  // Whether the bits above the lowest one agree. A zero, which no insert makes, matches nothing.
  [[nodiscard]] static bool matches(std::uint64_t value, std::uint64_t whole) noexcept {
    const std::uint64_t one = value & (0 - value);
    return one != 0 && ((value ^ whole) & ~((one << 1) - 1)) == 0;
  }
  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, const quotient_table& table, const spot& key) const noexcept {
    return table.any_of(bits, key.home,
                        [&](std::uint64_t value) { return matches(value, key.value); });
  }
  // Removes the longest match, so that a key that shares a shorter one is still found.
  template <class Bits>
  bool take_out(Bits bits, quotient_table& table, const spot& key) const noexcept {
    std::uint64_t longest = 0;
    (void)table.any_of(bits, key.home, [&](std::uint64_t value) {
      if (matches(value, key.value) &&
          (longest == 0 || (value & (0 - value)) < (longest & (0 - longest))))
        longest = value;
      return false;
    });
    return longest != 0 &&
           table.remove(bits, key.home, [&](std::uint64_t value) { return value == longest; });
  }
};

class expandable : public fingerprint_runs<fingerprint_prefixes> {
  using base = fingerprint_runs<fingerprint_prefixes>;

 public:
  expandable() : expandable(1, 1) {}
  expandable(std::uint64_t blocks, unsigned length, std::pmr::memory_resource* memory = nullptr)
      : base({}, {blocks, length + 1, memory}), first_length_(length) {}

  // of new fingerprints
  [[nodiscard]] unsigned length() const noexcept { return table_.width() - 1; }
  [[nodiscard]] unsigned generation() const noexcept { return static_cast<unsigned>(generation_); }

  // True if the key was certainly new. A copy is kept in either case.
  bool insert(digest d);
  // Inserts as many keys as there is room for, then doubles. The moment of a doubling does not
  // depend on how keys are batched.
  template <class DigestAt>
  void insert(std::size_t total, DigestAt& digest_at) {
    for (std::size_t done = 0; done < total;) {
      if (table_.used() >= table_.room()) expand();
      const std::size_t count = std::min<std::size_t>(total - done, table_.room() - table_.used());
      table_.each_written(
          count, [&](std::size_t i) { return locate(digest_at(done + i)); },
          [&](auto bits, std::size_t, const spot& key) {
        (void)table_.insert(bits, key.home, key.value);
          });
      done += count;
    }
  }
  // For a key known to be a member: restores its fingerprint to full length. False if it is
  // certainly not a member.
  bool rejuvenate(digest d) noexcept;
  // Doubles the slots. Inserts do this when there is no room. Throws `full` if the result would
  // exceed 2^56 bits.
  void expand();
  // Empties the table and returns it to its initial size.
  void clear();
  // The share of all (home, fingerprint) pairs that pass. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;

  friend bool operator==(const expandable& a, const expandable& b) noexcept {
    return a.generation_ == b.generation_ && a.first_length_ == b.first_length_ &&
           a.table_ == b.table_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("generation", self.generation_);
    field("first_length", self.first_length_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("expandable", self);
    quotient_table::describe(self.table_, part);
  }
  void check();

 private:
  std::uint64_t generation_ = 0;  // doublings so far
  std::uint64_t first_length_;    // of fingerprints before the first doubling
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/expandable.ipp>
#endif
