// blooming_tree_build.hpp - build of core::blooming_tree [AFGP08]: each bin of keys is built depth
// first; then the bins are joined level by level.
//
// Idea       Bins are ranges of digests, and so ranges of the bits that keys hash to. Hence in
//            every level the nodes of one bin follow the nodes of all earlier bins. Within a bin
//            keys are sorted: the keys of a node are adjacent, and one position separates its two
//            children.
// Invariant  The result depends only on the set of keys: not on input order, threads or addresses.
// Threads    The build starts `threads` threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/perfect/blooming_tree.hpp>

namespace umbel::core {

template <class Spool>  // so that only programs that build compile it
class tree_builder {
 public:
  // Duplicate keys are dropped. Throws unsolvable.
  [[nodiscard]] static blooming_tree build(const Spool& keys, std::pmr::memory_resource* memory,
                                           unsigned threads) {
    check_keys(keys.size());
    if (auto out = try_build(keys, memory, threads)) return *std::move(out);
    if (auto out = try_build(keys.distinct(threads), memory, threads)) return *std::move(out);
    throw unsolvable(detail::text("tree: ", sizing::max_tree_levels, " levels do not separate ",
                                  keys.size(), " keys"));
  }

 private:
  struct row {
    std::uint64_t cell, word;
    digest key;
    friend bool operator<(const row& a, const row& b) noexcept {
      return a.cell != b.cell ? a.cell < b.cell : a.word < b.word;
    }
  };
  struct made_level {
    cells::bit_writer leaves, children;
  };
  using made_bin = std::vector<made_level>;

  // Nothing if keys are still together at the last level: then there are duplicates.
  [[nodiscard]] static std::optional<blooming_tree> try_build(const Spool& keys,
                                                              std::pmr::memory_resource* memory,
                                                              unsigned threads) {
    blooming_tree out;
    out.keys_ = keys.size();
    if (out.keys_ == 0) return out;
    out.cells_ = sizing::tree_cells(out.keys_);
    cells::shared_bits filled(out.cells_, memory);
    std::vector<made_bin> made(Spool::bins);
    std::atomic<bool> repeats = false;
    detail::parallel_for(made.size(), threads, [&](std::size_t bin) {
      if (repeats) return;
      std::vector<row> rows;
      rows.reserve(keys.count(bin, bin + 1));
      keys.for_each(bin, bin + 1, [&](std::span<const digest> block) {
        for (const digest& d : block)
          rows.push_back({detail::fastrange(d.hi, out.cells_), blooming_tree::path::word(d, 0), d});
      });
      std::sort(rows.begin(), rows.end());
      for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
        while (last < rows.size() && rows[last].cell == rows[first].cell) ++last;
        (void)filled.set(rows[first].cell);
        if (!descend(std::span(rows).subspan(first, last - first), 0, made[bin])) repeats = true;
      }
    });
    if (repeats) return std::nullopt;
    cells::bits first(out.cells_, memory);
    std::copy_n(filled.storage().data(), filled.storage().size(), first.storage().data());
    out.filled_ = cells::ranked_bits(std::move(first));
    join(made, out, memory);
    return out;
  }

  // Writes the node of these keys, which are sorted by their words, and all nodes below it.
  [[nodiscard]] static bool descend(std::span<row> rows, unsigned depth, made_bin& out) {
    if (depth == sizing::max_tree_levels) return false;
    if (out.size() == depth) out.emplace_back();
    out[depth].leaves.put(rows.size() == 1 ? 1 : 0, 1);
    if (rows.size() == 1) return true;
    if (depth != 0 && depth % 64 == 0) {
      for (row& r : rows) r.word = blooming_tree::path::word(r.key, depth / 64);
      std::sort(rows.begin(), rows.end());
    }
    const auto right = std::partition_point(
        rows.begin(), rows.end(), [&](const row& r) { return (r.word << depth % 64) >> 63 == 0; });
    const auto left = static_cast<std::size_t>(right - rows.begin());
    out[depth].children.put(left != 0 ? 1 : 0, 1);
    out[depth].children.put(left != rows.size() ? 1 : 0, 1);
    return (left == 0 || descend(rows.first(left), depth + 1, out)) &&
           (left == rows.size() || descend(rows.subspan(left), depth + 1, out));
  }

  static void join(std::vector<made_bin>& made, blooming_tree& out,
                   std::pmr::memory_resource* memory) {
    cells::bit_writer leaves, children;
    for (std::size_t depth = 0, more = 1; more != 0; ++depth) {
      more = 0;
      for (made_bin& bin : made) {
        if (bin.size() <= depth) continue;
        leaves.append(bin[depth].leaves);
        children.append(bin[depth].children);
        bin[depth] = {};
        ++more;
      }
    }
    const auto kept = [&](const cells::bit_writer& from) {
      cells::bits to(from.size(), memory);
      std::copy(from.bits().begin(), from.bits().end(), to.storage().data());
      return cells::ranked_bits(std::move(to));
    };
    out.nodes_ = leaves.size();
    out.leaves_ = kept(leaves);
    out.children_ = kept(children);
    (void)out.draw_levels();
  }
};

}  // namespace umbel::core
