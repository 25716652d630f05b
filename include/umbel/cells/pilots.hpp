// pilots.hpp - storage of PTHash pilots [PT21]: one number per bucket, as bytes [GK25] or
// Rice-coded by bucket position [HLPSW24].
//
// The first buckets of a part are large and placed first, the last ones are small and placed last,
// so the size of a pilot depends on the bucket's position. So does the code: ranges of a part have
// remainders of their own width, the same in all parts, and the position of each remainder can be
// computed. Quotients are stored as their prefix sums, in an Elias-Fano code.
//
// Layout     Bytes: part by part. Coded: a byte for each of up to 64 ranges of 2^s buckets, the
//            width of its remainders; the remainders part by part; a bit row in which each quotient
//            q is q zeros and a one, after an initial one.
// Invariant  Any content gives some number; positions follow from the shape.
// Threads    Immutable once built: any number of readers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/cells/monotone.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class byte_pilots {
 public:
  using spot = const std::uint8_t*;

  byte_pilots() = default;
  byte_pilots(const std::vector<std::uint32_t>& pilots, std::uint64_t /*buckets*/,
              std::pmr::memory_resource* memory)
      : bytes_(pilots.size(), memory) {
    std::transform(pilots.begin(), pilots.end(), bytes_.data(),
                   [](auto p) { return static_cast<std::uint8_t>(p); });
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return bytes_.size() * 8; }
  // After loading: for this many parts with this many buckets each.
  void reshape(std::uint64_t parts, std::uint64_t buckets) const {
    bytes_.require(parts * buckets);
  }

  // What finding a pilot needs, by value, so that a loop keeps it in registers.
  struct reader {
    const std::uint8_t* bytes;
    [[nodiscard]] spot at(std::uint64_t /*part*/, std::uint64_t first,
                          std::uint64_t bucket) const noexcept {
      return bytes + first + bucket;
    }
    void prefetch(spot s) const noexcept { detail::prefetch_read(s); }
    [[nodiscard]] std::uint32_t get(spot s) const noexcept { return *s; }
  };
  [[nodiscard]] reader read() const noexcept { return {bytes_.data()}; }

  static void describe(auto& self, auto& part) { part.array("pilots", self.bytes_); }
  friend bool operator==(const byte_pilots&, const byte_pilots&) noexcept = default;

 private:
  words<std::uint8_t> bytes_;
};

class coded_pilots {
 public:
  struct spot {
    std::uint64_t number, remainder;  // index of the pilot; position of its remainder
    unsigned width;
  };

  coded_pilots() = default;
  // Part by part, `buckets` in each. A template, so that only programs that build compile it.
  template <class Pilot>
  coded_pilots(const std::vector<Pilot>& pilots, std::uint64_t buckets,
               std::pmr::memory_resource* memory) {
    if (pilots.empty()) return;
    set_shape(pilots.size() / buckets, buckets);
    widths_ = words<std::uint8_t>(stretches(), memory);
    choose_widths(pilots);
    draw_stretches();
    bit_writer remainders;
    std::vector<std::uint64_t> sums{0};
    for (std::uint64_t i = 0, bucket = 0; i < pilots.size(); ++i) {
      const unsigned width = widths_[bucket >> shift_];
      remainders.put(pilots[i] & detail::low_mask(width), width);
      sums.push_back(sums.back() + (pilots[i] >> width));
      if (++bucket == buckets) bucket = 0;
    }
    remainders_ = words<>(bit_writer::words_for(remainders.size()), memory);
    std::copy(remainders.bits().begin(), remainders.bits().end(), remainders_.data());
    quotients_ = monotone(sums, sums.back() + 1, 0, memory);
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return widths_.size() * 8 + remainders_.size() * 64 + quotients_.size_in_bits();
  }
  void reshape(std::uint64_t parts, std::uint64_t buckets) {
    set_shape(parts, buckets);
    widths_.require(stretches());
    // small, and read by every query: copy it into own memory
    widths_.own();
    for (const std::uint8_t width : widths_.span())
      if (width > max_width)
        throw corrupt(detail::text("widths: expected at most ", max_width, ", found ", width));
    draw_stretches();
    if (buckets == 0) {
      remainders_.require(0);
      return quotients_.reshape(0, 1, 0);
    }
    remainders_.require(bit_writer::words_for(bits()), bits());
    quotients_.reshape_high(parts * buckets + 1);
  }

