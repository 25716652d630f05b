// block_shape.hpp - how a key marks its block [PSS07], in numbers: shared by patterns and sizing
// formulas.
#pragma once

namespace umbel::detail {

// A key sets `probes` bits, dealt in turn to `groups` equal groups. In a group, up to `round`
// consecutive probes are distinct bits; the next round is independent. Parquet's split block is
// {32, 8, 8, 1}: one bit in each lane.
struct block_shape {
  unsigned group_bits = 32;
  unsigned groups = 8;
  unsigned probes = 8;
  unsigned round = 1;
  unsigned patterns = 0;  // number of masks a mark is chosen from; 0: unrestricted
  bool in_two = false;    // a key marks two of its groups, chosen uniformly; otherwise all

  [[nodiscard]] constexpr unsigned bits() const noexcept { return group_bits * groups; }
  [[nodiscard]] constexpr unsigned probes_in(unsigned group) const noexcept {
    return in_two ? probes / 2 : probes / groups + (group < probes % groups);
  }
};

}  // namespace umbel::detail
