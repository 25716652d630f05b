// spool.ipp - bodies of spool.hpp: blocks and slabs, and going through what is in them.
// Idea       Members of a template, but of two records, for which the library has them. Whoever
//            spools others includes this file.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/buffer.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

template <class Record>
void basic_spool<Record>::append(basic_spool&& other) {
  const bool too_much = options_.memory_limit != 0 && held_ + other.held_ > options_.memory_limit;
  if (other.spilled() || spilled() || too_much) {
    for (std::size_t i = 0; i < bins; ++i)
      other.for_each(i, i + 1, [&](std::span<const Record> block) { add(block); });
  } else {
    for (std::size_t i = 0; i < bins; ++i) {
      bin& from = other.bins_[i];
      bin& to = bins_[i];
      from.close();
      to.close();
      to.blocks.insert(to.blocks.end(), from.blocks.begin(), from.blocks.end());
      to.filled += from.filled;
    }
    for (buffer& slab : other.slabs_) slabs_.push_back(std::move(slab));
    size_ += other.size_;
    held_ += other.held_;
  }
  other = basic_spool(other.options_);
}

template <class Record>
void basic_spool<Record>::visit(std::size_t first, std::size_t last, visitor work,
                                void* context) const {
  std::vector<Record> scratch;
  for (std::size_t i = first; i < last; ++i) {
    const bin& b = bins_[i];
    const std::size_t closed = b.blocks.size() - (b.at != nullptr);
    for (std::size_t j = 0; j < closed; ++j) work(context, {b.blocks[j].records, b.blocks[j].used});
    scratch.resize(b.spilled.empty() ? 0 : full_block_);
    // later than those in memory: at the limit all that fill go here
    for (const std::uint64_t number : b.spilled) {
      file_->read(scratch.data(), block_bytes(), number * block_bytes());
      work(context, scratch);
    }
    if (b.at != nullptr) work(context, {b.blocks.back().records, b.open()});
  }
}

template <class Record>
std::vector<Record> basic_spool<Record>::sorted_bin(std::size_t i) const {
  std::vector<Record> all;
  all.reserve(count(i, i + 1));
  for_each(i, i + 1, [&](std::span<const Record> block) {
    all.insert(all.end(), block.begin(), block.end());
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

template <class Record>
basic_spool<Record> basic_spool<Record>::distinct(unsigned threads) const {
  basic_spool out(options_);
  for_each_sorted(threads, [&](std::span<const Record> all) {
    if constexpr (std::same_as<Record, valued>) {
      const auto clash = std::adjacent_find(all.begin(), all.end(),
                                            [](auto& a, auto& b) { return a.key == b.key; });
      if (clash != all.end()) throw digest_conflict(clash[0], clash[1]);
    }
    out.add(all);
  });
  return out;
}

// Whatever throws here (a full disk, no memory) leaves the bin as it was.
template <class Record>
void basic_spool<Record>::open_block(bin& b) {
  // A quarter more at a time: what open blocks leave empty stays below an eighth of the whole.
  // Under a limit blocks are all alike, so that a spilled one is found by its number and its memory
  // serves the next.
  const bool limited = options_.memory_limit != 0;
  const std::size_t full = b.open();
  const std::size_t room =
      limited ? full_block_ : std::clamp<std::size_t>((b.filled + full) / 4, 16, full_block_);
  if (full == full_block_ && at_limit(room)) {
    b.spilled.push_back(spill(b.blocks.back().records));
    b.at = b.blocks.back().records;
  } else {
    Record* const memory = carve(room);
    b.blocks.push_back({memory});
    if (full != 0) b.blocks[b.blocks.size() - 2].used = full;
    b.at = memory;
    b.end = memory + room;
  }
  b.filled += full;
}

template <class Record>
std::uint32_t basic_spool<Record>::spill(const Record* block) {
  if (!file_) file_.emplace(options_.directory);
  return static_cast<std::uint32_t>(file_->append(block, block_bytes()) / block_bytes());
}

// Blocks of all bins lie together in slabs on huge pages: 256 open blocks on as many small pages
// would miss the TLB at every record.
template <class Record>
Record* basic_spool<Record>::carve(std::size_t room) {
  if (left_ < room) {
    left_ = at_limit(room) ? room : std::max(room, next_slab_);
    slabs_.push_back(buffer::raw(left_ * sizeof(Record)));
    free_ = reinterpret_cast<Record*>(slabs_.back().data());
    held_ += left_ * sizeof(Record);
    next_slab_ = std::min(full_slab_, 2 * next_slab_);
  }
  left_ -= room;
  return std::exchange(free_, free_ + room);
}

#if defined(UMBEL_BODIES)
template class basic_spool<digest>;
template class basic_spool<valued>;
#endif

}  // namespace umbel::core
