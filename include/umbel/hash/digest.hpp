// digest.hpp - what is left of a key once it is hashed: 128 bits, made once, whatever is built from
// it.
// Idea       The top bits of `hi` choose shards and nothing else. Every index takes its own words
//            from all 128 bits through a salted remix, so two stages never lean on the same bits.
// Invariant  The same key gives the same digest on every machine and in every release.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel {

struct digest {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;
  friend auto operator<=>(const digest&, const digest&) = default;
};

namespace detail {

// Digests that lie ready, one after another.
struct digest_list {
  const digest* first;
  [[nodiscard]] const digest& operator()(std::size_t i) const noexcept { return first[i]; }
};

// New words from all bits of a digest, others for every salt: the 128 bits of one product of its
// salted halves. The low bits of a product alone are biased, and so are its high ones: full words
// join both halves. The multiplier is what filters inside the cache wait for: a second product
// here, or two rounds instead of one in integer_digest, each cost split_block_bloom_filter a fifth
// of its speed at 1e6 keys.
struct remixed {
  std::uint64_t high, low;
  [[nodiscard]] constexpr std::uint64_t first() const noexcept { return high ^ low; }
  [[nodiscard]] constexpr std::uint64_t second() const noexcept {
    return high + std::rotl(low, 32);
  }
  // A word for sums with first() and second(), not to be used alone: only its upper half is
  // unbiased. The upper halves of the three are independent of each other, because each has 32 bits
  // of its own: the upper and the lower ones of low, the lower ones of high. `low` itself as a
  // third word has none, and two cells of a triple-hashing walk then lean on each other.
  [[nodiscard]] constexpr std::uint64_t third() const noexcept { return std::rotl(high, 32); }
  // 32 bits beside first(), when 32 are enough: the unbiased middle of the product.
  [[nodiscard]] constexpr std::uint32_t narrow() const noexcept {
    return static_cast<std::uint32_t>(high);
  }
};
class remixer {
 public:
  constexpr remixer() noexcept : remixer(0) {}
  explicit constexpr remixer(std::uint64_t salt) noexcept
      : hi_(remix(salt, 0)), lo_(remix(salt, 1)) {}
  // The same with the lower half salted alone, for structures that draw once from a digest: two
  // instructions fewer. The lower half is the one to salt: of an integer it is one product, which
  // some keys make 0, 1, 2, ..., and a product with a small factor has an uneven upper half.
  [[nodiscard]] static constexpr remixer of_low(std::uint64_t salt) noexcept {
    remixer out(salt);
    out.hi_ = 0;
    return out;
  }
  [[nodiscard, gnu::always_inline]] constexpr remixed operator()(digest d) const noexcept {
    const auto [high, low] = multiply(d.hi ^ hi_, d.lo ^ lo_);
    return {high, low};
  }

  // For those who spell it for vectors: what the halves of a digest are XORed with.
  [[nodiscard]] constexpr digest salts() const noexcept { return {hi_, lo_}; }

 private:
  std::uint64_t hi_, lo_;
};

// The words of a static structure, from one product under one salt: `place` says where a key's
// cells are, `tag` what tells it from others. The top bits of `tag` are biased, as those of a
// product are, and more so among keys that share the top bits of `hi`: beyond `even_tag_bits`
// wide_tag() helps.
struct drawn_words {
  std::uint64_t place, tag;
};
// The lower half is salted as well: see remixer::of_low. Otherwise all keys with a lower half of 0
// would be alike under every salt.
inline constexpr std::uint64_t drawn_low_salt = remix(0x400000000, 1);  // of stage::fuse
[[nodiscard, gnu::always_inline]] constexpr drawn_words drawn(digest d,
                                                              std::uint64_t salt) noexcept {
  const auto [high, low] = multiply(d.hi ^ salt, d.lo ^ drawn_low_salt);
  return {high ^ low, high};
}
inline constexpr unsigned even_tag_bits = 48;
[[nodiscard]] constexpr std::uint64_t wide_tag(const drawn_words& words) noexcept {
  return words.tag + std::rotl(words.place ^ words.tag, 32);  // remixed::second()
}

// Salts of the stages. A stage that is repeated (attempts, levels, sides) adds its number to its
// own.
enum class stage : std::uint64_t {
  probes = 0x100000000,
  block = 0x200000000,
  tag = 0x300000000,
  fuse = 0x400000000,
  golomb = 0x500000000,
  list = 0x600000000,
  banks = 0x700000000,
  selection = 0x800000000,
  compaction = 0x900000000,
  ribbon = 0xE00000000,
  buckets = 0x1000000000,
  levels = 0x1100000000,
  divisions = 0x1200000000,
  tree = 0x1300000000,
  cuckoo = 0x1400000000,
  quotient = 0x1500000000,
  vectors = 0x1600000000,
  pockets = 0x1700000000,
  taffy = 0x1800000000,
  parts = 0x1900000000,
  clearing = 0x1B00000000,
  selectors = 0x1C00000000,
  groups = 0x2000000000,
  rows = 0x2100000000,
};
[[nodiscard]] constexpr std::uint64_t salt_of(stage s, std::uint64_t number = 0) noexcept {
  return static_cast<std::uint64_t>(s) + number;
}

}  // namespace detail
}  // namespace umbel
