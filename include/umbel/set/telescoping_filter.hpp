// telescoping_filter.hpp - telescoping quotient filter [LMSS21]: adaptive set; a false positive
// that is reported is not repeated.
//
// log2(1/fpr) + 3 bits per slot.
//
// Layout     The entries of engine/table/telescoping.hpp: a quotient filter with adaptive
//            remainders.
// Invariant  No false negatives. Every insert adds an entry.
// Limits     adapt() and erase() need a store that lists the keys of a home. Insert each key once.
//            A group of 64 homes that has adapted too often restarts, and may repeat its false
//            positives. A filter loaded from a file continues with the same store. The registry and
//            the command line tool have no store: they build, query and insert, and programs call
//            adapt() and erase().
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

// Options of telescoping_filter.
struct telescoping_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  std::optional<double> fpr{};          // false positive rate of non-members that were not reported
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  hasher hash{};                        // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  // threads that sort in a build from digests; inserts run on the caller's thread
  unsigned threads = 1;
};

// The filter. adapt() and erase() take a store: store(home, visit) must call visit(digest) for the
// digest of every member that has this home. Inherited from core/keyed.hpp: may_contain,
// may_contain_batch, insert, try_insert, insert_batch, clear.
class telescoping_filter : public core::keyed<core::telescoping, telescoping_filter> {
  using base = core::keyed<core::telescoping, telescoping_filter>;

 public:
  using options_type = telescoping_options;
  static constexpr std::string_view kind = "telescoping-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{
      .of = family::set, .may_fill = true, .adapts = true, .lines = 3};

  telescoping_filter() : telescoping_filter(options_type{.keys = 0, .fpr = 0.01}) {}
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit telescoping_filter(const options_type& options)
      : telescoping_filter(planned(options), options) {}
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const auto made = planned(options);
    return {.keys = made.keys,
            .cells = made.blocks * sizing::quotient_block_slots,
            .probes = 1,
            .bits = bits_of(made),
            .fpr = made.fpr};
  }

  // A filter of these keys, which must be different: duplicate keys are not removed. Throws `full`
  // if they do not fit.
  template <core::key_range Keys>
  [[nodiscard]] static telescoping_filter build(const Keys& keys, const options_type& options) {
    return core::grown<telescoping_filter>(keys, options);
  }
  // A filter of a spool of digests; duplicates are removed. A template, so that only programs that
  // call it compile the sorting.
  template <class Spool = digest_spool>
  [[nodiscard]] static telescoping_filter build(const std::type_identity_t<Spool>& keys,
                                                const options_type& options) {
    return core::build_in_order<telescoping_filter>(keys, options);
  }

  // The home of a key, under which a store must list it.
  template <key K>
  [[nodiscard]] std::uint64_t home(const K& k) const noexcept {
    return engine_.home_of(hash_(k));
  }
  // Reports a false positive: it does not pass again until its group restarts. Returns the number
  // of entries that matched it.
  template <key K, class Store>
  std::size_t adapt(const K& false_positive, Store&& store) {
    return engine_.adapt(hash_(false_positive), store);
  }
  // Erases a member that the store still lists. False: not a member according to the filter or the
  // store.
  template <key K, class Store>
  bool erase(const K& k, Store&& store) {
    return engine_.erase(hash_(k), store);
  }

  // slots of the table
  [[nodiscard]] std::uint64_t slots() const noexcept { return engine_.slots(); }
  [[nodiscard]] unsigned width() const noexcept { return engine_.width(); }  // bits of a remainder
  // Number of group restarts since the filter was made or loaded.
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
      // the codes take one word more
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
