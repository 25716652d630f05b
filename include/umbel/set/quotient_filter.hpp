// quotient_filter.hpp - quotient filter [BFJKK+12], in its rank-and-select form [PBJP17]: a growing
// set that erases, counts, merges and doubles without its keys.
//
// (log2(1/fpr) + 2.1) / 0.95 bits per key, one or two cache lines per query. Smaller than a Bloom
// filter for rates below 2 %.
//
// Layout     The fingerprints of engine/table/quotient.hpp in a quotient table.
// Invariant  Every copy of every fingerprint is kept. So an erase takes out one copy and harms no
//            other key; bytes are a function of the multiset of keys, in any order of inserts and
//            erases; and the false positive rate is known exactly from them.
// Limits     Full at 95 % of the slots: `full`. The planned keys always fit. Each copy of a key
//            takes a slot, and many copies of one key make queries near it slow. Erasing a key that
//            was never inserted may remove another's fingerprint.
// Threads    Many readers or one writer.
// Source     [BFJKK+12], [PBJP17]; the practical form of [PPR05].
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/quotient.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/quotient.hpp>

namespace umbel {

struct quotient_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  double load =
      // most slots that `keys` keys may take, as a share: lower is faster to fill
      sizing::quotient_max_load;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class quotient_filter : public core::keyed<core::quotient, quotient_filter> {
  using base = core::keyed<core::quotient, quotient_filter>;

 public:
  using options_type = quotient_options;
  static constexpr std::string_view kind = "quotient-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set,
                                        .counts = true,
                                        .erases = true,
                                        .mergeable = true,
                                        .may_fill = true,
                                        .lines = 2};

  quotient_filter() = default;
  explicit quotient_filter(const options_type& options)
      : quotient_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static quotient_filter build(const Keys& keys, const options_type& options) {
    return core::grown<quotient_filter>(keys, options);
  }

  // All fingerprints, ascending, each as often as it is in.
  template <class Visit>
  void each_fingerprint(Visit&& visit) const {
    engine_.each_fingerprint(visit);
  }
  // Twice the slots of one bit less each, without the keys: the same fingerprints and the same
  // rate, room for as many again, whose rate is then twice what was planned. Throws bad_parameter
  // if a slot has but one bit.
  void expand() { engine_.expand(); }

  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.table().slots(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.table().width(); }
  // of all keys
  [[nodiscard]] std::uint64_t copies() const noexcept { return engine_.table().used(); }

 private:
  quotient_filter(const sizing::quotient_plan& made, const options_type& options)
      : base(options.hash, {made.blocks, made.width, options.memory}) {}
  [[nodiscard]] static sizing::quotient_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/quotient_filter.ipp>
#endif
