// sparse_build.hpp - build of core::sparse [GOV20]: buckets, seeds, and a sparse linear system for
// each bucket.
//
// Idea       core/bucketed.hpp counts the keys of every bucket, which determines where its cells
//            are. It then yields the keys bucket by bucket, and each bucket's system is solved.
// Invariant  The result depends only on the set of (key, value): not on input order, threads or
//            addresses.
// Limits     Memory while building: the spool, plus one bin of it per thread. If there are
//            duplicate keys, all keys are sorted once more to drop them.
// Threads    The build starts at most `threads` threads, and no more than it has bins.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/bucketed.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/sparse.hpp>
#include <umbel/solve/lazy.hpp>

namespace umbel::core {

class sparse_builder {
 public:
  template <class Record, class ValueOf>
  [[nodiscard]] static sparse build(const basic_spool<Record>& keys,
                                    const sparse::build_options& options, ValueOf& value_of) {
    sparse::check_probes(options.probes);
    sparse out;
    if (sparse_builder(out, options).try_build(keys, value_of)) return out;
    if (!sparse_builder(out, options).try_build(keys.distinct(options.threads), value_of))
      throw unsolvable(
          detail::text("sparse: more than ", sizing::sparse_bucket_most,
                       " keys fall into one bucket; keys chosen to do that need a keyed hash"));
    return out;
  }

 private:
  template <class Record>
  struct workspace {
    bucketed::workspace<Record> piece;
    std::vector<solve::wide_row> rows;
    solve::sparse_solver solver;
  };

  sparse_builder(sparse& out, const sparse::build_options& options) noexcept
      : out_(out), options_(options) {}

  // False if there are duplicate keys, or so many keys in one bucket that there must be.
  template <class Record, class ValueOf>
  [[nodiscard]] bool try_build(const basic_spool<Record>& keys, ValueOf& value_of) {
    static_assert(basic_spool<Record>::bins == bucketed::pieces);
    out_.keys_ = keys.size();
    out_.width_ = options_.width;
    out_.probes_ = options_.probes;
    if (out_.keys_ == 0) return true;
    keys_ = bucketed(keys, sizing::sparse_buckets(out_.keys_), options_.threads);
    if (*std::max_element(keys_.load().begin(), keys_.load().end()) > sizing::sparse_bucket_most)
      return false;
    lay_out();
    std::vector<workspace<Record>> spaces(detail::crew_size(bucketed::pieces, options_.threads));
    std::atomic<bool> repeats = false;
    detail::parallel_for(bucketed::pieces, options_.threads,
                         [&](std::size_t piece, std::size_t worker) {
      workspace<Record>& space = spaces[worker];
      const auto solve = [&](std::uint64_t bucket, std::span<const Record> own) {
        solve_bucket(own, bucket, space, value_of);
      };
      if (!repeats && !keys_.for_each_bucket(keys, piece, space.piece, solve)) repeats = true;
    });
    return !repeats;
  }

  void lay_out() {
    const std::vector<std::uint64_t>& load = keys_.load();
    out_.directory_ = cells::words<>(load.size() + 1, options_.memory);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < load.size(); ++i) {
      out_.directory_[i] = first << sparse::seed_bits;
      first += sizing::sparse_cells(options_.probes, load[i]);
    }
    out_.directory_[load.size()] = first << sparse::seed_bits;
    out_.cells_ = cells::packed(first, options_.width, options_.memory);
  }

  template <class Record, class ValueOf>
  void solve_bucket(std::span<const Record> keys, std::uint64_t bucket, workspace<Record>& space,
                    ValueOf& value_of) {
    if (keys.empty()) return;
    space.rows.resize(keys.size());
    const auto graph =
        sparse::graph_of(options_.probes, sizing::sparse_cells(options_.probes, keys.size()));
    for (std::uint64_t seed = 0; seed < sizing::sparse_seeds; ++seed) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto words = detail::drawn(key_of(keys[i]), sparse::salts[seed]);
        space.rows[i] = solve::wide_row::make(graph.place(words.place),
                                              value_of(keys[i], detail::wide_tag(words)), 0);
      }
      if (!space.solver.solve(graph, space.rows)) continue;
      write(out_.directory_[bucket] >> sparse::seed_bits, space.solver.cells());
      out_.directory_[bucket] |= seed;
      return;
    }
    throw unsolvable(detail::text("sparse: no system of ", sizing::sparse_seeds,
                                  " has a solution for a bucket of ", keys.size(), " keys"));
  }

  // A bucket's cells may share their first and last word with a bucket of another thread.
  void write(std::uint64_t first, std::span<const std::uint64_t> values) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) out_.cells_.set_shared(first + i, values[i]);
  }

  sparse& out_;
  const sparse::build_options& options_;
  bucketed keys_;
};

}  // namespace umbel::core
