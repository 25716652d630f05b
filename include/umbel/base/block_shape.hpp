// block_shape.hpp - how a key marks its block, in numbers: what patterns say of themselves and
// predictions need.
#pragma once

namespace umbel::detail {

// How a key marks its block: `probes` bits, dealt in turn to `groups` equal groups. In a group, up
// to `round` of them at a time are different bits; the next round is drawn anew. Parquet's split
// block is {32, 8, 8, 1}: a bit in each lane.
struct block_shape {
  unsigned group_bits = 32;
  unsigned groups = 8;
  unsigned probes = 8;
  unsigned round = 1;
  unsigned patterns = 0;  // the marks are one of so many masks; 0: free
  bool in_two = false;    // a key marks two of its groups, any two alike; else all of them

  [[nodiscard]] constexpr unsigned bits() const noexcept { return group_bits * groups; }
  [[nodiscard]] constexpr unsigned probes_in(unsigned group) const noexcept {
    return in_two ? probes / 2 : probes / groups + (group < probes % groups);
  }
};

}  // namespace umbel::detail
