// sparse_build.hpp - how core::sparse is built: buckets, seeds, and a sparse system for each bucket.
// Idea       Buckets are ranges of digests, and so are the bins of a spool: a piece of work is the buckets that begin in
//            one bin. One pass counts, which settles where every bucket's cells are; a second solves. A bucket's keys are
//            sorted: that shows repeats, and gives the solver one order whatever the input's was.
// Invariant  The result depends on the set of (key, value) alone: not on input order, threads or addresses.
// Limits     Memory while building: the spool, plus one bin of it for every thread. Keys that repeat are dropped by
//            sorting everything once more.
// Threads    The build starts `threads` threads and no more than it has bins.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/sparse.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/solve/lazy.hpp>

namespace umbel::core {

class sparse_builder {
 public:
  template <class Record, class ValueOf>
  [[nodiscard]] static sparse build(const basic_spool<Record>& keys, const sparse::build_options& how,
                                    ValueOf& value_of) {
    sparse::check_probes(how.probes);
    sparse out;
    if (sparse_builder(out, how).try_build(keys, value_of)) return out;
    if (!sparse_builder(out, how).try_build(keys.distinct(how.threads), value_of))
      throw unsolvable(detail::text("sparse: more than ", sizing::sparse_bucket_most,
                                    " keys fall into one bucket; keys chosen to do that need a keyed hash"));
    return out;
  }

 private:
  static constexpr std::uint64_t pieces = std::uint64_t{1} << 8;  // as a spool has bins

  template <class Record>
  struct workspace {
    std::vector<Record> records;  // of a piece, bucket by bucket
    std::vector<std::uint64_t> next;
    std::vector<std::uint64_t> values;
    std::vector<solve::wide_row> rows;
    solve::sparse_solver solver;
  };

  sparse_builder(sparse& out, const sparse::build_options& how) noexcept : out_(out), how_(how) {}

  // False if keys repeat, or so many share a bucket that they must.
  template <class Record, class ValueOf>
  [[nodiscard]] bool try_build(const basic_spool<Record>& keys, ValueOf& value_of) {
    static_assert(basic_spool<Record>::bins == pieces);
    out_.keys_ = keys.size();
    out_.width_ = how_.width;
    out_.probes_ = how_.probes;
    if (out_.keys_ == 0) return true;
    load_.assign(sizing::sparse_buckets(out_.keys_), 0);
    detail::parallel_for(pieces, how_.threads, [&](std::size_t piece) {
      for_piece(keys, piece, [&](const Record&, std::uint64_t bucket) { ++load_[bucket]; });
    });
    if (*std::max_element(load_.begin(), load_.end()) > sizing::sparse_bucket_most) return false;
    lay_out();
    std::vector<workspace<Record>> spaces(detail::crew_size(pieces, how_.threads));
    std::atomic<bool> repeats = false;
    detail::parallel_for(pieces, how_.threads, [&](std::size_t piece, std::size_t worker) {
      if (!repeats && !solve_piece(keys, piece, spaces[worker], value_of)) repeats = true;
    });
    return !repeats;
  }

  void lay_out() {
    out_.directory_ = cells::words<>(load_.size() + 1, how_.memory);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < load_.size(); ++i) {
      out_.directory_[i] = first << sparse::seed_bits;
      first += sizing::sparse_cells(how_.probes, load_[i]);
    }
    out_.directory_[load_.size()] = first << sparse::seed_bits;
    out_.cells_ = cells::packed(first, how_.width, how_.memory);
  }

  // ---- pieces: the buckets whose first digest lies in one bin ----

  [[nodiscard]] std::uint64_t first_bucket(std::uint64_t piece) const noexcept {
    return detail::ceil_div(piece * load_.size(), pieces);
  }
  // One more than the last bin that buckets below `bucket` reach into.
  [[nodiscard]] std::size_t end_bin(std::uint64_t bucket) const noexcept {
    const auto past = ((static_cast<detail::uint128>(bucket) << 64) + load_.size() - 1) / load_.size();  // of digests
    return static_cast<std::size_t>((past - 1) >> 56) + 1;
  }
  // work(record, bucket) for every record of a piece.
  template <class Record, class Work>
  void for_piece(const basic_spool<Record>& keys, std::uint64_t piece, Work&& work) const {
    const std::uint64_t first = first_bucket(piece), end = first_bucket(piece + 1);
    if (first == end) return;
    keys.for_each(piece, end_bin(end), [&](std::span<const Record> block) {
      for (const Record& record : block) {
        const std::uint64_t bucket = detail::fastrange(key_of(record).hi, load_.size());
        if (bucket >= first && bucket < end) work(record, bucket);
      }
    });
  }

  // False if a key repeats.
  template <class Record, class ValueOf>
  [[nodiscard]] bool solve_piece(const basic_spool<Record>& keys, std::uint64_t piece, workspace<Record>& space,
                                 ValueOf& value_of) {
    const std::uint64_t first = first_bucket(piece), end = first_bucket(piece + 1);
    std::uint64_t total = 0;
    space.next.clear();
    for (std::uint64_t bucket = first; bucket < end; total += load_[bucket++]) space.next.push_back(total);
    space.records.resize(total);
    for_piece(keys, piece, [&](const Record& record, std::uint64_t bucket) {
      space.records[space.next[bucket - first]++] = record;
    });
    for (std::uint64_t bucket = first; bucket < end; ++bucket) {
      const std::size_t past = space.next[bucket - first];
      const std::span<Record> own(space.records.data() + past - load_[bucket], load_[bucket]);
      std::sort(own.begin(), own.end());
      const auto same = [](const Record& a, const Record& b) { return key_of(a) == key_of(b); };
      if (std::adjacent_find(own.begin(), own.end(), same) != own.end()) return false;
      solve_bucket(std::span<const Record>(own), bucket, space, value_of);
    }
    return true;
  }

  template <class Record, class ValueOf>
  void solve_bucket(std::span<const Record> keys, std::uint64_t bucket, workspace<Record>& space, ValueOf& value_of) {
    if (keys.empty()) return;
    space.values.resize(keys.size());
    std::transform(keys.begin(), keys.end(), space.values.begin(), value_of);
    space.rows.resize(keys.size());
    const auto graph = sparse::graph_of(how_.probes, sizing::sparse_cells(how_.probes, keys.size()));
    for (std::uint64_t seed = 0; seed < sizing::sparse_seeds; ++seed) {
      for (std::size_t i = 0; i < keys.size(); ++i)
        space.rows[i] = solve::wide_row::make(graph.place(sparse::seeds[seed](key_of(keys[i]))), space.values[i], 0);
      if (!space.solver.solve(graph, space.rows)) continue;
      write(out_.directory_[bucket] >> sparse::seed_bits, space.solver.cells());
      out_.directory_[bucket] |= seed;
      return;
    }
    throw unsolvable(detail::text("sparse: no system of ", sizing::sparse_seeds, " has a solution for a bucket of ",
                                  keys.size(), " keys"));
  }

  // Cells of a bucket begin anywhere in a word, whose other end may be another thread's.
  void write(std::uint64_t first, std::span<const std::uint64_t> values) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) out_.cells_.set_shared(first + i, values[i]);
  }

  sparse& out_;
  const sparse::build_options& how_;
  std::vector<std::uint64_t> load_;  // keys of every bucket
};

}  // namespace umbel::core
