// blooming_tree.hpp - minimal perfect hash by a Blooming tree [AFGP08]: a row of bits that keys are
// hashed to, and a binary tree below each bit where keys collide.
//
// A set bit is a node. A node with one key is a leaf; the keys of another are divided by one more
// bit of each, level after level. A key's index is the number of leaves before its own, level by
// level. Half of the non-members end at a clear bit, and are recognised.
//
// Layout     `filled`: 5/4 bits per key, a set one for every node of the first level. `leaves`: a
//            bit for every node, all levels one after another, in order. `children`: two bits for
//            every node that is no leaf, in the same order: which of its children there are. How
//            many nodes a level has follows from these. 4 bits per key, and a sixteenth to count.
// Invariant  After build, index(x) differs for all keys given. Below keys() for every digest
//            whatever.
// Limits     Memory while building: 16 bytes per key, plus 48 per key of the bins in work.
// Threads    Immutable: any number of readers.
// Source     [AFGP08] as [TRL12] II-C-1 has it; the layers are ours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/ranked_bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::core {

template <class Spool>
class tree_builder;

class blooming_tree {
 public:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  blooming_tree() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n) {
    check_keys(n);
    if (n == 0) return {};
    const auto nodes =
        static_cast<std::uint64_t>(sizing::tree_nodes_per_key() * static_cast<double>(n));
    const std::uint64_t inner = nodes > n ? nodes - n : 0;
    return {.keys = n,
            .cells = sizing::tree_cells(n),
            .probes = 2,
            .bits = cells::ranked_bits::bits_for(sizing::tree_cells(n)) +
                    cells::ranked_bits::bits_for(std::max(n, nodes)) +
                    cells::ranked_bits::bits_for(2 * inner),
            .fpr = 1};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return filled_.size_in_bits() + leaves_.size_in_bits() + children_.size_in_bits();
  }
  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    const std::uint64_t found = seek(d);
    return found == nobody ? 0 : found;
  }
  // The index, or `nobody` if it is known that the key was not given.
  [[nodiscard]] std::uint64_t seek(digest d) const noexcept {
    if (keys_ == 0) return nobody;
    const std::uint64_t cell = detail::fastrange(d.hi, cells_);
    if (!filled_.test(cell)) return nobody;
    std::uint64_t node = filled_.rank(cell);
    path down(d);
    for (const level& at : levels_) {
      const verdict so = step(at, node, down);
      if (so != verdict::child) return so == verdict::leaf ? node : nobody;
    }
    return nobody;
  }
  // Of many at once. Keys go down together, level by level: there is always enough on its way.
  template <class Digest>
  void indices(const Digest* keys, std::size_t total, std::uint64_t* out) const noexcept {
    if (keys_ == 0) return void(std::fill_n(out, total, 0));
    constexpr std::size_t most = 128;
    struct walker {
      std::uint64_t node;
      path down;
      std::size_t key;
    };
    walker left[most];
    for (std::size_t first = 0; first < total; first += most) {
      std::size_t count = std::min(most, total - first), kept = 0;
      for (std::size_t i = 0; i < count; ++i)
        filled_.prefetch(detail::fastrange(keys[first + i].hi, cells_));
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t cell = detail::fastrange(keys[first + i].hi, cells_);
        out[first + i] = 0;
        if (!filled_.test(cell)) continue;
        left[kept] = {filled_.rank(cell), path(keys[first + i]), first + i};
        leaves_.prefetch(bounded(left[kept++].node, leaves_.size()));
      }
      for (auto at = levels_.begin(); kept != 0 && at != levels_.end(); ++at) {
        count = std::exchange(kept, 0);
        for (std::size_t i = 0; i < count; ++i) {
          walker& one = left[i];
          const verdict so = step(*at, one.node, one.down);
          if (so == verdict::child) {
            if (at + 1 != levels_.end())
              leaves_.prefetch(bounded(at[1].node + one.node, leaves_.size()));
            left[kept++] = one;
          } else {
            out[one.key] = so == verdict::leaf ? one.node : 0;
          }
        }
      }
    }
  }

  friend bool operator==(const blooming_tree& a, const blooming_tree& b) noexcept {
    return a.keys_ == b.keys_ && a.cells_ == b.cells_ && a.filled_ == b.filled_ &&
           a.leaves_ == b.leaves_ && a.children_ == b.children_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("cells", self.cells_);
    field("nodes", self.nodes_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("tree", self);
    part.array("filled", self.filled_.storage());
    part.array("leaves", self.leaves_.storage());
    part.array("children", self.children_.storage());
  }
  void check() {
    const field_check require{"tree"};
    require(keys_ <= max_keys, "keys", keys_);
    require(keys_ == 0 ? cells_ == 0 : cells_ >= 1 && cells_ <= sizing::max_bits, "cells", cells_);
    require(keys_ == 0 ? nodes_ == 0 : nodes_ >= keys_ && nodes_ <= sizing::max_bits / 2, "nodes",
            nodes_);
    filled_.reshape(cells_);
    leaves_.reshape(nodes_);
    children_.reshape(2 * (nodes_ - keys_));
    require(leaves_.ones() == keys_, "keys", keys_);
    if (!draw_levels()) throw corrupt("tree: its nodes are not those of its levels");
  }

 private:
  template <class Spool>
  friend class tree_builder;

  // Before a level: nodes, and children that there are.
  struct level {
    std::uint64_t node, child;
  };
  enum class verdict { leaf, nobody, child };
  // The bits of a key that lead it down; after 64 a new word is drawn.
  class path {
   public:
    path() = default;
    explicit path(digest d) noexcept : key_(d), bits_(word(d, 0)) {}
    [[nodiscard]] static std::uint64_t word(digest d, std::uint64_t number) noexcept {
      return detail::remixer(detail::salt_of(detail::stage::tree, number))(d).first();
    }
    [[nodiscard]] std::uint64_t next() noexcept {
      if (used_ != 0 && used_ % 64 == 0) bits_ = word(key_, used_ / 64);
      ++used_;
      const std::uint64_t out = bits_ >> 63;
      bits_ <<= 1;
      return out;
    }

   private:
    digest key_;
    std::uint64_t bits_ = 0;
    std::uint64_t used_ = 0;
  };

  // A mapped file may change under a reader: whatever is counted then, no bit past the last is
  // asked for.
  [[nodiscard]] static std::uint64_t bounded(std::uint64_t i, std::uint64_t size) noexcept {
    return std::min(i, size - 1);
  }
  // From a node of this level: to the index, if it is a leaf; to the child, of its level; or there
  // is none.
  [[nodiscard]] verdict step(const level& at, std::uint64_t& node, path& down) const noexcept {
    const std::uint64_t here = bounded(at.node + node, leaves_.size()), leaf = leaves_.rank(here);
    if (leaves_.test(here)) {
      node = std::min(leaf, keys_ - 1);
      return verdict::leaf;
    }
    if (children_.size() == 0) return verdict::nobody;
    const std::uint64_t next = bounded(2 * (here - leaf) + down.next(), children_.size());
    if (!children_.test(next)) return verdict::nobody;
    node = children_.rank(next) - at.child;
    return verdict::child;
  }

  // False if levels and nodes do not agree.
  [[nodiscard]] bool draw_levels() {
    levels_.clear();
    std::uint64_t first = 0, leaf = 0, nodes = filled_.ones();
    while (nodes != 0) {
      if (levels_.size() == sizing::max_tree_levels || nodes > nodes_ - first) return false;
      levels_.push_back({first, children_before(2 * (first - leaf))});
      first += nodes;
      leaf = first == nodes_ ? keys_ : leaves_.rank(first);
      nodes = children_before(2 * (first - leaf)) - levels_.back().child;
    }
    return first == nodes_;
  }
  [[nodiscard]] std::uint64_t children_before(std::uint64_t i) const noexcept {
    return i < children_.size() ? children_.rank(i) : children_.ones();
  }

  std::uint64_t keys_ = 0;
  std::uint64_t cells_ = 0;
  std::uint64_t nodes_ = 0;
  cells::ranked_bits filled_, leaves_, children_;
  std::vector<level> levels_;  // follows from the bits
};

}  // namespace umbel::core
