// measure.hpp - the one harness: every kind is timed by the same loops, beside the memory it runs on.
// Idea       A fast wrong filter gets no row: members are checked first. Then rounds of hits, misses, batches and bare
//            line reads alternate, so that a noisy neighbour disturbs all of them alike; medians are reported.
// Limits     Keys are 64-bit integers, hashing included in every figure. One thread queries.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <umbel/any/bench.hpp>
#include <umbel/base/buffer.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/core/traits.hpp>

namespace umbel::bench {

// Members have even numbers and strangers odd ones, through a bijection: disjoint by construction.
[[nodiscard]] inline std::uint64_t member(std::uint64_t i) noexcept { return detail::mix64(2 * i); }
[[nodiscard]] inline std::uint64_t stranger(std::uint64_t i) noexcept { return detail::mix64(2 * i + 1); }

template <class Work>
[[nodiscard]] double nanoseconds_per(std::size_t count, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(count);
}

[[nodiscard]] inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

inline void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

// Random cache lines of an array, fetched ahead of use as batches do: what memory can do at this size, on these pages.
inline void read_lines(const buffer& array, std::span<const std::uint64_t> keys) noexcept {
  const std::uint64_t lines = std::max<std::uint64_t>(1, array.size() / buffer::line);
  const std::byte* const base = array.data();
  std::uint64_t sum = 0;
  detail::ring<const std::byte*>(
      keys.size(),
      [&](std::size_t i, const std::byte*& at) {
        detail::prefetch_read(at = base + detail::fastrange(keys[i], lines) * buffer::line);
      },
      [&](std::size_t, const std::byte* at) { sum += static_cast<std::uint64_t>(*at); });
  keep(sum);
}

// One kind under one workload; `T` may be a set or a map, static or growing.
template <class T>
class harness {
 public:
  explicit harness(const workload& work)
      : work_(work), queries_(std::min<std::uint64_t>(1'000'000, std::max<std::uint64_t>(work.keys, 100'000))) {
    members_.resize(work.keys);
    for (std::uint64_t i = 0; i < work.keys; ++i) members_[i] = member(i);
    hits_.resize(queries_);
    misses_.resize(queries_);
    for (std::uint64_t i = 0; i < queries_; ++i) {
      hits_[i] = member(detail::fastrange(detail::mix64(i), work.keys));
      misses_[i] = stranger(i);
    }
    answers_ = std::make_unique<bool[]>(queries_);
  }

  [[nodiscard]] row run() {
    row out{.kind = std::string(T::kind), .keys = work_.keys};
    std::vector<double> builds;
    for (int i = 0; i < (work_.keys <= 20'000'000 ? 3 : 1); ++i) {
      built_.reset();
      builds.push_back(nanoseconds_per(work_.keys, [&] { built_.emplace(build()); }));
    }
    out.build_ns = median(builds);
    require_members();
    out.bits_per_key = static_cast<double>(built_->size_in_bits()) / static_cast<double>(work_.keys);
    out.fpr = stranger_rate();
    const double values = T::what.of == family::map ? value_bits : 0;  // a map must hold these as well
    out.overhead = out.fpr > 0 && out.fpr < 1 ? out.bits_per_key / (values - std::log2(out.fpr)) : 0;
    time_rounds(out);
    return out;
  }

 private:
  static constexpr unsigned value_bits = 8;

  [[nodiscard]] T build() const {
    typename T::options wish{};
    wish.threads = work_.threads;
    if constexpr (T::what.is_static) {
      wish.fpr = work_.fpr.value_or(1.0 / 256);
    } else {
      wish.keys = work_.keys;
      if (work_.fpr)
        wish.fpr = work_.fpr;
      else
        wish.bits = static_cast<std::uint64_t>(work_.bits_per_key.value_or(12) * static_cast<double>(work_.keys));
    }
    if constexpr (T::what.of == family::map) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
      pairs.reserve(members_.size());
      wish.value_bits = value_bits;
      for (const std::uint64_t m : members_) pairs.emplace_back(m, m & detail::low_mask(value_bits));
      return T::build(pairs, wish);
    } else {
      return T::build(members_, wish);
    }
  }

  [[nodiscard]] bool ask(std::uint64_t k) const noexcept {
    if constexpr (T::what.of == family::map)
      return built_->find(k).has_value();
    else
      return built_->may_contain(k);
  }
  void ask_batch(std::span<const std::uint64_t> keys) {
    if constexpr (T::what.of == family::map) {
      found_.resize(keys.size());
      built_->find_batch(keys, found_);
      for (std::size_t i = 0; i < keys.size(); ++i) answers_[i] = found_[i].has_value();
    } else {
      built_->may_contain_batch(keys, {answers_.get(), keys.size()});
    }
  }

  void require_members() {
    for (std::uint64_t first = 0; first < work_.keys; first += queries_) {
      const std::uint64_t count = std::min(queries_, work_.keys - first);
      ask_batch({members_.data() + first, static_cast<std::size_t>(count)});
      for (std::uint64_t i = 0; i < count; ++i)
        if (!answers_[i]) throw std::logic_error(std::string(T::kind) + " forgot a member: no row");
    }
  }
  [[nodiscard]] double stranger_rate() {
    std::uint64_t passed = 0;
    std::vector<std::uint64_t> keys(queries_);
    std::uint64_t asked = 0;
    // The rate of a fast kind is worth more strangers: as many as a second is enough for, ten times the number at most.
    const auto start = std::chrono::steady_clock::now();
    const auto early = [&] { return std::chrono::steady_clock::now() - start < std::chrono::seconds(1); };
    for (; asked < work_.strangers || (asked < 10 * work_.strangers && early()); asked += queries_) {
      for (std::uint64_t i = 0; i < queries_; ++i) keys[i] = stranger(queries_ + asked + i);
      ask_batch(keys);
      for (std::uint64_t i = 0; i < queries_; ++i) passed += answers_[i];
    }
    return static_cast<double>(passed) / static_cast<double>(asked);
  }

  [[nodiscard]] double time_single(const std::vector<std::uint64_t>& keys) const {
    return nanoseconds_per(keys.size(), [&] {
      std::uint64_t sum = 0;
      for (const std::uint64_t k : keys) sum += ask(k);
      keep(sum);
    });
  }
  void time_rounds(row& out) {
    const buffer array(std::max<std::uint64_t>(64, built_->size_in_bits() / 8));
    std::vector<double> hit, miss, batch_hit, batch_miss, insert, lines;
    for (unsigned i = 0; i < work_.rounds; ++i) {
      lines.push_back(nanoseconds_per(queries_, [&] { read_lines(array, misses_); }));
      batch_miss.push_back(nanoseconds_per(queries_, [&] { ask_batch(misses_); }));
      batch_hit.push_back(nanoseconds_per(queries_, [&] { ask_batch(hits_); }));
      if constexpr (!T::what.is_static)
        insert.push_back(nanoseconds_per(queries_, [&] { built_->insert_batch(hits_); }));
      miss.push_back(time_single(misses_));
      hit.push_back(time_single(hits_));
    }
    out.hit_ns = median(hit);
    out.miss_ns = median(miss);
    out.batch_hit_ns = median(batch_hit);
    out.batch_miss_ns = median(batch_miss);
    out.line_read_ns = median(lines);
    if (!insert.empty()) out.batch_insert_ns = median(insert);
  }

  workload work_;
  std::uint64_t queries_;
  std::vector<std::uint64_t> members_, hits_, misses_;
  std::vector<std::optional<std::uint64_t>> found_;
  std::unique_ptr<bool[]> answers_;
  std::optional<T> built_;
};

}  // namespace umbel::bench
