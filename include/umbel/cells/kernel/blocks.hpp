// kernel/blocks.hpp - query and insert loops over keys with one block each: portable and vector
// code with identical results.
//
// The loop over keys is part of the kernel, and the placing of keys and the pattern's test are
// inlined into it. Calling a kernel per group of keys cost a fifth of the speed when the filter is
// in the cache.
//
// Layout     A block has 8, 32, 64 or 128 bytes and is aligned to its size, at most 64, so it
//            touches as few cache lines as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/byte_lanes.hpp>
#include <umbel/cells/kernel/level.hpp>

namespace umbel::cells::kernel {

// A key's block, and the part of the key that selects cells inside it.
template <class Pattern>
struct spot {
  typename Pattern::word* block;
  typename Pattern::key key;
};

template <class Pattern, class Load>
[[nodiscard, gnu::always_inline]] inline bool test(const Pattern& pattern,
                                                   const typename Pattern::word* block,
                                                   typename Pattern::key key,
                                                   Load&& load) noexcept {
  typename Pattern::word missing = 0;
  pattern.each(key, [&](std::size_t word, typename Pattern::word mask) {
    missing |= mask & ~load(block[word]);
  });
  return missing == 0;
}

namespace portable {

template <class Pattern>
[[nodiscard, gnu::always_inline]] inline bool query_inlined(const Pattern& pattern,
                                                            const typename Pattern::word* block,
                                                            typename Pattern::key key) noexcept {
  return test(pattern, block, key, [](const auto& word) { return word; });
}
// Not inlined: it would take registers from the callers of the vector code.
template <class Pattern>
[[nodiscard, gnu::noinline]] bool query_one(const Pattern& pattern,
                                            const typename Pattern::word* block,
                                            typename Pattern::key key) noexcept {
  return query_inlined(pattern, block, key);
}

template <class Pattern, class Place>
[[UMBEL_FLAT]] void query(const Pattern pattern, std::size_t total, Place&& place,
                          bool* out) noexcept {
  detail::ring<spot<Pattern>, detail::line_ring_depth>(total, place,
                                                       [&](std::size_t i, const spot<Pattern>& at) {
    out[i] = query_inlined(pattern, at.block, at.key);
  });
}
template <class Pattern, class Place>
[[UMBEL_FLAT]] void insert(const Pattern pattern, std::size_t total, Place&& place) noexcept {
  detail::ring<spot<Pattern>, detail::line_ring_depth>(total, place,
                                                       [&](std::size_t, const spot<Pattern>& at) {
    pattern.each(at.key,
                 [&](std::size_t word, typename Pattern::word mask) { at.block[word] |= mask; });
  });
}

}  // namespace portable

#if defined(__x86_64__)

// Vector types of the compiler instead of <immintrin.h>, which takes longer to compile than the
// rest of a program.
using lanes32 = std::uint32_t __attribute__((vector_size(32), may_alias));
using lanes64 = std::uint64_t __attribute__((vector_size(32), may_alias));
using signed32 = int __attribute__((vector_size(32), may_alias));
using signed64 = long long __attribute__((vector_size(32), may_alias));

namespace avx2 {

template <class To, class From>
[[gnu::target("avx2")]] inline To as(const From& lanes) noexcept {
  return reinterpret_cast<To>(lanes);
}
// Loads lanes from memory with one instruction. For lanes that are all equal g++ knows the value
// and rebuilds it with three.
template <class Lanes>
[[gnu::target("avx2")]] inline Lanes loaded(const auto& from) noexcept {
  static_assert(sizeof from == sizeof(Lanes));
  Lanes out;
  asm("vmovdqa %1, %0" : "=x"(out) : "m"(from));
  return out;
}
// Whether every bit of `mask` is set in `cells`.
template <class Lanes>
[[gnu::target("avx2")]] inline bool covers(const Lanes& cells, const Lanes& mask) noexcept {
  return __builtin_ia32_ptestc256(as<signed64>(cells), as<signed64>(mask)) != 0;
}

// one << by, and 0 where `by` is 32 or more; that is undefined for the compiler's operator.
[[gnu::target("avx2")]] inline lanes32 shifted_out(const lanes32& one, const lanes32& by) noexcept {
  return as<lanes32>(__builtin_ia32_psllv8si(as<signed32>(one), as<signed32>(by)));
}

// Four keys at a time, for patterns that can refine four keys together.
template <class Pattern>
struct four {
  static constexpr std::size_t count = 4, depth = detail::line_ring_depth / count;
  alignas(32) typename Pattern::key key[count];
  typename Pattern::word* block[count];
};

// Calls work(i, block, key) for every key, after refinement.
template <class Pattern, class Place, class Work>
[[gnu::always_inline]] inline void in_fours(const Pattern& pattern, std::size_t fours, Place& place,
                                            Work&& work) noexcept {
  using slot = four<Pattern>;
  detail::ring<slot, slot::depth>(
      fours,
      [&](std::size_t i, slot& s) {
    for (std::size_t j = 0; j < slot::count; ++j) {
      spot<Pattern> at;
      place(slot::count * i + j, at);
      s.key[j] = at.key;
      s.block[j] = at.block;
    }
      },
      // not earlier: a vector load of four words just written stalls
      [&](std::size_t i, const slot& s) {
    alignas(32) typename Pattern::key keys[slot::count];
    pattern.refine(s.key, keys);
#pragma GCC unroll 4
    for (std::size_t j = 0; j < slot::count; ++j) work(slot::count * i + j, s.block[j], keys[j]);
  });
}
template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), UMBEL_FLAT]] void query_fours(const Pattern pattern, std::size_t fours,
                                                          Place&& place, bool* out) noexcept {
  in_fours(pattern, fours, place,
           [&pattern, out, ask = pattern.prepared_short()](std::size_t i, const auto* block,
                                                           const auto& key) {
    out[i] = pattern.test_refined(ask, block, key);
  });
}
template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), UMBEL_FLAT]] void insert_fours(const Pattern pattern, std::size_t fours,
                                                           const Place& given) noexcept {
  // a copy: through a reference, it would be reloaded after every block that is written
  const Place place = given;
  in_fours(pattern, fours, place,
           [&pattern, ask = pattern.prepared_short()](std::size_t, auto* block, const auto& key) {
    pattern.add_refined(ask, block, key);
  });
}

