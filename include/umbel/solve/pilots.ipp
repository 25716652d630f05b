// pilots.ipp - bodies of solve/pilots.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include <umbel/base/integers.hpp>
#include <umbel/base/pilot_slot.hpp>
#include <umbel/cells/kernel/pilots.hpp>
#include <umbel/solve/pilots.hpp>

namespace umbel::solve {

UMBEL_INLINE pilot_search::outcome pilot_search::run(std::span<const std::uint32_t> starts,
                                                     const std::uint32_t* hashes,
                                                     std::uint32_t slots, std::uint64_t seed,
                                                     width as, std::span<std::uint32_t> pilots,
                                                     std::uint32_t* taken) {
  const bool evicts = as == width::byte;
  const part p{starts.data(), hashes, slots, pilots.data(), taken};
  const std::uint64_t max_evictions = 10 * std::uint64_t{slots};
  sort_by_size(p, static_cast<std::uint32_t>(pilots.size()));
  owner_.assign(slots, nobody);
  weight_.assign(slots, 0);
  waiting_.clear();
  evictions_ = 0;
  std::uint64_t draws = 0;
  for (const std::uint32_t next : order_) {
    if (p.size(next) == 0) break;
    std::fill(std::begin(recent_), std::end(recent_), nobody);
    placed_ = 0;
    push(p, next);
    while (!waiting_.empty()) {
      const std::uint32_t bucket = pop();
      // otherwise every pilot would be tried in vain
      if (p.size(bucket) > few && any_twins(p.keys(bucket))) return outcome::twins;
      int pilot = free_pilot(p, p.keys(bucket), 0, evicts ? byte_pilots : usual_pilots);
      if (pilot < 0 && !evicts) {
        if (any_twins(p.keys(bucket))) return outcome::twins;
        pilot = free_pilot(p, p.keys(bucket), usual_pilots, max_pilots);
        if (pilot < 0) return outcome::stuck;
      }
      if (pilot < 0) {
        pilot = cheapest_pilot(p, p.keys(bucket),
                               static_cast<std::uint32_t>(detail::remix(seed, draws++)));
        if (pilot < 0) return any_twins(p.keys(bucket)) ? outcome::twins : outcome::stuck;
        const std::uint32_t word = detail::pilot_word(static_cast<std::uint32_t>(pilot));
        for (const std::uint32_t hash : p.keys(bucket))
          if (const std::uint32_t in_the_way = owner_[detail::pilot_slot(hash, word, slots)];
              in_the_way != nobody)
            evict(p, in_the_way);
        if (evictions_ > max_evictions) return outcome::stuck;
      }
      place(p, bucket, static_cast<std::uint32_t>(pilot));
    }
  }
  return outcome::solved;
}

// By falling size, then by bucket number.
UMBEL_INLINE void pilot_search::sort_by_size(const part& p, std::uint32_t buckets) {
  std::uint32_t largest = 0;
  for (std::uint32_t b = 0; b < buckets; ++b) largest = std::max(largest, p.size(b));
  scratch_.assign(std::size_t{largest} + 2, 0);
  for (std::uint32_t b = 0; b < buckets; ++b) ++scratch_[largest - p.size(b) + 1];
  for (std::uint32_t i = 1; i <= largest; ++i) scratch_[i] += scratch_[i - 1];
  order_.resize(buckets);
  for (std::uint32_t b = 0; b < buckets; ++b) order_[scratch_[largest - p.size(b)]++] = b;
}

UMBEL_INLINE int pilot_search::free_pilot(const part& p, std::span<const std::uint32_t> keys,
                                          std::uint32_t first, std::uint32_t limit) {
  for (;; first += cells::kernel::pilots_at_once) {
    unsigned fit = cells::kernel::next_free(keys, p.slots, p.taken, first, limit);
    if (fit == 0) return -1;
    for (; fit != 0; fit &= fit - 1) {
      const std::uint32_t pilot = first + static_cast<unsigned>(std::countr_zero(fit));
      if (falls_apart(keys, detail::pilot_word(pilot), p.slots)) return static_cast<int>(pilot);
    }
  }
}

UMBEL_INLINE bool pilot_search::any_twins(std::span<const std::uint32_t> keys) {
  scratch_.assign(keys.begin(), keys.end());
  std::sort(scratch_.begin(), scratch_.end());
  return std::adjacent_find(scratch_.begin(), scratch_.end()) != scratch_.end();
}

// Whether all keys get distinct slots.
UMBEL_INLINE bool pilot_search::falls_apart(std::span<const std::uint32_t> keys, std::uint32_t word,
                                            std::uint32_t slots) {
  if (keys.size() > few) {
    scratch_.clear();
    for (const std::uint32_t hash : keys) scratch_.push_back(detail::pilot_slot(hash, word, slots));
    std::sort(scratch_.begin(), scratch_.end());
    return std::adjacent_find(scratch_.begin(), scratch_.end()) == scratch_.end();
  }
  std::uint32_t at[few];
  bool meet = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    at[i] = detail::pilot_slot(keys[i], word, slots);
    for (std::size_t j = 0; j < i; ++j) meet |= at[i] == at[j];
  }
  return !meet;
}

