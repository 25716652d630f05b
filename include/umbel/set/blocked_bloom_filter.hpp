// blocked_bloom_filter.hpp - blocked Bloom filter [PSS07]: one cache line per key, at nearly the
// false positive rate of an unblocked filter.
//
// A key has one 512-bit block and sets k different bits there, half of them in each half.
//
// Layout     z blocks of 64 bytes.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     At 12 bits per key the rate is 0.41 %; a split block has 0.54 %, a bloom_filter 0.31
//            %. k is 2 to 16.
// Threads    Many readers or one writer; `concurrent_blocked_bloom_filter` takes any number of
//            both.
// Source     [PSS07]; cells/pattern/line.hpp says how it differs.
#pragma once

#include <umbel/cells/pattern/line.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using blocked_bloom_filter = core::block_filter<core::one_block<cells::pattern::line>>;
// The same for any number of readers and writers at a time.
using concurrent_blocked_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::line>, cells::relaxed>;

}  // namespace umbel
