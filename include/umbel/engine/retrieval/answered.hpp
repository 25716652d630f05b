// answered.hpp - what a retrieval engine whose tags come with the place of a key says of it.
#pragma once

#include <cstdint>

namespace umbel::core {

// What an engine holds for a key, and the key's tag; both of the engine's width.
struct answered {
  std::uint64_t value, tag;
};

}  // namespace umbel::core
