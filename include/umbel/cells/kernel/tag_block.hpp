// kernel/tag_block.hpp - block of a vector quotient filter [PCDBFJ21]: one cache line of tags in
// buckets; portable and for AVX2 with BMI2.
//
// Buckets are stored one after another and take only the space of their tags. A row of bits marks
// their ends: a zero per tag, a one after the last tag of every bucket. So a bucket is found by
// select, all tags of the cache line are compared at once, and adding a tag moves the tags after it
// by one.
//
// Layout     64 bytes: the row, then the tags. 8-bit tags: 16 bytes for 80 buckets, 48 tags. 16-bit
//            tags: 8 bytes for 36 buckets, 28 tags. Bits and tags past the last are zero.
// Invariant  The row has as many ones as buckets, and as many zeros before the last one as tags.
//            Any other content gives some answer that depends on the block alone.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/bytes.hpp>
#include <umbel/cells/kernel/level.hpp>
#include <umbel/cells/kernel/word_bits.hpp>

namespace umbel::cells::kernel {

inline constexpr unsigned tag_block_bytes = 64;

template <unsigned TagBits>
struct tag_block_shape;
template <>
struct tag_block_shape<8> {
  using tag = std::uint8_t;
  using row = detail::uint128;
  static constexpr unsigned buckets = 80, tags = 48;
};
template <>
struct tag_block_shape<16> {
  using tag = std::uint16_t;
  using row = std::uint64_t;
  static constexpr unsigned buckets = 36, tags = 28;
};

// Common to both implementations; `Bits` counts and selects.
template <unsigned TagBits, class Bits>
struct tag_block_rows : tag_block_shape<TagBits> {
  using shape = tag_block_shape<TagBits>;
  using shape::buckets, shape::tags;
  using typename shape::row, typename shape::tag;
  static constexpr unsigned row_bits = 8 * sizeof(row), none = ~0U;
  static_assert(sizeof(row) + tags * sizeof(tag) == tag_block_bytes && buckets + tags == row_bits);

  [[nodiscard]] static row row_of(const unsigned char* block) noexcept {
    row out;
    std::memcpy(&out, block, sizeof out);
    return out;
  }
  static void set_row(unsigned char* block, row to) noexcept { std::memcpy(block, &to, sizeof to); }
  [[nodiscard]] static tag tag_at(const unsigned char* block, unsigned i) noexcept {
    return detail::load_le<tag>(block + sizeof(row) + i * sizeof(tag));
  }
  static void set_tag(unsigned char* block, unsigned i, tag to) noexcept {
    detail::store_le(block + sizeof(row) + i * sizeof(tag), to);
  }
  static void clear(unsigned char* block) noexcept {
    std::memset(block, 0, tag_block_bytes);
    set_row(block, static_cast<row>((static_cast<detail::uint128>(1) << buckets) - 1));
  }

  [[nodiscard]] static unsigned used(const unsigned char* block) noexcept {
    const row all = row_of(block);
    unsigned width;
    if constexpr (row_bits == 128) {
      const auto high = static_cast<std::uint64_t>(all >> 64);
      width = high != 0
                  ? 128U - static_cast<unsigned>(std::countl_zero(high))
                  : 64U - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(all)));
    } else {
      width = 64U - static_cast<unsigned>(std::countl_zero(all));
    }
    return width > buckets ? width - buckets : 0;
  }
  // Position of the i-th one of the row; at least row_bits if there is none.
  [[nodiscard]] static unsigned nth(row all, unsigned i) noexcept {
    if constexpr (row_bits == 128) {
      const auto low = static_cast<std::uint64_t>(all);
      const unsigned ones = Bits::ones(low);
      return i < ones ? Bits::nth(low, i)
                      : 64 + Bits::nth(static_cast<std::uint64_t>(all >> 64), i - ones);
    } else {
      return Bits::nth(all, i);
    }
  }
  // Whether the i-th tag is in this bucket: its zero is preceded by i zeros and by `bucket` ones.
  [[nodiscard]] static bool is_in(const unsigned char* block, unsigned i,
                                  unsigned bucket) noexcept {
    const unsigned at = bucket + i;
    auto word = detail::load_le<std::uint64_t>(block);
    unsigned ones = 0;
    if constexpr (row_bits == 128)
      if (at >= 64) {
        ones = Bits::ones(word);
        word = detail::load_le<std::uint64_t>(block + 8);
      }
    const std::uint64_t upto = word << (63 - at % 64);
    return static_cast<std::int64_t>(upto) >= 0 && ones + Bits::ones(upto) == bucket;
  }
  // Index for a new tag at the end of its bucket; `none` if there is no such place.
  [[nodiscard]] static unsigned place(row all, unsigned bucket, unsigned& bit) noexcept {
    bit = nth(all, bucket);
    return bit < row_bits && bit - bucket < tags ? bit - bucket : none;
  }
  [[nodiscard]] static row without_above(row all, unsigned bit) noexcept {
    return all & static_cast<row>((static_cast<row>(1) << bit) - 1);
  }
  [[nodiscard]] static row with_zero(row all, unsigned bit) noexcept {
    const row below = without_above(all, bit);
    return below | static_cast<row>((all ^ below) << 1);
  }
  [[nodiscard]] static row without_zero(row all, unsigned bit) noexcept {
    const row below = without_above(all, bit);
    return below | static_cast<row>(static_cast<row>(all >> bit >> 1) << bit);
  }
};

