// parquet_filter.hpp - split block Bloom filter of Apache Parquet, byte for byte.
//
// The blocks of split_block_bloom_filter with the hash of that format (XXH64 of the plain encoding,
// seed 0), its choice of the block (high 32 bits) and its size limit (128 MiB). `bitset()` returns
// what a Parquet file holds.
//
// Limits     The hash of an integer depends on its width, as Parquet stores it: insert std::int32_t
//            for INT32 columns and std::int64_t for INT64 columns. The format prescribes seed 0, so
//            anyone can craft keys that collide.
// Source     The page on Bloom filters of the Parquet format.
#pragma once

#include <umbel/engine/block/parquet.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

namespace umbel {

// The filter. Options, plan() and build() are in engine/block/block_filter.hpp, the other verbs in
// core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, clear, merge, intersect,
// fold.
using parquet_filter = core::block_filter<core::parquet>;

}  // namespace umbel
