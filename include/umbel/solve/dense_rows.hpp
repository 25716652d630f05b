// dense_rows.hpp - digest -> a row of random bits, as long as a system has unknowns, under any
// seed.
// Idea       Counter mode: every 128 bits of a row are one product of the digest's salted halves,
//            other salts for every seed and every pair of words. Rows have nothing in common with
//            what chose the key's group. Very short rows can be looked up instead: the key draws
//            one of 25 ids, and an id is a fixed vector for every length, so that what a few rows
//            are to each other depends on their ids alone, and can be tabulated.
// Layout     Pair p of a row under seed s: the words of salt `rows` + 64 s + p, first() and
//            second(). Bits past the end are 0. The vector of id i in v unknowns is 1 + i mod (2^v
//            - 1).
// Source     [Por09] section 3 for dense rows, sections 4 and 5 for tables.
#pragma once

#include <array>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::solve {

class dense_rows {
 public:
  static constexpr std::uint64_t pairs = 64;  // of a row at most

  // The same for rows of at most 128 bits under an early seed: two words, without a branch. False
  // for others.
  [[nodiscard]] [[gnu::always_inline]] static bool draw_short(digest d, std::uint64_t seed,
                                                              std::uint64_t bits,
                                                              std::uint64_t* out) noexcept {
    if (bits > 128 || seed >= ready_seeds) [[unlikely]]
      return false;
    const detail::remixed words = ready[seed * ready_pairs](d);
    const std::uint64_t all = ~std::uint64_t{0};
    out[0] = words.first() & (bits >= 64 ? all : ~(all << bits % 64));
    out[1] = words.second() & (bits <= 64 ? 0 : all >> (128 - bits) % 64);
    return true;
  }
  // (bits + 63) / 64 words to `out`, and a zero behind them if that number is odd.
  static void draw(digest d, std::uint64_t seed, std::uint64_t bits, std::uint64_t* out) noexcept {
    for (std::uint64_t pair = 0; 128 * pair < bits; ++pair) {
      const detail::remixed words = seed < ready_seeds && pair < ready_pairs
                                        ? ready[seed * ready_pairs + pair](d)
                                        : detail::remixer(salt(seed, pair))(d);
      out[2 * pair] = words.first();
      out[2 * pair + 1] = words.second();
    }
    const std::uint64_t odd = bits % 128;
    if (odd == 0) return;
    std::uint64_t* const last = out + bits / 128 * 2;
    last[0] &= odd >= 64 ? ~std::uint64_t{0} : detail::low_mask(static_cast<unsigned>(odd));
    last[1] &= odd <= 64 ? 0 : detail::low_mask(static_cast<unsigned>(odd - 64));
  }

  // ---- by table ----

  static constexpr unsigned max_tabled = 5;  // unknowns
  static constexpr unsigned ids = max_tabled * max_tabled;
  [[nodiscard]] static unsigned id(digest d, std::uint64_t seed) noexcept {
    const auto words =
        seed < ready_seeds ? ready[seed * ready_pairs](d) : detail::remixer(salt(seed, 0))(d);
    return static_cast<unsigned>(detail::fastrange(words.first(), ids));
  }
  [[nodiscard]] static constexpr unsigned vector(unsigned id, std::uint64_t unknowns) noexcept {
    return vectors[unknowns][id];
  }

 private:
  static constexpr std::uint64_t ready_seeds = 15, ready_pairs = 4;
  [[nodiscard]] static constexpr std::uint64_t salt(std::uint64_t seed,
                                                    std::uint64_t pair) noexcept {
    return detail::salt_of(detail::stage::rows, seed * pairs + pair);
  }
  // Most rows need no more than these.
  static constexpr auto ready = [] {
    std::array<detail::remixer, ready_seeds * ready_pairs> out;
    for (std::uint64_t i = 0; i < out.size(); ++i)
      out[i] = detail::remixer(
          detail::salt_of(detail::stage::rows, i / ready_pairs * pairs + i % ready_pairs));
    return out;
  }();
  static constexpr auto vectors = [] {
    std::array<std::array<std::uint8_t, ids>, max_tabled + 1> out{};
    for (unsigned unknowns = 1; unknowns <= max_tabled; ++unknowns)
      for (unsigned id = 0; id < ids; ++id)
        out[unknowns][id] = static_cast<std::uint8_t>(1 + id % ((1U << unknowns) - 1));
    return out;
  }();
};

}  // namespace umbel::solve
