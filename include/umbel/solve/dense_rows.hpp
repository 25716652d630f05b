// dense_rows.hpp - maps a digest and a seed to a row of random bits of a given length [Por09].
//
// Rows are generated in counter mode: every 128 bits are one product of the digest's salted halves.
// Each seed and each pair of words has its own salt. The bits are independent of those that select
// the key's group.
//
// Rows of at most five unknowns can be looked up in a table instead. The key draws one of 25 ids,
// and each id stands for a fixed vector per length. The rank of a few rows then depends on their
// ids alone and can be tabulated.
//
// Layout     Pair p of a row under seed s consists of first() and second() of salt `rows` + 64 s +
//            p. Bits past the end are 0. In v unknowns the vector of id i is 1 + i mod (2^v - 1).
// Source     [Por09] section 3 for dense rows, sections 4 and 5 for tables.
#pragma once

#include <array>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::solve {

class dense_rows {
 public:
  static constexpr std::uint64_t pairs = 64;  // maximum of a row

  // draw() for rows of at most 128 bits under an early seed: writes two words without a branch.
  // Returns false for other rows.
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
  // Writes (bits + 63) / 64 words to `out`, and a zero after them if that number is odd.
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
  // Precomputed salts: most rows need no others.
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
