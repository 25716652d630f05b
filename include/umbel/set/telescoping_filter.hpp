// telescoping_filter.hpp - set that unlearns: a false positive, once reported, is not repeated. log2(1/fpr) + 4.3 bits in a slot.
// Idea       A quotient filter whose slots also say which of four hashes of their key they keep. Where a stranger was let through, the slot
//            that did it goes on to the next hash of its key under which the two differ. For that the key itself is
//            needed, which is where the filter guards the way to: a store that lists the keys of a home.
// Layout     core/run_table.hpp, values of r + 2 bits: a remainder and, below it, the number of its hash.
// Invariant  Of every key that is in, the remainder by some of its hashes stands in its home, marked with that hash. Every key counts once.
// Limits     Past the fourth hash a slot starts again with the first, and strangers it had unlearned may pass again. Insert each key
//            once; erase needs the store too. It is no kind of the registry: nobody can call `adapt` through a file or a tool.
// Threads    Many readers or one writer.
// Source     [LMSS21]; differs in that selectors are plain bits, not coded, and that the store lists homes instead of slots.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/run_table.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel {

struct telescoping_options {
  std::uint64_t keys = 0;
  double fpr = 0.01;  // of strangers that were not reported
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
};

// A store is called with a home and visit(digest): it visits the digest of every key that is in and has this home.
class telescoping_filter : public core::set_queries<telescoping_filter>,
                           public core::bounded_inserts<telescoping_filter> {
 public:
  static constexpr std::string_view kind = "telescoping-filter";
  static constexpr unsigned selector_bits = 2, hashes = 1U << selector_bits;

  explicit telescoping_filter(const telescoping_options& wish) : telescoping_filter(planned(wish), wish) {}

  // Where a store files a key.
  template <key K>
  [[nodiscard]] std::uint64_t home(const K& k) const noexcept {
    return home_of(hash_(k));
  }
  // A key that passed and is not in: from now on it does not, until a slot has used up its hashes. How many slots changed.
  template <key K, class Store>
  std::size_t adapt(const K& stranger, Store&& store) {
    const digest d = hash_(stranger);
    std::size_t changed = 0;
    const auto next = [&](digest member, std::uint64_t value) {
      if (!matches(d, value)) return value;
      ++changed;
      unsigned which = selector(value);
      do which = (which + 1) % hashes;
      while (remainder(member, which) == remainder(d, which) && which != selector(value));
      return coded(member, which);
    };
    rewrite(home_of(d), store, next, std::nullopt);
    return changed;
  }
  // Takes out a key that is in, while the store still lists it. False: it is not in, by the filter or by the store.
  template <key K, class Store>
  bool erase(const K& k, Store&& store) {
    const digest d = hash_(k);
    const std::uint64_t before = table_.used();
    if (may_contain_digest(d))
      rewrite(
          home_of(d), store, [](digest, std::uint64_t value) { return value; }, d);
    return table_.used() < before;
  }

  [[nodiscard]] std::uint64_t slots() const noexcept { return table_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return table_.width() - selector_bits; }  // of remainders
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return table_.size_in_bits(); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

 private:
  friend core::set_queries<telescoping_filter>;
  friend core::bounded_inserts<telescoping_filter>;
  using spot = core::run_table::spot;

  telescoping_filter(const sizing::quotient_plan& made, const telescoping_options& wish)
      : hash_(wish.hash), table_(made.blocks, made.width + selector_bits, wish.memory) {}
  [[nodiscard]] static sizing::quotient_plan planned(const telescoping_options& wish) {
    core::check({wish.keys, wish.fpr, std::nullopt});
    const auto made = sizing::plan_quotient_for_rate(wish.keys, wish.fpr, sizing::quotient_most_load);
    core::check_kept(wish.fpr, made.fpr);
    return made;
  }

  [[nodiscard]] std::uint64_t home_of(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::quotient, 2)};
    return detail::fastrange(words(d).first(), slots());
  }
  [[nodiscard]] std::uint64_t remainder(digest d, unsigned which) const noexcept {
    constexpr std::array<detail::remixer, hashes> words{detail::remixer{detail::salt_of(detail::stage::selectors, 0)},
                                                        detail::remixer{detail::salt_of(detail::stage::selectors, 1)},
                                                        detail::remixer{detail::salt_of(detail::stage::selectors, 2)},
                                                        detail::remixer{detail::salt_of(detail::stage::selectors, 3)}};
    return words[which](d).first() >> (64 - width());
  }
  [[nodiscard]] static unsigned selector(std::uint64_t value) noexcept {
    return static_cast<unsigned>(value & (hashes - 1));
  }
  [[nodiscard]] std::uint64_t coded(digest d, unsigned which) const noexcept {
    return remainder(d, which) << selector_bits | which;
  }
  [[nodiscard]] bool matches(digest d, std::uint64_t value) const noexcept {
    return value == coded(d, selector(value));
  }

  template <class Bits>
  [[nodiscard]] bool holds(Bits bits, std::uint64_t home, digest d) const noexcept {
    return table_.any_of(bits, home, [&](std::uint64_t value) { return matches(d, value); });
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
          return spot{home_of(digest_at(i)), 0};
        },
        [&](auto bits, std::size_t i, const spot& key) { out[i] = holds(bits, key.home, digest_at(i)); });
  }
  std::optional<bool> try_insert_digest(digest d) noexcept {
    return table_.insert(cells::kernel::portable::word_bits{}, home_of(d), coded(d, 0));
  }
  [[nodiscard]] std::size_t insert_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t taken = 0;
    table_.each_written(
        total,
        [&](std::size_t i) {
          return spot{home_of(digest_at(i)), coded(digest_at(i), 0)};
        },
        [&](auto bits, std::size_t i, const spot& key) {
          if (taken == i && table_.insert(bits, key.home, key.value)) ++taken;  // none after the first without room
        });
    return taken;
  }

  // The run of a home, written anew from the store's keys: each takes a value that is its own, changed by next(key, value). A key to be
  // left out takes its value with it. Values are given to keys one to one, whoever comes first: keys that share one share it still.
  template <class Store, class Next>
  void rewrite(std::uint64_t home, Store&& store, Next&& next, std::optional<digest> left_out) {
    constexpr cells::kernel::portable::word_bits bits;
    std::vector<std::uint64_t> values;
    (void)table_.any_of(bits, home, [&](std::uint64_t value) {
      values.push_back(value);
      return false;
    });
    std::vector<digest> keys;
    store(home, [&](digest d) { keys.push_back(d); });
    std::vector<std::vector<std::size_t>> fitting(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
      for (std::size_t v = 0; v < values.size(); ++v)
        if (matches(keys[k], values[v])) fitting[k].push_back(v);
    std::vector<std::size_t> owner(values.size(), keys.size());
    std::vector<char> seen;
    // Augmenting paths: a run has one or two values, seldom more.
    const auto give = [&](auto&& self, std::size_t k) -> bool {
      for (const std::size_t v : fitting[k]) {
        if (seen[v] != 0) continue;
        seen[v] = 1;
        if (owner[v] == keys.size() || self(self, owner[v])) {
          owner[v] = k;
          return true;
        }
      }
      return false;
    };
    for (std::size_t k = 0; k < keys.size(); ++k) {
      seen.assign(values.size(), 0);
      (void)give(give, k);
    }
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (owner[v] == keys.size()) continue;  // no key of the store's: left alone
      const digest own = keys[owner[v]];
      const bool goes = left_out && own == *left_out;
      const std::uint64_t changed = goes ? 0 : next(own, values[v]);
      if (!goes && changed == values[v]) continue;
      (void)table_.remove(bits, home, [&](std::uint64_t value) { return value == values[v]; });
      if (goes)
        left_out.reset();
      else
        (void)table_.insert(bits, home, changed);
    }
  }

  hasher hash_;
  core::run_table table_;
};

}  // namespace umbel
