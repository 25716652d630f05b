// retouch.hpp - clearing bits of a filter on purpose: chosen non-members are let through no more,
// and some members neither.
// Idea       A non-member that does harm passes because all its bits are set. Clearing one of them
//            stops it, with every other non-member that needs that bit, and with every member.
//            Which bit is cleared decides how many of each.
// Layout     Only bits of the non-members given are of interest. They get numbers, `slots`; keys
//            become rows of slots, and the choosing, which is compiled once, sees rows alone.
// Invariant  Afterwards none of the non-members given is accepted. No bit is set that was clear.
// Limits     Memory of some 8 bytes for each bit of each key while it runs. `counts` forgets which
//            member went with which bit and so overrates bits of members already lost; it needs no
//            rows of members.
// Source     [DBF06]. Positions are chosen, never probe numbers, and a key's equal positions count
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

// Which of a non-member's bits is cleared; among equals the first of its walk.
enum class clearing {
  any,              // any, at random
  fewest_members,   // the one fewest members need
  max_non_members,  // the one most of the non-members need
  best_ratio,       // fewest members for each non-member
};

struct retouch_options {
  clearing choice = clearing::best_ratio;
  bool counts_only = false;  // cheaper and worse: see above
  // What each key is worth, in the order given; none: all the same.
  std::span<const double> member_weights{}, non_member_weights{};
  std::uint64_t seed = 0;  // of clearing::any
};

struct retouch_report {
  std::uint64_t cleared = 0;  // bits
  // non-members that were accepted: all of them are stopped
  std::uint64_t removed = 0;
  std::uint64_t members = 0;               // that were accepted before
  std::vector<std::uint64_t> forgotten{};  // numbers of the members that no longer are, rising
  [[nodiscard]] double forgotten_share() const noexcept {
    return members == 0 ? 0 : static_cast<double>(forgotten.size()) / static_cast<double>(members);
  }
  // Share of non-members removed over share of members forgotten: above 1 it was worth it. Nothing
  // forgotten: infinite.
  [[nodiscard]] double gain() const noexcept { return (removed == 0 ? 0 : 1) / forgotten_share(); }
};

namespace core {

// The slots of some keys, one row after another.
struct slot_rows {
  std::vector<std::uint64_t> key;        // its number among all that were given
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

// Throws unless there are no weights or as many as keys, all of them above 0; and if a non-member
// is a member.
void check_retouch(std::span<const digest> members, std::span<const digest> non_members,
                   const retouch_options& options);
// Sorted and unique; at most 2^32.
void make_slots(std::vector<std::uint64_t>& cells);
// The slots to clear.
[[nodiscard]] std::vector<std::uint32_t> choose_slots(std::size_t slots, const slot_rows& members,
                                                      const slot_rows& non_members,
                                                      const retouch_options& options,
                                                      retouch_report& report);
// Clears `count` of the set bits, each as likely as another; all of them if there are no more. How
// many.
std::uint64_t clear_some(cells::bits& bits, std::uint64_t count, std::uint64_t seed);

// Distinct cells of a key, in the order of its walk.
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
