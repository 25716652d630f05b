// pthash_build.hpp - build of core::pthash [PT21], [GK25]: parts, their buckets, attempts, and the
// list that remaps the last slots.
//
// Idea       The keys of a part are sorted by bucket; then solve::pilot_search finds the pilots. A
//            part that fails is tried again with the next salt. If a part fails at every attempt,
//            all parts get more slots and buckets.
// Invariant  The result depends only on the set of keys: not on input order, threads or addresses.
// Limits     Memory while building: 16 bytes per key and an eighth, four bytes per pilot, and 20
//            bytes per key of the parts being worked on.
// Threads    The build starts at most `threads` threads, and no more than it has parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/shards.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/perfect/pthash.hpp>
#include <umbel/solve/pilots.hpp>

namespace umbel::core {

template <class Pilots>
class pilot_builder {
  using engine = basic_pthash<Pilots>;

 public:
  template <class Record>
  [[nodiscard]] static engine build(const basic_spool<Record>& keys,
                                    const perfect_build_options& options) {
    engine out;
    if (pilot_builder(out, options).try_build(keys, true)) return out;
    if (!pilot_builder(out, options).try_build(keys.distinct(options.threads), false))
      throw unsolvable("pilots: distinct keys still look repeated");
    return out;
  }

 private:
  struct row {
    std::uint32_t bucket, hash;
  };
  struct workspace {  // of one thread
    std::vector<row> rows;
    std::vector<std::uint32_t> starts, hashes;
    solve::pilot_search search;
  };

  pilot_builder(engine& out, const perfect_build_options& options) noexcept
      : out_(out), options_(options), parts_(0) {}

  // False if there are duplicate keys. Throws for every other failure.
  template <class Record>
  [[nodiscard]] bool try_build(const basic_spool<Record>& keys, bool may_repeat) {
    out_ = engine();
    if (keys.size() == 0) return true;
    check_keys(keys.size());
    parts_ = shards(sizing::pilot_part_bits(keys.size(), options_.part_from));
    const auto load = parts_.balance(keys, may_repeat);
    if (load.empty()) return false;
    const std::uint64_t fullest = *std::max_element(load.begin(), load.end());
    const auto shape = sizing::shape_of(options_.preset, keys.size() >> parts_.bits());
    out_.keys_ = keys.size();
    out_.part_bits_ = parts_.bits();
    out_.skewed_ = shape.skewed;
    for (unsigned number = 0; number < sizing::pilot_shapes; ++number) {
      out_.slots_ = sizing::pilot_slots(fullest, number);
      out_.buckets_ = sizing::pilot_buckets(out_.keys_, parts_.bits(), shape.lambda, number);
      if (out_.slots_ > engine::max_slots || out_.buckets_ > core::pilot_buckets::most)
        throw bad_parameter(detail::text("keys: ", fullest, " are too many for one part"));
      const auto result = solve_all(keys);
      if (result == outcome::repeats) return false;
      if (result == outcome::stuck) continue;
      out_.pilots_ = Pilots(pilots_, out_.buckets_, options_.memory);
      out_.draw_parts();
      list_rest();
      return true;
    }
    throw unsolvable(
        detail::text("pilots: no seed of ", sizing::pilot_attempts, " fits ", out_.keys_, " keys"));
  }

  // A unit of work is one part, or all parts of one bin. So no thread reads keys of a bin that
  // belong to another unit.
  template <class Record>
  [[nodiscard]] outcome solve_all(const basic_spool<Record>& keys) {
    constexpr unsigned bin_bits = basic_spool<Record>::bin_bits;
    const unsigned unit_bits = std::min(bin_bits, parts_.bits()),
                   joined = parts_.bits() - unit_bits;
    const std::uint64_t units = std::uint64_t{1} << unit_bits;
    out_.attempts_ = cells::words<std::uint8_t>(parts_.count(), options_.memory);
    pilots_.assign(out_.buckets_ * parts_.count(), 0);
    taken_.assign(taken_words() * parts_.count(), 0);
    std::vector<workspace> spaces(detail::crew_size(units, options_.threads));
    return solve_parts(units, options_.threads, [&](std::size_t unit, std::size_t worker) {
      return solve_unit(keys, unit << joined, (unit + 1) << joined, spaces[worker]);
    });
  }

