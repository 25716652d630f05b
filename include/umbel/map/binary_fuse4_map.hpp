// binary_fuse4_map.hpp - static map from keys to small integers on a 4-wise binary fuse graph
// [GL22]: about 1.075 (value bits + check bits) per key, four reads.
//
// binary_fuse_map with four cells per key instead of three: 5 % smaller, one read more.
//
// Invariant  Every key given answers its value, always. A non-member gets none, or some value with
//            probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64.
// Threads    Immutable: any number of readers.
// Source     [GL22] for the graph, [CKRT04] for a map without keys.
#pragma once

#include <string_view>
#include <type_traits>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_map.hpp>

namespace umbel {

class binary_fuse4_map : public core::peeled_map<core::fuse<4>> {
 public:
  static constexpr std::string_view kind = "binary-fuse4-map";

  using peeled_map::peeled_map;

  template <core::pair_range Pairs>
  [[nodiscard]] static binary_fuse4_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<binary_fuse4_map>(pairs, options);
  }
  // a template, so that only programs that build compile the solver
  template <class Source = pair_source>
  [[nodiscard]] static binary_fuse4_map build(const std::type_identity_t<Source>& pairs,
                                              const options_type& options) {
    return {pairs, options};
  }
};

}  // namespace umbel
