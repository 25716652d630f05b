// bits.hpp - bit array: one bit per cell.
//
// Layout     Bit i is bit i mod 64 of word i / 64. Bits past the last cell are zero.
// Threads    As the access policy says. Whole-array operations need exclusive access.
#pragma once

#include <cstdint>
#include <memory_resource>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/access.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

// A cell given by its word and its bit in the word, for indexes that compute both at once.
struct bit_spot {
  std::uint64_t word;
  unsigned bit;
};

template <class Access = plain>
class basic_bits {
 public:
  static constexpr bool is_atomic = Access::is_atomic;
  static constexpr bool unites = true;  // the OR of two arrays is the array of the union

  basic_bits() = default;
  explicit basic_bits(std::uint64_t size, std::pmr::memory_resource* memory = nullptr)
      : size_(size), words_(detail::ceil_div(size, 64), memory) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept {
    return (Access::load(words_[i / 64]) >> (i % 64) & 1) != 0;
  }
  [[nodiscard, gnu::always_inline]] bool test(bit_spot at) const noexcept {
    std::uint64_t from_bit = Access::load(words_[at.word]) >> at.bit;
#if defined(__clang__)
    asm("" : "+r"(from_bit));  // otherwise clang shifts a one to the bit, two instructions more
#endif
    return (from_bit & 1) != 0;
  }
  // Returns true if the bit was clear.
  bool set(std::uint64_t i) noexcept {
    return Access::set(words_[i / 64], std::uint64_t{1} << (i % 64));
  }
  // Returns true if the bit was set. Not for shared arrays: their threads only set bits.
  bool reset(std::uint64_t i) noexcept requires(!Access::is_atomic) {
    const bool was = test(i);
    words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    return was;
  }
  void prefetch(std::uint64_t i) const noexcept { detail::prefetch_read(words_.data() + i / 64); }
  void prefetch_for_write(std::uint64_t i) const noexcept {
    detail::prefetch_write(words_.data() + i / 64);
  }

  // Half as many cells: new[j] = old[2j] | old[2j+1]. Requires an even size.
  [[nodiscard]] basic_bits folded() const {
    basic_bits half(size_ / 2, words_.bytes().memory());
    for (std::size_t i = 0; i < words_.size(); ++i)
      half.words_[i / 2] |= even_bits(words_[i] | words_[i] >> 1) << (i % 2 * 32);
    return half;
  }
  // The same for positions modulo the size: new[j] = old[j] | old[j + size/2].
  [[nodiscard]] basic_bits overlaid() const {
    basic_bits half(size_ / 2, words_.bytes().memory());
    const std::uint64_t apart = half.size_ / 64, shift = half.size_ % 64;
    for (std::size_t i = 0; i < half.words_.size(); ++i) {
      std::uint64_t upper = words_[i + apart] >> shift;
      if (shift != 0 && i + apart + 1 < words_.size())
        upper |= words_[i + apart + 1] << (64 - shift);
      half.words_[i] = words_[i] | upper;
    }
    if (shift != 0)
      half.words_[half.words_.size() - 1] &= detail::low_mask(static_cast<unsigned>(shift));
    return half;
  }

  // After loading: sets the number of cells. The words must have exactly that size.
  void reshape(std::uint64_t size) {
    words_.require(detail::ceil_div(size, 64), size);
    size_ = size;
  }
  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const basic_bits&, const basic_bits&) noexcept = default;

 private:
  // Gathers bits 0, 2, 4 ... into the low half.
  [[nodiscard]] static constexpr std::uint64_t even_bits(std::uint64_t x) noexcept {
    x &= 0x5555555555555555;
    x = (x | x >> 1) & 0x3333333333333333;
    x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0F;
    x = (x | x >> 4) & 0x00FF00FF00FF00FF;
    x = (x | x >> 8) & 0x0000FFFF0000FFFF;
    return (x | x >> 16) & 0x00000000FFFFFFFF;
  }

  std::uint64_t size_ = 0;
  words<> words_;
};

using bits = basic_bits<plain>;
using shared_bits = basic_bits<relaxed>;

}  // namespace umbel::cells
