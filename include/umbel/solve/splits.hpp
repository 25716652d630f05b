// splits.hpp - RecSplit splitting tree [EGV20]: child sizes, thresholds and code lengths for every
// bucket size.
//
// The tree of a bucket depends on its number of keys alone. A query looks up everything about a
// node by its size.
//
// Layout     One entry per size up to the largest bucket. Only the remainder bits of each size are
//            stored; the rest is computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/division.hpp>
#include <umbel/sizing/division.hpp>

namespace umbel::solve {

class splits {
 public:
  struct child {
    std::uint16_t keys = 0;
    std::uint16_t first = 0, fixed = 0,
                  codes = 0;  // before this child: keys, remainder bits, nodes with a code
  };
  struct node {
    std::uint32_t bounds[2] = {};        // thresholds; of a leaf: the inverse of its size
    child children[3] = {};              // zeros for a leaf
    std::uint16_t fixed = 0, codes = 0;  // of the whole subtree
    std::uint8_t remainder = 0;          // bits of the node itself
  };

  splits() = default;
  explicit splits(std::span<const std::uint8_t> remainders) : nodes_(remainders.size()) {
    for (std::uint32_t keys = 2; keys < nodes_.size(); ++keys) {
      node& n = nodes_[keys];
      n.codes = 1;
      n.fixed = n.remainder = remainders[keys];
      if (keys <= sizing::division_leaf) {
        n.bounds[0] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / keys + 1);
        continue;
      }
      const auto sizes = sizing::children_of(keys);
      std::uint32_t first = 0, fixed = 0, codes = 0;
      for (unsigned i = 0; i < 3; ++i) {
        const auto narrow = [](std::uint32_t number) { return static_cast<std::uint16_t>(number); };
        n.children[i] = {narrow(sizes[i]), narrow(first), narrow(fixed), narrow(codes)};
        if (i > 0)
          n.bounds[i - 1] = static_cast<std::uint32_t>((std::uint64_t{first} << 32) / keys);
        first += sizes[i];
        fixed += nodes_[sizes[i]].fixed;
        codes += nodes_[sizes[i]].codes;
      }
      n.fixed = static_cast<std::uint16_t>(n.fixed + fixed);
      n.codes = static_cast<std::uint16_t>(n.codes + codes);
    }
  }

  [[nodiscard]] std::uint32_t largest() const noexcept {  // largest bucket
    return nodes_.empty() ? 0 : static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  [[nodiscard]] const node& operator[](std::uint32_t keys) const noexcept { return nodes_[keys]; }

 private:
  std::vector<node> nodes_;
};

}  // namespace umbel::solve
