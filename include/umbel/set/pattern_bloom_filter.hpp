// pattern_bloom_filter.hpp - Bloom filter with precomputed bit patterns [PSS07]: one 64-bit word
// per key, in which one of 4096 masks is set.
//
// A table of random masks replaces k shifts by one lookup. Every mask has k different bits.
//
// Layout     z words of 8 bytes. The table follows from k alone and is not stored.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     Two keys in one word share a mask with probability 1/4096. So the rate is at least
//            64 / (4096 c) at c bits per key.
// Threads    Many readers or one writer; `concurrent_pattern_bloom_filter` takes any number of
//            both.
// Source     [PSS07].
#pragma once

#include <umbel/cells/pattern/register.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using pattern_bloom_filter = core::block_filter<core::one_block<cells::pattern::table64>>;
// The same for any number of readers and writers at a time.
using concurrent_pattern_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::table64>, cells::relaxed>;

}  // namespace umbel
