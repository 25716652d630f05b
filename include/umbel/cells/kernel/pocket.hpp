// kernel/pocket.hpp - pocket dictionary of a prefix filter [EEM22]: half a cache line that keeps
// the 25 smallest values inserted; portable and for AVX2 with BMI2.
//
// A value is a bucket, 0 to 24, and an 8-bit tag. Tags are ordered by bucket, rising inside each
// bucket. A row of bits has a zero for every tag and a one, a fence, before and after every bucket.
// Two neighbouring fences delimit the tags to compare, which is done for all at once. The last tag
// and the last zero give the largest value. In a full pocket, values beyond it were pushed out to
// the spare.
//
// Layout     32 bytes: 25 tags, zeros past the last; 5 bits, the bucket of the largest value if one
//            was pushed out, otherwise 31; the row, 51 bits: 26 fences, up to 25 zeros, padding
//            zeros. So the last word holds all that a query needs besides the tags: the row, and
//            the largest value as a 13-bit number, which exceeds every value while none was pushed
//            out.
// Invariant  Values are distinct. Equal sets of values are equal bytes, whatever the order of
//            insertion. Any other content gives some answer that depends on the pocket alone, the
//            same in both implementations.
// Source     [EEM22]. Here buckets are sorted, so the largest value is directly available and the
//            order of insertion leaves no trace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/bytes.hpp>
#include <umbel/cells/kernel/level.hpp>
#include <umbel/cells/kernel/word_bits.hpp>

