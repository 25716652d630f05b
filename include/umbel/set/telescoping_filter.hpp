// telescoping_filter.hpp - telescoping quotient filter [LMSS21]: adaptive set, a false positive
// that is reported is not repeated.
//
// log2(1/fpr) + 3 bits in a slot.
//
// Layout     The entries of engine/table/telescoping.hpp: a quotient filter with adaptive
//            remainders.
// Invariant  No false negatives. Every key counts once.
// Limits     Adapting needs a store that lists the keys of a home; so does erase. Insert each key
//            once. A group of entries that has adapted too often restarts, and may repeat false
//            positives. A loaded file continues beside the same store. The registry and the tool
//            have no store: they build, query and insert, and leave `adapt` and `erase` to
//            programs.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/table/telescoping.hpp>
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

// A store is called with a home and visit(digest): it visits the digest of every key that is in and
// has this home.
class telescoping_filter : public core::keyed<core::telescoping, telescoping_filter> {
  using base = core::keyed<core::telescoping, telescoping_filter>;

 public:
  using options_type = telescoping_options;
  static constexpr std::string_view kind = "telescoping-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_fill = true, .adapts = true, .lines = 3};

  telescoping_filter() : telescoping_filter(options_type{.keys = 0, .fpr = 0.01}) {}
  explicit telescoping_filter(const options_type& options)
      : telescoping_filter(planned(options), options) {}
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = planned(options);
    return {.keys = made.keys,
            .cells = made.blocks * sizing::quotient_block_slots,
            .probes = 1,
            .bits = bits_of(made),
            .fpr = made.fpr};
  }

  // From a range: every key as it comes, so each must come once. From a spool: of its set,
  // whatever comes twice.
  template <core::key_range Keys>
  [[nodiscard]] static telescoping_filter build(const Keys& keys, const options_type& options) {
    return core::grown<telescoping_filter>(keys, options);
  }
  // a template, so that only programs that build so compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static telescoping_filter build(const std::type_identity_t<Spool>& keys,
                                                const options_type& options) {
    return core::build_in_order<telescoping_filter>(keys, options);
  }

  // Where a store files a key.
  template <key K>
  [[nodiscard]] std::uint64_t home(const K& k) const noexcept {
    return engine_.home_of(hash_(k));
  }
  // A key that passed and is not in: from now on it does not, until its group begins anew. How many
  // entries had let it through.
  template <key K, class Store>
  std::size_t adapt(const K& false_positive, Store&& store) {
    return engine_.adapt(hash_(false_positive), store);
  }
  // Takes out a key that is in, while the store still lists it. False: it is not in, by the filter
  // or by the store.
  template <key K, class Store>
  bool erase(const K& k, Store&& store) {
    return engine_.erase(hash_(k), store);
  }

  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.width(); }  // of remainders
  // How often a group began anew since this filter was made or loaded.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return engine_.restarts(); }

 private:
  telescoping_filter(const sizing::quotient_plan& made, const options_type& options)
      : base(options.hash, {made.blocks, made.width, options.memory}) {}
  [[nodiscard]] static std::uint64_t bits_of(const sizing::quotient_plan& made) noexcept {
    return made.blocks * sizing::quotient_block_bits(made.width) +
           64 * cells::packed::words_for(made.blocks, engine_type::code_bits);
  }
  [[nodiscard]] static sizing::quotient_plan planned(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    constexpr double load = sizing::quotient_max_load;
    const auto within = [&](std::uint64_t bits) {
      return options.fpr
                 ? sizing::quotient_room_for(bits, *options.fpr, load, engine_type::code_bits)
                 : sizing::plan_quotient_for_bits(*options.keys, bits, load,
                                                  engine_type::code_bits);
    };
    sizing::quotient_plan made;
    if (!options.bits) {
      made =
          sizing::plan_quotient_for_rate(*options.keys, *options.fpr, load, engine_type::code_bits);
    } else {
      // codes have a word more
      const std::uint64_t bits = *options.bits - std::min<std::uint64_t>(*options.bits, 64);
      made = within(bits);
      // and whole words
      if (bits_of(made) > *options.bits) made = within(bits - std::min<std::uint64_t>(bits, 64));
    }
    core::check_kept(options.fpr, made.fpr);
    if (made.blocks >
        sizing::max_bits / (sizing::quotient_block_bits(made.width) + engine_type::code_bits + 64))
      throw bad_parameter(
          detail::text("keys: ", made.keys, " of them take more than 2^56 bits at this rate"));
    return made;
  }
};

}  // namespace umbel
