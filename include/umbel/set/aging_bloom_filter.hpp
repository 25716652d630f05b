// aging_bloom_filter.hpp - a window over recent keys: two Bloom filters that take turns.
// Idea       When one filter is full, the older one is forgotten and begins anew. Form `a2`: keys go into the newer, both answer.
//            Form `double_buffering`: only the active one answers, and from half of its room on keys go into both, so that
//            the one which takes over knows what came last.
// Layout     Two arrays of bits under one index, which are cleared line by line while they are in use, and how many keys were new to
//            each.
// Invariant  The last `window` distinct keys are in. Nothing that came more than twice as many distinct keys ago is, but for false
//            positives.
// Limits     Forgets, by design. Repeats do not age anything. An insert writes at most 8 (probes + lines_per_insert) words, and one for each probe.
// Threads    Many readers or one writer.
// Source     [Yoo10], [CLF04], [TRL12] sec. III-L.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/renewed_bits.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/sizing/aging.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

enum class aging_form : std::uint64_t { a2, double_buffering };
inline constexpr std::array<std::string_view, 2> aging_form_names{"a2", "double-buffering"};
[[nodiscard]] constexpr std::string_view name_of(aging_form form) noexcept {
  return aging_form_names[static_cast<std::size_t>(form)];
}
[[nodiscard]] constexpr bool form_named(std::string_view name, aging_form& out) noexcept {
  for (const auto form : {aging_form::a2, aging_form::double_buffering})
    if (name == name_of(form)) return out = form, true;
  return false;
}