  struct reader {
    const coded_pilots* from;
    [[nodiscard]] spot at(std::uint64_t part, std::uint64_t first,
                          std::uint64_t bucket) const noexcept {
      return from->at(part, first, bucket);
    }
    void prefetch(const spot& s) const noexcept { from->prefetch(s); }
    [[nodiscard]] std::uint32_t get(const spot& s) const noexcept { return from->get(s); }
  };
  [[nodiscard]] reader read() const noexcept { return {this}; }

  [[nodiscard]] spot at(std::uint64_t part, std::uint64_t first,
                        std::uint64_t bucket) const noexcept {
    const stretch& in = stretches_[bucket >> shift_];
    const std::uint64_t within = bucket & ((std::uint64_t{1} << shift_) - 1);
    return {first + bucket, part * stride_ + in.first + within * in.width, in.width};
  }
  void prefetch(const spot& s) const noexcept {
    view().prefetch(s.remainder);
    quotients_.prefetch(s.number);
  }
  [[nodiscard]] std::uint32_t get(const spot& s) const noexcept {
    const auto [before, sum] = quotients_.pair_at(s.number);
    return static_cast<std::uint32_t>((sum - before) << s.width |
                                      view().bits(s.remainder, s.width));
  }

  static void describe(auto& self, auto& part) {
    part.array("widths", self.widths_);
    part.array("remainders", self.remainders_);
    monotone::describe_high(self.quotients_, part, "quotients");
  }
  friend bool operator==(const coded_pilots& a, const coded_pilots& b) noexcept {
    return a.widths_ == b.widths_ && a.remainders_ == b.remainders_ && a.quotients_ == b.quotients_;
  }

 private:
  static constexpr unsigned max_width = 24, max_stretches = 64;
  struct stretch {
    std::uint64_t first = 0;  // remainder bits before it, in a part
    unsigned width = 0;
  };

  void set_shape(std::uint64_t parts, std::uint64_t buckets) noexcept {
    parts_ = parts;
    buckets_ = buckets;
    shift_ = 0;
    while (stretches() > max_stretches) ++shift_;
  }
  [[nodiscard]] std::uint64_t stretches() const noexcept {
    return detail::ceil_div(buckets_, std::uint64_t{1} << shift_);
  }
  [[nodiscard]] std::uint64_t bits() const noexcept { return parts_ * stride_; }
  [[nodiscard]] bit_view view() const noexcept { return {remainders_, bits()}; }

  // For each range, the width that takes the fewest bits.
  template <class Pilot>
  void choose_widths(const std::vector<Pilot>& pilots) {
    std::vector<std::array<std::uint64_t, max_width + 1>> bits(stretches());
    for (std::uint64_t i = 0, bucket = 0; i < pilots.size(); ++i) {
      auto& of = bits[bucket >> shift_];
      for (unsigned width = 0; width <= max_width; ++width)
        of[width] += (pilots[i] >> width) + width;
      if (++bucket == buckets_) bucket = 0;
    }
    for (std::uint64_t i = 0; i < bits.size(); ++i)
      widths_[i] = static_cast<std::uint8_t>(std::min_element(bits[i].begin(), bits[i].end()) -
                                             bits[i].begin());
  }
  void draw_stretches() {
    stretches_.clear();
    stride_ = 0;
    for (std::uint64_t i = 0, left = buckets_; i < widths_.size(); ++i) {
      stretches_.push_back({stride_, widths_[i]});
      const std::uint64_t here = std::min(left, std::uint64_t{1} << shift_);
      stride_ += here * widths_[i];
      left -= here;
    }
  }

  words<std::uint8_t> widths_;
  words<> remainders_;
  monotone quotients_;
  // Computed from the shape:
  std::uint64_t parts_ = 0, buckets_ = 0, stride_ = 0;
  unsigned shift_ = 0;
  std::vector<stretch> stretches_;
};

}  // namespace umbel::cells
