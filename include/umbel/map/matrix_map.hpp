// matrix_map.hpp - static map from keys to small integers, the solution of a random linear system
// [Por09]: value bits, check bits and 0.2 more per key; or not a bit more.
//
// Forms      `grouped`, the default, solves some 64 keys at a time; `group` 128 and 256 take fewer
//            bits and a longer build, `spare` unknowns more bits and a shorter one. `exact` takes
//            exactly keys * (value bits + check bits), to 65536 keys. `tabulated` and `dense` are
//            there to be compared with.
// Invariant  Every key given answers its value, always. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64. ribbon_map
//            is smaller still and builds faster at any size; what this one has before it is the
//            form `exact`.
// Threads    Immutable: any number of readers.
// Source     [Por09].
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
#include <umbel/engine/retrieval/checked.hpp>
#include <umbel/engine/retrieval/matrix/build.hpp>

namespace umbel {

struct matrix_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, non-members always get some value
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

class matrix_map : public core::keyed<core::checked<core::matrix>> {
 public:
  using options_type = matrix_map_options;
  static constexpr std::string_view kind = "matrix-map";
  static constexpr std::uint32_t format_version = 2;
  static constexpr umbel::traits traits{
      .of = family::map, .answers = output::value, .is_static = true, .lines = 5};

  matrix_map() = default;
  matrix_map(const pair_spool& pairs, const options_type& options)
      : keyed(options.hash, core::checked<core::matrix>::build(pairs, options.value_bits,
                                                               engine_options(options))) {}

  template <core::pair_range Pairs>
  [[nodiscard]] static matrix_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<matrix_map>(pairs, options);
  }
  // a template, so that only programs that build compile what reads a spool
  template <class Spool = pair_spool>
  [[nodiscard]] static matrix_map build(const std::type_identity_t<Spool>& pairs,
                                        const options_type& options) {
    return {pairs, options};
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return core::matrix::plan(options.keys.value_or(0), width_for(options) - options.value_bits,
                              engine_options(options));
  }
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
