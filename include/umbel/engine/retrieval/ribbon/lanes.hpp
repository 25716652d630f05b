// lanes.hpp - batches of ribbon queries [DHSW22], eight keys at a time, with AVX-512.
//
// Before a key's cells are read, all keys need the same few products and shifts: digest, note,
// place and the parts of the run are computed for eight keys at once. Keys that are not in the
// first level, one in sixteen, are written to a list without a branch, because the branch would be
// unpredictable and a misprediction would discard the work on the next eight keys.
//
// Invariant  The same bits as ribbon_row, hasher and remixer, implemented a second time;
//            test/engine/ribbon_test.cpp compares them.
// Limits     A shard has fewer than 2^32 slots.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <umbel/base/endian.hpp>
#include <umbel/cells/columns.hpp>
#include <umbel/cells/kernel/lanes.hpp>
#include <umbel/cells/kernel/parity.hpp>
#include <umbel/core/digest_lanes.hpp>
#include <umbel/engine/retrieval/ribbon/row.hpp>
#include <umbel/hash/digest.hpp>

#if defined(__x86_64__)
namespace umbel::core::eight {

// The notes of eight keys: from tags, from digests, or none.
struct no_notes {};
template <class NoteOf, class Note>
[[UMBEL_LANES, gnu::always_inline]] inline void take_notes(NoteOf& note_of, const digests& d,
                                                           const kernel::products& words,
                                                           Note* out) noexcept {
  if constexpr (std::invocable<NoteOf&, std::uint64_t>) {
    const lanes turned = words.low << 48 | words.low >> 16;  // as ribbon_row::tag
    alignas(64) std::uint64_t tags[lane_count];
    kernel::store(tags, words.high ^ (turned & 0xFFFFFFFF00000000));
    for (unsigned lane = 0; lane < lane_count; ++lane)
      out[lane] = static_cast<Note>(note_of(tags[lane]));
  } else if constexpr (!std::is_same_v<NoteOf, no_notes>) {
    alignas(64) std::uint64_t hi[lane_count], lo[lane_count];
    kernel::store(hi, d.hi);
    kernel::store(lo, d.lo);
    for (unsigned lane = 0; lane < lane_count; ++lane)
      out[lane] = static_cast<Note>(note_of(digest{hi[lane], lo[lane]}));
  }
}

// What remains to be tested for eight keys: whether their buckets keep them.
struct buckets_of {
  alignas(64) std::uint64_t bit[lane_count];   // where their codes begin
  alignas(64) std::uint64_t word[lane_count];  // which that is in
  alignas(64) std::uint64_t depth[lane_count];
};

// A level of a ribbon, with everything needed to locate keys in it.
template <class Word, bool MayList>
struct finder {
  core::ribbon_row::parts rows;
  std::uint64_t slots, buckets;            // of a shard
  std::uint64_t last_start, first_bucket;  // of the first shard
  unsigned shift;
  unsigned bucket_bits, code_shift;
  std::uint64_t bucket_mask;
  const std::uint64_t* codes;
  const std::uint32_t* groups;
  unsigned group_shift;
  std::uint64_t limits[lane_count];  // by code, repeated: the least depth that is bumped

  struct places {
    lanes slot;
    lanes coefficients[sizeof(Word) / 8];
    lanes bucket, depth;
  };
  // The places of eight digests, from their words under the salts of these rows.
  [[nodiscard, UMBEL_LANES, gnu::always_inline]] places operator()(
      const digests& d, const kernel::products& words) const noexcept {
    const lanes from = kernel::scaled(first_of(words), all(rows.range)), crowd = all(rows.crowd);
    const lanes beyond = (from > crowd ? from : crowd) - crowd, furthest = all(rows.furthest);
    const lanes back = beyond < furthest ? beyond : furthest;
    const lanes shard = d.hi >> 1 >> shift;
    places out;
    out.bucket =
        kernel::product_of_halves(shard, all(buckets)) + first_bucket + (back >> bucket_bits);
    out.depth = back & bucket_mask;
    out.slot = kernel::product_of_halves(shard, all(slots)) + last_start - back;
    out.coefficients[0] = second_of(words) | 1;
    if constexpr (sizeof(Word) == 16) out.coefficients[1] = first_of(remixed(rows.more_salts, d));
    return out;
  }
  // Which of the eight keys are in this level, one bit each. Words of codes are read one by one: a
  // gather instruction was no faster.
  [[nodiscard, UMBEL_LANES, gnu::always_inline]] unsigned here(
      const buckets_of& of) const noexcept {
    const std::uint64_t* const at = of.word;
    const lanes found = {codes[at[0]], codes[at[1]], codes[at[2]], codes[at[3]],
                         codes[at[4]], codes[at[5]], codes[at[6]], codes[at[7]]};
    const lanes limit = kernel::pick(kernel::load(limits), found >> (kernel::load(of.bit) & 63));
    unsigned out = kernel::below(kernel::load(of.depth), limit);
    if constexpr (MayList)
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        const std::uint64_t group = of.bit[lane] >> code_shift >> group_shift;
        out &= ~((groups[group] == groups[group + 1] ? 0U : 1U) << lane);
      }
    return out;
  }
};

