// adaptive_cuckoo_filter.hpp - adaptive cuckoo filter [MPR20]: a filter in front of a table of
// keys, which learns from its false positives.
//
// Layout     The slots of engine/table/adaptive_cuckoo.hpp, which mirror those of a table
//            elsewhere.
// Invariant  No false negatives.
// Limits     Inserts, erases and adapting need the table. A file of the filter alone can only be
//            queried, and so can what `build` makes of keys alone: to the registry and the tool,
//            which have no table, it is a static set. Queries that alternate between more
//            non-members of one slot than it has selectors pass again now and then.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/adaptive_cuckoo.hpp>
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

class adaptive_cuckoo_filter : public core::keyed<core::adaptive_cuckoo> {
  using base = core::keyed<core::adaptive_cuckoo>;
  using shape = core::adaptive_cuckoo::shape;

 public:
  using options_type = adaptive_cuckoo_options;
  static constexpr unsigned slots = core::adaptive_cuckoo::slots;
  static constexpr std::string_view kind = "adaptive-cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .is_static = true, .adapts = true, .lines = 2};

  adaptive_cuckoo_filter() : adaptive_cuckoo_filter(options_type{.keys = 0, .fpr = 0.5}) {}
  explicit adaptive_cuckoo_filter(const options_type& options)
      : base(options.hash, engine_type(shaped(options), options.memory)) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const shape made = shaped(complete(options, 0));
    return {.keys = options.keys.value_or(0),
            .cells = made.buckets * slots,
            .probes = 2,
            .bits = sizing::cuckoo_bits(made.buckets, slots, made.width()),
            .fpr = made.rate(options.keys.value_or(0))};
  }

  // Of keys alone: a filter to ask. Where a program keeps the keys in a table, it inserts them one
  // by one.
  template <core::key_range Keys>
  [[nodiscard]] static adaptive_cuckoo_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static adaptive_cuckoo_filter build(const std::type_identity_t<Spool>& keys,
                                                    const options_type& options) {
    // in the order of digests: the same set gives the same bytes
    const Spool once = keys.distinct(options.threads);
    adaptive_cuckoo_filter out(complete(options, once.size()));
    passing_table table{std::vector<digest>(out.size())};
    std::uint64_t taken = 0;
    once.for_each(0, Spool::bins, [&](std::span<const digest> block) {
      for (const digest& d : block) {
        const auto slot = out.engine_.insert(d, table);
        if (!slot) throw core::no_room(kind, {taken, out.size()}, taken, once.size());
        ++taken;
        table.keys[*slot] = d;
      }
    });
    return out;
  }

  // of the table, in slots
  [[nodiscard]] std::uint64_t size() const noexcept { return engine_.size(); }
  [[nodiscard]] unsigned tag_bits() const noexcept { return engine_.tag_bits(); }
  [[nodiscard]] unsigned selector_bits() const noexcept { return engine_.selector_bits(); }

  // The slot of the table to look at; nothing: the key is certainly not in.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return engine_.slot_of(hash_(k));
  }
  // The slot that the key is in.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> find_exactly(const K& k, const Table& table) const {
    return engine_.exact_slot_of(hash_(k), hashed<const Table>{hash_, table});
  }

  // The slot where the table must now store the key, after the moves it was told to make. Nothing:
  // no room, nothing changed.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> insert(const K& k, Table& table) {
    hashed<Table> behind{hash_, table};
    return engine_.insert(hash_(k), behind);
  }
  // Frees a slot; the table forgets the key there.
  void erase(std::uint64_t slot) noexcept { engine_.free(slot); }

  // The key is not in the table and passed: all slots that matched take another tag. True: it does
  // not pass any more. False: some key has the same tags as this one under every selector.
  template <key K, key_table Table>
  bool adapt(const K& k, const Table& table) {
    return engine_.adapt(hash_(k), hashed<const Table>{hash_, table});
  }

 private:
  // A user's table, as the engine sees it.
  template <class Table>
  struct hashed {
    const hasher& hash;
    Table& table;
    [[nodiscard]] digest digest_in(std::uint64_t slot) const { return hash(table.key(slot)); }
    void move(std::uint64_t from, std::uint64_t to) { table.move(from, to); }
  };
  // The table of a build, which nobody keeps.
  struct passing_table {
    std::vector<digest> keys;
    [[nodiscard]] digest digest_in(std::uint64_t slot) const { return keys[slot]; }
    void move(std::uint64_t from, std::uint64_t to) { keys[to] = keys[from]; }
  };
  [[nodiscard]] static options_type complete(options_type options, std::uint64_t keys) {
    if (!options.keys) options.keys = keys;
    if (!options.fpr) options.fpr = 1.0 / 256;
    return options;
  }
  [[nodiscard]] static shape shaped(const options_type& options) {
    if (!options.keys || !options.fpr) throw bad_parameter("give keys and fpr");
    core::check({options.keys, options.fpr, {}});
    const shape made = shape::fitted(*options.keys, *options.fpr, options.selector_bits);
    core::check_kept(options.fpr, made.rate(*options.keys));
    return made;
  }
};

}  // namespace umbel
