// sparse.hpp - retrieval by sparse linear systems over GF(2) [GOV20]: 1.10 to 1.01 r bits per key,
// XOR of 3 to 8 cells.
//
// Idea       value(x) is the XOR of `probes` cells of x's bucket, as in
//            engine/retrieval/peeled.hpp. Peeling needs more cells than a solution does;
//            elimination (solve/lazy.hpp) succeeds almost up to the point where no solution exists.
//            Its time is superlinear in the number of keys, so keys are divided into buckets of
//            about 1500, each with its own system.
// Layout     The bucket is fastrange(hi, buckets). The directory has one word per bucket, first
//            cell << 8 | seed, and one more after the last, so that a bucket ends where the next
//            begins. Cells are r bits, packed, without gaps over all buckets. A cell that a key has
//            twice cancels.
// Invariant  After build, value(x) is exact for every key of the build. The bytes depend only on
//            the set of (key, value).
// Limits     A bucket is tried with 256 seeds; then the build throws `unsolvable`. It also does if
//            16384 digests are in one bucket, which happens only with crafted digests.
// Threads    Immutable: any number of readers.
// Source     [GOV20], with any number of probes after [DP08].
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/answered.hpp>
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/engine/retrieval/xor_values.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/sparse.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
class sparse_builder;

class sparse {
 public:
  struct build_options {
    unsigned width = 8;   // bits per value, 1 to 64
    unsigned probes = 4;  // cells per key, 3 to 8
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
  };

  sparse() = default;

