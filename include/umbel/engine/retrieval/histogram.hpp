// histogram.hpp - the number of keys of each value, from which a map with skewed values [HKP09]
// derives its code and size.
//
// Idea       Values are counted in a table of bounded size; small values in an array. If more
//            values occur, a full table is written to a spool, keyed by value, and the counts of
//            each value are added up there.
// Invariant  The result depends only on the set of records, not on their order.
// Limits     Beyond 2^20 values the rarest are omitted: a code for them would not pay.
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
  // the most frequent first; on a tie the smallest value first
  std::vector<value_count> values;
  std::uint64_t keys = 0;  // in all

  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> out;
    out.reserve(values.size());
    for (const value_count& v : values) out.push_back(v.keys);
    return out;
  }
  // Whether the values are 0, 1, 2, ... in this order.
  [[nodiscard]] bool is_ranked() const noexcept {
    for (std::uint64_t i = 0; i < values.size(); ++i)
      if (values[i].value != i) return false;
    return true;
  }
};

// Counts every record; a key given twice counts twice. `room` is the maximum number of values in
// the table and in the result; tests set it. A template, so that only programs that build compile
// it.
template <class Spool = pair_spool>
[[nodiscard]] histogram count_values(const std::type_identity_t<Spool>& pairs, unsigned threads = 1,
                                     std::uint64_t room = sizing::max_codes);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/retrieval/histogram.ipp>
#endif
