// probed.hpp - everything that touches a few cells per key: sets all of them, asks whether all are set.
// Idea       Knows no key type: callers hash first. `Index` names the cells, `Cells` knows what "set" means.
// Batches    A stranger meets a clear cell after two probes on average, so fetching all its lines at once wastes most
//            of them. Keys in flight take turns: each turn tests two or three cells and fetches three more, or hands its
//            place to the next key. Members and strangers keep the memory equally busy.
// Choices    Where the index gives a key several walks, an insert takes the one with the fewest clear cells (core/choice)
//            and a query asks the next walk when one meets a clear cell.
// Threads    As its cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/core/choice.hpp>
#include <umbel/core/face.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/index/placement.hpp>

namespace umbel::core {

template <index::placement Index, class Cells>
class probed {
 public:
  probed() : probed(Index()) {}
  explicit probed(Index at, std::pmr::memory_resource* memory = nullptr)
      : at_(std::move(at)), cells_(at_.cells(), memory) {}
  probed(Index at, Cells cells) : at_(std::move(at)), cells_(std::move(cells)) {}

  [[nodiscard]] const Index& at() const noexcept { return at_; }
  [[nodiscard]] Index& at() noexcept { return at_; }
  [[nodiscard]] const Cells& cells() const noexcept { return cells_; }
  [[nodiscard]] Cells& cells() noexcept { return cells_; }

  // After loading: the shape must be possible and the cells must fill it.
  void check() {
    at_.check();
    cells_.reshape(at_.cells());
  }

  // True if a cell changed.
  bool insert(digest d) noexcept {
    bool changed = false;
    index::with_fixed(at_, [&](const auto& at) {
      each_to_set(at, chosen(at, cells_, at.start(d)), [&](std::uint64_t i) { changed |= cells_.set(i); });
    });
    return changed;
  }
  [[nodiscard]] bool query(digest d) const noexcept {
    return index::with_fixed(at_, [&](const auto& at) {
      auto walk = at.start(d);
      do
        if (index::enough_of(at, walk, [&](std::uint64_t i) { return cells_.test(i); })) return true;
      while (index::another(at, walk));
      return false;
    });
  }

  void insert(std::size_t total, auto&& digest_at) noexcept {
    index::with_fixed(at_, [&](const auto& at) { insert_at(at, total, digest_at, [](bool) {}); });
  }
  // How many of them changed a cell.
  std::uint64_t insert_counting(std::size_t total, auto&& digest_at) noexcept {
    std::uint64_t fresh = 0;
    index::with_fixed(
        at_, [&](const auto& at) { insert_at(at, total, digest_at, [&](bool changed) { fresh += changed; }); });
    return fresh;
  }
  void prefetch_for_write(digest d) const noexcept {
    index::with_fixed(at_, [&](const auto& at) {
      index::each_of(at, at.start(d), [&](std::uint64_t cell) { cells_.prefetch_for_write(cell); });
    });
  }
  // For cells that can be taken back: `unset` says whether it did. Absent keys change nothing; if no cell of a key can be
  // taken back, it stays.
  erasure erase(digest d) noexcept {
    return index::with_fixed(at_, [&](const auto& at) { return erase_walk(at, at.start(d)); });
  }
  // How many were done.
  std::size_t erase(std::size_t total, auto&& digest_at) noexcept {
    std::size_t done = 0;
    index::with_fixed(at_, [&](const auto& at) {
      each_ahead(at, total, digest_at, [&](const auto& w) { done += erase_walk(at, w) == erasure::done; });
    });
    return done;
  }
  void query(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    index::with_fixed(at_, [&](const auto& at) { query_at(at, total, digest_at, out); });
  }

 private:
  // Cells fetched at a time: a stranger looks at two on average, and whoever passes those is most likely a member.
  static constexpr unsigned first_step = 2, later_step = 3;

  // What a key in flight has beside its cells, where not all of them must be set or not every key has any.
  struct nothing {};
  struct allowance {
    unsigned fresh;  // cells of this turn; where keys have as many as they like, of the key
    unsigned spare;  // how many may still be clear
  };

