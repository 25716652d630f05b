// telescoping.hpp - telescoping quotient filter [LMSS21], which adapts to false positives: the
// engine of telescoping_filter.
//
// A quotient filter whose entries also record which of several hashes of their key they hold. After
// a false positive, the entry that matched switches to the next hash of its key that differs from
// the same hash of the non-member. This needs the key itself, hence a store that lists the keys of
// a home.
//
// Layout     A quotient table whose values are remainders of r bits; and for each group of 64 homes
//            56 bits, the code (cells/sum_code.hpp) of the selectors, the numbers of the hashes, of
//            its entries in the order of homes and values.
// Invariant  For every member, the remainder by one of its hashes is an entry of its home,
//            with the number of that hash. Groups that have not adapted have the code 0.
// Limits     The selectors of a group add up to 12 at most. When they would not, the group restarts
//            with the first hash of each of its keys, and false positives it had removed may pass
//            again.
// Threads    Many readers or one writer.
// Differs    In [LMSS21] groups are of slots; here they are of homes, so that no insert moves a
//            selector to another group. The store lists homes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <tuple>
#include <vector>

#include <umbel/cells/kernel/word_bits.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/sum_code.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// A store is called with a home and visit(digest). It must visit the digest of every member with
// this home.
class telescoping {
  // In a full table a group has 61 entries with a standard deviation of 8. One group in 10^9 has
  // more than 112; entries beyond these keep their first hash.
  using selector_code = cells::sum_code<112, 12>;
  using spot = quotient_table::spot;

 public:
  static constexpr unsigned code_bits = 56;
  static_assert(selector_code::codes() <= std::uint64_t{1} << code_bits);

  telescoping() : telescoping(1, 1) {}
  telescoping(std::uint64_t blocks, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : table_(blocks, width, memory), codes_(blocks, code_bits, memory) {}

  [[nodiscard]] std::uint64_t slots() const noexcept { return table_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return table_.width(); }  // of remainders
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return table_.size_in_bits() + codes_.storage().size() * 64;
  }
  // For non-members that were not reported: the share of (home, remainder) pairs that are stored.
  [[nodiscard]] double expected_fpr() const noexcept {
    std::uint64_t distinct = 0, last_home = 0, last_value = 0;
    table_.walk([&](std::uint64_t home, std::uint64_t value) {
      distinct += distinct == 0 || home != last_home || value != last_value;
      last_home = home;
      last_value = value;
    });
    return static_cast<double>(distinct) / (static_cast<double>(slots()) * std::exp2(width()));
  }
  // How many times a group restarted since this filter was created or loaded.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
  [[nodiscard]] occupancy occupied() const noexcept { return {table_.used(), table_.room()}; }
  void clear() noexcept {
    table_.clear();
    codes_.storage().clear();
    restarts_ = 0;
  }

