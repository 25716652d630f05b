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
  if (other.spilled() || spilled() || too_much || !other.binned()) {
    other.for_each(0, bins, [&](std::span<const Record> block) { add(block); });
  } else {
    if (!binned()) spread();
    const auto before = static_cast<std::uint32_t>(pieces_.size());
    pieces_.reserve(pieces_.size() + other.pieces_.size());
    slabs_.reserve(slabs_.size() + other.slabs_.size());
    for (bin& from : other.bins_) other.close(from);
    for (piece p : other.pieces_) {
      if (p.next != none) p.next += before;
      pieces_.push_back(p);
    }
    for (std::size_t i = 0; i < bins; ++i) {
      const bin& from = other.bins_[i];
      bin& to = bins_[i];
      close(to);
      if (from.blocks.first != none) {
        to.blocks.add(before + from.blocks.first, next_piece());
        to.blocks.last = before + from.blocks.last;
      }
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
  if (binned()) {
    for (std::size_t i = first; i < last; ++i) visit_bin(bins_[i], work, context);
  } else if (last - first == bins) {
    visit_bin(bins_[0], work, context);
  } else {
    std::vector<Record> in_range;
    this->for_each(0, bins, [&](std::span<const Record> block) {
      for (const Record& record : block)
        if (const auto i = bin_number(record); i >= first && i < last) in_range.push_back(record);
    });
    work(context, in_range);
  }
}

template <class Record>
void basic_spool<Record>::visit_bin(const bin& b, visitor work, void* context) const {
  const std::uint32_t opened = b.at == nullptr ? none : b.blocks.last;
  for (auto i = b.blocks.first; i != none && i != opened; i = pieces_[i].next)
    work(context, {pieces_[i].records, pieces_[i].used});
  if (b.spilled.first != none) {  // later than those in memory: at the limit all that fill go here
    std::vector<Record> scratch(full_block_);
    for (auto number = b.spilled.first; number != none; number = next_spilled_[number]) {
      file_->read(scratch.data(), block_bytes(), number * block_bytes());
      work(context, scratch);
    }
  }
  if (opened != none) work(context, {pieces_[opened].records, open(b)});
}

template <class Record>
std::vector<Record> basic_spool<Record>::sorted(std::size_t first, std::size_t last) const {
  std::vector<Record> all;
  all.reserve(count(first, last));
  this->for_each(first, last, [&](std::span<const Record> block) {
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

// The bin of a record, with room for it. Whatever throws here (a full disk, no memory) leaves all as
// it was.
template <class Record>
auto basic_spool<Record>::with_room(const Record& record) -> bin& {
  if (!binned() && size_ >= unbinned_most) spread();
  bin& b = bin_of(record);
  if (b.at == b.end) open_block(b);
  return b;
}

// From one list to bins.
template <class Record>
void basic_spool<Record>::spread() {
  basic_spool out(options_);
  out.bin_mask_ = bins - 1;
  this->for_each(0, bins, [&](std::span<const Record> block) { out.add(block); });
  *this = std::move(out);
}

template <class Record>
void basic_spool<Record>::open_block(bin& b) {
  // A quarter more at a time: what open blocks leave empty stays below an eighth of the whole.
  // Under a limit blocks are all alike, so that a spilled one is found by its number and its memory
  // serves the next.
  const bool limited = options_.memory_limit != 0;
  const std::uint32_t full = open(b);
  const std::uint64_t more = (b.filled + full) / (binned() ? 4 : 1);
  const std::size_t room = limited ? full_block_ : std::clamp<std::size_t>(more, 16, full_block_);
  if (full == full_block_ && at_limit(room)) {
    const std::uint32_t number = spill(pieces_[b.blocks.last].records);
    next_spilled_.resize(number + 1, none);
    b.spilled.add(number, next_spilled());
    b.at = pieces_[b.blocks.last].records;
  } else {
    Record* const memory = carve(room);
    pieces_.push_back({memory});
    if (full != 0) pieces_[b.blocks.last].used = full;
    b.blocks.add(static_cast<std::uint32_t>(pieces_.size() - 1), next_piece());
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
