// quotient_table.hpp - rank-and-select quotient filter (RSQF) [PBJP17]: the table of quotient
// filters.
//
// A multiset of (home, value) in w + 2.125 bits per slot. Values of one home form a run; runs are
// kept in the order of their homes by linear probing. Two bits per slot locate them: a home bit
// marks homes that have a run, an end bit marks the last slot of each run. The run of the i-th home
// that has one ends at the i-th end bit (rank, then select). An insert shifts the slots between its
// place and the next free slot, which is where as many runs have ended as begun; an erase shifts
// back values that are not in their home slot. Both shift whole words.
//
// Layout     A ring of blocks of 64 slots, which are as many homes. A block is 8w bytes of packed
//            values, 8 bytes of home bits, 8 bytes of end bits and one byte, the offset: how many
//            slots from its first on belong to runs of earlier homes. 255 means that many or more:
//            the previous block then resolves it.
// Invariant  Values of a run are sorted, unused slots are 0: bytes are a function of the multiset.
//            At least one slot in 20 is free, so some offset is always below 64 and the search for
//            a true one ends.
// Limits     More than 255 copies of one value, or nearly so, make queries near them walk from
//            block to block. Content that no insert made gives some answer, in time proportional to
//            the table at worst, and never reads outside it.
// Threads    Many readers or one writer.
// Differs    In [PBJP17] the table is not a ring, and offsets do not saturate.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include <umbel/base/buffer.hpp>
#include <umbel/base/config.hpp>
#include <umbel/base/endian.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/kernel/word_bits.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel::core {

class quotient_table {
 public:
  static constexpr unsigned block_slots = sizing::quotient_block_slots;
  // a value is read with one load, wherever its first bit lies
  static constexpr unsigned max_width = 56;

  quotient_table() : quotient_table(1, 1) {}
  quotient_table(std::uint64_t blocks, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : blocks_(blocks),
        width_(width),
        mask_(detail::low_mask(width)),
        bytes_(blocks * block_bytes(width), memory) {}

  [[nodiscard]] static constexpr std::uint64_t block_bytes(unsigned width) noexcept {
    return 8 * width + 17;
  }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t slots() const noexcept { return blocks_ * block_slots; }  // and homes
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  [[nodiscard]] std::uint64_t room() const noexcept {
    return sizing::quotient_room(slots());
  }  // the most that may be used
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return bytes_.size() * 8; }
  [[nodiscard]] std::pmr::memory_resource* memory() const noexcept {
    return bytes_.bytes().memory();
  }
  void clear() noexcept {
    bytes_.clear();
    used_ = 0;
  }