struct aging_options {
  std::optional<std::uint64_t> keys{};  // of the window: so many recent ones are in. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // at any time
  std::optional<std::uint64_t> bits{};  // of both filters
  aging_form form = aging_form::a2;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

class aging_bloom_filter : public core::set_queries<aging_bloom_filter>,
                           public core::set_inserts<aging_bloom_filter>,
                           public core::ordered_build<aging_bloom_filter> {
 public:
  using options = aging_options;
  static constexpr std::string_view kind = "aging-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .may_forget = true, .windowed = true, .order_dependent = true};

  aging_bloom_filter() : aging_bloom_filter(fit{core::k_probes(1, 1, salt), 2, 0, 0}, {}) {}
  explicit aging_bloom_filter(const options& wish) : aging_bloom_filter(fitted(wish), wish) {}

  // With the first `keys` keys in. Later, when both filters of form a2 are full, the rate is twice that.
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const fit made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * sizing::buffer_size(made.at.cells()),
            .fpr = made.fpr,
            .form = name_of(wish.form)};
  }

  using core::ordered_build<aging_bloom_filter>::build;

  void clear() noexcept {
    for (side* s : {&first_, &second_}) {
      s->filter.cells().clear();
      s->keys = 0;
    }
  }
  [[nodiscard]] aging_form form() const noexcept { return static_cast<aging_form>(form_); }
  // So many recent distinct keys are in.
  [[nodiscard]] std::uint64_t window() const noexcept { return sizing::window_for(room_, both_answer()); }
  [[nodiscard]] unsigned probes() const noexcept { return first_.filter.index().probes(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return 2 * first_.filter.cells().size_in_bits(); }
  // Of 512 bits, which an insert clears of a filter that was forgotten, beside those of its own bits: it is clear after a 64th of
  // its room.
  [[nodiscard]] std::uint64_t lines_per_insert() const noexcept { return lines_per_insert_; }
  // The rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    const double newer = accepts(first_);
    return both_answer() ? 1 - (1 - newer) * (1 - accepts(second_)) : newer;
  }
  // Whether the key is in; if so, it is as if it came just now. For caches that drop what was used least recently.
  template <key K>
  bool touch(const K& k) {
    const digest d = hash_(k);
    if (!may_contain_digest(d)) return false;
    insert_digest(d);
    return true;
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const aging_bloom_filter& a, const aging_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.form_ == b.form_ && a.room_ == b.room_ && a.first_ == b.first_ &&
           a.second_ == b.second_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("form", self.form_, aging_form_names);
    field("room", self.room_);
    field("keys", self.first_.keys);
    field("others", self.second_.keys);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.first_.filter.index());
    part.fields("window", self);
    part.fields("first_lines", self.first_.filter.cells());
    part.array("first", self.first_.filter.cells().storage());
    part.array("first_marks", self.first_.filter.cells().marks());
    part.fields("second_lines", self.second_.filter.cells());
    part.array("second", self.second_.filter.cells().storage());
    part.array("second_marks", self.second_.filter.cells().marks());
  }
  void check() {
    first_.filter.check();
    first_.filter.index().require_usual();
    if (first_.filter.index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", first_.filter.index().salt()));
    second_.filter.index() = first_.filter.index();
    second_.filter.check();
    if (form_ > 1) throw bad_parameter(detail::text("form: expected 0 or 1, found ", form_));
    core::check_keys(room_ / 2);
    if (room_ < 2) throw bad_parameter(detail::text("room: expected at least 2 keys, found ", room_));
    if (first_.keys > room_ || second_.keys > room_)
      throw bad_parameter(detail::text("keys: expected at most ", room_, " in each filter, found ", first_.keys,
                                       " and ", second_.keys));
    lines_per_insert_ = sizing::lines_per_insert(first_.filter.index().cells(), room_);
  }

 private:
  friend core::set_queries<aging_bloom_filter>;
  friend core::set_inserts<aging_bloom_filter>;
  using engine = core::probes<core::k_probes, cells::renewed_bits>;

  static constexpr std::uint64_t salt = 0x40000;  // other places than a Bloom filter's of that size

  struct side {
    engine filter;
    std::uint64_t keys = 0;  // that were new when they came
    void forget() noexcept {
      filter.cells().forget();
      keys = 0;
    }
    friend bool operator==(const side& a, const side& b) noexcept {
      return a.keys == b.keys && a.filter.index() == b.filter.index() && a.filter.cells() == b.filter.cells();
    }
  };
  struct fit {
    core::k_probes at;
    std::uint64_t room, keys;  // of one filter, of the window
    double fpr;
  };

  [[nodiscard]] static fit fitted(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    const bool both = wish.form == aging_form::a2;
    const auto at_once = [&](double rate) { return both ? rate * (2 - rate) : rate; };
    std::uint64_t keys = wish.keys.value_or(0), half = sizing::buffer_within(wish.bits.value_or(2) / 2);
    const auto room_of = [&](std::uint64_t window) { return std::max<std::uint64_t>(2, both ? window : 2 * window); };
    const auto full_rate = [&](unsigned k) { return at_once(sizing::bloom_fpr(room_of(keys), half, k)); };
    unsigned probes = wish.fpr ? sizing::aging_probes(*wish.fpr, both) : 1;
    if (!wish.bits) {
      half = sizing::buffer_bits(room_of(keys), probes);
      while (full_rate(probes) > *wish.fpr && half < sizing::max_bits / 2) half += half / 256 + 1;
    } else if (wish.fpr) {
      keys = sizing::window_for(sizing::buffer_room(half, probes), both);
      while (keys > 0 && full_rate(probes) > *wish.fpr) keys -= keys / 256 + 1;
    } else {
      const auto most = static_cast<double>(sizing::bloom_max_probes);
      const double best = static_cast<double>(half) * std::log(2.0) / static_cast<double>(room_of(keys));
      probes = static_cast<unsigned>(std::clamp(best * (1 + 1e-14), 1.0, most));
    }
    core::check_keys(keys);
    if (keys > 0) core::check_kept(wish.fpr, full_rate(probes));
    return {core::k_probes(half, probes, salt), room_of(keys), keys, sizing::bloom_fpr(keys, half, probes)};
  }
  aging_bloom_filter(const fit& made, const options& wish)
      : hash_(wish.hash),
        form_(static_cast<std::uint64_t>(wish.form)),
        room_(made.room),
        first_{engine(made.at, wish.memory), 0},
        second_{engine(made.at, wish.memory), 0},
        lines_per_insert_(sizing::lines_per_insert(made.at.cells(), made.room)) {}

  [[nodiscard]] bool both_answer() const noexcept { return form() == aging_form::a2; }
  [[nodiscard]] std::size_t answering() const noexcept { return both_answer() ? 2 : 1; }
  [[nodiscard]] auto by_age() const noexcept {
    return [this](std::size_t j) -> const engine& { return (j == 0 ? first_ : second_).filter; };
  }
  [[nodiscard]] static double accepts(const side& s) noexcept {
    return std::pow(static_cast<double>(s.filter.cells().ones()) / static_cast<double>(s.filter.cells().size()),
                    s.filter.index().probes());
  }

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return core::query_any(answering(), by_age(), d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    core::query_any(answering(), by_age(), total, digest_at, out);
  }

  // True if the newer filter changed.
  bool insert_digest(digest d) noexcept {
    for (side* s : {&first_, &second_}) s->filter.cells().renew_some(lines_per_insert_);
    return both_answer() ? take(d) : take_twice(d);
  }
  void insert_digests(std::size_t total, auto& digest_at) noexcept {
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
          d = digest_at(i);
          first_.filter.prefetch_for_write(d);
          if (!both_answer()) second_.filter.prefetch_for_write(d);
        },
        [&](std::size_t, const digest& d) { (void)insert_digest(d); });
  }
  bool take(digest d) noexcept {
    if (first_.keys == room_ &&
        !first_.filter.may_contain(d)) {  // full, and this one is new: it is the first of the next turn
      std::swap(first_, second_);
      first_.forget();
    }
    const bool changed = first_.filter.insert(d);
    first_.keys += changed;
    return changed;
  }
  bool take_twice(digest d) noexcept {
    const bool changed = first_.filter.insert(d);
    first_.keys += changed && first_.keys < room_;
    if (first_.keys >= room_ / 2) {
      second_.keys += second_.filter.insert(d);
      if (second_.keys >= room_ / 2) {
        std::swap(first_, second_);
        second_.forget();
      }
    }
    return changed;
  }

  hasher hash_;
  std::uint64_t form_ = 0;
  std::uint64_t room_ = 2;  // keys that fill one filter by half
  side first_, second_;     // the newer or active one, the other
  std::uint64_t lines_per_insert_;
};

}  // namespace umbel
