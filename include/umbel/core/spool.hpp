// spool.hpp - keys on their way into a static build: hashed, binned by the top 8 bits of `hi`, in
// memory or on disk.
// Idea       A static build needs all keys at once but works on one shard at a time. Bins are
//            aligned ranges of digests, so a shard is a few bins, or a part of one; what does not
//            fit the memory limit waits in an unnamed temporary file.
// Layout     256 bins, each a list of blocks of records, cut from common slabs. Blocks grow to 64
//            KiB; spilled ones are all of one size and lie one after another in one file, in the
//            order they filled. The first few thousand records lie in one list: so few are told
//            apart when they are read.
// Invariant  Which record lies in which bin depends on its digest alone; no build depends on the
//            order inside a bin.
// Threads    One writer. Any number of readers once writing is over. `append` joins the spools of
//            several writers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/buffer.hpp>
#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/scratch_file.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/record_source.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel {

struct spool_options {
  std::uint64_t memory_limit = 0;  // bytes of records held in memory; 0: all of them
  std::string directory{};         // for the temporary file; empty: TMPDIR, or /tmp
};

namespace core {

// One key with two values; a face that still has the keys turns it into an error that names the
// key.
struct digest_conflict : conflict {
  digest_conflict(const valued& a, const valued& b)
      : conflict(detail::text("one key was given with two values, ", a.value, " and ", b.value)),
        key(a.key),
        first(a.value),
        second(b.value) {}
  digest key;
  std::uint64_t first, second;
};

template <class Record>
class basic_spool final : public record_source<Record> {
 public:
  using record_source<Record>::bin_bits, record_source<Record>::bins;

  explicit basic_spool(spool_options options = {}) : options_(std::move(options)) {
    if (options_.memory_limit != 0) {  // all open blocks together take half of the limit
      full_block_ = std::clamp<std::size_t>(options_.memory_limit / (2 * bins) / sizeof(Record), 8,
                                            full_block_);
      full_slab_ = std::clamp<std::size_t>(options_.memory_limit / 8 / sizeof(Record), full_block_,
                                           full_slab_);
      bin_mask_ = bins - 1;
    }
  }

  // An empty one that keeps to the same limit, in the same directory.
  [[nodiscard]] basic_spool emptied() const { return basic_spool(options_); }
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] bool spilled() const noexcept { return file_.has_value(); }
  [[nodiscard]] const spool_options& options() const noexcept { return options_; }

  void add(const Record& record) {
    bin* b = &bin_of(record);
    if (b->at == b->end) [[unlikely]]
      b = &with_room(record);
    *b->at++ = record;
    // The line after this one: records come to so many places that no processor foresees it.
    detail::prefetch_write(reinterpret_cast<const std::byte*>(b->at) + buffer::line);
    ++size_;
  }
  void add(std::span<const Record> records) {
    for (const Record& record : records) add(record);
  }

  // Takes over the records of another writer.
  void append(basic_spool&& other);

  [[nodiscard]] std::uint64_t count(std::size_t first, std::size_t last) const override {
    if (first == 0 && last == bins) return size_;
    std::uint64_t sum = 0;
    if (!binned())
      for_each(first, last, [&](std::span<const Record> block) { sum += block.size(); });
    else
      for (std::size_t i = first; i < last; ++i) sum += bins_[i].filled + open(bins_[i]);
    return sum;
  }

  // Blocks of a bin come in the order in which they were added.
  using record_source<Record>::for_each;

  // The records of one bin, in order and without repeats.
  [[nodiscard]] std::vector<Record> sorted_bin(std::size_t i) const { return sorted(i, i + 1); }

  // work(span of records) for every bin, in order and without repeats: all records of a key lie
  // side by side.
  template <class Work>
  void for_each_sorted(unsigned threads, Work&& work) const {
    if (!binned()) {
      const std::vector<Record> all = sorted(0, bins);
      return work(std::span<const Record>(all));
    }
    const std::size_t step = std::max(1U, threads);
    // a few bins at a time: memory stays bounded
    for (std::size_t first = 0; first < bins; first += step) {
      std::vector<std::vector<Record>> some(std::min(step, bins - first));
      detail::parallel_for(some.size(), threads,
                           [&](std::size_t i) { some[i] = sorted_bin(first + i); });
      for (const auto& records : some) work(std::span<const Record>(records));
    }
  }

