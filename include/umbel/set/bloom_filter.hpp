// bloom_filter.hpp - Bloom filter [Blo70]: about 1.44 log2(1/fpr) bits per key, k probes, no false
// negatives.
//
// Every key sets k bits. A key whose k bits are all set may be in the set; a key with a clear bit
// is certainly not.
//
// Layout     One array of m bits, and the index that names k of them per key.
// Invariant  Bits never change from 1 to 0, so there are no false negatives. Equal sets give equal
//            bits, in any order of inserts.
// Limits     No erase. The rate rises past the planned number of keys; no key is ever refused.
// Threads    Many readers or one writer; `concurrent_bloom_filter` takes any number of both.
// Source     [Blo70], [BM04] sec. 2, [TRL12] sec. II.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/bit_filter.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel {

// Options of bloom_filter.
struct bloom_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  unsigned probes = 0;                  // bits set per key; 0: the best number
  // how probes follow from the digest; absent: triple hashing, or independent probes for small
  // filters
  std::optional<core::scheme> scheme{};
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread

  // What the index is told of these options.
  [[nodiscard]] core::k_probes::choice choice() const noexcept { return scheme; }
};

// The filter. plan(), build(), cardinality() and overlap_with() are in engine/probe/bit_filter.hpp,
// the other verbs in core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear,
// merge, intersect, fold.
using bloom_filter = core::bit_filter<core::k_probes, bloom_options>;
// The same for any number of readers and writers at a time.
using concurrent_bloom_filter = core::bit_filter<core::k_probes, bloom_options, cells::shared_bits>;

}  // namespace umbel
