// adaptive_cuckoo_filter.hpp - a filter in front of a table of keys that learns from its mistakes: who was let through in vain
// is not let through again.
// Idea       Every slot of the filter mirrors a slot of a table elsewhere (on disk, over a network) that holds the key itself.
//            A slot has a selector, which says by which of a few hash functions its tag was made. When the table finds that a
//            stranger was let through, the selector of the slot that deceived moves on, and its tag is made anew from the
//            key there: that stranger is out, and what others think of the slot is drawn afresh.
// Layout     An even number of buckets of 4 slots; a slot is a tag of f bits above a selector of s bits; 0 is an empty slot.
// Invariant  The tag in a slot is that of the table's key there, under the slot's selector: no key that is in is forgotten.
// Limits     Inserts, erases and adapting need the table. A file of the filter alone can only be
//            asked, and so can what `build` makes of keys alone: to the registry and the tool,
//            which have no table, it is a static set. Who alternates between more strangers that
//            share a slot than there are selectors is let through again now and then.
// Threads    Many readers or one writer.
// Source     [MPR20]; differs in that displacements are found breadth first and carried out only if all succeed.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/buckets.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/cuckoo.hpp>

namespace umbel {

struct adaptive_cuckoo_options {
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};  // a build and a plan take 1/256 where none is given
  unsigned selector_bits = 2;   // 1 to 3: of 2, 4 or 8 tags a key has
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build; the rest runs on the caller's thread
};

// The table behind the filter. Slots are numbered from 0; the filter says where keys go.
template <class T>
concept key_table = requires(T& table, const T& asked, std::uint64_t slot) {
  { asked.key(slot) } -> key;  // of a slot that holds one
  table.move(slot, slot);      // from one slot to an empty one
};

