// peeled_build.hpp - build of core::peeled by peeling [GL20], [GL22]: shards, attempts, and the
// rows of a shard.
//
// Idea       Keys are divided by the top bits of their digests. Each shard's rows are grouped by
//            region, added to their cells, peeled and assigned. A graph that does not peel is drawn
//            again with the next salt; after three failures the shape grows.
// Invariant  The result depends only on the set of (key, value): not on input order, threads or
//            addresses.
// Limits     Memory while building: 16 bytes per key (24 with values), plus 18 per key of the
//            shards being worked on.
// Threads    The build starts at most `threads` threads, and no more than it has shards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/buffer.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/shards.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/peeled.hpp>
#include <umbel/solve/peel.hpp>

namespace umbel::core {

// Memory of one thread, reused for all its shards: fresh pages took a fifth of the build.
class peel_workspace {
 public:
  explicit peel_workspace(std::pmr::memory_resource* memory) noexcept : from_(memory) {}
  peel_workspace(const peel_workspace& other) noexcept : from_(other.from_) {}

  template <class Row>
  struct spans {
    std::span<Row> rows, sums;
  };
  template <class Row>
  [[nodiscard]] spans<Row> get(std::uint64_t rows, std::uint64_t sums) {
    const std::uint64_t bytes = (rows + sums) * sizeof(Row);
    if (bytes_.size() < bytes) {
      bytes_ = buffer();  // first, so that old and new are never held together
      bytes_ = buffer::raw(bytes, from_);
    }
    const std::span all(reinterpret_cast<Row*>(bytes_.data()), rows + sums);
    return {all.first(rows), all.subspan(rows)};
  }

 private:
  std::pmr::memory_resource* from_;
  buffer bytes_;
};

template <peelable Graph>
class peeler {
 public:
  using engine = peeled<Graph>;
  using build_options = typename engine::build_options;

  template <class Record, class ValueOf>
  [[nodiscard]] static engine build(const record_source<Record>& keys, const build_options& options,
                                    ValueOf& value_of) {
    engine out;
    if (peeler(out, options).try_build(keys, value_of, repeats::possible)) return out;
    const auto once = keys.distinct(options.threads);
    if (!peeler(out, options).try_build(once, value_of, repeats::none))
      throw unsolvable(detail::text(Graph::name, ": distinct keys still look repeated"));
    return out;
  }

 private:
  enum class repeats { possible, none };

  // A key may have several rows, and then as many records: each has the number of its step, which
  // the graph uses to place it.
  template <class Record>
  static constexpr bool is_stepped = requires(const Record& record) {
    record.step;
  };
  // the maximum: rows of a key are in one shard, so loads vary more
  [[nodiscard]] double rows_of_a_key() const noexcept {
    if constexpr (requires { options_.graph.reach; })
      return static_cast<double>(options_.graph.reach);
    else
      return 1;
  }

  template <class Cell>
  struct plain_cells {
    Cell* at;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept { return at[i]; }
    void set(std::uint64_t i, std::uint64_t value) const noexcept {
      at[i] = static_cast<Cell>(value);
    }
  };
  struct shard_cells {  // any width: cells of one shard
    cells::packed& all;
    std::uint64_t first;
    [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
      return all.get_alone(first + i);
    }
    void set(std::uint64_t i, std::uint64_t value) const noexcept { all.set(first + i, value); }
  };

  peeler(engine& out, const build_options& options) noexcept : out_(out), options_(options) {}

  // False if there are duplicate keys. Throws for every other failure.
  template <class Record, class ValueOf>
  [[nodiscard]] bool try_build(const record_source<Record>& keys, ValueOf& value_of,
                               repeats expected) {
    out_.keys_ = keys.size();
    out_.width_ = options_.width;
    if (out_.keys_ == 0) return true;
    shards parts(sizing::peel_shard_bits(out_.keys_, options_.shard_from));
    const auto load = parts.balance(keys, expected == repeats::possible, rows_of_a_key());
    if (load.empty()) return false;
    out_.shard_bits_ = parts.bits();
    auto planned = Graph::plan(*std::max_element(load.begin(), load.end()), options_.graph);
    for (unsigned tried = 0; tried < sizing::peel_attempts;
         tried += sizing::peel_attempts_at(graph_.arity())) {
      out_.shape_ = planned;
      graph_ = Graph(planned);
      planned.grow();  // for the case that this shape fails
      out_.stride_ = engine::stride_of(graph_);
      out_.attempts_ = cells::words<std::uint8_t>(load.size(), options_.memory);
      out_.cells_ = cells::packed(out_.cell_count(), options_.width, options_.memory);
      const bool slim = graph_.place_bits() + options_.width + solve::count_bits <= 64;
      const auto result = slim ? solve_all<solve::slim_row>(keys, load, value_of)
                               : solve_all<solve::wide_row>(keys, load, value_of);
      if (result == outcome::repeats) return false;
      if (result == outcome::solved) {
        out_.settle();
        return true;
      }
    }
    throw unsolvable(detail::text(Graph::name, ": no graph of ", sizing::peel_attempts,
                                  " peeled for ", out_.keys_, " keys"));
  }

  template <class Record, class Work>
  void for_shard(const record_source<Record>& keys, std::uint64_t shard, Work&& work) const {
    shards(out_.shard_bits_).for_each(keys, shard, work);
  }
  template <class Record>
  [[nodiscard]] bool any_repeats(const record_source<Record>& keys, std::uint64_t shard) const {
    return shards(out_.shard_bits_).any_repeats(keys, shard, [](const Record& record) {
      if constexpr (is_stepped<Record>)
        return std::pair(key_of(record), record.step);
      else
        return key_of(record);
    });
  }

