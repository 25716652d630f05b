// peeled.hpp - static function from keys to values of r bits: the XOR of a few cells, found by peeling.
// Idea       value(x) = the XOR of the cells that a graph names for x. The build (peeled_build.hpp) solves this for all
//            keys; strangers get whatever comes out. Which graph decides the rest: fuse<3> takes about 1.13 cells per
//            key and three reads, fuse<4> 1.075 and four, partitioned<3> 1.23; `scattered` has its arity at run time.
// Layout     2^s shards of equal capacity, so cell = shard * stride + local and no directory is read; one byte per
//            shard says which attempt solved it. Cells are r bits, packed.
// Invariant  After build, value(x) is exact for every key given. The bytes depend on the set of (key, value) alone.
// Limits     Build needs distinct digests: repeats are found after a failed attempt and dropped, or are a conflict.
// Threads    Immutable: any number of readers.
// Source     [GL22], [Wal21]; shards of equal capacity from [Vig25].
#pragma once

#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/xor_values.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/peel.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
template <core::peelable Graph>
class peeler;

template <core::peelable Graph>
class peeled {
 public:
  using graph = Graph;
  struct build_options {
    unsigned width = 8;            // bits per value, 1 to 64
    typename Graph::wish graph{};  // what the graph leaves open
    bool add_probe =
        false;            // value() gives value ^ the number (0 to arity - 1) of the probe whose cell is the key's own
    bool thirds = false;  // no values: cells as solve::assign_thirds has them; arity 3, width 2
    std::optional<std::uint64_t> fill{};  // seed of the words in cells that no key needs; none: zeros
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::peel_shard_from;  // a seam for tests: fewer keys than this make one system
  };

  peeled() = default;

