// histogram.hpp - how many keys have each value: what the price of a map with unlike values follows
// from.
// Idea       Values are counted in a table of bounded size, small ones in an array. Where more
//            values occur, the table is emptied into a spool when it is full, by value, and what
//            belongs to one value is added up there.
// Invariant  The result depends on the set of records alone, not on their order.
// Limits     Beyond 2^20 values the rarest are left out: they are not worth a code.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/sizing/entropy.hpp>

namespace umbel::core {

struct value_count {
  std::uint64_t value;
  std::uint64_t keys;
};
struct histogram {
  // the most frequent first, of equally frequent ones the smallest
  std::vector<value_count> values;
  std::uint64_t keys = 0;  // in all

  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> out;
    out.reserve(values.size());
    for (const value_count& v : values) out.push_back(v.keys);
    return out;
  }
  // Values are 0, 1, 2, ...
  [[nodiscard]] bool is_ranked() const noexcept {
    for (std::uint64_t i = 0; i < values.size(); ++i)
      if (values[i].value != i) return false;
    return true;
  }
};

// Of every record; keys that are given twice count twice. `room` is a seam for tests: how many
// values the table has room for, and the result. A template, so that only programs that build
// compile it.
template <class Spool = pair_spool>
[[nodiscard]] histogram count_values(const std::type_identity_t<Spool>& pairs, unsigned threads = 1,
                                     std::uint64_t room = sizing::max_codes);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/histogram.ipp>
#endif
