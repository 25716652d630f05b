// error.hpp - what the library throws, and nothing else does.
// Idea       A caller can act on a kind: fix the argument, make room, fetch the right file, choose
//            another seed.
// Invariant  All or nothing: after a throw the object it was called on is as it was before.
// Limits     Queries never throw. Out of memory is the allocator's own exception, a broken
//            precondition an assert.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace umbel {

struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct bad_parameter : error {
  using error::error;
};  // an argument no structure can be made of
struct full : error {
  using error::error;
  full(const std::string& what, std::size_t keys) : error(what), taken(keys) {}
  std::size_t taken = 0;  // keys of the batch that are in
};                        // no room left for this key
struct incompatible : error {
  using error::error;
};  // two things that are sound but do not fit each other
struct conflict : error {
  using error::error;
};  // one key given with two values
struct unsolvable : error {
  using error::error;
};  // every seed of a static build failed
struct corrupt : error {
  using error::error;
};  // bytes that are not what they say they are
struct io_error : error {
  using error::error;
};  // the system refused: open, read, write, sync, rename

}  // namespace umbel
