// columns.hpp - interleaved column-major layout of a ribbon's solution [DW21]: r bit columns in
// blocks of 64 slots.
//
// A row's value is, per column, the parity of the bits that its coefficients select. The columns of
// a block are stored side by side, so a band of slots is in two or three adjacent blocks and no bit
// needs unpacking.
//
// Layout     Block b is r words; bit i of word c is bit c of slot 64 b + i. A band of 64 slots
//            touches two blocks, one of 128 three, or one less if it starts at a block border.
//            Nothing past the last block is read.
// Invariant  blocks * columns words: no padding.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory_resource>
#include <type_traits>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/kernel/parity.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class columns {
 public:
  static constexpr unsigned block = 64;  // slots

  columns() = default;
  columns(std::uint64_t slots, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : width_(width), words_(words_for(slots, width), memory) {
    assert(slots % block == 0 && width >= 1 && width <= 64);
  }
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t slots,
                                                         unsigned width) noexcept {
    return slots / block * width;
  }
  // After loading: uses these words as cells of this shape. Their number must match exactly.
  void reshape(std::uint64_t slots, unsigned width) {
    words_.require(words_for(slots, width));
    width_ = width;
  }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

  // The words as a query reads them. `Width` is unsigned, or a compile-time constant.
  template <class Width>
  struct view {
    const std::uint64_t* words;
    [[no_unique_address]] Width width;

    // The band's coefficients, split at block borders. `Word` has 64 or 128 bits.
    template <class Word>
    [[nodiscard, gnu::always_inline]] kernel::run<sizeof(Word) / 8 + 1> run(
        std::uint64_t slot, Word coefficients) const noexcept {
      constexpr unsigned last = sizeof(Word) / 8;
      const unsigned shift = slot % block;
      kernel::run<last + 1> out;
      out.first = words + slot / block * width;
      // a band that starts at a block border ends one block earlier
      out.last = words + (slot + last * block - 1) / block * width;
      const Word low = coefficients << shift;
      for (unsigned i = 0; i < last; ++i)
        out.part[i] = static_cast<std::uint64_t>(low >> (32 * i) >> (32 * i));
      out.part[last] =
          static_cast<std::uint64_t>(coefficients >> 1 >> (8 * sizeof(Word) - 1 - shift));
      return out;
    }
    // Prefetches the cache lines that a band from here nearly always touches. The block after it
    // may not exist; prefetching it is harmless. Inlining is forced: compiled alone, the function
    // has no visible effect and a compiler drops its calls.
    template <class Word>
    [[gnu::always_inline]] void prefetch(std::uint64_t slot) const noexcept {
      prefetch_from<Word>(words + slot / block * width);
    }
    template <class Word>
    [[gnu::always_inline]] void prefetch_from(const std::uint64_t* first) const noexcept {
      const auto* const at = reinterpret_cast<const std::byte*>(first);
      const std::uint64_t bytes = (sizeof(Word) / 8 + 1) * 8 * width;
      detail::prefetch_read(at);
      for (std::uint64_t line = 64; line < bytes; line += 64) detail::prefetch_read(at + line);
    }
  };
  [[nodiscard]] view<unsigned> of_any_width() const noexcept { return {words_.data(), width_}; }
  // A view for width 8, the most common one. A query loop with this constant takes two thirds of
  // the time.
  using eight = std::integral_constant<unsigned, 8>;
  [[nodiscard]] view<eight> of_eight() const noexcept {
    assert(width_ == 8);
    return {words_.data(), {}};
  }

  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const columns& a, const columns& b) noexcept {
    return a.width_ == b.width_ && a.words_ == b.words_;
  }

 private:
  unsigned width_ = 1;
  words<> words_;
};

}  // namespace umbel::cells
