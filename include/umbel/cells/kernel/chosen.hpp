// kernel/chosen.hpp - XOR of the packed cells that a bit row selects, portable and for AVX2 with
// BMI2.
//
// A load reads several cells. The row's bits for these cells are expanded to whole cells and mask
// them. The cells of a load are summed at the end. 8-bit cells are read 32 at a time, always three
// times, since a branch on the length of the range would be mispredicted. The third read covers the
// end of the range, so no cache line past it is read.
//
// Layout     Cells as in cells::packed, with a word of zeros after the last. A row has no bit
//            beyond its range.
#pragma once

#include <bit>
#include <cstdint>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/bytes.hpp>
#include <umbel/cells/kernel/level.hpp>
#include <umbel/cells/packed.hpp>

namespace umbel::cells::kernel {

// Computed once from the width of the cells.
struct load_shape {
  unsigned per_load = 0;     // cells that one load always contains
  std::uint64_t lowest = 0;  // the lowest bit of each of them

  load_shape() = default;
  explicit load_shape(unsigned width) noexcept : per_load(57 / width) {
    for (unsigned i = 0; i < per_load; ++i) lowest |= std::uint64_t{1} << (i * width);
  }
};
// The cells, as the kernels read them.
struct chosen_from {
  const unsigned char* bytes;
  std::uint64_t size;  // cells
  unsigned width;
  load_shape load;
  std::uint64_t cell_mask;

  chosen_from(const packed& cells, const load_shape& shape) noexcept
      : bytes(reinterpret_cast<const unsigned char*>(cells.storage().data())),
        size(cells.size()),
        width(cells.width()),
        load(shape),
        cell_mask(detail::low_mask(cells.width())) {}
};

// the least number of 8-bit cells that the byte loop reads, if they exist
inline constexpr unsigned min_bytes = 64;

namespace portable {

[[nodiscard]] inline std::uint64_t chosen(const packed& cells, std::uint64_t first,
                                          const std::uint64_t* row, unsigned words) noexcept {
  std::uint64_t out = 0;
  for (unsigned word = 0; word < words; ++word)
    for (std::uint64_t left = row[word]; left != 0; left &= left - 1)
      out ^= cells.get(first + 64 * word + static_cast<unsigned>(std::countr_zero(left)));
  return out;
}

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

using bytes32 [[gnu::aligned(1)]] = unsigned char __attribute__((vector_size(32), may_alias));
static_assert(alignof(bytes32) == 1);  // clang ignores the attribute after the type

// Narrow cells, several per load.
[[nodiscard, gnu::target("avx2,bmi2,popcnt")]] inline std::uint64_t chosen_narrow(
    const chosen_from& from, std::uint64_t first, const std::uint64_t* row,
    unsigned words) noexcept {
  std::uint64_t sums = 0;
  for (unsigned word = 0; word < words; ++word) {
    std::uint64_t bit = (first + 64 * word) * from.width;
    for (std::uint64_t left = row[word]; left != 0;
         left >>= from.load.per_load, bit += from.load.per_load * from.width)
      sums ^= detail::load_le<std::uint64_t>(from.bytes + bit / 8) >> bit % 8 &
              __builtin_ia32_pdep_di(left, from.load.lowest) * from.cell_mask;
  }
  std::uint64_t out = 0;
  for (; sums != 0; sums >>= from.width) out ^= sums;
  return out & from.cell_mask;
}
// 32 cells of a byte, masked by the row's bits.
[[nodiscard, gnu::target("avx2,bmi2,popcnt"), gnu::always_inline]] inline bytes32 chosen_bytes(
    const unsigned char* at, std::uint32_t bits) noexcept {
  using packed32 = unsigned char __attribute__((vector_size(32)));
  return *reinterpret_cast<const bytes32*>(at) & reinterpret_cast<packed32>(bytes_of(bits));
}
// XOR over `run` cells. For 8-bit cells, at least 64 are read.
[[nodiscard, gnu::target("avx2,bmi2,popcnt")]] inline std::uint64_t chosen(
    const packed& cells, const chosen_from& from, std::uint64_t first, unsigned run,
    const std::uint64_t* row) noexcept {
  const unsigned read = run < min_bytes ? min_bytes : run;
  if (from.width != 8 || read > 96 || first + read > from.size) [[unlikely]] {
    const unsigned words = (run + 127) / 128 * 2;
    if (from.width > 28) return portable::chosen(cells, first, row, words);
    return chosen_narrow(from, first, row, words);
  }
  const unsigned char* const at = from.bytes + first;
  using lanes4 = std::uint64_t __attribute__((vector_size(32)));
  const auto sums = reinterpret_cast<lanes4>(
      chosen_bytes(at, static_cast<std::uint32_t>(row[0])) ^
      chosen_bytes(at + 32, static_cast<std::uint32_t>(row[0] >> 32)) ^
      chosen_bytes(at + read - 32, static_cast<std::uint32_t>(row[1] << (96 - read))));
  std::uint64_t out = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
  out ^= out >> 32;
  out ^= out >> 16;
  out ^= out >> 8;
  return out & 0xFF;
}

}  // namespace avx2
#endif

}  // namespace umbel::cells::kernel