// Starts at a random pilot, so that low pilots are not used up. Skips pilots that would evict a
// recently placed bucket: the two would keep evicting each other.
UMBEL_INLINE int pilot_search::cheapest_pilot(const part& p, std::span<const std::uint32_t> keys,
                                              std::uint32_t from) {
  int best = -1;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < byte_pilots && least > 1; ++i) {
    const std::uint32_t pilot = (from + i) % byte_pilots, word = detail::pilot_word(pilot);
    std::uint64_t cost = 0;
    for (const std::uint32_t hash : keys) {
      const std::uint32_t weight = weight_[detail::pilot_slot(hash, word, p.slots)];
      cost += weight * weight;
    }
    if (cost >= least) continue;
    const bool fresh = std::any_of(keys.begin(), keys.end(), [&](std::uint32_t hash) {
      return is_recent(owner_[detail::pilot_slot(hash, word, p.slots)]);
    });
    if (fresh || !falls_apart(keys, word, p.slots)) continue;
    least = cost;
    best = static_cast<int>(pilot);
  }
  return best;
}

UMBEL_INLINE bool pilot_search::is_recent(std::uint32_t bucket) const noexcept {
  return bucket != nobody &&
         std::find(std::begin(recent_), std::end(recent_), bucket) != std::end(recent_);
}

UMBEL_INLINE void pilot_search::evict(const part& p, std::uint32_t bucket) {
  const std::uint32_t word = detail::pilot_word(p.pilots[bucket]);
  for (const std::uint32_t hash : p.keys(bucket)) {
    const std::uint32_t slot = detail::pilot_slot(hash, word, p.slots);
    owner_[slot] = nobody;
    weight_[slot] = 0;
    p.taken[slot / 32] &= ~(std::uint32_t{1} << slot % 32);
  }
  push(p, bucket);
  ++evictions_;
}

UMBEL_INLINE void pilot_search::place(const part& p, std::uint32_t bucket, std::uint32_t pilot) {
  const std::uint32_t word = detail::pilot_word(pilot);
  const auto weight = static_cast<std::uint8_t>(std::min<std::uint32_t>(p.size(bucket), 255));
  p.pilots[bucket] = pilot;
  for (const std::uint32_t hash : p.keys(bucket)) {
    const std::uint32_t slot = detail::pilot_slot(hash, word, p.slots);
    owner_[slot] = bucket;
    weight_[slot] = weight;
    p.taken[slot / 32] |= std::uint32_t{1} << slot % 32;
  }
  recent_[placed_++ % recent_size] = bucket;
}

UMBEL_INLINE void pilot_search::push(const part& p, std::uint32_t bucket) {
  waiting_.push_back(std::uint64_t{p.size(bucket)} << 32 | bucket);
  std::push_heap(waiting_.begin(), waiting_.end());
}

UMBEL_INLINE std::uint32_t pilot_search::pop() {
  std::pop_heap(waiting_.begin(), waiting_.end());
  const auto out = static_cast<std::uint32_t>(waiting_.back());
  waiting_.pop_back();
  return out;
}

}  // namespace umbel::solve