namespace portable {

template <unsigned TagBits>
struct tag_block : tag_block_rows<TagBits, word_bits> {
  using base = tag_block_rows<TagBits, word_bits>;
  using typename base::tag;

  // Index of a tag in its bucket, or `none`.
  [[nodiscard]] static unsigned find(const unsigned char* block, unsigned bucket,
                                     tag wanted) noexcept {
    for (unsigned i = 0; i < base::tags; ++i)
      if (base::tag_at(block, i) == wanted && base::is_in(block, i, bucket)) return i;
    return base::none;
  }
  // Returns false if the cache line is full.
  static bool add(unsigned char* block, unsigned bucket, tag added) noexcept {
    unsigned bit;
    if (base::used(block) >= base::tags) return false;
    const unsigned at = base::place(base::row_of(block), bucket, bit);
    if (at == base::none) return false;
    unsigned char* const here = block + sizeof(typename base::row) + at * sizeof(tag);
    std::memmove(here + sizeof(tag), here, (base::tags - 1 - at) * sizeof(tag));
    base::set_tag(block, at, added);
    base::set_row(block, base::with_zero(base::row_of(block), bit));
    return true;
  }
  // Removes the tag at an index that find() returned for this bucket.
  static void remove(unsigned char* block, unsigned bucket, unsigned at) noexcept {
    unsigned char* const here = block + sizeof(typename base::row) + at * sizeof(tag);
    std::memmove(here, here + sizeof(tag), (base::tags - 1 - at) * sizeof(tag));
    base::set_tag(block, base::tags - 1, 0);
    base::set_row(block, base::without_zero(base::row_of(block), at + bucket));
  }
};

}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {

template <unsigned TagBits>
struct tag_block : tag_block_rows<TagBits, word_bits> {
  using base = tag_block_rows<TagBits, word_bits>;
  using typename base::tag;
  using pairs = short __attribute__((vector_size(32)));
  static constexpr unsigned tag_bytes = sizeof(tag), row_bytes = sizeof(typename base::row);

  // One bit per byte of equal tags.
  [[nodiscard, gnu::target("avx2")]] static std::uint64_t equal(const unsigned char* from,
                                                                tag wanted) noexcept {
    bytes out;
    if constexpr (tag_bytes == 1)
      out = load(from) == bytes{} + static_cast<signed char>(wanted);
    else
      out = reinterpret_cast<bytes>(reinterpret_cast<pairs>(load(from)) ==
                                    pairs{} + static_cast<short>(wanted));
    return true_bytes(out);
  }
  // Compares all tags of the cache line, then checks the buckets of equal ones. Most non-members
  // have no equal tag, most members exactly one. Computing the bounds of the bucket instead took
  // twice the instructions for a hit.
  [[nodiscard, gnu::target("avx2,bmi,bmi2,popcnt")]] static unsigned find(
      const unsigned char* block, unsigned bucket, tag wanted) noexcept {
    for (std::uint64_t alike = all_equal(block, wanted); alike != 0; alike &= alike - 1) {
      const unsigned i =
          // 16-bit tags give two bits each
          static_cast<unsigned>(std::countr_zero(alike)) / tag_bytes;
      if (base::is_in(block, i, bucket)) return i;
    }
    return base::none;
  }
  [[gnu::target("avx2,bmi,bmi2,popcnt")]] static bool add(unsigned char* block, unsigned bucket,
                                                          tag added) noexcept {
    unsigned bit;
    if (base::used(block) >= base::tags) return false;
    // kept in a register: after the tags are written, a reload would wait for them
    const typename base::row all = base::row_of(block);
    const unsigned at = base::place(all, bucket, bit);
    if (at == base::none) return false;
    // Bytes after the new tag come from one tag before. The row, in front, does not move.
    const bytes low = load(block), high = load(block + 32), moved = load(block + 32 - tag_bytes);
    const auto last = static_cast<signed char>(row_bytes + at * tag_bytes + tag_bytes - 1);
    const bytes above = byte_numbers() > bytes{} + last,
                above_high = byte_numbers() > bytes{} + static_cast<signed char>(last - 32);
    store(block, (above & moved_up<tag_bytes>(low)) | (~above & low));
    store(block + 32, (above_high & moved) | (~above_high & high));
    base::set_tag(block, at, added);
    base::set_row(block, base::with_zero(all, bit));
    return true;
  }
  static void remove(unsigned char* block, unsigned bucket, unsigned at) noexcept {
    portable::tag_block<TagBits>::remove(block, bucket, at);
  }

 private:
  // For every equal tag as many bits as it has bytes.
  [[nodiscard, gnu::target("avx2")]] static std::uint64_t all_equal(const unsigned char* block,
                                                                    tag wanted) noexcept {
    // the first half of the comparison begins at the first tag
    constexpr unsigned apart = 32 - row_bytes;
    return equal(block + row_bytes, wanted) | equal(block + 32, wanted) << apart;
  }
};

}  // namespace avx2
#endif

#if defined(__x86_64__)
template <unsigned TagBits>
using fast_tag_block = avx2::tag_block<TagBits>;
#else
template <unsigned TagBits>
using fast_tag_block = portable::tag_block<TagBits>;
#endif
template <unsigned TagBits, class Work, class... Given>
auto with_tags(Work&& work, Given... given) noexcept {
  return with_spelling<portable::tag_block<TagBits>, fast_tag_block<TagBits>>(work, given...);
}

}  // namespace umbel::cells::kernel
