// tree_filter.hpp - resources in a tree of nodes: what is here, what is below each child, and what
// to tell the parent.
// Idea       A node keeps a filter of its own resources and one for everything below each child;
//            their OR goes to the parent. A request goes down to every child whose filter accepts
//            it, and up where none does.
// Invariant  What a child has told is never missed below it.
// Limits     Filters towards the root hold everything beneath: size them for that. Nothing is
//            erased: a child tells its filter anew.
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
  // What a child has at and below it. True if that is news, which the parent should hear.
  bool accept(unsigned child, cells::bits told) {
    agreed_.require_fitting(told);
    if (below_.at(child) == told) return false;
    below_[child] = std::move(told);
    return true;
  }
  // Everything here and below: for the parent.
  [[nodiscard]] cells::bits all() const {
    cells::bits out = own_;
    for (const cells::bits& child : below_) out.storage() |= child.storage();
    return out;
  }

  struct ways {
    bool here = false;
    std::vector<unsigned> children{};
    // Nothing accepts it: certainly neither here nor below, as far as was told.
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
