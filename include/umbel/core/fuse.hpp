// fuse.hpp - static function from keys to values of r bits: about 1.13 r bits per key, three reads per query.
// Idea       value(x) = B[h0] ^ B[h1] ^ B[h2]. The build solves this for all keys by peeling; strangers get whatever
//            comes out. Three consecutive segments keep the peel inside the cache.
// Layout     2^s shards of equal capacity, so cell = shard * stride + local and no directory is read; one byte per
//            shard says which attempt solved it. Cells are r bits, packed.
// Invariant  After build, value(x) is exact for every key given. The bytes depend on the set of (key, value) alone.
// Limits     Build needs distinct digests: repeats are found after a failed attempt and dropped, or are a conflict.
//            Memory while building: 16 bytes per key (24 with values), plus 18 per key of the shards in work.
// Threads    Immutable: any number of readers. The build starts `threads` threads and no more than it has shards.
// Source     [GL22], [Wal21]; shards of equal capacity from [Vig25].
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <numbers>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/index/fuse.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/fuse.hpp>
#include <umbel/solve/peel.hpp>

namespace umbel::core {

class fuse {
 public:
  struct build_options {
    unsigned width = 8;  // bits per value, 1 to 64
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from = sizing::fuse_shard_from;  // a seam for tests: fewer keys than this make one system
  };

  fuse() = default;

  // What n keys will take at this width, of which `tag_bits` tell members from strangers.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits,
                                        std::uint64_t shard_from = sizing::fuse_shard_from) {
    check_keys(n);
    const unsigned shard_bits = sizing::fuse_shard_bits(n, shard_from);
    const double mean = static_cast<double>(n) / std::exp2(shard_bits);
    // Every shard gets the capacity of the largest, which lies about sqrt(2 ln S) deviations above the mean.
    const double most = shard_bits == 0 ? mean : mean + std::sqrt(2 * shard_bits * std::numbers::ln2 * mean);
    fuse shaped;
    const auto shape = sizing::plan_fuse3(static_cast<std::uint64_t>(most));
    shaped.length_bits_ = shape.length_bits;
    shaped.segments_ = shape.segments;
    const std::uint64_t cells = n == 0 ? 0 : shaped.stride() << shard_bits;
    return {.keys = n,
            .cells = cells,
            .probes = graph::arity,
            .bits = n == 0 ? 0 : cells::packed::words_for(cells, width) * 64 + (std::uint64_t{8} << shard_bits),
            .fpr = n == 0 ? 0 : std::exp2(-static_cast<double>(tag_bits))};
  }

