// tree_filter.hpp - resource location in a tree of nodes by Bloom filters [BM04]: own resources,
// those below each child, and their union for the parent.
//
// A node keeps a filter of its own resources and one per child for everything below that child.
// Their OR is sent to the parent. A request goes down to every child whose filter accepts it, and
// up if none does.
//
// Invariant  A resource that a child has reported is always found below it.
// Limits     Filters near the root hold everything below: size them for that. Nothing is erased: a
//            child sends its filter again.
// Threads    Many readers or one writer.
// Source     [BM04] sec. 6.1, [TRL12] sec. IV-B.
#pragma once

#include <utility>
#include <vector>

#include <umbel/cells/bits.hpp>
#include <umbel/net/signature.hpp>

namespace umbel::net {

class tree_filter {
 public:
  explicit tree_filter(const signature& agreed) : agreed_(agreed), own_(agreed.nothing()) {}

  [[nodiscard]] unsigned children() const noexcept { return static_cast<unsigned>(below_.size()); }
  unsigned add_child() {
    below_.push_back(agreed_.nothing());
    return children() - 1;
  }
  template <key K>
  bool insert(const K& k) {
    return agreed_.mark(own_, k);
  }
  // Stores the union filter of a child. Returns true if it changed, so that the parent must be
  // updated.
  bool accept(unsigned child, cells::bits told) {
    agreed_.require_fitting(told);
    if (below_.at(child) == told) return false;
    below_[child] = std::move(told);
    return true;
  }
  // The union of own resources and all children, for the parent.
  [[nodiscard]] cells::bits all() const {
    cells::bits out = own_;
    for (const cells::bits& child : below_) out.storage() |= child.storage();
    return out;
  }

  struct ways {
    bool here = false;
    std::vector<unsigned> children{};
    // No filter accepts the key: as far as reported, it is neither here nor below.
    [[nodiscard]] bool up() const noexcept { return !here && children.empty(); }
  };
  template <key K>
  [[nodiscard]] ways where(const K& k) const {
    const digest d = agreed_.hash()(k);
    ways out{.here = agreed_.accepts(own_, d)};
    for (unsigned child = 0; child < children(); ++child)
      if (agreed_.accepts(below_[child], d)) out.children.push_back(child);
    return out;
  }

 private:
  signature agreed_;
  cells::bits own_;
  std::vector<cells::bits> below_;
};

}  // namespace umbel::net
