// register_bloom_filter.hpp - register-blocked Bloom filter [PSS07]: one 64-bit word per key, the
// least work per query.
//
// A key has one word and sets k bits in it. A query is one load and one comparison.
//
// Layout     z words of 8 bytes.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     Words fill unevenly: the rate at 12 bits per key is 0.99 %. For high rates and small
//            filters that stay in the cache. k is 1 to 10.
// Threads    Many readers or one writer; `concurrent_register_bloom_filter` takes any number of
//            both.
// Source     [PSS07].
#pragma once

#include <umbel/cells/pattern/register.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using register_bloom_filter = core::block_filter<core::one_block<cells::pattern::register64>>;
// The same for any number of readers and writers at a time.
using concurrent_register_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::register64>, cells::relaxed>;

}  // namespace umbel
