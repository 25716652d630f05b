// ribbon.hpp - bumped ribbon retrieval (BuRR) [DHSW22]: static function from keys to values of r
// bits, in slightly more than r bits per key.
//
// value(x) is the parity, column by column, of a short pseudorandom run of slots. The build solves
// the linear system (banding, then back-substitution) that makes it right for every key. Each layer
// has fewer slots than keys, so that nearly every slot is used. Keys that do not fit are bumped,
// bucket by bucket, to the next, much smaller layer, and from the last layer to a plain ribbon, the
// base, which is drawn again until it has a solution.
//
// Presets    Two are plain ribbons [DW21] without bumping: `standard` has spare slots;
//            `homogeneous` makes all members return 0 and is drawn again until few enough
//            non-members pass independently of the contents of its columns.
// Layout     Slots of all levels (level.hpp) in interleaved columns (cells/columns.hpp), thresholds
//            of all buckets, and exceptions. A plain ribbon is one layer without buckets.
// Parts      row.hpp: the run of a key. level.hpp: the level that holds it. query.hpp: its value.
//            lanes.hpp: eight keys at a time. build.hpp, shard.hpp: the build.
// Invariant  After build, value(x) is exact for every key of the build. The bytes depend only on
//            the set of (key, value).
// Limits     Duplicate keys are found when a row is redundant; they are dropped, or are a conflict
//            if their values differ. Memory while building: 16 bytes per key (24 with values), plus
//            per thread a shard of half a million to a million keys, 32 or 40 bytes each, 48 or 56
//            with 128 coefficients. For keys on disk: the limit of their spool and as much again,
//            plus 16 or 32 per key of the shards being worked on.
// Threads    Immutable: any number of readers. The build starts at most `threads` threads, and no
//            more than it has shards.
// Source     [DHSW22] for bumping, [DW21] for ribbons and interleaving, [BLS24] for solving shards
//            separately.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/columns.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/ribbon/level.hpp>
#include <umbel/engine/retrieval/ribbon/query.hpp>
#include <umbel/sizing/ribbon.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
template <class Record>
class ribbon_builder;

class ribbon {
  // work(a coefficient word of the right size)
  template <class Work>
  auto with_word(Work&& work) const {
    return shape().width == 64 ? work(std::uint64_t{}) : work(detail::uint128{});
  }

 public:
  struct build_options {
    unsigned width = 8;  // bits per value, 1 to 64
    ribbon_preset preset = ribbon_preset::fast;
    std::pmr::memory_resource* memory = nullptr;
    unsigned threads = 1;
    std::uint64_t shard_from =
        sizing::peel_shard_from;  // a seam for tests: fewer keys make one system, or half as many
    double layer_scale = 1;       // a seam for tests: layers of this share of their slots
  };

  ribbon() = default;
  // From the results of a build.
  ribbon(std::uint64_t keys, unsigned width, ribbon_preset preset, ribbon_layout layout,
         cells::columns cells)
      : keys_(keys),
        width_(width),
        preset_(static_cast<std::uint64_t>(preset)),
        layout_(std::move(layout)),
        cells_(std::move(cells)),
        levels_(shape(), layout_) {
    levels_.read_exceptions(layout_);
    choose_way();
  }

