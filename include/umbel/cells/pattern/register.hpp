// pattern/register.hpp - register-blocked Bloom filters [PSS07]: k bits in one 64-bit word, a
// single load and a single comparison.
//
// `register64` takes six bits of the hash per probe. `table64` takes the whole mask from a table of
// 4096 masks, drawn once: one lookup instead of k shifts, and always k distinct bits.
//
// Limits     Words fill unevenly, and the 4096 masks repeat: rates do not fall below about
//            64 / (4096 c) for c bits per key.
// Source     [PSS07] for tables of patterns.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/block_shape.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/blocks.hpp>

namespace umbel::cells::pattern {

class register64 {
 public:
  using word = std::uint64_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "register-bloom-filter";
  static constexpr std::size_t block_words = 1;
  static constexpr unsigned min_probes = 1, max_probes = 10;
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned probes) noexcept {
    return {64, 1, probes, 1};
  }

  explicit register64(unsigned probes = 1) noexcept : probes_(probes) {}
  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    word mask = 0;
    for (unsigned p = 0; p < probes_; ++p, k >>= 6) mask |= word{1} << (k & 63);
    visit(0, mask);
  }

 private:
  unsigned probes_;
};

class table64 {
 public:
  using word = std::uint64_t;
  using key = std::uint64_t;
  static constexpr std::string_view kind = "pattern-bloom-filter";
  static constexpr std::size_t block_words = 1;
  static constexpr unsigned min_probes = 1, max_probes = 10;
  static constexpr unsigned masks = 4096;  // 32 KiB: a larger table would not stay in L1
  [[nodiscard]] static constexpr detail::block_shape shape(unsigned probes) noexcept {
    return {64, 1, probes, probes, masks};
  }

  explicit table64(unsigned probes = 1) : table_(drawn(probes).data()) {}
  template <class Visit>
  void each(key k, Visit&& visit) const noexcept {
    visit(0, table_[k % masks]);
  }

 private:
  using table = std::array<word, masks>;

  [[nodiscard]] static const table& drawn(unsigned probes) {
    static const std::array<table, max_probes> all = draw();
    return all[probes - 1];
  }
  // Mask t of k bits: the top six bits of a chain of mixes that starts from t and k, skipping
  // repeated bits. Not a constexpr lambda: a compiler would compute the tables in every file that
  // includes this.
  [[nodiscard]] static std::array<table, max_probes> draw() {
    std::array<table, max_probes> out;
    for (unsigned k = 1; k <= max_probes; ++k)
      for (std::uint64_t t = 0; t < masks; ++t) {
        word mask = 0;
        for (std::uint64_t x = detail::mix64(t << 8 | k); std::popcount(mask) < static_cast<int>(k);
             x = detail::mix64(x))
          mask |= word{1} << (x >> 58);
        out[k - 1][t] = mask;
      }
    return out;
  }

  const word* table_;
};

}  // namespace umbel::cells::pattern
