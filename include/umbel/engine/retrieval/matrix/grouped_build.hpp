// grouped_build.hpp - build of core::grouped [Por09]: buckets, their division into groups, and a
// dense system for each group.
//
// Idea       core/bucketed.hpp counts the keys of every bucket, which determines where its cells
//            are, and then yields the buckets. A bucket is divided with the first division number
//            for which all groups are small enough and begin close enough to their expected
//            positions. A group is solved with the first seed for which it has a solution.
// Invariant  The result depends only on the set of (key, value): not on input order, threads or
//            addresses.
// Limits     Memory while building: the spool, plus one bin of it per thread. If there are
//            duplicate keys, all keys are sorted once more to drop them.
// Threads    The build starts at most `threads` threads, and no more than there are bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/core/bucketed.hpp>
#include <umbel/core/value_source.hpp>
#include <umbel/engine/retrieval/matrix/grouped.hpp>
#include <umbel/solve/dense.hpp>
#include <umbel/solve/small.hpp>
#include <umbel/solve/tabled.hpp>

namespace umbel::core {

// `Source` is value_source. A template, so that only programs that build compile the sorting and
// solving.
template <class Source>
class grouped_builder {
 public:
  [[nodiscard]] static grouped build(const Source& keys, const grouped::build_options& options);

 private:
  // The lists of one piece of work; they are joined in the order of pieces.
  struct piece_lists {
    std::vector<std::uint64_t> seeds, side, bad;
  };
  struct workspace {
    bucketed::workspace<valued> piece;
    std::vector<std::uint64_t> begins;  // of the groups of a bucket; then its keys
    std::vector<std::uint32_t> group_of;
    std::vector<valued> divided;  // the keys of a bucket, group by group
    std::vector<std::uint64_t> values;
    solve::small_system<1> one_word;
    solve::small_system<2> two_words;
    solve::dense_system dense;
    solve::tabled_systems tabled;
  };

  [[nodiscard]] static grouped build_distinct(const Source& once,
                                              const grouped::build_options& options);
  grouped_builder(grouped& out, const grouped::build_options& options) noexcept
      : out_(out), options_(options) {}
  [[nodiscard]] bool try_build(const Source& keys, std::uint64_t redraw);
  [[nodiscard]] bool listed_are_few() const noexcept;
  void lay_out();
  [[nodiscard]] bool solve_all(const Source& keys, std::vector<piece_lists>& lists);
  void join(const std::vector<piece_lists>& lists);

  void solve_bucket(std::uint64_t bucket, std::span<const valued> keys, workspace& space,
                    piece_lists& lists);
  [[nodiscard]] bool divide(std::span<const valued> keys, std::uint64_t division,
                            workspace& space) const;
  [[nodiscard]] bool solve_group(std::uint64_t group, std::uint64_t first,
                                 std::span<const valued> keys, workspace& space,
                                 piece_lists& lists);
  [[nodiscard]] bool try_dense(const grouped::spot& at, std::span<const valued> keys,
                               workspace& space);
  template <class System>
  [[nodiscard]] bool try_small(System& system, const grouped::spot& at,
                               std::span<const valued> keys, workspace& space);
  [[nodiscard]] bool try_large(const grouped::spot& at, std::span<const valued> keys,
                               workspace& space);
  void write(const grouped::spot& at, const workspace& space);
  [[nodiscard]] bool try_tabled(const grouped::spot& at, std::span<const valued> keys,
                                workspace& space);

  grouped& out_;
  const grouped::build_options& options_;
  bucketed keys_;
  std::vector<char> bad_;  // of every bucket
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/matrix/grouped_build.ipp>
#endif
