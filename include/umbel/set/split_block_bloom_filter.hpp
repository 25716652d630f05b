// split_block_bloom_filter.hpp - split block Bloom filter [PSS07]: the fastest approximate set. One
// cache line per key, eight bits from one multiplication.
//
// A key has one 256-bit block and sets one bit in each of its eight 32-bit lanes.
//
// Layout     z blocks of 32 bytes; any z that fits in memory.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key, and blocks fill unevenly: the rate at 12 bits per key is
//            0.54 % instead of 0.31 %. Best at 8 to 16 bits per key; for rates below 0.1 % take a
//            binary_fuse_filter.
// Threads    Many readers or one writer; `concurrent_split_block_bloom_filter` takes any number of
//            both.
// Source     [PSS07] and the Parquet format. Hash and sizes differ from Parquet's;
//            parquet_filter.hpp has that format.
#pragma once

#include <umbel/engine/block/block_filter.hpp>
#include <umbel/engine/block/split_block.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using split_block_bloom_filter = core::block_filter<core::split_block>;
// The same for any number of readers and writers at a time.
using concurrent_split_block_bloom_filter = core::block_filter<core::split_block, cells::relaxed>;

}  // namespace umbel
