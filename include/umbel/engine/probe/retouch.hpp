// retouch.hpp - retouched Bloom filter [DBF06]: clears bits to remove chosen false positives, at
// the cost of some false negatives.
//
// Idea       A non-member passes because all its bits are set. Clearing one of them stops it,
//            together with every other non-member and every member that needs this bit. The choice
//            of the bit determines how many of each are affected.
// Layout     Only the bits of the given non-members matter. They are numbered, as `slots`; keys
//            become rows of slots. The selection, which is compiled once, works on these rows.
// Invariant  Afterwards none of the given non-members is accepted. No clear bit is set.
// Limits     Memory while it runs: about 8 bytes for each bit of each key. With `counts_only` no
//            members are recorded per bit; bits of members that are already lost then seem more
//            important than they are.
// Source     [DBF06]. Selects positions, not numbers of probes; equal positions of a key count
//            once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel {

// Which of a non-member's bits is cleared; on a tie the first of its walk.
enum class clearing {
  any,              // a random one
  fewest_members,   // the one that the fewest members need
  max_non_members,  // the one that most non-members need
  best_ratio,       // the fewest members per non-member
};

struct retouch_options {
  clearing choice = clearing::best_ratio;
  bool counts_only = false;  // cheaper and less accurate: see Limits
  // The weight of each key, in the order given; empty: all equal.
  std::span<const double> member_weights{}, non_member_weights{};
  std::uint64_t seed = 0;  // of clearing::any
};

struct retouch_report {
  std::uint64_t cleared = 0;  // bits
  // non-members that were accepted: all of them are stopped
  std::uint64_t removed = 0;
  std::uint64_t members = 0;               // that were accepted before
  std::vector<std::uint64_t> forgotten{};  // numbers of the lost members, ascending
  [[nodiscard]] double forgotten_share() const noexcept {
    return members == 0 ? 0 : static_cast<double>(forgotten.size()) / static_cast<double>(members);
  }
  // The share of non-members removed divided by the share of members lost; above 1 it was worth it.
  // Infinite if no member was lost.
  [[nodiscard]] double gain() const noexcept { return (removed == 0 ? 0 : 1) / forgotten_share(); }
};

namespace core {

// The slots of a list of keys, as consecutive rows.
struct slot_rows {
  std::vector<std::uint64_t> key;        // its number among all keys given
  std::vector<std::size_t> first = {0};  // of each row, and the end
  std::vector<std::uint32_t> slot;
  void end_row(std::uint64_t number) {
    key.push_back(number);
    first.push_back(slot.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return key.size(); }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const noexcept {
    return std::span(slot).subspan(first[i], first[i + 1] - first[i]);
  }
};

// Throws if the weights are neither empty nor as many as keys, if one is not above 0, or if a
// non-member is a member.
void check_retouch(std::span<const digest> members, std::span<const digest> non_members,
                   const retouch_options& options);
// Sorts and removes duplicates. Throws if more than 2^32 are left.
void make_slots(std::vector<std::uint64_t>& cells);
// Selects the slots to clear.
[[nodiscard]] std::vector<std::uint32_t> choose_slots(std::size_t slots, const slot_rows& members,
                                                      const slot_rows& non_members,
                                                      const retouch_options& options,
                                                      retouch_report& report);
// Clears `count` of the set bits, each with the same probability, or all if there are fewer.
// Returns how many were cleared.
std::uint64_t clear_some(cells::bits& bits, std::uint64_t count, std::uint64_t seed);

// The distinct cells of a key, in the order of its walk.
template <core::index Index>
void cells_of_key(const Index& at, digest d, std::vector<std::uint64_t>& out) {
  out.clear();
  core::each_of(at, at.start(d), [&](std::uint64_t cell) {
    if (std::find(out.begin(), out.end(), cell) == out.end()) out.push_back(cell);
  });
}

template <core::index Index>
[[nodiscard]] retouch_report retouch(const Index& at, cells::bits& bits,
                                     std::span<const digest> members,
                                     std::span<const digest> non_members,
                                     const retouch_options& options) {
  check_retouch(members, non_members, options);
  const auto accepted = [&](digest d) {
    return core::all_of(at, d, [&](std::uint64_t cell) { return bits.test(cell); });
  };
  std::vector<std::uint64_t> mine, cells;  // cells: those of the non-members, one for each slot
  for (const digest& d : non_members) {
    if (!accepted(d)) continue;
    cells_of_key(at, d, mine);
    cells.insert(cells.end(), mine.begin(), mine.end());
  }
  make_slots(cells);
  const auto rows_of = [&](std::span<const digest> keys) {
    slot_rows out;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!accepted(keys[i])) continue;
      cells_of_key(at, keys[i], mine);
      for (const std::uint64_t cell : mine)
        if (const auto found = std::lower_bound(cells.begin(), cells.end(), cell);
            found != cells.end() && *found == cell)
          out.slot.push_back(static_cast<std::uint32_t>(found - cells.begin()));
      out.end_row(i);
    }
    return out;
  };
  retouch_report report;
  for (const std::uint32_t slot :
       choose_slots(cells.size(), rows_of(members), rows_of(non_members), options, report))
    bits.reset(cells[slot]);
  return report;
}

}  // namespace core
}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/engine/probe/retouch.ipp>
#endif
