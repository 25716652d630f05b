// level.hpp - the levels of a bumped ribbon [DHSW22]: which level holds a key, and where its run of
// slots starts there.
//
// A bumped ribbon has up to four layers and a base. A layer is divided into buckets of starts. Each
// bucket has a code, its threshold: keys that start deeper in their bucket were bumped to the next
// layer. The base, and a plain ribbon that replaces all layers, bumps no key.
//
// Layout     A layer is 2^s shards of equal size, which are ranges of digests. The slots of all
//            levels follow one another, and so do the codes of all buckets, 1 or 2 bits each.
//            Buckets with a threshold that no code represents are listed as exceptions: words with
//            a step of 23 bits from the previous bucket and a depth of 9. The depth `only_a_step`
//            is no exception; it extends a step that is too long for 23 bits.
// Source     [DHSW22].
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/engine/retrieval/ribbon/row.hpp>
#include <umbel/sizing/ribbon.hpp>

namespace umbel::core {

// A threshold below every coded one: keys of the bucket from this depth on are bumped.
struct ribbon_exception {
  std::uint64_t bucket;
  std::uint64_t depth;

  static constexpr unsigned depth_bits = 9;
  static constexpr std::uint32_t only_a_step = 0x1FF, max_step = 0x7FFFFF;
};

// The levels as stored in a file. The word of a layer is shard_bits << 56 | slots of a shard.
struct ribbon_layout {
  // of a shard: below 2^32
  static constexpr std::uint64_t max_slots = (std::uint64_t{1} << 32) - 64;
  // attempts of a base or a plain ribbon are numbered from here
  static constexpr std::uint64_t base_salt = 0x100;

  std::uint64_t base_slots = 0;  // 0: no key was bumped from the last layer
  std::uint64_t base_attempt = 0;
  cells::words<> layers;
  cells::packed thresholds;
  cells::words<std::uint32_t> exceptions;

  [[nodiscard]] static std::uint64_t layer_of(std::uint64_t slots, unsigned shard_bits) noexcept {
    return std::uint64_t{shard_bits} << shard_shift | slots;
  }
  [[nodiscard]] static std::uint64_t slots_in(std::uint64_t layer) noexcept {
    return layer & detail::low_mask(shard_shift);
  }
  [[nodiscard]] static std::uint64_t shard_bits_in(std::uint64_t layer) noexcept {
    return layer >> shard_shift;
  }

  friend bool operator==(const ribbon_layout& a, const ribbon_layout& b) noexcept {
    return a.base_slots == b.base_slots && a.base_attempt == b.base_attempt &&
           a.layers == b.layers && a.thresholds == b.thresholds && a.exceptions == b.exceptions;
  }

 private:
  static constexpr unsigned shard_shift = 56;
};

// One layer, or the base.
struct ribbon_level {
  ribbon_row rows;
  std::uint64_t slots, last_start;  // of a shard
  std::uint64_t first_slot;
  std::uint64_t buckets;  // of a shard; 0: bumps no key
  std::uint64_t first_bucket;
  std::uint64_t shards;

  [[nodiscard]] std::uint64_t shard(digest d) const noexcept {
    return detail::fastrange(d.hi, shards);
  }
};

// The run of a key.
template <class Word>
struct ribbon_run {
  std::uint64_t slot;
  Word coefficients;
};

// Buckets of any shape, or of the preset `fast`, which most filters use. A loop compiled for `fast`
// takes a thirtieth less time, a single query ten instructions fewer.
struct any_buckets {
  static constexpr bool are_fast = false;
  unsigned bits, code_shift;
  std::uint64_t mask;
};
struct fast_buckets {
  static constexpr bool are_fast = true;
  static constexpr const sizing::ribbon_shape& shape = sizing::shape_of(ribbon_preset::fast);
  static constexpr unsigned bits = shape.bucket_bits, code_shift = shape.code_bits - 1;
  static constexpr std::uint64_t mask = shape.bucket() - 1;
};
// For a depth, whether a bucket keeps it: one bit per code, repeated, so that the bits above a code
// in its word need not be masked.
[[nodiscard]] constexpr std::uint64_t ribbon_kept(const sizing::ribbon_shape& shape,
                                                  std::uint64_t depth) noexcept {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 64; ++i)
    out |= std::uint64_t{depth < shape.limit(i & ((1U << shape.code_bits) - 1))} << i;
  return out;
}
inline constexpr auto ribbon_kept_by_fast = [] {
  std::array<std::uint64_t, fast_buckets::shape.bucket()> out{};
  for (std::uint64_t depth = 0; depth < out.size(); ++depth)
    out[depth] = ribbon_kept(fast_buckets::shape, depth);
  return out;
}();

