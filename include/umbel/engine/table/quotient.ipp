// quotient.ipp - bodies of quotient.hpp: unions, doubling, and figures computed from the whole
// table.
#pragma once

#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/table/quotient.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel::core {

UMBEL_INLINE std::uint64_t quotient::count(digest d) const noexcept {
  const spot key = locate(d);
  std::uint64_t out = 0;
  (void)table_.any_of(cells::kernel::portable::word_bits{}, key.home, [&](std::uint64_t value) {
    out += value == key.value;
    return value < key.value;
  });
  return out;
}

UMBEL_INLINE std::optional<bool> quotient::try_insert(digest d) noexcept {
  return cells::kernel::with_word_bits(
      [](auto bits, quotient_table* table, const spot key) {
    return table->insert(bits, key.home, key.value);
      },
      &table_, locate(d));
}

// Fingerprints come in order, so inserts go through the table in order, and the cache lines of each
// are still cached from the one before.
UMBEL_INLINE void quotient::merge(const quotient& other) {
  const quotient_table& more = other.table_;
  if (table_.slots() != more.slots() || table_.width() != more.width())
    throw incompatible(detail::text("these filters differ in size: ", table_.slots(), " slots of ",
                                    table_.width(), " bits against ", more.slots(), " of ",
                                    more.width()));
  if (more.used() > table_.room() - table_.used())
    throw full(detail::text("quotient-filter has no room for the ", more.used(),
                            " keys of another beside its own ", table_.used(), "; it has ",
                            table_.room(), " slots for keys. Build both for ",
                            table_.used() + more.used(), " keys or more"));
  quotient_table both = table_;
  bool fits = true;
  more.walk([&](std::uint64_t home, std::uint64_t value) {
    cells::kernel::with_word_bits(
        [&](auto bits) { fits = fits && both.insert(bits, home, value).has_value(); });
  });
  if (!fits)
    throw full(
        // a damaged file
        detail::text("a quotient-filter of ", table_.slots(), " slots has no room for both"));
  table_ = std::move(both);
}

UMBEL_INLINE void quotient::expand() {
  if (table_.width() == 1)
    throw bad_parameter("expand: a slot has but one bit left, which tells keys apart");
  quotient_table wider(table_.blocks() * 2, table_.width() - 1, table_.memory());
  const std::uint64_t mask = detail::low_mask(table_.width() - 1);
  table_.walk([&](std::uint64_t home, std::uint64_t value) {
    cells::kernel::with_word_bits([&](auto bits) {
      (void)wider.insert(bits, home * 2 + (value >> (table_.width() - 1)), value & mask);
    });
  });
  table_ = std::move(wider);
}

UMBEL_INLINE double quotient::expected_fpr() const noexcept {
  std::uint64_t distinct = 0, last = 0;
  each_fingerprint([&](std::uint64_t fingerprint) {
    distinct += distinct == 0 || fingerprint != last;
    last = fingerprint;
  });
  return static_cast<double>(distinct) /
         (static_cast<double>(table_.slots()) * std::exp2(table_.width()));
}

UMBEL_INLINE void quotient::check() {
  table_.check();
  if (static_cast<double>(table_.slots()) * std::exp2(table_.width()) >
      sizing::quotient_max_fingerprints)
    throw corrupt(detail::text("runs: ", table_.slots(), " slots of ", table_.width(),
                               " bits are more than 2^60 fingerprints"));
}

}  // namespace umbel::core
