// telescoping_filter.hpp - set that unlearns: a false positive, once reported, is not repeated. log2(1/fpr) + 3 bits in a slot.
// Idea       A quotient filter whose entries also say which of many hashes of their key they keep. Where a stranger was let through, the
//            entry that did it goes on to the next hash of its key under which the two differ. For that the key itself is
//            needed, which is where the filter guards the way to: a store that lists the keys of a home.
// Layout     engine/table/quotient_table.hpp, values of r bits, remainders; and for each group of 64 homes 56 bits, the code (cells/sum_code.hpp) of the
//            numbers of the hashes, the selectors, of its entries in the order of homes and values.
// Invariant  Of every key that is in, the remainder by one of its hashes is an entry of its home, with the number of that hash. Every key
//            counts once. Groups that have unlearned nothing have the code 0.
// Limits     The selectors of a group add up to 12 at most. When they would not, the group begins anew with the first hash of each of its
//            keys, and strangers it had unlearned may pass again. Insert each key once; erase needs the store too. A file of
//            it goes on where it was, beside the same store. The registry and the tool have no
//            store: they build, ask and add, and leave `adapt` and `erase` to programs.
// Threads    Many readers or one writer.
// Source     [LMSS21]; differs in that groups are of homes instead of slots, so that no insert moves a selector to another group, and that
//            the store lists homes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/sum_code.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel {

struct telescoping_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // of non-members that were not reported
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: for sorting in a build from a spool
};