  template <class Record>
  [[nodiscard]] outcome solve_unit(const basic_spool<Record>& keys, std::uint64_t first,
                                   std::uint64_t last, workspace& space) {
    sort_by_bucket(keys, first, last, 0, space);
    std::vector<std::uint64_t> failed;
    for (std::uint64_t part = first; part < last; ++part)
      if (solve_part(part, 0, (part - first) * out_.buckets_, space) !=
          solve::pilot_search::outcome::solved)
        failed.push_back(part);
    for (const std::uint64_t part : failed) {
      if (parts_.any_repeats(keys, part, [](const Record& record) { return key_of(record); }))
        return outcome::repeats;
      for (unsigned attempt = 1;; ++attempt) {
        if (attempt == sizing::pilot_attempts) return outcome::stuck;
        sort_by_bucket(keys, part, part + 1, attempt, space);
        if (solve_part(part, attempt, 0, space) == solve::pilot_search::outcome::solved) break;
      }
    }
    return outcome::solved;
  }

  // Hashes of the keys in parts [first, last), by part and bucket. These parts are whole bins, or
  // one part.
  template <class Record>
  void sort_by_bucket(const basic_spool<Record>& keys, std::uint64_t first, std::uint64_t last,
                      unsigned attempt, workspace& space) const {
    const core::pilot_buckets at(out_.buckets_, out_.skewed_ != 0);
    const auto words = core::pilot_buckets::words(attempt);
    const shards parts = parts_;
    space.rows.clear();
    space.starts.assign(out_.buckets_ * (last - first) + 2, 0);
    const auto add = [&, words](const Record& record) {
      const digest d = key_of(record);
      const std::uint64_t word = words(d).first();
      const std::uint64_t bucket = (parts.of(d) - first) * out_.buckets_ + at.bucket(word);
      space.rows.push_back({static_cast<std::uint32_t>(bucket), core::pilot_buckets::hash(word)});
      ++space.starts[bucket + 2];
    };
    if (last - first == 1)
      parts.for_each(keys, first, add);
    else
      shards(basic_spool<Record>::bin_bits).for_each(keys, first / (last - first), add);
    for (std::size_t i = 2; i < space.starts.size(); ++i) space.starts[i] += space.starts[i - 1];
    space.hashes.resize(space.rows.size());
    for (const row& r : space.rows) space.hashes[space.starts[r.bucket + 1]++] = r.hash;
  }

  [[nodiscard]] solve::pilot_search::outcome solve_part(std::uint64_t part, unsigned attempt,
                                                        std::uint64_t first_bucket,
                                                        workspace& space) {
    std::uint32_t* const taken = taken_.data() + part * taken_words();
    std::fill_n(taken, taken_words(), 0);
    out_.attempts_[part] = static_cast<std::uint8_t>(attempt);
    const auto starts =
        std::span<const std::uint32_t>(space.starts).subspan(first_bucket, out_.buckets_ + 1);
    return space.search.run(starts, space.hashes.data(), static_cast<std::uint32_t>(out_.slots_),
                            detail::remix(part, attempt),
                            std::is_same_v<Pilots, cells::byte_pilots>
                                ? solve::pilot_search::width::byte
                                : solve::pilot_search::width::any,
                            std::span(pilots_).subspan(part * out_.buckets_, out_.buckets_), taken);
  }

  // The k-th taken slot from keys_ on is remapped to the k-th empty slot before. An empty slot from
  // keys_ on repeats the entry before it, so the list stays monotone.
  void list_rest() {
    std::vector<std::uint64_t> empty, rest;
    rest.reserve(out_.all_slots() - out_.keys_);
    std::uint64_t slot = 0, used = 0;
    for (std::uint64_t part = 0; part < parts_.count(); ++part) {
      const std::uint32_t* const taken = taken_.data() + part * taken_words();
      for (std::uint64_t i = 0; i < out_.slots_; ++i, ++slot) {
        const bool is_taken = (taken[i / 32] >> i % 32 & 1) != 0;
        if (slot < out_.keys_) {
          if (!is_taken) empty.push_back(slot);
        } else {
          rest.push_back(is_taken ? empty[used++] : used == 0 ? 0 : empty[used - 1]);
        }
      }
    }
    out_.rest_ = cells::monotone(
        rest, out_.keys_, sizing::monotone_low_bits(rest.size(), out_.keys_), options_.memory);
  }

  [[nodiscard]] std::uint64_t taken_words() const noexcept {
    return detail::ceil_div(out_.slots_, 32);
  }

  engine& out_;
  const perfect_build_options& options_;
  shards parts_;
  std::vector<std::uint32_t> pilots_;
  std::vector<std::uint32_t> taken_;  // one bit per slot; every part starts at a word
};

template <class Pilots>
template <class Record>
basic_pthash<Pilots> basic_pthash<Pilots>::build(const basic_spool<Record>& keys,
                                                 const build_options& options) {
  return pilot_builder<Pilots>::build(keys, options);
}

}  // namespace umbel::core
