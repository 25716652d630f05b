// bloom_filter.hpp - approximate set: about 1.44 log2(1/fpr) bits per key, k probes, no false
// negatives.
// Idea       Every key sets k bits; a key all of whose bits are set may be in, one with a clear bit
//            is certainly out.
// Layout     One array of m bits and the index that names k of them per key.
// Invariant  Bits never go from 1 to 0, so no key is forgotten. Equal sets give equal bits, in any
//            order.
// Limits     No erase; the rate rises past the planned number of keys. It never refuses a key.
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

struct bloom_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // 0: the best number
  // none: triple hashing, or independent probes where bits are few
  std::optional<core::scheme> scheme{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity

  [[nodiscard]] core::k_probes::choice choice() const noexcept { return scheme; }
};

using bloom_filter = core::bit_filter<core::k_probes, bloom_options>;
using concurrent_bloom_filter = core::bit_filter<core::k_probes, bloom_options, cells::shared_bits>;

}  // namespace umbel
