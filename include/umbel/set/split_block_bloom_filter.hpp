// split_block_bloom_filter.hpp - the fastest approximate set: one cache line per key, eight bits by
// one multiplication.
// Idea       A key belongs to one 256-bit block and sets one bit in each of its eight 32-bit lanes.
// Layout     z blocks of 32 bytes; any z that fits in memory.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key, and blocks fill unevenly: at 12 bits per key 0.54% instead
//            of 0.31%. Best from 8 to 16 bits per key; ask binary_fuse_filter for rates below 0.1%.
// Threads    Many readers or one writer; `concurrent_split_block_bloom_filter` takes any number of
//            both.
// Source     [PSS07], and the Parquet format; differs from it in hash and size: see
//            parquet_filter.hpp for that one.
#pragma once

#include <umbel/engine/block/block_filter.hpp>
#include <umbel/engine/block/split_block.hpp>

namespace umbel {

using split_block_bloom_filter = core::block_filter<core::split_block>;
using concurrent_split_block_bloom_filter = core::block_filter<core::split_block, cells::relaxed>;

}  // namespace umbel