// Arguments by value, to keep them in registers; a pattern with state by reference.
template <class Pattern>
[[nodiscard, gnu::target("avx2,bmi2"), UMBEL_FLAT]] bool query_one(
    std::conditional_t<std::is_empty_v<Pattern>, Pattern, const Pattern&> pattern,
    const typename Pattern::word* block, typename Pattern::key key) noexcept {
  if constexpr (requires { pattern.test_one(block, key); })
    return pattern.test_one(block, key);
  else
    return pattern.test(pattern.prepared(), block, key);
}
template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), UMBEL_FLAT]] void query(const Pattern pattern, std::size_t total,
                                                    Place&& place, bool* out) noexcept {
  const auto ready = pattern.prepared();
  detail::ring<spot<Pattern>, detail::line_ring_depth>(total, place,
                                                       [&](std::size_t i, const spot<Pattern>& at) {
    out[i] = pattern.test(ready, at.block, at.key);
  });
}
template <class Pattern, class Place>
[[gnu::target("avx2,bmi2"), UMBEL_FLAT]] void insert(const Pattern pattern, std::size_t total,
                                                     const Place& given) noexcept {
  const auto ready = pattern.prepared();
  // as in insert_fours(); by reference an insert into a split block takes a quarter longer
  const Place place = given;
  detail::ring<spot<Pattern>, detail::line_ring_depth>(
      total, place,
      [&](std::size_t, const spot<Pattern>& at) { pattern.set(ready, at.block, at.key); });
}

}  // namespace avx2

#endif

// Calls work(groups) for the keys in groups of `Size`, then rest(first, count, place) for the
// remaining ones.
template <std::size_t Size, class Place, class Work, class Rest>
void by_groups(std::size_t total, Place& place, Work&& work, Rest&& rest) noexcept {
  const std::size_t whole = total / Size * Size;
  work(whole / Size);
  rest(whole, total - whole, [&place, whole](std::size_t i, auto& at) { place(whole + i, at); });
}

// Query of a single key. The vector code is no longer than the hash before it, so a processor keeps
// many keys of a caller's loop in flight. Out of the cache the portable code takes three times as
// long.
template <class Pattern>
[[nodiscard, gnu::always_inline]] inline bool query_one(const Pattern& pattern,
                                                        const typename Pattern::word* block,
                                                        typename Pattern::key key) noexcept {
#if defined(__x86_64__)
  if constexpr (requires { pattern.prepared(); }) {
    if (in_use() >= level::avx2) [[likely]]
      return avx2::query_one<Pattern>(pattern, block, key);
    return portable::query_one(pattern, block, key);
  }
#endif
  return portable::query_inlined(pattern, block, key);
}

// place(i, spot) computes where key i goes and prefetches it; keys are then tested, or set, in
// order. Uses a pattern's own vector functions (test, set) if it has them.
template <class Pattern, class Place>
void query(const Pattern& pattern, std::size_t total, Place&& place, bool* out) noexcept {
#if defined(__x86_64__)
  if constexpr (requires { pattern.prepared(); }) {
    if constexpr (requires { pattern.takes_eight() && place.takes_eight(); }) {
      if (in_use() >= level::avx512 && pattern.takes_eight() && place.takes_eight())
        return by_groups<avx512::lane_count>(
            total, place,
            [&](std::size_t eights) { avx512::query_eights(pattern, eights, place, out); },
            [&](std::size_t from, std::size_t rest, auto&& later) {
          portable::query(pattern, rest, later, out + from);
            });
    }
    if (in_use() >= level::avx2) {
      if constexpr (requires { pattern.is_short(); }) {
        if (pattern.is_short())
          return by_groups<4>(
              total, place,
              [&](std::size_t fours) { avx2::query_fours(pattern, fours, place, out); },
              [&](std::size_t from, std::size_t rest, auto&& later) {
            portable::query(pattern, rest, later, out + from);
              });
      }
      return avx2::query(pattern, total, place, out);
    }
  }
#endif
  portable::query(pattern, total, place, out);
}

template <class Pattern, class Place>
void insert(const Pattern& pattern, std::size_t total, Place&& place) noexcept {
#if defined(__x86_64__)
  if constexpr (requires(typename Pattern::word * block, typename Pattern::key key) {
                  pattern.set(pattern.prepared(), block, key);
                }) {
    if (in_use() >= level::avx2) {
      if constexpr (requires { pattern.is_short(); }) {
        if (pattern.is_short())
          return by_groups<4>(
              total, place, [&](std::size_t fours) { avx2::insert_fours(pattern, fours, place); },
              [&](std::size_t, std::size_t rest, auto&& later) {
            portable::insert(pattern, rest, later);
              });
      }
      return avx2::insert(pattern, total, place);
    }
  }
#endif
  portable::insert(pattern, total, place);
}

}  // namespace umbel::cells::kernel