  // The home of a word and the `width` bits that follow: the high part of word * slots, and the
  // bits below it.
  struct spot {
    std::uint64_t home, value;
  };
  [[nodiscard]] spot locate(std::uint64_t word, unsigned width) const noexcept {
    const detail::uint128 product = static_cast<detail::uint128>(word) * slots();
    return {static_cast<std::uint64_t>(product >> 64),
            static_cast<std::uint64_t>(product) >> (64 - width)};
  }
  // The same for a word of 128 bits, for values longer than the first 64 bits allow.
  [[nodiscard]] spot locate(const detail::remixed& word, unsigned width) const noexcept {
    const detail::uint128 product = static_cast<detail::uint128>(word.first()) * slots() +
                                    detail::high_product(word.second(), slots());
    return {static_cast<std::uint64_t>(product >> 64),
            static_cast<std::uint64_t>(product) >> (64 - width)};
  }
  // work(bits, i, spot_at(i)) for every i below total, in order; each home has been prefetched.
  template <class SpotAt, class Work>
  void each_read(std::size_t total, SpotAt&& spot_at, Work&& work) const noexcept {
    cells::kernel::with_word_bits([&](auto bits) {
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = spot_at(i);
        prefetch_read(key.home);
          },
          [&, bits](std::size_t i, const spot& key) { work(bits, i, key); });
    });
  }
  template <class SpotAt, class Work>
  void each_written(std::size_t total, SpotAt&& spot_at, Work&& work) noexcept {
    cells::kernel::with_word_bits([&](auto bits) {
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = spot_at(i);
        prefetch_write(key.home);
          },
          [&, bits](std::size_t i, const spot& key) { work(bits, i, key); });
    });
  }

  // visit(value) for the values of a home in descending order, until it returns true. Returns
  // whether it did.
  template <class Bits, class Visit>
  [[nodiscard]] bool any_of(Bits bits, std::uint64_t home, Visit&& visit) const noexcept {
    return seek(bits, home, visit).slot != none;
  }
  template <class Bits>
  [[nodiscard]] bool contains(Bits bits, std::uint64_t home, std::uint64_t value) const noexcept {
    bool equal = false;
    (void)any_of(bits, home, [&](std::uint64_t there) {
      equal = there == value;
      return there <= value;
    });
    return equal;
  }

  // Nothing if there is no room; then nothing changed. Else whether the home did not have this
  // value before.
  template <class Bits>
  [[nodiscard]] std::optional<bool> insert(Bits bits, std::uint64_t home,
                                           std::uint64_t value) noexcept {
    if (used_ >= room()) return std::nullopt;
    const std::uint64_t end = end_of(bits, home);
    if (end <= home) {  // the slot of the home itself is free
      put_alone(home, value);
      return true;
    }
    if (!is_sane(home, end)) return std::nullopt;
    const std::uint64_t free = level_from(bits, end, true);
    if (free >= home + slots()) return std::nullopt;
    std::uint64_t at = end, there = ~value;
    if (has_run(home))
      while ((there = get(wrapped(at - 1))) > value)
        if (--at == home || is_end(wrapped(at - 1))) break;
    put_at(home, at, end, free, value);
    return there != value;
  }

  // Removes the first value, in descending order, for which `visit` returns true; false if none.
  template <class Bits, class Visit>
  bool remove(Bits bits, std::uint64_t home, Visit&& visit) noexcept {
    const auto [slot, end] = seek(bits, home, visit);
    if (slot == none) return false;
    const std::uint64_t hole = level_from(bits, slot + 1, false);  // one past what moves down
    if (hole > home + slots()) return false;
    take_out(home, slot, end, hole);
    return true;
  }

  // visit(home, value) for all values, sorted by home and then by value.
  template <class Visit>
  void walk(Visit&& visit) const {
    std::uint64_t at = offset(cells::kernel::portable::word_bits{}, 0), left = slots();
    for (std::uint64_t block = 0; block < blocks_; ++block) walk_from(block, at, left, visit);
  }
  // The same for the homes of one block.
  template <class Bits, class Visit>
  void walk_block(Bits bits, std::uint64_t block, Visit&& visit) const {
    std::uint64_t at = block * block_slots + offset(bits, block), left = slots();
    walk_from(block, at, left, visit);
  }

  friend bool operator==(const quotient_table& a, const quotient_table& b) noexcept {
    return a.width_ == b.width_ && a.used_ == b.used_ && a.bytes_ == b.bytes_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("blocks", self.blocks_);
    field("width", self.width_);
    field("used", self.used_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("runs", self);
    part.array("cells", self.bytes_);
  }
  void check();

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr unsigned far = 255;  // stands for this offset and all larger ones
  struct found {
    // positions may exceed the last slot of the ring; `end` is one past the run
    std::uint64_t slot, end;
  };

  [[nodiscard]] std::uint64_t stride() const noexcept { return block_bytes(width()); }
  [[nodiscard]] const unsigned char* block_at(std::uint64_t block) const noexcept {
    return bytes_.data() + block * stride();
  }
  [[nodiscard]] unsigned char* block_at(std::uint64_t block) noexcept {
    return bytes_.data() + block * stride();
  }
  [[nodiscard]] std::uint64_t homes(const unsigned char* block) const noexcept {
    return detail::load_le<std::uint64_t>(block + 8 * width_);
  }
  [[nodiscard]] std::uint64_t ends(const unsigned char* block) const noexcept {
    return detail::load_le<std::uint64_t>(block + 8 * width_ + 8);
  }
  [[nodiscard]] unsigned stored_offset(std::uint64_t block) const noexcept {
    return block_at(block)[stride() - 1];
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t slot) const noexcept {
    const std::uint64_t bit = slot % block_slots * width_;
    return detail::load_le<std::uint64_t>(block_at(slot / block_slots) + bit / 8) >> bit % 8 &
           mask_;
  }
  [[nodiscard]] bool has_run(std::uint64_t home) const noexcept {
    return (homes(block_at(home / block_slots)) >> home % block_slots & 1) != 0;
  }
  [[nodiscard]] bool is_end(std::uint64_t slot) const noexcept {
    return (ends(block_at(slot / block_slots)) >> slot % block_slots & 1) != 0;
  }
  // For a slot number that may exceed the last slot, by less than one turn.
  [[nodiscard]] std::uint64_t wrapped(std::uint64_t slot) const noexcept {
    return slot < slots() ? slot : slot - slots();
  }
  [[nodiscard]] bool is_sane(std::uint64_t home, std::uint64_t end) const noexcept {
    return end > home && end - home <= slots();
  }

  // An integer: a pointer past the last block would be undefined.
  [[nodiscard]] std::uintptr_t place(std::uint64_t block, std::uint64_t byte) const noexcept {
    return reinterpret_cast<std::uintptr_t>(bytes_.data()) + block * stride() + byte;
  }
  // Prefetches the home's first slot, the home bits, the offset (not always in one cache line with
  // them) and the end bits of the next block, which a run may extend into. Without the last two,
  // batches on a full table take nearly twice as long.
  void prefetch_read(std::uint64_t home) const noexcept {
    const std::uint64_t block = home / block_slots;
    for (const std::uintptr_t at :
         {place(block, home % block_slots * width_ / 8), place(block, 8 * width_),
          place(block, stride() - 1), place(block + 1, 8 * width_ + 8)})
      detail::prefetch_read(reinterpret_cast<const void*>(at));
  }
  // Prefetches from the home to the end of its block and four cache lines more. In a full table
  // more is moved, but twice as many cache lines are too many for other tables: doc/hacking.md,
  // fetching ahead.
  void prefetch_write(std::uint64_t home) const noexcept {
    const std::uint64_t block = home / block_slots;
    const std::uintptr_t last = place(block + 1, 4 * buffer::line - 1);
    for (std::uintptr_t at = place(block, home % block_slots * width_ / 8); at < last;
         at += buffer::line)
      detail::prefetch_write(reinterpret_cast<const void*>(at));
    detail::prefetch_write(reinterpret_cast<const void*>(last));
  }

  // One past the slot of the count-th end bit from slot `from` on.
  template <class Bits>
  [[nodiscard]] std::uint64_t nth_end(Bits bits, std::uint64_t from,
                                      std::uint64_t count) const noexcept {
    std::uint64_t block = from / block_slots;
    std::uint64_t at = block < blocks_ ? block : block - blocks_;
    if (at >= blocks_) return none;
    std::uint64_t word = ends(block_at(at)) & ~detail::low_mask(from % block_slots);
    for (std::uint64_t left = blocks_ + 1; left > 0; --left) {
      const unsigned here = bits.ones(word);
      if (count <= here)
        return block * block_slots + bits.nth(word, static_cast<unsigned>(count) - 1) + 1;
      count -= here;
      ++block;
      if (++at == blocks_) at = 0;
      word = ends(block_at(at));
    }
    return none;
  }
  // The offset of the next block, given the offset of this one.
  template <class Bits>
  [[nodiscard]] std::uint64_t carried(Bits bits, std::uint64_t block,
                                      std::uint64_t offset) const noexcept {
    std::uint64_t end = offset;
    if (const unsigned runs = bits.ones(homes(block_at(block))); runs != 0) {
      end = nth_end(bits, block * block_slots + offset, runs);
      if (end == none) return slots();
      end -= block * block_slots;
    }
    end = end > block_slots ? end - block_slots : 0;
    return end < slots() ? end : slots();
  }
  template <class Bits>
  [[nodiscard]] std::uint64_t offset(Bits bits, std::uint64_t block) const noexcept {
    const unsigned told = stored_offset(block);
    if (told < far) return told;
    std::uint64_t back = 0;
    for (; stored_offset(block) == far && back < blocks_; ++back)
      block = (block == 0 ? blocks_ : block) - 1;
    std::uint64_t out = stored_offset(block);
    for (; back > 0; --back) {
      out = carried(bits, block, out);
      if (out == slots()) return out;  // no insert made this
      if (++block == blocks_) block = 0;
    }
    return out;
  }
  // One past the last slot of all runs of homes up to this one.
  template <class Bits>
  [[nodiscard]] std::uint64_t end_of(Bits bits, std::uint64_t home) const noexcept {
    const std::uint64_t block = home / block_slots;
    const std::uint64_t from = block * block_slots + offset(bits, block);
    const unsigned runs =
        bits.ones(homes(block_at(block)) & detail::low_mask(home % block_slots + 1));
    return runs == 0 ? from : nth_end(bits, from, runs);
  }
  // The first slot from this one on, possibly beyond the last of the ring, before which as many
  // runs have ended as there are runs of earlier homes (with `with_own`: of homes up to the slot's
  // own). The slot is then free, or its value is in its home slot. `none` if there is no such slot.
  template <class Bits>
  [[nodiscard]] std::uint64_t level_from(Bits bits, std::uint64_t slot,
                                         bool with_own) const noexcept {
    std::uint64_t block = slot / block_slots, at = block < blocks_ ? block : block - blocks_;
    if (at >= blocks_) return none;
    unsigned from = slot % block_slots;
    for (std::uint64_t left = blocks_ + 1; left > 0; --left) {
      if (const unsigned offset = stored_offset(at); offset < block_slots) {
        const std::uint64_t began = homes(block_at(at)) << (with_own ? 0 : 1);
        const std::uint64_t ended = (ends(block_at(at)) & ~detail::low_mask(offset)) << 1;
        const unsigned level = bits.level(began, ended, from > offset ? from : offset);
        if (level < block_slots) return block * block_slots + level;
      }
      from = 0;
      ++block;
      if (++at == blocks_) at = 0;
    }
    return none;
  }
  template <class Bits, class Visit>
  [[nodiscard]] found seek(Bits bits, std::uint64_t home, Visit&& visit) const noexcept {
    if (!has_run(home)) return {none, none};
    const std::uint64_t end = end_of(bits, home);
    if (!is_sane(home, end)) return {none, none};
    for (std::uint64_t at = end;;) {
      --at;
      if (visit(get(wrapped(at)))) return {at, end};
      if (at == home || is_end(wrapped(at - 1))) return {none, none};
    }
  }

  // Visits the runs of a block, which begin at slot `at` or later, at most `left` slots. Advances
  // both.
  template <class Visit>
  void walk_from(std::uint64_t block, std::uint64_t& at, std::uint64_t& left, Visit& visit) const {
    for (std::uint64_t set = homes(block_at(block)); set != 0; set &= set - 1) {
      const std::uint64_t home = block * block_slots + static_cast<unsigned>(std::countr_zero(set));
      if (at < home) at = home;
      for (bool last = false; !last && left > 0; --left, ++at) {
        const std::uint64_t slot = wrapped(at);
        if (slot >= slots()) return;  // no insert made this
        last = is_end(slot);
        visit(home, get(slot));
      }
    }
  }

  void put_alone(std::uint64_t home, std::uint64_t value) noexcept;
  void put_at(std::uint64_t home, std::uint64_t at, std::uint64_t end, std::uint64_t free,
              std::uint64_t value) noexcept;
  void take_out(std::uint64_t home, std::uint64_t slot, std::uint64_t end,
                std::uint64_t hole) noexcept;

  void set(std::uint64_t slot, std::uint64_t value) noexcept;
  void set_home(std::uint64_t home, bool to) noexcept;
  void set_end(std::uint64_t slot, bool to) noexcept;
  void move_up(std::uint64_t from, std::uint64_t free, std::uint64_t value, bool is_end) noexcept;
  void move_down(std::uint64_t to, std::uint64_t hole) noexcept;

  std::uint64_t blocks_;
  std::uint64_t width_;
  std::uint64_t used_ = 0;
  std::uint64_t mask_;  // follows from the width
  cells::words<std::uint8_t> bytes_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/quotient_table.ipp>
#endif
