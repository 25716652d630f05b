// xor_values.hpp - batch query of all engines whose value is the XOR of a few cells.
//
// Idea       Two decisions are made outside the loop: how a cell is read (cells of 8 or 16 bits as
//            plain arrays), and how a key is located (a small object of the engine, which the loop
//            keeps in registers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <umbel/base/config.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Cell>
struct plain_cell_reader {
  const Cell* at;
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
  void prefetch(std::uint64_t i) const noexcept { detail::prefetch_read(at + i); }
};
struct packed_cell_reader {
  const cells::packed* all;
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return all->get(i); }
  void prefetch(std::uint64_t i) const noexcept { all->prefetch(i); }
};

template <class Cells, class Locate, class DigestAt, class NoteOf, class Sink>
[[UMBEL_FLAT]] void xor_values_from(const Cells cells, const Locate locate, std::size_t total,
                                    DigestAt& digest_at, NoteOf& note_of, Sink& sink) noexcept {
  using spot = decltype(locate(digest{}));
  detail::ring<spot>(
      total,
      [&, cells, locate](std::size_t i, spot& s) {
    ::new (&s) spot(locate(digest_at(i)));  // in place: long lists are slow to copy
    s.tag = note_of(s.tag);
    for (const std::uint64_t cell : s.cells) cells.prefetch(cell);
      },
      [&, cells](std::size_t i, const spot& s) {
    std::uint64_t value = 0;
    for (const std::uint64_t cell : s.cells) value ^= cells.get(cell);
    sink(i, s.tag, value);
  });
}

// sink(i, note_of(tag), XOR of the cells) for i below `total`, in order; locate(digest) returns
// {cells, tag}.
template <class Locate, class DigestAt, class NoteOf, class Sink>
void xor_values(const cells::packed& cells, const Locate& locate, std::size_t total,
                DigestAt& digest_at, NoteOf& note_of, Sink& sink) noexcept {
  const auto from = [&](auto reader) {
    xor_values_from(reader, locate, total, digest_at, note_of, sink);
  };
  switch (cells.width()) {
    case 8: return from(plain_cell_reader<std::uint8_t>{cells.as<std::uint8_t>()});
    case 16: return from(plain_cell_reader<std::uint16_t>{cells.as<std::uint16_t>()});
    default: return from(packed_cell_reader{&cells});
  }
}

}  // namespace umbel::core