  // ---- one shard ----

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_all(const record_source<Record>& keys,
                                  const std::vector<std::uint64_t>& load, ValueOf& value_of) {
    const std::uint64_t room = region_room(*std::max_element(load.begin(), load.end()));
    std::vector<peel_workspace> spaces(detail::crew_size(load.size(), options_.threads),
                                       peel_workspace(options_.memory));
    return solve_parts(load.size(), options_.threads, [&](std::size_t shard, std::size_t worker) {
      return solve_shard<Row>(keys, shard, load[shard], room, spaces[worker], value_of);
    });
  }

  template <class Row, class Record, class ValueOf>
  [[nodiscard]] outcome solve_shard(const record_source<Record>& keys, std::uint64_t shard,
                                    std::uint64_t load, std::uint64_t room, peel_workspace& space,
                                    ValueOf& value_of) {
    const auto [rows, sums] = space.get<Row>(room * graph_.regions(), graph_.size());
    const unsigned bits = std::is_same_v<Row, solve::slim_row> ? options_.width : 0;
    for (unsigned attempt = 0; attempt < sizing::peel_attempts_at(graph_.arity()); ++attempt) {
      std::fill(sums.begin(), sums.end(), Row{});
      // After rows are added to their cells, their memory is reused for the order of removal.
      if (pile_shard(keys, shard, graph_salt(attempt), rows, room, sums, value_of) &&
          solve::peel(graph_, bits, sums, rows.first(load)) == load) {
        out_.attempts_[shard] = static_cast<std::uint8_t>(attempt);
        write_shard(bits, shard, std::span<const Row>(rows.first(load)));
        return outcome::solved;
      }
      // Looking for duplicates takes longer than an attempt, and most first failures are chance.
      if (attempt == 1 && any_repeats(keys, shard)) return outcome::repeats;
    }
    return outcome::stuck;
  }

  // Room for the rows of one region: eight standard deviations above the mean, or all rows.
  [[nodiscard]] std::uint64_t region_room(std::uint64_t load) const noexcept {
    const double mean = static_cast<double>(load) / static_cast<double>(graph_.regions());
    return std::min(load,
                    static_cast<std::uint64_t>(mean + 8 * std::sqrt(mean * rows_of_a_key()) + 16));
  }

  // Groups the shard's rows by the region they start in, then adds them to their cells region by
  // region, so that these cells stay in the cache. False if a region or a cell overflows: because
  // of duplicate keys, or a failed attempt.
  template <class Row, class Record, class ValueOf>
  [[nodiscard]] bool pile_shard(const record_source<Record>& keys, std::uint64_t shard,
                                std::uint64_t salt, std::span<Row> rows, std::uint64_t room,
                                std::span<Row> sums, ValueOf& value_of) const {
    const Graph g = graph_;
    const unsigned bits = options_.width;
    const std::uint64_t wide = engine::wide_mask(bits);
    std::vector<std::uint64_t> next(g.regions());
    for (std::uint64_t i = 0; i < next.size(); ++i) next[i] = i * room;
    bool fits = true;
    for_shard(keys, shard, [&, salt](const Record& record) {
      const detail::drawn_words words = detail::drawn(key_of(record), salt);
      const std::uint64_t region = g.region(words.place);
      std::uint64_t& at = next[region];
      fits &= at < (region + 1) * room;
      const std::uint64_t place = [&] {
        if constexpr (is_stepped<Record>)
          return g.place(words.place, record.step);
        else
          return g.place(words.place);
      }();
      rows[fits ? at++ : 0] =
          Row::make(place, value_of(record, engine::tag_from(words, wide)), bits);
    });
    for (std::uint64_t i = 0; i < next.size() && fits; ++i)
      fits = solve::pile(g, std::is_same_v<Row, solve::slim_row> ? bits : 0,
                         std::span<const Row>(rows.subspan(i * room, next[i] - i * room)), sums);
    return fits;
  }

  template <class Row>
  void write_shard(unsigned bits, std::uint64_t shard, std::span<const Row> order) {
    const std::uint64_t first = shard * out_.stride_;
    if (options_.fill) fill_shard(bits, first, order);
    if (options_.thirds) {
      std::uint64_t* const words = out_.cells_.storage().data();  // shards are whole words
      std::fill(words + first / 32, words + (first + out_.stride_) / 32, ~std::uint64_t{0});
      return solve::assign_thirds(graph_, bits, order, shard_cells{out_.cells_, first});
    }
    auto* const bytes = reinterpret_cast<unsigned char*>(out_.cells_.storage().data());
    const auto wanted = options_.add_probe ? solve::answer::value_and_probe : solve::answer::value;
    switch (options_.width) {
      case 8:
        return solve::assign(graph_, bits, order, plain_cells<std::uint8_t>{bytes + first}, wanted);
      case 16:
        return solve::assign(
            graph_, bits, order,
            plain_cells<std::uint16_t>{reinterpret_cast<std::uint16_t*>(bytes) + first}, wanted);
      default: return solve::assign(graph_, bits, order, shard_cells{out_.cells_, first}, wanted);
    }
  }

  // Writes random words to all cells, and zeros to those that will be assigned to rows.
  template <class Row>
  void fill_shard(unsigned bits, std::uint64_t first, std::span<const Row> order) {
    const shard_cells cells{out_.cells_, first};
    for (std::uint64_t i = 0; i < graph_.size(); ++i)
      cells.set(i, detail::remix(*options_.fill, first + i) >> (64 - options_.width));
    solve::clear_owned(graph_, bits, order, cells);
  }

  engine& out_;
  const build_options& options_;
  Graph graph_;
};

}  // namespace umbel::core
