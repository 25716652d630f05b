// matrix_map.hpp - retrieval by a random linear system [Por09]: static map from keys to small
// integers in value bits, check bits and 0.2 more per key; in the form `exact` none more.
//
// Forms      `grouped`, the default, solves a system for about 64 keys at a time; a `group` of 128
//            or 256 takes fewer bits and a longer build, `spare` unknowns take more bits and a
//            shorter build. `exact` takes exactly keys * (value bits + check bits), for up to 65536
//            keys. `tabulated` and `dense` are there for comparison.
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at the build. Value bits and check bits together are at most 64.
//            ribbon_map is smaller and builds faster at any size; only the form `exact` has no
//            counterpart there.
// Threads    Immutable: any number of readers.
// Source     [Por09].
#pragma once

#include <concepts>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/matrix/build.hpp>

namespace umbel {

// Options of matrix_map.
struct matrix_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 8;              // bits of a value; with the check bits at most 64
  // rate at which a non-member gets a value; absent: no check, each gets one
  std::optional<double> fpr{};
  // `grouped`: any number of keys; `exact`: no bit to spare, to 65536 keys; `tabulated` and
  // `dense`: for comparison
  matrix_form form = matrix_form::grouped;
  // mean number of keys per group: 64, 128 or 256; larger groups: fewer bits, longer builds
  std::uint64_t group = 64;
  // unknowns of a system beyond its keys, 0 to 64: more bits, shorter builds
  std::uint64_t spare = 0;
  std::uint64_t levels = 2;  // 2: groups in buckets; 1: groups only
  // how rows are generated: from the digest, or by pairwise independent functions (groups of 64)
  matrix_source source = matrix_source::hashed;
  std::uint64_t draw = 0;                       // seed of the functions of matrix_source::pairwise
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class matrix_map : public core::keyed<core::checked<core::matrix>> {
 public:
  using options_type = matrix_map_options;
  static constexpr std::string_view kind = "matrix-map";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .lines = 5};

  matrix_map() = default;
  // The map of a spool of digests with values.
  // A template, so that only programs that build compile the solver.
  template <std::same_as<pair_spool> Spool>
  matrix_map(const Spool& pairs, const options_type& options)
      : keyed(options.hash, core::checked<core::matrix>::build(pairs, options.value_bits,
                                                               engine_options(options))) {}

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static matrix_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<matrix_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile what reads a spool.
  template <class Spool = pair_spool>
  [[nodiscard]] static matrix_map build(const std::type_identity_t<Spool>& pairs,
                                        const options_type& options) {
    return {pairs, options};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::matrix::plan(options.keys.value_or(0), width_for(options) - options.value_bits,
                              engine_options(options));
  }
  // as chosen in the options
  [[nodiscard]] matrix_form form() const noexcept { return engine().retrieval().form(); }

 private:
  [[nodiscard]] static unsigned width_for(const options_type& options) {
    return core::tag_rule::width_for(options.value_bits, options.fpr);
  }
  [[nodiscard]] static core::matrix::build_options engine_options(const options_type& options) {
    return core::matrix::build_options::of(options, width_for(options));
  }
};

}  // namespace umbel