  // The size for n keys of this width. `tag_bits` of it distinguish members from non-members.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits,
                                        unsigned probes) {
    check_keys(n);
    check_probes(probes);
    if (n == 0) return {.probes = probes};
    const std::uint64_t buckets = sizing::sparse_buckets(n);
    // each rounds up by half a cell
    const std::uint64_t cells = sizing::sparse_cells(probes, n) + (buckets - 1) / 2;
    return {.keys = n,
            .cells = cells,
            .probes = probes,
            .bits = (cells::packed::words_for(cells, width) + buckets + 1) * 64,
            .fpr = std::exp2(-static_cast<double>(tag_bits))};
  }

  // value_of(record, tag) is the value to store for the record's key, below 2^width. Throws
  // conflict and unsolvable.
  template <class Record, class ValueOf, class Builder = sparse_builder>
  [[nodiscard]] static sparse build(const basic_spool<Record>& keys, const build_options& options,
                                    ValueOf&& value_of) {
    return Builder::build(keys, options, value_of);  // engine/retrieval/sparse_build.hpp
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0 : (cells_.storage().size() + directory_.size()) * 64;
  }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    return keys_ == 0 ? 0 : answer(d).value;
  }
  // The same with the key's tag. If there are no keys, all bits of the value are set.
  [[nodiscard]] answered answer(digest d) const noexcept {
    if (keys_ == 0) return {~std::uint64_t{0}, 0};
    const auto at = place()(d);
    std::uint64_t value = 0;
    for (const std::uint64_t cell : at.cells) value ^= cells_.get(cell);
    return {value, at.tag & cells_.mask()};
  }
  // sink(i, note, value) for i below `total`, in order; the note is note_of(tag).
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(std::uint64_t{0}), std::uint64_t{0});
      return;
    }
    xor_values(cells_, place(), total, digest_at, note_of, sink);
  }

  friend bool operator==(const sparse& a, const sparse& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.probes_ == b.probes_ &&
           a.directory_ == b.directory_ && a.cells_ == b.cells_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("probes", self.probes_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("sparse", self);
    part.array("directory", self.directory_);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("sparse: field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    require(probes_ >= sizing::sparse_least_probes && probes_ <= sizing::sparse_max_probes,
            "probes", probes_);
    require(keys_ <= max_keys, "keys", keys_);
    directory_.require(keys_ == 0 ? 0 : sizing::sparse_buckets(keys_) + 1);
    if (keys_ == 0) return cells_.storage().require(0);
    // small, and queries use it unchecked: copy it
    directory_.own();
    require(directory_[0] >> seed_bits == 0, "first", directory_[0] >> seed_bits);
    for (std::size_t i = 1; i < directory_.size(); ++i) {
      const std::uint64_t first = directory_[i - 1] >> seed_bits, end = directory_[i] >> seed_bits;
      require(end >= first && end - first <= bucket_max_cells, "first", end);
    }
    const std::uint64_t last = directory_[directory_.size() - 1], cells = last >> seed_bits;
    // the entry after the last bucket has no seed
    require(last % sizing::sparse_seeds == 0, "seed", last % sizing::sparse_seeds);
    // one equation per key: more have no solution
    require(keys_ <= cells, "keys", keys_);
    require(cells <= sizing::max_bits / width_, "first", cells);  // so that sizes do not overflow
    cells_.reshape(cells, width());
  }

 private:
  friend sparse_builder;
  static constexpr unsigned seed_bits = 8;
  static constexpr std::uint64_t bucket_max_cells =
      sizing::sparse_cells(sizing::sparse_least_probes, sizing::sparse_bucket_most);

  static void check_probes(unsigned probes) {
    if (probes < sizing::sparse_least_probes || probes > sizing::sparse_max_probes)
      throw bad_parameter(detail::text("probes: expected ", sizing::sparse_least_probes, " to ",
                                       sizing::sparse_max_probes, ", found ", probes));
  }
  // The graph of a bucket: all its cells are one block.
  [[nodiscard]] static scattered graph_of(std::uint64_t probes, std::uint64_t cells) noexcept {
    return scattered({.arity = probes, .blocks = 1, .block = cells});
  }
  // The salts of all seeds, precomputed.
  static constexpr auto salts = [] {
    std::array<std::uint64_t, sizing::sparse_seeds> out{};
    for (std::uint64_t seed = 0; seed < out.size(); ++seed) out[seed] = graph_salt(seed);
    return out;
  }();

  // A key's cells, to be XORed. A cell that occurs twice stays in the list, because it cancels.
  struct cell_row {
    std::array<std::uint64_t, sizing::sparse_max_probes + 1> at;
    std::uint64_t count;
    [[nodiscard]] const std::uint64_t* begin() const noexcept { return at.data(); }
    [[nodiscard]] const std::uint64_t* end() const noexcept { return at.data() + count; }
  };
  struct spot {
    cell_row cells;
    std::uint64_t tag;
  };
  // What locating a key needs, copied by value: a loop then keeps it in registers.
  struct placer {
    const std::uint64_t* directory;
    std::uint64_t buckets, probes;
    [[nodiscard]] spot operator()(digest d) const noexcept {
      const std::uint64_t* const bucket = directory + detail::fastrange(d.hi, buckets);
      const std::uint64_t first = bucket[0] >> seed_bits, cells = (bucket[1] >> seed_bits) - first;
      const auto words = detail::drawn(d, salts[bucket[0] % sizing::sparse_seeds]);
      spot out;
      out.tag = detail::wide_tag(words);
      out.cells.count = cells == 0 ? 0 : probes;  // an empty bucket has no cells
      const drawn_place at(cells | (cells == 0), cells | (cells == 0));
      const std::uint64_t place = at.place(words.place);
      out.cells.at[0] = first + at.start(place);
      draw_positions(place, static_cast<unsigned>(probes), cells, first, out.cells.at.data());
      return out;
    }
  };
  [[nodiscard]] placer place() const noexcept {
    return {directory_.data(), directory_.size() - 1, probes_};
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t probes_ = sizing::sparse_least_probes;
  // first cell << 8 | seed of every bucket; then the number of cells << 8
  cells::words<> directory_;
  cells::packed cells_;
};

}  // namespace umbel::core
