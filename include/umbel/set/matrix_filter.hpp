// matrix_filter.hpp - static set whose fingerprints are the solution of a random linear system
// [Por09]: r + 0.2 bits per key, false positive rate 2^-r; or exactly r.
//
// Forms      As matrix_map's: `grouped`, `tabulated`, `exact`, `dense`
//            (engine/retrieval/matrix/matrix.hpp).
// Invariant  Every key given passes: no false negatives. Cells never change again.
// Limits     No insert: build again. ribbon_filter is smaller still and builds faster; what this
//            one has before it is the form `exact`, of exactly keys * r bits.
// Threads    Immutable: any number of readers.
// Source     [Por09] section 7.
#pragma once

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

struct matrix_filter_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  matrix_form form = matrix_form::grouped;
  std::uint64_t group = 64;  // keys of a group on average: 64, 128 or 256
  std::uint64_t spare = 0;   // unknowns of a system beyond its keys, to 64
  std::uint64_t levels = 2;  // 1: no buckets above the groups
  matrix_source source = matrix_source::hashed;
  std::uint64_t draw = 0;  // seed of what matrix_source::pairwise draws
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class matrix_filter : public core::keyed<core::tagged<core::matrix>> {
 public:
  using options_type = matrix_filter_options;
  static constexpr std::string_view kind = "matrix-filter";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true, .lines = 4};

  matrix_filter() = default;
  matrix_filter(const digest_spool& keys, const options_type& options)
      : keyed(options.hash, core::tagged<core::matrix>::build(keys, engine_options(options))) {}

  template <core::key_range Keys>
  [[nodiscard]] static matrix_filter build(const Keys& keys, const options_type& options) {
    return {core::spool_of(keys, options.hash, options.threads), options};
  }
  // a template, so that only programs that build compile what reads a spool
  template <class Spool = digest_spool>
  [[nodiscard]] static matrix_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return {keys, options};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::matrix::plan(options.keys.value_or(0), width_for(options),
                              engine_options(options));
  }
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
