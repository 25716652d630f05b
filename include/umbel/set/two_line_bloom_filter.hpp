// two_line_bloom_filter.hpp - approximate set of two neighbouring cache lines per key: closer still
// to an unblocked one.
// Idea       Blocks of 1024 bits even out more of the load. Memory fetches lines in pairs, so the
//            second is cheap.
// Layout     z blocks of 128 bytes: four groups of 256 bits, of which a key has four bits in each
//            of two.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     At 12 bits per key 0.37%. Eight probes.
// Threads    Many readers or one writer; `concurrent_two_line_bloom_filter` takes any number of
//            both.
// Source     [PSS07]; differs as pattern/pair.hpp says.
#pragma once

#include <umbel/cells/pattern/pair.hpp>
#include <umbel/engine/block/block_filter.hpp>

namespace umbel {

using two_line_bloom_filter = core::block_filter<core::one_block<cells::pattern::pair>>;
using concurrent_two_line_bloom_filter =
    core::block_filter<core::one_block<cells::pattern::pair>, cells::relaxed>;

}  // namespace umbel
