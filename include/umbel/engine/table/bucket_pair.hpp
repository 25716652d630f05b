// bucket_pair.hpp - the two candidate buckets and the tag of a key, for partial-key cuckoo hashing
// [FAKM14].
//
// Buckets i and j are a pair under tag t if i + j = h(t) modulo the number of buckets. That number
// is even and h(t) is odd, so j = h(t) - i leads back to i and no bucket is its own alternate. Any
// even number of buckets will do; powers of two would waste up to half of the memory.
//
// Invariant  other(other(i, t), t) == i. Both are below buckets(). A tag is from 1 to 2^width - 1.
// Differs    [FAKM14] pairs buckets by XOR.
#pragma once

#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class bucket_pair {
 public:
  static constexpr std::uint64_t max_buckets = std::uint64_t{1} << 52;
  static constexpr unsigned min_width = 2, max_width = 32;

  struct spot {
    std::uint64_t first, second, tag;
  };

  bucket_pair() = default;
  bucket_pair(std::uint64_t buckets, unsigned width) : buckets_(buckets), width_(width) { check(); }

  [[nodiscard]] std::uint64_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t tags() const noexcept { return tags_; }

  [[nodiscard, gnu::always_inline]] spot operator()(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::cuckoo)};
    // The low half of the product that gives the tag is uniform given the tag.
    const auto [number, rest] = detail::multiply(words(d).first(), tags_);
    const std::uint64_t tag = 1 + number;
    const std::uint64_t first = detail::fastrange(rest, buckets_);
    return {first, other(first, tag), tag};
  }
  // For any bucket below buckets() and any tag, including tags that no key has.
  [[nodiscard]] std::uint64_t other(std::uint64_t bucket, std::uint64_t tag) const noexcept {
    const std::uint64_t sum =
        // odd, and below the even number
        detail::fastrange(tag * tag * detail::golden, buckets_) | 1;
    const std::uint64_t rest =
        // tested by its sign: a comparison took a register and an instruction more
        sum - bucket;
    return rest + (static_cast<std::int64_t>(rest) < 0 ? buckets_ : 0);
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("buckets", self.buckets_);
    field("width", self.width_);
  }
  void check() {
    if (buckets_ < 2 || buckets_ % 2 != 0 || buckets_ > max_buckets)
      throw bad_parameter(
          detail::text("buckets: expected an even number from 2 to 2^52, found ", buckets_));
    if (width_ < min_width || width_ > max_width)
      throw bad_parameter(detail::text("width: expected 2 to 32 bits of a tag, found ", width_));
    tags_ = detail::low_mask(width());
  }
  friend bool operator==(const bucket_pair&, const bucket_pair&) noexcept = default;

 private:
  std::uint64_t buckets_ = 2;
  std::uint64_t width_ = 2;
  std::uint64_t tags_ = 3;  // 2^width - 1
};

}  // namespace umbel::core