  // The same records without repeats, in order; throws digest_conflict when one key has two values.
  [[nodiscard]] basic_spool distinct(unsigned threads = 1) const override;

 private:
  static constexpr std::uint64_t unbinned_most = 4096;  // records in one list
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Blocks are numbered, and those of a bin chained, so that bins need no memory of their own.
  struct chain {
    std::uint32_t first = none, last = none;
    // `next_of(number)` is where the number of the block after it stands.
    template <class NextOf>
    void add(std::uint32_t number, NextOf&& next_of) {
      (last == none ? first : next_of(last)) = number;
      last = number;
    }
  };
  struct piece {
    Record* records;         // in a slab
    std::uint32_t used = 0;  // set when the block is closed
    std::uint32_t next = none;
  };
  struct bin {
    chain blocks;              // in memory, of pieces_
    chain spilled;             // full blocks in the file
    std::uint64_t filled = 0;  // records in closed blocks
    // next record of the open block, which is the last; null: none is open
    Record* at = nullptr;
    Record* end = nullptr;
  };

  [[nodiscard]] static std::size_t bin_number(const Record& record) noexcept {
    return key_of(record).hi >> (64 - bin_bits);
  }
  [[nodiscard]] bool binned() const noexcept { return bin_mask_ != 0; }
  [[nodiscard]] bin& bin_of(const Record& record) noexcept {
    return bins_[bin_number(record) & bin_mask_];
  }
  // Where the number of the block after this one stands.
  [[nodiscard]] auto next_piece() noexcept {
    return [this](std::uint32_t i) -> std::uint32_t& { return pieces_[i].next; };
  }
  [[nodiscard]] auto next_spilled() noexcept {
    return [this](std::uint32_t i) -> std::uint32_t& { return next_spilled_[i]; };
  }
  [[nodiscard]] std::uint32_t open(const bin& b) const noexcept {  // records in the open block
    return b.at == nullptr ? 0 : static_cast<std::uint32_t>(b.at - pieces_[b.blocks.last].records);
  }
  void close(bin& b) noexcept {
    if (b.at == nullptr) return;
    b.filled += pieces_[b.blocks.last].used = open(b);
    b.at = b.end = nullptr;
  }

  using typename record_source<Record>::visitor;
  void visit(std::size_t first, std::size_t last, visitor work, void* context) const override;

  void visit_bin(const bin& b, visitor work, void* context) const;
  [[nodiscard]] std::vector<Record> sorted(std::size_t first, std::size_t last) const;

  [[gnu::noinline]] bin& with_room(const Record& record);
  void open_block(bin& b);
  void spread();
  [[nodiscard]] std::uint32_t spill(const Record* block);
  [[nodiscard]] Record* carve(std::size_t room);
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return full_block_ * sizeof(Record); }
  [[nodiscard]] bool at_limit(std::size_t room) const noexcept {
    return options_.memory_limit != 0 && left_ < room &&
           held_ + next_slab_ * sizeof(Record) > options_.memory_limit;
  }

  spool_options options_;
  std::size_t full_block_ = (std::size_t{64} << 10) / sizeof(Record);
  std::size_t full_slab_ = 2 * buffer::huge_from / sizeof(Record);
  std::size_t next_slab_ = 1024;
  std::uint64_t bin_mask_ = 0;  // 0: all records lie in the first
  std::array<bin, bins> bins_;
  std::vector<piece> pieces_;
  std::vector<std::uint32_t> next_spilled_;  // of every block in the file
  std::optional<detail::scratch_file> file_;
  std::uint64_t size_ = 0;
  std::uint64_t held_ = 0;  // bytes of slabs
  std::vector<buffer> slabs_;
  Record* free_ = nullptr;  // the rest of the last slab
  std::size_t left_ = 0;
};

}  // namespace core

using digest_spool = core::basic_spool<digest>;      // what a set is built from
using pair_spool = core::basic_spool<core::valued>;  // what a map is built from
// The same for builds that may read keys where they lie.
using digest_source = core::record_source<digest>;
using pair_source = core::record_source<core::valued>;

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/core/spool.ipp>
#endif
