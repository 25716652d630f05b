// golomb_lists.hpp - Golomb-Rice coded lists of hash values [PSS07]: the engine of
// golomb_coded_set.
//
// n keys are hashed to n/fpr values; the gaps between the sorted values are stored in a Golomb-Rice
// code. Buckets of 128 keys on average divide the digests into equal ranges, so that a query
// decodes one bucket only.
//
// Layout     A key's value inside its bucket is coded as the gap from its predecessor, the first
//            from 0. `offsets` holds where each bucket starts, as the packed deviation from a
//            straight line: about 0.1 bits per key. A bucket needs no stored value to start from,
//            which an entry at every 128th key would.
// Invariant  Every key given is found: its bucket holds its value.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/batch.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/golomb.hpp>

namespace umbel::core {

class golomb_lists {
  struct spot {
    std::uint64_t bucket, value;
  };

 public:
  golomb_lists() = default;
  // From the digests in a sorted spool without duplicates.
  golomb_lists(digest_spool sorted, std::uint64_t spread, unsigned remainder_bits,
               std::pmr::memory_resource* memory);

  // stored values; colliding keys share one
  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return values_ == 0 ? 0 : (stream_.size() + offsets_.storage().size()) * 64;
  }
  [[nodiscard]] std::uint64_t stream_bits() const noexcept { return stream_bits_; }
  [[nodiscard]] double expected_fpr() const noexcept {
    return values_ == 0 ? 0
                        : static_cast<double>(values_) /
                              (static_cast<double>(buckets_) * static_cast<double>(range()));
  }

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return values_ != 0 && decode(locate(d));
  }
  // A batch took 1.08 times as long as single queries at 1e4 and 1e5 keys (120 KB), 1.02 at 1e6.
  [[nodiscard]] std::size_t batch_from() const noexcept { return std::size_t{512} << 10; }
  // Two trips per key: where its bucket starts, then the bucket. Both are fetched for a group
  // before any is used.
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    using slot = spot[group_size];
    const auto* const bytes = reinterpret_cast<const char*>(stream_.data());
    if (values_ == 0) {
      std::fill_n(out, total, false);
      return;
    }
    in_groups<slot>(
        total,
        [&](std::size_t first, std::size_t count, slot& s) {
      for (std::size_t i = 0; i < count; ++i)
        offsets_.prefetch((s[i] = locate(digest_at(first + i))).bucket);
        },
        [&](std::size_t first, std::size_t count, slot& s) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t at = offset(s[i].bucket) / 8;
        detail::prefetch_read(bytes + at);
        detail::prefetch_read(bytes + at + buffer::line);
      }
      for (std::size_t i = 0; i < count; ++i) out[first + i] = decode(s[i]);
    });
  }

  friend bool operator==(const golomb_lists& a, const golomb_lists& b) noexcept {
    return a.values_ == b.values_ && a.spread_ == b.spread_ && a.stream_ == b.stream_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("values", self.values_);
    field("spread", self.spread_);
    field("remainder_bits", self.remainder_bits_);
    field("buckets", self.buckets_);
    field("stream_bits", self.stream_bits_);
    field("slope", self.slope_);
    field("bias", self.bias_);
    field("offset_bits", self.offset_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("golomb", self);
    part.array("offsets", self.offsets_.storage());
    part.array("stream", self.stream_);
  }
  void check();

 private:
  [[nodiscard]] std::uint64_t range() const noexcept {
    return spread_ * sizing::golomb_bucket_keys;
  }
  // A bucket is a range of digests, so it is given by the top of `hi` alone; the value is remixed
  // from all bits.
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::golomb)};
    return {detail::fastrange(d.hi, buckets_), detail::fastrange(words(d).first(), range())};
  }
  // Where bucket i would start if all buckets had the same length.
  [[nodiscard]] std::uint64_t line(std::uint64_t i) const noexcept {
    return static_cast<std::uint64_t>(static_cast<detail::uint128>(i) * slope_ >> 32);
  }
  [[nodiscard]] std::uint64_t offset(std::uint64_t bucket) const noexcept {
    return std::min(line(bucket) + bias_ + offsets_.get(bucket), stream_bits_);
  }
  [[nodiscard]] bool decode(spot at) const noexcept {
    cells::bit_reader bits(stream_, offset(at.bucket), offset(at.bucket + 1));
    for (std::uint64_t value = 0; !bits.at_end();) {
      value += bits.get_rice(static_cast<unsigned>(remainder_bits_));
      if (value >= at.value) return value == at.value;
    }
    return false;
  }
  void encode(digest_spool sorted, std::pmr::memory_resource* memory);
  void store_offsets(const std::vector<std::uint64_t>& starts, std::pmr::memory_resource* memory);

  std::uint64_t values_ = 0;
  std::uint64_t spread_ = 2;
  std::uint64_t remainder_bits_ = 0;
  std::uint64_t buckets_ = 1;
  std::uint64_t stream_bits_ = 0;
  std::uint64_t slope_ = 0;  // of the line, 32 binary places
  std::uint64_t bias_ = 0;   // lowest deviation from it, modulo 2^64
  std::uint64_t offset_bits_ = 1;
  cells::packed offsets_;
  cells::words<> stream_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/golomb_lists.ipp>
#endif
