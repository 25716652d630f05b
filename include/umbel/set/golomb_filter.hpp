// golomb_filter.hpp - static set close to the entropy bound: log2(1/fpr) + 1.5 bits per key, decoded a run at a time.
// Idea       Hash n keys into n/fpr values; what is stored is the sorted values' gaps, in a Golomb-Rice code.
// Layout     Buckets of 128 keys on average divide the digests into equal ranges; a key's value inside its bucket is
//            coded as the gap from its predecessor, the first from 0. `offsets` holds where each bucket starts, as the
//            deviation from a straight line, packed: about 0.1 bits per key. A bucket needs no stored value to start
//            from, which an entry at every 128th key would.
// Invariant  Every key given is found: its bucket holds its value.
// Limits     Static. Building takes the spool twice and the stream twice. A query decodes half a bucket: some hundred nanoseconds. Choose it for transfer and cold storage, at
//            rates below 1 in 4096 or for small sets; elsewhere a fuse_filter is smaller.
// Threads    Immutable: any number of readers.
// Source     [PSS07]; differs in the bucketed entry points.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/batch.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/sizing/golomb.hpp>

namespace umbel {

struct golomb_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class golomb_filter : public core::set_queries<golomb_filter>, public core::static_set<golomb_filter> {
 public:
  using options = golomb_options;
  static constexpr std::string_view kind = "golomb-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true, .lines = 4};

  golomb_filter() = default;

  using core::static_set<golomb_filter>::build;
  [[nodiscard]] static golomb_filter build(const digest_spool& keys, const options& wish);
  [[nodiscard]] static umbel::plan plan(const options& wish);

  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }  // stored: keys that collide share one
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return values_ == 0 ? 0 : (stream_.size() + offsets_.storage().size()) * 64;
  }
  [[nodiscard]] std::uint64_t stream_bits() const noexcept { return stream_bits_; }
  [[nodiscard]] double expected_fpr() const noexcept {
    return values_ == 0 ? 0
                        : static_cast<double>(values_) / (static_cast<double>(buckets_) * static_cast<double>(range()));
  }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const golomb_filter& a, const golomb_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.values_ == b.values_ && a.spread_ == b.spread_ && a.stream_ == b.stream_;
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
    part.hash(self.hash_);
    part.fields("golomb", self);
    part.array("offsets", self.offsets_.storage());
    part.array("stream", self.stream_);
  }
  void check();

 private:
  friend core::set_queries<golomb_filter>;

  struct spot {
    std::uint64_t bucket, value;
  };
  [[nodiscard]] std::uint64_t range() const noexcept { return spread_ * sizing::golomb_bucket_keys; }
  // The bucket is a finer shard, so it alone may come from the top of `hi`; the value is remixed from all bits.
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::golomb)};
    return {detail::fastrange(d.hi, buckets_), detail::fastrange(words(d).first(), range())};
  }
  // Where bucket i starts on a line from the first to the last.
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
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return values_ != 0 && decode(locate(d)); }
  // Two trips per key: where its bucket starts, then the bucket. Both are fetched for a group before any is used.
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    using slot = spot[core::group_size];
    const auto* const bytes = reinterpret_cast<const char*>(stream_.data());
    if (values_ == 0) {
      std::fill_n(out, total, false);
      return;
    }
    core::in_groups<slot>(
        total,
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) offsets_.prefetch((s[i] = locate(digest_at(first + i))).bucket);
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
  void encode(digest_spool sorted, std::pmr::memory_resource* memory);
  void store_offsets(const std::vector<std::uint64_t>& starts, std::pmr::memory_resource* memory);

  hasher hash_;
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

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/golomb_filter.ipp>
#endif
