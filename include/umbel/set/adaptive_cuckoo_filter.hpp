// adaptive_cuckoo_filter.hpp - adaptive cuckoo filter [MPR20]: a filter in front of a table of keys
// that stops repeating a false positive once the table has reported it.
//
// The filter and the table have the same slots. The filter stores a tag per slot, the table (on
// disk, over a network) the key. A query returns the slot to look at. If the key there is another
// one, adapt() gives the slot the tag of another hash function.
//
// Layout     The slots of engine/table/adaptive_cuckoo.hpp.
// Invariant  No false negatives.
// Limits     insert, erase and adapt need the table. A filter loaded from a file without its table
//            can only be queried, and so can a filter that `build` makes from keys alone: the
//            registry and the command line tool, which have no table, treat it as a static set.
//            Each slot has 2, 4 or 8 hash functions. If more non-members than that collide in one
//            slot and are asked in turn, each is a false positive again now and then.
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

// Options of adaptive_cuckoo_filter. The constructor needs keys and fpr.
struct adaptive_cuckoo_options {
  std::optional<std::uint64_t> keys{};  // keys it is planned for; a build counts them itself
  // false positive rate of non-members asked for the first time; in a build and a plan absent:
  // 1/256
  std::optional<double> fpr{};
  unsigned selector_bits = 2;  // 1 to 3: a slot chooses among 2, 4 or 8 hash functions
  hasher hash{};               // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;  // threads that sort in a build; all else runs on the caller's thread
};

// The table of keys behind the filter. Slots are numbered from 0; the filter decides which slot a
// key takes.
template <class T>
concept key_table = requires(T& table, const T& asked, std::uint64_t slot) {
  { asked.key(slot) } -> key;  // the key in an occupied slot
  table.move(slot, slot);      // from an occupied slot to an empty one
};

// The filter; the table is the caller's and is passed to the calls that need it. Inherited from
// core/keyed.hpp: may_contain, may_contain_batch.
class adaptive_cuckoo_filter : public core::keyed<core::adaptive_cuckoo> {
  using base = core::keyed<core::adaptive_cuckoo>;
  using shape = core::adaptive_cuckoo::shape;

 public:
  using options_type = adaptive_cuckoo_options;
  static constexpr unsigned slots = core::adaptive_cuckoo::slots;  // slots per bucket
  static constexpr std::string_view kind = "adaptive-cuckoo-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .is_static = true, .adapts = true, .lines = 2};

  adaptive_cuckoo_filter() : adaptive_cuckoo_filter(options_type{.keys = 0, .fpr = 0.5}) {}
  // An empty filter of size() slots, to be filled with insert(). The table must have as many slots.
  explicit adaptive_cuckoo_filter(const options_type& options)
      : base(options.hash, engine_type(shaped(options), options.memory)) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const shape made = shaped(complete(options, 0));
    return {.keys = options.keys.value_or(0),
            .cells = made.buckets * slots,
            .probes = 2,
            .bits = sizing::cuckoo_bits(made.buckets, slots, made.width()),
            .fpr = made.rate(options.keys.value_or(0))};
  }

  // A filter of these keys, without a table, that can only be queried. A program that keeps its
  // keys in a table inserts them one by one instead. Throws `full` if the keys do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static adaptive_cuckoo_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static adaptive_cuckoo_filter build(const std::type_identity_t<Spool>& keys,
                                                    const options_type& options) {
    // in the order of digests: equal sets give equal bytes
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

  // Slots of the filter and of the table.
  [[nodiscard]] std::uint64_t size() const noexcept { return engine_.size(); }
  [[nodiscard]] unsigned tag_bits() const noexcept { return engine_.tag_bits(); }  // bits of a tag
  // bits that number the hash function of a slot
  [[nodiscard]] unsigned selector_bits() const noexcept { return engine_.selector_bits(); }

  // The slot of the table where the key may be; nullopt if the key is certainly not in the table.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return engine_.slot_of(hash_(k));
  }
  // The slot that holds the key itself, compared by digest; nullopt if none does.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> find_exactly(const K& k, const Table& table) const {
    return engine_.exact_slot_of(hash_(k), hashed<const Table>{hash_, table});
  }

  // The slot where the table must now store the key. Before that, the table is told to move other
  // keys (table.move). Returns nullopt and changes nothing if there is no room.
  template <key K, key_table Table>
  [[nodiscard]] std::optional<std::uint64_t> insert(const K& k, Table& table) {
    hashed<Table> behind{hash_, table};
    return engine_.insert(hash_(k), behind);
  }
  // Frees a slot. The table must drop the key there, too.
  void erase(std::uint64_t slot) noexcept { engine_.free(slot); }

  // Reports a false positive: k is not in the table, but find() returned a slot. Every slot that
  // matched takes the tag of another hash function. True: k does not pass any more. False: a key of
  // the table has the same tag as k under every hash function.
  template <key K, key_table Table>
  bool adapt(const K& k, const Table& table) {
    return engine_.adapt(hash_(k), hashed<const Table>{hash_, table});
  }

 private:
  // The caller's table, as the engine needs it: digests instead of keys.
  template <class Table>
  struct hashed {
    const hasher& hash;
    Table& table;
    [[nodiscard]] digest digest_in(std::uint64_t slot) const { return hash(table.key(slot)); }
    void move(std::uint64_t from, std::uint64_t to) { table.move(from, to); }
  };
  // The table of a build, which is dropped afterwards.
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
