// solve/pilots.hpp - one number per bucket, its pilot, that sends the bucket's keys to slots of
// their own.
// Idea       Buckets are placed from the largest to the smallest, each under the first pilot that
//            finds all its slots free and different. If pilots are bytes, one that no pilot fits
//            takes the slots of others: those whose sizes, squared, add up to least; they are
//            placed again, the largest first. Otherwise pilots go on until one fits.
// Invariant  The result depends on the sets of hashes in the buckets alone: not on the order within
//            one.
// Limits     Ten times as many evictions as slots are given up as `stuck`, as is a bucket that none
//            of 2^24 pilots fits. Two equal hashes in one bucket (`twins`) fit under no pilot.
// Source     [GK25] for bytes and evictions.
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

  // Bucket b has hashes [starts[b], starts[b + 1]); pilots gets a number for each, and `taken`,
  // which must be zeros, a bit for each slot, in words of 32. The seed breaks ties among evictions.
  [[nodiscard]] outcome run(std::span<const std::uint32_t> starts, const std::uint32_t* hashes,
                            std::uint32_t slots, std::uint64_t seed, width as,
                            std::span<std::uint32_t> pilots, std::uint32_t* taken);

  [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_; }  // of the last run

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::size_t recent_size = 16;
  static constexpr std::uint32_t byte_pilots = 256;
  static constexpr std::uint32_t usual_pilots = 1 << 12, max_pilots = 1 << 24;  // of any size
  static constexpr std::size_t few = 32;  // keys of a bucket that are compared each with each
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
  // of each slot: the size of the bucket in it, 255 for more; 0: free
  std::vector<std::uint8_t> weight_;
  std::vector<std::uint64_t> waiting_;  // size << 32 | number: a heap
  std::uint32_t recent_[recent_size] = {};
  std::size_t placed_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/pilots.ipp>
#endif
