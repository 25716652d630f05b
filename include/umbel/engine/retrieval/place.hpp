// place.hpp - how the graphs of a peel put a row's cells into one word.
//
// A peel adds rows up, so a row must be one word that its cells follow from: its *place*. Where all
// positions fit they are packed. Where they do not, the place is the top of the key's word, the
// first position (the start) its high bits, and the other positions are drawn from the whole place
// by mixing.
//
// Limits     Two keys with one place never peel. A drawn place has 2 log2(cells) + 8 bits, so that
//            among as many keys as cells that happens in one graph of 500. Up to 2^22 cells 48 bits
//            are the most, which leave room for a count and a value of 8 bits in a word (one graph
//            of 32 then, at the very end); beyond, 56.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A graph names the cells of a key: a pure function of a word drawn from the digest and of its
// shape, which is stored.
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

// Bits of a place from which the cells are drawn.
[[nodiscard]] constexpr unsigned drawn_bits(std::uint64_t cells) noexcept {
  const auto cell_bits = static_cast<unsigned>(std::bit_width(cells));
  return std::min(cell_bits <= 22 ? 48U : 56U, 2 * cell_bits + 8);
}
// The i-th word drawn from a place: each from the one before. (Products of place + i * golden move
// together: with four cells in blocks, graphs then stop peeling 1.5 % below the threshold.)
[[nodiscard]] constexpr std::uint64_t drawn_word(std::uint64_t place, std::uint64_t i) noexcept {
  std::uint64_t word = place;
  for (std::uint64_t drawn = 0; drawn <= i; ++drawn)
    word = detail::fold_product(word + detail::golden, 0xA0761D6478BD642F);
  return word;
}
// Position i, from 1 on, below `range`: half a word each, the high half first.
[[nodiscard]] constexpr std::uint64_t drawn_position(std::uint64_t place, unsigned i,
                                                     std::uint64_t range) noexcept {
  const std::uint64_t word = drawn_word(place, (i - 1) / 2);
  return ((i % 2 == 1 ? word >> 32 : word & 0xFFFFFFFF) * range) >> 32;
}
// Positions 1 to count - 1, moved by `base`, each word drawn once. Writes at[1] to at[count], the
// last of no use.
constexpr void draw_positions(std::uint64_t place, unsigned count, std::uint64_t range,
                              std::uint64_t base, std::uint64_t* at) noexcept {
  for (unsigned i = 1; i < count; i += 2) {
    const std::uint64_t word = drawn_word(place, i / 2);
    at[i] = base + ((word >> 32) * range >> 32);
    at[i + 1] = base + ((word & 0xFFFFFFFF) * range >> 32);
  }
}

// The salt of one attempt: other words, hence another graph, from the same digests.
[[nodiscard]] constexpr std::uint64_t graph_salt(std::uint64_t attempt) noexcept {
  return detail::remix(detail::salt_of(detail::stage::fuse, attempt), 0);
}

}  // namespace umbel::core
