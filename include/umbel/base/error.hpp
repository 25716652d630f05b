// error.hpp - the exceptions of the library.
//
// The types correspond to what a caller can do: fix the argument, make room, use the right file,
// choose another seed.
//
// Invariant  All or nothing: after a throw the object is unchanged.
// Limits     Queries never throw. Out of memory is the allocator's own exception; a broken
//            precondition is an assert.
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
};  // an argument that no structure can have
struct full : error {
  using error::error;
  full(const std::string& what, std::size_t keys) : error(what), taken(keys) {}
  std::size_t taken = 0;  // keys of the batch that were inserted
};                        // no room for this key
struct incompatible : error {
  using error::error;
};  // two valid things that do not fit each other
struct conflict : error {
  using error::error;
};  // a key given with two values
struct unsolvable : error {
  using error::error;
};  // every seed of a static build failed
struct corrupt : error {
  using error::error;
};  // bytes that violate the format or their checksum
struct io_error : error {
  using error::error;
};  // a system call failed: open, read, write, sync, rename

}  // namespace umbel
