// banked_bloom_filter.hpp - segmented Bloom filter [BLB08]: the k probes of a key fall into k
// different memory banks.
//
// For memories whose banks serve one access at a time each: no two probes of a key wait for each
// other.
//
// Layout     One array of bits, divided into a power of two of equal banks.
// Limits     As bloom_filter. The false positive rate is slightly higher, since two probes of a key
//            never share a bit.
// Threads    Many readers or one writer.
// Source     [BLB08] in [TRL12] sec. IV-F.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/engine/probe/banked.hpp>
#include <umbel/engine/probe/bit_filter.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel {

// Options of banked_bloom_filter.
struct banked_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  unsigned probes = 0;                  // bits set per key; 0: the best number
  // number of banks, a power of two; 0: the smallest that is at least `probes`
  std::uint64_t banks = 0;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread

  // What the index is told of these options.
  [[nodiscard]] core::banked::choice choice() const noexcept { return banks; }
};

// The filter. Its verbs are those of bloom_filter (engine/probe/bit_filter.hpp, core/keyed.hpp).
using banked_bloom_filter = core::bit_filter<core::banked, banked_options>;

}  // namespace umbel
