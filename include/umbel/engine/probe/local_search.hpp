// local_search.hpp - the choices of all keys together: every key chooses again until none would
// gain by it.
// Idea       A key that comes early chooses in an almost empty filter, that is blindly. When all
//            are in, take each out again (with the bits it alone uses), let it choose among what
//            the others left, and so on. How many keys use a bit is counted meanwhile and forgotten
//            afterwards.
// Invariant  A key moves only if that sets fewer bits, so the number of bits set falls with every
//            move: it ends. Keys are taken in the order of their digests, so the bits follow from
//            the set of keys alone.
// Limits     Besides the filter four bits for every bit of it, and one byte per key. A bit used by
//            15 keys or more stays set: its count is lost.
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
  unsigned rounds = 0;  // in which every key chose anew
};
// `keys` are distinct and in order: a spool's distinct().
[[nodiscard]] settled settle(const core::choices& at, const digest_spool& keys,
                             std::pmr::memory_resource* memory = nullptr);

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/probe/local_search.ipp>
#endif
