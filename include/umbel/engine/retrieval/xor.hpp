// xor.hpp - graph of xor filters [GL20]: digest -> one cell in each of K equal blocks.
//
// K is known at compile time; scattered.hpp has the same at run time.
//
// Layout     The place is the top of the key's word. Cell 0 comes from the place itself. Cells 1
//            and 2, and cells 3 and 4, come from its products with powers of an odd number, two
//            from each product.
// Source     [GL20].
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/scattered.hpp>

namespace umbel::core {

// A place that is the top of a key's word; the top of the place gives the start.
class drawn_place {
 public:
  drawn_place() = default;
  drawn_place(std::uint64_t cells, std::uint64_t starts) noexcept
      : starts_(starts), regions_(detail::ceil_div(starts, 8192)), bits_(drawn_bits(cells)) {}

  [[nodiscard]] unsigned place_bits() const noexcept { return bits_; }
  [[nodiscard]] std::uint64_t place(std::uint64_t word) const noexcept {
    return word >> (64 - bits_);
  }
  [[nodiscard]] std::uint64_t start(std::uint64_t place) const noexcept {
    return detail::fastrange(place << (64 - bits_), starts_);
  }
  // Equal ranges of starts, so that a build can access memory in order.
  [[nodiscard]] std::uint64_t regions() const noexcept { return regions_; }
  [[nodiscard]] std::uint64_t region(std::uint64_t word) const noexcept {
    return detail::fastrange(word, regions_);
  }

 protected:
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }

 private:
  std::uint64_t starts_ = 1;
  std::uint64_t regions_ = 1;
  unsigned bits_ = 10;
};

template <unsigned K>
class xor_graph : public drawn_place {
 public:
  static constexpr std::string_view name = "blocks";
  using shape = sizing::block_row_shape;
  using positions = std::array<std::uint64_t, K>;
  struct options_type {};  // nothing to choose

  xor_graph() = default;
  explicit xor_graph(const shape& s) noexcept
      : drawn_place(K * s.block, s.block), mask_(~(~std::uint64_t{0} >> place_bits())) {}

  [[nodiscard]] static shape plan(std::uint64_t keys, options_type = {}) {
    return {.block = sizing::plan_scattered(keys, sizing::scattered_cells_per_key(K)) / K};
  }
  static void check(const shape& s, auto&& require) {
    require(s.block >= 1 && s.block <= (std::uint64_t{1} << 31) / K, "block", s.block);
  }

  [[nodiscard]] static constexpr unsigned arity() noexcept { return K; }
  [[nodiscard]] std::uint64_t size() const noexcept { return K * starts(); }
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    return from(place << (64 - place_bits()), 0);
  }
  [[nodiscard, gnu::always_inline]] positions cells(std::uint64_t word,
                                                    std::uint64_t base) const noexcept {
    return from(word & mask_, base);
  }

 private:
  // The cells of a place that is shifted to the top of the word.
  [[nodiscard, gnu::always_inline]] positions from(std::uint64_t place,
                                                   std::uint64_t base) const noexcept {
    positions at{base + detail::fastrange(place, starts())};
#pragma GCC unroll 4
    for (unsigned i = 1; i < K; i += 2) {
      const auto [cell, rest] = detail::multiply(place *= factor, starts());
      at[i] = base + i * starts() + cell;
      if (i + 1 < K) at[i + 1] = base + (i + 1) * starts() + detail::fastrange(rest, starts());
    }
    return at;
  }

  // The factor of integer_digest(), so that a loop over integers keeps one number in a register.
  static constexpr std::uint64_t factor = 0xA0761D6478BD642F;
  std::uint64_t mask_ = ~(~std::uint64_t{0} >> 10);  // the top place_bits() bits
};

}  // namespace umbel::core
