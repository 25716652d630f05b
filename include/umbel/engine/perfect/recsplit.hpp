// recsplit.hpp - RecSplit minimal perfect hash [EGV20], with bipartite leaves [BKLS23]: 1.7 bits
// per key.
//
// Keys are hashed into buckets. Each bucket is split recursively: the build tries seeds until one
// divides the keys into parts of the prescribed sizes; at a leaf, until one is a bijection. Only
// the seeds are stored, Golomb-Rice coded. A query replays the splits. The lower bound for any
// minimal perfect hash is 1.44 bits per key.
//
// Layout     2^p parts, which are ranges of digests, with equally many buckets each. Two monotone
//            lists give the number of keys and of code bits before each bucket. The bits of a
//            bucket are the remainders of its codes, then the quotients.
// Invariant  After build, index(x) differs for all keys of the build. It is below n for every
//            digest.
// Threads    Immutable: any number of readers.
// Source     [EGV20]; [BKLS23] for leaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/division.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bit_stream.hpp>
#include <umbel/cells/monotone.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/division.hpp>
#include <umbel/sizing/perfect.hpp>
#include <umbel/solve/splits.hpp>

namespace umbel::core {

template <class Spool>
class recsplit_builder;

class recsplit {
 public:
  recsplit() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n, std::uint64_t part_from);

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0
                      : (attempts_.size() + remainders_.size()) * 8 + firsts_.size_in_bits() +
                            starts_.size_in_bits() + codes_.size() * 64;
  }
  // For each part, the number of seeds that failed before the one that fits.
  [[nodiscard]] std::span<const std::uint8_t> attempts() const noexcept { return attempts_.span(); }

  // Below keys(), and different for all keys of the build; 0 if there is none.
  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    return keys_ == 0 ? 0 : walk(at(d));
  }
  // A batch.
  template <class Digest>
  void indices(const Digest* keys, std::size_t total, std::uint64_t* out) const noexcept {
    if (keys_ == 0) return void(std::fill_n(out, total, 0));
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& s) {
      s = at(keys[i]);
      stream().prefetch(s.start);
      stream().prefetch(s.start + 512);
        },
        [&](std::size_t i, const spot& s) { out[i] = walk(s); });
  }

  friend bool operator==(const recsplit& a, const recsplit& b) noexcept {
    return a.keys_ == b.keys_ && a.part_bits_ == b.part_bits_ && a.buckets_ == b.buckets_ &&
           a.min_keys_ == b.min_keys_ && a.min_bits_ == b.min_bits_ && a.bits_ == b.bits_ &&
           a.attempts_ == b.attempts_ && a.remainders_ == b.remainders_ && a.firsts_ == b.firsts_ &&
           a.starts_ == b.starts_ && a.codes_ == b.codes_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("part_bits", self.part_bits_);
    field("buckets", self.buckets_);
    field("min_keys", self.min_keys_);
    field("min_bits", self.min_bits_);
    field("bits", self.bits_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("divided", self);
    part.array("attempts", self.attempts_);
    part.array("remainders", self.remainders_);
    cells::monotone::describe(self.firsts_, part, "first-low", "first-high");
    cells::monotone::describe(self.starts_, part, "start-low", "start-high");
    part.array("codes", self.codes_);
  }
  void check() {
    const field_check require{"divided"};
    require(keys_ <= max_keys, "keys", keys_);
    require(part_bits_ <= (keys_ == 0 ? 0 : 40), "part_bits", part_bits_);
    require(keys_ == 0 ? buckets_ == 0 : buckets_ >= 1 && buckets_ <= max_keys >> part_bits_,
            "buckets", buckets_);
    const std::uint64_t all = buckets_ << part_bits_;
    require(all == 0 ? min_keys_ == 0 : min_keys_ <= keys_ / all, "min_keys", min_keys_);
    require(bits_ <= (keys_ == 0 ? 0 : sizing::max_bits), "bits", bits_);
    require(all == 0 ? min_bits_ == 0 : min_bits_ <= bits_ / all, "min_bits", min_bits_);
    attempts_.require(keys_ == 0 ? 0 : std::uint64_t{1} << part_bits_);
    // small, and read by every query: copy it
    attempts_.own();
    for (const std::uint8_t attempt : attempts_.span())
      require(attempt < sizing::division_attempts, "attempt", attempt);
    require(remainders_.size() <= sizing::division_most + 1, "remainders", remainders_.size());
    remainders_.own();  // small, and the tree of splits is drawn from it
    for (const std::uint8_t bits : std::as_const(remainders_).span())
      require(bits <= sizing::division_max_remainder, "remainder", bits);
    reshape_lists();
    require(remainders_.size() == (keys_ == 0 ? 0 : largest_bucket() + 1), "remainders",
            remainders_.size());
    if (keys_ == 0)
      codes_.require(0);
    else
      codes_.require(cells::bit_writer::words_for(bits_), bits_);
    draw();
  }

 private:
  template <class Spool>
  friend class recsplit_builder;

  struct spot {
    detail::divided_key key{0};
    std::uint32_t keys = 0;              // of the bucket
    std::uint64_t first = 0, start = 0;  // keys and bits before it
  };
  [[nodiscard]] static detail::remixer words(std::uint64_t attempt) noexcept {
    return detail::remixer(detail::salt_of(detail::stage::divisions, attempt));
  }
  [[nodiscard]] cells::bit_view stream() const noexcept { return {codes_, bits_}; }

  // The lists store only the excess over bucket * min_keys_ and bucket * min_bits_.
  [[nodiscard]] spot at(digest d) const noexcept {
    const std::uint64_t part = d.hi >> 1 >> (63 - part_bits_);
    const detail::remixed mixed = parts_[part](d);
    const std::uint64_t bucket = part * buckets_ + detail::fastrange(mixed.first(), buckets_);
    const auto [first, next] = firsts_.pair_at(bucket);
    spot out;
    out.key = detail::divided_key(mixed.second());
    out.keys = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(next - first + min_keys_, tree_.largest()));
    out.first = first + bucket * min_keys_;
    out.start = starts_[bucket] + bucket * min_bits_;
    return out;
  }
  // Damaged codes may give an index past the last key, so it is clamped.
  [[nodiscard]] std::uint64_t walk(const spot& s) const noexcept {
    const cells::bit_view codes = stream();
    std::uint64_t index = s.first, fixed = s.start, unary = s.start + tree_[s.keys].fixed;
    for (std::uint32_t keys = s.keys; keys > 1;) {
      const auto& node = tree_[keys];
      const std::uint64_t ends = codes.after_one(unary);
      const auto trial = static_cast<std::uint32_t>((ends - unary - 1) << node.remainder |
                                                    codes.bits(fixed, node.remainder));
      fixed += node.remainder;
      unary = ends;
      if (keys <= sizing::division_leaf) {
        const auto number = static_cast<std::uint32_t>(std::uint64_t{trial} * node.bounds[0] >> 32);
        std::uint32_t place = detail::leaf_place(s.key.under(number), keys);
        if (detail::is_turned(s.key.turn)) {
          const std::uint32_t by = trial - number * keys;
          place += place < by ? keys - by : -by;
        }
        return std::min(index + std::min(place, keys - 1), keys_ - 1);
      }
      const std::uint32_t outcome = s.key.under(trial);
      const unsigned child =
          unsigned{outcome >= node.bounds[0]} + unsigned{outcome >= node.bounds[1]};
      const auto& next = node.children[child];
      index += next.first;
      fixed += next.fixed;
      unary = codes.after(unary, next.codes);
      keys = next.keys;
    }
    return std::min(index, keys_ - 1);
  }

  void reshape_lists() {
    const std::uint64_t all = buckets_ << part_bits_, count = keys_ == 0 ? 0 : all + 1;
    const std::uint64_t first_range = keys_ - all * min_keys_ + 1,
                        start_range = bits_ - all * min_bits_ + 1;
    firsts_.reshape(count, first_range, sizing::monotone_low_bits(count, first_range));
    starts_.reshape(count, start_range, sizing::monotone_low_bits(count, start_range));
    if (count != 0 && (firsts_[all] != first_range - 1 || starts_[all] != start_range - 1))
      throw corrupt("divided: keys or bits of all buckets are not those of the whole");
  }
  [[nodiscard]] std::uint64_t largest_bucket() const noexcept {
    std::uint64_t out = 0;
    for (std::uint64_t i = 0; i < buckets_ << part_bits_; ++i) {
      const auto [first, next] = firsts_.pair_at(i);
      out = std::max(out, next - first + min_keys_);
    }
    return out;
  }
  void draw() {
    tree_ = solve::splits(std::as_const(remainders_).span());
    parts_.clear();
    for (const std::uint8_t attempt : attempts_.span()) parts_.push_back(words(attempt));
  }

  std::uint64_t keys_ = 0;
  std::uint64_t part_bits_ = 0;
  std::uint64_t buckets_ = 0;   // of a part
  std::uint64_t min_keys_ = 0;  // the minimum over all buckets; next, of code bits
  std::uint64_t min_bits_ = 0;
  std::uint64_t bits_ = 0;                 // of all codes
  cells::words<std::uint8_t> attempts_;    // one per part
  cells::words<std::uint8_t> remainders_;  // Rice parameter, by the number of keys of a node
  cells::monotone firsts_, starts_;
  cells::words<> codes_;
  // These follow from the fields above:
  solve::splits tree_;
  std::vector<detail::remixer> parts_;
};

