// expandable_filter.hpp - expandable filter [DBRT23]: a set that erases and grows without end and
// without its keys, at a bounded rate.
//
// log2(1/fpr) + 3.5 bits in a slot, of which between half and 95 % are used; one or two cache lines
// per query.
//
// Layout     The fingerprints of engine/table/expandable.hpp: a quotient filter that doubles when
//            full, with fingerprints of different lengths.
// Invariant  No false negatives. The sum of false positives over all generations is bounded
//            (sizing/expandable.hpp).
// Limits     Doubling takes the time and the memory of both tables at once. The order of inserts
//            shows in the bytes. No merge.
// Threads    Many readers or one writer.
// Source     [DBRT23] for lengths that differ, [DBH24] for void values in both halves.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/expandable.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/expandable.hpp>

namespace umbel {

struct expandable_options {
  // of keys, fpr and bits exactly two; `keys` is a first guess
  std::optional<std::uint64_t> keys{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread; builds sort on as many
};

class expandable_filter : public core::keyed<core::expandable> {
  using base = core::keyed<core::expandable>;

 public:
  using options_type = expandable_options;
  static constexpr std::string_view kind = "expandable-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .erases = true, .expands = true, .order_dependent = true, .lines = 2};

  expandable_filter() = default;
  explicit expandable_filter(const options_type& options)
      : expandable_filter(sized(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  template <core::key_range Keys>
  [[nodiscard]] static expandable_filter build(const Keys& keys, const options_type& options) {
    return core::grown<expandable_filter>(keys, options);
  }
  // Each key once, the same bytes in any order of them.
  // a template, so that only programs that build compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static expandable_filter build(const std::type_identity_t<Spool>& keys,
                                               const options_type& options) {
    return core::build_in_order<expandable_filter>(keys, options);
  }

  // Of a key that is known to be in: its fingerprint is made whole again. False: it is certainly
  // not in.
  template <key K>
  bool rejuvenate(const K& k) noexcept {
    return engine_.rejuvenate(hash_(k));
  }
  // Twice the slots. Inserts do this when there is no room. Throws `full` where 2^56 bits do not
  // suffice.
  void expand() { engine_.expand(); }

  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.table().slots(); }
  // of new fingerprints
  [[nodiscard]] unsigned length() const noexcept { return engine_.length(); }
  // doublings so far
  [[nodiscard]] unsigned generation() const noexcept { return engine_.generation(); }
  // Slots taken: copies of keys, and the copies of void values.
  [[nodiscard]] std::uint64_t used() const noexcept { return engine_.table().used(); }

 private:
  expandable_filter(const sizing::expandable_plan& made, const options_type& options)
      : base(options.hash, {made.blocks, made.length, options.memory}) {}
  [[nodiscard]] static sizing::expandable_plan sized(const options_type& options);
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/expandable_filter.ipp>
#endif
