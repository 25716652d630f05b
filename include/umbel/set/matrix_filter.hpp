// matrix_filter.hpp - retrieval by a random linear system [Por09], with fingerprints as values:
// static set of r + 0.2 bits per key, false positive rate 2^-r; in the form `exact` of r bits.
//
// Forms      As in matrix_map: `grouped`, `tabulated`, `exact`, `dense`
//            (engine/retrieval/matrix/matrix.hpp).
// Invariant  No false negatives. Cells never change after the build.
// Limits     No insert: build again. ribbon_filter is smaller and builds faster; only the form
//            `exact`, with exactly keys * r bits, has no counterpart there.
// Threads    Immutable: any number of readers.
// Source     [Por09] section 7.
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
#include <umbel/engine/retrieval/matrix/build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>

namespace umbel {

// Options of matrix_filter.
struct matrix_filter_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // false positive rate; absent: 1/256
  // `grouped`: any number of keys; `exact`: exactly keys * r bits, to 65536 keys; `tabulated` and
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

// The set. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class matrix_filter : public core::keyed<core::tagged<core::matrix>> {
 public:
  using options_type = matrix_filter_options;
  static constexpr std::string_view kind = "matrix-filter";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 4};

  matrix_filter() = default;
  // The set of a spool of digests.
  // A template, so that only programs that build compile the solver.
  template <std::same_as<digest_spool> Spool>
  matrix_filter(const Spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::matrix>::build(keys, engine_options(options))) {}

  // The set of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static matrix_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // The same from a spool of digests. A template, so that only programs that call it compile what
  // reads a spool.
  template <class Spool = digest_spool>
  [[nodiscard]] static matrix_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return {keys, options};
  }
  // Size, probes and predicted false positive rate of a set with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::matrix::plan(options.keys.value_or(0), width_for(options),
                              engine_options(options));
  }
  // as chosen in the options
  [[nodiscard]] matrix_form form() const noexcept { return engine().retrieval().form(); }

 private:
  [[nodiscard]] static unsigned width_for(const options_type& options) {
    return core::tag_bits_for(options.fpr.value_or(1.0 / 256));
  }
  [[nodiscard]] static core::matrix::build_options engine_options(const options_type& options) {
    return core::matrix::build_options::of(options, width_for(options));
  }
};

}  // namespace umbel
