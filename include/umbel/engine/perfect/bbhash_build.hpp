// bbhash_build.hpp - build of core::bbhash [LRCP17], level by level, from the keys that collided at
// all earlier levels.
//
// Idea       Two arrays of bits: `alone` marks bits that a key hits, `met` those that a second key
//            hits. The level is alone & ~met.
// Invariant  The result depends only on the set of keys: threads set bits in any order.
// Limits     Memory: two bits for each bit of a level, and a spool of the keys left. Any number of
//            keys.
// Threads    The build starts `threads` threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/perfect/bbhash.hpp>

namespace umbel::core {

template <class Spool>  // so that only programs that build compile it
class bbhash_builder {
 public:
  // Duplicate keys are dropped. Throws unsolvable.
  [[nodiscard]] static bbhash build(const Spool& keys, std::pmr::memory_resource* memory,
                                    unsigned threads) {
    check_keys(keys.size());
    if (auto out = try_build(keys, memory, threads)) return *std::move(out);
    if (auto out = try_build(keys.distinct(threads), memory, threads)) return *std::move(out);
    throw unsolvable(
        detail::text("levels: ", sizing::max_levels, " do not separate ", keys.size(), " keys"));
  }

 private:
  using level = bbhash::level;

  // Nothing if keys are left after the last level: then there are duplicates.
  [[nodiscard]] static std::optional<bbhash> try_build(const Spool& keys,
                                                       std::pmr::memory_resource* memory,
                                                       unsigned threads) {
    bbhash out;
    out.keys_ = keys.size();
    std::vector<cells::shared_bits> made;
    Spool left(keys.options());
    for (std::uint64_t remaining = keys.size(); remaining != 0; remaining = left.size()) {
      if (made.size() == sizing::max_levels) return std::nullopt;
      const level at = bbhash::level_at(made.size(), 0, sizing::level_bits(remaining));
      cells::shared_bits met(at.size, memory);
      made.emplace_back(at.size, memory);
      left = divide(made.size() == 1 ? keys : left, at, made.back(), met, threads);
    }
    out.sizes_ = cells::words<>(made.size(), memory);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < made.size(); ++i) all += out.sizes_[i] = made[i].size();
    cells::bits joined(all, memory);
    std::uint64_t* next = joined.storage().data();
    for (const auto& one : made)
      next = std::copy_n(one.storage().data(), one.storage().size(), next);
    out.bits_ = cells::ranked_bits(std::move(joined));
    out.draw_levels();
    return out;
  }

  // Sets the bits of `alone` that exactly one key hits. Returns the other keys.
  [[nodiscard]] static Spool divide(const Spool& keys, const level& at, cells::shared_bits& alone,
                                    cells::shared_bits& met, unsigned threads) {
    const auto each = [&](auto&& work) {
      detail::parallel_for(Spool::bins, threads, [&](std::size_t bin, std::size_t worker) {
        keys.for_each(bin, bin + 1, [&](auto block) {
          for (const auto& record : block) work(record, worker);
        });
      });
    };
    each([&](const auto& record, std::size_t) {
      const std::uint64_t i = at.position(key_of(record));
      if (!alone.set(i)) (void)met.set(i);  // of two racing keys, one sees it set
    });
    std::vector<Spool> left;
    for (std::size_t i = detail::crew_size(Spool::bins, threads); i > 0; --i)
      left.emplace_back(keys.options());
    each([&](const auto& record, std::size_t worker) {
      if (met.test(at.position(key_of(record)))) left[worker].add(record);
    });
    for (std::size_t i = 1; i < left.size(); ++i) left[0].append(std::move(left[i]));
    for (std::size_t i = 0; i < met.storage().size(); ++i) alone.storage()[i] &= ~met.storage()[i];
    return std::move(left[0]);
  }
};

}  // namespace umbel::core
