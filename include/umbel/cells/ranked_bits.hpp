// ranked_bits.hpp - bit array with rank.
//
// The number of set bits is stored before every block of 512 bits, one cache line. The rest is
// counted in the line itself.
//
// Layout     Words as in bits.hpp, and block_counts.hpp over them: a sixteenth more space.
// Invariant  rank(i) is exact as long as the words do not change.
// Threads    Immutable: any number of readers.
#pragma once

#include <cstdint>
#include <utility>

#include <umbel/base/integers.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/cells/block_counts.hpp>

namespace umbel::cells {

class ranked_bits {
 public:
  ranked_bits() = default;
  explicit ranked_bits(bits from) : bits_(std::move(from)) { count(); }

  // Bits of an array of this size, including its counts.
  [[nodiscard]] static constexpr std::uint64_t bits_for(std::uint64_t size) noexcept {
    const std::uint64_t words = detail::ceil_div(size, 64);
    return words * 64 + block_counts::bits_for(words);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint64_t ones() const noexcept { return counts_.all(); }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return bits_.test(i); }
  // Number of set bits before bit i.
  [[nodiscard]] std::uint64_t rank(std::uint64_t i) const noexcept {
    const std::uint64_t* const words = bits_.storage().data();
    return counts_.before(words, i / 64, ones_in) +
           ones_in(words[i / 64] & detail::low_mask(i % 64));
  }
  void prefetch(std::uint64_t i) const noexcept {
    bits_.prefetch(i);
    counts_.prefetch(i / 64);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return bits_.storage().size() * 64 + counts_.size_in_bits();
  }

  // After loading: sets the number of bits. The words must have exactly that size.
  void reshape(std::uint64_t size) {
    bits_.reshape(size);
    count();
  }
  [[nodiscard]] const words<>& storage() const noexcept { return bits_.storage(); }
  [[nodiscard]] words<>& storage() noexcept { return bits_.storage(); }
  friend bool operator==(const ranked_bits& a, const ranked_bits& b) noexcept {
    return a.bits_ == b.bits_;
  }

 private:
  // Not std::popcount: without a target attribute for popcnt it is a call.
  [[nodiscard]] static std::uint64_t ones_in(std::uint64_t word) noexcept {
    return detail::bit_counts(word).all();
  }
  void count() { counts_.count(std::as_const(bits_).storage().span(), ones_in); }

  bits bits_;
  block_counts counts_;  // computed from the bits
};

}  // namespace umbel::cells
