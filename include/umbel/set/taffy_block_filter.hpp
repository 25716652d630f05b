// taffy_block_filter.hpp - taffy block filter [App22]: keeps its false positive rate for any number
// of keys, with one cache line per doubling.
//
// As scalable_bloom_filter, with split blocks in every level. Level i has room for twice the keys
// of the previous one, and the share 6/(pi (i + 1))^2 of the rate asked for. These shares add up to
// 1.
//
// Layout     Level i is the cells of a split_block_bloom_filter.
// Invariant  No false negatives. A key that is already found takes no room.
// Limits     Rates down to 1e-7. If the first guess was far too low, it takes 25 to 50 bits per key
//            at 1 %. No erase. All levels place a key by the same words of its digest; their
//            contents differ, so their rates still add up. The rate of a level of a few blocks
//            varies: for a first guess of 100 keys by a fifth.
// Threads    Many readers or one writer.
// Source     [App22] sec. 3, where repeated keys take room and levels are powers of two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/blocks.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/block/block_filter.hpp>
#include <umbel/engine/block/blocked.hpp>
#include <umbel/engine/block/split_block.hpp>
#include <umbel/engine/compose/staged_filter.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/blocked.hpp>
#include <umbel/sizing/growth.hpp>

namespace umbel {

// Options of taffy_block_filter.
struct taffy_block_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  // capacity of the first level: a guess of the number of keys
  std::optional<std::uint64_t> keys{};
  // bound on the false positive rate of all levels together, at least 1e-7
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};          // size of the first level
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

namespace core {

// The sequence of levels: the size and rate of each.
class block_series {
  using blocks = cells::blocks<cells::pattern::split32>;

 public:
  using engine = blocked<core::split_block, blocks>;
  using options_type = taffy_block_options;
  static constexpr std::string_view kind = "taffy-block-filter";
  static constexpr unsigned lines = 1;  // cache lines per stage

  struct fit;
  [[nodiscard]] static fit fitted(const options_type& options);

  [[nodiscard]] double fpr() const noexcept { return fpr_; }  // bound on the rate of all levels
  // Capacity of a level, in keys.
  [[nodiscard]] std::uint64_t room(unsigned number) const {
    return sizing::stage_room(keys_, 2, number);
  }
  // Shape of a level.
  [[nodiscard]] core::split_block stage(unsigned number) const {
    return core::split_block(
        sizing::blocks_for_rate(shape, room(number), fpr_ * sizing::level_share(number)));
  }
  // False positive rate of a level at its present fill.
  [[nodiscard]] static double rate(const engine& filter) noexcept { return rate_of_marks(filter); }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("first", self.keys_);
    field("fpr", self.fpr_);
  }
  void check() const {
    check_keys(keys_);
    if (keys_ == 0) throw bad_parameter("first: expected room for at least one key");
    check_fpr(fpr_);
  }
  static void check_stage(const engine&, std::uint64_t) noexcept {}
  friend bool operator==(const block_series&, const block_series&) noexcept = default;

 private:
  static constexpr sizing::block_shape shape = cells::pattern::split32::shape(8);
  [[nodiscard]] static double rate_of(std::uint64_t block_count, std::uint64_t keys) {
    return keys == 0 ? 0
                     : sizing::block_fpr(shape, static_cast<double>(block_count) *
                                                    blocks::block_bits / static_cast<double>(keys));
  }

  std::uint64_t keys_ = 1;  // room of the first level
  double fpr_ = 0.5;
};

// What options give: the sequence, its first level, and the plan.
struct block_series::fit {
  block_series series;
  core::split_block first;
  umbel::plan made;
};

inline block_series::fit block_series::fitted(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  fit out;
  block_series& series = out.series;
  series.fpr_ = options.fpr.value_or(0.5);
  series.check();
  const bool in_reach = !options.fpr || *options.fpr >= sizing::min_level_rate;
  if (options.keys && !in_reach) check_kept(options.fpr, sizing::min_level_rate);
  std::uint64_t keys = options.keys.value_or(0);
  std::uint64_t count = std::max<std::uint64_t>(1, options.bits.value_or(0) / blocks::block_bits);
  if (!options.bits) {
    series.keys_ = std::max<std::uint64_t>(keys, 1);
    count = series.stage(0).blocks();
  } else if (options.fpr && in_reach) {
    constexpr std::uint64_t many = 1'000'000;
    const auto needed = sizing::blocks_for_rate(shape, many, *options.fpr * sizing::level_share(0));
    keys =
        static_cast<std::uint64_t>(static_cast<double>(count) / static_cast<double>(needed) * many);
  }
  series.keys_ = std::max<std::uint64_t>(keys, 1);
  if (!options.fpr)
    series.fpr_ = std::clamp(rate_of(count, series.keys_) / sizing::level_share(0),
                             sizing::min_level_rate, 0.99);
  out.first = core::split_block(count);
  out.made = {.keys = keys,
              .cells = count,
              .probes = out.first.probes(),
              .bits = count * blocks::block_bits,
              .fpr = rate_of(count, keys)};
  check_kept(options.fpr, out.made.fpr);
  return out;
}

}  // namespace core

// The filter. plan(), build() and stages() are in engine/compose/staged_filter.hpp, the other verbs
// in core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, merge, clear.
using taffy_block_filter = core::staged_filter<core::block_series>;

}  // namespace umbel
