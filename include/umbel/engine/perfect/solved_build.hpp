// solved_build.hpp - build of core::solved_hash [GOV20]: buckets, seeds, and a system over GF(3)
// for each bucket.
//
// Idea       core/bucketed.hpp counts the keys of every bucket, which determines where its cells
//            are. It then yields the keys bucket by bucket, and each bucket's system is solved.
// Invariant  The result depends only on the set of keys: not on input order, threads or addresses.
// Limits     Memory while building: the spool, plus one bin of it per thread. If there are
//            duplicate keys, all keys are sorted once more to drop them.
// Threads    The build starts at most `threads` threads, and no more than it has bins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/bucketed.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/perfect/pthash.hpp>
#include <umbel/engine/perfect/solved.hpp>
#include <umbel/solve/own_cells.hpp>

namespace umbel::core {

template <class Spool>  // so that only programs that build compile it
class solved_builder {
 public:
  // Duplicate keys are dropped. Throws unsolvable.
  [[nodiscard]] static solved_hash build(const Spool& keys, const perfect_build_options& options) {
    check_keys(keys.size());
    solved_hash out;
    if (solved_builder(out, options, 0).try_build(keys)) return out;
    const Spool once = keys.distinct(options.threads);
    if (solved_builder(out, options, 0).try_build(once)) return out;
    for (std::uint64_t redraw = 1; redraw < sizing::solved_redraws; ++redraw) {
      solved_builder again(out, options, redraw);
      Spool drawn(once.options());
      once.for_each(0, Spool::bins, [&](std::span<const digest> block) {
        for (const digest& d : block) drawn.add(out.redrawn(d));
      });
      if (again.try_build(drawn)) return out;
    }
    throw unsolvable(detail::text("solved: no drawing of ", sizing::solved_redraws, " fits ",
                                  once.size(), " keys"));
  }

 private:
  template <class Row = solve::slim_row>
  struct workspace {
    bucketed::workspace<digest> piece;
    std::vector<Row> rows;
    solve::own_cells<solved_hash::graph, Row> solver;
  };

  solved_builder(solved_hash& out, const perfect_build_options& options, std::uint64_t redraw)
      : out_(out), options_(options) {
    out_ = solved_hash();
    out_.redraw_ = redraw;
  }

  // False if there are duplicate keys, if too many keys share a bucket, or if a system has no
  // solution.
  [[nodiscard]] bool try_build(const Spool& keys) {
    static_assert(Spool::bins == bucketed::pieces);
    out_.keys_ = keys.size();
    if (out_.keys_ == 0) return true;
    keys_ = bucketed(keys, sizing::sparse_buckets(out_.keys_), options_.threads);
    if (*std::max_element(keys_.load().begin(), keys_.load().end()) > sizing::sparse_bucket_most)
      return false;
    lay_out();
    std::vector<workspace<>> spaces(detail::crew_size(bucketed::pieces, options_.threads));
    const outcome all =
        solve_parts(bucketed::pieces, options_.threads, [&](std::size_t piece, std::size_t worker) {
          outcome worst = outcome::solved;
          const bool differ =
              keys_.for_each_bucket(keys, piece, spaces[worker].piece,
                                    [&](std::uint64_t bucket, std::span<const digest> own) {
        if (worst == outcome::solved && !solve_bucket(own, bucket, spaces[worker]))
          worst = outcome::stuck;
              });
          return differ ? worst : outcome::repeats;
        });
    out_.draw();
    return all == outcome::solved;
  }

  void lay_out() {
    const std::vector<std::uint64_t>& load = keys_.load();
    out_.directory_ = cells::words<>(load.size() + 1, options_.memory);
    for (std::size_t i = 0; i < load.size(); ++i)
      out_.directory_[i + 1] = out_.directory_[i] + (load[i] << solved_hash::seed_bits);
    out_.cells_ =
        cells::packed(3 * sizing::solved_blocks(out_.keys_, load.size()), 2, options_.memory);
  }

  [[nodiscard]] bool solve_bucket(std::span<const digest> keys, std::uint64_t bucket,
                                  workspace<>& space) {
    const std::uint64_t before = out_.directory_[bucket] >> solved_hash::seed_bits;
    const std::uint64_t first = sizing::solved_blocks(before, bucket);
    const solved_hash::graph graph(
        {.block = sizing::solved_blocks(before + keys.size(), bucket + 1) - first});
    space.rows.resize(keys.size());
    for (std::uint64_t seed = 0; seed < sizing::sparse_seeds; ++seed) {
      std::transform(keys.begin(), keys.end(), space.rows.begin(),
                     [&, salt = graph_salt(seed)](const digest& d) {
        return solve::slim_row::make(graph.place(detail::drawn(d, salt).place), 0, 0);
      });
      if (!space.solver.solve(graph, space.rows)) continue;
      // a bucket's cells may share their first and last word with a bucket of another thread
      const auto made = space.solver.cells();
      for (std::size_t i = 0; i < made.size(); ++i) out_.cells_.set_shared(3 * first + i, made[i]);
      out_.directory_[bucket] |= seed;
      return true;
    }
    return false;
  }

  solved_hash& out_;
  const perfect_build_options& options_;
  bucketed keys_;
};

}  // namespace umbel::core
