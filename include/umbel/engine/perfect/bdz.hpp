// bdz.hpp - BDZ minimal perfect hash [BPZ07]: each key has three candidate cells, and their values
// say which of the three is assigned to it.
//
// Idea       Peeling assigns every key a cell that no other key gets. Cells have two bits. The sum
//            of a key's three cells, modulo 3, is the number of its assigned cell. A cell that is
//            assigned to no key holds 3, so the index of a key is the number of cells other than 3
//            before its assigned cell.
// Layout     engine/retrieval/peeled.hpp over a fuse graph of three cells per key, two bits each:
//            1.13 cells per key. Counts for the rank take another sixteenth; they are made when the
//            hash is built or loaded. 2.4 bits per key in all.
// Invariant  After build, index(x) differs for all keys of the build. It is below keys() for every
//            digest.
// Threads    Immutable: any number of readers.
// Source     [BPZ07]; [GL22] for the graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/block_counts.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::core {

class bdz {
 public:
  using table = peeled<core::fuse<3>>;

  bdz() = default;
  explicit bdz(table from) : table_(std::move(from)) { count(); }

  // A shard is as large as in a binary fuse filter, unless a test asks for smaller ones.
  [[nodiscard]] static constexpr std::uint64_t shard_from(std::uint64_t part_from) noexcept {
    return part_from < sizing::pilot_part_from ? part_from : sizing::peel_shard_from;
  }
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, std::uint64_t part_from) {
    auto out = table::plan(n, 2, 0, shard_from(part_from));
    if (n != 0) out.bits += cells::block_counts::bits_for(cells::packed::words_for(out.cells, 2));
    return out;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return table_.keys(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return table_.size_in_bits() + counts_.size_in_bits();
  }

  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    return keys() == 0 ? 0 : index_at(table_.locate(d).cells);
  }
  // A batch.
  template <class Digest>
  void indices(const Digest* some, std::size_t total, std::uint64_t* out) const noexcept {
    if (keys() == 0) return void(std::fill_n(out, total, 0));
    detail::ring<table::graph::positions>(
        total,
        [&](std::size_t i, auto& at) {
      at = table_.locate(some[i]).cells;
      table_.prefetch(at);
      for (const std::uint64_t cell : at) counts_.prefetch(cell / 32);
        },
        [&](std::size_t i, const auto& at) { out[i] = index_at(at); });
  }

  friend bool operator==(const bdz& a, const bdz& b) noexcept { return a.table_ == b.table_; }
  static void describe(auto& self, auto& part) { table::describe(self.table_, part); }
  void check() {
    table_.check();
    if (table_.width() != 2)
      throw corrupt(detail::text("width: expected 2, found ", table_.width()));
    count();
    if (counts_.all() != keys())
      throw corrupt(detail::text("keys: expected as many as cells are owned, ", counts_.all(),
                                 ", found ", keys()));
  }

 private:
  // The number of cells in a word that are not 3. The last word, all zeros, holds no cells.
  [[nodiscard]] static std::uint64_t owned_in(std::uint64_t word) noexcept {
    return 32 - detail::bit_counts(word & word >> 1 & 0x5555555555555555).all();
  }
  [[nodiscard]] std::uint64_t index_at(const table::graph::positions& at) const noexcept {
    const std::uint64_t cell = at[table_.sum_at(at) % 3];
    const std::uint64_t* const words = table_.cells().storage().data();
    const std::uint64_t before = words[cell / 32] | ~detail::low_mask(2 * (cell % 32));
    return std::min(counts_.before(words, cell / 32, owned_in) + owned_in(before), keys() - 1);
  }
  void count() {
    const auto words = table_.cells().storage().span();
    counts_.count(words.first(words.empty() ? 0 : words.size() - 1), owned_in);
  }

  table table_;
  cells::block_counts counts_;  // follows from the cells
};

}  // namespace umbel::core