// Eight runs whose cells were prefetched.
template <class Word>
struct runs {
  static constexpr unsigned blocks = sizeof(Word) / 8 + 1;
  alignas(64) std::uint64_t first[lane_count];  // addresses of first blocks
  alignas(64) std::uint64_t part[blocks][lane_count];
  buckets_of in;
};

// Takes the notes of eight keys from the i-th on and prefetches their cache lines. Codes are tested
// later: while the processor waits for memory it should hold prefetches and few other instructions.
// Not a lambda, because lambdas are compiled for the base instruction set.
template <class Word, bool MayList, class Width, class DigestAt, class NoteOf, class Note>
struct preparer {
  const finder<Word, MayList> find;
  const cells::columns::view<Width> cells;
  std::uint64_t last_first;  // the last slot at which a run of whole blocks can begin
  DigestAt& digest_at;
  NoteOf& note_of;
  std::size_t begin;
  Note* notes;

  [[UMBEL_LANES]] void operator()(std::size_t g, runs<Word>& out) const noexcept {
    const digests d = digests_at(digest_at, begin + lane_count * g);
    kernel::products words = remixed(ribbon_row::first_salts, d);
    take_notes(note_of, d, words, notes + lane_count * g);
    if (find.rows.salts != ribbon_row::first_salts) words = remixed(find.rows.salts, d);
    const auto at = find(d, words);
    const lanes bit = at.bucket << find.code_shift;
    kernel::store(out.in.bit, bit);
    kernel::store(out.in.word, bit >> 6);
    kernel::store(out.in.depth, at.depth);

    // If a run begins at the start of a block, it has nothing in the last of its blocks. If that
    // block does not exist, all blocks are taken one earlier.
    const lanes none = all(0), one_less = at.slot > last_first ? all(64) : none;
    const lanes shift = at.slot & 63, rest = 63 - shift;
    lanes part[runs<Word>::blocks];
    part[0] = at.coefficients[0] << shift;
    if constexpr (sizeof(Word) == 16)
      part[1] = at.coefficients[1] << shift | at.coefficients[0] >> 1 >> rest;
    part[runs<Word>::blocks - 1] = at.coefficients[sizeof(Word) / 8 - 1] >> 1 >> rest;
    for (unsigned i = runs<Word>::blocks; i-- > 0;)
      kernel::store(out.part[i], one_less == none ? part[i] : i == 0 ? none : part[i - 1]);
    const std::uint64_t bytes = 8 * cells.width;
    kernel::store(out.first, ((at.slot - one_less) >> 6) * bytes +
                                 reinterpret_cast<std::uintptr_t>(cells.words));
    for (unsigned lane = 0; lane < lane_count; ++lane)
      cells.template prefetch_from<Word>(reinterpret_cast<const std::uint64_t*>(out.first[lane]));
  }
};
// Then computes their values. Keys that are not in this level get arbitrary values and are listed.
template <class Word, bool MayList, class Width, class Value>
struct finisher {
  const finder<Word, MayList> find;
  const cells::columns::view<Width> cells;
  Value* values;
  std::uint64_t* elsewhere;  // has room for eight more than the number of keys
  std::size_t& listed;

  [[UMBEL_LANES]] void operator()(std::size_t g, const runs<Word>& of) const noexcept {
    const unsigned others = find.here(of.in) ^ 0xFF;
    kernel::store(elsewhere + listed,
                  kernel::compress(lanes{0, 1, 2, 3, 4, 5, 6, 7} + lane_count * g, others));
    listed += static_cast<unsigned>(__builtin_popcount(others));
    if constexpr (sizeof(Value) == 1) {
      unsigned parities[lane_count];
#pragma GCC unroll 8
      for (unsigned lane = 0; lane < lane_count; ++lane)
        parities[lane] = kernel::eight_parities(run_of(of, lane));
      detail::store_le(values + lane_count * g, kernel::joined(parities));
    } else {
#pragma GCC unroll 8
      for (unsigned lane = 0; lane < lane_count; ++lane)
        values[lane_count * g + lane] = kernel::parities(run_of(of, lane), cells.width);
    }
  }

 private:
  [[nodiscard, gnu::always_inline]] auto run_of(const runs<Word>& of,
                                                unsigned lane) const noexcept {
    constexpr unsigned blocks = runs<Word>::blocks;
    cells::kernel::run<blocks> out;
    out.first = reinterpret_cast<const std::uint64_t*>(of.first[lane]);
    out.last = out.first + (blocks - 1) * cells.width;
    for (unsigned i = 0; i < blocks; ++i) out.part[i] = of.part[i][lane];
    return out;
  }
};

}  // namespace umbel::core::eight
#endif
