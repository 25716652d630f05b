// golomb_lists.ipp - bodies of golomb_lists.hpp: building and checking.
#pragma once

#include <bit>
#include <span>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/engine/table/golomb_lists.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

UMBEL_INLINE golomb_lists::golomb_lists(digest_spool sorted, std::uint64_t spread,
                                        unsigned remainder_bits, std::pmr::memory_resource* memory)
    : spread_(spread),
      remainder_bits_(remainder_bits),
      buckets_(detail::ceil_div(sorted.size(), sizing::golomb_bucket_keys)) {
  encode(std::move(sorted), memory);
}

// A spool without duplicates is in the order of digests, and buckets are ranges of digests, so one
// pass encodes them all.
UMBEL_INLINE void golomb_lists::encode(digest_spool sorted, std::pmr::memory_resource* memory) {
  cells::bit_writer bits;
  std::vector<std::uint64_t> starts, bucket;
  // Memory is reserved once, for the maximum (the gaps of a bucket add up to its range). Growing by
  // doubling would need three times the memory.
  bits.reserve(sorted.size() * (remainder_bits_ + 1) +
               buckets_ * ((range() >> remainder_bits_) + 1));
  starts.reserve(buckets_ + 1);
  // encodes the open bucket; buckets after it and before `next` are empty
  const auto close_up_to = [&](std::uint64_t next) {
    std::sort(bucket.begin(), bucket.end());
    bucket.erase(std::unique(bucket.begin(), bucket.end()), bucket.end());
    std::uint64_t before = 0;
    for (const std::uint64_t value : bucket) {
      bits.put_rice(value - before, static_cast<unsigned>(remainder_bits_));
      before = value;
    }
    values_ += bucket.size();
    bucket.clear();
    while (starts.size() <= next) starts.push_back(bits.size());
  };
  close_up_to(0);
  sorted.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
    for (const digest& d : block) {
      const spot at = locate(d);
      if (at.bucket >= starts.size()) close_up_to(at.bucket);
      bucket.push_back(at.value);
    }
  });
  close_up_to(buckets_);
  sorted = digest_spool();  // frees the keys before the stream is copied
  stream_bits_ = bits.size();
  stream_ = cells::words<>(cells::bit_writer::words_for(stream_bits_), memory);
  std::copy(bits.bits().begin(), bits.bits().end(), stream_.data());
  store_offsets(starts, memory);
}

UMBEL_INLINE void golomb_lists::store_offsets(const std::vector<std::uint64_t>& starts,
                                              std::pmr::memory_resource* memory) {
  slope_ =
      static_cast<std::uint64_t>((static_cast<detail::uint128>(stream_bits_) << 32) / buckets_);
  std::int64_t low = 0, high = 0;
  for (std::uint64_t i = 0; i < starts.size(); ++i) {
    const auto off = static_cast<std::int64_t>(starts[i] - line(i));
    low = std::min(low, off);
    high = std::max(high, off);
  }
  bias_ = static_cast<std::uint64_t>(low);
  offset_bits_ = std::max<std::uint64_t>(1, std::bit_width(static_cast<std::uint64_t>(high - low)));
  offsets_ = cells::packed(starts.size(), static_cast<unsigned>(offset_bits_), memory);
  for (std::uint64_t i = 0; i < starts.size(); ++i) offsets_.set(i, starts[i] - line(i) - bias_);
}

UMBEL_INLINE void golomb_lists::check() {
  const field_check require{"golomb"};
  if (values_ == 0) {
    const golomb_lists empty;  // only one encoding: all fields as in an empty one
    require(spread_ == empty.spread_, "spread", spread_);
    require(remainder_bits_ == empty.remainder_bits_, "remainder_bits", remainder_bits_);
    require(buckets_ == empty.buckets_, "buckets", buckets_);
    require(stream_bits_ == empty.stream_bits_, "stream_bits", stream_bits_);
    require(slope_ == empty.slope_ && bias_ == empty.bias_, "slope", slope_);
    require(offset_bits_ == empty.offset_bits_, "offset_bits", offset_bits_);
    offsets_.storage().require(0);
    stream_.require(0);
    return;
  }
  require(values_ <= max_keys, "values", values_);
  require(spread_ >= 2 && spread_ <= std::uint64_t{1} << 40, "spread", spread_);
  require(remainder_bits_ <= 40, "remainder_bits", remainder_bits_);
  require(buckets_ >= 1 && buckets_ <= max_keys, "buckets", buckets_);
  require(stream_bits_ <= sizing::max_bits, "stream_bits", stream_bits_);
  require(offset_bits_ >= 1 && offset_bits_ <= 57, "offset_bits", offset_bits_);
  // the shortest code of each
  require(values_ <= stream_bits_ / (remainder_bits_ + 1), "values", values_);
  stream_.require(cells::bit_writer::words_for(stream_bits_), stream_bits_);
  offsets_.reshape(buckets_ + 1, static_cast<unsigned>(offset_bits_));
}

}  // namespace umbel::core
