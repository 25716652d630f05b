// prefix.hpp - prefix filter [EEM22]: the engine of prefix_filter.
//
// Each key has a pocket (cells/kernel/pocket.hpp) and a value in it. A pocket keeps the 25 smallest
// of its values; the rest, 6 % of all, go to a spare filter, as numbers made of pocket and value. A
// query asks the spare only if the pocket has overflowed and the value is above its largest: 5 % of
// the queries for non-members.
//
// Layout     Pockets of 32 bytes; for the spare, blocks of a split block Bloom filter, whose keys
//            are the numbers 6400 pocket + value.
// Invariant  A pocket holds the smallest values that belong to it, each once; the spare was given
//            the rest. So bytes follow from the set of keys, in any order, and unions are exact.
// Limits     Never full: beyond the planned keys the spare takes the rest, and its rate rises.
// Threads    Many readers or one writer.
// Differs    [EEM22] keeps copies and does not sort buckets; its spare is another filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/config.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/blocks.hpp>
#include <umbel/cells/kernel/pocket.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/engine/block/blocked.hpp>
#include <umbel/engine/block/split_block.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

class prefix {
  using room = cells::kernel::pocket_room;
  using spare = blocked<split_block, cells::blocks<split_block::pattern_type>>;

 public:
  prefix() : prefix(1, 1) {}
  prefix(std::uint64_t pockets, std::uint64_t spare_blocks,
         std::pmr::memory_resource* memory = nullptr)
      : pockets_(pockets),
        cells_(pockets * pocket_words, memory),
        spare_(split_block(spare_blocks), memory) {
    clear();
  }

  [[nodiscard]] std::uint64_t pockets() const noexcept { return pockets_; }
  [[nodiscard]] std::uint64_t spare_blocks() const noexcept { return spare_.index().blocks(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return cells_.size() * 64 + spare_.size_in_bits();
  }
  [[nodiscard]] std::uint64_t kept() const noexcept;  // values in pockets
  // Distinct keys inserted so far: the values in pockets, exactly, plus an estimate for the spare
  // from its clear bits.
  [[nodiscard]] estimate cardinality() const noexcept;
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept;
  void clear() noexcept;
  // Becomes the filter of the union; both must have the same size.
  void merge(const prefix& other);

  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, const prefix* self, digest given) {
      const spot key = self->locate(given);
      const unsigned char* const at = self->pocket_at(key.pocket);
      return ops.find_unfetched(at, key.value) ||
             (ops.beyond(at, key.value) && self->spare_holds(key));
        },
        this, d);
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    cells::kernel::with_pockets([&](auto ops) {
      later asked;
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = locate(digest_at(i));
        detail::prefetch_read(pocket_at(key.pocket));
          },
          [&](std::size_t i, const spot& key) {
        const unsigned char* const at = pocket_at(key.pocket);
        out[i] = ops.find(at, key.value);
        if (!out[i] && ops.beyond(at, key.value)) {
          asked.add(i, spare_key(key.pocket, key.value));
          if (asked.is_full()) ask(asked, out);
        }
      });
      ask(asked, out);
    });
  }

  bool insert(digest d) noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, prefix* self, digest given, unsigned char* first) {
      const spot key = self->locate(given);
      const room there =
          ops.add(first + key.pocket * cells::kernel::pocket_shape::bytes, key.value);
      return there == room::none ? self->push(key) : there == room::taken;
        },
        this, d, pocket_at(0));  // outside: its assertion would be a call in the kernel
  }
  template <class DigestAt>
  void insert(std::size_t total, DigestAt& digest_at) noexcept {
    cells::kernel::with_pockets([&](auto ops) {
      later rests;
      detail::ring<spot>(
          total,
          [&](std::size_t i, spot& key) {
        key = locate(digest_at(i));
        detail::prefetch_write(pocket_at(key.pocket));
          },
          [&](std::size_t i, const spot& key) {
        if (ops.add(pocket_at(key.pocket), key.value) != room::none) return;
        rests.add(i, spare_key(key.pocket, ops.push(pocket_at(key.pocket), key.value).rest));
        if (rests.is_full()) give(rests);
      });
      give(rests);
    });
  }

  friend bool operator==(const prefix& a, const prefix& b) noexcept {
    return a.cells_ == b.cells_ && a.spare_.blocks() == b.spare_.blocks();
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("pockets", self.pockets_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("pockets", self);
    part.array("cells", self.cells_);
    part.fields("spare", self.spare_.index());
    part.array("marks", self.spare_.blocks().storage());
  }
  void check();

 private:
  struct spot {
    std::uint64_t pocket;
    std::uint32_t value;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::pockets)};
    const detail::remixed word = words(d);
    return {detail::fastrange(word.first(), pockets_),
            static_cast<std::uint32_t>(
                (word.second() >> 32) * cells::kernel::pocket_shape::values >> 32)};
  }
  // The key under which a value is inserted into the spare.
  [[nodiscard]] static digest spare_key(std::uint64_t pocket, unsigned value) noexcept {
    return detail::integer_digest(pocket * cells::kernel::pocket_shape::values + value,
                                  detail::integer_mask(0));
  }
  [[nodiscard]] const unsigned char* pocket_at(std::uint64_t pocket) const noexcept {
    return reinterpret_cast<const unsigned char*>(cells_.data() + pocket * pocket_words);
  }
  [[nodiscard]] unsigned char* pocket_at(std::uint64_t pocket) noexcept {
    return reinterpret_cast<unsigned char*>(cells_.data() + pocket * pocket_words);
  }

  // This function and `push` are not inlined: so the 94 % of the calls that do not need the spare
  // save no registers.
  [[nodiscard, gnu::noinline]] bool spare_holds(const spot& key) const noexcept {
    return spare_.may_contain(spare_key(key.pocket, key.value));
  }
  [[gnu::noinline]] bool push(const spot& key) noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, prefix* self, const spot& from) {
      const auto [changed, rest] = ops.push(self->pocket_at(from.pocket), from.value);
      return self->spare_.insert(spare_key(from.pocket, rest)) || changed;
        },
        this, key);
  }
  // Keys of a batch that continue to the spare, collected into batches, so that the spare's cache
  // lines are prefetched as well.
  struct later {
    static constexpr std::size_t most = 64;
    digest keys[most];
    std::size_t numbers[most];
    std::size_t count = 0;

    void add(std::size_t number, digest key) noexcept {
      keys[count] = key;
      numbers[count++] = number;
    }
    [[nodiscard]] bool is_full() const noexcept { return count == most; }
  };
  void ask(later& some, bool* out) const noexcept {
    bool said[later::most];
    spare_.may_contain(some.count, detail::digest_list{some.keys}, said);
    for (std::size_t i = 0; i < some.count; ++i) out[some.numbers[i]] = said[i];
    some.count = 0;
  }
  void give(later& some) noexcept {
    spare_.insert(some.count, detail::digest_list{some.keys});
    some.count = 0;
  }

  static constexpr std::uint64_t pocket_words = cells::kernel::pocket_shape::bytes / 8;

  std::uint64_t pockets_;
  cells::words<> cells_;
  spare spare_;
};

}  // namespace umbel::core

#if UMBEL_WITH_BODIES
#include <umbel/engine/table/prefix.ipp>
#endif
