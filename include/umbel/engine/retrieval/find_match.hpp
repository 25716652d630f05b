// find_match.hpp - FIND_MATCH of Bloomier filters [CKRT04]: whether a graph can be peeled, that is,
// whether every key can be assigned its own cell.
//
// Idea       What a build does with one salt, without values. Used for thresholds, tables and
//            tests.
// Source     [CKRT04] sec. 3.2, FIND_MATCH. Differs: peels cell by cell instead of in rounds, with
//            the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/engine/retrieval/place.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/solve/peel.hpp>
#include <umbel/solve/row.hpp>

namespace umbel::core {

template <peelable Graph>
[[nodiscard]] bool find_match(const Graph& graph, std::uint64_t attempt,
                              std::span<const digest> keys) {
  using row = solve::slim_row;
  const std::uint64_t salt = graph_salt(attempt);
  std::vector<row> rows, sums(graph.size());
  rows.reserve(keys.size());
  for (const digest& d : keys)
    rows.push_back(row::make(graph.place(detail::drawn(d, salt).place), 0, 0));
  return solve::pile(graph, 0, std::span<const row>(rows), std::span(sums)) &&
         solve::peel(graph, 0, std::span(sums), std::span(rows)) == keys.size();
}

}  // namespace umbel::core