namespace umbel::cells::kernel {

struct pocket_shape {
  static constexpr unsigned bytes = 32, buckets = 25, tags = 25, values = buckets * 256;
  static constexpr unsigned row_bits = buckets + 1 + tags, limit_bits = 13, nothing_out = 31;
  static_assert(8 * (bytes - tags + 1) == limit_bits + row_bits && limit_bits > 8 &&
                buckets < nothing_out);
};

// Result of add(): the value was present; it was added; or there is no room, and push() is needed.
enum class pocket_room { not_needed, taken, none };
// Result of push(): whether the pocket changed, and the value to store elsewhere.
struct pocket_pushed {
  bool changed;
  unsigned rest;
};

// `Bits` selects in the row; `Tags` compares and moves tags.
template <class Bits, class Tags>
struct pocket : pocket_shape {
  static void clear(unsigned char* at) noexcept {
    std::memset(at, 0, tags);
    set_end(at, detail::low_mask(buckets + 1), nothing_out);
  }
  // Whether a value was pushed out or rejected.
  [[nodiscard]] static bool overflowed(const unsigned char* at) noexcept {
    return limit(at) >> 8 != nothing_out;
  }
  // Marks a full pocket as overflowed.
  static void set_overflowed(unsigned char* at) noexcept {
    set_end(at, row(at), last_zero(row(at)) - tags);
  }
  [[nodiscard]] static unsigned used(const unsigned char* at) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(row(at)));
    return width > buckets ? width - buckets - 1 : 0;
  }
  // Whether a value that is absent may be in the spare: it is above the largest.
  [[nodiscard]] static bool beyond(const unsigned char* at, unsigned value) noexcept {
    return value > limit(at);
  }
  // The largest value of a pocket that has overflowed.
  [[nodiscard]] static unsigned limit(const unsigned char* at) noexcept {
    return static_cast<unsigned>(last_word(at) & detail::low_mask(limit_bits));
  }

  [[nodiscard]] static bool find(const unsigned char* at, unsigned value) noexcept {
    return Tags::equal(at, tag_of(value), own(row(at), value >> 8).tags) != 0;
  }
  // find() for pockets that were not prefetched. Nine in ten non-members share no tag with the
  // whole pocket and need no bucket lookup. A processor that waits for memory runs ahead by a fixed
  // number of instructions; with a dozen fewer, a single miss takes a sixth less time at 1e7 keys.
  // In a batch the second branch costs more than these instructions.
  [[nodiscard]] static bool find_unfetched(const unsigned char* at, unsigned value) noexcept {
    return Tags::holds(at, tag_of(value), [&] { return own(row(at), value >> 8).tags; });
  }
  static pocket_room add(unsigned char* at, unsigned value) noexcept {
    const std::uint64_t before = row(at);
    const bucket mine = own(before, value >> 8);
    if (Tags::equal(at, tag_of(value), mine.tags) != 0) return pocket_room::not_needed;
    if ((before >> (row_bits - 1) & 1) != 0) return pocket_room::none;
    Tags::insert(at, place(at, value, mine), tag_of(value));
    set_end(at, with_zero(before, mine), nothing_out);
    return pocket_room::taken;
  }
  // Inserts a value that is absent into a full pocket. One insert in 17 at the planned load.
  static pocket_pushed push(unsigned char* at, unsigned value) noexcept {
    const std::uint64_t before = row(at);
    const bucket mine = own(before, value >> 8);
    const unsigned zero = last_zero(before), most = value_of(zero, tags - 1, at);
    if (value > most) {
      const bool first = !overflowed(at);
      if (first) set_overflowed(at);
      return {first, value};
    }
    Tags::insert(at, place(at, value, mine), tag_of(value));
    // The last zero, now one place higher, becomes a fence; the fence at the end disappears.
    set_end(at,
            (with_zero(before, mine) | std::uint64_t{2} << zero % 64) & detail::low_mask(row_bits),
            0);
    set_overflowed(at);
    return {true, most};
  }

  // Calls visit(value) for all values.
  template <class Visit>
  static void each(const unsigned char* at, Visit&& visit) {
    std::uint64_t zeros = ~row(at);
    for (unsigned i = 0, count = std::min(used(at), tags); i < count; ++i, zeros &= zeros - 1)
      visit(value_of(static_cast<unsigned>(std::countr_zero(zeros)), i, at));
  }

 private:
  struct bucket {
    std::uint64_t fence;  // the fence after the bucket
    unsigned end;         // index after its last tag
    std::uint32_t tags;   // one bit per tag
  };

  [[nodiscard]] static std::uint8_t tag_of(unsigned value) noexcept {
    return static_cast<std::uint8_t>(value);
  }
  [[nodiscard]] static std::uint64_t last_word(const unsigned char* at) noexcept {
    return detail::load_le<std::uint64_t>(at + bytes - 8);
  }
  [[nodiscard]] static std::uint64_t row(const unsigned char* at) noexcept {
    return last_word(at) >> limit_bits;
  }
  // Writes everything except the tags. Masks the limit, which a damaged row can make too large.
  static void set_end(unsigned char* at, std::uint64_t row, unsigned limit_bucket) noexcept {
    unsigned char some[8];
    detail::store_le(some, row << (limit_bits - 8) | (limit_bucket & nothing_out));
    std::memcpy(at + tags, some, bytes - tags);
  }
  // The value of the i-th tag, given the position of its zero.
  [[nodiscard]] static unsigned value_of(unsigned zero, unsigned i,
                                         const unsigned char* at) noexcept {
    return (zero - i - 1) % 64 << 8 | at[i];
  }
  [[nodiscard]] static unsigned last_zero(std::uint64_t full_row) noexcept {
    return Bits::nth(~full_row, tags - 1);
  }
  [[nodiscard]] static bucket own(std::uint64_t row, unsigned number) noexcept {
    const std::uint64_t fences = Bits::neighbours(row, number), low = fences & (0 - fences);
    const std::uint64_t between = (fences - 3 * low) >> (number + 1);
    // a damaged row may have no second fence
    const std::uint64_t fence = (fences ^ low) | std::uint64_t{1} << 63;
    return {fence, static_cast<unsigned>(std::countr_zero(fence)) - number - 1,
            static_cast<std::uint32_t>(between & detail::low_mask(tags))};
  }
  // Where a value is inserted: before those of its bucket that are not below it. In a damaged row
  // that may be past the tags.
  [[nodiscard]] static unsigned place(const unsigned char* at, unsigned value,
                                      const bucket& mine) noexcept {
    return (mine.end - Bits::ones(Tags::not_below(at, tag_of(value), mine.tags))) % bytes;
  }
  // Moves everything from the fence on up by one.
  [[nodiscard]] static std::uint64_t with_zero(std::uint64_t row, const bucket& mine) noexcept {
    return row + (row & (0 - mine.fence));
  }
};

