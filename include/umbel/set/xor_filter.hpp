// xor_filter.hpp - static set of 1.23 r bits per key and 32 cells, error 2^-r, three reads per query.
// Idea       f(x) = B[h0] ^ B[h1] ^ B[h2], one cell in each third of the array; build solves f(x) = tag(x) for all keys.
//            The simplest graph that peels: nothing to tune, and no size at which it is wasteful.
// Layout     engine/retrieval/peeled.hpp on three equal blocks under the fingerprint adaptor; r from 1 to 64, fastest at 8 and 16.
// Invariant  Every key given passes: no false negatives. Cells never change again.
// Limits     No insert: build again. From some ten thousand keys on fuse_filter is smaller and is built faster.
// Threads    Immutable: any number of readers.
// Source     [GL20]; differs in that keys are 128-bit digests and large sets are divided into shards.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_filter.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

class xor_filter : public core::peeled_filter<xor_filter, core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-filter";
};

}  // namespace umbel
