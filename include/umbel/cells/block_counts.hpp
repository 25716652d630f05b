// block_counts.hpp - rank directory: prefix counts at every block of eight words, one cache line.
//
// Layout     32 bits per block of eight words, plus 64 bits per 2^16 blocks: a sixteenth of the
//            words. Computed when the words are built or loaded.
// Threads    Immutable once counted: any number of readers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>

namespace umbel::cells {

class block_counts {
 public:
  static constexpr std::uint64_t block_words = 8;

  // Bits of the directory of this many words.
  [[nodiscard]] static constexpr std::uint64_t bits_for(std::uint64_t words) noexcept {
    const std::uint64_t blocks = detail::ceil_div(words, block_words);
    return blocks * 32 + detail::ceil_div(blocks, std::uint64_t{1} << far_shift) * 64;
  }
  // in_word(word) gives the count of a word, at most 64.
  template <class InWord>
  void count(std::span<const std::uint64_t> words, InWord&& in_word) {
    near_.clear();
    far_.clear();
    all_ = 0;
    std::uint64_t at = 0;
    for (const std::uint64_t word : words) {
      if (at++ % block_words == 0) {
        if (near_.size() % (std::uint64_t{1} << far_shift) == 0) far_.push_back(all_);
        near_.push_back(static_cast<std::uint32_t>(all_ - far_.back()));
      }
      all_ += in_word(word);
    }
  }
  [[nodiscard]] std::uint64_t all() const noexcept { return all_; }
  // The count before word number `word`; `words` is the first word of the array.
  template <class InWord>
  [[nodiscard]] std::uint64_t before(const std::uint64_t* words, std::uint64_t word,
                                     InWord&& in_word) const noexcept {
    const std::uint64_t block = word / block_words;
    std::uint64_t out = far_[block >> far_shift] + near_[block];
    for (std::uint64_t at = block * block_words; at < word; ++at) out += in_word(words[at]);
    return out;
  }
  void prefetch(std::uint64_t word) const noexcept {
    detail::prefetch_read(near_.data() + word / block_words);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return near_.size() * 32 + far_.size() * 64;
  }

 private:
  static constexpr unsigned far_shift = 16;  // fewer than 2^32 are counted between two far counts

  std::vector<std::uint32_t> near_;
  std::vector<std::uint64_t> far_;
  std::uint64_t all_ = 0;
};

}  // namespace umbel::cells
