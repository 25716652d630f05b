// coded_bits.ipp - bodies of coded_bits.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/cells/coded_bits.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

namespace coded {

inline constexpr std::uint64_t narrow = std::uint64_t{1} << 56;

[[nodiscard]] inline bool bit_at(std::span<const std::byte> bits, std::uint64_t i) noexcept {
  return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1) != 0;
}
inline void set_bit(std::span<std::byte> bits, std::uint64_t i) noexcept {
  bits[i / 8] |= std::byte{1} << (i % 8);
}

// P0: the share of zeros in units of 2^-32, at least one unit and at most 2^32 - 1.
[[nodiscard]] inline std::uint64_t share_of_zeros(std::uint64_t zeros,
                                                  std::uint64_t size) noexcept {
  const auto rounded = static_cast<std::uint64_t>(
      ((static_cast<umbel::detail::uint128>(zeros) << 33) / size + 1) >> 1);
  return std::clamp<std::uint64_t>(rounded, 1, (std::uint64_t{1} << 32) - 1);
}

[[nodiscard]] inline unsigned remainder_bits(std::uint64_t ones, std::uint64_t size) noexcept {
  const double best =
      std::log2(std::numbers::ln2 * static_cast<double>(size) / static_cast<double>(ones));
  return static_cast<unsigned>(std::clamp(std::round(best), 0.0, 56.0));
}

inline void require_ones(std::span<const std::byte> bits, std::uint64_t ones) {
  if (const std::uint64_t found = ones_in(bits); found != ones)
    throw corrupt(umbel::detail::text("coded bits: expected ", ones, " ones, found ", found));
}

}  // namespace coded

UMBEL_INLINE std::uint64_t ones_in(std::span<const std::byte> bits) noexcept {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (; i + 8 <= bits.size(); i += 8)
    sum += static_cast<unsigned>(
        std::popcount(umbel::detail::load_le<std::uint64_t>(bits.data() + i)));
  for (; i < bits.size(); ++i)
    sum += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(bits[i])));
  return sum;
}

UMBEL_INLINE std::vector<std::byte> range_encode(std::span<const std::byte> bits,
                                                 std::uint64_t ones) {
  const std::uint64_t size = bits.size() * 8, zero = coded::share_of_zeros(size - ones, size);
  std::uint64_t low = 0, range = ~std::uint64_t{0};
  std::vector<std::byte> out;
  const auto put = [&] {
    out.push_back(static_cast<std::byte>(low >> 56));
    low <<= 8;
  };
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t bound = (range >> 32) * zero;
    if (coded::bit_at(bits, i)) {
      low += bound;
      range -= bound;
      if (low < bound) {  // carry into the bytes already written
        std::size_t last = out.size();
        do --last;
        while (++reinterpret_cast<unsigned char&>(out[last]) == 0);
      }
    } else {
      range = bound;
    }
    for (; range < coded::narrow; range <<= 8) put();
  }
  for (int i = 0; i < 8; ++i) put();
  return out;
}

UMBEL_INLINE void range_decode(std::span<const std::byte> code, std::uint64_t ones,
                               std::span<std::byte> bits) {
  const std::uint64_t size = bits.size() * 8, zero = coded::share_of_zeros(size - ones, size);
  std::uint64_t range = ~std::uint64_t{0}, ahead = 0;  // the code minus low
  std::size_t read = 0;
  const auto take = [&] {
    if (read == code.size()) throw corrupt("coded bits: the code is cut short");
    ahead = ahead << 8 | std::to_integer<std::uint64_t>(code[read++]);
  };
  for (int i = 0; i < 8; ++i) take();
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t bound = (range >> 32) * zero;
    if (ahead < bound) {
      range = bound;
    } else {
      ahead -= bound;
      range -= bound;
      coded::set_bit(bits, i);
    }
    for (; range < coded::narrow; range <<= 8) take();
  }
  if (read != code.size()) throw corrupt("coded bits: something follows the end of the code");
  if (ahead != 0)
    // the last eight bytes are low itself
    throw corrupt("coded bits: not a code of so many bits and ones");
  coded::require_ones(bits, ones);
}

UMBEL_INLINE std::vector<std::byte> rice_encode(std::span<const std::byte> bits,
                                                std::uint64_t ones) {
  const std::uint64_t size = bits.size() * 8;
  const unsigned remainder = coded::remainder_bits(ones, size);
  bit_writer stream;
  std::uint64_t next = 0;  // position after the last one
  for (std::uint64_t i = 0; i < size; ++i) {
    if (!coded::bit_at(bits, i)) continue;
    stream.put_rice(i - next, remainder);
    next = i + 1;
  }
  std::vector<std::byte> out(umbel::detail::ceil_div(stream.size(), 8));
  std::memcpy(out.data(), stream.bits().data(), out.size());
  return out;
}

UMBEL_INLINE void rice_decode(std::span<const std::byte> code, std::uint64_t ones,
                              std::span<std::byte> bits) {
  const std::uint64_t size = bits.size() * 8;
  const unsigned remainder = coded::remainder_bits(ones, size);
  words<> stream(bit_writer::words_for(code.size() * 8));
  if (!code.empty()) std::memcpy(stream.data(), code.data(), code.size());
  bit_reader reader(stream, 0, code.size() * 8);
  std::uint64_t next = 0, used = 0;
  for (std::uint64_t i = 0; i < ones; ++i) {
    const std::uint64_t gap = reader.get_rice(remainder);
    if (gap >= size - next) throw corrupt("coded bits: a gap leads past the last bit");
    used += (gap >> remainder) + 1 + remainder;
    if (used > code.size() * 8) throw corrupt("coded bits: the code is cut short");
    coded::set_bit(bits, next + gap);
    next += gap + 1;
    if (next == size && i + 1 < ones) throw corrupt("coded bits: fewer bits than ones");
  }
  if (umbel::detail::ceil_div(used, 8) != code.size())
    throw corrupt("coded bits: something follows the end of the code");
  if (used % 8 != 0 && std::to_integer<unsigned>(code.back()) >> (used % 8) != 0)
    throw corrupt("coded bits: bits past the end of the code are set");
}

}  // namespace umbel::cells
