// answered.hpp - the result of a retrieval engine that computes a key's tag together with its
// cells.
#pragma once

#include <cstdint>

namespace umbel::core {

// The value that an engine holds for a key, and the key's tag; both have the engine's width.
struct answered {
  std::uint64_t value, tag;
};

}  // namespace umbel::core
