// fuse4_filter.hpp - static set of about 1.075 r bits per key, error 2^-r, four reads per query.
// Idea       fuse_filter with four cells per key instead of three: the graph peels at a higher load, so the set is a
//            twentieth smaller, for a fourth cache line per query and a longer build.
// Layout     engine/retrieval/peeled.hpp on a 4-wise fuse graph under the fingerprint adaptor; r from 1 to 64, fastest at 8 and 16.
// Invariant  Every key given passes: no false negatives. Cells never change again.
// Limits     No insert: build again. Small sets pay for rounding (1.23 r bits at 1e4 keys, 1.38 r at 1e3).
// Threads    Immutable: any number of readers.
// Source     [GL22]; the load is measured by bench/derive/fuse.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_filter.hpp>
#include <umbel/engine/retrieval/fuse.hpp>

namespace umbel {

class fuse4_filter : public core::peeled_filter<fuse4_filter, core::fuse<4>> {
 public:
  static constexpr std::string_view kind = "fuse4-filter";
};

}  // namespace umbel
