// local_search.hpp - two-choice Bloom filter [LM07] built from all keys at once: keys choose their
// walks again until no choice improves.
//
// Idea       An early key chooses in an almost empty filter, where all walks are equally good.
//            After all keys are inserted, each is removed (with the bits that only it uses) and
//            chooses again given all others; this is repeated. During the build the keys of each
//            bit are counted; the counts are then discarded.
// Invariant  A key changes its choice only if that sets fewer bits. So the number of set bits falls
//            with every change, and the search ends. Keys are processed in the order of digests, so
//            the bits depend only on the set of keys.
// Limits     Memory besides the filter: four bits per bit of the filter and one byte per key. A bit
//            used by 15 keys or more stays set, because its count is lost.
// Source     [LM07] for the choice; choosing again is ours.
#pragma once

#include <cstdint>
#include <memory_resource>

#include <umbel/base/config.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/probe/choices.hpp>

namespace umbel::core {

struct settled {
  cells::words<> bits;  // one for every cell
  unsigned rounds = 0;  // in which every key chose again
};
// `keys` must be distinct and sorted: a spool's distinct().
[[nodiscard]] settled settle(const core::choices& at, const digest_spool& keys,
                             std::pmr::memory_resource* memory = nullptr);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/probe/local_search.ipp>
#endif
