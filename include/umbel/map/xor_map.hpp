// xor_map.hpp - static function on the graph of xor filters [GL20]: map from keys to small integers
// in 1.23 (value bits + check bits) per key and 32 cells, three reads.
//
// As binary_fuse_map on a simpler graph, with one cell in each third of the array.
//
// Invariant  Every key of the build gets its value. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at the build. Value bits and check bits together are at most 64. From
//            10^4 keys on, binary_fuse_map is smaller and builds faster.
// Threads    Immutable: any number of readers.
// Source     [GL20] for the graph, [CKRT04] for a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_map.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

// The map; options and plan() are in engine/retrieval/peeled_map.hpp. Inherited from
// core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class xor_map : public core::peeled_map<core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-map";

  using peeled_map::peeled_map;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static xor_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<xor_map>(pairs, options);
  }
  // The same from digests that can be read again (core/record_source.hpp). A template, so that only
  // programs that call it compile the solver.
  template <class Source = pair_source>
  [[nodiscard]] static xor_map build(const std::type_identity_t<Source>& pairs,
                                     const options_type& options) {
    return {pairs, options};
  }
};

}  // namespace umbel
