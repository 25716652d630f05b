// owners.hpp - bitmap of databases: the answer of a meta_map.
//
// Layout     Bit i of word i / 64 stands for database i. There are only the words needed for the
//            number of databases; unused bits of the last one are zero.
// Limits     At most 4096 databases. An object takes 520 bytes, of which only the words in use are
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

// A set of databases, numbered from 0.
class owners {
 public:
  // The empty set of `databases` databases.
  explicit owners(unsigned databases) noexcept : databases_(databases) {
    std::ranges::fill(words(), 0);
  }

  // Number of 64-bit words for so many databases.
  [[nodiscard]] static constexpr std::size_t words_for(unsigned databases) noexcept {
    return (databases + 63) / 64;
  }
  // number of databases there are
  [[nodiscard]] unsigned databases() const noexcept { return databases_; }
  // The words of the bitmap.
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
    return {bits_.data(), words_for(databases_)};
  }
  // The same, to be written.
  [[nodiscard]] std::span<std::uint64_t> words() noexcept {
    return {bits_.data(), words_for(databases_)};
  }

  // Whether this database is in the set.
  [[nodiscard]] bool contains(unsigned database) const noexcept {
    return database < databases_ && (bits_[database / 64] >> (database % 64) & 1) != 0;
  }
  // Number of databases in the set.
  [[nodiscard]] unsigned count() const noexcept {
    unsigned sum = 0;
    for (const std::uint64_t word : words()) sum += static_cast<unsigned>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] bool empty() const noexcept { return count() == 0; }  // whether the set is empty
  // Calls work(database) for each database in the set, in ascending order.
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
