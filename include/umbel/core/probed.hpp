// probed.hpp - everything that touches a few cells per key: sets all of them, asks whether all are set.
// Idea       Knows no key type: callers hash first. `Index` names the cells, `Cells` knows what "set" means.
// Batches    A stranger meets a clear cell after two probes on average, so fetching all its lines at once wastes most
//            of them. A group fetches two cells per key, drops the keys that met a clear one, and only then goes on
//            with the survivors, two cells more, then all the rest.
// Threads    As its cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/core/batch.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/index/placement.hpp>

namespace umbel::core {

template <index::placement Index, class Cells>
class probed {
 public:
  probed() : probed(Index()) {}
  explicit probed(Index at, std::pmr::memory_resource* memory = nullptr) : at_(at), cells_(at.cells(), memory) {}
  probed(Index at, Cells cells) : at_(at), cells_(std::move(cells)) {}

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
    (void)index::all_of(at_, d, [&](std::uint64_t i) {
      changed |= cells_.set(i);
      return true;
    });
    return changed;
  }
  [[nodiscard]] bool query(digest d) const noexcept {
    return index::all_of(at_, d, [&](std::uint64_t i) { return cells_.test(i); });
  }

  template <class DigestAt>
  void insert(std::size_t total, DigestAt&& digest_at) noexcept {
    // At most this many lines in flight per group: more would evict each other before they are written.
    constexpr std::size_t group = 16;
    using walk = decltype(at_.start(digest{}));
    in_groups<walk[group], group>(
        total,
        [&](std::size_t first, std::size_t count, walk* slot) {
          for (std::size_t i = 0; i < count; ++i) {
            auto ahead = slot[i] = at_.start(digest_at(first + i));
            for (unsigned p = 0; p < at_.probes(); ++p) cells_.prefetch_for_write(at_.next(ahead));
          }
        },
        [&](std::size_t, std::size_t count, walk* slot) {
          for (std::size_t i = 0; i < count; ++i)
            for (unsigned p = 0; p < at_.probes(); ++p) (void)cells_.set(at_.next(slot[i]));
        });
  }

  template <class DigestAt>
  void query(std::size_t total, DigestAt&& digest_at, bool* out) const noexcept {
    using walk = decltype(at_.start(digest{}));
    struct slot {
      walk walks[group_size];
      std::uint64_t cell[2][group_size];
    };
    const unsigned probes = at_.probes();
    in_groups<slot>(
        total,
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            s.walks[i] = at_.start(digest_at(first + i));
            for (unsigned p = 0; p < 2 && p < probes; ++p) cells_.prefetch(s.cell[p][i] = at_.next(s.walks[i]));
          }
        },
        [&](std::size_t first, std::size_t count, slot& s) {
          std::uint8_t alive[group_size];
          std::size_t left = 0;
          for (std::size_t i = 0; i < count; ++i) {
            bool set = cells_.test(s.cell[0][i]);
            if (probes > 1) set &= cells_.test(s.cell[1][i]);
            out[first + i] = set;
            alive[left] = static_cast<std::uint8_t>(i);
            left += set;
          }
          for (unsigned at = 2, step = 2; at < probes && left > 0; at += step, step = probes)
            left = follow(s.walks, std::min(step, probes - at), alive, left, out + first);
        });
  }

 private:
  // `step` more cells for each key still alive: all fetched, then all tested.
  template <class Walk>
  std::size_t follow(Walk* walks, unsigned step, std::uint8_t* alive, std::size_t left, bool* out) const noexcept {
    for (std::size_t i = 0; i < left; ++i) {
      auto ahead = walks[alive[i]];
      for (unsigned p = 0; p < step; ++p) cells_.prefetch(at_.next(ahead));
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const std::uint8_t key = alive[i];
      bool set = true;
      for (unsigned p = 0; p < step; ++p) set &= cells_.test(at_.next(walks[key]));
      out[key] = set;
      alive[kept] = key;
      kept += set;
    }
    return kept;
  }

  Index at_;
  Cells cells_;
};

}  // namespace umbel::core