  // What n keys will take at this width, of which `tag_bits` tell members from strangers.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits,
                                        std::uint64_t shard_from = sizing::peel_shard_from,
                                        const typename Graph::wish& wish = {}) {
    check_keys(n);
    const unsigned shard_bits = sizing::peel_shard_bits(n, shard_from);
    const Graph at(Graph::plan(sizing::peel_fullest(n, shard_bits), wish));
    const std::uint64_t cells = n == 0 ? 0 : stride_of(at) << shard_bits;
    return {.keys = n,
            .cells = cells,
            .probes = at.arity(),
            .bits = n == 0 ? 0 : cells::packed::words_for(cells, width) * 64 + (std::uint64_t{8} << shard_bits),
            .fpr = n == 0 ? 0 : std::exp2(-static_cast<double>(tag_bits))};
  }

  // value_of(record) is what the record's key shall answer, below 2^width. Throws conflict and unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static peeled build(const basic_spool<Record>& keys, const build_options& how, ValueOf&& value_of) {
    return peeler<Graph>::build(keys, how, value_of);  // engine/retrieval/peeled_build.hpp
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] unsigned shard_bits() const noexcept { return static_cast<unsigned>(shard_bits_); }
  [[nodiscard]] const typename Graph::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0 : cells_.storage().size() * 64 + attempts_.size() * 8;
  }

  // Exact for members, arbitrary for strangers; 0 when nothing was built.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept { return keys_ == 0 ? 0 : value_at(positions(d)); }
  // The cells whose XOR is the value, in the order of their probes. Something must have been built.
  [[nodiscard]] typename Graph::positions positions(digest d) const noexcept { return place()(d); }
  [[nodiscard]] std::uint64_t value_at(const typename Graph::positions& at) const noexcept {
    std::uint64_t out = 0;
    for (const std::uint64_t cell : at) out ^= cells_.get(cell);
    return out;
  }
  // The same with a sum instead of the XOR.
  [[nodiscard]] std::uint64_t sum_at(const typename Graph::positions& at) const noexcept {
    std::uint64_t out = 0;
    for (const std::uint64_t cell : at) out += cells_.get(cell);
    return out;
  }
  // Where cells are bits and keys have several rows: those of the first `count`, at most 57, as one number.
  [[nodiscard]] std::uint64_t bits_at(const typename Graph::positions& at, unsigned count) const noexcept {
    std::uint64_t out = 0;
    for (const std::uint64_t cell : at) out ^= cells_.bits(cell, count);
    return out;
  }
  // Any cell, and all of them.
  [[nodiscard]] const cells::packed& cells() const noexcept { return cells_; }
  void prefetch(const typename Graph::positions& at) const noexcept {
    for (const std::uint64_t cell : at) cells_.prefetch(cell);
  }
  // One more than the largest of them.
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return stride_ << shard_bits_; }

  // sink(i, note, value) for i below `total`, in order; the note is note_of(digest), taken while the key is in hand.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of, Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(digest_at(i)), std::uint64_t{0});
      return;
    }
    if (shard_bits_ == 0) return xor_values(cells_, whole_placer{place()}, total, digest_at, note_of, sink);
    xor_values(cells_, place(), total, digest_at, note_of, sink);
  }

  friend bool operator==(const peeled& a, const peeled& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.shard_bits_ == b.shard_bits_ && a.shape_ == b.shape_ &&
           a.attempts_ == b.attempts_ && a.cells_ == b.cells_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("shard_bits", self.shard_bits_);
    Graph::shape::fields(self.shape_, field);
  }
  static void describe(auto& self, auto& part) {
    part.fields(Graph::name, self);
    part.array("attempts", self.attempts_);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text(Graph::name, ": field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    if (keys_ == 0) return check_empty(require);
    require(keys_ <= most_keys, "keys", keys_);
    require(shard_bits_ <= 32, "shard_bits", shard_bits_);
    Graph::check(shape_, require);
    stride_ = stride_of(Graph(shape_));
    require(stride_ <= (sizing::max_bits / width_) >> shard_bits_, "shard_bits", shard_bits_);  // or sizes would wrap
    attempts_.require(std::uint64_t{1} << shard_bits_);
    attempts_ = cells::words<std::uint8_t>(buffer(attempts_.bytes()));  // small, and looked at by every query: own it
    for (const std::uint8_t attempt : attempts_.span()) require(attempt < sizing::peel_attempts, "attempt", attempt);
    require(keys_ <= cell_count(), "keys", keys_);  // one equation each: more cannot be solved
    cells_.reshape(cell_count(), width());
    draw_shards();
  }

 private:
  friend peeler<Graph>;

  // Nothing built has one encoding: every field but the width as in an empty one.
  void check_empty(auto& require) {
    require(shard_bits_ == 0, "shard_bits", shard_bits_);
    typename Graph::shape empty;
    std::uint64_t expected[8], at = 0;
    Graph::shape::fields(empty, [&](std::string_view, std::uint64_t field, const auto&...) { expected[at++] = field; });
    at = 0;
    Graph::shape::fields(shape_, [&](std::string_view name, std::uint64_t field, const auto&...) {
      require(field == expected[at++], name, field);
    });
    attempts_.require(0);
    cells_.storage().require(0);
  }

  // Cells from one shard to the next: whole words at every width, so that threads never share one.
  [[nodiscard]] static std::uint64_t stride_of(const Graph& at) noexcept {
    return detail::ceil_div(at.size(), 64) * 64;
  }

  // What locating a key needs, by value: a loop keeps it in registers.
  struct placer {
    Graph at;
    const detail::remixer* shards;
    std::uint64_t stride;
    unsigned shift;
    [[nodiscard]] typename Graph::positions operator()(digest d) const noexcept {
      const std::uint64_t shard = d.hi >> 1 >> shift;
      return at.cells(shards[shard](d), shard * stride);
    }
  };
  struct whole_placer {  // the same for one shard
    explicit whole_placer(const placer& from) noexcept : at(from.at), words(from.shards[0]) {}
    Graph at;
    detail::remixer words;
    [[nodiscard]] typename Graph::positions operator()(digest d) const noexcept { return at.cells(words(d), 0); }
  };
  [[nodiscard]] placer place() const noexcept {
    return {Graph(shape_), shards_.data(), stride_, static_cast<unsigned>(63 - shard_bits_)};
  }
  void draw_shards() {
    shards_.clear();
    for (const std::uint8_t attempt : attempts_.span()) shards_.push_back(core::graph_words(attempt));
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t shard_bits_ = 0;
  typename Graph::shape shape_;
  std::uint64_t stride_ = 0;             // follows from the shape
  cells::words<std::uint8_t> attempts_;  // one per shard
  cells::packed cells_;
  std::vector<detail::remixer> shards_;  // the salt of every shard; follows from attempts_
};

}  // namespace umbel::core
