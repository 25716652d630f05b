// scalable_bloom_filter.hpp - scalable Bloom filter [ABPH07]: keeps its false positive rate for any
// number of keys.
//
// A list of partitioned Bloom filters, the stages. Each is `growth` times as large as the previous
// one and has `tightening` times its rate, so the sum of all rates stays below the fpr asked for.
// Keys are inserted into the newest stage.
//
// Layout     Stage i has k_i slices of bits under its own salt. When the stage is full of keys,
//            half of the bits of each slice are set.
// Invariant  No false negatives. A key that is already found takes no room. The rate of a full
//            stage is 2^-k_i on average.
// Limits     If the first guess was far too low, it takes 15 to 30 bits per key at 1 %, most of
//            them just after a stage was added; a Bloom filter of the right size takes 9.6. A query
//            for a non-member asks every stage. No erase.
// Threads    Many readers or one writer.
// Source     [ABPH07], [TRL12] sec. III-N, which uses other letters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/compose/staged_filter.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/engine/probe/slice_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/growth.hpp>
#include <umbel/sizing/walks.hpp>

namespace umbel {

// Options of scalable_bloom_filter.
struct scalable_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  // capacity of the first stage: a guess of the number of keys
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};          // bound on the false positive rate of all stages together
  std::optional<std::uint64_t> bits{};  // size of the first stage
  // size of a stage over the previous one, 2 to 16; 4 if the guess may be far too low
  unsigned growth = 2;
  double tightening = 0.85;  // rate of a stage over the previous one; useful from 0.8 to 0.9
  hasher hash{};             // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

namespace core {

// The sequence of stages: the size, slices and rate of each.
class slice_series {
 public:
  using engine = probes<core::slice_probes, cells::bits>;
  using options_type = scalable_options;
  static constexpr std::string_view kind = "scalable-bloom-filter";
  static constexpr unsigned lines = 0;  // one cache line per probe

  struct fit;
  static constexpr unsigned max_slices = 64;  // limit if only `bits` bounds them
  [[nodiscard]] static fit fitted(const options_type& options);

  [[nodiscard]] double fpr() const noexcept { return fpr_; }  // bound on the rate of all stages
  // Capacity of a stage, in keys.
  [[nodiscard]] std::uint64_t room(unsigned number) const {
    return sizing::stage_room(keys_, growth_, number);
  }
  // Shape of a stage.
  [[nodiscard]] core::slice_probes stage(unsigned number) const {
    const unsigned slices = sizing::slices_for(sizing::geometric_rate(fpr_, tightening_, number));
    return core::slice_probes::of(sizing::slice_for(room(number)), slices, number);
  }
  // False positive rate of a stage at its present fill.
  [[nodiscard]] static double rate(const engine& filter) noexcept {
    return std::pow(static_cast<double>(filter.cells().storage().ones()) /
                        static_cast<double>(filter.cells().size()),
                    filter.index().probes());
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("first", self.keys_);
    field("fpr", self.fpr_);
    field("growth", self.growth_);
    field("tightening", self.tightening_);
  }
  void check() const {
    check_keys(keys_);
    if (keys_ == 0) throw bad_parameter("first: expected room for at least one key");
    check_fpr(fpr_);
    if (growth_ < sizing::min_growth || growth_ > sizing::max_growth)
      throw bad_parameter(detail::text("growth: expected ", sizing::min_growth, " to ",
                                       sizing::max_growth, ", found ", growth_));
    if (!(tightening_ >= sizing::min_tightening && tightening_ <= sizing::max_tightening))
      throw bad_parameter(detail::text("tightening: expected ", sizing::min_tightening, " to ",
                                       sizing::max_tightening, ", found ", tightening_));
  }
  static void check_stage(const engine& filter, std::uint64_t number) {
    if (filter.index().salt() != number)
      throw bad_parameter(
          detail::text("salt: expected ", number, ", found ", filter.index().salt()));
  }
  friend bool operator==(const slice_series&, const slice_series&) noexcept = default;

 private:
  std::uint64_t keys_ = 1;  // room of the first stage
  double fpr_ = 0.5;
  std::uint64_t growth_ = 2;
  double tightening_ = 0.85;
};

// What options give: the sequence, its first stage, and the plan.
struct slice_series::fit {
  slice_series series;
  core::slice_probes first;
  umbel::plan made;
};

inline slice_series::fit slice_series::fitted(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  fit out;
  slice_series& series = out.series;
  series.growth_ = options.growth;
  series.tightening_ = options.tightening;
  series.fpr_ = options.fpr.value_or(0.5);
  series.check();
  std::uint64_t keys = options.keys.value_or(0), slice = sizing::slice_for(keys);
  unsigned slices = sizing::slices_for(sizing::geometric_rate(series.fpr_, series.tightening_, 0));
  if (options.bits && options.fpr) {
    slice = std::max<std::uint64_t>(2, *options.bits / slices);
    keys = std::min(sizing::slice_room(slice), max_keys);
  } else if (options.bits) {  // as many as stay half full; or one, fuller
    slices = static_cast<unsigned>(std::clamp<std::uint64_t>(*options.bits / slice, 1, max_slices));
    slice = *options.bits / slices;
  }
  series.keys_ = std::max<std::uint64_t>(keys, 1);
  out.first = core::slice_probes::of(slice, slices, 0);
  const double rate = sizing::partitioned_fpr(static_cast<double>(keys),
                                              static_cast<double>(out.first.cells()), slices);
  if (!options.fpr) {
    const double full = sizing::partitioned_fpr(static_cast<double>(series.keys_),
                                                static_cast<double>(out.first.cells()), slices);
    series.fpr_ = std::clamp(full / (1 - series.tightening_), smallest_fpr, 0.99);
  }
  check_kept(options.fpr, rate);
  out.made = {.keys = keys,
              .cells = out.first.cells(),
              .probes = slices,
              .bits = out.first.cells(),
              .fpr = rate};
  return out;
}

}  // namespace core

// The filter. plan(), build() and stages() are in engine/compose/staged_filter.hpp, the other verbs
// in core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch, merge, clear.
using scalable_bloom_filter = core::staged_filter<core::slice_series>;

}  // namespace umbel
