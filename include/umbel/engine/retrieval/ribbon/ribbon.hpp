// ribbon.hpp - static function from keys to values of r bits in hardly more than r bits per key.
// Idea       A bumped ribbon: value(x) = parities of a short random run of slots, column by column. Each layer has fewer
//            slots than keys, and nearly every slot is used; keys that do not fit are bumped, bucket by bucket, to the
//            next, much smaller layer, and from the last to a plain ribbon, the base, which is drawn until it solves.
//            Two presets are plain altogether: `standard` has room to spare, `homogeneous` makes all members answer 0 and
//            is drawn until few enough non-members pass whatever its columns hold.
// Layout     A layer is 2^s shards of equal size, ranges of digests, solved apart. Slots of all layers and of the base lie
//            one after another in interleaved columns; thresholds of all buckets likewise, 1 or 2 bits each. Buckets
//            whose threshold a code cannot say are listed in `exceptions`. A plain ribbon is one layer without buckets.
// Invariant  After build, value(x) is exact for every key given. The bytes depend on the set of (key, value) alone.
// Limits     Repeats are found where a row adds nothing, and dropped, or are a conflict. Memory while building: 16 bytes per
//            key (24 with values), plus per thread a shard of half a million to a million keys, 32 or 40 bytes each, 48 or
//            56 where there are 128 coefficients. Of keys on disk: the limit of their spool and as much again, plus 16 or
//            32 per key of the shards in work.
// Threads    Immutable: any number of readers. The build starts `threads` threads and no more than it has shards.
// Source     [DHSW22] for bumping, [DW21] for ribbons and interleaving, [BLS24] for shards solved apart.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/columns.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/ribbon/lanes.hpp>
#include <umbel/engine/retrieval/ribbon/row.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/ribbon.hpp>

namespace umbel::core {

template <class Record>
class basic_spool;
template <class Record>
class ribbon_builder;

// A depth below every stored threshold, from which on a bucket's keys are bumped.
struct ribbon_exception {
  std::uint64_t bucket;
  std::uint64_t depth;
};

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

  // What n keys will take at this width, of which `tag_bits` tell members from strangers.
  [[nodiscard]] static umbel::plan plan(std::uint64_t n, unsigned width, unsigned tag_bits, ribbon_preset preset,
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
  // The false positive rate of a filter of so many columns.
  [[nodiscard]] static double fpr(ribbon_preset preset, unsigned columns) {
    return sizing::ribbon_fpr(shape_of(preset), columns);
  }

  // value_of(record) is what the record's key shall answer, below 2^width. Throws conflict and unsolvable.
  template <class Record, class ValueOf>
  [[nodiscard]] static ribbon build(const basic_spool<Record>& keys, const build_options& how, ValueOf&& value_of) {
    return ribbon_builder<Record>::build(keys, how, value_of);  // engine/retrieval/ribbon/build.hpp
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] ribbon_preset preset() const noexcept { return static_cast<ribbon_preset>(preset_); }
  [[nodiscard]] double filter_fpr() const noexcept { return sizing::ribbon_fpr(shape(), width()); }
  // Whether members answer 0 whatever was given: good for filters alone.
  [[nodiscard]] bool all_zero() const noexcept { return shape().form == sizing::ribbon_form::homogeneous; }
  static void require_values(ribbon_preset preset) {
    if (shape_of(preset).form == sizing::ribbon_form::homogeneous)
      throw bad_parameter("preset: homogeneous ribbons are filters and hold no values");
  }
  // Everything that a file of it holds, fields too: a few words matter here.
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    if (keys_ == 0) return 0;
    return 64 * (sizing::ribbon_field_words + layers_.size() + thresholds_.storage().size() + cells_.storage().size()) +
           32 * exceptions_.size();
  }

  // Exact for members, arbitrary for strangers; 0 when nothing was built.
  [[nodiscard]] std::uint64_t value(digest d) const noexcept {
    if (keys_ == 0) return 0;
    return with_word([&]<class Word>(Word) {
      const auto at = locate<Word>(d);
      return cells::kernel::portable::parities(cells_.of_any_width().run(at.slot, at.coefficients), width());
    });
  }

