// slots.hpp - explicit hashing ([TRL12] II-C-1): a minimal perfect hash and one cell of r bits per
// key, which can be set after the build.
//
// The minimal perfect hash gives the number of the cell. Other retrieval engines store a key's word
// in cells shared with other keys, and so are fixed at build. Here a word can change, and r bits
// per key are all that is stored besides the hash's 2 to 3 bits.
//
// Layout     engine/perfect/perfect.hpp, then as many packed cells as keys.
// Invariant  After build, value(x) is exact for every key of the build. For a non-member it is the
//            word of some key.
// Threads    As the cells: many readers or one writer; with cells::shared_packed any number of
//            both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/perfect/perfect.hpp>

namespace umbel::core {

template <class Cells = cells::packed>
class slotted {
 public:
  struct build_options {
    unsigned width = 8;  // bits per word, 1 to 64
    perfect_preset preset = perfect_preset::balanced;
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::pilot_part_from;  // a seam for tests
  };

  slotted() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, perfect_preset preset,
                                        std::uint64_t shard_from) {
    auto out = perfect::plan(n, preset, shard_from);
    if (n != 0) out.bits += cells::packed::words_for(n, width) * 64;
    out.cells = n;
    out.probes = 2;
    return out;
  }

  // value_of(record) is the value to store for the record's key, below 2^width. Throws conflict and
  // unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static slotted build(const basic_spool<Record>& keys, const build_options& options,
                                     ValueOf&& value_of) {
    slotted out;
    out.width_ = options.width;
    out.hash_ = perfect::build(keys, {.preset = options.preset,
                                      .memory = options.memory,
                                      .threads = options.threads,
                                      .part_from = options.shard_from});
    if (out.keys() == 0) return out;
    out.cells_ = Cells(out.keys(), options.width, options.memory);
    detail::parallel_for(basic_spool<Record>::bins, options.threads, [&](std::size_t bin) {
      std::vector<std::uint64_t> words;
      keys.for_each(bin, bin + 1, [&](std::span<const Record> block) {
        words.clear();
        // may throw, and a batch must not
        for (const Record& record : block) words.push_back(value_of(record));
        out.hash_.indices(
            block.size(), [&](std::size_t i) { return key_of(block[i]); }, [](digest) { return 0; },
            [&](std::size_t i, int, std::uint64_t cell) { out.cells_.set_shared(cell, words[i]); });
      });
    });
    return out;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return hash_.keys(); }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys() == 0 ? 0 : hash_.size_in_bits() + cells_.storage().size() * 64;
  }
  [[nodiscard]] const perfect& hash() const noexcept { return hash_; }

  // Exact for a key of the build; for others, some key's value; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    return keys() == 0 ? 0 : get(index(d));
  }
  // sink(i, note_of(digest), word) for i below `total`, in order.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    cells(total, digest_at, note_of, [&](std::size_t i, const auto& note, std::uint64_t cell) {
      sink(i, note, keys() == 0 ? 0 : get(cell));
    });
  }
  // sink(i, note_of(digest), number of the cell); the cell has been prefetched. Keys are processed
  // in pieces: all cells of a piece are prefetched before the first is used.
  template <class DigestAt, class NoteOf, class Sink>
  void cells(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
             Sink&& sink) const noexcept {
    constexpr std::size_t piece = 64;
    std::uint64_t at[piece];
    decltype(note_of(digest{})) notes[piece];
    for (std::size_t first = 0; first < total; first += piece) {
      const std::size_t count = std::min(piece, total - first);
      hash_.indices(
          count, [&](std::size_t i) { return digest_at(first + i); }, note_of,
          [&](std::size_t i, const auto& note, std::uint64_t cell) {
        at[i] = cell;
        notes[i] = note;
        cells_.prefetch(cell);
          });
      for (std::size_t i = 0; i < count; ++i) sink(first + i, notes[i], at[i]);
    }
  }

  // Of one key. There must be at least one key.
  [[nodiscard]] std::uint64_t index(digest d) const noexcept { return hash_.index(d); }
  [[nodiscard]] std::uint64_t get(std::uint64_t cell) const noexcept { return cells_.get(cell); }
  void set(std::uint64_t cell, std::uint64_t word) noexcept { cells_.set(cell, word); }

  friend bool operator==(const slotted& a, const slotted& b) noexcept {
    return a.width_ == b.width_ && a.hash_ == b.hash_ && a.cells_.storage() == b.cells_.storage();
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("width", self.width_);
  }
  static void describe(auto& self, auto& part) {
    perfect::describe(self.hash_, part);
    part.fields("slotted", self);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    hash_.check();
    if (width_ < 1 || width_ > 64)
      throw corrupt(detail::text("slotted: width: expected 1 to 64, found ", width_));
    if (keys() == 0) return cells_.storage().require(0);
    if (keys() > sizing::max_bits / width_)
      throw corrupt(detail::text("keys: ", keys(), " cells would wrap"));
    cells_.reshape(keys(), width());
  }

 private:
  std::uint64_t width_ = 1;
  perfect hash_;
  Cells cells_;
};

}  // namespace umbel::core
