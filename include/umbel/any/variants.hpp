// variants.hpp - the list of all kinds, included by registry, laws, benchmarks, codec and `umbel
// kinds`.
//
// Layout     UMBEL_KIND(folder, class, summary): include/umbel/<folder>/<class>.hpp has
//            umbel::<class>. The summary is one sentence that begins with the name used in the
//            literature. An entry here is all that the registry needs; the build makes one small
//            translation unit per entry.
// Limits     No include guard: it is included with different definitions of UMBEL_KIND. Folder and
//            class are on the first line of an entry, where CMake reads them.
// clang-format off
UMBEL_KIND(set, bloom_filter, "The Bloom filter: a bit array with k probes per key.")
UMBEL_KIND(set, banked_bloom_filter,
    "Bloom filter whose k probes fall into k different memory banks.")
UMBEL_KIND(set, two_choice_bloom_filter,
    "Bloom filter in which each key takes the better of two sets of probes.")
UMBEL_KIND(set, best_of_bloom_filter,
    "Bloom filter under the one of N hashes that sets the fewest bits.")
UMBEL_KIND(set, selected_bloom_filter,
    "Bloom filter in which each group of keys takes the hash that sets the fewest bits.")
UMBEL_KIND(set, generalized_bloom_filter,
    "Generalized Bloom filter: a key sets some bits and clears others, so it never fills up.")
UMBEL_KIND(set, retouched_bloom_filter,
    "Retouched Bloom filter: removes chosen false positives at the cost of some members.")
UMBEL_KIND(set, variable_bloom_filter,
    "Bloom filter with signatures of variable length: keys can be strengthened and weakened.")
UMBEL_KIND(set, weighted_bloom_filter,
    "Weighted Bloom filter: more probes for keys that are asked often.")
UMBEL_KIND(set, split_block_bloom_filter,
    "Split-block Bloom filter: one cache line per key, the fastest set here.")
UMBEL_KIND(set, parquet_filter,
    "The split-block Bloom filter of Apache Parquet files, byte for byte.")
UMBEL_KIND(set, blocked_bloom_filter,
    "Blocked Bloom filter: one cache line per key, close to the rate of a plain one.")
UMBEL_KIND(set, two_line_bloom_filter,
    "Blocked Bloom filter over two neighbouring cache lines: closer still to a plain one.")
UMBEL_KIND(set, multiblock_bloom_filter,
    "Blocked Bloom filter with one bit in each of the eight words of a cache line.")
UMBEL_KIND(set, register_bloom_filter,
    "Register-blocked Bloom filter: one 64-bit word per key, the least work per query.")
UMBEL_KIND(set, pattern_bloom_filter,
    "Bloom filter with one 64-bit word per key, marked by one of 4,096 precomputed masks.")
UMBEL_KIND(set, hash_compaction_filter,
    "Hash compaction: a hash table of fingerprints, for rates below 1 in 1,000.")
UMBEL_KIND(set, quotient_filter,
    "Quotient filter: a sorted table of fingerprints that also merges.")
UMBEL_KIND(set, vector_quotient_filter,
    "Vector quotient filter: inserts stay fast until it is nearly full.")
UMBEL_KIND(set, telescoping_filter,
    "Telescoping filter: in a program, a reported false positive is not repeated.")
UMBEL_KIND(set, prefix_filter, "Prefix filter: one cache line for nearly every insert and query.")
UMBEL_KIND(set, expandable_filter,
    "Quotient filter that grows without its keys and keeps its rate.")
UMBEL_KIND(set, cuckoo_filter, "Cuckoo filter: fingerprints in buckets, two reads per query.")
UMBEL_KIND(set, adaptive_cuckoo_filter,
    "Adaptive cuckoo filter: in a program, a reported false positive is not repeated.")
UMBEL_KIND(set, taffy_cuckoo_filter,
    "Taffy cuckoo filter: doubles when it is full and keeps its rate.")
