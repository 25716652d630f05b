// place.hpp - how the graphs of a peeling engine represent the cells of a row in one word, the
// place.
//
// Peeling adds rows, so a row must be one word from which its cells follow: its *place*. If all
// positions fit, they are packed. If not, the place is the top of the key's word; its high bits
// give the first position (the start), and the other positions are generated from the whole place
// by mixing.
//
// Limits     Two keys with the same place never peel. A generated place has 2 log2(cells) + 8 bits,
//            so with as many keys as cells this happens in one graph of 500. Up to 2^22 cells a
//            place has at most 48 bits, which leaves room in a word for a count and a value of 8
//            bits (near 2^22 cells it then happens in one graph of 32); beyond, at most 56.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A graph maps a key to its cells: a pure function of a word drawn from the digest and of a shape,
// which is stored.
template <class G>
concept peelable = std::copyable<typename G::shape> &&
    requires(const G at, typename G::shape shape, std::uint64_t word) {
  {G::name};  // of the section that holds its shape
  { G::plan(word, typename G::options_type{}) } -> std::same_as<typename G::shape>;
  {shape.grow()};  // to the next larger one
  {G(shape)};
  { at.size() } -> std::same_as<std::uint64_t>;       // every position is below it
  { at.arity() } -> std::same_as<unsigned>;           // the most cells of a key
  { at.place(word) } -> std::same_as<std::uint64_t>;  // of a key's word: place_bits() bits,
  { at.place_bits() } -> std::same_as<unsigned>;
  { at.cells(word) } -> std::same_as<typename G::positions>;  // from which its cells follow,
  // as straight from the key's word, moved by a base
  { at.cells(word, word) } -> std::same_as<typename G::positions>;
  // below regions(): near regions have near cells
  { at.region(word) } -> std::same_as<std::uint64_t>;
  { at.regions() } -> std::same_as<std::uint64_t>;
};

// The number of bits of a place from which cells are generated.
[[nodiscard]] constexpr unsigned drawn_bits(std::uint64_t cells) noexcept {
  const auto cell_bits = static_cast<unsigned>(std::bit_width(cells));
  return std::min(cell_bits <= 22 ? 48U : 56U, 2 * cell_bits + 8);
}
// The i-th word generated from a place, each from the one before. (Words of the form place + i *
// golden are correlated: with four cells in blocks, graphs then stop peeling 1.5 % below the
// threshold.)
[[nodiscard]] constexpr std::uint64_t drawn_word(std::uint64_t place, std::uint64_t i) noexcept {
  std::uint64_t word = place;
  for (std::uint64_t drawn = 0; drawn <= i; ++drawn)
    word = detail::fold_product(word + detail::golden, 0xA0761D6478BD642F);
  return word;
}
// Position i, from 1 on, below `range`. Each takes half a word, the high half first.
[[nodiscard]] constexpr std::uint64_t drawn_position(std::uint64_t place, unsigned i,
                                                     std::uint64_t range) noexcept {
  const std::uint64_t word = drawn_word(place, (i - 1) / 2);
  return ((i % 2 == 1 ? word >> 32 : word & 0xFFFFFFFF) * range) >> 32;
}
// Positions 1 to count - 1, plus `base`; each word is generated once. Writes at[1] to at[count];
// the last may be unused.
constexpr void draw_positions(std::uint64_t place, unsigned count, std::uint64_t range,
                              std::uint64_t base, std::uint64_t* at) noexcept {
  for (unsigned i = 1; i < count; i += 2) {
    const std::uint64_t word = drawn_word(place, i / 2);
    at[i] = base + ((word >> 32) * range >> 32);
    at[i + 1] = base + ((word & 0xFFFFFFFF) * range >> 32);
  }
}

// The salt of one attempt: other words, and so another graph, from the same digests.
[[nodiscard]] constexpr std::uint64_t graph_salt(std::uint64_t attempt) noexcept {
  return detail::remix(detail::salt_of(detail::stage::fuse, attempt), 0);
}

}  // namespace umbel::core
