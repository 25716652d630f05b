// multiblock_bloom_filter.hpp - blocked Bloom filter [PSS07] with one bit in each of the eight
// 64-bit words of a key's cache line.
//
// A split block (split_block_bloom_filter.hpp) widened to a cache line. Eight fields of the hash
// choose the eight bits; two vector operations test them.
//
// Layout     z blocks of 64 bytes.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key. The rate at 12 bits per key is 0.42 %. It is as fast as a
//            split block where queries wait for memory.
// Threads    Many readers or one writer; `concurrent_multiblock_bloom_filter` takes any number of
//            both.
// Source     [PSS07] for blocks, the Parquet format for lanes.
#pragma once

#include <umbel/cells/pattern/split.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using multiblock_bloom_filter = core::block_filter<core::one_block<cells::pattern::split64>>;
// The same for any number of readers and writers at a time.
using concurrent_multiblock_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::split64>, cells::relaxed>;

}  // namespace umbel
