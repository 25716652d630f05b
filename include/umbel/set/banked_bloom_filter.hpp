// banked_bloom_filter.hpp - approximate set whose k probes fall into k different banks of memory.
// Idea       A Bloom filter for memories that serve one access at a time each: no two probes of a
//            key wait for each other.
// Layout     One array of bits, divided into a power of two of equal banks.
// Limits     As bloom_filter; the rate is a trifle higher, as probes of a key never share a bit.
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

struct banked_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;      // 0: the best number
  std::uint64_t banks = 0;  // 0: the least power of two that is not below the probes
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity

  [[nodiscard]] core::banked::choice choice() const noexcept { return banks; }
};

using banked_bloom_filter = core::bit_filter<core::banked, banked_options>;

}  // namespace umbel
