// multiblock_bloom_filter.hpp - approximate set of one cache line per key, one bit in each of its
// eight words.
// Idea       The split block, widened to a line: eight different bits by eight fields of the hash,
//            two vector tests.
// Layout     z blocks of 64 bytes.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key: 0.42% at 12 bits per key. As fast as a split block where
//            memory is what is waited for.
// Threads    Many readers or one writer; `concurrent_multiblock_bloom_filter` takes any number of
//            both.
// Source     [PSS07] for blocks, the Parquet format for lanes.
#pragma once

#include <umbel/cells/pattern/split.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

using multiblock_bloom_filter = core::block_filter<core::one_block<cells::pattern::split64>>;
using concurrent_multiblock_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::split64>, cells::relaxed>;

}  // namespace umbel
