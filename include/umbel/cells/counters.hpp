// counters.hpp - saturating 4-bit counters, as in counting Bloom filters.
//
// Layout     Counter i is bits 4 (i mod 16) to 4 (i mod 16) + 3 of word i / 16. Counters past the
//            last are zero.
// Invariant  A counter that reached 15 stays at 15: its true count is unknown and it must not drop
//            to 0.
// Threads    Many readers or one writer.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class counters {
 public:
  static constexpr unsigned width = 4;
  static constexpr std::uint64_t most = 15, per_word = 64 / width;

  counters() = default;
  explicit counters(std::uint64_t size, std::pmr::memory_resource* memory = nullptr)
      : size_(size), words_(detail::ceil_div(size, per_word), memory) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    return words_[i / per_word] >> shift(i) & most;
  }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return get(i) != 0; }
  // Increments the counter. Returns true if it was 0.
  bool set(std::uint64_t i) noexcept {
    const std::uint64_t now = get(i);
    words_[i / per_word] += std::uint64_t{now != most} << shift(i);
    return now == 0;
  }
  // Decrements the counter. Returns false if it is 0 or saturated.
  bool unset(std::uint64_t i) noexcept {
    const std::uint64_t now = get(i);
    const bool counted = now != 0 && now != most;
    words_[i / per_word] -= std::uint64_t{counted} << shift(i);
    return counted;
  }
  // Number of non-zero counters.
  [[nodiscard]] std::uint64_t used() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_.span()) {
      std::uint64_t any = word | word >> 2;
      any = (any | any >> 1) & each_lowest;
      sum += static_cast<unsigned>(std::popcount(any));
    }
    return sum;
  }
  // Adds the counters of `other`, which has the same size. If a sum would exceed 15, changes
  // nothing and returns false.
  [[nodiscard]] bool add(const counters& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      // Sums of the low and of the high halves of bytes, so no carry reaches a neighbour.
      const std::uint64_t even = (words_[i] & lower) + (other.words_[i] & lower);
      const std::uint64_t odd = (words_[i] >> 4 & lower) + (other.words_[i] >> 4 & lower);
      if (((even | odd) & ~lower) != 0) return false;
    }
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] += other.words_[i];
    return true;
  }
  void prefetch(std::uint64_t i) const noexcept {
    detail::prefetch_read(words_.data() + i / per_word);
  }
  void prefetch_for_write(std::uint64_t i) const noexcept {
    detail::prefetch_write(words_.data() + i / per_word);
  }

  // After loading: sets the number of counters. The words must have exactly that size.
  void reshape(std::uint64_t size) {
    words_.require(detail::ceil_div(size, per_word), size * width);
    size_ = size;
  }
  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const counters&, const counters&) noexcept = default;

 private:
  static constexpr std::uint64_t lower = 0x0F0F0F0F0F0F0F0F, each_lowest = 0x1111111111111111;
  [[nodiscard]] static constexpr unsigned shift(std::uint64_t i) noexcept {
    return static_cast<unsigned>(i % per_word) * width;
  }

  std::uint64_t size_ = 0;
  words<> words_;
};

}  // namespace umbel::cells