  // sink(i, note, value) for i below `total`, in order; the note is note_of(digest), taken while the key is in hand.
  template <class DigestAt, class NoteOf, class Sink>
  void values(std::size_t total, DigestAt&& digest_at, NoteOf&& note_of, Sink&& sink) const noexcept {
    if (keys_ == 0) {
      for (std::size_t i = 0; i < total; ++i) sink(i, note_of(digest_at(i)), std::uint64_t{0});
      return;
    }
    with_word([&]<class Word>(Word) {
#if defined(__x86_64__)
      const auto vectors = cells::kernel::in_use();
      if (vectors >= cells::kernel::level::avx512 && fits_lanes<Word>()) {
        if constexpr (sizeof(Word) == 8)
          if (width_ == 8) {
            auto note = at_eight_bits(note_of);
            return values_avx512<Word>(cells_.of_eight(), total, digest_at, note, sink);
          }
        return values_avx512<Word>(cells_.of_any_width(), total, digest_at, note_of, sink);
      }
      if (vectors >= cells::kernel::level::avx2) {
        const auto of_eight = [&]<class Buckets>(Buckets) {
          auto note = at_eight_bits(note_of);
          values_avx2<Word, Buckets>(cells_.of_eight(), total, digest_at, note, sink);
        };
        if constexpr (sizeof(Word) == 8)
          if (width_ == 8 && preset() == ribbon_preset::fast && levels_[0].buckets != 0)
            return of_eight(fast_buckets{});
        if (width_ == 8) return of_eight(any_buckets{});
        return values_avx2<Word, any_buckets>(cells_.of_any_width(), total, digest_at, note_of, sink);
      }
#endif
      return values_portable<Word, any_buckets>(cells_.of_any_width(), total, digest_at, note_of, sink);
    });
  }