class adaptive_cuckoo_filter : public core::set_queries<adaptive_cuckoo_filter>,
                               public core::static_set<adaptive_cuckoo_filter> {
 public:
  using options = adaptive_cuckoo_options;
  static constexpr unsigned slots = 4;
  static constexpr std::string_view kind = "adaptive-cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true, .adapts = true, .lines = 2};

  adaptive_cuckoo_filter() : adaptive_cuckoo_filter(options{.keys = 0, .fpr = 0.5}) {}
  explicit adaptive_cuckoo_filter(const options& wish) : hash_(wish.hash) {
    if (!wish.keys || !wish.fpr) throw bad_parameter("give keys and fpr");
    take_shape(wish);
    cells_ = cells::buckets(buckets_, slots, tag_bits() + selector_bits(), wish.memory);
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    adaptive_cuckoo_filter shape(nothing{});
    shape.take_shape(complete(wish, 0));
    return {.keys = wish.keys.value_or(0),
            .cells = shape.size(),
            .probes = 2,
            .bits = sizing::cuckoo_bits(shape.buckets_, slots, shape.tag_bits() + shape.selector_bits()),
            .fpr = shape.rate_of(wish.keys.value_or(0))};
  }

  // Of keys alone: a filter to ask. Where a program keeps the keys in a table, it inserts them one
  // by one.
  using core::static_set<adaptive_cuckoo_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the sorting
  [[nodiscard]] static adaptive_cuckoo_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    const Spool once = keys.distinct(wish.threads);  // in the order of digests: the same set gives the same bytes
    adaptive_cuckoo_filter out(complete(wish, once.size()));
    passing_table table{std::vector<digest>(out.size())};
    once.for_each(0, Spool::bins, [&](std::span<const digest> block) {
      for (const digest& d : block) {
        const auto slot = out.insert(d, table);
        if (!slot) throw full(detail::text("a ", kind, " is full before all keys are in; plan it for more"));
        table.keys[*slot] = d;
      }
    });
    return out;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return buckets_ * slots; }  // of the table, in slots
  [[nodiscard]] unsigned tag_bits() const noexcept { return static_cast<unsigned>(tag_bits_); }
  [[nodiscard]] unsigned selector_bits() const noexcept { return static_cast<unsigned>(selector_bits_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return cells_.storage().size() * 64; }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < buckets_; ++i) sum += cells_.taken(load(i));
    return sum;
  }
  // For strangers that were never asked for before.
  [[nodiscard]] double expected_fpr() const noexcept { return rate_of(keys()); }

  // The slot of the table to look at; nothing: the key is certainly not in.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return find(spots_of(hash_(k)));
  }
  // The slot that the key is in.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> find_exactly(const K& k, const Table& table) const {
    const spots at = spots_of(hash_(k));
    for (const std::uint64_t bucket : at.buckets)
      for (std::uint64_t slot = bucket * slots; slot < (bucket + 1) * slots; ++slot)
        if (get(slot) != 0 && hash_(table.key(slot)) == at.of) return slot;
    return std::nullopt;
  }

  // The slot where the table must now store the key, after the moves it was told to make. Nothing: no room, nothing changed.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> insert(const K& k, Table& table) {
    const spots at = spots_of(hash_(k));
    const auto slot = make_room(at, table);
    if (slot) put(*slot, tag_of(at.of, 0));
    return slot;
  }
  // Frees a slot; the table forgets the key there.
  void erase(std::uint64_t slot) noexcept { put(slot, 0); }

  // The key is not in the table and was let through: all slots that deceived take another tag. True: it is not let through any
  // more. False: some key has the same tags as this one under every selector.
  template <key K, key_table Table>
  bool adapt(const K& k, const Table& table) {
    const spots at = spots_of(hash_(k));
    for (unsigned tries = 0; tries < 2 * slots << selector_bits(); ++tries) {
      const auto slot = find(at);
      if (!slot) return true;
      const std::uint64_t selector = (get(*slot) + 1) & detail::low_mask(selector_bits());
      put(*slot, tag_of(hash_(table.key(*slot)), selector));
    }
    return !find(at);
  }

  friend bool operator==(const adaptive_cuckoo_filter& a, const adaptive_cuckoo_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.buckets_ == b.buckets_ && a.tag_bits_ == b.tag_bits_ &&
           a.selector_bits_ == b.selector_bits_ && a.cells_ == b.cells_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("buckets", self.buckets_);
    field("tag_bits", self.tag_bits_);
    field("selector_bits", self.selector_bits_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("table", self);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    check_shape();
    cells_.reshape(buckets_, slots, tag_bits() + selector_bits());
  }

 private:
  friend core::set_queries<adaptive_cuckoo_filter>;
  static constexpr unsigned least_tag_bits = 2, most_tag_bits = 28, most_selectors = 8;
  static constexpr std::size_t most_seen = 2048;  // slots looked at before an insert gives up
  using row = cells::buckets::wide::word;

  struct nothing {};
  explicit adaptive_cuckoo_filter(nothing) {}  // no cells: for plans

  struct spots {
    digest of;
    std::array<std::uint64_t, 2> buckets;
  };
  // The table of a build, which nobody keeps.
  struct passing_table {
    std::vector<digest> keys;
    [[nodiscard]] digest key(std::uint64_t slot) const { return keys[slot]; }
    void move(std::uint64_t from, std::uint64_t to) { keys[to] = keys[from]; }
  };
  [[nodiscard]] static options complete(options wish, std::uint64_t keys) {
    if (!wish.keys) wish.keys = keys;
    if (!wish.fpr) wish.fpr = 1.0 / 256;
    return wish;
  }
  void take_shape(const options& wish) {
    core::check({wish.keys, wish.fpr, {}});
    selector_bits_ = wish.selector_bits;
    buckets_ = sizing::cuckoo_buckets(*wish.keys + 2, slots, most_tag_bits);  // two more: there is no victim here
    tag_bits_ = least_tag_bits;
    while (tag_bits_ < most_tag_bits && rate_of(*wish.keys) > *wish.fpr) ++tag_bits_;
    core::check_kept(wish.fpr, rate_of(*wish.keys));
    check_shape();
  }
  void check_shape() const {
    if (selector_bits_ < 1 || selector_bits_ > 3)
      throw bad_parameter(detail::text("selector_bits: expected 1 to 3, found ", selector_bits_));
    if (tag_bits_ < least_tag_bits || tag_bits_ > most_tag_bits)
      throw bad_parameter(detail::text("tag_bits: expected 2 to 28, found ", tag_bits_));
    if (buckets_ < 2 || buckets_ % 2 != 0 || buckets_ > sizing::max_bits / 128)
      throw bad_parameter(detail::text("buckets: expected an even number from 2 to 2^49, found ", buckets_));
  }
  [[nodiscard]] double rate_of(std::uint64_t n) const noexcept { return sizing::cuckoo_fpr(n, buckets_, tag_bits()); }

  // Two different buckets, whatever the tag: the table knows the key, so nothing must follow from the tag.
  [[nodiscard]] spots spots_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::selectors)};
    const detail::remixed word = words(d);
    const std::uint64_t first = detail::fastrange(word.first(), buckets_);
    const std::uint64_t second = detail::fastrange(word.second(), buckets_ - 1);
    return {d, {first, second + (second >= first ? 1 : 0)}};
  }
  [[nodiscard]] std::uint64_t other(const spots& at, std::uint64_t bucket) const noexcept {
    return at.buckets[0] == bucket ? at.buckets[1] : at.buckets[0];
  }
  [[nodiscard]] std::uint64_t tag_of(digest d, std::uint64_t selector) const noexcept {
    const detail::remixer words{detail::salt_of(detail::stage::selectors, 1 + selector)};
    return (1 + detail::fastrange(words(d).first(), detail::low_mask(tag_bits()))) << selector_bits_ | selector;
  }
  [[nodiscard]] row load(std::uint64_t bucket) const noexcept {
    return cells_.with_row([&](auto zero) -> row { return cells_.load<decltype(zero)>(bucket); });
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t slot) const noexcept {
    return cells_.get(load(slot / slots), static_cast<unsigned>(slot % slots));
  }
  void put(std::uint64_t slot, std::uint64_t value) noexcept {
    const row change = row{get(slot) ^ value} << (slot % slots * cells_.width());
    cells_.with_row([&](auto zero) {
      using reading = decltype(zero);
      cells_.flip<reading>(slot / slots, static_cast<typename reading::word>(change));
    });
  }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return find(spots_of(d)).has_value(); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    detail::ring<spots>(
        total,
        [&](std::size_t i, spots& at) {
          at = spots_of(digest_at(i));
          for (const std::uint64_t bucket : at.buckets) cells_.prefetch(bucket);
        },
        [&](std::size_t i, const spots& at) { out[i] = find(at).has_value(); });
  }
  [[nodiscard]] std::optional<std::uint64_t> find(const spots& at) const noexcept {
    std::array<std::uint64_t, most_selectors> tags;
    for (unsigned i = 0; i < 1U << selector_bits(); ++i) tags[i] = tag_of(at.of, i);
    for (const std::uint64_t bucket : at.buckets)
      for (unsigned j = 0; j < slots; ++j) {
        const std::uint64_t stored = cells_.get(load(bucket), j);
        if (stored != 0 && stored == tags[stored & detail::low_mask(selector_bits())]) return bucket * slots + j;
      }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> empty_slot(std::uint64_t bucket) const noexcept {
    for (unsigned j = 0; j < slots; ++j)
      if (cells_.get(load(bucket), j) == 0) return bucket * slots + j;
    return std::nullopt;
  }

  // A slot of one of both buckets, emptied if need be: the shortest chain of moves, each to a slot that the one before left.
  template <class Table>
  [[nodiscard]] std::optional<std::uint64_t> make_room(const spots& at, Table& table) {
    struct seen {
      std::uint64_t slot;
      std::size_t from;  // the chain that led here
    };
    constexpr std::size_t start = ~std::size_t{0};
    std::vector<seen> all;
    const auto see = [&](std::uint64_t bucket, std::size_t from) {
      for (std::uint64_t slot = bucket * slots; slot < (bucket + 1) * slots; ++slot) all.push_back({slot, from});
    };
    for (const std::uint64_t bucket : at.buckets)
      if (const auto slot = empty_slot(bucket)) return slot;
    for (const std::uint64_t bucket : at.buckets) see(bucket, start);
    for (std::size_t i = 0; i < all.size() && all.size() < most_seen; ++i) {
      const std::uint64_t bucket = other(spots_of(hash_(table.key(all[i].slot))), all[i].slot / slots);
      if (auto free = empty_slot(bucket)) {
        std::size_t step = i;
        for (; step != start; step = all[step].from) {  // the last of the chain moves first
          const std::uint64_t slot = all[step].slot;
          table.move(slot, *free);
          put(*free, tag_of(hash_(table.key(*free)), 0));
          put(slot, 0);
          free = slot;
        }
        return free;
      }
      bool again = false;  // a chain must not come back: what it moves would be moved already
      for (std::size_t step = i; step != start; step = all[step].from) again |= all[step].slot / slots == bucket;
      if (!again) see(bucket, i);
    }
    return std::nullopt;
  }

  hasher hash_;
  std::uint64_t buckets_ = 2, tag_bits_ = least_tag_bits, selector_bits_ = 2;
  cells::buckets cells_;
};

}  // namespace umbel
