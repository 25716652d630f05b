// recsplit_build.hpp - build of core::recsplit [EGV20]: parts, their buckets, attempts, and the
// lists over all buckets.
//
// Idea       The keys of a part are sorted by bucket; then solve::division_search finds the seeds
//            of each bucket's splits. A part that fails is tried again with the next salt.
// Invariant  The result depends only on the set of keys: not on input order, threads or addresses.
// Limits     Memory while building: 16 bytes per key and an eighth, and 20 bytes per key of the
//            parts being worked on.
// Threads    The build starts at most `threads` threads, and no more than it has parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/shards.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/perfect/pthash.hpp>
#include <umbel/engine/perfect/recsplit.hpp>
#include <umbel/solve/divisions.hpp>

namespace umbel::core {

template <class Spool>  // so that only programs that build compile it
class recsplit_builder {
 public:
  // Duplicate keys are dropped. Throws unsolvable.
  [[nodiscard]] static recsplit build(const Spool& keys, const perfect_build_options& options) {
    recsplit out;
    if (recsplit_builder(out, options).try_build(keys, true)) return out;
    if (!recsplit_builder(out, options).try_build(keys.distinct(options.threads), false))
      throw unsolvable("divisions: distinct keys still look repeated");
    return out;
  }

 private:
  struct row {
    std::uint32_t bucket;
    std::uint64_t word;
  };
  struct made_part {
    std::vector<std::uint16_t> keys;  // of every bucket; next, the bits of its codes
    std::vector<std::uint32_t> bits;
    cells::bit_writer codes;
  };
  struct workspace {  // of one thread
    std::vector<row> rows;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint64_t> words;
  };

  recsplit_builder(recsplit& out, const perfect_build_options& options) noexcept
      : out_(out), options_(options), parts_(0) {}

  // False if there are duplicate keys. Throws for every other failure.
  [[nodiscard]] bool try_build(const Spool& keys, bool may_repeat) {
    out_ = recsplit();
    if (keys.size() == 0) return true;
    check_keys(keys.size());
    parts_ = shards(sizing::division_part_bits(keys.size(), options_.part_from));
    if (parts_.balance(keys, may_repeat).empty()) return false;
    out_.keys_ = keys.size();
    out_.part_bits_ = parts_.bits();
    out_.buckets_ = sizing::division_buckets(out_.keys_, parts_.bits());
    std::vector<std::uint8_t> remainders(2);
    for (std::uint32_t size = 2; size <= std::min<std::uint64_t>(sizing::division_most, out_.keys_);
         ++size)
      remainders.push_back(
          static_cast<std::uint8_t>(sizing::remainder_bits(sizing::chance_of(size))));
    tree_ = solve::splits(remainders);
    switch (solve_all(keys)) {
      case outcome::repeats: return false;
      case outcome::stuck:
        throw unsolvable(detail::text("divisions: no seed of ", sizing::division_attempts, " fits ",
                                      out_.keys_, " keys"));
      case outcome::solved: break;
    }
    join(remainders);
    return true;
  }

  [[nodiscard]] outcome solve_all(const Spool& keys) {
    out_.attempts_ = cells::words<std::uint8_t>(parts_.count(), options_.memory);
    made_.resize(parts_.count());
    std::vector<workspace> spaces(detail::crew_size(parts_.count(), options_.threads));
    return solve_parts(parts_.count(), options_.threads, [&](std::size_t part, std::size_t worker) {
      return solve_part(keys, part, spaces[worker]);
    });
  }

  [[nodiscard]] outcome solve_part(const Spool& keys, std::uint64_t part, workspace& space) {
    for (unsigned attempt = 0; attempt < sizing::division_attempts; ++attempt) {
      space.rows.clear();
      space.starts.assign(out_.buckets_ + 2, 0);
      parts_.for_each(keys, part, [&, words = recsplit::words(attempt)](const auto& record) {
        const detail::remixed mixed = words(key_of(record));
        const auto bucket =
            static_cast<std::uint32_t>(detail::fastrange(mixed.first(), out_.buckets_));
        space.rows.push_back({bucket, mixed.second()});
        ++space.starts[bucket + 2];
      });
      out_.attempts_[part] = static_cast<std::uint8_t>(attempt);
      if (divide(space, made_[part])) return outcome::solved;
      if (attempt == 0 &&
          parts_.any_repeats(keys, part, [](const auto& record) { return key_of(record); }))
        return outcome::repeats;
    }
    return outcome::stuck;
  }

  [[nodiscard]] bool divide(workspace& space, made_part& made) const {
    made = {};
    for (std::size_t i = 2; i < space.starts.size(); ++i) {
      if (space.starts[i] > sizing::division_most) return false;
      space.starts[i] += space.starts[i - 1];
    }
    space.words.resize(space.rows.size());
    for (const row& r : space.rows) space.words[space.starts[r.bucket + 1]++] = r.word;
    solve::division_search search(tree_);
    for (std::uint64_t i = 0; i < out_.buckets_; ++i) {
      const std::uint64_t before = made.codes.size();
      const std::uint32_t count = space.starts[i + 1] - space.starts[i];
      if (!search.run({space.words.data() + space.starts[i], count}, made.codes)) return false;
      made.keys.push_back(static_cast<std::uint16_t>(count));
      made.bits.push_back(static_cast<std::uint32_t>(made.codes.size() - before));
    }
    return true;
  }

  // Joins all parts in order: concatenates their codes, and sums keys and bits before each bucket.
  void join(std::span<const std::uint8_t> remainders) {
    std::uint64_t largest = 1;
    out_.min_keys_ = out_.min_bits_ = ~std::uint64_t{0};
    for (const made_part& made : made_) {
      for (const std::uint64_t count : made.keys) {
        out_.min_keys_ = std::min(out_.min_keys_, count);
        largest = std::max(largest, count);
      }
      for (const std::uint64_t count : made.bits) out_.min_bits_ = std::min(out_.min_bits_, count);
    }
    out_.remainders_ = cells::words<std::uint8_t>(largest + 1, options_.memory);
    std::copy_n(remainders.begin(), largest + 1, out_.remainders_.data());
    std::vector<std::uint64_t> firsts{0}, starts{0};
    cells::bit_writer codes;
    for (made_part& made : made_) {
      for (const std::uint64_t count : made.keys)
        firsts.push_back(firsts.back() + count - out_.min_keys_);
      for (const std::uint64_t count : made.bits)
        starts.push_back(starts.back() + count - out_.min_bits_);
      codes.append(made.codes);
      made = {};
    }
    out_.bits_ = codes.size();
    out_.codes_ = cells::words<>(cells::bit_writer::words_for(codes.size()), options_.memory);
    std::copy(codes.bits().begin(), codes.bits().end(), out_.codes_.data());
    const auto list = [&](const std::vector<std::uint64_t>& numbers) {
      const std::uint64_t range = numbers.back() + 1;
      return cells::monotone(numbers, range, sizing::monotone_low_bits(numbers.size(), range),
                             options_.memory);
    };
    out_.firsts_ = list(firsts);
    out_.starts_ = list(starts);
    out_.draw();
  }

  recsplit& out_;
  const perfect_build_options& options_;
  shards parts_;
  solve::splits tree_;
  std::vector<made_part> made_;
};

}  // namespace umbel::core
