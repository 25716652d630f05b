// ranked.hpp - bits that know how many ones lie before each of them: the number of a used cell among the used ones.
// Idea       A count for every 1024 bits, a sixteenth of a bit each, and popcounts of the words in between.
// Layout     Files hold the bits alone: counts follow from them, and are made anew when they are read.
// Invariant  After count(), rank(i) is the number of ones before bit i, for i up to size().
// Threads    Immutable after count(): any number of readers.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/cells/bits.hpp>

namespace umbel::cells {

class ranked {
 public:
  static constexpr unsigned stretch = 1024;  // bits that share a count

  ranked() = default;
  explicit ranked(std::uint64_t size, std::pmr::memory_resource* memory = nullptr) : bits_(size, memory) {}
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t size) noexcept {
    return detail::ceil_div(size, 64) + detail::ceil_div(size, stretch);
  }

  [[nodiscard]] bool empty() const noexcept { return bits_.storage().size() == 0; }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return bits_.test(i); }
  void set(std::uint64_t i) noexcept { (void)bits_.set(i); }
  void prefetch(std::uint64_t i) const noexcept { bits_.prefetch(i); }
  [[nodiscard]] std::uint64_t rank(std::uint64_t i) const noexcept {
    const std::uint64_t first = i / stretch * (stretch / 64);
    std::uint64_t sum = before_[i / stretch];
    for (std::uint64_t word = first; word < i / 64; ++word) sum += ones(bits_.storage()[word]);
    return sum + ones(bits_.storage()[i / 64] & detail::low_mask(i % 64));
  }
  // After the last set(): how many are set.
  std::uint64_t count() {
    before_.clear();
    std::uint64_t sum = 0;
    const auto words = std::as_const(bits_).storage().span();
    for (std::size_t word = 0; word < words.size(); ++word) {
      if (word % (stretch / 64) == 0) before_.push_back(sum);
      sum += ones(words[word]);
    }
    return sum;
  }

  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return 64 * (bits_.storage().size() + before_.size()); }
  friend bool operator==(const ranked& a, const ranked& b) noexcept { return a.bits_.storage() == b.bits_.storage(); }
  static void describe(auto& self, auto& part) { part.array("used", self.bits_.storage()); }
  void check() const noexcept {}  // what is needed of it only its owner knows, who calls reshape
  void reshape(std::uint64_t size) { bits_.reshape(size); }

 private:
  [[nodiscard]] static unsigned ones(std::uint64_t word) noexcept { return static_cast<unsigned>(std::popcount(word)); }

  bits bits_;
  std::vector<std::uint64_t> before_;  // ones before each stretch
};

}  // namespace umbel::cells