  // The size for n keys of this width. `tag_bits` of it distinguish members from non-members.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits,
                                        ribbon_preset preset,
                                        std::uint64_t shard_from = sizing::peel_shard_from) {
    check_keys(n);
    if (n == 0) return {};
    const auto& shape = shape_of(preset);
    return {.keys = n,
            .cells = sizing::plan_ribbon(shape, n, width, shard_from).slots,
            .probes = 1,
            .bits = sizing::ribbon_bits(shape, n, width, shard_from),
            .fpr = sizing::ribbon_fpr(shape, tag_bits)};
  }
  // The false positive rate of a filter with this number of columns.
  [[nodiscard]] static double fpr(ribbon_preset preset, unsigned columns) {
    return sizing::ribbon_fpr(shape_of(preset), columns);
  }

  // value_of(record) is the value to store for the record's key, below 2^width. Throws conflict and
  // unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static ribbon build(const basic_spool<Record>& keys, const build_options& options,
                                    ValueOf&& value_of) {
    // engine/retrieval/ribbon/build.hpp
    return ribbon_builder<Record>::build(keys, options, value_of);
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] ribbon_preset preset() const noexcept {
    return static_cast<ribbon_preset>(preset_);
  }
  [[nodiscard]] double filter_fpr() const noexcept { return sizing::ribbon_fpr(shape(), width()); }
  // Whether members return 0 for every value stored: useful only for filters.
  [[nodiscard]] bool all_zero() const noexcept {
    return shape().form == sizing::ribbon_form::homogeneous;
  }
  static void require_values(ribbon_preset preset) {
    if (shape_of(preset).form == sizing::ribbon_form::homogeneous)
      throw bad_parameter("preset: homogeneous ribbons are filters and hold no values");
  }
  // Everything that a file stores, fields included: for small ribbons a few words matter.
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    if (keys_ == 0) return 0;
    return 64 * (sizing::ribbon_field_words + layout_.layers.size() +
                 layout_.thresholds.storage().size() + cells_.storage().size()) +
           32 * layout_.exceptions.size();
  }

  // A word whose low bits are the tag of a key in a filter or a map.
  [[nodiscard, gnu::always_inline]] static std::uint64_t tag_word(digest d) noexcept {
    return ribbon_row::tag(ribbon_row::first_words(d));
  }

  // Exact for keys of the build, arbitrary for others; 0 if there are no keys.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
#if defined(__x86_64__)
    if (way_ == way::fast) return value_fast(d.hi, d.lo);
    if (way_ == way::avx2)
      return with_word(
          [&]<class Word>(Word) { return avx2::ribbon_value<Word>(view(), d.hi, d.lo); });
#endif
    return value_portable(d.hi, d.lo);
  }
  // Whether value and tag are equal; false if there are no keys.
  [[nodiscard, gnu::always_inline]] bool matches(digest d) const noexcept {
#if defined(__x86_64__)
    if (way_ == way::fast) [[likely]]
      return matches_fast(d.hi, d.lo);
#endif
    return matches_any(d.hi, d.lo);
  }

  // sink(i, note, value) for i below `total`, in order. The note is computed when the key is
  // located (query.hpp).
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of,
              Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) {
        const digest d = digest_at(i);
        sink(i, ribbon_note(note_of, d, ribbon_row::first_words(d)), std::uint64_t{0});
      }
      return;
    }
    with_word(
        [&]<class Word>(Word) { ribbon_values<Word>(view(), total, digest_at, note_of, sink); });
  }

  friend bool operator==(const ribbon& a, const ribbon& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.preset_ == b.preset_ &&
           a.layout_ == b.layout_ && a.cells_ == b.cells_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("preset", self.preset_, ribbon_preset_names);
    field("base_slots", self.layout_.base_slots);
    field("base_attempt", self.layout_.base_attempt);
  }
  static void describe(auto& self, auto& part) {
    part.fields("ribbon", self);
    part.array("layers", self.layout_.layers);
    part.array("thresholds", self.layout_.thresholds.storage());
    part.array("exceptions", self.layout_.exceptions);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("ribbon: field ", field, " has the impossible value ", found));
    };
    auto& [base_slots, base_attempt, layers, thresholds, exceptions] = layout_;
    require(width_ >= 1 && width_ <= 64, "width", width_);
    require(preset_ < sizing::ribbon_shapes.size(), "preset", preset_);
    if (keys_ == 0) {
      require(base_slots == 0, "base_slots", base_slots);
      require(base_attempt == 0, "base_attempt", base_attempt);
      layers.require(0);
      thresholds.storage().require(0);
      exceptions.require(0);
      cells_.storage().require(0);
      return;
    }
    require(keys_ <= max_keys, "keys", keys_);
    const auto& with = shape();
    const bool bumps = with.form == sizing::ribbon_form::bumped;
    const auto possible = [&](std::uint64_t slots) {
      return slots % 64 == 0 && slots <= ribbon_layout::max_slots;
    };
    layers.require(bumps ? std::min<std::uint64_t>(layers.size(), sizing::ribbon_layers) : 1);
    layers.own();  // small, and levels follow from it: own it
    for (const std::uint64_t layer : layers.span()) {
      const std::uint64_t slots = ribbon_layout::slots_in(layer);
      require(possible(slots) && slots >= (bumps ? 2 : 1) * with.width, "layer", layer);
      require(ribbon_layout::shard_bits_in(layer) <= sizing::ribbon_max_shard_bits, "layer", layer);
    }
    require(possible(base_slots) &&
                (base_slots == 0 ? layers.size() != 0 : bumps && base_slots >= with.width),
            "base_slots", base_slots);
    const bool drawn = !bumps || base_slots != 0;
    require(base_attempt < (drawn ? sizing::ribbon_attempts : 1), "base_attempt", base_attempt);
    levels_ = ribbon_levels(with, layout_);
    // nearly one slot per key; redundant rows need none
    require(keys_ <= 2 * levels_.slots(), "keys", keys_);
    if (levels_.buckets() == 0)
      thresholds.storage().require(0);
    else
      thresholds.reshape(levels_.buckets(), with.code_bits);
    exceptions.require(with.code_base == 0 ? 0 : exceptions.size());
    levels_.read_exceptions(layout_);
    cells_.reshape(levels_.slots(), width());
    choose_way();
  }

 private:
  template <class Record>
  friend class ribbon_builder;

  [[nodiscard]] static const sizing::ribbon_shape& shape_of(ribbon_preset preset) {
    if (static_cast<std::uint64_t>(preset) >= sizing::ribbon_shapes.size())
      throw bad_parameter(detail::text("preset: expected a number below ",
                                       sizing::ribbon_shapes.size(), ", found ",
                                       static_cast<std::uint64_t>(preset)));
    return sizing::shape_of(preset);
  }
  [[nodiscard]] const sizing::ribbon_shape& shape() const noexcept {
    return sizing::shape_of(preset());
  }
  [[nodiscard]] ribbon_view view() const noexcept { return {levels_, layout_.thresholds, cells_}; }

  // ---- single queries ----

  // The code path of single queries, selected when the ribbon is built or loaded.
  enum class way : std::uint8_t { portable, avx2, fast };
  void choose_way() noexcept {
    if (keys_ == 0 || cells::kernel::in_use() < cells::kernel::level::avx2) return;
    way_ = way::avx2;
    if (width_ != 8 || preset() != ribbon_preset::fast || levels_[0].buckets == 0) return;
    way_ = way::fast;
    first_ = ribbon_short(levels_[0]);
  }
  // These get the digest as two words, which are passed in registers.
  [[nodiscard, gnu::noinline]] std::uint64_t value_portable(std::uint64_t hi,
                                                            std::uint64_t lo) const noexcept {
    if (keys_ == 0) return 0;
    return with_word([&]<class Word>(Word) { return ribbon_value<Word>(view(), {hi, lo}); });
  }
  [[nodiscard, gnu::noinline]] bool matches_any(std::uint64_t hi, std::uint64_t lo) const noexcept {
    const std::uint64_t tag = all_zero() ? 0 : tag_word({hi, lo}) & detail::low_mask(width());
    return keys_ != 0 && value({hi, lo}) == tag;
  }
