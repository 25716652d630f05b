// threshold_bits.hpp - variable Bloom filter [LPB05]: signatures of variable length over one array
// of bits. The engine of variable Bloom filters.
//
// A key has k bits. An insert sets the first t of them; a query requires q. The bits of one key can
// be set and cleared one by one, which makes its signature longer or shorter.
//
// Invariant  There are no false negatives while no bit was cleared and q <= t.
// Limits     Keys share bits, so an erase shortens the signatures of others. Two bits of a key may
//            be the same bit of the array, which then counts twice.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <umbel/base/integers.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/can.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/engine/probe/threshold_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

class threshold_bits : public probes<threshold_probes, cells::bits> {
  using base = probes<threshold_probes, cells::bits>;

 public:
  using base::base;
  using base::insert;

  // Sets the first `count` of the key's bits instead of t. True if a bit changed.
  bool insert(digest d, unsigned count) noexcept {
    const places at(index(), d);
    bool changed = false;
    for (unsigned i = 0; i < count; ++i) changed |= cells().set(at[i]);
    return changed;
  }
  // Sets `count` of the key's bits, selected by the seed, each with the same probability.
  bool insert(digest d, unsigned count, std::uint64_t seed) noexcept {
    const places at(index(), d);
    const unsigned all = index().probes();
    // numbers of bits; those before i are drawn
    std::array<std::uint8_t, sizing::bloom_max_probes> left;
    for (unsigned i = 0; i < all; ++i) left[i] = static_cast<std::uint8_t>(i);
    bool changed = false;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t other =
          i + detail::fastrange(detail::remix(detail::remix(seed, d.lo), i), all - i);
      std::swap(left[i], left[other]);
      changed |= cells().set(at[left[i]]);
    }
    return changed;
  }
  // Sets the first clear bit of the key; false if there is none.
  bool strengthen(digest d) noexcept {
    const places at(index(), d);
    for (unsigned i = 0; i < index().probes(); ++i)
      if (cells().set(at[i])) return true;
    return false;
  }
  // Clears set bits of the key, from the last on, until fewer than `least` are set. Returns how
  // many.
  unsigned weaken(digest d, unsigned least) noexcept {
    const places at(index(), d);
    unsigned cleared = 0;
    for (unsigned i = index().probes(); i > 0 && length(at) >= std::max(least, 1U); --i)
      cleared += cells().reset(at[i - 1]);
    return cleared;
  }
  // The number of the key's bits that are set.
  [[nodiscard]] unsigned length(digest d) const noexcept { return length(places(index(), d)); }

  // Clears bits of the key until it is no longer found.
  erasure erase(digest d) noexcept {
    if (!may_contain(d)) return erasure::absent;
    weaken(d, index().needed());
    return erasure::done;
  }
  // Returns how many keys were erased.
  std::size_t erase(std::size_t total, auto&& digest_at) noexcept {
    std::size_t done = 0;
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
      d = digest_at(i);
      prefetch_for_write(d);
        },
        [&](std::size_t, const digest& d) { done += erase(d) == erasure::done; });
    return done;
  }

 private:
  // The positions of a key's bits, for functions that visit them more than once.
  class places {
   public:
    places(const threshold_probes& of, digest d) noexcept {
      unsigned i = 0;
      each_of(of, of.start(d), [&](std::uint64_t cell) { all_[i++] = cell; });
    }
    [[nodiscard]] std::uint64_t operator[](unsigned i) const noexcept { return all_[i]; }

   private:
    std::array<std::uint64_t, sizing::bloom_max_probes> all_;
  };
  [[nodiscard]] unsigned length(const places& at) const noexcept {
    unsigned sum = 0;
    for (unsigned i = 0; i < index().probes(); ++i) sum += cells().test(at[i]);
    return sum;
  }
};

}  // namespace umbel::core
