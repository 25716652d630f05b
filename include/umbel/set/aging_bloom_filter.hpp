// aging_bloom_filter.hpp - active-active buffering (A2) [Yoo10] and double buffering [CLF04]: two
// Bloom filters that take turns, for a sliding window over recent keys.
//
// When one filter is full, the older one is cleared and becomes the newer one
// (engine/compose/turns.hpp). Form `a2`: keys are inserted into the newer filter, and both are
// queried. Form `double_buffering`: only the active filter is queried. Once it is half full, keys
// are inserted into both, so the filter that takes over already has the latest keys.
//
// Invariant  The last window() distinct keys are found. A key that was last seen more than 2 *
//            window() distinct keys ago is not found, except as a false positive.
// Limits     Older keys are forgotten by design. Repeated keys do not age the others. An insert
//            writes at most 8 (probes + lines_per_insert) words, and one more per probe.
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

// Sets `out` to the form of this name ("a2" or "double-buffering"). Returns false and changes
// nothing if no form has this name.
[[nodiscard]] constexpr bool form_named(std::string_view name, aging_form& out) noexcept {
  for (const auto form : {aging_form::a2, aging_form::double_buffering})
    if (name == name_of(form)) return out = form, true;
  return false;
}

// Options of aging_bloom_filter.
struct aging_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // window: number of most recent distinct keys that are kept
  std::optional<double> fpr{};          // false positive rate at any time
  std::optional<std::uint64_t> bits{};  // size of both filters together, in bits
  // `a2`: fewer bits; `double_buffering`: a query reads one filter
  aging_form form = aging_form::a2;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads that hash and sort the keys of a build
};

// A set of the most recent keys. Inherited from core/keyed.hpp: may_contain, may_contain_batch,
// insert, insert_batch, clear.
class aging_bloom_filter : public core::keyed<core::turns> {
  using base = core::keyed<core::turns>;

 public:
  using options_type = aging_options;
  static constexpr std::string_view kind = "aging-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_forget = true, .windowed = true, .order_dependent = true};

  aging_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit aging_bloom_filter(const options_type& options)
      : aging_bloom_filter(fitted(options), options) {}

  // A filter of these keys, inserted in the order of their digests: equal sets give equal bytes.
  template <core::key_range Keys>
  [[nodiscard]] static aging_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static aging_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                const options_type& options) {
    return core::build_in_order<aging_bloom_filter>(keys, options);
  }
  // Size and false positive rate after the first `keys` keys, without building. Later, when both
  // filters of form a2 are full, the rate is twice as high, and still at most the fpr asked for.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * sizing::buffer_size(made.at.cells()),
            .fpr = made.fpr,
            .form = name_of(options.form)};
  }

  // as chosen in the options
  [[nodiscard]] aging_form form() const noexcept { return engine_.form(); }
  // Number of most recent distinct keys that are always found.
  [[nodiscard]] std::uint64_t window() const noexcept {
    return sizing::window_for(engine_.room(), engine_.both_answer());
  }
  // Lines of 512 bits that each insert clears in the filter being reused, besides the lines it
  // writes to. All lines are clear once 1/64 of that filter's capacity has been inserted.
  [[nodiscard]] std::uint64_t lines_per_insert() const noexcept {
    return engine_.lines_per_insert();
  }
  // Whether the key is found; if so, it is inserted again, and counts as the most recent key. For
  // caches that evict the least recently used entry.
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
    std::uint64_t room, keys;  // room of one filter; keys of the window
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