#if defined(__x86_64__)
  [[nodiscard, UMBEL_RIBBON_AVX2, gnu::noinline]] std::uint64_t value_fast(
      std::uint64_t hi, std::uint64_t lo) const noexcept {
    const auto found = avx2::ribbon_look(first_, layout_.thresholds.storage().data(),
                                         cells_.storage().data(), hi, lo);
    return found.is_here ? found.value : value_further(hi, lo);
  }
  [[nodiscard, UMBEL_RIBBON_AVX2, gnu::noinline]] bool matches_fast(
      std::uint64_t hi, std::uint64_t lo) const noexcept {
    const auto found = avx2::ribbon_look(first_, layout_.thresholds.storage().data(),
                                         cells_.storage().data(), hi, lo);
    if (!found.is_here) [[unlikely]]
      return matches_further(hi, lo);
    return static_cast<std::uint8_t>(found.value) == static_cast<std::uint8_t>(found.high);
  }
  // For keys that are not in the first level.
  [[nodiscard, gnu::noinline]] std::uint64_t value_further(std::uint64_t hi,
                                                           std::uint64_t lo) const noexcept {
    return avx2::ribbon_value<std::uint64_t>(view(), hi, lo, 1);
  }
  [[nodiscard, gnu::noinline]] bool matches_further(std::uint64_t hi,
                                                    std::uint64_t lo) const noexcept {
    return value_further(hi, lo) == (tag_word({hi, lo}) & 0xFF);
  }
#endif

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t preset_ = 0;
  ribbon_layout layout_;
  cells::columns cells_;
  // These follow from the fields above:
  ribbon_levels levels_;
  ribbon_short first_;
  way way_ = way::portable;
};

}  // namespace umbel::core
