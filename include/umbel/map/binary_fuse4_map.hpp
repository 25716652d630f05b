// binary_fuse4_map.hpp - static function on a 4-wise binary fuse graph [GL22]: map from keys to
// small integers in about 1.075 (value bits + check bits) per key, four reads.
//
// binary_fuse_map with four cells per key instead of three: 5 % smaller, one read more.
//
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at the build. Value bits and check bits together are at most 64.
// Threads    Immutable: any number of readers.
// Source     [GL22] for the graph, [CKRT04] for a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_map.hpp>

namespace umbel {

// The map; options and plan() are in engine/retrieval/peeled_map.hpp. Inherited from
// core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class binary_fuse4_map : public core::peeled_map<core::fuse<4>> {
 public:
  static constexpr std::string_view kind = "binary-fuse4-map";

  using peeled_map::peeled_map;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static binary_fuse4_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<binary_fuse4_map>(pairs, options);
  }
  // The same from digests that can be read again (core/record_source.hpp). A template, so that only
  // programs that call it compile the solver.
  template <class Source = pair_source>
  [[nodiscard]] static binary_fuse4_map build(const std::type_identity_t<Source>& pairs,
                                              const options_type& options) {
    return {pairs, options};
  }
};

}  // namespace umbel
