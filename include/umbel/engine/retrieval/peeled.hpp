// peeled.hpp - retrieval by peeling [GL20], [GL22]: the engine of xor filters, binary fuse filters
// and Bloomier filters. value(x) is the XOR of a few cells.
//
// A graph maps x to its cells. The build (peeled_build.hpp) solves for the values of all keys;
// other keys get an arbitrary value. The graph determines the cost: fuse<3> takes about 1.13 cells
// per key and three reads, fuse<4> 1.075 and four, xor_graph<3> 1.23. `scattered` has its arity at
// run time.
//
// One product of the key's digest and the shard's salt gives both the word that the graph maps to
// cells and the key's tag (hash/digest.hpp). So a filter needs no second hash. Tags depend on the
// attempt, so a build calls value_of(record, tag).
//
// Layout     S shards of equal capacity. The shard is fastrange(hi, S); its cells begin at shard *
//            stride. One byte per shard says which attempt solved it; its salt, eight bytes, is
//            kept in memory. Cells are r bits, packed. Cells of one byte have their own inlined
//            path; all others are read behind one call.
// Invariant  After the build value(x) is exact for every key of the build. The bytes depend only on
//            the set of (key, value).
// Limits     The build needs distinct digests. Duplicate keys are found after a failed attempt, and
//            are dropped, or are a conflict if their values differ.
// Threads    Immutable: any number of readers.
// Source     [GL22], [Wal21]; shards of equal capacity from [Vig25].
#pragma once

#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <numbers>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/answered.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/engine/retrieval/xor_values.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/peel.hpp>

namespace umbel::core {

template <class Record>
class record_source;
template <peelable Graph>
class peeler;

template <peelable Graph>
class peeled {
 public:
  using graph = Graph;
  struct build_options {
    unsigned width = 8;                    // bits per value, 1 to 64
    typename Graph::options_type graph{};  // options of the graph
    bool add_probe =
        // value() gives value ^ the number (0 to arity - 1) of the probe whose cell is assigned to
        // the key
        false;
    bool thirds = false;  // no values, for BDZ: cells of solve::assign_thirds; arity 3, width 2
    // seed of random words for cells that no key needs; none: zeros
    std::optional<std::uint64_t> fill{};
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    // a seam for tests: fewer keys than this make one system
    std::uint64_t shard_from = sizing::peel_shard_from;
  };

  peeled() = default;

  // The size for n keys of this width. `tag_bits` of it distinguish members from non-members.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits,
                                        std::uint64_t shard_from = sizing::peel_shard_from,
                                        const typename Graph::options_type& options = {}) {
    check_keys(n);
    const unsigned shard_bits = sizing::peel_shard_bits(n, shard_from);
    const Graph at(Graph::plan(sizing::peel_fullest(n, shard_bits), options));
    const std::uint64_t cells = n == 0 ? 0 : stride_of(at) << shard_bits;
    return {.keys = n,
            .cells = cells,
            .probes = at.arity(),
            .bits = n == 0 ? 0
                           : cells::packed::words_for(cells, width) * 64 +
                                 (std::uint64_t{8} << shard_bits),
            .fpr = n == 0 ? 0 : std::exp2(-static_cast<double>(tag_bits))};
  }

