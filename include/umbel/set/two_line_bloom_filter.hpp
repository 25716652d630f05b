// two_line_bloom_filter.hpp - blocked Bloom filter [PSS07] with blocks of two adjacent cache lines:
// closer to the rate of an unblocked filter.
//
// Blocks of 1024 bits fill more evenly than blocks of 512. The hardware fetches cache lines in
// pairs, so the second one costs little.
//
// Layout     z blocks of 128 bytes, each of four groups of 256 bits. A key sets four bits in each
//            of two groups.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key. The rate at 12 bits per key is 0.37 %.
// Threads    Many readers or one writer; `concurrent_two_line_bloom_filter` takes any number of
//            both.
// Source     [PSS07]; cells/pattern/pair.hpp says how it differs.
#pragma once

#include <umbel/cells/pattern/pair.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using two_line_bloom_filter = core::block_filter<core::one_block<cells::pattern::pair>>;
// The same for any number of readers and writers at a time.
using concurrent_two_line_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::pair>, cells::relaxed>;

}  // namespace umbel
