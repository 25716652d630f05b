// matrix_map.hpp - static map from keys to small integers: value bits, check bits and 0.2 more per key; or not a bit more.
// Idea       core/matrix.hpp under the map adaptor: values and checks are the solution of a random system of equations.
// Forms      `grouped`, the default, solves some 64 keys at a time; `group` 128 and 256 take fewer bits and a longer build,
//            `spare` unknowns more bits and a shorter one. `exact` takes exactly keys * (value bits + check bits), to 65536
//            keys. `tabulated` and `dense` are there to be compared with.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64. ribbon_map is smaller still and builds
//            faster at any size; what this one has before it is the form `exact`.
// Threads    Immutable: any number of readers.
// Source     [Por09].
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/core/matrix_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/retrieval_map.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

struct matrix_map_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  unsigned value_bits = 8;
  std::optional<double> fpr{};  // none: no check, strangers always get some value
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

class matrix_map : public core::retrieval_map<matrix_map, core::matrix> {
 public:
  using options = matrix_map_options;
  static constexpr std::string_view kind = "matrix-map";
  static constexpr std::uint32_t format_version = 2;
  static constexpr traits what{.of = family::map, .answers = output::value, .is_static = true, .lines = 5};

  matrix_map() = default;

  using core::static_map<matrix_map>::build;
  template <class Spool = pair_spool>  // a template, so that only programs that build compile what reads a spool
  [[nodiscard]] static matrix_map build(const std::type_identity_t<Spool>& pairs, const options& wish) {
    return {wish.hash, pairs, wish.value_bits, engine_options(wish)};
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    return core::matrix::plan(wish.keys.value_or(0), width_for(wish) - wish.value_bits, engine_options(wish));
  }
  [[nodiscard]] matrix_form form() const noexcept { return engine().form(); }

 private:
  using retrieval_map::retrieval_map;

  [[nodiscard]] static unsigned width_for(const options& wish) {
    return core::tag_rule::width_for(wish.value_bits, wish.fpr);
  }
  [[nodiscard]] static core::matrix::build_options engine_options(const options& wish) {
    return core::matrix::build_options::of(wish, width_for(wish));
  }
};

}  // namespace umbel