// Whether a shape with this coefficient word has exceptions. If none has, the loop does not test
// for them; a query then takes a twentieth less time.
template <class Word>
inline constexpr bool ribbon_may_list = std::any_of(sizing::ribbon_shapes.begin(),
                                                    sizing::ribbon_shapes.end(),
                                                    [](const sizing::ribbon_shape& shape) {
  return shape.width == 8 * sizeof(Word) && shape.code_base != 0;
});

// The first level, copied by value: a loop keeps it in registers. Nine keys in ten are in it. The
// others get the slot `not_here` and are located again.
template <class Word, class Buckets>
struct ribbon_first {
  static constexpr std::uint64_t not_here = ~std::uint64_t{0};

  ribbon_level at;
  const std::uint64_t *codes, *kept;
  const std::uint32_t* groups;
  unsigned group_shift;
  [[no_unique_address]] Buckets in;

  // `words` are the digest's words in layer 0, which is the first level of `fast`.
  [[nodiscard]] ribbon_run<Word> operator()(digest d, const detail::remixed& words) const noexcept {
    const auto row = [&] {
      if constexpr (Buckets::are_fast)
        return at.rows.template row_of<Word, false>(d, words);
      else
        return at.rows.template at<Word>(d);
    }();
    const std::uint64_t shard = at.shard(d);
    const std::uint64_t bucket = shard * at.buckets + (row.back >> in.bits);
    const std::uint64_t bit = bucket << in.code_shift;
    const std::uint64_t code = codes[bit / 64] >> bit % 64;  // with others above: see ribbon_kept
    bool here = (kept[row.back & in.mask] >> code % 64 & 1) != 0;
    if constexpr (ribbon_may_list<Word>)
      here = here && groups[bucket >> group_shift] == groups[(bucket >> group_shift) + 1];
    return {here ? shard * at.slots + at.last_start - row.back : not_here, row.coefficients};
  }
};

// All levels, computed from a layout.
class ribbon_levels {
 public:
  // buckets that share an entry point into the exceptions
  static constexpr unsigned group_bits = 3;

  ribbon_levels() = default;
  // Call read_exceptions() afterwards: the number of buckets is known only then.
  ribbon_levels(const sizing::ribbon_shape& shape, const ribbon_layout& from) : shape_(&shape) {
    const bool bumps = shape.form == sizing::ribbon_form::bumped;
    const std::uint64_t drawn = ribbon_layout::base_salt + from.base_attempt;
    for (const std::uint64_t layer : from.layers.span())
      add(bumps ? levels_.size() : drawn, layer,
          bumps ? shape.buckets(ribbon_layout::slots_in(layer)) : 0);
    if (from.base_slots != 0) add(drawn, from.base_slots, 0);
    for (std::uint64_t depth = 0; depth < shape.bucket(); ++depth)
      kept_.push_back(ribbon_kept(shape, depth));
  }
  // Throws corrupt.
  void read_exceptions(const ribbon_layout& from) {
    listed_.clear();
    groups_.clear();
    if (from.exceptions.size() == 0) return;
    groups_.resize((buckets_ >> group_bits) + 2);
    std::uint64_t bucket = 0;
    for (const std::uint32_t e : from.exceptions.span()) {
      const std::uint64_t step = e >> ribbon_exception::depth_bits,
                          depth = e & ribbon_exception::only_a_step;
      bucket += step;
      const bool is_step = depth == ribbon_exception::only_a_step;
      const bool possible =
          is_step ? step == ribbon_exception::max_step : depth < shape_->bounds[1];
      if (!possible || bucket >= buckets_ || (step == 0 && !listed_.empty()))
        throw corrupt(detail::text("ribbon: exception ", e, " is impossible"));
      if (is_step) continue;
      listed_.push_back({bucket, depth});
      ++groups_[(bucket >> group_bits) + 1];
    }
    for (std::size_t i = 1; i < groups_.size(); ++i) groups_[i] += groups_[i - 1];
  }