  // value_of(record) is what the record's key shall answer, below 2^width. Throws conflict and unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static fuse build(const basic_spool<Record>& keys, const build_options& how, ValueOf&& value_of) {
    fuse out;
    if (out.try_build(keys, how, value_of, repeats::possible)) return out;
    const auto once = keys.distinct(how.threads);
    if (!out.try_build(once, how, value_of, repeats::none)) throw unsolvable("fuse: distinct keys still look repeated");
    return out;
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0 : cells_.storage().size() * 64 + attempts_.size() * 8;
  }

  // Exact for members, arbitrary for strangers; 0 when nothing was built.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    if (keys_ == 0) return 0;
    std::uint64_t out = 0;
    for (const std::uint64_t cell : place()(d)) out ^= cells_.get(cell);
    return out;
  }

  // sink(i, note, value) for i below `total`, in order; the note is note_of(digest), taken while the key is in hand.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of, Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(digest_at(i)), std::uint64_t{0});
      return;
    }
    // Hoisted out of the loop: plain arrays are read as such, and without shards none is looked up.
    const auto by_shards = [&](auto cells) {
      if (shard_bits_ == 0) return values_from(total, cells, whole_placer{place()}, digest_at, note_of, sink);
      return values_from(total, cells, place(), digest_at, note_of, sink);
    };
    switch (width_) {
      case 8: return by_shards(plain_cells<std::uint8_t>{cells_.as<std::uint8_t>()});
      case 16: return by_shards(plain_cells<std::uint16_t>{cells_.as<std::uint16_t>()});
      default: return by_shards(packed_cells{&cells_});
    }
  }

  friend bool operator==(const fuse& a, const fuse& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.shard_bits_ == b.shard_bits_ && a.cells_ == b.cells_ &&
           a.attempts_ == b.attempts_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("shard_bits", self.shard_bits_);
    field("length_bits", self.length_bits_);
    field("segments", self.segments_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("fuse", self);
    part.array("attempts", self.attempts_);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text("fuse: field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    if (keys_ == 0) {
      const fuse empty;  // one encoding: every other field as in an empty one
      require(shard_bits_ == empty.shard_bits_, "shard_bits", shard_bits_);
      require(length_bits_ == empty.length_bits_, "length_bits", length_bits_);
      require(segments_ == empty.segments_, "segments", segments_);
      attempts_.require(0);
      cells_.storage().require(0);
      return;
    }
    require(keys_ <= most_keys, "keys", keys_);
    require(shard_bits_ <= 32, "shard_bits", shard_bits_);
    require(length_bits_ >= 1 && length_bits_ <= 20, "length_bits", length_bits_);
    require(segments_ >= 1 && segments_ <= (std::uint64_t{1} << 31 >> length_bits_), "segments", segments_);
    require(stride() <= (sizing::max_bits / width_) >> shard_bits_, "shard_bits", shard_bits_);  // or sizes would wrap
    attempts_.require(std::uint64_t{1} << shard_bits_);
    attempts_ = cells::words<std::uint8_t>(buffer(attempts_.bytes()));  // small, and looked at by every query: own it
    for (const std::uint8_t attempt : attempts_.span()) require(attempt < sizing::fuse_attempts, "attempt", attempt);
    const std::uint64_t cells = stride() << shard_bits_;
    require(keys_ <= cells, "keys", keys_);  // one equation each: more cannot be solved
    cells_.reshape(cells, width());
    stride_ = stride();
    draw_shards();
  }

 private:
  using graph = index::fuse3;

  template <class Cell>
  struct plain_cells {
    const Cell* at;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
    void prefetch(std::uint64_t i) const noexcept { detail::prefetch_read(at + i); }
  };
  struct packed_cells {
    const cells::packed* all;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return all->get(i); }
    void prefetch(std::uint64_t i) const noexcept { all->prefetch(i); }
  };
  template <class Cell>
  struct writable_cells {
    Cell* at;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
    void set(std::uint64_t i, std::uint64_t value) const noexcept { at[i] = static_cast<Cell>(value); }
  };
  struct shard_cells {  // any width: cells of one shard
    cells::packed& all;
    std::uint64_t first;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return all.get_alone(first + i); }
    void set(std::uint64_t i, std::uint64_t value) const noexcept { all.set(first + i, value); }
  };

  [[nodiscard]] sizing::fuse_shape shape() const noexcept {
    return {.length_bits = static_cast<std::uint32_t>(length_bits_), .segments = static_cast<std::uint32_t>(segments_)};
  }
  // Cells from one shard to the next: whole words at every width, so that threads never share one.
  [[nodiscard]] std::uint64_t stride() const noexcept { return detail::ceil_div(shape().cells(graph::arity), 64) * 64; }
  [[nodiscard]] std::uint64_t shard_of(digest d) const noexcept { return d.hi >> 1 >> (63 - shard_bits_); }

  // What locating a key needs, by value: a loop keeps it in registers.
  struct placer {
    graph shape;
    const detail::remixer* shards;
    std::uint64_t stride;
    unsigned shift;
    [[nodiscard]] graph::positions operator()(digest d) const noexcept {
      const std::uint64_t shard = d.hi >> 1 >> shift;
      return shape.cells(shards[shard](d), shard * stride);
    }
  };
  struct whole_placer {  // the same for one shard
    explicit whole_placer(const placer& from) noexcept : shape(from.shape), words(from.shards[0]) {}
    graph shape;
    detail::remixer words;
    [[nodiscard]] graph::positions operator()(digest d) const noexcept { return shape.cells(words(d)); }
  };
  [[nodiscard]] placer place() const noexcept {
    return {graph(shape()), shards_.data(), stride_, static_cast<unsigned>(63 - shard_bits_)};
  }
  void draw_shards() {
    shards_.clear();
    for (const std::uint8_t attempt : attempts_.span()) shards_.push_back(graph::attempt(attempt));
  }

  template <class Cells, class Locate, class DigestAt, class NoteOf, class Sink>
  [[gnu::flatten]] void values_from(std::size_t total, const Cells cells, const Locate locate, DigestAt& digest_at,
                                    NoteOf& note_of, Sink& sink) const noexcept {
    struct slot {
      std::uint64_t note;
      graph::positions at;
    };
    detail::ring<slot>(
        total,
        [&, cells, locate](std::size_t i, slot& s) {
          const digest d = digest_at(i);
          s = {note_of(d), locate(d)};
          for (const std::uint64_t cell : s.at) cells.prefetch(cell);
        },
        [&, cells](std::size_t i, const slot& s) {
          sink(i, s.note, cells.get(s.at[0]) ^ cells.get(s.at[1]) ^ cells.get(s.at[2]));
        });
  }

  // ---- building ----

  enum class repeats { possible, none };

  // work(records) for every record of one shard; a shard is some bins, or a part of one.
  template <class Record, class Work>
  void for_shard(const basic_spool<Record>& keys, std::uint64_t shard, Work&& work) const {
    constexpr unsigned bin_bits = basic_spool<Record>::bin_bits;
    if (shard_bits_ <= bin_bits) {
      const unsigned joined = bin_bits - static_cast<unsigned>(shard_bits_);
      keys.for_each(shard << joined, (shard + 1) << joined, [&](std::span<const Record> block) {
        for (const Record& record : block) work(record);
      });
    } else {
      const std::size_t bin = shard >> (shard_bits_ - bin_bits);
      keys.for_each(bin, bin + 1, [&](std::span<const Record> block) {
        for (const Record& record : block)
          if (shard_of(key_of(record)) == shard) work(record);
      });
    }
  }

  template <class Record>
  [[nodiscard]] std::uint64_t count_shard(const basic_spool<Record>& keys, std::uint64_t shard) const {
    constexpr unsigned bin_bits = basic_spool<Record>::bin_bits;
    if (shard_bits_ <= bin_bits)
      return keys.count(shard << (bin_bits - shard_bits_), (shard + 1) << (bin_bits - shard_bits_));
    std::uint64_t count = 0;
    for_shard(keys, shard, [&](const Record&) { ++count; });
    return count;
  }

  // Keys per shard. Every shard gets the capacity of the largest, so shards that chance would not make so uneven are
  // joined: crafted digests then cost speed, not memory. Empty if the cause may be copies of a key.
  template <class Record>
  [[nodiscard]] std::vector<std::uint64_t> balance(const basic_spool<Record>& keys, repeats expected) {
    std::vector<std::uint64_t> load(std::uint64_t{1} << shard_bits_);
    for (std::uint64_t shard = 0; shard < load.size(); ++shard) load[shard] = count_shard(keys, shard);
    for (; shard_bits_ > 0; --shard_bits_) {
      const double mean = static_cast<double>(keys_) / static_cast<double>(load.size());
      if (static_cast<double>(*std::max_element(load.begin(), load.end())) <= mean + 10 * std::sqrt(mean) + 10) break;
      if (expected == repeats::possible) return {};
      for (std::uint64_t i = 0; i < load.size() / 2; ++i) load[i] = load[2 * i] + load[2 * i + 1];
      load.resize(load.size() / 2);
    }
    return load;
  }

  // False if keys repeat. Everything else that can go wrong throws.
  template <class Record, class ValueOf>
  [[nodiscard]] bool try_build(const basic_spool<Record>& keys, const build_options& how, ValueOf& value_of,
                               repeats expected) {
    keys_ = keys.size();
    width_ = how.width;
    if (keys_ == 0) return true;
    shard_bits_ = sizing::fuse_shard_bits(keys_, how.shard_from);
    const auto load = balance(keys, expected);
    if (load.empty()) return false;
    const std::uint64_t shards = load.size();
    auto planned = sizing::plan_fuse3(*std::max_element(load.begin(), load.end()));
    for (unsigned tried = 0; tried < sizing::fuse_attempts; tried += sizing::fuse_attempts_per_shape) {
      length_bits_ = planned.length_bits;
      segments_ = planned.segments++;  // should this shape fail, the next has one segment more
      stride_ = stride();
      attempts_ = cells::words<std::uint8_t>(shards, how.memory);
      cells_ = cells::packed(stride_ << shard_bits_, how.width, how.memory);
      const bool slim = graph(shape()).place_bits() + how.width + solve::count_bits <= 64;
      const auto result = slim ? solve_all<solve::slim_row>(keys, load, how, value_of)
                               : solve_all<solve::wide_row>(keys, load, how, value_of);
      if (result == outcome::repeats) return false;
      if (result == outcome::solved) {
        draw_shards();
        return true;
      }
    }
    throw unsolvable(detail::text("fuse: no graph of ", sizing::fuse_attempts, " peeled for ", keys_, " keys"));
  }

  enum class outcome { solved, stuck, repeats };

  // Memory of one thread, kept from shard to shard: fresh pages took a fifth of the build.
  class scratch {
   public:
    explicit scratch(std::pmr::memory_resource* memory) noexcept : from_(memory) {}
    scratch(const scratch& other) noexcept : from_(other.from_) {}
    template <class Row>
    [[nodiscard]] std::span<Row> get(std::uint64_t count) {
      if (bytes_.size() < count * sizeof(Row)) {
        bytes_ = buffer();  // first, so that old and new are never held together
        bytes_ = buffer::raw(count * sizeof(Row), from_);
      }
      return {reinterpret_cast<Row*>(bytes_.data()), count};
    }

   private:
    std::pmr::memory_resource* from_;
    buffer bytes_;
  };
  struct workspace {
    explicit workspace(std::pmr::memory_resource* memory) noexcept : rows(memory), sums(memory) {}
    scratch rows, sums;
  };

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_all(const basic_spool<Record>& keys, const std::vector<std::uint64_t>& load,
                                  const build_options& how, ValueOf& value_of) {
    std::atomic<int> worst = static_cast<int>(outcome::solved);
    const std::uint64_t room = segment_room(*std::max_element(load.begin(), load.end()));
    std::vector<workspace> spaces(detail::crew_size(load.size(), how.threads), workspace(how.memory));
    detail::parallel_for(load.size(), how.threads, [&](std::size_t shard, std::size_t worker) {
      if (worst != static_cast<int>(outcome::solved)) return;
      const auto result = solve_shard<Row>(keys, shard, load[shard], room, spaces[worker], value_of);
      int seen = worst;
      while (seen < static_cast<int>(result) && !worst.compare_exchange_weak(seen, static_cast<int>(result))) {
      }
    });
    return static_cast<outcome>(worst.load());
  }

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_shard(const basic_spool<Record>& keys, std::uint64_t shard, std::uint64_t load,
                                    std::uint64_t room, workspace& space, ValueOf& value_of) {
    const auto rows = space.rows.get<Row>(room * segments_);
    const auto sums = space.sums.get<Row>(shape().cells(graph::arity));
    const unsigned bits = std::is_same_v<Row, solve::slim_row> ? width() : 0;
    const graph g(shape());
    for (unsigned attempt = 0; attempt < sizing::fuse_attempts_per_shape; ++attempt) {
      std::fill(sums.begin(), sums.end(), Row{});
      // Rows are done with once they are piled up: their memory takes the order of removal.
      if (pile_shard(keys, shard, graph::attempt(attempt), rows, room, sums, value_of) &&
          solve::peel(g, bits, sums, rows.first(load)) == load) {
        attempts_[shard] = static_cast<std::uint8_t>(attempt);
        write_shard(g, bits, shard, std::span<const Row>(rows.first(load)));
        return outcome::solved;
      }
      // Looking for repeats takes longer than an attempt, and most first failures are bad luck.
      if (attempt == 1 && any_repeats(keys, shard)) return outcome::repeats;
    }
    return outcome::stuck;
  }

  // Room for the rows that start in one segment: eight deviations above the mean, or all of them.
  [[nodiscard]] std::uint64_t segment_room(std::uint64_t load) const noexcept {
    const double mean = static_cast<double>(load) / static_cast<double>(segments_);
    return std::min(load, static_cast<std::uint64_t>(mean + 8 * std::sqrt(mean) + 16));
  }

  // Groups the shard's rows by the segment they start in, then piles them up segment by segment, so that the cells
  // touched stay in the cache. False if a segment or a cell overflows: repeated keys, or a failed attempt.
  template <class Row, class Record, class ValueOf>
  [[nodiscard]] bool pile_shard(const basic_spool<Record>& keys, std::uint64_t shard, const detail::remixer& words,
                                std::span<Row> rows, std::uint64_t room, std::span<Row> sums, ValueOf& value_of) const {
    const graph g(shape());
    const unsigned bits = width();
    std::vector<std::uint64_t> next(segments_);
    for (std::uint64_t i = 0; i < segments_; ++i) next[i] = i * room;
    bool fits = true;
    for_shard(keys, shard, [&, words](const Record& record) {
      const auto mixed = words(key_of(record));
      const std::uint64_t segment = g.segment(mixed);
      std::uint64_t& at = next[segment];
      fits &= at < (segment + 1) * room;
      rows[fits ? at++ : 0] = Row::make(g.place(mixed), value_of(record), bits);
    });
    for (std::uint64_t i = 0; i < segments_ && fits; ++i)
      fits = solve::pile(g, std::is_same_v<Row, solve::slim_row> ? bits : 0,
                         std::span<const Row>(rows.subspan(i * room, next[i] - i * room)), sums);
    return fits;
  }

  template <class Row>
  void write_shard(const graph& g, unsigned bits, std::uint64_t shard, std::span<const Row> order) {
    const std::uint64_t first = shard * stride_;
    auto* const bytes = reinterpret_cast<unsigned char*>(cells_.storage().data());
    switch (width_) {
      case 8: return solve::assign(g, bits, order, writable_cells<std::uint8_t>{bytes + first});
      case 16:
        return solve::assign(g, bits, order,
                             writable_cells<std::uint16_t>{reinterpret_cast<std::uint16_t*>(bytes) + first});
      default: return solve::assign(g, bits, order, shard_cells{cells_, first});
    }
  }

  template <class Record>
  [[nodiscard]] bool any_repeats(const basic_spool<Record>& keys, std::uint64_t shard) const {
    std::vector<digest> all;
    for_shard(keys, shard, [&](const Record& record) { all.push_back(key_of(record)); });
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) != all.end();
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t shard_bits_ = 0;
  std::uint64_t length_bits_ = 1;
  std::uint64_t segments_ = 1;
  std::uint64_t stride_ = 0;             // follows from the shape
  cells::words<std::uint8_t> attempts_;  // one per shard
  cells::packed cells_;
  std::vector<detail::remixer> shards_;  // the salt of every shard; follows from attempts_
};

}  // namespace umbel::core
