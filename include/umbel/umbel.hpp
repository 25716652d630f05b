// umbel.hpp - everything that needs only headers: every structure, what two parties do with them, and the codec.
#pragma once

#include <umbel/codec/codec.hpp>
#include <umbel/map/cascade_map.hpp>
#include <umbel/map/fuse4_map.hpp>
#include <umbel/map/fuse_map.hpp>
#include <umbel/map/xor_map.hpp>
#include <umbel/recon/join.hpp>
#include <umbel/set/banked_bloom_filter.hpp>
#include <umbel/set/best_of_bloom_filter.hpp>
#include <umbel/set/blocked_bloom_filter.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/exact_cascade_set.hpp>
#include <umbel/set/fuse4_filter.hpp>
#include <umbel/set/fuse_filter.hpp>
#include <umbel/set/golomb_filter.hpp>
#include <umbel/set/hash_compaction_filter.hpp>
#include <umbel/set/hash_list_filter.hpp>
#include <umbel/set/multiblock_bloom_filter.hpp>
#include <umbel/set/parquet_filter.hpp>
#include <umbel/set/pattern_bloom_filter.hpp>
#include <umbel/set/register_bloom_filter.hpp>
#include <umbel/set/selected_bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>
#include <umbel/set/two_choice_bloom_filter.hpp>
#include <umbel/set/two_line_bloom_filter.hpp>
#include <umbel/set/xor_filter.hpp>
