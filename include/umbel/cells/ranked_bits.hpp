// ranked_bits.hpp - bits that know how many of them are set before any one.
// Idea       Counts of set bits before every block of 512, which is one cache line; the rest is counted in the line itself.
// Layout     Words as in bits.hpp. The counts are made when the words are built or loaded: 32 bits for each block, on top of 64
//            for every 2^16 blocks; a sixteenth more space.
// Invariant  rank(i) is exact as long as the words are what they were.
// Threads    Immutable: any number of readers.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/bits.hpp>

namespace umbel::cells {

class ranked_bits {
 public:
  ranked_bits() = default;
  explicit ranked_bits(bits from) : bits_(std::move(from)) { count(); }

  // What so many bits take, with their counts.
  [[nodiscard]] static constexpr std::uint64_t bits_for(std::uint64_t size) noexcept {
    const std::uint64_t blocks = detail::ceil_div(size, block_bits);
    return detail::ceil_div(size, 64) * 64 + blocks * 32 + detail::ceil_div(blocks, std::uint64_t{1} << far_shift) * 64;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint64_t ones() const noexcept { return ones_; }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return bits_.test(i); }
  // Set bits before bit i.
  [[nodiscard]] std::uint64_t rank(std::uint64_t i) const noexcept {
    const std::uint64_t block = i / block_bits, word = i / 64;
    std::uint64_t out = far_[block >> far_shift] + near_[block];
    for (std::uint64_t at = block * (block_bits / 64); at < word; ++at) out += ones_in(bits_.storage()[at]);
    return out + ones_in(bits_.storage()[word] & detail::low_mask(i % 64));
  }
  void prefetch(std::uint64_t i) const noexcept {
    bits_.prefetch(i);
    detail::prefetch_read(near_.data() + i / block_bits);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return bits_.storage().size() * 64 + near_.size() * 32 + far_.size() * 64;
  }

  // After loading: this many bits, for which the words must be just right.
  void reshape(std::uint64_t size) {
    bits_.reshape(size);
    count();
  }
  [[nodiscard]] const words<>& storage() const noexcept { return bits_.storage(); }
  [[nodiscard]] words<>& storage() noexcept { return bits_.storage(); }
  friend bool operator==(const ranked_bits& a, const ranked_bits& b) noexcept { return a.bits_ == b.bits_; }

 private:
  static constexpr std::uint64_t block_bits = 512;
  static constexpr unsigned far_shift = 16;  // fewer than 2^32 bits between two of them

  [[nodiscard]] static std::uint64_t ones_in(std::uint64_t word) noexcept {
    return static_cast<std::uint64_t>(std::popcount(word));
  }
  void count() {
    near_.clear();
    far_.clear();
    ones_ = 0;
    std::uint64_t at = 0;
    for (const std::uint64_t word : std::as_const(bits_).storage().span()) {
      if (at % (block_bits / 64) == 0) {
        if (near_.size() % (std::uint64_t{1} << far_shift) == 0) far_.push_back(ones_);
        near_.push_back(static_cast<std::uint32_t>(ones_ - far_.back()));
      }
      ones_ += ones_in(word);
      ++at;
    }
  }

  bits bits_;
  // These follow from the bits:
  std::vector<std::uint32_t> near_;
  std::vector<std::uint64_t> far_;
  std::uint64_t ones_ = 0;
};

}  // namespace umbel::cells
