// solve/pilots.hpp - pilot search of PTHash [PT21] and PtrHash [GK25]: finds one number per bucket
// that sends its keys to free slots.
//
// Buckets are placed from the largest to the smallest. Each gets the first pilot for which all its
// slots are free and distinct. With byte pilots, a bucket that no pilot fits evicts other buckets:
// it takes the pilot for which the squared sizes of the evicted buckets add up to the least.
// Evicted buckets are placed again, the largest first. Without the byte limit, the search goes on
// to larger pilots.
//
// Invariant  The result depends only on the set of hashes in each bucket, not on their order.
// Limits     The search fails with `stuck` after ten times as many evictions as slots, when every
//            byte pilot would evict a bucket placed recently, or when none of 2^24 pilots fits.
//            Two equal hashes in one bucket fit under no pilot: `twins`.
// Source     [GK25] for byte pilots and evictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::solve {

class pilot_search {
 public:
  enum class outcome { solved, stuck, twins };

  enum class width { byte, any };  // of pilots

  // Bucket b has the hashes [starts[b], starts[b + 1]). Writes a pilot for each bucket, and to
  // `taken`, which must start as zeros, one bit per slot in 32-bit words. The seed breaks ties
  // among evictions.
  [[nodiscard]] outcome run(std::span<const std::uint32_t> starts, const std::uint32_t* hashes,
                            std::uint32_t slots, std::uint64_t seed, width as,
                            std::span<std::uint32_t> pilots, std::uint32_t* taken);

  [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_; }  // of the last run

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::size_t recent_size = 16;
  static constexpr std::uint32_t byte_pilots = 256;
  // for unlimited width
  static constexpr std::uint32_t usual_pilots = 1 << 12, max_pilots = 1 << 24;
  static constexpr std::size_t few = 32;  // bucket size up to which keys are compared pairwise
  struct part {
    const std::uint32_t* starts;
    const std::uint32_t* hashes;
    std::uint32_t slots;
    std::uint32_t* pilots;
    std::uint32_t* taken;
    [[nodiscard]] std::uint32_t size(std::uint32_t b) const noexcept {
      return starts[b + 1] - starts[b];
    }
    [[nodiscard]] std::span<const std::uint32_t> keys(std::uint32_t b) const noexcept {
      return {hashes + starts[b], size(b)};
    }
  };

  void sort_by_size(const part& p, std::uint32_t buckets);
  [[nodiscard]] int free_pilot(const part& p, std::span<const std::uint32_t> keys,
                               std::uint32_t first, std::uint32_t limit);
  [[nodiscard]] int cheapest_pilot(const part& p, std::span<const std::uint32_t> keys,
                                   std::uint32_t from);
  [[nodiscard]] bool any_twins(std::span<const std::uint32_t> keys);
  [[nodiscard]] bool falls_apart(std::span<const std::uint32_t> keys, std::uint32_t word,
                                 std::uint32_t slots);
  [[nodiscard]] bool is_recent(std::uint32_t bucket) const noexcept;
  void evict(const part& p, std::uint32_t bucket);
  void place(const part& p, std::uint32_t bucket, std::uint32_t pilot);
  void push(const part& p, std::uint32_t bucket);
  [[nodiscard]] std::uint32_t pop();

  std::vector<std::uint32_t> order_, owner_, scratch_;
  // for each slot: the size of its bucket, at most 255; 0 if free
  std::vector<std::uint8_t> weight_;
  std::vector<std::uint64_t> waiting_;  // size << 32 | bucket: a heap
  std::uint32_t recent_[recent_size] = {};
  std::size_t placed_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/pilots.ipp>
#endif
