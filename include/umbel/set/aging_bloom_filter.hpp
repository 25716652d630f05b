// aging_bloom_filter.hpp - a window over recent keys: two Bloom filters that take turns [Yoo10],
// [CLF04].
//
// When one filter is full, the older one is forgotten and begins anew (engine/compose/turns.hpp).
// Form `a2`: keys go into the newer filter, both answer. Form `double_buffering`: only the active
// one answers, and from half of its room on keys go into both, so that the one which takes over
// knows the latest keys.
//
// Invariant  The last `window` distinct keys are in. Nothing that came more than twice as many
//            distinct keys ago is, but for false positives.
// Limits     Forgets, by design. Repeats do not age anything. An insert writes at most
//            8 (probes + lines_per_insert) words, and one for each probe.
// Threads    Many readers or one writer.
// Source     [Yoo10], [CLF04], [TRL12] sec. III-L.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/turns.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/aging.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

[[nodiscard]] constexpr bool form_named(std::string_view name, aging_form& out) noexcept {
  for (const auto form : {aging_form::a2, aging_form::double_buffering})
    if (name == name_of(form)) return out = form, true;
  return false;
}

struct aging_options {
  // of the window: so many recent ones are in. Of keys, fpr and bits exactly two
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};          // at any time
  std::optional<std::uint64_t> bits{};  // of both filters
  aging_form form = aging_form::a2;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

class aging_bloom_filter : public core::keyed<core::turns> {
  using base = core::keyed<core::turns>;

 public:
  using options_type = aging_options;
  static constexpr std::string_view kind = "aging-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_forget = true, .windowed = true, .order_dependent = true};

  aging_bloom_filter() = default;
  explicit aging_bloom_filter(const options_type& options)
      : aging_bloom_filter(fitted(options), options) {}

  // In the order of digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static aging_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static aging_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                const options_type& options) {
    return core::build_in_order<aging_bloom_filter>(keys, options);
  }
  // With the first `keys` keys in. Later, when both filters of form a2 are full, the rate is twice
  // that.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * sizing::buffer_size(made.at.cells()),
            .fpr = made.fpr,
            .form = name_of(options.form)};
  }

  [[nodiscard]] aging_form form() const noexcept { return engine_.form(); }
  // So many recent distinct keys are in.
  [[nodiscard]] std::uint64_t window() const noexcept {
    return sizing::window_for(engine_.room(), engine_.both_answer());
  }
  // Of 512 bits, which an insert clears of a filter that was forgotten, beside those of its own
  // bits: it is clear after a 64th of its room.
  [[nodiscard]] std::uint64_t lines_per_insert() const noexcept {
    return engine_.lines_per_insert();
  }
  // Whether the key is in; if so, it is as if it came just now. For caches that drop what was used
  // least recently.
  template <key K>
  bool touch(const K& k) {
    const digest d = hash_(k);
    if (!engine_.may_contain(d)) return false;
    engine_.insert(d);
    return true;
  }

 private:
  struct fit {
    core::k_probes at;
    std::uint64_t room, keys;  // of one filter, of the window
    double fpr;
  };

  [[nodiscard]] static fit fitted(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    const bool both = options.form == aging_form::a2;
    const auto at_once = [&](double rate) { return both ? rate * (2 - rate) : rate; };
    std::uint64_t keys = options.keys.value_or(0),
                  half = sizing::buffer_within(options.bits.value_or(2) / 2);
    const auto room_of = [&](std::uint64_t window) {
      return std::max<std::uint64_t>(2, both ? window : 2 * window);
    };
    const auto full_rate = [&](unsigned k) {
      return at_once(sizing::bloom_fpr(room_of(keys), half, k));
    };
    unsigned probes = options.fpr ? sizing::aging_probes(*options.fpr, both) : 1;
    if (!options.bits) {
      half = sizing::buffer_bits(room_of(keys), probes);
      while (full_rate(probes) > *options.fpr && half < sizing::max_bits / 2)
        half += half / 256 + 1;
    } else if (options.fpr) {
      keys = sizing::window_for(sizing::buffer_room(half, probes), both);
      while (keys > 0 && full_rate(probes) > *options.fpr) keys -= keys / 256 + 1;
    } else {
      const auto most = static_cast<double>(sizing::bloom_max_probes);
      const double best =
          static_cast<double>(half) * std::log(2.0) / static_cast<double>(room_of(keys));
      probes = static_cast<unsigned>(std::clamp(best * (1 + 1e-14), 1.0, most));
    }
    core::check_keys(keys);
    if (keys > 0) core::check_kept(options.fpr, full_rate(probes));
    return {core::k_probes(half, probes), room_of(keys), keys,
            sizing::bloom_fpr(keys, half, probes)};
  }
  aging_bloom_filter(const fit& made, const options_type& options)
      : base(options.hash, engine_type(made.at, options.form, made.room, options.memory)) {}
};

}  // namespace umbel