  // The home under which a store files a key.
  [[nodiscard]] std::uint64_t home_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient, 2)};
    return detail::fastrange(words(d).first(), slots());
  }
  [[nodiscard]] bool may_contain(digest d) const noexcept {
    return cells::kernel::with_word_bits(
        [](auto bits, const telescoping* self, digest given) {
      return self->holds(bits, self->home_of(given), given);
        },
        this, d);
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept {
    table_.each_read(
        total,
        [&](std::size_t i) {
      const std::uint64_t home = home_of(digest_at(i));
      codes_.prefetch(home / group_homes);
      return spot{home, 0};
        },
        [&](auto bits, std::size_t i, const spot& key) {
      out[i] = holds(bits, key.home, digest_at(i));
    });
  }

  std::optional<bool> try_insert(digest d) noexcept {
    return put(cells::kernel::portable::word_bits{}, home_of(d), remainder(d, 0));
  }
  template <class DigestAt>
  [[nodiscard]] std::size_t try_insert(std::size_t total, DigestAt& digest_at) noexcept {
    std::size_t taken = 0;
    table_.each_written(
        total,
        [&](std::size_t i) {
      return spot{home_of(digest_at(i)), remainder(digest_at(i), 0)};
        },
        [&](auto bits, std::size_t i, const spot& key) {
      // none after the first without room
      if (taken == i && put(bits, key.home, key.value)) ++taken;
    });
    return taken;
  }

  // Reports a false positive. The key no longer passes until its group restarts. Returns how many
  // entries had matched it.
  template <class Store>
  std::size_t adapt(digest d, Store&& store) {
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
  // Removes a member, which the store must still list. False if it is no member by the filter or by
  // the store.
  template <class Store>
  bool erase(digest d, Store&& store) {
    if (!may_contain(d)) return false;
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

  friend bool operator==(const telescoping& a, const telescoping& b) noexcept {
    return a.table_ == b.table_ && a.codes_ == b.codes_;
  }
  static void describe(auto& self, auto& part) {
    quotient_table::describe(self.table_, part);
    part.array("selectors", self.codes_.storage());
  }
  void check() {
    table_.check();
    codes_.reshape(table_.blocks(), code_bits);
  }

 private:
  static constexpr std::uint64_t group_homes = core::quotient_table::block_slots,
                                 nowhere = ~std::uint64_t{0};

  struct entry {
    std::uint64_t home, value;
    unsigned selector;
  };

  [[nodiscard]] std::uint64_t remainder(digest d, unsigned which) const noexcept {
    return detail::remixer{detail::salt_of(detail::stage::selectors, which)}(d).first() >>
           (64 - width());
  }
  [[nodiscard]] bool matches(digest d, const entry& e) const noexcept {
    return e.value == remainder(d, e.selector);
  }

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
  // The new entry comes after those of its home that are not larger. The selectors from its
  // position on shift by one to make room for its 0. If the group's last selector is in use, there
  // is no room.
  template <class Bits>
  [[nodiscard]] std::optional<bool> put(Bits bits, std::uint64_t home,
                                        std::uint64_t value) noexcept {
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
  [[nodiscard]] std::vector<entry> entries_of(std::uint64_t group) const {
    const auto selectors = selector_code::decode(codes_.get(group));
    std::vector<entry> out;
    table_.walk_block(cells::kernel::portable::word_bits{}, group,
                      [&](std::uint64_t home, std::uint64_t value) {
      out.push_back({home, value, out.size() < selectors.size() ? selectors[out.size()] : 0U});
    });
    return out;
  }
  // Replaces the group `before` by `after`. False if the selectors have no code; then nothing
  // changed.
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
    // no insert made this
    if (!std::is_sorted(before.begin(), before.end(), by_place)) return false;
    std::vector<entry> gone, come;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(gone), by_place);
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(come), by_place);
    for (const entry& e : gone)
      (void)table_.remove(bits, e.home, [&](std::uint64_t value) { return value == e.value; });
    for (const entry& e : come) (void)table_.insert(bits, e.home, e.value);
    codes_.set(before.front().home / group_homes, *code);
    return true;
  }

  // Every entry that matches the non-member switches to the next hash of its key that does not.
  // Returns how many did.
  template <class Store>
  std::size_t unlearn(digest other, std::vector<entry>& group, Store&& store) const {
    std::size_t changed = 0;
    for_each_owned(home_of(other), group, store, [&](const digest& own, entry& e) {
      if (!matches(other, e)) return;
      ++changed;
      do ++e.selector;
      while (remainder(own, e.selector) == remainder(other, e.selector) &&
             e.selector < max_selector);
      e.value = remainder(own, e.selector);
    });
    return changed;
  }
  // Resets every entry of the group to the first hash of its key.
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
  // work(key, entry) for the entries of a home, matched one to one with the store's keys. Which of
  // two keys with equal remainders gets which entry does not matter. An entry that matches no key
  // of the store is left unchanged.
  template <class Store, class Work>
  void for_each_owned(std::uint64_t home, std::vector<entry>& group, Store&& store,
                      Work&& work) const {
    std::vector<entry*> entries;
    for (entry& e : group)
      if (e.home == home) entries.push_back(&e);
    std::vector<digest> keys;
    store(home, [&](digest d) { keys.push_back(d); });
    std::vector<std::size_t> owner(entries.size(), keys.size());
    std::vector<char> seen;
    // Augmenting paths: a run has one or two entries, rarely more.
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

  static constexpr unsigned max_selector = 255;  // has no code; the code's largest sum is 12

  quotient_table table_;
  cells::packed codes_;  // of groups
  std::uint64_t restarts_ = 0;
};

}  // namespace umbel::core
