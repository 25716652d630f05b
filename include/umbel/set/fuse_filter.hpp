// fuse_filter.hpp - static set of about 1.13 r bits per key, error 2^-r, three reads per query.
// Idea       f(x) = B[h0] ^ B[h1] ^ B[h2]; build solves f(x) = tag(x) for all keys, so strangers pass by luck only.
// Layout     engine/retrieval/peeled.hpp on a 3-wise fuse graph under the fingerprint adaptor; r from 1 to 64, fastest at 8 and 16.
// Invariant  After build, f(x) == tag(x) for every key given: no false negatives. Cells never change again.
// Limits     No insert: build again. Small sets pay for rounding (1.28 r bits at 1e4 keys, 1.41 r at 1e3).
// Threads    Immutable: any number of readers.
// Source     [GL22]; differs in that shapes come from sizing/fuse.hpp and keys are 128-bit digests.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_filter.hpp>
#include <umbel/engine/retrieval/fuse.hpp>

namespace umbel {

class fuse_filter : public core::peeled_filter<fuse_filter, core::fuse<3>> {
 public:
  static constexpr std::string_view kind = "fuse-filter";
};

}  // namespace umbel
