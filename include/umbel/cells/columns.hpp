// columns.hpp - r bit columns, interleaved in blocks of 64 slots: what a ribbon's solution is
// stored in.
// Idea       The value of a row is, column by column, the parity of the bits its coefficients
//            choose. With the columns of a block side by side, a run of slots is two or three
//            neighbouring blocks and no bit is unpacked.
// Layout     Block b is r words; bit i of word c is bit c of slot 64 b + i. A run of 64 touches two
//            blocks, one of 128 three, or one less where it begins with a block; nothing past the
//            last block is read.
// Invariant  As many words as blocks * columns: no padding.
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
  // After loading: these words as cells of this shape, which they must fit exactly.
  void reshape(std::uint64_t slots, unsigned width) {
    words_.require(words_for(slots, width));
    width_ = width;
  }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

  // The words as a query reads them. `Width` is unsigned, or a constant for the compiler.
  template <class Width>
  struct view {
    const std::uint64_t* words;
    [[no_unique_address]] Width width;

    // A run of coefficients, cut at the borders of blocks. `Word` has 64 or 128 bits.
    template <class Word>
    [[nodiscard, gnu::always_inline]] kernel::run<sizeof(Word) / 8 + 1> run(
        std::uint64_t slot, Word coefficients) const noexcept {
      constexpr unsigned last = sizeof(Word) / 8;
      const unsigned shift = slot % block;
      kernel::run<last + 1> out;
      out.first = words + slot / block * width;
      // one that begins with its block ends one earlier
      out.last = words + (slot + last * block - 1) / block * width;
      const Word low = coefficients << shift;
      for (unsigned i = 0; i < last; ++i)
        out.part[i] = static_cast<std::uint64_t>(low >> (32 * i) >> (32 * i));
      out.part[last] =
          static_cast<std::uint64_t>(coefficients >> 1 >> (8 * sizeof(Word) - 1 - shift));
      return out;
    }
    // The lines a run from here nearly always touches. The block after it may not be there: asking
    // for it is harmless. Inlined by force: a compiler that looks at it alone finds a function
    // without effect, and leaves its calls out.
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
  // Eight bits are what most filters have; a loop over keys that knows it takes two thirds of the
  // time.
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
