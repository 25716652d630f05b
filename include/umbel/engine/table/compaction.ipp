// compaction.ipp - bodies of compaction.hpp: inserts, and figures computed from the whole table.
#pragma once

#include <array>
#include <cmath>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/table/compaction.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

// Puts `value` at its place. A smaller fingerprint there moves on to the next slot that is not
// above it, and so on, until a slot is empty or holds an equal fingerprint. False if a whole turn
// finds neither; then none will be found later.
template <class Store>
bool compaction::send_on(std::uint64_t at, std::uint64_t value, Store&& store) const noexcept {
  for (std::uint64_t left = slots_; left > 0; --left) {
    const std::uint64_t there = table_.get(at);
    if (there == value) return true;
    if (there < value) {
      store(at, value);
      if (there == 0) return true;
      value = there;
    }
    if (++at == slots_) at = 0;
  }
  return false;
}

UMBEL_INLINE std::optional<bool> compaction::place(const spot& key) noexcept {
  const std::uint64_t at = stop(key.home, key.value);
  if (table_.get(at) == key.value) return false;
  if (at == slots_) return std::nullopt;
  // If there is an empty slot, the insert succeeds. In a full table it succeeds only if a moved
  // fingerprint meets an equal one; that is tried without storing before anything moves.
  if (stop(at, 0) == slots_ && !send_on(at, key.value, [](std::uint64_t, std::uint64_t) {}))
    return std::nullopt;
  (void)send_on(at, key.value,
                [&](std::uint64_t slot, std::uint64_t value) { table_.set(slot, value); });
  return true;
}

UMBEL_INLINE std::uint64_t compaction::values() const noexcept {
  std::uint64_t taken = 0;
  for (std::uint64_t i = 0; i < slots_; ++i) taken += table_.get(i) != 0;
  return taken;
}

// From a home, the fingerprints that pass are those smaller than all before them up to the next
// empty slot. Read backwards, these are a monotone stack: each cell pops all fingerprints that are
// not smaller, and is pushed. The stack overflows only in tables with almost no empty slot or in
// crafted ones; the rate returned is then too low.
UMBEL_INLINE double compaction::expected_fpr() const noexcept {
  std::array<std::uint64_t, 4096> falling;
  std::size_t depth = 0;
  double accepted = 0;
  const std::uint64_t empty = stop(0, 0);  // `slots` if none is empty; then the ring is read twice
  for (std::uint64_t i = slots_ + empty; i-- > 0;) {
    const std::uint64_t value = table_.get(i < slots_ ? i : i - slots_);
    while (depth > 0 && falling[depth - 1] >= value) --depth;
    if (value != 0 && depth < falling.size()) falling[depth++] = value;
    if (i < slots_) accepted += static_cast<double>(depth);
  }
  return accepted / (static_cast<double>(slots_) * static_cast<double>(detail::low_mask(width())));
}

// Each key is a false positive, and so not counted, at the rate when it is inserted. That rate rose
// from 0 to the present one, so the number of such keys is an integral.
UMBEL_INLINE estimate compaction::cardinality() const noexcept {
  const auto taken = static_cast<double>(values());
  const double fpr = expected_fpr();
  if (fpr <= 0) return {};
  if (taken == static_cast<double>(slots_)) return {.value = taken, .saturated = true};
  const double keys = taken * -std::log1p(-fpr) / fpr;
  return {.value = keys, .standard_error = std::sqrt(keys - taken)};
}

UMBEL_INLINE void compaction::check() {
  if (width_ < 1 || width_ > 64)
    throw corrupt(detail::text("table: width: expected 1 to 64, found ", width_));
  if (slots_ < 1 || slots_ > sizing::max_bits / width_)
    throw corrupt(detail::text("table: slots: expected 1 to 2^56 / width, found ", slots_));
  table_.reshape(slots_, width());
}

}  // namespace umbel::core
