// bit_filter.hpp - Bloom filters [Blo70] over one array of bits: one class template over every
// index of a key's bits.
//
// Idea       Filters differ in their index (k_probes.hpp, banked.hpp): it fits itself to a size,
//            computes its false positive rate, and defines how it is halved. Plans, estimates,
//            unions and files are common.
// Invariant  Bits never go from 1 to 0, so there are no false negatives. Equal sets give equal
//            bits, in any order of inserts.
// Threads    Many readers or one writer; with `cells::shared_bits` any number of both.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

template <class Index, class Options, class Cells = cells::bits>
class bit_filter : public keyed<probes<Index, Cells>> {
  using base = keyed<probes<Index, Cells>>;
  using base::engine_, base::hash_;

 public:
  using options_type = Options;
  static constexpr std::string_view kind = Index::kind;
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .mergeable = true};

  bit_filter() = default;
  explicit bit_filter(const options_type& options) : bit_filter(fitted(options), options) {}

  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    const fit made = fitted(options);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells(),
            .fpr = made.at.rate(made.keys)};
  }

  template <key_range Keys>
  [[nodiscard]] static bit_filter build(const Keys& keys, const options_type& options) {
    return grown<bit_filter>(keys, options);
  }

  using base::fill, base::size_in_bits;
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), this->probes()); }

  // The number of distinct keys inserted so far, estimated from the number of clear bits.
  [[nodiscard]] estimate cardinality() const noexcept { return estimate_from(zeros()); }

  // False if this set is certainly not a subset of the other, true if it probably is.
  [[nodiscard]] bool may_be_subset_of(const bit_filter& other) const {
    base::require_same_hash(other);
    engine_.require_same_index(other.engine_);
    for (std::size_t i = 0; i < words().size(); ++i)
      if ((words()[i] & ~other.words()[i]) != 0) return false;
    return true;
  }
  // The overlap of the two sets, estimated from the clear bits of both and of their union.
  [[nodiscard]] overlap overlap_with(const bit_filter& other) const {
    base::require_same_hash(other);
    engine_.require_same_index(other.engine_);
    std::uint64_t both_clear = 0;
    for (std::size_t i = 0; i < words().size(); ++i)
      both_clear += static_cast<unsigned>(std::popcount(~(words()[i] | other.words()[i])));
    // the tail of the last word is clear in every filter
    both_clear -= words().size() * 64 - size_in_bits();
    overlap out{cardinality(), other.cardinality(), estimate_from(both_clear)};
    if (!out.either.saturated)
      out.common_raw = sizing::bloom_intersection_size(
          double(zeros()) / parts(), double(other.zeros()) / parts(), double(both_clear) / parts(),
          double(size_in_bits()) / parts(), this->probes() / parts());
    out.common = std::clamp(out.common_raw, 0.0, std::min(out.first.value, out.second.value));
    return out;
  }

  void check() {
    base::check();
    if (Index::right_hash(engine_.index().choice_made(), hash_) != hash_)
      throw bad_parameter("hash: another one than the scheme works under");
  }

 private:
  using fit = bit_fit<Index>;
  [[nodiscard]] static fit fitted(const options_type& options) {
    return fit_bits<Index>({options.keys, options.fpr, options.bits}, options.probes,
                           options.choice());
  }
  bit_filter(const fit& made, const options_type& options)
      : base(Index::right_hash(options.choice(), options.hash),
             typename base::engine_type(made.at, options.memory)) {}

  [[nodiscard]] const cells::words<>& words() const noexcept { return engine_.cells().storage(); }
  [[nodiscard]] std::uint64_t zeros() const noexcept { return size_in_bits() - words().ones(); }
  // If the bits of a key always differ, each is in its own slice of m/k bits.
  [[nodiscard]] double parts() const noexcept {
    return engine_.index().bits_differ() ? this->probes() : 1;
  }
  [[nodiscard]] estimate estimate_from(std::uint64_t clear) const noexcept {
    const auto m = static_cast<double>(size_in_bits());
    const auto keys_behind = [&](double zeros, double part) {
      return sizing::bloom_cardinality(zeros / parts(), part, this->probes() / parts());
    };
    if (clear == 0) return {.value = keys_behind(1, std::max(m / parts(), 2.0)), .saturated = true};
    const double keys = keys_behind(static_cast<double>(clear), m / parts());
    return {.value = keys,
            .standard_error = sizing::bloom_cardinality_error(keys, m, this->probes())};
  }
};

}  // namespace umbel::core
