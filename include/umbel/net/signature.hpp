// signature.hpp - how keys mark the bit arrays that nodes of a network exchange: a Bloom filter
// without its bits [Blo70].
//
// Nodes that agree on size, number of probes and hash only need to send bits. A signature is that
// agreement: it marks and tests keys, counts the probes of a key that hit, and lists the bits that
// changed since the last transmission.
//
// Invariant  The bits marked equal those of a bloom_filter of the same size and hash.
// Limits     A salt changes the positions of all keys. Nodes that need independent errors use
//            different salts; they cannot exchange bits.
// Threads    Immutable; the bits belong to the caller.
// Source     [Blo70], [TRL12] sec. II.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/set/bloom_filter.hpp>

namespace umbel::net {

class signature {
 public:
  // The shape of a bloom_filter with these options.
  explicit signature(const bloom_options& options, std::uint32_t salt = 0) : hash_(options.hash) {
    if (options.scheme) throw bad_parameter("scheme: signatures have the usual one");
    const plan shape = bloom_filter::plan(options);
    index_ = core::k_probes(shape.cells, shape.probes, salt);
  }

  [[nodiscard]] cells::bits nothing() const { return cells::bits(index_.cells()); }
  [[nodiscard]] unsigned probes() const noexcept { return index_.probes(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return index_.cells(); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

  // Returns true if a bit changed.
  template <key K>
  bool mark(cells::bits& bits, const K& k) const noexcept {
    bool changed = false;
    core::each_of(index_, index_.start(hash_(k)), [&](std::uint64_t i) { changed |= bits.set(i); });
    return changed;
  }
  template <key K>
  [[nodiscard]] bool accepts(const cells::bits& bits, const K& k) const noexcept {
    return core::all_of(index_, hash_(k), [&](std::uint64_t i) { return bits.test(i); });
  }
  // Number of the key's probes that hit: all if it was marked, fewer if bits were cleared since.
  template <key K>
  [[nodiscard]] unsigned hits(const cells::bits& bits, const K& k) const noexcept {
    unsigned sum = 0;
    core::each_of(index_, index_.start(hash_(k)), [&](std::uint64_t i) { sum += bits.test(i); });
    return sum;
  }
  void require_fitting(const cells::bits& bits) const {
    if (bits.size() != index_.cells())
      throw incompatible(detail::text("bits: expected ", index_.cells(), ", found ", bits.size()));
  }
  friend bool operator==(const signature& a, const signature& b) noexcept {
    return a.hash_ == b.hash_ && a.index_ == b.index_;
  }

 private:
  hasher hash_;
  core::k_probes index_;
};

[[nodiscard]] inline double fill(const cells::bits& bits) noexcept {
  return static_cast<double>(bits.storage().ones()) / static_cast<double>(bits.size());
}

// Indexes of the bits in which two arrays of one size differ, rising: sent instead of the array.
[[nodiscard]] inline std::vector<std::uint64_t> differences(const cells::bits& before,
                                                            const cells::bits& after) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < before.storage().size(); ++i)
    for (std::uint64_t left = before.storage()[i] ^ after.storage()[i]; left != 0; left &= left - 1)
      out.push_back(64 * i + static_cast<unsigned>(std::countr_zero(left)));
  return out;
}
// Flips these bits; none of them if an index is out of range.
inline void flip(cells::bits& bits, std::span<const std::uint64_t> which) {
  for (const std::uint64_t i : which)
    if (i >= bits.size())
      throw bad_parameter(detail::text("bit: expected below ", bits.size(), ", found ", i));
  for (const std::uint64_t i : which) bits.storage()[i / 64] ^= std::uint64_t{1} << (i % 64);
}

}  // namespace umbel::net
