// buckets.hpp - rows of a few tags (cuckoo filter buckets [FAKM14]), compared with a tag all at
// once.
//
// A row is loaded as one word. Its XOR with a word that repeats the tag has a zero in each slot
// that holds the tag, and zeros are found by arithmetic on the whole word: no loop and no branch.
//
// Layout     Row i occupies bits i*s*w .. of a little-endian bit string; slot j of it is the w bits
//            from j*w on. 0 is an empty slot. A row is read with one unaligned load of 8 or 16
//            bytes; one word of zeros follows the last row. Sorted rows (semi-sorting) of 4 slots:
//            the code of their low nibbles (sorted_nibbles.hpp), then the remaining bits of slots 0
//            to 3, one bit less per slot. They are unpacked to the word of an ordinary row, and
//            packed again at every change.
// Invariant  Bits past the last row are zero.
// Limits     s*w is even and at most 128. Sorted: w from 4 to 16.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/sorted_nibbles.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class buckets {
 public:
  // How a row is loaded. whole: whole bytes in one word, without a shift. narrow: one word with a
  // shift. wide: two words. sorted: one word, unpacked.
  struct whole {
    using word = std::uint64_t;
  };
  struct narrow {
    using word = std::uint64_t;
  };
  struct wide {
    using word = detail::uint128;
  };
  struct sorted {
    using word = std::uint64_t;
  };
  using two_words [[gnu::vector_size(16)]] = std::uint64_t;
  static constexpr unsigned max_row_bits = 128, min_sorted = 4, max_sorted = 16;

  buckets() = default;
  buckets(std::uint64_t rows, unsigned slots, unsigned width,
          std::pmr::memory_resource* memory = nullptr, bool is_sorted = false)
      : buckets(rows, slots, width,
                words<>(words_for(rows, bits_of(slots, width, is_sorted)), memory), is_sorted) {}
  buckets(std::uint64_t rows, unsigned slots, unsigned width, words<> storage,
          bool is_sorted) noexcept
      : rows_(rows),
        width_(width),
        slots_(slots),
        row_bits_(bits_of(slots, width, is_sorted)),
        is_sorted_(is_sorted),
        words_(std::move(storage)) {
    assert(row_bits_ <= max_row_bits && row_bits_ % 2 == 0 &&
           words_.size() == words_for(rows, row_bits_));
    assert(!is_sorted || (slots == 4 && width >= min_sorted && width <= max_sorted));
    row_bytes_ = row_bits_ / 8;
    // A row may begin inside a byte. Then the loaded word must also hold the bits before it.
    are_wide_ = row_bits_ + (row_bits_ % 8 == 0 ? 0 : 8 - (row_bits_ & -row_bits_)) > 64;
    are_whole_ = !are_wide_ && !is_sorted && row_bits_ % 8 == 0;
    for (unsigned j = 0; j < slots; ++j) ones_ |= wide::word{1} << (j * width);
    if (!are_wide_) ones_ |= ones_ << 64;
    tops_ = ones_ << (width - 1);
  }
  [[nodiscard]] static constexpr unsigned bits_of(unsigned slots, unsigned width,
                                                  bool is_sorted) noexcept {
    return slots * width - (is_sorted ? slots : 0);
  }
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t rows,
                                                         unsigned row_bits) noexcept {
    return detail::ceil_div(rows * row_bits, 64) + 1;
  }
  // After loading: uses these words as rows of this shape. Their number must match exactly.
  void reshape(std::uint64_t rows, unsigned slots, unsigned width, bool is_sorted = false) {
    const unsigned row_bits = bits_of(slots, width, is_sorted);
    words_.require(words_for(rows, row_bits), rows * row_bits);
    *this = buckets(rows, slots, width, std::move(words_), is_sorted);
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] unsigned slots() const noexcept { return slots_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] bool are_whole() const noexcept { return are_whole_; }
  // rows of type `narrow`: one load and a shift
  [[nodiscard]] bool are_narrow() const noexcept { return !are_wide_ && !is_sorted_; }
  [[nodiscard]] bool are_sorted() const noexcept { return is_sorted_; }
  // Calls `work` with the type that says how rows of this shape are loaded.
  template <class Work>
  [[gnu::always_inline]] decltype(auto) with_row(Work&& work) const {
    return are_whole_   ? work(whole{})
           : is_sorted_ ? work(sorted{})
           : are_wide_  ? work(wide{})
                        : work(narrow{});
  }

  // Loads the row. The bits above it are those of the next row; the functions below ignore them.
  template <class Row>
  [[nodiscard]] typename Row::word load(std::uint64_t i) const noexcept {
    const auto at = start<Row>(i);
    typename Row::word row;
    std::memcpy(&row, bytes() + at.byte, sizeof row);
    row >>= at.shift;
    if constexpr (std::is_same_v<Row, sorted>) row = unpacked(row);
    return row;
  }
  // Flips the bits of row i that are set in `change`.
  template <class Row>
  void flip(std::uint64_t i, typename Row::word change) noexcept {
    const auto at = start<Row>(i);
    if constexpr (std::is_same_v<Row, sorted>) change = repacked(i, change);
    unsigned char* const there = reinterpret_cast<unsigned char*>(words_.data()) + at.byte;
    typename Row::word row;
    std::memcpy(&row, there, sizeof row);
    row ^= change << at.shift;
    std::memcpy(there, &row, sizeof row);
  }

  // A mask of the top bits of slots that are 0. Only the lowest set bit is reliable, and whether
  // there is one; bits above it may be wrong.
  template <class Word>
  [[nodiscard]] Word empty(Word row) const noexcept {
    return (row - static_cast<Word>(ones_)) & ~row & static_cast<Word>(tops_);
  }
  // The same for slots that hold `value`.
  template <class Word>
  [[nodiscard]] Word holding(Word row, std::uint64_t value) const noexcept {
    return empty<Word>(row ^ static_cast<Word>(ones_) * value);
  }
  // The same for rows i and j, in [0] and [1]. Two one-word rows are compared in a vector register.
  // A processor tracks pending loads into vector registers and into integer registers separately,
  // each up to a limit. With integers alone fewer queries are in flight: a query took a fifth
  // longer at 1e7 keys, although it had fewer instructions.
  template <class Row>
  [[nodiscard]] auto holding(std::uint64_t i, std::uint64_t j, std::uint64_t value) const noexcept {
    if constexpr (sizeof(typename Row::word) == 8) {
      return holding(two_words{load<Row>(i), load<Row>(j)}, value);
    } else {
      return std::array{holding(load<Row>(i), value), holding(load<Row>(j), value)};
    }
  }
  // Removes `value` from row i, or from row j if row i does not hold it. Returns false if neither
  // does.
  // Both rows are loaded before either is examined. The slot is cleared in the vector register used
  // for the comparison, and the row is selected by a branch that the processor predicts. So only
  // that branch waits for memory in integer registers, and the address of the write is known before
  // the rows arrive. Tried and lost: selecting the row by a mask, which needs a dozen such
  // instructions (erases from 1e7 keys took a tenth longer in a nearly full table, a quarter longer
  // at load 0.6); writing both rows (slower than either).
  template <class Row>
  [[nodiscard]] bool take(std::uint64_t i, std::uint64_t j, std::uint64_t value) noexcept {
    if constexpr (std::is_same_v<Row, whole>) {
      const two_words rows{load<Row>(i), load<Row>(j)}, held = holding(rows, value);
      // upto: all bits up to the end of the slot
      const two_words upto = held ^ (held - 1), slot = upto ^ upto >> width_;
      const two_words left = rows & ~slot;
      if (held[0] != 0) return store(i, left[0]), true;
      if (held[1] != 0) return store(j, left[1]), true;
    } else {
      const auto held = holding<Row>(i, j, value);
      if (held[0] != 0) return flip<Row>(i, in_slot<typename Row::word>(held[0], value)), true;
      if (held[1] != 0) return flip<Row>(j, in_slot<typename Row::word>(held[1], value)), true;
    }
    return false;
  }
  // `value` shifted to the slot whose top bit is the lowest set bit of `tops`.
  template <class Word>
  [[nodiscard]] Word in_slot(Word tops, std::uint64_t value) const noexcept {
    return Word{value} << (lowest(tops) + 1 - width_);
  }
  template <class Word>
  [[nodiscard]] std::uint64_t get(Word row, unsigned slot) const noexcept {
    return static_cast<std::uint64_t>(row >> (slot * width_)) & detail::low_mask(width());
  }
  // The exact number of non-empty slots.
  template <class Word>
  [[nodiscard]] unsigned taken(Word row) const noexcept {
    unsigned sum = 0;
    for (unsigned j = 0; j < slots_; ++j) sum += get(row, j) != 0;
    return sum;
  }
  void prefetch(std::uint64_t i) const noexcept {
    detail::prefetch_read(bytes() + i * row_bits_ / 8);
  }

  [[nodiscard]] const words<>& storage() const noexcept { return words_; }
  [[nodiscard]] words<>& storage() noexcept { return words_; }
  friend bool operator==(const buckets&, const buckets&) noexcept = default;

 private:
  [[nodiscard]] const unsigned char* bytes() const noexcept {
    return reinterpret_cast<const unsigned char*>(words_.data());
  }
  struct place {
    std::uint64_t byte;
    unsigned shift;
  };
  [[nodiscard]] two_words holding(two_words rows, std::uint64_t value) const noexcept {
    rows ^= static_cast<std::uint64_t>(ones_) * value;
    return (rows - std::bit_cast<two_words>(ones_)) & ~rows & std::bit_cast<two_words>(tops_);
  }
  void store(std::uint64_t i, std::uint64_t row) noexcept {
    std::memcpy(reinterpret_cast<unsigned char*>(words_.data()) + start<whole>(i).byte, &row,
                sizeof row);
  }
  template <class Row>
  [[nodiscard]] place start(std::uint64_t i) const noexcept {
    if constexpr (std::is_same_v<Row, whole>) return {i * row_bytes_, 0};
    const std::uint64_t bit = i * row_bits_;
    return {bit / 8, static_cast<unsigned>(bit % 8)};
  }
  [[nodiscard]] std::uint64_t unpacked(std::uint64_t row) const noexcept {
    const std::uint64_t nibbles = sorted_nibbles::decode(row),
                        rest = row >> sorted_nibbles::code_bits;
    const unsigned upper = width() - 4;
    std::uint64_t out = 0;
    for (unsigned j = 0; j < 4; ++j) {
      const std::uint64_t value =
          (rest >> (j * upper) & detail::low_mask(upper)) << 4 | (nibbles >> (4 * j) & 15);
      out |= value << (j * width_);
    }
    return out;
  }
  // The change to packed row i that corresponds to `change` of its slots.
  [[nodiscard]] std::uint64_t repacked(std::uint64_t i, std::uint64_t change) const noexcept {
    const std::uint64_t before = load<narrow>(i) & detail::low_mask(row_bits_),
                        slots = unpacked(before) ^ change;
    std::array<std::uint64_t, 4> order;  // by low nibble, ties by the rest: one order per content
    for (unsigned j = 0; j < 4; ++j) order[j] = std::rotr(get(slots, j), 4);
    const auto arrange = [&](unsigned a, unsigned b) {
      if (order[a] > order[b]) std::swap(order[a], order[b]);
    };
    arrange(0, 1), arrange(2, 3), arrange(0, 2), arrange(1, 3), arrange(1, 2);
    std::uint64_t nibbles = 0, rest = 0;
    for (unsigned j = 0; j < 4; ++j) {
      nibbles |= order[j] >> 60 << (4 * j);
      rest |= (order[j] & detail::low_mask(12)) << (j * (width_ - 4));
    }
    return before ^ (sorted_nibbles::encode(nibbles) | rest << sorted_nibbles::code_bits);
  }
  // The lowest set bit of a non-zero word; std::countr_zero would check for 0.
  template <class Word>
  [[nodiscard]] static unsigned lowest(Word tops) noexcept {
    if constexpr (sizeof(Word) == 16)
      if (static_cast<std::uint64_t>(tops) == 0)
        return 64 + static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(tops >> 64)));
    return static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(tops)));
  }

  std::uint64_t rows_ = 0;
  std::uint64_t row_bytes_ = 0;  // of whole rows
  std::uint64_t width_ = 2;      // 64 bits, so that vector code can use it directly
  unsigned slots_ = 1, row_bits_ = 2;
  bool is_sorted_ = false, are_wide_ = false, are_whole_ = false;
  // the lowest and the highest bit of every slot; repeated in the upper word if a row is one word
  wide::word ones_ = 0, tops_ = 0;
  words<> words_;
};

}  // namespace umbel::cells
