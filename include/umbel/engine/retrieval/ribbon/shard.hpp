// shard.hpp - builds one shard of one layer of a bumped ribbon [DHSW22], or of a plain ribbon.
//
// Buckets are filled from left to right; within a bucket, classes of depth from right to left. The
// first class that does not fit completely is bumped, with all deeper ones. Records are sorted into
// classes in two steps: all records of the shard by group (adjacent buckets whose rows fit into a
// core's own cache), then the rows of the next group by bucket and class. One step to so many
// places would wait for memory at every record.
//
// Invariant  The bumped keys, the slots used and the solution depend only on the set of records.
//            The order within a class does not matter, so classes are not sorted.
// Limits     Memory: 16 bytes per slot (32 with 128 coefficients), and a copy of the shard's
//            records; or, if their spool has a memory limit, of as many groups as there is room
//            for. The spool is then read once for each such part.
// Threads    One object per thread; shards share nothing.
// Source     [DHSW22]; [BLS24] for solving pieces separately. Shards are ranges of digests instead
//            of ranges of slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include <umbel/base/buffer.hpp>
#include <umbel/core/outcome.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/engine/retrieval/ribbon/ribbon.hpp>
#include <umbel/engine/retrieval/ribbon/row.hpp>
#include <umbel/sizing/ribbon.hpp>
#include <umbel/solve/band.hpp>
#include <umbel/solve/band_span.hpp>

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

  // `room` limits the records being worked on, and separately the bumped ones.
  ribbon_shard(const sizing::ribbon_shape& shape, std::pmr::memory_resource* memory,
               const spool_options& room)
      : shape_(shape),
        values_(shape.form == sizing::ribbon_form::homogeneous ? 0 : ~std::uint64_t{0}),
        memory_(memory),
        most_(room.memory_limit / sizeof(Record)),
        bumped_(room) {}

  // One shard of a layer. Writes one code per bucket to `codes`; keys that do not fit go to
  // bumped().
  template <class ValueOf>
  [[nodiscard]] outcome fill(const spool& keys, const ribbon_source& from,
                             const core::ribbon_row& rows, std::uint64_t slots,
                             std::span<std::uint8_t> codes, ValueOf& value_of) {
    gather(keys, from, rows, slots);
    exceptions_.clear();
    for (std::uint64_t bucket = codes.size(); bucket-- > 0;) {
      enter(bucket, rows, value_of);
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

  // A plain ribbon: inserts all keys, or fails.
  template <class ValueOf>
  [[nodiscard]] outcome fill_all(const spool& keys, const ribbon_source& from,
                                 const core::ribbon_row& rows, std::uint64_t slots,
                                 ValueOf& value_of) {
    gather(keys, from, rows, slots);
    for (std::uint64_t bucket = shape_.buckets(slots); bucket-- > 0;) {
      enter(bucket, rows, value_of);
      for (const std::span<row> of_class : classes_) {
        if (insert(of_class)) continue;
        return repeats_ || given_twice(of_class, band_.refused()) ? outcome::repeats
                                                                  : outcome::stuck;
      }
    }
    return repeats_ ? outcome::repeats : outcome::solved;
  }

  // The share of random rows, drawn like those of keys, that are sums of the rows inserted last.
  [[nodiscard]] double share_of_sums(const core::ribbon_row& rows) const {
    return solve::span_share(std::span<const slot>(first_slot_, slots_),
                             [&](std::uint64_t start) { return rows.share(last_start_ - start); });
  }
  // Sets the slots that no row uses to random values. With 0, non-members whose runs lie there
  // would pass. `number` distinguishes shards.
  void draw_empty(std::uint64_t number) noexcept {
    const std::uint64_t salt =
        detail::remix(detail::salt_of(detail::stage::ribbon, empty_salt), number);
    for (std::uint64_t i = 0; i < slots_; ++i)
      if (first_slot_[i].coefficients == 0) first_slot_[i].value = detail::remix(salt, i);
  }
  // The solution for the rows inserted last, in the layout of solve::solve_columns.
  void solve(unsigned columns, std::uint64_t* blocks) const {
    solve::solve_columns(std::span<const slot>(first_slot_, slots_), columns, blocks);
  }

  [[nodiscard]] const std::vector<ribbon_exception>& exceptions() const noexcept {
    return exceptions_;
  }
  [[nodiscard]] spool& bumped() noexcept { return bumped_; }

 private:
  using row = solve::band_row<Word>;

  // Memory is reused from shard to shard.
  [[nodiscard]] std::byte* room(buffer& kept, std::uint64_t bytes) const {
    if (kept.size() < bytes) {
      kept = buffer();  // first, so that old and new are never held together
      kept = buffer::raw(bytes, memory_);
    }
    return kept.data();
  }

  // Counts the records of every group.
  void gather(const spool& keys, const ribbon_source& from, const core::ribbon_row& rows,
              std::uint64_t slots) {
    slots_ = slots;
    first_slot_ = reinterpret_cast<slot*>(room(slot_bytes_, slots * sizeof(slot)));
    cleared_ = 0;
    band_ = solve::band<Word>(std::span(first_slot_, slots));
    last_start_ = shape_.starts(slots) - 1;
    repeats_ = false;
    from_ = {&keys, from};
    const std::uint64_t buckets = shape_.buckets(slots);
    const std::uint64_t together = most_ == 0 ? group_records : std::min(group_records, most_ / 8);
    group_shift_ = shape_.bucket_bits;
    for (std::uint64_t mean = keys.count(from.first, from.last) / buckets;
         2 * mean <= together && mean != 0; mean *= 2)
      ++group_shift_;
    begins_.assign((last_start_ >> group_shift_) + 2, 0);
    each([&](const Record& record) { ++begins_[group_of(record, rows) + 1]; });
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    group_ = held_ = begins_.size() - 1;  // none yet
  }
  // Copies the records of this group and of as many groups before it as there is room for, group by
  // group.
  void hold(std::uint64_t group, const core::ribbon_row& rows) {
    const std::uint64_t end = begins_[group + 1];
    held_ = group;
    while (held_ > 0 && (most_ == 0 || end - begins_[held_ - 1] <= most_)) --held_;
    held_from_ = begins_[held_];
    records_ = reinterpret_cast<Record*>(room(record_bytes_, (end - held_from_) * sizeof(Record)));
    next_.clear();
    for (std::uint64_t g = held_; g <= group; ++g)
      next_.push_back(records_ + (begins_[g] - held_from_));
    each([&](const Record& record) {
      const std::uint64_t of = group_of(record, rows);
      if (of >= held_ && of <= group) *next_[of - held_]++ = record;
    });
  }
  [[nodiscard]] std::uint64_t group_of(const Record& record,
                                       const core::ribbon_row& rows) const noexcept {
    return rows.back(key_of(record)) >> group_shift_;
  }
  template <class Work>
  void each(Work&& work) const {
    from_.keys->for_each(from_.bins.first, from_.bins.last, [&](std::span<const Record> block) {
      for (const Record& record : block) work(record);
    });
  }

  // Enters a bucket: `classes_` become its rows.
  template <class ValueOf>
  void enter(std::uint64_t bucket, const core::ribbon_row& rows, ValueOf& value_of) {
    const unsigned shift = group_shift_ - shape_.bucket_bits;
    if (const std::uint64_t group = bucket >> shift; group != group_) split(group, rows, value_of);
    const std::uint32_t* const from =
        &row_begins_[(bucket & detail::low_mask(shift)) * max_classes];
    for (unsigned c = 0; c < max_classes; ++c) classes_[c] = {rows_ + from[c], rows_ + from[c + 1]};
  }
  // Sorts the rows of a group by bucket and class.
  template <class ValueOf>
  void split(std::uint64_t group, const core::ribbon_row& rows, ValueOf& value_of) {
    if (group < held_) hold(group, rows);
    group_ = group;
    in_work_ = {records_ + (begins_[group] - held_from_),
                records_ + (begins_[group + 1] - held_from_)};
    clear_to(last_start_ - (group << group_shift_) + shape_.width);
    const auto cell_of = [places = detail::low_mask(group_shift_), depths = shape_.bucket() - 1,
                          bucket_bits = shape_.bucket_bits, one = shape_.bounds[1],
                          two = shape_.bounds[2]](std::uint64_t back) {
      const std::uint64_t depth = back & depths;
      return ((back & places) >> bucket_bits) * max_classes + (depth >= one) + (depth >= two);
    };
    row_begins_.assign((std::size_t{1} << (group_shift_ - shape_.bucket_bits)) * max_classes + 2,
                       0);
    for (const Record& record : in_work_) ++row_begins_[cell_of(rows.back(key_of(record))) + 2];
    for (std::size_t i = 2; i < row_begins_.size(); ++i) row_begins_[i] += row_begins_[i - 1];
    rows_ = reinterpret_cast<row*>(room(row_bytes_, in_work_.size() * sizeof(row)));
    for (std::uint32_t i = 0; i < in_work_.size(); ++i) {
      const auto r = rows.at<Word>(key_of(in_work_[i]));
      // the begin of the next cell's rows becomes its end
      rows_[row_begins_[cell_of(r.back) + 1]++] = {r.coefficients, value_of(in_work_[i]) & values_,
                                                   static_cast<std::uint32_t>(last_start_ - r.back),
                                                   i};
    }
  }
  // Clears slots just before rows are inserted there, while they are in the cache for nothing else.
  void clear_to(std::uint64_t end) noexcept {
    std::fill(first_slot_ + cleared_, first_slot_ + end, slot{});
    cleared_ = end;
  }

  static constexpr std::uint64_t empty_salt = 0x20000;  // above the numbers of layers and attempts
  static constexpr unsigned max_classes = 3;
  static constexpr std::uint64_t group_records = 8192;  // at most, on average

  [[nodiscard]] bool insert(std::span<const row> rows) {
    if (!band_.insert(rows)) return false;
    // One duplicate is enough: among copies of one key every row but one is redundant.
    for (const std::uint32_t owner : band_.redundant())
      repeats_ = repeats_ || given_twice(rows, owner);
    return true;
  }
  // Whether the key occurs twice among rows that are inserted together, as copies of a key are.
  [[nodiscard]] bool given_twice(std::span<const row> rows, std::uint32_t owner) const noexcept {
    const digest key = key_of(in_work_[owner]);
    return std::count_if(rows.begin(), rows.end(),
                         [&](const row& r) { return key_of(in_work_[r.owner]) == key; }) > 1;
  }
  void bump(std::span<const row> rows) {
    for (const row& r : rows) bumped_.add(in_work_[r.owner]);
  }
  // The lowest class did not fit completely: inserts it depth by depth until one depth fails.
  // Happens for one bucket in a hundred.
  [[nodiscard]] std::uint64_t insert_by_depth() {
    const std::span<row> rows = classes_[0];
    std::sort(rows.begin(), rows.end(),
              [](const row& a, const row& b) { return a.start > b.start; });
    for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
      while (last < rows.size() && rows[last].start == rows[first].start) ++last;
      if (insert(rows.subspan(first, last - first))) continue;
      bump(rows.subspan(first));
      return (last_start_ - rows[first].start) & (shape_.bucket() - 1);
    }
    return shape_.bounds[1];  // not reached: the class would have fitted completely
  }

  sizing::ribbon_shape shape_;
  std::uint64_t values_;  // mask of the values' bits: all, or none
  std::pmr::memory_resource* memory_;
  buffer slot_bytes_, record_bytes_, row_bytes_;
  slot* first_slot_ = nullptr;
  std::uint64_t slots_ = 0;
  std::uint64_t cleared_ = 0;  // slots cleared so far
  std::uint64_t last_start_ = 0;
  struct {
    const spool* keys;
    ribbon_source bins;
  } from_{};
  unsigned group_shift_ = 0;           // from the back of a start to its group
  std::vector<std::uint64_t> begins_;  // records of all groups before each
  // records held at a time, but for a group that has more; 0: all
  std::uint64_t most_;
  std::uint64_t held_ = 0;                 // the first group whose records are held
  std::uint64_t held_from_ = 0;            // number of its first record
  Record* records_ = nullptr;              // from that one on
  std::vector<Record*> next_;              // where the next record of each group that is held goes
  std::uint64_t group_ = 0;                // the one in work
  std::span<const Record> in_work_;        // its records
  row* rows_ = nullptr;                    // its rows
  std::vector<std::uint32_t> row_begins_;  // where those of each class of each bucket begin
  std::span<row> classes_[max_classes];    // of the bucket in work
  solve::band<Word> band_{std::span<slot>()};
  bool repeats_ = false;
  std::vector<ribbon_exception> exceptions_;
  spool bumped_;
};

}  // namespace umbel::core
