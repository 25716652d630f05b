// kernel/blocks.hpp - the loops over keys that have one block each, in portable code and for AVX2, with the same bits.
// Idea       The loop over keys is part of the kernel, with the placing of keys and the pattern's own test inlined into
//            it: calling a kernel per group of keys cost a fifth of the speed inside the cache.
// Layout     A block is 8, 32, 64 or 128 bytes, aligned to as much (to 64 at most): it touches no line it need not.
#pragma once

#include <cstddef>
#include <cstdint>

#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

// A key's block, and what is left of the key to choose cells inside.
template <class Pattern>
struct spot {
  typename Pattern::word* block;
  typename Pattern::key key;
};

template <class Pattern, class Load>
[[nodiscard]] bool test(const Pattern& how, const spot<Pattern>& at, Load&& load) noexcept {
  typename Pattern::word missing = 0;
  how.each(at.key, [&](std::size_t word, typename Pattern::word mask) { missing |= mask & ~load(at.block[word]); });
  return missing == 0;
}

namespace portable {

template <class Pattern, class Place>
[[gnu::flatten]] void query(const Pattern how, std::size_t total, Place&& place, bool* out) noexcept {
  detail::ring<spot<Pattern>>(total, place, [&](std::size_t i, const spot<Pattern>& at) {
    out[i] = test(how, at, [](const auto& word) { return word; });
  });
}
template <class Pattern, class Place>
[[gnu::flatten]] void insert(const Pattern how, std::size_t total, Place&& place) noexcept {
  detail::ring<spot<Pattern>>(total, place, [&](std::size_t, const spot<Pattern>& at) {
    how.each(at.key, [&](std::size_t word, typename Pattern::word mask) { at.block[word] |= mask; });
  });
}

}  // namespace portable

#if defined(__x86_64__)

// Vector types of the compiler instead of <immintrin.h>: reading that header takes longer than the rest of a program.
using lanes32 = std::uint32_t __attribute__((vector_size(32), may_alias));
using lanes64 = std::uint64_t __attribute__((vector_size(32), may_alias));
using signed32 = int __attribute__((vector_size(32), may_alias));
using signed64 = long long __attribute__((vector_size(32), may_alias));

namespace avx2 {

template <class To, class From>
[[gnu::target("avx2")]] inline To as(const From& lanes) noexcept {
  return reinterpret_cast<To>(lanes);
}
// Whether every bit of `mask` is set in `cells`.
template <class Lanes>
[[gnu::target("avx2")]] inline bool covers(const Lanes& cells, const Lanes& mask) noexcept {
  return __builtin_ia32_ptestc256(as<signed64>(cells), as<signed64>(mask)) != 0;
}

// one << by, and nothing where `by` is 32 or more: the compiler's own << leaves that undefined.
[[gnu::target("avx2")]] inline lanes32 shifted_out(const lanes32& one, const lanes32& by) noexcept {
  return as<lanes32>(__builtin_ia32_psllv8si(as<signed32>(one), as<signed32>(by)));
}

template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), gnu::flatten]] void query(const Pattern how, std::size_t total, Place&& place,
                                                      bool* out) noexcept {
  const auto ready = how.prepared();
  if constexpr (requires { how.is_short(); })
    if (how.is_short())
      return detail::ring<spot<Pattern>>(total, place,
                                         [&how, out, ask = how.prepared_short()](std::size_t i, const auto& at) {
                                           out[i] = how.test(ask, at.block, at.key);
                                         });
  detail::ring<spot<Pattern>>(
      total, place, [&](std::size_t i, const spot<Pattern>& at) { out[i] = how.test(ready, at.block, at.key); });
}
template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), gnu::flatten]] void insert(const Pattern how, std::size_t total, Place&& place) noexcept {
  const auto ready = how.prepared();
  detail::ring<spot<Pattern>>(total, place,
                              [&](std::size_t, const spot<Pattern>& at) { how.set(ready, at.block, at.key); });
}

}  // namespace avx2

#endif

// place(i, spot) says where key i goes and fetches it; keys are then tested, or set, in order. A pattern that has vector
// spellings of its own (test, set) says so by having them.
template <class Pattern, class Place>
void query(const Pattern& how, std::size_t total, Place&& place, bool* out) noexcept {
#if defined(__x86_64__)
  if constexpr (requires { how.prepared(); })
    if (in_use() == level::avx2) return avx2::query(how, total, place, out);
#endif
  portable::query(how, total, place, out);
}

template <class Pattern, class Place>
void insert(const Pattern& how, std::size_t total, Place&& place) noexcept {
#if defined(__x86_64__)
  if constexpr (requires(typename Pattern::word * block, typename Pattern::key key) {
                  how.set(how.prepared(), block, key);
                })
    if (in_use() == level::avx2) return avx2::insert(how, total, place);
#endif
  portable::insert(how, total, place);
}

}  // namespace umbel::cells::kernel
