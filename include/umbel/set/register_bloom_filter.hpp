// register_bloom_filter.hpp - approximate set of one 64-bit word per key: the least work that can
// answer.
// Idea       A key belongs to one word and sets k bits in it; a query is one load and one
//            comparison.
// Layout     z words of 8 bytes.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     Words fill unevenly: 0.99% at 12 bits per key. For coarse rates and small, hot
//            filters; k from 1 to 10.
// Threads    Many readers or one writer; `concurrent_register_bloom_filter` takes any number of
//            both.
// Source     [PSS07].
#pragma once

#include <umbel/cells/pattern/register.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

using register_bloom_filter = core::block_filter<core::one_block<cells::pattern::register64>>;
using concurrent_register_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::register64>, cells::relaxed>;

}  // namespace umbel
