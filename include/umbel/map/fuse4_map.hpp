// fuse4_map.hpp - static map from keys to small integers: about 1.075 (value bits + check bits) per key, four reads.
// Idea       fuse_map with four cells per key instead of three: a twentieth smaller, one read more.
// Invariant  Every key given answers its value, always. A stranger gets none, or some value with probability fpr.
// Limits     Values are fixed at build. Value bits and check bits together at most 64.
// Threads    Immutable: any number of readers.
// Source     [GL22] for the graph, [CKRT04] for the idea of a map without keys.
#pragma once

#include <string_view>

#include <umbel/engine/retrieval/peeled_map.hpp>
#include <umbel/engine/retrieval/fuse.hpp>

namespace umbel {

class fuse4_map : public core::peeled_map<fuse4_map, core::fuse<4>> {
 public:
  static constexpr std::string_view kind = "fuse4-map";
};

}  // namespace umbel
