// kernel/divisions.hpp - RecSplit seed search [EGV20]: the first seed (`trial`) that splits the
// keys as prescribed, portable and for AVX2.
//
// Eight seeds are tried at a time, one per lane. In a leaf, the places of the keys are summed as
// powers of two: all bits of the sum are set exactly if no two keys collide, and rotating a part of
// the keys rotates their sum [BKLS23].
#pragma once

#include <cstddef>
#include <cstdint>

#include <umbel/base/division.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

// The halves of the keys, in two arrays.
struct divided_keys {
  const std::uint32_t* hashes;
  const std::uint32_t* turns;
  std::uint32_t count;
};
// How many keys must fall below each of two bounds.
struct division {
  std::uint32_t bounds[2], wanted[2];
};

inline constexpr std::uint32_t no_trial = ~std::uint32_t{0};

namespace any_level {

using lanes8 = std::uint32_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline bool any_set(const lanes8& lanes) noexcept {
  std::uint32_t all = 0;
  for (int i = 0; i < 8; ++i) all |= lanes[i];
  return all != 0;
}

// The first seed below `limit` that splits the keys this way; no_trial if there is none.
[[gnu::always_inline]] inline std::uint32_t first_division(const divided_keys& keys,
                                                           const division& as,
                                                           std::uint32_t limit) noexcept {
  const lanes8 numbers{0, 1, 2, 3, 4, 5, 6, 7};
  lanes8 words = numbers * detail::trial_factor;
  for (std::uint32_t first = 0; first < limit; first += 8, words += 8 * detail::trial_factor) {
    lanes8 low{}, high{};
    for (std::uint32_t k = 0; k < keys.count; ++k) {
      const lanes8 outcome = (words ^ keys.hashes[k]) * detail::division_factor + keys.turns[k];
      low -= reinterpret_cast<lanes8>(outcome < as.bounds[0]);
      high -= reinterpret_cast<lanes8>(outcome < as.bounds[1]);
    }
    const auto fits = reinterpret_cast<lanes8>((low == as.wanted[0]) & (high == as.wanted[1]));
    if (!any_set(fits)) continue;
    for (std::uint32_t i = 0; i < 8; ++i)
      if (fits[i] != 0) return first + i;
  }
  return no_trial;
}

// The same for a leaf whose first `still` keys are not rotated. A trial number is
// seed * size + rotation of the other keys.
[[gnu::always_inline]] inline std::uint32_t first_leaf(const divided_keys& keys,
                                                       std::uint32_t still,
                                                       std::uint32_t limit) noexcept {
  const std::uint32_t size = keys.count, full = (std::uint32_t{1} << size) - 1;
  const lanes8 numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const lanes8 one = lanes8{} + 1;
  lanes8 words = numbers * detail::trial_factor;
  for (std::uint32_t first = 0; first * size < limit;
       first += 8, words += 8 * detail::trial_factor) {
    lanes8 rest{}, turned{};
    for (std::uint32_t k = 0; k < size; ++k) {
      if (k == still) rest = turned, turned ^= turned;
      const lanes8 outcome = (words ^ keys.hashes[k]) * detail::division_factor + keys.turns[k];
      turned += one << ((outcome >> 16) * size >> 16);
    }
    if (still == size) rest = turned, turned ^= turned;
    rest = ~rest & full;       // the places that the other keys must fill
    turned |= turned << size;  // on collisions too few bits are set, whatever the carries
    lanes8 any{};
    for (std::uint32_t turn = 0; turn < size; ++turn)
      any |= reinterpret_cast<lanes8>((turned >> turn & full) == rest);
    if (!any_set(any)) continue;
    for (std::uint32_t i = 0; i < 8; ++i)
      for (std::uint32_t turn = 0; turn < size && any[i] != 0; ++turn)
        if ((turned[i] >> turn & full) == rest[i]) return (first + i) * size + turn;
  }
  return no_trial;
}

}  // namespace any_level

namespace portable {
inline std::uint32_t first_division(const divided_keys& keys, const division& as,
                                    std::uint32_t limit) noexcept {
  return any_level::first_division(keys, as, limit);
}
inline std::uint32_t first_leaf(const divided_keys& keys, std::uint32_t still,
                                std::uint32_t limit) noexcept {
  return any_level::first_leaf(keys, still, limit);
}
}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {
[[gnu::target("avx2")]] inline std::uint32_t first_division(const divided_keys& keys,
                                                            const division& as,
                                                            std::uint32_t limit) noexcept {
  return any_level::first_division(keys, as, limit);
}
[[gnu::target("avx2")]] inline std::uint32_t first_leaf(const divided_keys& keys,
                                                        std::uint32_t still,
                                                        std::uint32_t limit) noexcept {
  return any_level::first_leaf(keys, still, limit);
}
}  // namespace avx2
#endif

[[nodiscard]] inline std::uint32_t first_division(const divided_keys& keys, const division& as,
                                                  std::uint32_t limit) noexcept {
#if defined(__x86_64__)
  if (in_use() >= level::avx2) return avx2::first_division(keys, as, limit);
#endif
  return portable::first_division(keys, as, limit);
}
[[nodiscard]] inline std::uint32_t first_leaf(const divided_keys& keys, std::uint32_t still,
                                              std::uint32_t limit) noexcept {
#if defined(__x86_64__)
  if (in_use() >= level::avx2) return avx2::first_leaf(keys, still, limit);
#endif
  return portable::first_leaf(keys, still, limit);
}

}  // namespace umbel::cells::kernel
