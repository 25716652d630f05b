// quotient_filter.ipp - bodies of quotient_filter.hpp: plans, unions, doubling, and what is read off the whole table.
#pragma once

#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/quotient_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::quotient_plan quotient_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  if (!(wish.load > 0 && wish.load <= sizing::quotient_most_load))
    throw bad_parameter(
        detail::text("load: expected a share above 0 and up to ", sizing::quotient_most_load, ", found ", wish.load));
  const auto made = !wish.bits ? sizing::plan_quotient_for_rate(*wish.keys, *wish.fpr, wish.load)
                    : wish.fpr ? sizing::quotient_room_for(*wish.bits, *wish.fpr, wish.load)
                               : sizing::plan_quotient_for_bits(*wish.keys, *wish.bits, wish.load);
  core::check_kept(wish.fpr, made.fpr);
  if (made.blocks > sizing::max_bits / sizing::quotient_block_bits(made.width))
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
  return made;
}

UMBEL_INLINE plan quotient_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.blocks * sizing::quotient_block_slots,
          .probes = 1,
          .bits = made.blocks * sizing::quotient_block_bits(made.width),
          .fpr = made.fpr};
}

UMBEL_INLINE std::uint64_t quotient_filter::copies_of(const spot& key) const noexcept {
  std::uint64_t out = 0;
  (void)table_.any_of(cells::kernel::portable::word_bits{}, key.home, [&](std::uint64_t value) {
    out += value == key.value;
    return value < key.value;
  });
  return out;
}

UMBEL_INLINE std::optional<bool> quotient_filter::try_insert_digest(digest d) noexcept {
  return cells::kernel::with_word_bits(
      [](auto bits, core::quotient_table* table, const spot key) { return table->insert(bits, key.home, key.value); },
      &table_, locate(d));
}

// Fingerprints come in order, so inserts walk along the table and find its lines where the last one left them.
UMBEL_INLINE void quotient_filter::merge(const quotient_filter& other) {
  if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
  if (slots() != other.slots() || width() != other.width())
    throw incompatible(detail::text("these filters differ in size: ", slots(), " slots of ", width(), " bits against ",
                                    other.slots(), " of ", other.width()));
  if (other.copies() > table_.room() - copies())
    throw full(detail::text("a ", kind, " of ", slots(), " slots has no room for ", copies(), " and ", other.copies(),
                            " keys"));
  core::quotient_table both = table_;
  bool fits = true;
  other.table_.walk([&](std::uint64_t home, std::uint64_t value) {
    cells::kernel::with_word_bits([&](auto bits) { fits = fits && both.insert(bits, home, value).has_value(); });
  });
  if (!fits) throw full(detail::text("a ", kind, " of ", slots(), " slots has no room for both"));  // a file that lied
  table_ = std::move(both);
}

UMBEL_INLINE void quotient_filter::expand() {
  if (width() == 1) throw bad_parameter("expand: a slot has but one bit left, which tells keys apart");
  core::quotient_table wider(table_.blocks() * 2, width() - 1, table_.memory());
  const std::uint64_t mask = detail::low_mask(width() - 1);
  table_.walk([&](std::uint64_t home, std::uint64_t value) {
    cells::kernel::with_word_bits(
        [&](auto bits) { (void)wider.insert(bits, home * 2 + (value >> (width() - 1)), value & mask); });
  });
  table_ = std::move(wider);
}

UMBEL_INLINE double quotient_filter::expected_fpr() const noexcept {
  std::uint64_t distinct = 0, last = 0;
  each_fingerprint([&](std::uint64_t fingerprint) {
    distinct += distinct == 0 || fingerprint != last;
    last = fingerprint;
  });
  return static_cast<double>(distinct) / (static_cast<double>(slots()) * std::exp2(width()));
}

UMBEL_INLINE void quotient_filter::check() {
  table_.check();
  if (static_cast<double>(slots()) * std::exp2(width()) > sizing::quotient_most_fingerprints)
    throw corrupt(detail::text("runs: ", slots(), " slots of ", width(), " bits are more than 2^60 fingerprints"));
}

}  // namespace umbel
