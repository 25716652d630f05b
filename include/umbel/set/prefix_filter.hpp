// prefix_filter.hpp - growing set with one cache line for nearly every insert and query: 11.6 bits per key at 0.4 %.
// Idea       A key has a pocket (cells/kernel/pocket.hpp) and a value in it. A pocket keeps the 25 smallest of its values; those beyond, 6 %
//            of all, go to a spare filter under the number of their pocket and value. Only who is beyond the largest value of
//            a pocket that has overflowed, 5 % of the strangers, is asked of the spare.
// Layout     Pockets of 32 bytes; blocks of a split block filter, whose keys are the numbers 6400 pocket + value, for the spare.
// Invariant  A pocket holds the smallest values that belong to it, each once; the spare was given the rest. So bytes follow
//            from the set of keys, whatever their order, and unions are exact. No key is forgotten.
// Limits     Rates from 0.2 to 0.4 %: who asks for more gets 0.4, less is refused. No erase. It never is full: past the
//            planned keys the spare takes the rest, and a tenth more keys are as many false positives again and a half.
// Threads    Many readers or one writer.
// Source     [EEM22]; differs in that a value is kept once and buckets are sorted, and in the spare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/cells/blocks.hpp>
#include <umbel/cells/kernel/pocket.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/engine/block/blocked.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/block/split_block.hpp>
#include <umbel/sizing/prefix.hpp>

namespace umbel {

struct prefix_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class prefix_filter : public core::set_queries<prefix_filter>, public core::set_inserts<prefix_filter> {
 public:
  using options = prefix_options;
  static constexpr std::string_view kind = "prefix-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .mergeable = true, .lines = 1};

  prefix_filter() : prefix_filter({0, 1, 1, 0}, {}) {}
  explicit prefix_filter(const options& wish) : prefix_filter(sized(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish);

  void clear() noexcept;
  void merge(const prefix_filter& other);
  [[nodiscard]] std::uint64_t pockets() const noexcept { return pockets_; }
  [[nodiscard]] std::uint64_t spare_blocks() const noexcept { return spare_.index().blocks(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return (pockets_ + spare_blocks()) * sizing::prefix_pocket_bits;
  }
  [[nodiscard]] std::uint64_t kept() const noexcept;  // values in pockets
  // Distinct keys inserted so far: the values in pockets, exactly, and those in the spare by its clear bits.
  [[nodiscard]] estimate cardinality() const noexcept;
  // At the present fill.
  [[nodiscard]] double expected_fpr() const noexcept;

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const prefix_filter& a, const prefix_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.cells_ == b.cells_ && a.spare_.blocks() == b.spare_.blocks();
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("pockets", self.pockets_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("pockets", self);
    part.array("cells", self.cells_);
    part.fields("spare", self.spare_.index());
    part.array("marks", self.spare_.blocks().storage());
  }
  void check();

 private:
  friend core::set_queries<prefix_filter>;
  friend core::set_inserts<prefix_filter>;
  using room = cells::kernel::pocket_room;
  using spare = core::blocked<core::split_block, cells::blocks<core::split_block::pattern>>;

  prefix_filter(const sizing::prefix_plan& made, const options& wish)
      : hash_(wish.hash),
        pockets_(made.pockets),
        cells_(made.pockets * pocket_words, wish.memory),
        spare_(core::split_block(made.spare_blocks), wish.memory) {
    clear();
  }
  [[nodiscard]] static sizing::prefix_plan sized(const options& wish);

  struct spot {
    std::uint64_t pocket;
    std::uint32_t value;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::pockets)};
    const detail::remixed word = words(d);
    return {detail::fastrange(word.first(), pockets_),
            static_cast<std::uint32_t>((word.second() >> 32) * cells::kernel::pocket_shape::values >> 32)};
  }
  // What the spare knows a value by.
  [[nodiscard]] static digest spare_key(std::uint64_t pocket, unsigned value) noexcept {
    return detail::integer_digest(pocket * cells::kernel::pocket_shape::values + value, detail::integer_mask(0));
  }
  [[nodiscard]] const unsigned char* pocket_at(std::uint64_t pocket) const noexcept {
    return reinterpret_cast<const unsigned char*>(cells_.data() + pocket * pocket_words);
  }
  [[nodiscard]] unsigned char* pocket_at(std::uint64_t pocket) noexcept {
    return reinterpret_cast<unsigned char*>(cells_.data() + pocket * pocket_words);
  }

  // This and `push` are not inlined: the 94 % of the calls that need no spare then save no registers.
  [[nodiscard, gnu::noinline]] bool spare_holds(const spot& key) const noexcept {
    return spare_.may_contain(spare_key(key.pocket, key.value));
  }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, const prefix_filter* self, digest given) {
          const spot key = self->locate(given);
          const unsigned char* const at = self->pocket_at(key.pocket);
          return ops.find_unfetched(at, key.value) || (ops.beyond(at, key.value) && self->spare_holds(key));
        },
        this, d);
  }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
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

  [[gnu::noinline]] bool push(const spot& key) noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, prefix_filter* self, const spot& from) {
          const auto [changed, rest] = ops.push(self->pocket_at(from.pocket), from.value);
          return self->spare_.insert(spare_key(from.pocket, rest)) || changed;
        },
        this, key);
  }
  bool insert_digest(digest d) noexcept {
    return cells::kernel::with_pockets(
        [](auto ops, prefix_filter* self, digest given, unsigned char* first) {
          const spot key = self->locate(given);
          const room there = ops.add(first + key.pocket * cells::kernel::pocket_shape::bytes, key.value);
          return there == room::none ? self->push(key) : there == room::taken;
        },
        this, d, pocket_at(0));  // whose assertion would be a call in there
  }
  void insert_digests(std::size_t total, auto& digest_at) noexcept {
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

  // Keys of a batch that go on to the spare, some at a time: its lines, too, are asked for before they are used.
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

  hasher hash_;
  std::uint64_t pockets_;
  cells::words<> cells_;
  spare spare_;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/prefix_filter.ipp>
#endif
