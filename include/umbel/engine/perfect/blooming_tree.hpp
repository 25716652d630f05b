// blooming_tree.hpp - minimal perfect hash by a Blooming tree [AFGP08]: keys are hashed to an array
// of bits, and below each bit on which keys collide there is a binary tree.
//
// A set bit is a node. A node with one key is a leaf. A node with more keys splits them by one more
// bit of each key, level after level. The index of a key is the number of leaves before its own,
// level by level. Half of the non-members reach a clear bit and are rejected.
//
// Layout     `filled`: 5/4 bits per key; each set bit is a node of the first level. `leaves`: a bit
//            per node, all levels one after another, in order. `children`: two bits per inner node,
//            in the same order: which of its two children exist. The number of nodes of a level
//            follows from these. 4 bits per key, and a sixteenth for rank counts.
// Invariant  After build, index(x) differs for all keys of the build. It is below keys() for every
//            digest.
// Limits     Memory while building: 16 bytes per key, plus 48 per key of the bins being worked on.
// Threads    Immutable: any number of readers.
// Source     [AFGP08] as described in [TRL12] II-C-1; the layout in levels is ours.
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
  // The index, or `nobody` if the key is certainly not one of the build.
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
  // A batch. All keys go down together, level by level, so that enough prefetches are in flight.
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

  // The number of nodes before a level, and of existing children before those of its nodes.
  struct level {
    std::uint64_t node, child;
  };
  enum class verdict { leaf, nobody, child };
  // The bits of a key that select children. After every 64 bits a new word is drawn.
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

  // A mapped file can change while it is read. Whatever the counts then are, no bit past the last
  // is read.
  [[nodiscard]] static std::uint64_t bounded(std::uint64_t i, std::uint64_t size) noexcept {
    return std::min(i, size - 1);
  }
  // One step down from a node of level `at`. A leaf: `node` becomes the index. A child: `node`
  // becomes its number within the next level. Neither: the key is rejected.
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

  // False if the bits of the levels do not add up to the number of nodes.
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
