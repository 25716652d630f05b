// xor_map.hpp - static map from keys to small integers: 1.23 (value bits + check bits) per key and 32 cells, three reads.
// Idea       fuse_map on the plainer graph of xor filters: one cell in each third of the array.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64. From some ten thousand keys on
//            fuse_map is smaller and is built faster.
// Threads    Immutable: any number of readers.
// Source     [GL20] for the graph, [CKRT04] for the idea of a map without keys.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_map.hpp>
#include <umbel/engine/retrieval/xor.hpp>

namespace umbel {

class xor_map : public core::peeled_map<xor_map, core::xor_graph<3>> {
 public:
  static constexpr std::string_view kind = "xor-map";
};

}  // namespace umbel