  template <class At, class DigestAt, class Note>
  [[UMBEL_FLAT]] void insert_at(const At at, std::size_t total, DigestAt& digest_at, Note note) noexcept {
    each_ahead(at, total, digest_at, [&](const index::walk_of<At>& w) {
      bool changed = false;
      each_to_set(at, chosen(at, cells_, w), [&](std::uint64_t cell) { changed |= cells_.set(cell); });
      note(changed);
    });
  }
  // Cells that tell whether they are set for the second time want each cell of a key once.
  template <class At, class Visit>
  static void each_to_set(const At& at, const index::walk_of<At>& walk, Visit&& visit) noexcept {
    if constexpr (requires { requires Cells::each_key_once; })
      index::each_distinct_of(at, walk, visit);
    else
      index::each_mark_of(at, walk, visit);
  }
  // work(walk) for every key. Every cell of a key is fetched at once, well ahead: writing needs them all.
  template <class At, class DigestAt, class Work>
  [[gnu::always_inline]] void each_ahead(const At& at, std::size_t total, DigestAt& digest_at, Work&& work) noexcept {
    using walk = index::walk_of<At>;
    detail::ring<walk>(
        total,
        [&](std::size_t i, walk& w) {
          walk ahead = w = at.start(digest_at(i));
          do index::each_mark_of(at, ahead, [&](std::uint64_t cell) { cells_.prefetch_for_write(cell); });
          while (index::another(at, ahead));
        },
        [&](std::size_t, const walk& w) { work(w); });
  }
  template <class At>
  erasure erase_walk(const At& at, const index::walk_of<At>& walk) noexcept {
    if (!index::all_of(at, walk, [&](std::uint64_t i) { return cells_.test(i); })) return erasure::absent;
    bool taken = false;
    index::each_of(at, walk, [&](std::uint64_t i) { taken |= cells_.unset(i); });
    return taken ? erasure::done : erasure::refused;
  }

  template <class At, class DigestAt>
  [[UMBEL_FLAT]] void query_at(const At at, std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    struct slot : std::conditional_t<index::counting_by_walk<At> || index::tolerant<At>, allowance, nothing> {
      index::walk_of<At> at;
      std::uint64_t cell[later_step];
      std::size_t key;
      unsigned left;  // probes still to come
    };
    slot slots[detail::ring_depth];
    const auto fetch = [&](slot& s, unsigned step) {
      if constexpr (index::tolerant<At>) s.fresh = std::min(step, s.left);
      for (unsigned p = 0; p < later_step; ++p) {
        if (p < step && s.left > 0) {
          s.cell[p] = at.next(s.at), --s.left;
          cells_.prefetch(s.cell[p]);
        } else {
          s.cell[p] = s.cell[0];  // every turn looks at as many: the first again, where there are fewer
        }
      }
    };
    const auto all_set = [&](slot& s) {
      if constexpr (index::tolerant<At>) {
        unsigned clear = 0;
        for (unsigned p = 0; p < s.fresh; ++p) clear += !cells_.test(s.cell[p]);
        const bool enough = clear <= s.spare;
        s.spare -= clear;  // of no use if there were more
        return enough;
      } else {
        bool set = true;
        for (unsigned p = 0; p < later_step; ++p) set &= cells_.test(s.cell[p]);
        if constexpr (index::counting_by_walk<At>) set |= s.fresh == 0;
        return set;
      }
    };
    std::size_t taken = 0, busy = std::min(total, detail::ring_depth);
    const auto take = [&](slot& s) {
      s.key = taken;
      s.at = at.start(digest_at(taken++));
      s.left = index::cells_of(at, s.at);
      if constexpr (index::counting_by_walk<At>) {
        s.fresh = s.left;  // a key without cells is in, whatever the cell says that is looked at
        s.cell[0] = 0;
      }
      if constexpr (index::tolerant<At>) s.spare = at.spare();
      fetch(s, first_step);
    };
    for (std::size_t i = 0; i < busy; ++i) take(slots[i]);
    for (std::size_t i = 0; busy > 0; i = i + 1 < busy ? i + 1 : 0) {
      slot& s = slots[i];
      const bool set = all_set(s);
      if (set && s.left > 0) {
        fetch(s, later_step);
        continue;
      }
      if (!set && index::another(at, s.at)) {
        s.left = at.probes();
        fetch(s, first_step);
        continue;
      }
      out[s.key] = set;
      if (taken < total)
        take(s);
      else
        s = slots[--busy];
    }
  }

  Index at_;
  Cells cells_;
};

}  // namespace umbel::core
