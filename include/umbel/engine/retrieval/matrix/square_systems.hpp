// square_systems.hpp - retrieval in r bits per key and a few bytes [Por09]: square systems over
// GF(2), one for each 2048 keys.
//
// Keys are divided into parts by the top of their digest. A part of n keys has n unknowns of r
// bits. A key's value is the XOR of the unknowns that its row selects: ln n + 2 of them, drawn from
// the digest, or half of all in a part of at most 64 keys. A part is drawn again with the next seed
// until its rows are independent: three or four times on average.
//
// Layout     Cells of all parts, packed without gaps. `entries`: for each part its seed, 8 bits,
//            and, if there are several parts, the difference of its keys from keys / parts, plus
//            512, in the 10 bits above. Up to 6144 keys are one part.
// Invariant  After a build, value(x) is exact for every key of the build. The bytes depend only on
//            the keys, their values and the chosen seeds.
// Limits     A build takes about 10 us per key; a ribbon takes 0.1. So this is for small sets,
//            where the fixed costs of a ribbon matter. A part has at most 6144 keys. In memory a
//            part takes 140 bytes more than in the file, for remixers derived from its seed.
// Threads    Immutable: any number of readers.
// Source     [Por09] section 5 for square systems of sparse rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/tight.hpp>
#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/exact_set.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/solve/dense_rows.hpp>

namespace umbel::core {

class square_systems {
  static constexpr std::size_t ready_pairs = 8;

 public:
  struct part {
    std::uint32_t first = 0, keys = 0;
    std::uint16_t seed = 0;
    std::uint16_t probes = 0;                          // 0: rows are dense
    std::array<detail::remixer, ready_pairs> pairs{};  // of the seed: most rows need no more
    friend bool operator==(const part& a, const part& b) noexcept {
      return a.first == b.first && a.keys == b.keys && a.seed == b.seed;  // the rest follows
    }
    [[nodiscard]] detail::remixer pair_at(std::uint64_t i) const noexcept {
      return i < ready_pairs ? pairs[i] : core::sparse_pair(seed, i);
    }
  };

  square_systems() = default;
  // For a builder: all cells are zero. Counts and seeds must fit their entries.
  square_systems(const std::vector<std::uint32_t>& counts, const std::vector<std::uint16_t>& seeds,
                 unsigned width, std::pmr::memory_resource* memory) {
    for (std::size_t i = 0; i < counts.size(); ++i) append(counts[i], seeds[i]);
    cells_ = cells::tight(keys_, width, memory);
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return cells_.width(); }
  [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
  [[nodiscard]] std::size_t part_of(digest d) const noexcept {
    return detail::fastrange(d.hi, parts_.size());
  }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    std::uint64_t out = 0;
    if (keys_ == 0) return out;
    const part& in = parts_[part_of(d)];
    if (in.probes != 0) {
      const auto pair_at = [&in](std::uint64_t i) { return in.pair_at(i); };
      for (const std::uint32_t cell : core::draw_sparse(d, pair_at, in.probes, in.keys))
        out ^= cells_.get(in.first + cell);
      return out;
    }
    if (in.keys == 0) return out;
    std::array<std::uint64_t, 2> row;
    solve::dense_rows::draw(d, in.seed, in.keys, row.data());
    for (std::uint64_t left = row[0]; left != 0; left &= left - 1)
      out ^= cells_.get(in.first + static_cast<unsigned>(std::countr_zero(left)));
    return out;
  }
  // sink(i, note_of(digest), value) for i below `total`, in order. All cells fit into a cache, so
  // nothing is prefetched.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    for (std::size_t i = 0; i < total; ++i) {
      const digest d = digest_at(i);
      sink(i, note_of(d), value(d));
    }
  }

  // The unknowns per row of a part; 0 if rows are dense.
  [[nodiscard]] static constexpr unsigned probes_for(std::uint64_t keys) noexcept {
    return keys > sizing::matrix_word_keys ? sizing::matrix_probes(keys) : 0;
  }

  // ---- entries ----

  [[nodiscard]] static unsigned entry_bits(std::uint64_t parts) noexcept {
    return parts == 1 ? 8 : 18;
  }
  [[nodiscard]] static std::uint64_t entry_bytes(std::uint64_t keys) noexcept {
    const std::uint64_t parts = sizing::square_parts(keys);
    return cells::tight::bytes_for(parts, entry_bits(parts));
  }
  [[nodiscard]] static bool fits_entry(std::uint64_t keys, std::uint64_t part_keys) noexcept {
    const std::uint64_t parts = sizing::square_parts(keys),
                        stray = part_keys + middle - keys / parts;
    return parts == 1 || stray < 2 * middle;
  }
  void write_entries(std::vector<std::uint8_t>& to) const {
    cells::tight entries(parts_.size(), entry_bits(parts_.size()));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::uint64_t stray =
          parts_.size() == 1 ? 0 : parts_[i].keys + middle - keys_ / parts_.size();
      entries.set(i, stray << 8 | parts_[i].seed);
    }
    to.insert(to.end(), entries.storage().span().begin(), entries.storage().span().end());
  }
  // Reads entry_bytes(keys) bytes; the cells must be set already. Throws corrupt.
  void read_entries(const std::uint8_t* from, std::uint64_t keys, unsigned width) {
    const std::uint64_t parts = sizing::square_parts(keys);
    cells::tight entries(parts, entry_bits(parts));
    std::copy_n(from, entries.storage().size(), entries.storage().data());
    parts_.clear();
    keys_ = 0;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t entry = entries.get(i), stray = entry >> 8;
      const std::uint64_t own = parts == 1 ? keys : keys / parts + stray - middle;
      if (own > keys - keys_)  // also if it is below 0
        throw corrupt(detail::text("systems: part ", i, " has an impossible number of keys"));
      append(static_cast<std::uint32_t>(own), static_cast<std::uint16_t>(entry & 0xFF));
    }
    if (keys_ != keys)
      throw corrupt(detail::text("systems: parts of ", keys_, " keys instead of ", keys));
    cells_.reshape(keys, width);
  }

  [[nodiscard]] const cells::tight& cells() const noexcept { return cells_; }
  [[nodiscard]] cells::tight& cells() noexcept { return cells_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return 8 * cells_.storage().size(); }

  friend bool operator==(const square_systems& a, const square_systems& b) noexcept {
    return a.cells_ == b.cells_ && a.parts_ == b.parts_;
  }

 private:
  static constexpr std::uint64_t middle = 512;

  void append(std::uint32_t keys, std::uint16_t seed) {
    part& own = parts_.emplace_back();
    own.first = static_cast<std::uint32_t>(keys_);
    own.keys = keys;
    own.seed = seed;
    own.probes = static_cast<std::uint16_t>(probes_for(keys));
    for (std::size_t i = 0; i < ready_pairs; ++i) own.pairs[i] = core::sparse_pair(seed, i);
    keys_ += keys;
  }

  std::uint64_t keys_ = 0;
  std::vector<part> parts_;
  cells::tight cells_;
};

}  // namespace umbel::core
