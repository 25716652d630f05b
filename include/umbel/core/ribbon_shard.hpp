// ribbon_shard.hpp - builds one shard of one layer of a bumped ribbon, or of a plain ribbon.
// Idea       Records are scattered by bucket, buckets are filled from left to right, and inside a bucket classes of depth
//            from right to left. The first class that does not go in whole is bumped, with all that lie deeper.
// Invariant  What is bumped, which slots are taken and the solution depend on the set of records alone: inside a class
//            order is free, so nothing is sorted.
// Limits     Memory: 16 bytes per slot (32 with 128 coefficients), and a copy of the shard's records; or of as many as there
//            is room for, some buckets at a time, where the spool they come from has a limit. It is then read once for
//            each such part.
// Threads    One object per thread; shards share nothing.
// Source     [DHSW22]; [BLS24] for building pieces apart. Shards are ranges of digests instead of ranges of slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include <umbel/base/buffer.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/ribbon.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/index/ribbon.hpp>
#include <umbel/sizing/ribbon.hpp>
#include <umbel/solve/band.hpp>

namespace umbel::core {

// The bins of a spool that one shard reads.
struct ribbon_source {
  std::size_t first, last;
};

template <class Word, class Record>
class ribbon_shard {
 public:
  using spool = basic_spool<Record>;
  using slot = solve::band_slot<Word>;

  // So much room is for the records in work, and as much for those that are bumped.
  ribbon_shard(const sizing::ribbon_shape& shape, std::pmr::memory_resource* memory, const spool_options& room)
      : shape_(shape),
        values_(shape.form == sizing::ribbon_form::homogeneous ? 0 : ~std::uint64_t{0}),
        memory_(memory),
        most_(room.memory_limit / sizeof(Record)),
        bumped_(room) {}

  // One shard of a layer. Codes go to `codes`, one per bucket; keys that find no place go to bumped().
  template <class ValueOf>
  [[nodiscard]] outcome fill(const spool& keys, const ribbon_source& from, const index::ribbon& rows,
                             std::uint64_t slots, std::span<std::uint8_t> codes, ValueOf& value_of) {
    gather(keys, from, rows, slots);
    exceptions_.clear();
    for (std::uint64_t bucket = codes.size(); bucket-- > 0;) {
      split(bucket, rows, value_of);
      unsigned threshold = 0;
      while (threshold < shape_.classes && insert(classes_[threshold])) ++threshold;
      if (repeats_) return outcome::repeats;
      if (threshold < shape_.code_base) {
        exceptions_.push_back({bucket, insert_by_depth()});
        threshold = shape_.code_base;
      }
      for (unsigned c = threshold; c < shape_.classes; ++c) bump(classes_[c]);
      codes[bucket] = static_cast<std::uint8_t>(threshold - shape_.code_base);
    }
    return repeats_ ? outcome::repeats : outcome::solved;
  }

  // Plain: every key, or none.
  template <class ValueOf>
  [[nodiscard]] outcome fill_all(const spool& keys, const ribbon_source& from, const index::ribbon& rows,
                                 std::uint64_t slots, ValueOf& value_of) {
    gather(keys, from, rows, slots);
    for (std::uint64_t bucket = shape_.buckets(slots); bucket-- > 0;) {
      split(bucket, rows, value_of);
      for (auto& rows_of_class : classes_) {
        if (insert(rows_of_class)) continue;
        return repeats_ || given_twice(band_.refused()) ? outcome::repeats : outcome::stuck;
      }
    }
    return repeats_ ? outcome::repeats : outcome::solved;
  }

  // Chance decides about slots that no row has taken, else 0: strangers would pass where none is. `number` tells
  // shards apart.
  void draw_empty(std::uint64_t number) noexcept {
    const std::uint64_t salt = detail::remix(detail::salt_of(detail::stage::ribbon, empty_salt), number);
    auto* const all = reinterpret_cast<slot*>(slot_bytes_.data());
    for (std::uint64_t i = 0; i < slots_; ++i)
      if (all[i].coefficients == 0) all[i].value = detail::remix(salt, i);
  }
  // The solution of what was filled last, as solve::solve_columns lays it out.
  void solve(unsigned columns, std::uint64_t* blocks) const { solve::solve_columns(slots(), columns, blocks); }

  [[nodiscard]] const std::vector<ribbon_exception>& exceptions() const noexcept { return exceptions_; }
  [[nodiscard]] spool& bumped() noexcept { return bumped_; }

 private:
  using row = solve::band_row<Word>;

  [[nodiscard]] std::span<const slot> slots() const noexcept {
    return {reinterpret_cast<const slot*>(slot_bytes_.data()), slots_};
  }
  // Memory is kept from shard to shard.
  [[nodiscard]] std::byte* room(buffer& kept, std::uint64_t bytes) const {
    if (kept.size() < bytes) {
      kept = buffer();  // first, so that old and new are never held together
      kept = buffer::raw(bytes, memory_);
    }
    return kept.data();
  }

