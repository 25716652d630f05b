// probes.hpp - engine of Bloom filters [Blo70] and relatives: an insert sets a few cells per key, a
// query tests whether all are set.
//
// Idea       The engine takes digests, not keys. `Index` gives the cells of a digest; `Cells`
//            defines what "set" means.
// Batches    A non-member meets a clear cell after two probes on average, so prefetching all its
//            cache lines at once would waste most of them. Keys in flight take turns. Each turn
//            tests two or three cells; then it prefetches three more, or the next key takes the
//            place. So members and non-members keep the memory equally busy.
// Choices    If the index gives a key several walks, an insert takes the one with the fewest clear
//            cells (engine/probe/choice.hpp), and a query that meets a clear cell tries the next
//            walk.
// Threads    As its cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/cells/contract.hpp>
#include <umbel/core/can.hpp>
#include <umbel/engine/probe/choice.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// An index that gives a cell as a word and a bit in it, and cells that test it in this form: the
// fast path of single queries.
template <class Index, class Cells>
concept by_words = requires(const Index& index, const Cells& all, cells::bit_spot at) {
  { index.has_words() } -> std::same_as<bool>;
  typename Index::by_words;
  all.test(at);
};

template <index Index, cells::settable Cells>
class probes {
  static constexpr bool unites = requires(const Index& index) {
    requires Cells::unites;
    index.halved();
    index.in_words();
  };

 public:
  // The size in bytes from which a batch is faster than a loop of single queries; below it the
  // turns cost more than the latency they hide. With 12 bits per key and k = 8, a batch of members
  // took 2.1 times as long as single queries at 1e4 keys, 1.5 times at 1e6 (1.5 MB), 0.9 at 3e6
  // (4.5 MB), 0.6 at 1e7; non-members 1.0, 0.8, 0.6 and 0.4.
  [[nodiscard]] std::size_t batch_from() const noexcept {
    if constexpr (requires { index_.is_usual(); })
      if (!index_.is_usual()) return 0;
    return std::size_t{2} << 20;
  }

  probes() : probes(Index()) {}
  explicit probes(Index at, std::pmr::memory_resource* memory = nullptr)
      : index_(std::move(at)), cells_(index_.cells(), memory) {}
  probes(Index at, Cells cells) : index_(std::move(at)), cells_(std::move(cells)) {}