  friend bool operator==(const ribbon& a, const ribbon& b) noexcept {
    return a.keys_ == b.keys_ && a.width_ == b.width_ && a.preset_ == b.preset_ && a.base_slots_ == b.base_slots_ &&
           a.base_attempt_ == b.base_attempt_ && a.layers_ == b.layers_ && a.thresholds_ == b.thresholds_ &&
           a.exceptions_ == b.exceptions_ && a.cells_ == b.cells_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("width", self.width_);
    field("preset", self.preset_, ribbon_preset_names);
    field("base_slots", self.base_slots_);
    field("base_attempt", self.base_attempt_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("ribbon", self);
    part.array("layers", self.layers_);
    part.array("thresholds", self.thresholds_.storage());
    part.array("exceptions", self.exceptions_);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text("ribbon: field ", field, " has the impossible value ", found));
    };
    require(width_ >= 1 && width_ <= 64, "width", width_);
    require(preset_ < sizing::ribbon_shapes.size(), "preset", preset_);
    if (keys_ == 0) {
      require(base_slots_ == 0, "base_slots", base_slots_);
      require(base_attempt_ == 0, "base_attempt", base_attempt_);
      layers_.require(0);
      thresholds_.storage().require(0);
      exceptions_.require(0);
      cells_.storage().require(0);
      return;
    }
    require(keys_ <= most_keys, "keys", keys_);
    const auto& with = shape();
    const bool bumps = with.form == sizing::ribbon_form::bumped;
    const auto possible = [&](std::uint64_t slots) { return slots % 64 == 0 && slots <= most_slots; };
    layers_.require(bumps ? std::min<std::uint64_t>(layers_.size(), sizing::ribbon_layers) : 1);
    layers_ = cells::words<>(buffer(layers_.bytes()));  // small, and looked at by every query: own it
    for (const std::uint64_t layer : layers_.span()) {
      require(possible(slots_in(layer)) && slots_in(layer) >= (bumps ? 2 : 1) * with.width, "layer", layer);
      require(shard_bits_in(layer) <= sizing::ribbon_most_shard_bits, "layer", layer);
    }
    require(possible(base_slots_) && (base_slots_ == 0 ? layers_.size() != 0 : bumps && base_slots_ >= with.width),
            "base_slots", base_slots_);
    const bool drawn = !bumps || base_slots_ != 0;
    require(base_attempt_ < (drawn ? sizing::ribbon_attempts : 1), "base_attempt", base_attempt_);
    draw_levels();
    require(keys_ <= 2 * slots_, "keys", keys_);  // nearly one slot each; rows that are sums of others need none
    if (buckets_ == 0)
      thresholds_.storage().require(0);
    else
      thresholds_.reshape(buckets_, with.code_bits);
    exceptions_.require(with.code_base == 0 ? 0 : exceptions_.size());
    draw_exceptions();
    cells_.reshape(slots_, width());
  }

 private:
  template <class Record>
  friend class ribbon_builder;

  static constexpr std::uint64_t most_slots = (std::uint64_t{1} << 32) - 64;  // of a shard: fewer than 32 bits can say
  static constexpr unsigned shard_shift = 56;                                 // a layer's word: shard_bits above slots
  static constexpr std::uint64_t base_salt = 0x100;
  static constexpr unsigned group_bits = 3;  // buckets that share an entry point into the exceptions
  static constexpr unsigned depth_bits = 9;
  static constexpr std::uint32_t only_a_step = 0x1FF, most_step = 0x7FFFFF;

  [[nodiscard]] static std::uint64_t slots_in(std::uint64_t layer) noexcept {
    return layer & detail::low_mask(shard_shift);
  }
  [[nodiscard]] static std::uint64_t shard_bits_in(std::uint64_t layer) noexcept { return layer >> shard_shift; }
  [[nodiscard]] static const sizing::ribbon_shape& shape_of(ribbon_preset preset) {
    if (static_cast<std::uint64_t>(preset) >= sizing::ribbon_shapes.size())
      throw bad_parameter(detail::text("preset: expected a number below ", sizing::ribbon_shapes.size(), ", found ",
                                       static_cast<std::uint64_t>(preset)));
    return sizing::shape_of(preset);
  }
  [[nodiscard]] const sizing::ribbon_shape& shape() const noexcept { return sizing::shape_of(preset()); }

  // ---- asking ----

  // One layer, or the base, as queries need it.
  struct level {
    core::ribbon_row rows;
    std::uint64_t slots, last_start;  // of a shard
    std::uint64_t first_slot;
    std::uint64_t buckets;  // of a shard; 0: a plain ribbon, which bumps nobody
    std::uint64_t first_bucket;
    unsigned shift;
  };
  template <class Word>
  struct spot {
    std::uint64_t slot;
    Word coefficients;
  };

  // A note that depends on the width of values, for a loop that knows it; any other as it is.
  template <class NoteOf>
  [[nodiscard]] static auto at_eight_bits(NoteOf& note_of) noexcept {
    if constexpr (requires { note_of.template at_width<8>(); })
      return note_of.template at_width<8>();
    else
      return [&note_of](digest d) { return note_of(d); };
  }

  // Looking from level `first` on.
  template <class Word>
  [[nodiscard]] spot<Word> locate(digest d, std::size_t first = 0) const noexcept {
    for (std::size_t i = first; i < levels_.size(); ++i) {
      const level& at = levels_[i];
      const auto row = at.rows.at<Word>(d);
      const std::uint64_t shard = d.hi >> 1 >> at.shift;
      const std::uint64_t bucket = at.first_bucket + shard * at.buckets + (row.back >> bucket_bits_);
      if (at.buckets == 0 || !is_bumped(bucket, row.back & bucket_mask_)) [[likely]]
        return {at.first_slot + shard * at.slots + at.last_start - row.back, row.coefficients};
    }
    return {0, 0};  // nobody was bumped so far: a stranger, and no coefficient makes 0
  }
  [[nodiscard]] bool is_bumped(std::uint64_t bucket, std::uint64_t depth) const noexcept {
    if ((kept_[depth] >> thresholds_.get(bucket) & 1) == 0) return true;
    if (groups_.empty()) return false;
    for (std::uint32_t i = groups_[bucket >> group_bits], end = groups_[(bucket >> group_bits) + 1]; i < end; ++i)
      if (listed_[i].bucket == bucket) return depth >= listed_[i].depth;
    return false;
  }

  // Whether a shape of this width has exceptions. Where none has, a loop does not look for them: a query takes a twentieth less.
  template <class Word>
  static constexpr bool may_list = std::any_of(sizing::ribbon_shapes.begin(), sizing::ribbon_shapes.end(),
                                               [](const sizing::ribbon_shape& shape) {
                                                 return shape.width == 8 * sizeof(Word) && shape.code_base != 0;
                                               });

  // The first level with all it needs, by value: a loop keeps it in registers. Nine keys in ten go no further; the others
  // get the slot `not_here`, and look again.
  static constexpr std::uint64_t not_here = ~std::uint64_t{0};
  // Its buckets: of any shape, or of `fast`, which most filters have. A loop that knows them takes a thirtieth less.
  struct any_buckets {
    static constexpr bool may_crowd_first = true;
    unsigned bits, code_shift;
    std::uint64_t mask;
  };
  struct fast_buckets {
    static constexpr const sizing::ribbon_shape& shape = sizing::shape_of(ribbon_preset::fast);
    static constexpr bool may_crowd_first = false;
    static constexpr unsigned bits = shape.bucket_bits, code_shift = shape.code_bits - 1;
    static constexpr std::uint64_t mask = shape.bucket() - 1;
  };
  template <class Word, class Buckets>
  struct first_finder {
    level at;
    const std::uint64_t *codes, *kept;
    const std::uint32_t* groups;
    unsigned group_shift;
    [[no_unique_address]] Buckets in;

    [[nodiscard]] spot<Word> operator()(digest d) const noexcept {
      const auto row = at.rows.template at<Word, Buckets::may_crowd_first>(d);
      const std::uint64_t shard = d.hi >> 1 >> at.shift;
      const std::uint64_t bucket = shard * at.buckets + (row.back >> in.bits);
      const std::uint64_t bit = bucket << in.code_shift;
      const std::uint64_t code = codes[bit / 64] >> bit % 64;  // and others above it: see kept_
      bool here = (kept[row.back & in.mask] >> code % 64 & 1) != 0;
      if constexpr (may_list<Word>) here = here && groups[bucket >> group_shift] == groups[(bucket >> group_shift) + 1];
      return {here ? shard * at.slots + at.last_start - row.back : not_here, row.coefficients};
    }
  };
  // Where the level has no buckets all keys are there, and `Buckets` are any.
  template <class Word, class Buckets>
  [[nodiscard]] first_finder<Word, Buckets> first_level() const noexcept {
    static constexpr std::uint64_t no_codes = 0, keeps_all = ~std::uint64_t{0};
    static constexpr std::uint32_t no_exceptions[2] = {0, 0};
    const bool bumps = levels_[0].buckets != 0, lists = !groups_.empty();
    assert(bumps || (std::is_same_v<Buckets, any_buckets>));
    first_finder<Word, Buckets> out{levels_[0], &no_codes, &keeps_all, no_exceptions, 63, {}};
    if constexpr (std::is_same_v<Buckets, any_buckets>)
      out.in = bumps ? any_buckets{bucket_bits_, shape().code_bits - 1, bucket_mask_} : any_buckets{63, 0, 0};
    if (bumps) out.codes = thresholds_.storage().data();
    if (bumps) out.kept = kept_.data();
    if (lists) out.groups = groups_.data();
    if (lists) out.group_shift = group_bits;
    return out;
  }

  template <class Word>
  struct waiting {
    std::uint64_t note;
    spot<Word> at;
  };
  template <class Word, class Buckets, class Cells, class DigestAt, class NoteOf>
  [[nodiscard]] auto prepare(const Cells& cells, DigestAt& digest_at, NoteOf& note_of) const noexcept {
    const std::size_t next =
        groups_.empty() ? 1 : 0;  // exceptions of the first, if there are any, `locate` alone knows
    return [&, cells, next, first = first_level<Word, Buckets>()](std::size_t i, waiting<Word>& w) {
      const digest d = digest_at(i);
      w.note = note_of(d);
      w.at = first(d);
      if (w.at.slot == not_here) [[unlikely]]
        w.at = locate<Word>(d, next);
      cells.template prefetch<Word>(w.at.slot);
    };
  }
  template <class Word, class Buckets, class Cells, class DigestAt, class NoteOf, class Sink>
  [[UMBEL_FLAT]] void values_portable(const Cells cells, std::size_t total, DigestAt& digest_at, NoteOf& note_of,
                                      Sink& sink) const noexcept {
    detail::ring<waiting<Word>>(
        total, prepare<Word, Buckets>(cells, digest_at, note_of), [&, cells](std::size_t i, const waiting<Word>& w) {
          sink(i, w.note, cells::kernel::portable::parities(cells.run(w.at.slot, w.at.coefficients), cells.width));
        });
  }
