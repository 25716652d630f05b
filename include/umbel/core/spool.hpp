// spool.hpp - keys on their way into a static build: hashed, binned by the top 8 bits of `hi`, in
// memory or on disk.
// Idea       A static build needs all keys at once but works on one shard at a time. Bins are
//            aligned ranges of digests, so a shard is a few bins, or a part of one; what does not
//            fit the memory limit waits in an unnamed temporary file.
// Layout     256 bins, each a list of blocks of records, cut from common slabs. Blocks grow to 64
//            KiB; spilled ones are all of one size and lie one after another in one file, in the
//            order they filled.
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
#include <umbel/hash/digest.hpp>

namespace umbel {

struct spool_options {
  std::uint64_t memory_limit = 0;  // bytes of records held in memory; 0: all of them
  std::string directory{};         // for the temporary file; empty: TMPDIR, or /tmp
};

namespace core {

// A key and its value, on the way into a map.
struct valued {
  digest key;
  std::uint64_t value = 0;
  friend auto operator<=>(const valued&, const valued&) = default;
};
[[nodiscard]] inline digest key_of(const digest& d) noexcept { return d; }
[[nodiscard]] inline digest key_of(const valued& v) noexcept { return v.key; }
[[nodiscard]] inline std::uint64_t value_of(const digest&) noexcept { return 0; }
[[nodiscard]] inline std::uint64_t value_of(const valued& v) noexcept { return v.value; }

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
class basic_spool {
 public:
  static constexpr unsigned bin_bits = 8;
  static constexpr std::size_t bins = std::size_t{1} << bin_bits;

  explicit basic_spool(spool_options options = {}) : options_(std::move(options)) {
    if (options_.memory_limit != 0) {  // all open blocks together take half of the limit
      full_block_ = std::clamp<std::size_t>(options_.memory_limit / (2 * bins) / sizeof(Record), 8,
                                            full_block_);
      full_slab_ = std::clamp<std::size_t>(options_.memory_limit / 8 / sizeof(Record), full_block_,
                                           full_slab_);
    }
  }

  // An empty one that keeps to the same limit, in the same directory.
  [[nodiscard]] basic_spool emptied() const { return basic_spool(options_); }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool spilled() const noexcept { return file_.has_value(); }
  [[nodiscard]] const spool_options& options() const noexcept { return options_; }

  void add(const Record& record) {
    bin& b = bins_[key_of(record).hi >> (64 - bin_bits)];
    if (b.at == b.end) [[unlikely]]
      open_block(b);
    *b.at++ = record;
    // The line after this one: records come to so many places that no processor foresees it.
    detail::prefetch_write(reinterpret_cast<const std::byte*>(b.at) + buffer::line);
    ++size_;
  }
  void add(std::span<const Record> records) {
    for (const Record& record : records) add(record);
  }

  // Takes over the records of another writer.
  void append(basic_spool&& other);

  [[nodiscard]] std::uint64_t count(std::size_t first, std::size_t last) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += bins_[i].filled + bins_[i].open();
    return sum;
  }

  // work(span of records) for every block of bins [first, last), in the order they were added to
  // each bin.
  template <class Work>
  void for_each(std::size_t first, std::size_t last, Work&& work) const {
    visit(
        first, last,
        [](void* context, std::span<const Record> block) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(block);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

  // The records of one bin, in order and without repeats.
  [[nodiscard]] std::vector<Record> sorted_bin(std::size_t i) const;

  // work(span of records) for every bin, in order and without repeats: all records of a key lie
  // side by side.
  template <class Work>
  void for_each_sorted(unsigned threads, Work&& work) const {
    const std::size_t step = std::max(1U, threads);
    // a few bins at a time: memory stays bounded
    for (std::size_t first = 0; first < bins; first += step) {
      std::vector<std::vector<Record>> sorted(std::min(step, bins - first));
      detail::parallel_for(sorted.size(), threads,
                           [&](std::size_t i) { sorted[i] = sorted_bin(first + i); });
      for (const auto& records : sorted) work(std::span<const Record>(records));
    }
  }

  // The same records without repeats, in order; throws digest_conflict when one key has two values.
  [[nodiscard]] basic_spool distinct(unsigned threads = 1) const;

 private:
  struct piece {
    Record* records = nullptr;  // in a slab
    std::size_t used = 0;       // set when the block is closed
  };
  struct bin {
    std::vector<piece> blocks;           // in memory
    std::vector<std::uint32_t> spilled;  // full blocks in the file, by number
    std::uint64_t filled = 0;            // records in closed blocks
    // next record of the open block, which is the last; null: none is open
    Record* at = nullptr;
    Record* end = nullptr;
    [[nodiscard]] std::size_t open() const noexcept {  // records in the open block
      return at == nullptr ? 0 : static_cast<std::size_t>(at - blocks.back().records);
    }
    void close() noexcept {
      if (at == nullptr) return;
      filled += blocks.back().used = open();
      at = end = nullptr;
    }
  };

  using visitor = void (*)(void* context, std::span<const Record> block);
  void visit(std::size_t first, std::size_t last, visitor work, void* context) const;

  [[gnu::noinline]] void open_block(bin& b);
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
  std::array<bin, bins> bins_;
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

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/core/spool.ipp>
#endif
