// quotient.hpp - a multiset of fingerprints of one length in a quotient table: the engine of
// quotient_filter.
//
// A fingerprint is a number below slots * 2^r. Its high part, the quotient, is a home slot and is
// not stored; its low r bits, the remainder, are the value stored near there. The table is thus the
// sorted list of all fingerprints.
//
// Layout     Any number of blocks of 64 slots. A fingerprint is floor(word * slots * 2^r / 2^64),
//            so a table of twice the slots with one bit less each holds the same fingerprints.
// Invariant  Every copy of every fingerprint is kept: bytes are a function of the multiset of keys.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/config.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/engine/table/fingerprint_runs.hpp>
#include <umbel/engine/table/quotient_table.hpp>

namespace umbel::core {

// The rule of a quotient filter: fingerprints match if they are equal.
struct equal_fingerprints {
  [[nodiscard]] quotient_table::spot locate(const quotient_table& table, digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient)};
    return table.locate(words(d).first(), table.width());
  }
  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, const quotient_table& table,
                           const quotient_table::spot& key) const noexcept {
    return table.contains(bits, key.home, key.value);
  }
  template <class Bits>
  bool take_out(Bits bits, quotient_table& table, const quotient_table::spot& key) const noexcept {
    return table.remove(bits, key.home, [&](std::uint64_t value) { return value == key.value; });
  }
};

class quotient : public fingerprint_runs<equal_fingerprints> {
  using base = fingerprint_runs<equal_fingerprints>;

 public:
  quotient() = default;
  quotient(std::uint64_t blocks, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : base({}, {blocks, width, memory}) {}

  // The number of copies of a key. It is higher only if another key has the same fingerprint, which
  // happens at the false positive rate.
  [[nodiscard]] std::uint64_t count(digest d) const noexcept;
  // Nothing if there is no room, else whether the key was certainly new. A copy is kept in either
  // case.
  [[nodiscard]] std::optional<bool> try_insert(digest d) noexcept;
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t taken = 0;
    table_.each_written(total, located(digest_at), [&](auto bits, std::size_t i, const spot& key) {
      // none after the first without room
      if (taken == i && table_.insert(bits, key.home, key.value)) ++taken;
    });
    return taken;
  }
  // Visits all fingerprints in ascending order, copies included.
  template <class Visit>
  void each_fingerprint(Visit&& visit) const {
    table_.walk(
        [&](std::uint64_t home, std::uint64_t value) { visit(home << table_.width() | value); });
  }
  // Adds the multiset of `other`, which must have the same size. Throws `full`, with nothing
  // changed.
  void merge(const quotient& other);
  // Doubles the slots, each with one bit less, without the keys: the fingerprints stay the same.
  // Throws bad_parameter if slots have only one bit.
  void expand();
  [[nodiscard]] occupancy occupied() const noexcept { return {table_.used(), table_.room()}; }
  void clear() noexcept { table_.clear(); }
  // The share of all fingerprints that are stored. Exact.
  [[nodiscard]] double expected_fpr() const noexcept;

  friend bool operator==(const quotient& a, const quotient& b) noexcept {
    return a.table_ == b.table_;
  }
  static void describe(auto& self, auto& part) { quotient_table::describe(self.table_, part); }
  void check();
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/quotient.ipp>
#endif
