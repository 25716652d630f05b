// local_search.ipp - body of local_search.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/engine/probe/choice.hpp>
#include <umbel/engine/probe/local_search.hpp>

namespace umbel {

namespace detail {
// The number of walks on each cell: exact up to 14; at 15 it stays.
class uses {
 public:
  uses(std::uint64_t size, std::pmr::memory_resource* memory) : counts_(size, 4, memory) {}
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return counts_.get(i) != 0; }
  void add(std::uint64_t i) noexcept {
    if (const auto now = counts_.get(i); now != many) counts_.set(i, now + 1);
  }
  void drop(std::uint64_t i) noexcept {
    if (const auto now = counts_.get(i); now != many) counts_.set(i, now - 1);
  }
  void prefetch(std::uint64_t i) const noexcept { counts_.prefetch(i); }

 private:
  static constexpr std::uint64_t many = 15;
  cells::packed counts_;
};

// Every key of a block takes its best walk; if `Again`, after leaving its present one. Returns
// whether a key changed its walk. Flattened per block, not over the whole spool: that took half of
// libumbel's compile time.
template <bool Again, class At>
[[UMBEL_FLAT]] bool settle_block(const At at, uses& used, std::span<const digest> block,
                                 std::uint8_t* choice) {
  using walk = core::walk_of<At>;
  bool moved = false;
  ring<walk>(
      block.size(),
      [&](std::size_t i, walk& w) {
    w = at.start(block[i], choice[i]);
    for (unsigned g = 0; g < at.groups(); ++g)
      core::each_of(at, at.start(block[i], g), [&](std::uint64_t cell) { used.prefetch(cell); });
      },
      [&](std::size_t i, const walk& w) {
    if constexpr (Again) core::each_of(at, w, [&](std::uint64_t cell) { used.drop(cell); });
    const walk best = core::chosen(at, used, w);
    core::each_of(at, best, [&](std::uint64_t cell) { used.add(cell); });
    moved |= best.number != choice[i];
    choice[i] = static_cast<std::uint8_t>(best.number);
  });
  return moved;
}

template <class At>
core::settled settle_over(const At at, const digest_spool& keys,
                          std::pmr::memory_resource* memory) {
  uses used(at.cells(), memory);
  std::vector<std::uint8_t> choice(keys.size());
  const auto round = [&]<bool Again>() {
    bool moved = false;
    std::uint8_t* next = choice.data();
    keys.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
      moved |= settle_block<Again>(at, used, block, next);
      next += block.size();
    });
    return moved;
  };

  core::settled out{cells::words<>(ceil_div(at.cells(), 64), memory)};
  round.template operator()<false>();
  do {
    ++out.rounds;
  } while (round.template operator()<true>());
  for (std::uint64_t i = 0; i < at.cells(); ++i)
    if (used.test(i)) out.bits[i / 64] |= std::uint64_t{1} << (i % 64);
  return out;
}

}  // namespace detail

UMBEL_INLINE core::settled core::settle(const core::choices& at, const digest_spool& keys,
                                        std::pmr::memory_resource* memory) {
  return at.with_fixed([&](const auto& walks) { return detail::settle_over(walks, keys, memory); });
}

}  // namespace umbel
