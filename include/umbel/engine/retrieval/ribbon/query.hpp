// query.hpp - queries of a ribbon [DHSW22]: one key by the shortest code path for its shape, and
// batches.
//
// A query finds the level that holds its key (level.hpp) and computes the parities of the key's
// run, one per column. A batch prefetches the runs.
//
// Kernels    A single query uses the kernel selected when the ribbon was built or loaded; a batch
//            selects its kernel when it begins. A ribbon of the preset `fast` with eight columns,
//            as most filters are, has its own single query: the parameters of its first level are
//            kept in the object, and eight parities are computed at once.
// Notes      What a batch stores for a key when it is located: note_of(tag) if the caller takes a
//            tag, else note_of(digest).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <umbel/base/config.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/columns.hpp>
#include <umbel/cells/kernel/level.hpp>
#include <umbel/cells/kernel/parity.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/engine/retrieval/ribbon/lanes.hpp>
#include <umbel/engine/retrieval/ribbon/level.hpp>

namespace umbel::core {

// The data that queries read.
struct ribbon_view {
  const ribbon_levels& levels;
  const cells::packed& thresholds;
  const cells::columns& cells;
};

template <class NoteOf>
[[nodiscard, gnu::always_inline]] inline std::uint64_t ribbon_note(
    NoteOf& note_of, const digest& d, const detail::remixed& words) noexcept {
  if constexpr (std::invocable<NoteOf&, std::uint64_t>)
    return note_of(ribbon_row::tag(words));
  else
    return note_of(d);
}

// ---- one key ----

template <class Word>
[[nodiscard]] std::uint64_t ribbon_value(const ribbon_view& in, digest d) noexcept {
  const auto at = in.levels.locate<Word>(in.thresholds, d);
  return cells::kernel::portable::parities(in.cells.of_any_width().run(at.slot, at.coefficients),
                                           in.cells.width());
}

// The parameters of the first level of a ribbon of the preset `fast`.
struct ribbon_short {
  ribbon_short() = default;
  explicit ribbon_short(const ribbon_level& at) noexcept
      : range(at.rows.apart().range),
        crowd(at.rows.apart().crowd),
        shards(at.shards),
        buckets(at.buckets),
        slots(at.slots),
        last(at.last_start + crowd) {}
  std::uint64_t range = 0, crowd = 0, shards = 0, buckets = 0, slots = 0, last = 0;
};

#if defined(__x86_64__)
#define UMBEL_RIBBON_AVX2 gnu::target("avx2,bmi,bmi2,popcnt")
namespace avx2 {

// The value of a key, searched from level `first` on.
template <class Word>
[[nodiscard, UMBEL_RIBBON_AVX2, gnu::noinline]] inline std::uint64_t ribbon_value(
    const ribbon_view in, std::uint64_t hi, std::uint64_t lo, std::size_t first = 0) noexcept {
  const auto at = in.levels.template locate<Word>(in.thresholds, {hi, lo}, first);
  return cells::kernel::avx2::parities(in.cells.of_any_width().run(at.slot, at.coefficients),
                                       in.cells.width());
}

// The value of a key in the first level of a `fast` ribbon with eight columns, or that the key is
// not in it.
struct short_value {
  bool is_here;
  std::uint64_t value, high;  // `high`: the product's, whose low bits are the tag
};
[[nodiscard, UMBEL_RIBBON_AVX2, gnu::always_inline]] inline short_value ribbon_look(
    const ribbon_short& at, const std::uint64_t* codes, const std::uint64_t* cells,
    std::uint64_t hi, std::uint64_t lo) noexcept {
  const detail::remixed words = ribbon_row::first_words({hi, lo});
  std::uint64_t drawn = detail::fastrange(words.first(), at.range);
  if (drawn < at.crowd) drawn = at.crowd;
  const std::uint64_t back = drawn - at.crowd, shard = detail::fastrange(hi, at.shards);
  const std::uint64_t bit = (shard * at.buckets + (back >> fast_buckets::bits))
                            << fast_buckets::code_shift;
  const std::uint64_t code = codes[bit / 64] >> bit % 64;
  if ((ribbon_kept_by_fast[back & fast_buckets::mask] >> code % 64 & 1) == 0) [[unlikely]]
    return {false, 0, 0};
  const std::uint64_t slot = shard * at.slots + at.last - drawn, coefficients = words.second() | 1;
  const cells::kernel::run<2> run{
      cells + slot / 64 * 8,
      cells + (slot + 63) / 64 * 8,
      {coefficients << slot % 64, coefficients >> 1 >> (63 - slot % 64)}};
  return {true, cells::kernel::avx2::eight_parities(run), words.high};
}

}  // namespace avx2
#endif

// ---- batches ----

template <class Word>
struct ribbon_waiting {
  std::uint64_t note;
  ribbon_run<Word> at;
};
template <class Word, class Buckets, class Cells, class DigestAt, class NoteOf>
[[nodiscard]] auto ribbon_prepare(const ribbon_view& in, const Cells& cells, DigestAt& digest_at,
                                  NoteOf& note_of) noexcept {
  // If the first level has exceptions, only `locate` reads them.
  const std::size_t next = in.levels.lists() ? 0 : 1;
  return [&, cells, next, first = in.levels.first<Word, Buckets>(in.thresholds)](
             std::size_t i, ribbon_waiting<Word>& w) {
    const digest d = digest_at(i);
    const detail::remixed words = ribbon_row::first_words(d);
    w.note = ribbon_note(note_of, d, words);
    w.at = first(d, words);
    if (w.at.slot == first.not_here) [[unlikely]]
      w.at = in.levels.template locate<Word>(in.thresholds, d, next);
    cells.template prefetch<Word>(w.at.slot);
  };
}
template <class Word, class Cells, class DigestAt, class NoteOf, class Sink>
[[UMBEL_FLAT]] void ribbon_values_portable(const ribbon_view in, const Cells cells,
                                           std::size_t total, DigestAt& digest_at, NoteOf& note_of,
                                           Sink& sink) noexcept {
  detail::ring<ribbon_waiting<Word>>(
      total, ribbon_prepare<Word, any_buckets>(in, cells, digest_at, note_of),
      [&, cells](std::size_t i, const ribbon_waiting<Word>& w) {
    sink(i, w.note,
         cells::kernel::portable::parities(cells.run(w.at.slot, w.at.coefficients), cells.width));
      });
}

#if defined(__x86_64__)
namespace avx2 {

template <class Word, class Cells, class Sink>
// not a lambda: lambdas are compiled for the base instruction set, so the kernel would not be
// inlined
struct ribbon_finish {
  const Cells cells;
  Sink& sink;
  [[UMBEL_RIBBON_AVX2]] void operator()(std::size_t i,
                                        const ribbon_waiting<Word>& w) const noexcept {
    sink(i, w.note,
         cells::kernel::avx2::parities(cells.run(w.at.slot, w.at.coefficients), cells.width));
  }
};
template <class Word, class Buckets, class Cells, class DigestAt, class NoteOf, class Sink>
[[UMBEL_RIBBON_AVX2, UMBEL_FLAT]] void ribbon_values(const ribbon_view in, const Cells cells,
                                                     std::size_t total, DigestAt& digest_at,
                                                     NoteOf& note_of, Sink& sink) noexcept {
  detail::ring<ribbon_waiting<Word>>(total,
                                     ribbon_prepare<Word, Buckets>(in, cells, digest_at, note_of),
                                     ribbon_finish<Word, Cells, Sink>{cells, sink});
}

}  // namespace avx2

namespace eight {

// A piece of the batch is looked up in the first level; keys that are not there are looked up in
// further levels; then the results are passed on in order.
inline constexpr std::size_t piece = 1024;
// in units of eight keys in flight; of 3, 4, 6 and 8 the fastest at 1e8 keys
inline constexpr std::size_t lanes_depth = 4;

// Whether there are enough slots for all blocks of a run.
template <class Word>
[[nodiscard]] bool fits(const ribbon_view& in) noexcept {
  return in.levels.slots() >= 64 * runs<Word>::blocks;
}
template <class Word>
[[nodiscard]] std::uint64_t last_whole_run(const ribbon_view& in) noexcept {
  return in.levels.slots() - 64 * runs<Word>::blocks + 63;
}
template <class Word>
[[nodiscard]] finder<Word, ribbon_may_list<Word>> finder_in(const ribbon_view& in,
                                                            std::size_t number) noexcept {
  const auto first = in.levels.template first<Word, any_buckets>(in.thresholds);
  const auto& shape = in.levels.shape();
  const ribbon_level& at = in.levels[number];
  finder<Word, ribbon_may_list<Word>> out{
      .rows = at.rows.apart(),
      .slots = at.slots,
      .buckets = at.buckets,
      .last_start = at.first_slot + at.last_start,
      .first_bucket = at.first_bucket,
      .shift = static_cast<unsigned>(63 - std::countr_zero(at.shards)),
      .bucket_bits = first.in.bits,
      .code_shift = first.in.code_shift,
      .bucket_mask = first.in.mask,
      .codes = first.codes,
      .groups = first.groups,
      .group_shift = first.group_shift,
      .limits = {}};
  if (at.buckets == 0) {  // one code for all keys: the bucket keeps them
    out.first_bucket = 0;
    out.bucket_bits = 63;
  }
  for (unsigned i = 0; i < std::size(out.limits); ++i)
    out.limits[i] =
        at.buckets == 0 ? ~std::uint64_t{0} : shape.limit(i & ((1U << shape.code_bits) - 1));
  return out;
}

// Does not use avx2::ribbon_finish: it must not be inlined into code for a larger instruction set,
// or g++ 12 treats unaligned words as aligned.
template <class Word, class Width, class Value>
struct finish_one {
  const cells::columns::view<Width> cells;
  Value* values;
  [[UMBEL_LANES]] void operator()(std::size_t i, const ribbon_run<Word>& at) const noexcept {
    values[i] = static_cast<Value>(
        cells::kernel::avx512::parities(cells.run(at.slot, at.coefficients), cells.width));
  }
};
// The values of up to `piece` keys, searched from level `from` on. Compiled once for all batches.
template <class Word, class Width, class Value>
[[UMBEL_LANES, UMBEL_FLAT, gnu::noinline]] void look_up(const ribbon_view in,
                                                        const cells::columns::view<Width> cells,
                                                        std::span<const digest> keys,
                                                        std::size_t from, Value* values) noexcept {
  std::uint64_t some[piece + lane_count];
  std::size_t listed = 0, done = 0;
  const detail::digest_list digest_at{keys.data()};
  if (!in.levels.lists() && from < in.levels.size()) {  // only `locate` reads exceptions
    const auto find = finder_in<Word>(in, from);
    no_notes none;
    detail::ring<runs<Word>, lanes_depth>(
        keys.size() / lane_count,
        preparer<Word, ribbon_may_list<Word>, Width, const detail::digest_list, no_notes, Value>{
            find, cells, last_whole_run<Word>(in), digest_at, none, 0, values},
        finisher<Word, ribbon_may_list<Word>, Width, Value>{find, cells, values, some, listed});
    done = keys.size() / lane_count * lane_count;
  }
  const finish_one<Word, Width, Value> finish{cells, values};
  for (std::size_t i = 0; i < listed; ++i)
    finish(some[i], in.levels.template locate<Word>(in.thresholds, keys[some[i]], from + 1));
  detail::ring<ribbon_run<Word>>(
      keys.size() - done,
      [&, cells](std::size_t i, ribbon_run<Word>& at) {
    at = in.levels.template locate<Word>(in.thresholds, keys[done + i], from);
    cells.template prefetch<Word>(at.slot);
      },
      finish_one<Word, Width, Value>{cells, values + done});
}
template <class Word, class Width, class DigestAt, class NoteOf, class Sink>
[[UMBEL_LANES, UMBEL_FLAT]] void ribbon_values(const ribbon_view in,
                                               const cells::columns::view<Width> cells,
                                               std::size_t total, DigestAt& digest_at,
                                               NoteOf& note_of, Sink& sink) noexcept {
  constexpr bool bytes = !std::is_same_v<Width, unsigned>;
  using value = std::conditional_t<bytes, std::uint8_t, std::uint64_t>;
  std::uint64_t notes[piece];
  value values[piece], others[piece];
  std::uint64_t some[piece + lane_count];
  digest ready[piece];
  const auto find = finder_in<Word>(in, 0);
  const std::size_t next = in.levels.lists() ? 0 : 1;  // as in ribbon_prepare
  for (std::size_t begin = 0; begin < total; begin += piece) {
    const std::size_t count = std::min(piece, total - begin), groups = count / lane_count;
    std::size_t listed = 0;
    detail::ring<runs<Word>, lanes_depth>(
        groups,
        preparer<Word, ribbon_may_list<Word>, Width, DigestAt, NoteOf, std::uint64_t>{
            find, cells, last_whole_run<Word>(in), digest_at, note_of, begin, notes},
        finisher<Word, ribbon_may_list<Word>, Width, value>{find, cells, values, some, listed});
    for (std::size_t i = 0; i < listed; ++i) ready[i] = digest_at(begin + some[i]);
    look_up<Word>(in, cells, {ready, listed}, next, others);
    for (std::size_t i = 0; i < listed; ++i) values[some[i]] = others[i];
    const std::size_t whole = groups * lane_count;
    for (std::size_t i = whole; i < count; ++i) {
      ready[i - whole] = digest_at(begin + i);
      notes[i] = ribbon_note(note_of, ready[i - whole], ribbon_row::first_words(ready[i - whole]));
    }
    if (whole != count) look_up<Word>(in, cells, {ready, count - whole}, 0, values + whole);
    for (std::size_t i = 0; i < count; ++i) sink(begin + i, notes[i], std::uint64_t{values[i]});
  }
}

}  // namespace eight
#endif

// sink(i, note, value) for i below `total`, in order. There must be at least one key.
template <class Word, class DigestAt, class NoteOf, class Sink>
void ribbon_values(const ribbon_view& in, std::size_t total, DigestAt& digest_at, NoteOf& note_of,
                   Sink& sink) noexcept {
  [[maybe_unused]] const bool bytes = in.cells.width() == 8;
#if defined(__x86_64__)
  const auto vectors = cells::kernel::in_use();
  if (vectors >= cells::kernel::level::avx512 && eight::fits<Word>(in)) {
    if constexpr (sizeof(Word) == 8)
      if (bytes)
        return eight::ribbon_values<Word>(in, in.cells.of_eight(), total, digest_at, note_of, sink);
    return eight::ribbon_values<Word>(in, in.cells.of_any_width(), total, digest_at, note_of, sink);
  }
  if (vectors >= cells::kernel::level::avx2) {
    if constexpr (sizeof(Word) == 8)
      if (bytes && &in.levels.shape() == &fast_buckets::shape && in.levels[0].buckets != 0)
        return avx2::ribbon_values<Word, fast_buckets>(in, in.cells.of_eight(), total, digest_at,
                                                       note_of, sink);
    if (bytes)
      return avx2::ribbon_values<Word, any_buckets>(in, in.cells.of_eight(), total, digest_at,
                                                    note_of, sink);
    return avx2::ribbon_values<Word, any_buckets>(in, in.cells.of_any_width(), total, digest_at,
                                                  note_of, sink);
  }
#endif
  return ribbon_values_portable<Word>(in, in.cells.of_any_width(), total, digest_at, note_of, sink);
}

}  // namespace umbel::core
