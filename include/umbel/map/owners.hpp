// owners.hpp - which of D databases: the answer of a directory.
// Layout     Bit i of word i / 64 stands for database i. Words past the last database are not
//            there, bits are zero.
// Limits     At most 4096 databases; a value of 520 bytes, of which only the words in use are ever
//            written.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <umbel/sizing/meta.hpp>

namespace umbel {

class owners {
 public:
  explicit owners(unsigned databases) noexcept : databases_(databases) {
    std::ranges::fill(words(), 0);
  }

  [[nodiscard]] static constexpr std::size_t words_for(unsigned databases) noexcept {
    return (databases + 63) / 64;
  }
  [[nodiscard]] unsigned databases() const noexcept { return databases_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
    return {bits_.data(), words_for(databases_)};
  }
  [[nodiscard]] std::span<std::uint64_t> words() noexcept {
    return {bits_.data(), words_for(databases_)};
  }

  [[nodiscard]] bool contains(unsigned database) const noexcept {
    return database < databases_ && (bits_[database / 64] >> (database % 64) & 1) != 0;
  }
  [[nodiscard]] unsigned count() const noexcept {
    unsigned sum = 0;
    for (const std::uint64_t word : words()) sum += static_cast<unsigned>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] bool empty() const noexcept { return count() == 0; }
  // work(database) for each, rising.
  template <class Work>
  void for_each(Work&& work) const {
    for (std::size_t i = 0; i < words().size(); ++i)
      for (std::uint64_t left = bits_[i]; left != 0; left &= left - 1)
        work(static_cast<unsigned>(64 * i) + static_cast<unsigned>(std::countr_zero(left)));
  }
  friend bool operator==(const owners& a, const owners& b) noexcept {
    return a.databases_ == b.databases_ &&
           std::equal(a.words().begin(), a.words().end(), b.words().begin());
  }

 private:
  unsigned databases_;
  std::array<std::uint64_t, sizing::meta_max_databases / 64> bits_;
};

}  // namespace umbel
