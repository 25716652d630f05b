// occupancy.hpp - how full a structure of limited room is, and what is said of one that has none
// left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>

namespace umbel::core {

// As far as an engine can tell: copies count where they take room, and keys that share a slot count
// once. Most are full before all their room is taken.
struct occupancy {
  std::uint64_t keys, room;
  friend bool operator==(const occupancy&, const occupancy&) = default;
};

// For one key that had no room.
[[nodiscard]] inline full no_room(std::string_view kind, occupancy now) {
  return full(detail::text(kind, " is full after ", now.keys, " keys; it has ", now.room,
                           " slots. Build it for ", now.keys + 1, " keys or more"));
}
// For a batch of which `taken` are in now.
[[nodiscard]] inline full no_room(std::string_view kind, occupancy now, std::size_t taken,
                                  std::size_t total) {
  const std::uint64_t left = total - taken, in = std::max<std::uint64_t>(now.keys, taken);
  return {detail::text(kind, " is full after ", taken, " of ", total, " keys; it has ", now.room,
                       " slots. Build it for ", in + left, " keys or more"),
          taken};
}

}  // namespace umbel::core