  // Counts the records of every bucket, and empties the slots.
  void gather(const spool& keys, const ribbon_source& from, const index::ribbon& rows, std::uint64_t slots) {
    slots_ = slots;
    auto* const first = reinterpret_cast<slot*>(room(slot_bytes_, slots * sizeof(slot)));
    std::fill_n(first, slots, slot{});
    band_ = solve::band<Word>(std::span(first, slots));
    last_start_ = shape_.starts(slots) - 1;
    repeats_ = false;
    from_ = {&keys, from};
    begins_.assign(shape_.buckets(slots) + 1, 0);
    each([&](const Record& record) { ++begins_[bucket_of(record, rows) + 1]; });
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    held_ = begins_.size() - 1;  // none yet
  }
  // Copies the records of this bucket, and of those before it as far as there is room, bucket by bucket.
  void hold(std::uint64_t bucket, const index::ribbon& rows) {
    const std::uint64_t end = begins_[bucket + 1];
    held_ = bucket;
    while (held_ > 0 && (most_ == 0 || end - begins_[held_ - 1] <= most_)) --held_;
    first_ = begins_[held_];
    records_ = reinterpret_cast<Record*>(room(record_bytes_, (end - first_) * sizeof(Record)));
    next_.assign(begins_.begin() + static_cast<std::ptrdiff_t>(held_),
                 begins_.begin() + static_cast<std::ptrdiff_t>(bucket + 1));
    each([&](const Record& record) {
      const std::uint64_t of = bucket_of(record, rows);
      if (of >= held_ && of <= bucket) records_[next_[of - held_]++ - first_] = record;
    });
  }
  [[nodiscard]] std::uint64_t bucket_of(const Record& record, const index::ribbon& rows) const noexcept {
    return rows.back(key_of(record)) >> shape_.bucket_bits;
  }
  template <class Work>
  void each(Work&& work) const {
    from_.keys->for_each(from_.bins.first, from_.bins.last, [&](std::span<const Record> block) {
      for (const Record& record : block) work(record);
    });
  }

  // The rows of a bucket, by class.
  template <class ValueOf>
  void split(std::uint64_t bucket, const index::ribbon& rows, ValueOf& value_of) {
    if (bucket < held_) hold(bucket, rows);
    bucket_ = {records_ + (begins_[bucket] - first_), records_ + (begins_[bucket + 1] - first_)};
    row* next[most_classes];
    for (unsigned c = 0; c < most_classes; ++c) {
      if (classes_[c].room.size() < bucket_.size()) classes_[c].room.resize(bucket_.size());
      next[c] = classes_[c].room.data();
    }
    const std::uint64_t mask = shape_.bucket() - 1;
    for (std::uint32_t i = 0; i < bucket_.size(); ++i) {
      const auto r = rows.at<Word>(key_of(bucket_[i]));
      const std::uint64_t depth = r.back & mask;
      const unsigned c = (depth >= shape_.bounds[1]) + (depth >= shape_.bounds[2]);
      const std::uint64_t value = value_of(bucket_[i]) & values_;
      *next[c]++ = {r.coefficients, value, static_cast<std::uint32_t>(last_start_ - r.back), i};
    }
    for (unsigned c = 0; c < most_classes; ++c)
      classes_[c].size = static_cast<std::size_t>(next[c] - classes_[c].room.data());
  }

  static constexpr std::uint64_t empty_salt = 0x20000;  // above the numbers of layers and attempts
  static constexpr unsigned most_classes = 3;
  struct class_rows {
    std::vector<row> room;
    std::size_t size = 0;
    [[nodiscard]] std::span<row> rows() noexcept { return {room.data(), size}; }
  };

  [[nodiscard]] bool insert(class_rows& all) { return insert(all.rows()); }
  [[nodiscard]] bool insert(std::span<const row> rows) {
    if (!band_.insert(rows)) return false;
    // The first repeat is enough: among copies of one key every row but one is redundant.
    for (const std::uint32_t owner : band_.redundant()) repeats_ = repeats_ || given_twice(owner);
    return true;
  }
  // Copies of a key are in one bucket.
  [[nodiscard]] bool given_twice(std::uint32_t owner) const noexcept {
    const digest key = key_of(bucket_[owner]);
    return std::count_if(bucket_.begin(), bucket_.end(), [&](const Record& r) { return key_of(r) == key; }) > 1;
  }
  void bump(class_rows& all) { bump(all.rows()); }
  void bump(std::span<const row> rows) {
    for (const row& r : rows) bumped_.add(bucket_[r.owner]);
  }
  // The lowest class did not go in whole: depth by depth, then, until one fails. One bucket in a hundred comes here.
  [[nodiscard]] std::uint64_t insert_by_depth() {
    const std::span<row> rows = classes_[0].rows();
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.start > b.start; });
    for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
      while (last < rows.size() && rows[last].start == rows[first].start) ++last;
      if (insert(rows.subspan(first, last - first))) continue;
      bump(rows.subspan(first));
      return (last_start_ - rows[first].start) & (shape_.bucket() - 1);
    }
    return shape_.bounds[1];  // not reached: the class would have gone in whole
  }

  sizing::ribbon_shape shape_;
  std::uint64_t values_;  // the bits of values that count: all, or none
  std::pmr::memory_resource* memory_;
  buffer slot_bytes_, record_bytes_;
  std::uint64_t slots_ = 0;
  std::uint64_t last_start_ = 0;
  struct {
    const spool* keys;
    ribbon_source bins;
  } from_{};
  std::uint64_t most_;                        // records held at a time, but for a bucket that has more; 0: all
  std::uint64_t held_ = 0;                    // the first bucket whose records are held
  std::uint64_t first_ = 0;                   // number of its first record
  Record* records_ = nullptr;                 // from that one on
  std::vector<std::uint64_t> begins_, next_;  // where buckets begin; where the next record of each goes
  std::span<const Record> bucket_;            // the one in work
  class_rows classes_[most_classes];
  solve::band<Word> band_{std::span<slot>()};
  bool repeats_ = false;
  std::vector<ribbon_exception> exceptions_;
  spool bumped_;
};

}  // namespace umbel::core
