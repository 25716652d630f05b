// xor.hpp - digest -> one cell in each of K equal blocks.
// Idea       The graph of xor filters. K is known at compile time; scattered.hpp has the same at run time.
// Layout     The start is the cell in the first block, in the place's high bits; the others are drawn from the place (place.hpp).
// Source     [GL20].
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/sizing/scattered.hpp>

namespace umbel::core {

// A start below `starts` and the bits beside it; what both graphs do with words.
class drawn_place {
 public:
  drawn_place() = default;
  drawn_place(std::uint64_t cells, std::uint64_t starts) noexcept
      : starts_(starts), regions_(detail::ceil_div(starts, 8192)), rest_bits_(drawn_bits(cells, starts)) {}

  [[nodiscard]] unsigned place_bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(starts_ - 1)) + rest_bits_;
  }
  [[nodiscard]] std::uint64_t place(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), starts_) << rest_bits_ | words.second() >> (64 - rest_bits_);
  }
  [[nodiscard]] std::uint64_t start(std::uint64_t place) const noexcept { return place >> rest_bits_; }
  // Equal stretches of starts, so that a build can go through memory in order.
  [[nodiscard]] std::uint64_t regions() const noexcept { return regions_; }
  [[nodiscard]] std::uint64_t region(const detail::remixed& words) const noexcept {
    return detail::fastrange(words.first(), regions_);
  }

 protected:
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }

 private:
  std::uint64_t starts_ = 1;
  std::uint64_t regions_ = 1;
  unsigned rest_bits_ = 8;
};

template <unsigned K>
class xor_graph : public drawn_place {
 public:
  static constexpr std::string_view name = "blocks";
  using shape = sizing::block_row_shape;
  using positions = std::array<std::uint64_t, K>;
  struct wish {};  // nothing to choose

  xor_graph() = default;
  explicit xor_graph(const shape& s) noexcept : drawn_place(K * s.block, s.block) {}

  [[nodiscard]] static shape plan(std::uint64_t keys, wish = {}) {
    return {.block = sizing::plan_scattered(keys, sizing::scattered_cells_per_key(K)) / K};
  }
  static void check(const shape& s, auto&& require) {
    require(s.block >= 1 && s.block <= (std::uint64_t{1} << 31) / K, "block", s.block);
  }

  [[nodiscard]] static constexpr unsigned arity() noexcept { return K; }
  [[nodiscard]] std::uint64_t size() const noexcept { return K * starts(); }
  [[nodiscard]] positions cells(std::uint64_t place, std::uint64_t base = 0) const noexcept {
    positions at{base + start(place)};
    for (unsigned i = 1; i < K; ++i) at[i] = base + i * starts() + drawn_position(place, i, starts());
    return at;
  }
  [[nodiscard]] positions cells(const detail::remixed& words, std::uint64_t base = 0) const noexcept {
    return cells(place(words), base);
  }
};

}  // namespace umbel::core
