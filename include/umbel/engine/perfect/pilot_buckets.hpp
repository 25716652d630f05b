// pilot_buckets.hpp - PHOBIC's skewed buckets [HLPSW24] for PTHash: digest -> a bucket of one part,
// and the hash that the bucket's pilot maps to a slot.
//
// Large buckets are placed first, while most slots are free. Skewed bucket sizes therefore need
// fewer bits per pilot. A share x of the keys goes to the first b(x) of the buckets; b is flat at
// first (large buckets) and steep at the end (small buckets).
//
// Layout     One remixed word of a digest: the high half is x, the low half the hash. b(x) = x if
//            not skewed, else 255/256 * x^2 (1 + x) / 2 + x / 256. b is stored as 256 linear
//            pieces: one product instead of three, for which batches would wait.
// Source     [HLPSW24] for the optimal b, which this cubic follows closely; [GK25] for the cubic.
#pragma once

#include <array>
#include <cstdint>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

class pilot_buckets {
 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 30;

  pilot_buckets() = default;
  pilot_buckets(std::uint64_t count, bool skewed) noexcept {
    // x is 32-bit fixed point, so the cubic never reaches 1
    const auto start = [&](std::uint64_t i) {
      const std::uint64_t x = i << 24;
      return (skewed && i < strips_.size() ? cubic(x) : x) * count >> 16;
    };
    for (std::uint64_t i = 0; i < strips_.size(); ++i)
      strips_[i] = {start(i), start(i + 1) - start(i)};
  }

  [[nodiscard]] std::uint64_t bucket(std::uint64_t word) const noexcept {
    const strip& s = strips_[word >> 56];
    return (s.start + (s.width * (word >> 32 & 0xFFFFFF) >> 24)) >> 16;
  }
  [[nodiscard]] static std::uint32_t hash(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word);
  }
  // The words from which the buckets of a part are derived at this attempt.
  [[nodiscard]] static detail::remixer words(std::uint64_t attempt) noexcept {
    return detail::remixer(detail::salt_of(detail::stage::buckets, attempt));
  }

 private:
  struct strip {
    std::uint64_t start = 0, width = 0;  // in 2^-16 buckets
  };
  [[nodiscard]] static constexpr std::uint64_t cubic(std::uint64_t x) noexcept {
    const std::uint64_t half_of_one_more = x >> 1 | std::uint64_t{1} << 31;
    const std::uint64_t cube = (x * x >> 32) * half_of_one_more >> 32;
    return cube - (cube >> 8) + (x >> 8);
  }

  std::array<strip, 256> strips_;
};

}  // namespace umbel::core
