// variants.hpp - the one list of kinds. Registry, laws, bench, codec and `umbel kinds` walk it.
// Layout     UMBEL_KIND(folder, class): include/umbel/<folder>/<class>.hpp has umbel::<class>. Adding a line here is all
//            that the registry needs; the build makes one small translation unit of each line.
// Limits     No include guard: it is meant to be included with different meanings of UMBEL_KIND.
UMBEL_KIND(set, bloom_filter)
UMBEL_KIND(set, banked_bloom_filter)
UMBEL_KIND(set, two_choice_bloom_filter)
UMBEL_KIND(set, best_of_bloom_filter)
UMBEL_KIND(set, selected_bloom_filter)
UMBEL_KIND(set, split_block_bloom_filter)
UMBEL_KIND(set, parquet_filter)
UMBEL_KIND(set, blocked_bloom_filter)
UMBEL_KIND(set, two_line_bloom_filter)
UMBEL_KIND(set, multiblock_bloom_filter)
UMBEL_KIND(set, register_bloom_filter)
UMBEL_KIND(set, pattern_bloom_filter)
UMBEL_KIND(set, hash_compaction_filter)
UMBEL_KIND(set, golomb_filter)
UMBEL_KIND(set, hash_list_filter)
UMBEL_KIND(set, fuse_filter)
UMBEL_KIND(map, fuse_map)