namespace portable {

// Of the tags in `among`: those equal to `one`, or not below it; or whether any tag in among() is
// equal.
struct pocket_tags {
  template <class Among>
  [[nodiscard]] static bool holds(const unsigned char* tags, std::uint8_t one,
                                  Among&& among) noexcept {
    return equal(tags, one, among()) != 0;
  }
  [[nodiscard]] static std::uint32_t equal(const unsigned char* tags, std::uint8_t one,
                                           std::uint32_t among) noexcept {
    return those(among, [&](unsigned i) { return tags[i] == one; });
  }
  [[nodiscard]] static std::uint32_t not_below(const unsigned char* tags, std::uint8_t one,
                                               std::uint32_t among) noexcept {
    return those(among, [&](unsigned i) { return tags[i] >= one; });
  }
  // Moves tags from `place` on up; the last is lost.
  static void insert(unsigned char* tags, unsigned place, std::uint8_t tag) noexcept {
    if (place >= pocket_shape::tags) return;
    std::memmove(tags + place + 1, tags + place, pocket_shape::tags - 1 - place);
    tags[place] = tag;
  }

 private:
  template <class Holds>
  [[nodiscard]] static std::uint32_t those(std::uint32_t among, Holds&& holds) noexcept {
    std::uint32_t out = 0;
    for (; among != 0; among &= among - 1)
      if (holds(static_cast<unsigned>(std::countr_zero(among)))) out |= among & (0 - among);
    return out;
  }
};

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

// These read and write the whole pocket; the caller writes its end afterwards.
struct pocket_tags {
  template <class Among>
  [[nodiscard, gnu::target("avx2")]] static bool holds(const unsigned char* tags, std::uint8_t one,
                                                       Among&& among) noexcept {
    const std::uint32_t alike = equal(tags, one, detail::low_mask(pocket_shape::tags));
    return alike != 0 && (alike & among()) != 0;
  }
  [[nodiscard, gnu::target("avx2")]] static std::uint32_t equal(const unsigned char* tags,
                                                                std::uint8_t one,
                                                                std::uint32_t among) noexcept {
    return true_bytes(load(tags) == bytes{} + static_cast<signed char>(one)) & among;
  }
  [[nodiscard, gnu::target("avx2")]] static std::uint32_t not_below(const unsigned char* tags,
                                                                    std::uint8_t one,
                                                                    std::uint32_t among) noexcept {
    using plain = unsigned char __attribute__((vector_size(32)));
    return true_bytes(
               reinterpret_cast<bytes>(reinterpret_cast<plain>(load(tags)) >= plain{} + one)) &
           among;
  }
  [[gnu::target("avx2")]] static void insert(unsigned char* tags, unsigned place,
                                             std::uint8_t tag) noexcept {
    const bytes some = load(tags), here = bytes{} + static_cast<signed char>(place);
    const bytes above = byte_numbers() > here, at = byte_numbers() == here;
    const bytes moved = above ? moved_up<1>(some) : some;
    // The new tag is blended by a mask too: a store at an address that depends on the row would
    // delay later loads of this cache line. Tried and lost: masks from a table indexed by the
    // place, although that takes fewer instructions.
    store(tags, at ? bytes{} + static_cast<signed char>(tag) : moved);
  }
};

}  // namespace avx2
#endif

using portable_pocket = pocket<portable::word_bits, portable::pocket_tags>;
#if defined(__x86_64__)
using fast_pocket = pocket<avx2::word_bits, avx2::pocket_tags>;
#else
using fast_pocket = portable_pocket;
#endif
template <class Work, class... Given>
auto with_pockets(Work&& work, Given... given) noexcept {
  return with_spelling<portable_pocket, fast_pocket>(work, given...);
}

}  // namespace umbel::cells::kernel
