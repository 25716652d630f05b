// measure.cpp - bodies of measure.hpp.
#include <umbel/any/measure.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include <umbel/base/buffer.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/sizing/perfect.hpp>
#include <umbel/sizing/subset.hpp>

namespace umbel::bench {

namespace {

// Members have even numbers and strangers odd ones, through a bijection: disjoint by construction.
[[nodiscard]] std::uint64_t member(std::uint64_t i) noexcept { return detail::mix64(2 * i); }
[[nodiscard]] std::uint64_t stranger(std::uint64_t i) noexcept { return detail::mix64(2 * i + 1); }

template <class Work>
[[nodiscard]] double nanoseconds_per(std::size_t count, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(count);
}

[[nodiscard]] double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

// Random cache lines of an array, fetched ahead of use as batches do: what memory can do at this size, on these pages.
void read_lines(const buffer& array, std::span<const std::uint64_t> keys) noexcept {
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

class harness {
 public:
  harness(subject& kind, const workload& work)
      : kind_(kind),
        work_(work),
        queries_(std::min<std::uint64_t>(1'000'000, std::max<std::uint64_t>(work.keys, 100'000))) {
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
    row out{.kind = std::string(kind_.kind()), .keys = work_.keys};
    std::vector<double> builds;
    double spent = 0;  // a build that takes a quarter of a minute is measured once
    do {
      kind_.drop();
      builds.push_back(nanoseconds_per(work_.keys, [&] { kind_.build(members_, misses_, work_); }));
      spent += builds.back() * static_cast<double>(work_.keys);
    } while (builds.size() < 3 && work_.keys <= 20'000'000 && spent < 15e9);
    out.build_ns = median(builds);
    if (!kind_.what().may_forget) require_members();
    out.bits_per_key = static_cast<double>(kind_.size_in_bits()) / static_cast<double>(work_.keys);
    out.fpr = kind_.what().exact ? rate_on_universe() : stranger_rate();
    out.overhead = overhead(out);
    time_rounds(out);
    return out;
  }

 private:
  void ask_batch(std::span<const std::uint64_t> keys) { kind_.ask_batch(keys, {answers_.get(), keys.size()}); }

  void require_members() {
    for (std::uint64_t first = 0; first < work_.keys; first += queries_) {
      const std::uint64_t count = std::min(queries_, work_.keys - first);
      ask_batch({members_.data() + first, static_cast<std::size_t>(count)});
      for (std::uint64_t i = 0; i < count; ++i)
        if (!answers_[i]) throw std::logic_error(std::string(kind_.kind()) + " forgot a member: no row");
    }
  }
  [[nodiscard]] double overhead(const row& of) const {
    const auto members = static_cast<double>(work_.keys);
    if (kind_.what().exact)
      return of.bits_per_key * members / sizing::subset_bits(members + static_cast<double>(queries_), members);
    if (kind_.what().answers == output::index) return of.bits_per_key / sizing::perfect_bound;
    const double values =
        kind_.what().of == family::map ? value_bits(kind_.what()) : 0;  // a map must hold these as well
    return of.fpr > 0 && of.fpr < 1 ? of.bits_per_key / (values - std::log2(of.fpr)) : 0;
  }
  [[nodiscard]] double rate_on_universe() {
    ask_batch(misses_);
    return static_cast<double>(std::count(answers_.get(), answers_.get() + queries_, true)) /
           static_cast<double>(queries_);
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

  void time_rounds(row& out) {
    const buffer array(std::max<std::uint64_t>(64, kind_.size_in_bits() / 8));
    std::vector<double> hit, miss, batch_hit, batch_miss, insert, lines;
    for (unsigned i = 0; i < work_.rounds; ++i) {
      lines.push_back(nanoseconds_per(queries_, [&] { read_lines(array, misses_); }));
      batch_miss.push_back(nanoseconds_per(queries_, [&] { ask_batch(misses_); }));
      batch_hit.push_back(nanoseconds_per(queries_, [&] { ask_batch(hits_); }));
      if (!kind_.what().is_static) insert.push_back(nanoseconds_per(queries_, [&] { kind_.insert_batch(hits_); }));
      miss.push_back(nanoseconds_per(queries_, [&] { keep(kind_.ask_each(misses_)); }));
      hit.push_back(nanoseconds_per(queries_, [&] { keep(kind_.ask_each(hits_)); }));
    }
    out.hit_ns = median(hit);
    out.miss_ns = median(miss);
    out.batch_hit_ns = median(batch_hit);
    out.batch_miss_ns = median(batch_miss);
    out.line_read_ns = median(lines);
    if (!insert.empty()) out.batch_insert_ns = median(insert);
  }

  subject& kind_;
  const workload& work_;
  std::uint64_t queries_;
  std::vector<std::uint64_t> members_, hits_, misses_;
  std::unique_ptr<bool[]> answers_;
};

}  // namespace

row measure(subject& kind, const workload& work) { return harness(kind, work).run(); }

}  // namespace umbel::bench
