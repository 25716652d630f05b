// flagged_probes.hpp - deletable Bloom filter [RMVM10]: probes over bits in regions, each with a
// flag that records a collision. The engine of deletable Bloom filters.
//
// Invariant  In a region without its flag every set bit belongs to exactly one key. So the erase of
//            one member never causes a false negative for another. Flags are never cleared by
//            erases.
// Threads    Many readers or one writer.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory_resource>

#include <umbel/cells/flagged_bits.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Index>
class flagged_probes : public probes<Index, cells::flagged_bits> {
  using base = probes<Index, cells::flagged_bits>;

 public:
  using base::base, base::cells, base::index;
  flagged_probes(const Index& at, std::uint64_t regions, std::pmr::memory_resource* memory)
      : base(at, umbel::cells::flagged_bits(at.cells(), regions, memory)) {}

  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return cells().size() + cells().regions();
  }
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(cells().plain().storage().ones()) /
           static_cast<double>(cells().size());
  }
  // The share of regions with a collision.
  [[nodiscard]] double flagged() const noexcept {
    return static_cast<double>(cells().flags().storage().ones()) /
           static_cast<double>(cells().regions());
  }
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), index().probes()); }
  // Whether an erase would remove the key; false if it is absent.
  [[nodiscard]] bool erasable(digest d) const noexcept {
    return this->may_contain(d) &&
           !all_of(index(), d, [&](std::uint64_t i) { return !cells().free(i); });
  }
  void clear() noexcept { cells().clear(); }

  static void describe(auto& self, auto& part) {
    part.fields("index", self.index());
    umbel::cells::flagged_bits::describe(self.cells(), part);
  }
};

}  // namespace umbel::core