#if defined(__x86_64__)
  template <class Word, class Cells, class Sink>
  struct finish_avx2 {  // not a lambda: those are compiled for any processor, and would not take the kernel in
    const Cells cells;
    Sink& sink;
    [[gnu::target("avx2,bmi2,popcnt")]] void operator()(std::size_t i, const waiting<Word>& w) const noexcept {
      sink(i, w.note, cells::kernel::avx2::parities(cells.run(w.at.slot, w.at.coefficients), cells.width));
    }
  };
  template <class Word, class Buckets, class Cells, class DigestAt, class NoteOf, class Sink>
  [[gnu::target("avx2,bmi2,popcnt"), UMBEL_FLAT]] void values_avx2(const Cells cells, std::size_t total,
                                                                   DigestAt& digest_at, NoteOf& note_of,
                                                                   Sink& sink) const noexcept {
    detail::ring<waiting<Word>>(total, prepare<Word, Buckets>(cells, digest_at, note_of),
                                finish_avx2<Word, Cells, Sink>{cells, sink});
  }

  // The same, eight keys at a time (engine/retrieval/ribbon/lanes.hpp). A piece of the batch is looked up in the first level, then what is
  // not there further on, and then it is handed over, in order.
  static constexpr std::size_t piece = 1024;
  static constexpr std::size_t lanes_depth = 4;  // times eight keys in flight: of 3, 4, 6, 8 the fastest at 1e8

  // Where a run has all of its blocks somewhere.
  template <class Word>
  [[nodiscard]] bool fits_lanes() const noexcept {
    return slots_ >= 64 * eight::runs<Word>::blocks;
  }
  template <class Word>
  [[nodiscard]] eight::finder<Word, may_list<Word>> finder_of_eight(std::size_t number) const noexcept {
    const auto first = first_level<Word, any_buckets>();
    const level& at = levels_[number];
    eight::finder<Word, may_list<Word>> out{.rows = at.rows.apart(),
                                            .slots = at.slots,
                                            .buckets = at.buckets,
                                            .last_start = at.first_slot + at.last_start,
                                            .first_bucket = at.first_bucket,
                                            .shift = at.shift,
                                            .bucket_bits = first.in.bits,
                                            .code_shift = first.in.code_shift,
                                            .bucket_mask = first.in.mask,
                                            .codes = first.codes,
                                            .groups = first.groups,
                                            .group_shift = first.group_shift,
                                            .limits = {}};
    if (at.buckets == 0) {  // one code for all, which is there
      out.first_bucket = 0;
      out.bucket_bits = 63;
    }
    for (unsigned i = 0; i < std::size(out.limits); ++i)
      out.limits[i] = at.buckets == 0 ? ~std::uint64_t{0} : shape().limit(i & ((1U << shape().code_bits) - 1));
    return out;
  }
  template <class Word>
  [[nodiscard]] std::uint64_t last_whole_run() const noexcept {
    return slots_ - 64 * eight::runs<Word>::blocks + 63;
  }
  // Not finish_avx2: what that is inlined into must not be compiled for more, or g++ 12 takes loose words for aligned ones.
  template <class Word, class Width, class Value>
  struct finish_avx512 {
    const cells::columns::view<Width> cells;
    Value* values;
    [[UMBEL_LANES]] void operator()(std::size_t i, const spot<Word>& at) const noexcept {
      values[i] = static_cast<Value>(cells::kernel::avx512::parities(cells.run(at.slot, at.coefficients), cells.width));
    }
  };
  // The values of up to `piece` keys, looking from level `from` on. Compiled once, whatever the batch is of.
  template <class Word, class Width, class Value>
  [[UMBEL_LANES, UMBEL_FLAT, gnu::noinline]] void look_up(const cells::columns::view<Width> cells,
                                                          std::span<const digest> keys, std::size_t from,
                                                          Value* values) const noexcept {
    std::uint64_t some[piece + eight::lane_count];
    std::size_t listed = 0, done = 0;
    const detail::digest_list digest_at{keys.data()};
    const bool lists = !groups_.empty();  // exceptions `locate` alone knows
    if (!lists && from < levels_.size()) {
      const auto find = finder_of_eight<Word>(from);
      eight::no_notes none;
      detail::ring<eight::runs<Word>, lanes_depth>(
          keys.size() / eight::lane_count,
          eight::preparer<Word, may_list<Word>, Width, const detail::digest_list, eight::no_notes, Value>{
              find, cells, last_whole_run<Word>(), digest_at, none, 0, values},
          eight::finisher<Word, may_list<Word>, Width, Value>{find, cells, values, some, listed});
      done = keys.size() / eight::lane_count * eight::lane_count;
    }
    const finish_avx512<Word, Width, Value> finish{cells, values};
    for (std::size_t i = 0; i < listed; ++i) finish(some[i], locate<Word>(keys[some[i]], from + 1));
    detail::ring<spot<Word>>(
        keys.size() - done,
        [&, cells](std::size_t i, spot<Word>& at) {
          at = locate<Word>(keys[done + i], from);
          cells.template prefetch<Word>(at.slot);
        },
        finish_avx512<Word, Width, Value>{cells, values + done});
  }
  template <class Word, class Width, class DigestAt, class NoteOf, class Sink>
  [[UMBEL_LANES, UMBEL_FLAT]] void values_avx512(const cells::columns::view<Width> cells, std::size_t total,
                                                 DigestAt& digest_at, NoteOf& note_of, Sink& sink) const noexcept {
    constexpr bool bytes = !std::is_same_v<Width, unsigned>;
    using value = std::conditional_t<bytes, std::uint8_t, std::uint64_t>;
    using note = std::conditional_t<(bytes && requires { note_of.words(); }), std::uint8_t, std::uint64_t>;
    note notes[piece];
    value values[piece], others[piece];
    std::uint64_t some[piece + eight::lane_count];
    digest ready[piece];
    const auto find = finder_of_eight<Word>(0);
    const std::size_t next = groups_.empty() ? 1 : 0;  // as in `prepare`
    for (std::size_t begin = 0; begin < total; begin += piece) {
      const std::size_t count = std::min(piece, total - begin), groups = count / eight::lane_count;
      std::size_t listed = 0;
      detail::ring<eight::runs<Word>, lanes_depth>(
          groups,
          eight::preparer<Word, may_list<Word>, Width, DigestAt, NoteOf, note>{find, cells, last_whole_run<Word>(),
                                                                               digest_at, note_of, begin, notes},
          eight::finisher<Word, may_list<Word>, Width, value>{find, cells, values, some, listed});
      for (std::size_t i = 0; i < listed; ++i) ready[i] = digest_at(begin + some[i]);
      look_up<Word>(cells, {ready, listed}, next, others);
      for (std::size_t i = 0; i < listed; ++i) values[some[i]] = others[i];
      const std::size_t whole = groups * eight::lane_count;
      for (std::size_t i = whole; i < count; ++i) {
        ready[i - whole] = digest_at(begin + i);
        notes[i] = static_cast<note>(note_of(ready[i - whole]));
      }
      if (whole != count) look_up<Word>(cells, {ready, count - whole}, 0, values + whole);
      for (std::size_t i = 0; i < count; ++i) sink(begin + i, notes[i], values[i]);
    }
  }
