// fuse_map.hpp - static map from keys to small integers: about 1.13 (value bits + check bits) per key, three reads.
// Idea       engine/retrieval/peeled.hpp on a 3-wise fuse graph under the map adaptor: value and check tag are stored as one word that
//            comes out of an XOR of three cells.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64.
// Threads    Immutable: any number of readers.
// Source     [GL22] for the graph, [CKRT04] for the idea of a map without keys.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_map.hpp>
#include <umbel/engine/retrieval/fuse.hpp>

namespace umbel {

class fuse_map : public core::peeled_map<fuse_map, core::fuse<3>> {
 public:
  static constexpr std::string_view kind = "fuse-map";
};

}  // namespace umbel