  [[nodiscard]] const Index& index() const noexcept { return index_; }
  [[nodiscard]] Index& index() noexcept { return index_; }
  [[nodiscard]] const Cells& cells() const noexcept { return cells_; }
  [[nodiscard]] Cells& cells() noexcept { return cells_; }

  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.size(); }
  // The share of cells that are set.
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(cells_.storage().ones()) / static_cast<double>(cells_.size());
  }

  [[nodiscard, gnu::always_inline]] bool may_contain(digest d) const noexcept {
    if constexpr (by_words<Index, Cells>) {
      if (index_.has_words()) [[likely]]
        return holds(typename Index::by_words(index_), d);
      return may_contain_apart(d.hi, d.lo);
    } else {
      return may_contain_any(d);
    }
  }
  // For loops in the cache: two cells before the first branch, which then ends three misses in four
  // instead of one in two. Against single queries misses of 1e4 to 1e6 keys took 0.6 to 0.7, hits
  // 1.0 to 1.05 (1.1 at 1e6 where there are choices). Out of the cache the second line is often
  // fetched for nothing: misses of 3e7 keys took 1.07.
  [[nodiscard, gnu::always_inline]] bool may_contain_near(digest d) const noexcept {
    if constexpr (by_words<Index, Cells>) {
      if (!index_.has_words()) [[unlikely]]
        return near_apart(d.hi, d.lo);
      const typename Index::by_words at(index_);
      return holds_near(at, at.start(d), at.probes());
    } else {
      return near_any(d);
    }
  }
  // True if a cell changed.
  bool insert(digest d) noexcept {
    bool changed = false;
    with_fixed(index_, [&](const auto& at) {
      each_to_set(at, chosen(at, cells_, at.start(d)),
                  [&](std::uint64_t i) { changed |= cells_.set(i); });
    });
    return changed;
  }

  void insert(std::size_t total, auto&& digest_at) noexcept {
    with_fixed(index_, [&](const auto& at) { insert_at(at, total, digest_at, [](bool) {}); });
  }
  void clear() noexcept { cells_.storage().clear(); }
  // Sets all cells of `other`: the filter of the union. If keys choose among walks, it may set more
  // cells than the filter of the union needs.
  void merge(const probes& other) requires(unites) {
    require_same_index(other);
    cells_.storage() |= other.cells_.storage();
  }
  // Not if keys choose among walks: a key may have chosen different walks in the two filters.
  void intersect(const probes& other) requires(unites && !choosing<Index>) {
    require_same_index(other);
    cells_.storage() &= other.cells_.storage();
  }
  // Halves the number of cells. It, or the size of each of the index's slices, must be even.
  void fold() requires(unites) {
    const Index half = index_.halved();
    *this = probes(half, half.folds_onto_itself() ? cells_.overlaid() : cells_.folded());
  }
  void require_same_index(const probes& other) const {
    if (index_ != other.index_)
      throw incompatible(detail::text("these filters differ in shape: ", index_.in_words(),
                                      " against ", other.index_.in_words(),
                                      "; build both with the same options"));
  }

  friend bool operator==(const probes& a, const probes& b) noexcept {
    return a.index_ == b.index_ && a.cells_ == b.cells_;
  }
  static void describe(auto& self, auto& part) {
    part.fields("index", self.index_);
    part.array("cells", self.cells_.storage());
  }
  // After loading: the shape must be possible and the cells must fill it.
  void check() {
    index_.check();
    cells_.reshape(index_.cells());
  }

  // Inserts a batch and returns how many keys changed a cell.
  std::uint64_t insert_counting(std::size_t total, auto&& digest_at) noexcept {
    std::uint64_t fresh = 0;
    with_fixed(index_, [&](const auto& at) {
      insert_at(at, total, digest_at, [&](bool changed) { fresh += changed; });
    });
    return fresh;
  }
  void prefetch_for_write(digest d) const noexcept {
    with_fixed(index_, [&](const auto& at) {
      each_of(at, at.start(d), [&](std::uint64_t cell) { cells_.prefetch_for_write(cell); });
    });
  }
  // For cells that can be taken back: `unset` says whether it did. Absent keys change nothing; if
  // no cell of a key can be taken back, it stays.
  erasure erase(digest d) noexcept requires(cells::erasable<Cells>) {
    return with_fixed(index_, [&](const auto& at) { return erase_walk(at, at.start(d)); });
  }
  // How many were done.
  std::size_t erase(std::size_t total, auto&& digest_at) noexcept requires(cells::erasable<Cells>) {
    std::size_t done = 0;
    with_fixed(index_, [&](const auto& at) {
      each_ahead(at, total, digest_at,
                 [&](const auto& w) { done += erase_walk(at, w) == erasure::done; });
    });
    return done;
  }
  void may_contain(std::size_t total, auto&& digest_at, bool* out) const noexcept {
    with_fixed(index_, [&](const auto& at) { query_at(at, total, digest_at, out); });
  }

 private:
  template <class At>
  [[nodiscard, gnu::always_inline]] bool holds(const At& at, digest d) const noexcept {
    auto walk = at.start(d);
    unsigned left = at.probes();
    do {
      if (!cells_.test(at.next(walk))) return false;
#if defined(__clang__)
      asm("" : "+r"(left));  // else clang decrements before the test and keeps both results
#endif
    } while (--left != 0);
    return true;
  }
  template <class At, class Walk>
  [[nodiscard, gnu::always_inline]] bool holds_near(const At& at, Walk walk,
                                                    unsigned left) const noexcept {
    if (left >= 2) {
      const auto first = at.next(walk), second = at.next(walk);
      if ((unsigned{cells_.test(first)} & unsigned{cells_.test(second)}) == 0) return false;
      left -= 2;
    }
    for (; left != 0; --left)
      if (!cells_.test(at.next(walk))) return false;
    return true;
  }
  // Not inlined, and given the digest in two words: or it would take the registers of the short
  // way.
  [[nodiscard, gnu::noinline]] bool may_contain_apart(std::uint64_t hi,
                                                      std::uint64_t lo) const noexcept {
    return may_contain_any({hi, lo});
  }
  [[nodiscard, gnu::noinline]] bool near_apart(std::uint64_t hi, std::uint64_t lo) const noexcept {
    return near_any({hi, lo});
  }
  [[nodiscard, gnu::always_inline]] bool near_any(digest d) const noexcept {
    if constexpr (tolerant<Index>)
      return may_contain_any(d);
    else
      return with_fixed(index_, [&](const auto& at) {
        auto walk = at.start(d);
        do
          if (holds_near(at, walk, cells_of(at, walk))) return true;
        while (another(at, walk));
        return false;
      });
  }
  [[nodiscard]] bool may_contain_any(digest d) const noexcept {
    return with_fixed(index_, [&](const auto& at) {
      auto walk = at.start(d);
      do
        if (enough_of(at, walk, [&](std::uint64_t i) { return cells_.test(i); })) return true;
      while (another(at, walk));
      return false;
    });
  }

  // The number of cells prefetched at a time: a non-member reads two on average, and a key that
  // passes those is most likely a member.
  static constexpr unsigned first_step = 2, later_step = 3;

  // State of a key in flight besides its cells, if not all of them must be set or if a key may have
  // none.
  struct nothing {};
  struct allowance {
    unsigned fresh;  // cells of this turn; if walks differ in length, of the walk
    unsigned spare;  // how many may still be clear
  };

  template <class At, class DigestAt, class Note>
  [[UMBEL_FLAT]] void insert_at(const At at, std::size_t total, DigestAt& digest_at,
                                Note note) noexcept {
    each_ahead(at, total, digest_at, [&](const walk_of<At>& w) {
      bool changed = false;
      each_to_set(at, chosen(at, cells_, w),
                  [&](std::uint64_t cell) { changed |= cells_.set(cell); });
      note(changed);
    });
  }
  // Cells that distinguish a second set of the same cell need each distinct cell of a key once.
  template <class At, class Visit>
  static void each_to_set(const At& at, const walk_of<At>& walk, Visit&& visit) noexcept {
    if constexpr (requires { requires Cells::each_key_once; })
      each_distinct_of(at, walk, visit);
    else
      each_mark_of(at, walk, visit);
  }
  // work(walk) for every key. All cells of a key are prefetched at once, well ahead, because an
  // insert writes all of them.
  template <class At, class DigestAt, class Work>
  [[gnu::always_inline]] void each_ahead(const At& at, std::size_t total, DigestAt& digest_at,
                                         Work&& work) noexcept {
    using own = walk_of<At>;
    detail::ring<own>(
        total,
        [&](std::size_t i, own& w) {
      own ahead = w = at.start(digest_at(i));
      do each_mark_of(at, ahead, [&](std::uint64_t cell) { cells_.prefetch_for_write(cell); });
      while (another(at, ahead));
        },
        [&](std::size_t, const own& w) { work(w); });
  }
  template <class At>
  erasure erase_walk(const At& at, const walk_of<At>& walk) noexcept {
    if (!all_of(at, walk, [&](std::uint64_t i) { return cells_.test(i); })) return erasure::absent;
    bool taken = false;
    each_of(at, walk, [&](std::uint64_t i) { taken |= cells_.unset(i); });
    return taken ? erasure::done : erasure::refused;
  }

  template <class At, class DigestAt>
  [[UMBEL_FLAT]] void query_at(const At at, std::size_t total, DigestAt& digest_at,
                               bool* out) const noexcept {
    struct slot : std::conditional_t<counting_by_walk<At> || tolerant<At>, allowance, nothing> {
      walk_of<At> at;
      std::uint64_t cell[later_step];
      std::size_t key;
      unsigned left;  // probes still to come
    };
    slot slots[detail::ring_depth];
    const auto fetch = [&](slot& s, unsigned step) {
      if constexpr (tolerant<At>) s.fresh = std::min(step, s.left);
      for (unsigned p = 0; p < later_step; ++p) {
        if (p < step && s.left > 0) {
          s.cell[p] = at.next(s.at), --s.left;
          cells_.prefetch(s.cell[p]);
        } else {
          // every turn tests equally many: the first cell again if there are fewer
          s.cell[p] = s.cell[0];
        }
      }
    };
    const auto all_set = [&](slot& s) {
      if constexpr (tolerant<At>) {
        unsigned clear = 0;
        for (unsigned p = 0; p < s.fresh; ++p) clear += !cells_.test(s.cell[p]);
        const bool enough = clear <= s.spare;
        s.spare -= clear;  // unused if there were more
        return enough;
      } else {
        bool set = true;
        for (unsigned p = 0; p < later_step; ++p) set &= cells_.test(s.cell[p]);
        if constexpr (counting_by_walk<At>) set |= s.fresh == 0;
        return set;
      }
    };
    std::size_t taken = 0, busy = std::min(total, detail::ring_depth);
    const auto take = [&](slot& s) {
      s.key = taken;
      s.at = at.start(digest_at(taken++));
      s.left = cells_of(at, s.at);
      if constexpr (counting_by_walk<At>) {
        s.fresh = s.left;  // a key without cells is a member, whatever cell 0 holds
        s.cell[0] = 0;
      }
      if constexpr (tolerant<At>) s.spare = at.spare();
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
      if (!set && another(at, s.at)) {
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

  Index index_;
  Cells cells_;
};

}  // namespace umbel::core