#endif

  // What follows from the stored fields.
  void draw_levels() {
    const auto& with = shape();
    levels_.clear();
    slots_ = buckets_ = 0;
    const auto add = [&](std::uint64_t number, std::uint64_t layer, std::uint64_t buckets) {
      const std::uint64_t slots = slots_in(layer), shards = shard_bits_in(layer);
      levels_.push_back({core::ribbon_row(number, with, slots), slots, with.starts(slots) - 1, slots_, buckets, buckets_,
                         static_cast<unsigned>(63 - shards)});
      slots_ += slots << shards;
      buckets_ += buckets << shards;
    };
    const bool bumps = with.form == sizing::ribbon_form::bumped;
    for (const std::uint64_t layer : layers_.span())
      add(bumps ? levels_.size() : base_salt + base_attempt_, layer, bumps ? with.buckets(slots_in(layer)) : 0);
    if (base_slots_ != 0) add(base_salt + base_attempt_, base_slots_, 0);
    bucket_bits_ = with.bucket_bits;
    bucket_mask_ = with.bucket() - 1;
    kept_.assign(with.bucket(), 0);
    for (std::uint64_t depth = 0; depth < kept_.size(); ++depth)
      for (unsigned i = 0; i < 64; ++i)
        kept_[depth] |= std::uint64_t{depth < with.limit(i & ((1U << with.code_bits) - 1))} << i;
  }
  // Reads the exceptions: bucket after bucket as steps of 23 bits, each with a depth of 9. A depth of `only_a_step` lists
  // nothing: it carries on over a gap that a step cannot say.
  void draw_exceptions() {
    listed_.clear();
    groups_.clear();
    if (exceptions_.size() == 0) return;
    groups_.resize((buckets_ >> group_bits) + 2);
    std::uint64_t bucket = 0;
    for (const std::uint32_t e : std::as_const(exceptions_).span()) {
      const std::uint64_t step = e >> depth_bits, depth = e & only_a_step;
      bucket += step;
      const bool possible = depth == only_a_step ? step == most_step : depth < shape().bounds[1];
      if (!possible || bucket >= buckets_ || (step == 0 && !listed_.empty()))
        throw corrupt(detail::text("ribbon: exception ", e, " is impossible"));
      if (depth == only_a_step) continue;
      listed_.push_back({bucket, depth});
      ++groups_[(bucket >> group_bits) + 1];
    }
    for (std::size_t i = 1; i < groups_.size(); ++i) groups_[i] += groups_[i - 1];
  }

  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t preset_ = 0;
  std::uint64_t base_slots_ = 0;  // 0: nobody was bumped from the last layer
  std::uint64_t base_attempt_ = 0;
  cells::words<> layers_;  // of each, slots and shards
  cells::packed thresholds_;
  cells::words<std::uint32_t> exceptions_;
  cells::columns cells_;
  // These follow from the fields above:
  std::vector<level> levels_;
  std::vector<ribbon_exception> listed_;  // the exceptions, by bucket
  std::vector<std::uint32_t> groups_;     // where those of every few buckets begin
  std::uint64_t slots_ = 0, buckets_ = 0;
  // Of every depth, whether a bucket keeps it: one bit for each code, over and over, so that what stands above a code in its
  // word need not be cut off. A query takes a thirtieth less than with a limit to shift for and to compare with.
  std::vector<std::uint64_t> kept_;
  std::uint64_t bucket_mask_ = 0;
  unsigned bucket_bits_ = 0;
};

}  // namespace umbel::core