// A store is called with a home and visit(digest): it visits the digest of every key that is in and has this home.
class telescoping_filter : public core::set_queries<telescoping_filter>,
                           public core::bounded_inserts<telescoping_filter> {
  // A group of a full table has 61 entries, give or take 8; one in 10^9 has more than 112, and those beyond keep their first hash.
  using selector_code = cells::sum_code<112, 12>;

 public:
  using options = telescoping_options;
  static constexpr std::string_view kind = "telescoping-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .may_fill = true, .adapts = true, .lines = 3};
  static constexpr unsigned code_bits = 56;
  static_assert(selector_code::codes() <= std::uint64_t{1} << code_bits);

  telescoping_filter() : telescoping_filter(options{.keys = 0, .fpr = 0.01}) {}
  explicit telescoping_filter(const options& wish) : telescoping_filter(planned(wish), wish) {}
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const auto made = planned(wish);
    return {.keys = made.keys,
            .cells = made.blocks * sizing::quotient_block_slots,
            .probes = 1,
            .bits = bits_of(made),
            .fpr = made.fpr};
  }

  // From a range: every key as it comes, so each must come once. From a spool: of its set,
  // whatever comes twice.
  using core::bounded_inserts<telescoping_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build so compile the sorting
  [[nodiscard]] static telescoping_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    return core::build_in_order<telescoping_filter>(keys, wish);
  }

  // Where a store files a key.
  template <key K>
  [[nodiscard]] std::uint64_t home(const K& k) const noexcept {
    return home_of(hash_(k));
  }
  // A key that passed and is not in: from now on it does not, until its group begins anew. How many entries had let it
  // through.
  template <key K, class Store>
  std::size_t adapt(const K& stranger, Store&& store) {
    const digest d = hash_(stranger);
    std::vector<entry> group = entries_of(home_of(d) / group_homes);
    std::vector<entry> changed = group;
    const std::size_t passed = unlearn(d, changed, store);
    if (passed == 0 || rewrite(group, changed)) return passed;
    ++restarts_;
    changed = group;
    restart(changed, store);
    if (!rewrite(group, changed)) return 0;  // the store did not list its keys
    group = changed;
    return unlearn(d, changed, store) == 0 || rewrite(group, changed) ? passed : 0;
  }
  // Takes out a key that is in, while the store still lists it. False: it is not in, by the filter or by the store.
  template <key K, class Store>
  bool erase(const K& k, Store&& store) {
    const digest d = hash_(k);
    if (!may_contain_digest(d)) return false;
    const std::vector<entry> group = entries_of(home_of(d) / group_homes);
    std::vector<entry> changed = group;
    bool found = false;
    for_each_owned(home_of(d), changed, store, [&](const digest& own, entry& e) {
      if (found || own != d) return;
      found = true;
      e.home = nowhere;
    });
    std::erase_if(changed, [](const entry& e) { return e.home == nowhere; });
    return found && rewrite(group, changed);
  }

  [[nodiscard]] std::uint64_t slots() const noexcept { return table_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return table_.width(); }  // of remainders
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return table_.size_in_bits() + codes_.storage().size() * 64;
  }
  void clear() noexcept {
    table_.clear();
    codes_.storage().clear();
    restarts_ = 0;
  }
  // For non-members that were not reported: the share of (home, remainder) pairs that are in.
  [[nodiscard]] double expected_fpr() const noexcept {
    std::uint64_t distinct = 0, last_home = 0, last_value = 0;
    table_.walk([&](std::uint64_t home, std::uint64_t value) {
      distinct += distinct == 0 || home != last_home || value != last_value;
      last_home = home;
      last_value = value;
    });
    return static_cast<double>(distinct) / (static_cast<double>(slots()) * std::exp2(width()));
  }
  // How often a group began anew since this filter was made or loaded.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

  friend bool operator==(const telescoping_filter& a, const telescoping_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.table_ == b.table_ && a.codes_ == b.codes_;
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    core::quotient_table::describe(self.table_, part);
    part.array("selectors", self.codes_.storage());
  }
  void check() {
    table_.check();
    codes_.reshape(table_.blocks(), code_bits);
  }

 private:
  friend core::set_queries<telescoping_filter>;
  friend core::bounded_inserts<telescoping_filter>;
  using spot = core::quotient_table::spot;

  static constexpr std::uint64_t group_homes = core::quotient_table::block_slots, nowhere = ~std::uint64_t{0};

  struct entry {
    std::uint64_t home, value;
    unsigned selector;
  };

  telescoping_filter(const sizing::quotient_plan& made, const options& wish)
      : hash_(wish.hash), table_(made.blocks, made.width, wish.memory), codes_(made.blocks, code_bits, wish.memory) {}
  [[nodiscard]] static std::uint64_t bits_of(const sizing::quotient_plan& made) noexcept {
    return made.blocks * sizing::quotient_block_bits(made.width) +
           64 * cells::packed::words_for(made.blocks, code_bits);
  }
  [[nodiscard]] static sizing::quotient_plan planned(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    constexpr double load = sizing::quotient_most_load;
    const auto within = [&](std::uint64_t bits) {
      return wish.fpr ? sizing::quotient_room_for(bits, *wish.fpr, load, code_bits)
                      : sizing::plan_quotient_for_bits(*wish.keys, bits, load, code_bits);
    };
    sizing::quotient_plan made;
    if (!wish.bits) {
      made = sizing::plan_quotient_for_rate(*wish.keys, *wish.fpr, load, code_bits);
    } else {
      const std::uint64_t bits = *wish.bits - std::min<std::uint64_t>(*wish.bits, 64);  // codes have a word more
      made = within(bits);
      if (bits_of(made) > *wish.bits) made = within(bits - std::min<std::uint64_t>(bits, 64));  // and whole words
    }
    core::check_kept(wish.fpr, made.fpr);
    if (made.blocks > sizing::max_bits / (sizing::quotient_block_bits(made.width) + code_bits + 64))
      throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
    return made;
  }

  [[nodiscard]] std::uint64_t home_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient, 2)};
    return detail::fastrange(words(d).first(), slots());
  }
  [[nodiscard]] std::uint64_t remainder(digest d, unsigned which) const noexcept {
    return detail::remixer{detail::salt_of(detail::stage::selectors, which)}(d).first() >> (64 - width());
  }
  [[nodiscard]] bool matches(digest d, const entry& e) const noexcept { return e.value == remainder(d, e.selector); }

  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, std::uint64_t home, digest d) const noexcept {
    const std::uint64_t code = codes_.get(home / group_homes);
    if (code == 0) return table_.contains(bits, home, remainder(d, 0));
    if (!table_.any_of(bits, home, [](std::uint64_t) { return true; })) return false;
    const auto selectors = selector_code::decode(code);
    bool found = false;
    std::size_t number = 0;
    table_.walk_block(bits, home / group_homes, [&](std::uint64_t there, std::uint64_t value) {
      const unsigned which = number < selectors.size() ? selectors[number] : 0;
      found |= there == home && value == remainder(d, which);
      ++number;
    });
    return found;
  }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept {
    return cells::kernel::with_word_bits([](auto bits, const telescoping_filter* self,
                                            digest given) { return self->holds(bits, self->home_of(given), given); },
                                         this, d);
  }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    table_.each_read(
        total,
        [&](std::size_t i) {
          const std::uint64_t home = home_of(digest_at(i));
          codes_.prefetch(home / group_homes);
          return spot{home, 0};
        },
        [&](auto bits, std::size_t i, const spot& key) { out[i] = holds(bits, key.home, digest_at(i)); });
  }

  // A new entry stands after those of its home that are not larger; the selectors after it make room for its 0. A group whose last
  // one would have none takes no more.
  template <class Bits>
  [[nodiscard]] std::optional<bool> put(Bits bits, std::uint64_t home, std::uint64_t value) noexcept {
    const std::uint64_t group = home / group_homes, code = codes_.get(group);
    if (code == 0) return table_.insert(bits, home, value);
    auto selectors = selector_code::decode(code);
    if (selectors.back() != 0) return std::nullopt;
    const auto fresh = table_.insert(bits, home, value);
    if (!fresh) return fresh;
    std::size_t number = 0, place = 0;
    table_.walk_block(bits, group, [&](std::uint64_t there, std::uint64_t stored) {
      if (there < home || (there == home && stored <= value)) place = number;
      ++number;
    });
    if (place < selectors.size()) {
      std::copy_backward(selectors.begin() + place, selectors.end() - 1, selectors.end());
      selectors[place] = 0;
      codes_.set(group, *selector_code::encode(selectors));
    }
    return fresh;
  }
  std::optional<bool> try_insert_digest(digest d) noexcept {
    return put(cells::kernel::portable::word_bits{}, home_of(d), remainder(d, 0));
  }
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t taken = 0;
    table_.each_written(
        total,
        [&](std::size_t i) {
          return spot{home_of(digest_at(i)), remainder(digest_at(i), 0)};
        },
        [&](auto bits, std::size_t i, const spot& key) {
          if (taken == i && put(bits, key.home, key.value)) ++taken;  // none after the first without room
        });
    return taken;
  }

  [[nodiscard]] std::vector<entry> entries_of(std::uint64_t group) const {
    const auto selectors = selector_code::decode(codes_.get(group));
    std::vector<entry> out;
    table_.walk_block(cells::kernel::portable::word_bits{}, group, [&](std::uint64_t home, std::uint64_t value) {
      out.push_back({home, value, out.size() < selectors.size() ? selectors[out.size()] : 0U});
    });
    return out;
  }
  // Makes the one group the other. False: its selectors have no code, and nothing changed.
  [[nodiscard]] bool rewrite(const std::vector<entry>& before, std::vector<entry>& after) {
    constexpr cells::kernel::portable::word_bits bits;
    std::sort(after.begin(), after.end(), [](const entry& a, const entry& b) {
      return std::tie(a.home, a.value, a.selector) < std::tie(b.home, b.value, b.selector);
    });
    selector_code::list selectors{};
    for (std::size_t i = 0; i < after.size(); ++i)
      if (i < selectors.size())
        selectors[i] = static_cast<std::uint8_t>(std::min(after[i].selector, 255U));
      else if (after[i].selector != 0)
        return false;
    const auto code = selector_code::encode(selectors);
    if (!code) return false;
    const auto by_place = [](const entry& a, const entry& b) {
      return std::tie(a.home, a.value) < std::tie(b.home, b.value);
    };
    if (!std::is_sorted(before.begin(), before.end(), by_place)) return false;  // no insert made this
    std::vector<entry> gone, come;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone), by_place);
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(come), by_place);
    for (const entry& e : gone)
      (void)table_.remove(bits, e.home, [&](std::uint64_t value) { return value == e.value; });
    for (const entry& e : come) (void)table_.insert(bits, e.home, e.value);
    codes_.set(before.front().home / group_homes, *code);
    return true;
  }

  // Every entry that let the stranger through goes on to the next hash of its key that does not. How many did.
  template <class Store>
  std::size_t unlearn(digest stranger, std::vector<entry>& group, Store&& store) const {
    std::size_t changed = 0;
    for_each_owned(home_of(stranger), group, store, [&](const digest& own, entry& e) {
      if (!matches(stranger, e)) return;
      ++changed;
      do ++e.selector;
      while (remainder(own, e.selector) == remainder(stranger, e.selector) && e.selector < most_selector);
      e.value = remainder(own, e.selector);
    });
    return changed;
  }
  // The first hash of every key of the group.
  template <class Store>
  void restart(std::vector<entry>& group, Store&& store) const {
    std::uint64_t last = nowhere;
    const std::vector<entry> before = group;
    for (const entry& each : before)
      if (each.home != last)
        for_each_owned(last = each.home, group, store, [&](const digest& own, entry& e) {
          e.selector = 0;
          e.value = remainder(own, 0);
        });
  }
  // work(key, entry) for the entries of a home. They are given to the store's keys one to one, whoever comes first: keys that share one
  // share it still. An entry of no key of the store's is left alone.
  template <class Store, class Work>
  void for_each_owned(std::uint64_t home, std::vector<entry>& group, Store&& store, Work&& work) const {
    std::vector<entry*> entries;
    for (entry& e : group)
      if (e.home == home) entries.push_back(&e);
    std::vector<digest> keys;
    store(home, [&](digest d) { keys.push_back(d); });
    std::vector<std::size_t> owner(entries.size(), keys.size());
    std::vector<char> seen;
    // Augmenting paths: a run has one or two entries, seldom more.
    const auto give = [&](auto&& self, std::size_t k) -> bool {
      for (std::size_t v = 0; v < entries.size(); ++v) {
        if (seen[v] != 0 || !matches(keys[k], *entries[v])) continue;
        seen[v] = 1;
        if (owner[v] == keys.size() || self(self, owner[v])) {
          owner[v] = k;
          return true;
        }
      }
      return false;
    };
    for (std::size_t k = 0; k < keys.size(); ++k) {
      seen.assign(entries.size(), 0);
      (void)give(give, k);
    }
    for (std::size_t v = 0; v < entries.size(); ++v)
      if (owner[v] != keys.size()) work(keys[owner[v]], *entries[v]);
  }

  static constexpr unsigned most_selector = 255;  // of no code: 12 are

  hasher hash_;
  core::quotient_table table_;
  cells::packed codes_;  // of groups
  std::uint64_t restarts_ = 0;
};

}  // namespace umbel
