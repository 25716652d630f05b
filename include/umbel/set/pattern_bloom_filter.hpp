// pattern_bloom_filter.hpp - approximate set of one 64-bit word per key, marked by one of 4096
// masks.
// Idea       A table of masks drawn once replaces k shifts by one lookup, and every mask has k
//            different bits.
// Layout     z words of 8 bytes; the table follows from k alone and is not stored.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     Two keys of a word share a mask once in 4096 times: no rate below 64 / (4096 c) at c
//            bits per key.
// Threads    Many readers or one writer; `concurrent_pattern_bloom_filter` takes any number of
//            both.
// Source     [PSS07].
#pragma once

#include <umbel/cells/pattern/register.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

using pattern_bloom_filter = core::block_filter<core::one_block<cells::pattern::table64>>;
using concurrent_pattern_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::table64>, cells::relaxed>;

}  // namespace umbel