  [[nodiscard]] std::size_t size() const noexcept { return levels_.size(); }
  [[nodiscard]] const ribbon_level& operator[](std::size_t i) const noexcept { return levels_[i]; }
  [[nodiscard]] const sizing::ribbon_shape& shape() const noexcept { return *shape_; }
  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
  [[nodiscard]] std::uint64_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] bool lists() const noexcept { return !groups_.empty(); }

  // The run of a key, searched from level `first` on.
  template <class Word>
  [[nodiscard]] ribbon_run<Word> locate(const cells::packed& thresholds, digest d,
                                        std::size_t first = 0) const noexcept {
    for (std::size_t i = first; i < levels_.size(); ++i) {
      const ribbon_level& at = levels_[i];
      const auto row = at.rows.template at<Word>(d);
      const std::uint64_t shard = at.shard(d);
      const std::uint64_t bucket =
          at.first_bucket + shard * at.buckets + (row.back >> shape_->bucket_bits);
      if (at.buckets == 0 || !is_bumped(thresholds, bucket, row.back & (shape_->bucket() - 1)))
          [[likely]]
        return {at.first_slot + shard * at.slots + at.last_start - row.back, row.coefficients};
    }
    return {0, 0};  // no key was bumped so far: a non-member; no coefficient gives 0
  }
  // If the level has no buckets, it holds all keys, and any `Buckets` will do.
  template <class Word, class Buckets>
  [[nodiscard]] ribbon_first<Word, Buckets> first(const cells::packed& thresholds) const noexcept {
    static constexpr std::uint64_t no_codes = 0, keeps_all = ~std::uint64_t{0};
    static constexpr std::uint32_t no_exceptions[2] = {0, 0};
    const bool bumps = levels_[0].buckets != 0;
    ribbon_first<Word, Buckets> out{levels_[0], &no_codes, &keeps_all, no_exceptions, 63, {}};
    if constexpr (!Buckets::are_fast)
      out.in = bumps ? any_buckets{shape_->bucket_bits, shape_->code_bits - 1, shape_->bucket() - 1}
                     : any_buckets{63, 0, 0};
    if (bumps) out.codes = thresholds.storage().data();
    if (bumps) out.kept = kept_.data();
    if (lists()) out.groups = groups_.data();
    if (lists()) out.group_shift = group_bits;
    return out;
  }

 private:
  void add(std::uint64_t number, std::uint64_t layer, std::uint64_t buckets) {
    const std::uint64_t slots = ribbon_layout::slots_in(layer),
                        shards = std::uint64_t{1} << ribbon_layout::shard_bits_in(layer);
    levels_.push_back({ribbon_row(number, *shape_, slots), slots, shape_->starts(slots) - 1, slots_,
                       buckets, buckets_, shards});
    slots_ += slots * shards;
    buckets_ += buckets * shards;
  }
  [[nodiscard]] bool is_bumped(const cells::packed& thresholds, std::uint64_t bucket,
                               std::uint64_t depth) const noexcept {
    if ((kept_[depth] >> thresholds.get(bucket) & 1) == 0) return true;
    if (groups_.empty()) return false;
    const std::uint64_t group = bucket >> group_bits;
    for (std::uint32_t i = groups_[group], end = groups_[group + 1]; i < end; ++i)
      if (listed_[i].bucket == bucket) return depth >= listed_[i].depth;
    return false;
  }

  const sizing::ribbon_shape* shape_ = &sizing::ribbon_shapes[0];
  std::vector<ribbon_level> levels_;
  std::vector<std::uint64_t> kept_;       // of every depth
  std::vector<ribbon_exception> listed_;  // by bucket
  std::vector<std::uint32_t> groups_;     // where the exceptions of each group of buckets begin
  std::uint64_t slots_ = 0, buckets_ = 0;
};

}  // namespace umbel::core
