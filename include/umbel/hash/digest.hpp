// digest.hpp - what is left of a key once it is hashed: 128 bits, made once, whatever is built from it.
// Idea       The top bits of `hi` choose shards and nothing else. Every index takes its own words from all 128 bits
//            through a salted remix, so two stages never lean on the same bits.
// Invariant  The same key gives the same digest on every machine and in every release.
#pragma once

#include <compare>
#include <cstdint>

#include <umbel/base/integers.hpp>

namespace umbel {

struct digest {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;
  friend auto operator<=>(const digest&, const digest&) = default;
};

namespace detail {

// Two 64-bit words from all bits of a digest, other words for every salt. One multiplication each: digests are
// already well mixed, so a product of two salted halves is enough to part them again.
class remixer {
 public:
  constexpr remixer() noexcept : remixer(0) {}
  explicit constexpr remixer(std::uint64_t salt) noexcept {
    for (std::uint64_t i = 0; i < 4; ++i) secret_[i] = remix(salt, i);
  }
  [[nodiscard]] constexpr std::uint64_t first(digest d) const noexcept {
    return fold_product(d.hi ^ secret_[0], d.lo ^ secret_[1]);
  }
  [[nodiscard]] constexpr std::uint64_t second(digest d) const noexcept {
    return fold_product(d.hi ^ secret_[2], d.lo ^ secret_[3]);
  }

 private:
  std::uint64_t secret_[4]{};
};

// Salts of the stages. A stage that is repeated (attempts, levels, sides) adds its number to its own.
enum class stage : std::uint64_t {
  probes = 0x100000000,
  block = 0x200000000,
  tag = 0x300000000,
  fuse = 0x400000000,
  golomb = 0x500000000,
};
[[nodiscard]] constexpr std::uint64_t salt_of(stage s, std::uint64_t number = 0) noexcept {
  return static_cast<std::uint64_t>(s) + number;
}

}  // namespace detail
}  // namespace umbel
