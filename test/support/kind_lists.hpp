// kind_lists.hpp - lists of kinds by name that several laws use. A new kind is entered here by
// hand, so that its laws are chosen deliberately.
#pragma once

#include <initializer_list>
#include <set>
#include <string_view>

namespace umbel::test {

using kind_names = std::set<std::string_view>;

[[nodiscard]] inline kind_names without(kind_names all,
                                        std::initializer_list<std::string_view> some) {
  for (const std::string_view name : some) all.erase(name);
  return all;
}
[[nodiscard]] inline kind_names with(kind_names all, std::initializer_list<std::string_view> more) {
  all.insert(more);
  return all;
}

// Built at once from all keys; all others grow key by key.
inline const kind_names static_kinds{"adaptive-cuckoo-filter",
                                     "best-of-bloom-filter",
                                     "bloomier-filter",
                                     "cascade-map",
                                     "coded-map",
                                     "exact-cascade-set",
                                     "exact-set",
                                     "binary-fuse-filter",
                                     "binary-fuse-map",
                                     "binary-fuse4-filter",
                                     "binary-fuse4-map",
                                     "golomb-coded-set",
                                     "hash-list-filter",
                                     "indexed-map",
                                     "matrix-filter",
                                     "matrix-map",
                                     "meta-map",
                                     "mutable-bloomier-filter",
                                     "perfect-filter",
                                     "perfect-hash",
                                     "ribbon-filter",
                                     "ribbon-map",
                                     "selected-bloom-filter",
                                     "sparse-filter",
                                     "sparse-map",
                                     "xor-filter",
                                     "xor-map"};

inline const kind_names exact_kinds{"exact-cascade-set", "exact-set"};
inline const kind_names unrated_kinds = with(exact_kinds, {"perfect-hash"});

// One value for a key.
inline const kind_names map_kinds{
    "bloomier-filter",  "cascade-map", "coded-map",  "binary-fuse-map",
    "binary-fuse4-map", "indexed-map", "matrix-map", "mutable-bloomier-filter",
    "ribbon-map",       "sparse-map",  "xor-map"};
inline const kind_names pair_kinds = with(map_kinds, {"meta-map"});
inline const kind_names finding_kinds = with(map_kinds, {"perfect-hash"});
inline const kind_names assigning_kinds{"indexed-map", "mutable-bloomier-filter"};

// Kinds that grow key by key and whose merge of two is a third.
inline const kind_names merging_kinds{
    "banked-bloom-filter",     "blocked-bloom-filter",     "bloom-filter",
    "multiblock-bloom-filter", "parquet-filter",           "pattern-bloom-filter",
    "prefix-filter",           "quotient-filter",          "register-bloom-filter",
    "scalable-bloom-filter",   "split-block-bloom-filter", "taffy-block-filter",
    "taffy-cuckoo-filter",     "two-choice-bloom-filter",  "two-line-bloom-filter",
    "weighted-bloom-filter"};
inline const kind_names intersecting_kinds{"banked-bloom-filter",   "blocked-bloom-filter",
                                           "bloom-filter",          "multiblock-bloom-filter",
                                           "parquet-filter",        "pattern-bloom-filter",
                                           "register-bloom-filter", "split-block-bloom-filter",
                                           "two-line-bloom-filter", "weighted-bloom-filter"};
inline const kind_names folding_kinds = with(intersecting_kinds, {"two-choice-bloom-filter"});
inline const kind_names inferring_kinds =
    with(without(intersecting_kinds, {"weighted-bloom-filter"}),
         {"hash-compaction-filter", "prefix-filter"});

// Repeats are counted.
inline const kind_names counting_kinds{"dynamic-bloom-filter", "quotient-filter"};
// False negatives are part of the design.
inline const kind_names forgetful_kinds{"aging-bloom-filter", "generalized-bloom-filter",
                                        "removable-bloom-filter", "retouched-bloom-filter",
                                        "variable-bloom-filter"};
// Kinds that know how many keys they were built from.
inline const kind_names counted_kinds{"adaptive-cuckoo-filter",
                                      "bloomier-filter",
                                      "cascade-map",
                                      "coded-map",
                                      "cuckoo-filter",
                                      "dynamic-bloom-filter",
                                      "exact-cascade-set",
                                      "exact-set",
                                      "binary-fuse-filter",
                                      "binary-fuse-map",
                                      "binary-fuse4-filter",
                                      "binary-fuse4-map",
                                      "indexed-map",
                                      "matrix-filter",
                                      "matrix-map",
                                      "meta-map",
                                      "mutable-bloomier-filter",
                                      "perfect-filter",
                                      "perfect-hash",
                                      "ribbon-filter",
                                      "ribbon-map",
                                      "scalable-bloom-filter",
                                      "sparse-filter",
                                      "sparse-map",
                                      "split-bloom-filter",
                                      "taffy-block-filter",
                                      "xor-filter",
                                      "xor-map"};

inline const kind_names erasing_kinds{
    "cuckoo-filter",   "deletable-bloom-filter", "dynamic-bloom-filter",  "expandable-filter",
    "quotient-filter", "removable-bloom-filter", "variable-bloom-filter", "vector-quotient-filter"};

}  // namespace umbel::test
