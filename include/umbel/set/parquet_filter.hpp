// parquet_filter.hpp - the split-block filter of Apache Parquet, byte for byte.
// Idea       The same blocks as split_block_bloom_filter under that format's hash (XXH64 of the
//            plain encoding, seed 0), its block choice (high 32 bits) and its limit (128 MiB).
//            `bitset()` is what a Parquet file holds.
// Limits     Integers hash by their width as Parquet stores them: insert std::int32_t for INT32 and
//            std::int64_t for INT64 columns. Unkeyed by definition: anyone can craft keys for it.
// Source     The Parquet format's Bloom filter page.
#pragma once

#include <umbel/engine/block/parquet.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

namespace umbel {

using parquet_filter = core::block_filter<core::parquet>;

}  // namespace umbel