UMBEL_KIND(set, golomb_coded_set, "Golomb-coded set: close to the smallest size, slower to query.")
UMBEL_KIND(set, hash_list_filter, "Sorted list of fingerprints, for very small rates.")
UMBEL_KIND(set, xor_filter, "Xor filter: 1.23 times the smallest size, three reads per query.")
UMBEL_KIND(set, binary_fuse_filter,
    "Binary fuse filter: 1.13 times the smallest size, three reads per query.")
UMBEL_KIND(set, binary_fuse4_filter,
    "4-wise binary fuse filter: 1.08 times the smallest size, four reads per query.")
UMBEL_KIND(set, scalable_bloom_filter,
    "Scalable Bloom filter: adds larger Bloom filters as keys come and keeps its rate.")
UMBEL_KIND(set, taffy_block_filter,
    "Taffy block filter: adds larger split-block Bloom filters as keys come and keeps its rate.")
UMBEL_KIND(set, deletable_bloom_filter,
    "Deletable Bloom filter: most keys can be erased, for a sixteenth more space.")
UMBEL_KIND(set, dynamic_bloom_filter,
    "Dynamic Bloom filter: adds Bloom filters of one size as keys come.")
UMBEL_KIND(set, split_bloom_filter,
    "Split Bloom filter: a fixed number of Bloom filters, used one after another.")
UMBEL_KIND(set, removable_bloom_filter,
    "Two Bloom filters: one of the keys that were added, one of those that were erased.")
UMBEL_KIND(set, aging_bloom_filter, "A window over recent keys: two Bloom filters that take turns.")
UMBEL_KIND(set, exact_cascade_set, "Filter cascade: Bloom filters that correct each other.")
UMBEL_KIND(set, exact_set,
    "Two ribbons that together are exact: within about half a bit per member of the smallest size.")
UMBEL_KIND(set, sparse_filter,
    "Fingerprints from sparse linear systems: 1.03 times the smallest size, four reads per query.")
UMBEL_KIND(set, ribbon_filter, "Bumped ribbon filter (BuRR): within 1 % of the smallest size.")
UMBEL_KIND(set, matrix_filter,
    "Fingerprints from dense linear systems: 0.2 bits per key above the smallest size, or none.")
UMBEL_KIND(set, perfect_hash,
    "Minimal perfect hash: numbers n keys from 0 to n - 1 in 1.7 to 2.8 bits per key.")
UMBEL_KIND(set, perfect_filter, "Fingerprints in the slots of a minimal perfect hash.")
UMBEL_KIND(map, xor_map, "Xor map: 1.23 times value and check bits, three reads per query.")
UMBEL_KIND(map, binary_fuse_map,
    "Binary fuse map: 1.13 times value and check bits, three reads per query.")
UMBEL_KIND(map, binary_fuse4_map,
    "4-wise binary fuse map: 1.08 times value and check bits, four reads per query.")
UMBEL_KIND(map, cascade_map,
    "Bloom filter cascade for a few values: a filter for every value, level upon level.")
UMBEL_KIND(map, bloomier_filter, "Bloomier filter: for any number of values.")
UMBEL_KIND(map, mutable_bloomier_filter, "Bloomier filter with fixed keys whose values can change.")
UMBEL_KIND(map, indexed_map, "Values that can change, in the slots of a minimal perfect hash.")
UMBEL_KIND(map, meta_map, "For each key, which of several databases hold it; made by programs.")
UMBEL_KIND(map, sparse_map,
    "Sparse linear systems: 1.03 times value and check bits, four reads per query.")
UMBEL_KIND(map, ribbon_map, "Bumped ribbon retrieval (BuRR): within 1 % of value and check bits.")
UMBEL_KIND(map, matrix_map,
    "Dense linear systems: 0.2 bits per key above value and check bits, or none.")
UMBEL_KIND(map, coded_map, "Compressed map: frequent values take fewer bits, down to the entropy.")
// clang-format on
