// endian.hpp - unaligned loads and stores of little-endian words.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace umbel::detail {

static_assert(std::endian::native == std::endian::little,
              "umbel maps little-endian files as they are: big-endian hosts are not supported");

template <std::unsigned_integral Word>
[[nodiscard]] Word load_le(const void* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <std::unsigned_integral Word>
void store_le(void* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

}  // namespace umbel::detail