  // value_of(record, tag) is the value to store for the record's key, below 2^width. Throws
  // conflict and unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static peeled build(const record_source<Record>& keys, const build_options& options,
                                    ValueOf&& value_of) {
    return peeler<Graph>::build(keys, options, value_of);  // engine/retrieval/peeled_build.hpp
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] unsigned shard_bits() const noexcept { return static_cast<unsigned>(shard_bits_); }
  [[nodiscard]] const typename Graph::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0 : cells_.storage().size() * 64 + attempts_.size() * 8;
  }

  // The cells whose XOR is a key's value, in the order of their probes, and a word independent of
  // them whose low bits are the key's tag.
  struct spot {
    typename Graph::positions cells;
    std::uint64_t tag;
  };
  // There must be at least one key.
  [[nodiscard]] spot locate(digest d) const noexcept { return place()(d); }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    return keys_ == 0 ? 0 : value_at(locate(d).cells);
  }
  // The same with the key's tag. If there are no keys, all bits of the value are set.
  [[nodiscard, gnu::always_inline]] answered answer(digest d) const noexcept {
    if (layout_ != layout::bytes) [[unlikely]]
      return answer_apart(d.hi, d.lo, *this);
    const local_spot at = local(d);
    return {byte_at(at), static_cast<std::uint8_t>(at.tag)};
  }
  // Whether the value equals the key's tag; false if there are no keys.
  [[nodiscard, gnu::always_inline]] bool matches(digest d) const noexcept {
    if (layout_ != layout::bytes) [[unlikely]]
      return matches_apart(d.hi, d.lo, *this);
    const local_spot at = local(d);
    return byte_at(at) == static_cast<std::uint8_t>(at.tag);
  }
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
  // For cells of one bit and keys with several rows: the values of the first `count` rows, at most
  // 57, as one number.
  [[nodiscard]] std::uint64_t bits_at(const typename Graph::positions& at,
                                      unsigned count) const noexcept {
    std::uint64_t out = 0;
    for (const std::uint64_t cell : at) out ^= cells_.bits(cell, count);
    return out;
  }
  // All cells, for reading any of them.
  [[nodiscard]] const cells::packed& cells() const noexcept { return cells_; }
  void prefetch(const typename Graph::positions& at) const noexcept {
    for (const std::uint64_t cell : at) cells_.prefetch(cell);
  }
  // One more than the largest cell number.
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return stride_ << shard_bits_; }

  // Of a filter of bytes: a batch took 1.1 (fuse) to 1.3 (xor) times as long as single queries at 1e4
  // keys, 1.06 to 1.24 at 1e5 (120 KB), 0.8 to 0.9 at 1e6.
  [[nodiscard]] std::size_t batch_from() const noexcept {
    return layout_ == layout::bytes ? std::size_t{256} << 10 : 0;
  }
  // sink(i, note, value) for i below `total`, in order; the note is note_of(tag), taken while the
  // key is in hand.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(std::uint64_t{0}), std::uint64_t{0});
      return;
    }
    xor_values(cells_, place(), total, digest_at, note_of, sink);
  }

  friend bool operator==(const peeled& a, const peeled& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.shard_bits_ == b.shard_bits_ &&
           a.shape_ == b.shape_ && a.attempts_ == b.attempts_ && a.cells_ == b.cells_;
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
      if (!holds)
        throw corrupt(
            detail::text(Graph::name, ": field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    if (keys_ == 0) return check_empty(require);
    require(keys_ <= max_keys, "keys", keys_);
    require(shard_bits_ <= 32, "shard_bits", shard_bits_);
    Graph::check(shape_, require);
    stride_ = stride_of(Graph(shape_));
    // so that sizes do not overflow
    require(stride_ <= (sizing::max_bits / width_) >> shard_bits_, "shard_bits", shard_bits_);
    attempts_.require(std::uint64_t{1} << shard_bits_);
    // small, and read by every query: copy it
    attempts_.own();
    for (const std::uint8_t attempt : attempts_.span())
      require(attempt < sizing::peel_attempts, "attempt", attempt);
    require(keys_ <= cell_count(), "keys", keys_);  // one equation per key: more have no solution
    cells_.reshape(cell_count(), width());
    settle();
  }

 private:
  friend peeler<Graph>;

  // An engine without keys has one encoding: all fields except the width have their default.
  void check_empty(auto& require) {
    require(shard_bits_ == 0, "shard_bits", shard_bits_);
    typename Graph::shape empty;
    std::uint64_t expected[8], at = 0;
    Graph::shape::fields(empty, [&](std::string_view, std::uint64_t field, const auto&...) {
      expected[at++] = field;
    });
    at = 0;
    Graph::shape::fields(shape_, [&](std::string_view name, std::uint64_t field, const auto&...) {
      require(field == expected[at++], name, field);
    });
    attempts_.require(0);
    cells_.storage().require(0);
    settle();
  }

  // The number of cells per shard: whole words at every width, so that threads never share a word.
  [[nodiscard]] static std::uint64_t stride_of(const Graph& at) noexcept {
    return detail::ceil_div(at.size(), 64) * 64;
  }

  // What locating a key needs, copied by value: a loop then keeps it in registers.
  struct placer {
    Graph at;
    const std::uint64_t* salts;
    std::uint64_t shards, stride, wide;
    [[nodiscard, gnu::always_inline]] spot operator()(digest d) const noexcept {
      const std::uint64_t shard = detail::fastrange(d.hi, shards);
      const auto words = detail::drawn(d, salts[shard]);
      return {at.cells(words.place, shard * stride), tag_from(words, wide)};
    }
  };
  [[nodiscard, gnu::always_inline]] placer place() const noexcept {
    return {graph_, salts_.data(), shards_, stride_, wide_mask(width())};
  }
  // All bits set if tags are wider than even_tag_bits.
  [[nodiscard]] static std::uint64_t wide_mask(unsigned width) noexcept {
    return width > detail::even_tag_bits ? ~std::uint64_t{0} : 0;
  }
  [[nodiscard]] static std::uint64_t tag_from(const detail::drawn_words& words,
                                              std::uint64_t wide) noexcept {
    return words.tag + ((detail::wide_tag(words) - words.tag) & wide);
  }

  // The same for single queries: the cells of a shard that begins at byte `from`, and a tag of up
  // to even_tag_bits.
  struct local_spot {
    const unsigned char* from;
    typename Graph::positions cells;
    std::uint64_t tag;
  };
  [[nodiscard, gnu::always_inline]] local_spot local(digest d) const noexcept {
    const std::uint64_t shard = detail::fastrange(d.hi, shards_);
    const auto words = detail::drawn(d, salts_[shard]);
    return {cells_.at_byte(shard * stride_bytes_), graph_.cells(words.place, 0), words.tag};
  }
  [[nodiscard, gnu::always_inline]] static std::uint8_t byte_at(const local_spot& at) noexcept {
    std::uint8_t out = 0;
#pragma GCC unroll 4
    for (const std::uint64_t cell : at.cells) out = static_cast<std::uint8_t>(out ^ at.from[cell]);
    return out;
  }
  // Between cells a barrier has the width read anew and the cells taken in turn: all at once they
  // need more registers than a function has without saving some, and every query would save and
  // restore those.
  [[gnu::always_inline]] void add_cell(std::uint64_t& sum, const unsigned char*& from,
                                       std::uint64_t cell) const noexcept {
    asm volatile("" : "+r"(sum), "+r"(from)::"memory");
    sum ^= cells_.peek(from, cell);
  }
  // The XOR of a tag and the cells, and other bits above it.
  [[nodiscard, gnu::always_inline]] std::uint64_t peek_at(const local_spot& at,
                                                          std::uint64_t tag) const noexcept {
    const unsigned char* from = at.from;
    // An array is unpacked first: the barrier would keep it in memory.
    if constexpr (requires { std::tuple_size<typename Graph::positions>::value; }) {
      return std::apply(
          [&](std::uint64_t first, auto... others) {
        std::uint64_t sum = tag ^ cells_.peek(from, first);
        (add_cell(sum, from, others), ...);
        return sum;
          },
          at.cells);
    } else {
      std::uint64_t sum = tag;
      for (const std::uint64_t cell : at.cells) add_cell(sum, from, cell);
      return sum;
    }
  }
  // Arguments are passed in registers that the product does not need. The rare case is a separate
  // function; otherwise all queries would save registers for it. The barrier hides that these
  // functions are pure: otherwise a caller's loop would keep their fields in registers and save
  // them around every call.
  [[nodiscard, gnu::noinline]] static answered answer_apart(std::uint64_t hi, std::uint64_t lo,
                                                            const peeled& self) noexcept {
    asm volatile("" ::: "memory");
    if (self.layout_ != layout::packed) [[unlikely]]
      return self.answer_wide(hi, lo);
    const local_spot at = self.local({hi, lo});
    return {self.peek_at(at, 0) & self.cells_.mask(), at.tag & self.cells_.mask()};
  }
  [[nodiscard, gnu::noinline]] static bool matches_apart(std::uint64_t hi, std::uint64_t lo,
                                                         const peeled& self) noexcept {
    asm volatile("" ::: "memory");
    if (self.layout_ != layout::packed) [[unlikely]]
      return self.matches_wide(hi, lo);
    const local_spot at = self.local({hi, lo});
    return (self.peek_at(at, at.tag) & self.cells_.mask()) == 0;
  }
  [[nodiscard, gnu::noinline]] answered answer_wide(std::uint64_t hi,
                                                    std::uint64_t lo) const noexcept {
    if (keys_ == 0) return {~std::uint64_t{0}, 0};
    const spot at = locate({hi, lo});
    return {value_at(at.cells), at.tag & cells_.mask()};
  }
  [[nodiscard, gnu::noinline]] bool matches_wide(std::uint64_t hi,
                                                 std::uint64_t lo) const noexcept {
    const auto [value, tag] = answer_wide(hi, lo);
    return value == tag;
  }

  // Sets what queries need and what follows from the fields and arrays.
  void settle() {
    salts_.clear();
    for (const std::uint8_t attempt : attempts_.span()) salts_.push_back(graph_salt(attempt));
    shards_ = salts_.size();
    stride_bytes_ = stride_ / 8 * width_;
    graph_ = Graph(shape_);
    layout_ = keys_ == 0 || width_ > detail::even_tag_bits ? layout::wide
              : width_ == 8                                ? layout::bytes
                                                           : layout::packed;
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t shard_bits_ = 0;
  typename Graph::shape shape_;
  std::uint64_t stride_ = 0;             // follows from the shape
  cells::words<std::uint8_t> attempts_;  // one per shard
  cells::packed cells_;

  // set by settle()
  // wide: above even_tag_bits; also if there are no keys
  enum class layout : std::uint8_t { wide, packed, bytes };
  layout layout_ = layout::wide;
  std::vector<std::uint64_t> salts_;  // of every shard
  std::uint64_t shards_ = 0;
  std::uint64_t stride_bytes_ = 0;
  Graph graph_;
};

}  // namespace umbel::core
