// xor_map.hpp - static map from keys to small integers on the graph of xor filters [GL20]: 1.23
// (value bits + check bits) per key and 32 cells, three reads.
//
// binary_fuse_map on a plainer graph: one cell in each third of the array.
//
// Invariant  Every key given answers its value, always. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64. From 10^4
//            keys on binary_fuse_map is smaller and is built faster.
// Threads    Immutable: any number of readers.
// Source     [GL20] for the graph, [CKRT04] for a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/peeled_map.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

class xor_map : public core::peeled_map<core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-map";

  using peeled_map::peeled_map;

  template <core::pair_range Pairs>
  [[nodiscard]] static xor_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<xor_map>(pairs, options);
  }
  // a template, so that only programs that build compile the solver
  template <class Source = pair_source>
  [[nodiscard]] static xor_map build(const std::type_identity_t<Source>& pairs,
                                     const options_type& options) {
    return {pairs, options};
  }
};

}  // namespace umbel
