// fuse.hpp - static function from keys to values of r bits: about 1.13 r bits per key, three reads per query.
// Idea       value(x) = B[h0] ^ B[h1] ^ B[h2]. The build solves this for all keys by peeling; strangers get whatever
//            comes out. Three consecutive segments keep the peel inside the cache.
// Layout     2^s shards of equal capacity, so cell = shard * stride + local and no directory is read; one byte per
//            shard says which attempt solved it. Cells are r bits, packed.
// Invariant  After build, value(x) is exact for every key given. The bytes depend on the set of (key, value) alone.
// Limits     Build needs distinct digests: repeats are found after a failed attempt and dropped, or are a conflict.
//            Memory while building: 16 bytes per key (24 with values), plus 17 per key of the shards in work.
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
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/batch.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/index/fuse.hpp>
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
    if (out.try_build(keys, how, value_of)) return out;
    const auto once = keys.distinct(how.threads);
    if (!out.try_build(once, how, value_of)) throw unsolvable("fuse: distinct keys still look repeated");
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
    for (const std::uint64_t cell : locate(d)) out ^= cells_.get(cell);
    return out;
  }

  // sink(i, value of keys[i]) for all keys, in order.
  template <class Sink>
  void values(std::span<const digest> keys, Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < keys.size(); ++i) sink(i, std::uint64_t{0});
      return;
    }
    switch (width_) {  // hoisted: plain arrays are read as such
      case 8: return values_from(keys, plain_cells<std::uint8_t>{cells_.as<std::uint8_t>()}, sink);
      case 16: return values_from(keys, plain_cells<std::uint16_t>{cells_.as<std::uint16_t>()}, sink);
      case 32: return values_from(keys, plain_cells<std::uint32_t>{cells_.as<std::uint32_t>()}, sink);
      default: return values_from(keys, cells_, sink);
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
      attempts_.require(0);
      cells_.storage().require(0);
      return;
    }
    require(shard_bits_ <= 32, "shard_bits", shard_bits_);
    require(length_bits_ >= 1 && length_bits_ <= 20, "length_bits", length_bits_);
    require(segments_ >= 1 && segments_ <= (std::uint64_t{1} << 31 >> length_bits_), "segments", segments_);
    attempts_.require(std::uint64_t{1} << shard_bits_);
    attempts_ = cells::words<std::uint8_t>(buffer(attempts_.bytes()));  // small, and looked at by every query: own it
    for (const std::uint8_t attempt : attempts_.span()) require(attempt < sizing::fuse_attempts, "attempt", attempt);
    const std::uint64_t cells = stride() << shard_bits_;
    cells_.storage().require(cells::packed::words_for(cells, width()));
    cells_ = cells::packed(cells, width(), std::move(cells_.storage()));
    stride_ = stride();
    draw_graphs();
  }

 private:
  using graph = index::fuse3;

  template <class Cell>
  struct plain_cells {
    const Cell* at;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
    void prefetch(std::uint64_t i) const noexcept { detail::prefetch_read(at + i); }
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
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return all.get(first + i); }
    void set(std::uint64_t i, std::uint64_t value) const noexcept { all.set(first + i, value); }
  };

  [[nodiscard]] sizing::fuse_shape shape() const noexcept {
    return {.length_bits = static_cast<std::uint32_t>(length_bits_), .segments = static_cast<std::uint32_t>(segments_)};
  }
  // Cells from one shard to the next: whole words at every width, so that threads never share one.
  [[nodiscard]] std::uint64_t stride() const noexcept { return detail::ceil_div(shape().cells(graph::arity), 64) * 64; }
  [[nodiscard]] std::uint64_t shard_of(digest d) const noexcept { return d.hi >> 1 >> (63 - shard_bits_); }

  void draw_graphs() {
    graphs_.clear();
    const auto span = attempts_.span();
    const unsigned most = span.empty() ? 0U : *std::max_element(span.begin(), span.end());
    for (unsigned attempt = 0; attempt <= most; ++attempt) graphs_.emplace_back(shape(), attempt);
  }

  [[nodiscard]] graph::positions locate(digest d) const noexcept {
    const std::uint64_t shard = shard_of(d);
    const graph& g = graphs_[attempts_[shard]];
    graph::positions cells = g.cells(g.place(d));
    for (auto& cell : cells) cell += shard * stride_;
    return cells;
  }

  template <class Cells, class Sink>
  void values_from(std::span<const digest> keys, const Cells& cells, Sink& sink) const noexcept {
    using slot = graph::positions[group_size];
    in_groups<slot>(
        keys.size(),
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            s[i] = locate(keys[first + i]);
            for (const std::uint64_t cell : s[i]) cells.prefetch(cell);
          }
        },
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i)
            sink(first + i, cells.get(s[i][0]) ^ cells.get(s[i][1]) ^ cells.get(s[i][2]));
        });
  }

  // ---- building ----

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

  // False if keys repeat. Everything else that can go wrong throws.
  template <class Record, class ValueOf>
  [[nodiscard]] bool try_build(const basic_spool<Record>& keys, const build_options& how, ValueOf& value_of) {
    keys_ = keys.size();
    width_ = how.width;
    if (keys_ == 0) return true;
    shard_bits_ = sizing::fuse_shard_bits(keys_, how.shard_from);
    const std::uint64_t shards = std::uint64_t{1} << shard_bits_;
    std::vector<std::uint64_t> load(shards);
    for (std::uint64_t shard = 0; shard < shards; ++shard)
      for_shard(keys, shard, [&](const Record&) { ++load[shard]; });
    auto planned = sizing::plan_fuse3(*std::max_element(load.begin(), load.end()));
    for (unsigned tried = 0; tried < sizing::fuse_attempts; tried += sizing::fuse_attempts_per_shape) {
      length_bits_ = planned.length_bits;
      segments_ = planned.segments++;  // should this shape fail, the next has one segment more
      stride_ = stride();
      attempts_ = cells::words<std::uint8_t>(shards, how.memory);
      cells_ = cells::packed(stride_ << shard_bits_, how.width, how.memory);
      const bool slim = graph(shape(), 0).place_bits() + how.width + solve::count_bits <= 64;
      const auto result = slim ? solve_all<solve::slim_row>(keys, load, how.threads, value_of)
                               : solve_all<solve::wide_row>(keys, load, how.threads, value_of);
      if (result == outcome::repeats) return false;
      if (result == outcome::solved) {
        draw_graphs();
        return true;
      }
    }
    throw unsolvable(detail::text("fuse: no graph of ", sizing::fuse_attempts, " peeled for ", keys_, " keys"));
  }

  enum class outcome { solved, stuck, repeats };

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_all(const basic_spool<Record>& keys, const std::vector<std::uint64_t>& load,
                                  unsigned threads, ValueOf& value_of) {
    std::atomic<int> worst = static_cast<int>(outcome::solved);
    detail::parallel_for(load.size(), threads, [&](std::size_t shard) {
      if (worst != static_cast<int>(outcome::solved)) return;
      const auto result = solve_shard<Row>(keys, shard, load[shard], value_of);
      int seen = worst;
      while (seen < static_cast<int>(result) && !worst.compare_exchange_weak(seen, static_cast<int>(result))) {
      }
    });
    return static_cast<outcome>(worst.load());
  }

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_shard(const basic_spool<Record>& keys, std::uint64_t shard, std::uint64_t load,
                                    ValueOf& value_of) {
    thread_local std::vector<Row> rows, sums;
    thread_local std::vector<std::uint32_t> stack;
    rows.resize(load);
    const unsigned bits = std::is_same_v<Row, solve::slim_row> ? width() : 0;
    for (unsigned attempt = 0; attempt < sizing::fuse_attempts_per_shape; ++attempt) {
      const graph g(shape(), attempt);
      scatter(keys, shard, g, std::span(rows), value_of);
      sums.assign(shape().cells(graph::arity), Row{});
      if (solve::pile(g, bits, std::span<const Row>(rows), std::span(sums)) &&
          solve::peel(g, bits, std::span(sums), std::span(rows), stack) == load) {
        attempts_[shard] = static_cast<std::uint8_t>(attempt);
        write_shard(g, bits, shard, std::span<const Row>(rows));
        return outcome::solved;
      }
      if (attempt == 0 && repeats(keys, shard)) return outcome::repeats;
    }
    return outcome::stuck;
  }

  // The shard's rows, grouped by the segment they start in: a counting sort, so that piling and peeling walk through
  // memory instead of jumping over all of it.
  template <class Row, class Record, class ValueOf>
  void scatter(const basic_spool<Record>& keys, std::uint64_t shard, const graph& g, std::span<Row> rows,
               ValueOf& value_of) const {
    std::vector<std::uint32_t> next(segments_ + 1, 0);
    for_shard(keys, shard, [&](const Record& record) { ++next[(g.start(key_of(record)) >> length_bits_) + 1]; });
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for_shard(keys, shard, [&](const Record& record) {
      const std::uint64_t place = g.place(key_of(record));
      rows[next[place >> (3 * length_bits_)]++] = Row::make(place, value_of(record), width());
    });
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
  [[nodiscard]] bool repeats(const basic_spool<Record>& keys, std::uint64_t shard) const {
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
  std::vector<graph> graphs_;  // one per attempt number in use; follows from the rest
};

}  // namespace umbel::core