// Bucket sizes vary by about the square root of the mean. A list takes 2 + log2(mean - minimum)
// bits per entry.
inline umbel::plan recsplit::plan(std::uint64_t n, std::uint64_t part_from) {
  check_keys(n);
  if (n == 0) return {};
  const unsigned part_bits = sizing::division_part_bits(n, part_from);
  const std::uint64_t buckets = sizing::division_buckets(n, part_bits) << part_bits;
  const double mean = static_cast<double>(n) / static_cast<double>(buckets);
  const double below =
      std::min(mean, std::sqrt(2 * mean * std::log(static_cast<double>(buckets) + 1)));
  const auto at_mean = static_cast<std::uint32_t>(mean);
  const auto of = sizing::division_bits(at_mean + 1);
  const double bits = of[at_mean] + (of[at_mean + 1] - of[at_mean]) * (mean - at_mean);
  const auto count = buckets + 1;
  const auto range = [&](double gap) {
    return static_cast<std::uint64_t>(gap * static_cast<double>(buckets)) + 1;
  };
  const std::uint64_t lists = sizing::monotone_bits(count, range(below)) +
                              sizing::monotone_bits(count, range(below * bits / mean));
  return {.keys = n,
          .cells = buckets,
          .probes = 1,
          .bits = static_cast<std::uint64_t>(bits * static_cast<double>(buckets)) + lists +
                  (std::uint64_t{8} << part_bits) + 8 * static_cast<std::uint64_t>(mean + below) +
                  64,
          .fpr = 1};
}

}  // namespace umbel::core
