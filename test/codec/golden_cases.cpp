// golden_cases.cpp - one golden file of every kind and of everything that changes bytes or answers:
// hash, seed, secret key, key type, width, shards, empty sets.
#include "golden_cases.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <umbel/umbel.hpp>

#include "golden_make.hpp"

namespace golden {
namespace {

// The answers of a perfect hash to all members and some non-members.
file index_file(const std::string& name, const std::string& what, const std::string& built_with,
                const umbel::perfect_hash::options_type& how, const group& of) {
  std::vector<digest> members;
  for (std::uint64_t i = 0; i < of.members; ++i)
    members.push_back(digest_of(how.hash, of.type, key_number(of.type, i, false)));
  const auto made = umbel::perfect_hash::build(members, how);
  const auto indices = [&](std::uint64_t count, bool non_members) {
    std::vector<std::string> out;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto key = key_number(of.type, i, non_members);
      out.push_back("[" + in_quotes(key) + ", " +
                    std::to_string(made.index(digest_of(how.hash, of.type, key))) + "]");
    }
    return listed(out);
  };
  const std::string keys = "{\"type\": " + in_quotes(name_of(of.type)) +
                           ",\n        \"members_index\": " + indices(of.members, false) +
                           ",\n        \"non_members_index\": " + indices(50, true) + "}";
  const std::string path = name + ".umbel";
  return {path, std::string(umbel::perfect_hash::kind), umbel::encode(made),
          object(path, umbel::perfect_hash::kind, what, how.hash, built_with, {keys})};
}

// The universe of each group: as many non-members, starting with the first, as `others` says.
template <class Set>
file exact_file(const std::string& name, const std::string& what,
                const typename Set::options_type& how, const std::vector<group>& groups,
                std::uint64_t others) {
  std::vector<digest> members, universe;
  for (const auto& [type, count] : groups) {
    for (std::uint64_t i = 0; i < count; ++i)
      members.push_back(digest_of(how.hash, type, key_number(type, i, false)));
    for (std::uint64_t i = 0; i < others; ++i)
      universe.push_back(digest_of(how.hash, type, key_number(type, i, true)));
  }
  return file_of(name, what, "{\"others\": " + std::to_string(others) + "}",
                 Set::build(members, universe, how), groups);
}

// Group 0 is in block 0, which answers keys without a block. Beside it: blocks with constant
// answers of both kinds, one without a first stage, one of the same rank, and one of another rank,
// inverted.
file blocks_file(const std::string& name, const std::string& what, const group& g,
                 std::uint64_t others) {
  using umbel::exact_set;
  const hasher hash;
  umbel::pair_spool members, universe;
  const auto add = [&](std::uint64_t block, std::uint64_t in, std::uint64_t out) {
    const auto put = [&](umbel::pair_spool& to, std::uint64_t i, bool other) {
      to.add(exact_set::in_block(digest_of(hash, g.type, key_number(g.type, i, other)), block));
    };
    for (std::uint64_t i = 0; i < in; ++i) put(members, i, false);
    for (std::uint64_t i = 0; i < out; ++i) put(universe, i, true);
  };
  add(0, g.members, others);
  add(3, 5, 0);
  add(4, 0, 5);
  add(7, 100, 100);
  add(std::uint64_t{1} << 40, g.members / 2, others / 2);
  add(~std::uint64_t{0}, 500, 20);
  return file_of(name, what, "{\"others\": " + std::to_string(others) + "}",
                 exact_set::build_blocks(members, universe, {}), {g});
}

template <class Map>
file map_file(const std::string& name, const std::string& what, const std::string& built_with,
              const typename Map::options_type& how, const std::vector<group>& groups,
              const std::vector<std::string>& names = {},
              std::uint64_t (*shaped)(std::uint64_t) = nullptr) {
  const std::uint64_t largest = umbel::core::largest_value(how);
  const auto value_of = [&](std::uint64_t i) {
    const std::uint64_t wide = i * 0x9E3779B97F4A7C15 + 5;
    if (shaped != nullptr) return shaped(wide);  // values that are not all alike
    const std::uint64_t any =
        (largest & (largest + 1)) == 0 ? wide & largest : wide % (largest + 1);
    return names.empty() ? any : any % names.size();
  };
  const auto number_of = [](std::uint64_t value) { return in_quotes(std::to_string(value)); };
  std::vector<std::pair<digest, std::uint64_t>> pairs;
  for (const auto& [type, count] : groups)
    for (std::uint64_t i = 0; i < count; ++i)
      pairs.emplace_back(digest_of(how.hash, type, key_number(type, i, false)), value_of(i));
  auto plain = Map::build(pairs, how);
  if constexpr (Map::traits.assigns) {  // as built it would show no more than a build does
    for (auto& [key, value] : pairs) value ^= 1;
    plain = Map::build(pairs, how);
    for (const auto& [key, value] : pairs) (void)plain.assign(key, value ^ 1);
  }
  const umbel::named_map map(std::move(plain), umbel::cells::texts(names));
  std::vector<std::string> keys;
  for (const auto& [type, count] : groups) {
    std::vector<std::string> members, found, missing;
    for (std::uint64_t i = 0; i < count; ++i)
      members.push_back("[" + in_quotes(key_number(type, i, false)) + ", " +
                        number_of(value_of(i)) + "]");
    for (std::uint64_t i = 0; i < tried && (found.size() < max_true || missing.size() < max_false);
         ++i) {
      const auto key = key_number(type, i, true);
      const auto d = digest_of(how.hash, type, key);
      const auto find = map.find(d);
      auto& answered = find ? found : missing;
      if (answered.size() < (find ? max_true : max_false))
        answered.push_back("[" + in_quotes(key) + ", " + (find ? number_of(*find) : "null") + ", " +
                           number_of(map.value(d)) + "]");
    }
    found.insert(found.end(), missing.begin(), missing.end());
    keys.push_back("{\"type\": " + in_quotes(name_of(type)) + ",\n        \"members\": " +
                   listed(members) + ",\n        \"non-members\": " + listed(found) + "}");
  }
  const std::string path = name + ".umbel";
  return {path, std::string(map.kind), umbel::encode(map),
          object(path, map.kind, what, how.hash, built_with, keys)};
}

void add_blooms(std::vector<file>& out) {
  using enum key_type;
  out.push_back(set_file<umbel::bloom_filter>(
      "bloom_filter_strings", "below 4096 bits: independent probes", R"({"keys": 50, "fpr": 0.1})",
      {.keys = 50, .fpr = 0.1}, {{string, 50}}));
  out.push_back(set_file<umbel::bloom_filter>(
      "bloom_filter_numbers", "from 4096 bits on: triple hashing; seed 7",
      R"({"keys": 600, "fpr": 0.02})", {.keys = 600, .fpr = 0.02, .hash = hasher::seeded(7)},
      {{u64, 600}}));
  out.push_back(set_file<umbel::bloom_filter>(
      "bloom_filter_keyed", "a secret key; every type of key in one filter",
      R"({"bits": 1000, "probes": 3})",
      {.keys = 100, .bits = 1000, .probes = 3, .hash = hasher::keyed(secret)},
      {{string, 20}, {bytes, 20}, {u64, 20}, {i64, 20}, {i32, 20}}));
  out.push_back(set_file<umbel::bloom_filter>("bloom_filter_empty", "no member: every answer is no",
                                              R"({"bits": 65, "probes": 1})",
                                              {.keys = 1, .bits = 65, .probes = 1}, {{string, 0}}));
  out.push_back(set_file<umbel::split_block_bloom_filter>(
      "split_block_bloom_filter_strings", "one block per key", R"({"keys": 100, "fpr": 0.05})",
      {.keys = 100, .fpr = 0.05}, {{string, 100}}));
  out.push_back(set_file<umbel::split_block_bloom_filter>(
      "split_block_bloom_filter_numbers", "seed 7", R"({"keys": 300, "fpr": 0.01})",
      {.keys = 300, .fpr = 0.01, .hash = hasher::seeded(7)}, {{u64, 200}, {i64, 100}}));
  out.push_back(set_file<umbel::parquet_filter>(
      "parquet_filter", "as Apache Parquet has it: XXH64, plain encoding",
      R"({"keys": 150, "fpr": 0.02})", {.keys = 150, .fpr = 0.02},
      {{string, 50}, {i64, 50}, {i32, 50}}));
}

// Every scheme except the default: odd and even sizes, key types that hash differently.
void add_schemes(std::vector<file>& out) {
  using enum key_type;
  using umbel::core::scheme;
  const auto add = [&](scheme how, std::uint64_t bits, unsigned probes, const hasher& hash,
                       const std::vector<group>& keys) {
    std::string name = "bloom_filter_" + std::string(umbel::core::name_of(how));
    std::replace(name.begin(), name.end(), '-', '_');
    const std::string built_with = R"({"bits": )" + std::to_string(bits) + R"(, "probes": )" +
                                   std::to_string(probes) + R"(, "scheme": ")" +
                                   std::string(umbel::core::name_of(how)) + "\"}";
    out.push_back(set_file<umbel::bloom_filter>(
        name, "another scheme", built_with,
        {.keys = 150, .bits = bits, .probes = probes, .scheme = how, .hash = hash}, keys));
  };
  // Double hashing is refused below 65536 bits; folding keeps the scheme.
  umbel::bloom_filter folded(
      {.keys = 150, .bits = 65'536, .probes = 5, .scheme = scheme::plain_double});
  for (std::uint64_t i = 0; i < 150; ++i) (void)folded.insert(key_number(string, i, false));
  for (int times = 0; times < 6; ++times) folded.fold();
  out.push_back(file_of("bloom_filter_double", "another scheme, folded to 1024 bits",
                        R"({"bits": 65536, "probes": 5, "scheme": "double"})", folded,
                        {{string, 150}}));
  add(scheme::extended, 1002, 5, hasher::seeded(7), {{string, 150}});
  add(scheme::enhanced, 1001, 5, hasher(), {{u64, 150}});
  add(scheme::triple_modular, 1000, 5, hasher::seeded(7), {{i64, 150}});
  add(scheme::partitioned, 1000, 5, hasher(), {{string, 150}});
  add(scheme::rng, 1001, 5, hasher::seeded(7), {{bytes, 150}});
  add(scheme::chunks, 1001, 4, hasher::md5(), {{string, 50}, {u64, 50}, {i32, 50}});
  add(scheme::pairwise, 1001, 5, hasher::seeded(7), {{string, 150}});
  add(scheme::h3, 1024, 5, hasher(), {{string, 150}});
  add(scheme::crc, 1000, 5, hasher::crc(), {{string, 50}, {u64, 50}, {i32, 50}});
  add(scheme::dcso, 1001, 6, hasher::fnv(), {{string, 50}, {bytes, 30}, {i32, 30}});
}

void add_banked(std::vector<file>& out) {
  using enum key_type;
  out.push_back(set_file<umbel::banked_bloom_filter>(
      "banked_bloom_filter_strings", "eight banks of 125 bits", R"({"bits": 1000, "probes": 5})",
      {.keys = 150, .bits = 1000, .probes = 5}, {{string, 150}}));
  out.push_back(set_file<umbel::banked_bloom_filter>(
      "banked_bloom_filter_numbers", "64 banks; seed 7",
      R"({"bits": 1024, "probes": 6, "banks": 64})",
      {.keys = 150, .bits = 1024, .probes = 6, .banks = 64, .hash = hasher::seeded(7)},
      {{u64, 150}}));
}

// Few keys and few bits: non-members pass, and are compared too. Odd numbers of probes, and more
// than eight.
template <class Set>
void add_blocked(std::vector<file>& out, const std::string& name, std::uint64_t bits,
                 unsigned probes) {
  using enum key_type;
  const auto told = [](std::uint64_t b, unsigned k) {
    return R"({"bits": )" + std::to_string(b) + R"(, "probes": )" + std::to_string(k) + "}";
  };
  out.push_back(set_file<Set>(
      name + "_strings", "seed 7", told(bits, probes),
      {.keys = 150, .bits = bits, .probes = probes, .hash = hasher::seeded(7)}, {{string, 150}}));
}

void add_blocks(std::vector<file>& out) {
  using enum key_type;
  add_blocked<umbel::blocked_bloom_filter>(out, "blocked_bloom_filter", 1024, 11);
  add_blocked<umbel::two_line_bloom_filter>(out, "two_line_bloom_filter", 1024, 8);
  add_blocked<umbel::multiblock_bloom_filter>(out, "multiblock_bloom_filter", 1024, 8);
  add_blocked<umbel::register_bloom_filter>(out, "register_bloom_filter", 960, 5);
  add_blocked<umbel::pattern_bloom_filter>(out, "pattern_bloom_filter", 960, 7);
  out.push_back(set_file<umbel::blocked_bloom_filter>(
      "blocked_bloom_filter_numbers", "three probes", R"({"bits": 2048, "probes": 3})",
      {.keys = 300, .bits = 2048, .probes = 3}, {{u64, 300}}));
}

void add_choices(std::vector<file>& out) {
  using enum key_type;
  using umbel::two_choice_bloom_filter;
  out.push_back(set_file<two_choice_bloom_filter>(
      "two_choice_bloom_filter_strings",
      "two groups, built at once; below 4096 bits: independent probes",
      R"({"keys": 100, "fpr": 0.1})", {.keys = 100, .fpr = 0.1}, {{string, 100}}));
  out.push_back(set_file<two_choice_bloom_filter>(
      "two_choice_bloom_filter_numbers", "three groups, triple hashing; seed 7",
      R"({"bits": 4150, "probes": 5, "groups": 3})",
      {.keys = 600, .bits = 4150, .probes = 5, .groups = 3, .hash = hasher::seeded(7)},
      {{u64, 600}}));
}

void add_chosen(std::vector<file>& out) {
  using enum key_type;
  out.push_back(set_file<umbel::best_of_bloom_filter>("best_of_bloom_filter_strings",
                                                      "the luckiest of 16", R"({"fpr": 0.05})",
                                                      {.fpr = 0.05}, {{string, 80}}));
  out.push_back(set_file<umbel::best_of_bloom_filter>(
      "best_of_bloom_filter_numbers",
      "from 4096 bits on: triple hashing; the luckiest of 300; seed 7",
      R"({"bits": 4200, "probes": 4, "tries": 300})",
      {.bits = 4200, .probes = 4, .tries = 300, .hash = hasher::seeded(7)}, {{u64, 600}}));
  out.push_back(set_file<umbel::selected_bloom_filter>(
      "selected_bloom_filter_strings", "20 groups, 32 candidates", R"({"fpr": 0.05})",
      {.fpr = 0.05}, {{string, 80}}));
  out.push_back(set_file<umbel::selected_bloom_filter>(
      "selected_bloom_filter_numbers",
      "triple hashing; 70 groups, 8 candidates, two passes more; seed 7",
      R"({"fpr": 0.02, "groups": 70, "candidates": 8, "refinements": 2})",
      {.fpr = 0.02, .groups = 70, .candidates = 8, .refinements = 2, .hash = hasher::seeded(7)},
      {{u64, 600}}));
  out.push_back(set_file<umbel::selected_bloom_filter>(
      "selected_bloom_filter_empty", "no member: every answer is no", "{}", {}, {{u64, 0}}));
}

void add_golombs(std::vector<file>& out) {
  using enum key_type;
  using umbel::golomb_coded_set;
  out.push_back(set_file<golomb_coded_set>("golomb_coded_set_strings", "two buckets",
                                           R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                           {{string, 200}}));
  out.push_back(set_file<golomb_coded_set>(
      "golomb_coded_set_numbers", "five buckets; seed 7", R"({"fpr": 0.001})",
      {.fpr = 0.001, .hash = hasher::seeded(7)}, {{u64, 600}}));
  out.push_back(set_file<golomb_coded_set>("golomb_coded_set_coarse", "no remainder bits",
                                           R"({"fpr": 0.5})", {.fpr = 0.5}, {{i32, 300}}));
  out.push_back(set_file<golomb_coded_set>("golomb_coded_set_empty",
                                           "no member: every answer is no", "{}", {}, {{u64, 0}}));
}

void add_hash_lists(std::vector<file>& out) {
  using enum key_type;
  using umbel::hash_list_filter;
  out.push_back(set_file<hash_list_filter>("hash_list_filter_strings", "values of 16 bits",
                                           R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                           {{string, 200}}));
  out.push_back(set_file<hash_list_filter>(
      "hash_list_filter_numbers", "values of 61 bits; seed 7", R"({"fpr": 1e-16})",
      {.fpr = 1e-16, .hash = hasher::seeded(7)}, {{u64, 200}}));
  out.push_back(set_file<hash_list_filter>("hash_list_filter_empty",
                                           "no member: every answer is no", "{}", {}, {{u64, 0}}));
}

void add_hash_compactions(std::vector<file>& out) {
  using enum key_type;
  using umbel::hash_compaction_filter;
  out.push_back(set_file<hash_compaction_filter>(
      "hash_compaction_filter_strings", "a few bits per slot", R"({"keys": 200, "fpr": 0.03})",
      {.keys = 200, .fpr = 0.03}, {{string, 200}}));
  out.push_back(set_file<hash_compaction_filter>(
      "hash_compaction_filter_numbers", "wide slots; seed 7", R"({"keys": 200, "fpr": 1e-16})",
      {.keys = 200, .fpr = 1e-16, .hash = hasher::seeded(7)}, {{u64, 200}}));
  out.push_back(set_file<hash_compaction_filter>(
      "hash_compaction_filter_keyed",
      "a secret key; hardly an empty slot, so that walks go round the end",
      R"({"keys": 60, "bits": 448, "load": 0.99})",
      {.keys = 60, .bits = 448, .load = 0.99, .hash = hasher::keyed(secret)}, {{bytes, 60}}));
  out.push_back(set_file<hash_compaction_filter>(
      "hash_compaction_filter_empty", "no member: every answer is no",
      R"({"keys": 10, "fpr": 0.01})", {.keys = 10, .fpr = 0.01}, {{u64, 0}}));
}

void add_binary_fuse_filters(std::vector<file>& out) {
  using enum key_type;
  using umbel::binary_fuse_filter;
  out.push_back(set_file<binary_fuse_filter>("binary_fuse_filter_8", "cells of 8 bits",
                                             R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                             {{string, 200}}));
  out.push_back(set_file<binary_fuse_filter>(
      "binary_fuse_filter_12", "cells of 12 bits, packed; seed 7", R"({"fpr": 0.000244140625})",
      {.fpr = 1.0 / 4096, .hash = hasher::seeded(7)}, {{u64, 400}}));
  out.push_back(set_file<binary_fuse_filter>("binary_fuse_filter_1", "cells of one bit",
                                             R"({"fpr": 0.5})", {.fpr = 0.5}, {{bytes, 100}}));
  out.push_back(set_file<binary_fuse_filter>("binary_fuse_filter_64", "cells of 64 bits",
                                             R"({"fpr": 5.421010862427522e-20})", {.fpr = 0x1p-64},
                                             {{string, 30}}));
  out.push_back(set_file<binary_fuse_filter>("binary_fuse_filter_sharded", "sixteen shards",
                                             R"({"fpr": 0.015625})",
                                             {.fpr = 1.0 / 64, .shard_from = 64}, {{u64, 300}}));
  out.push_back(set_file<binary_fuse_filter>(
      "binary_fuse_filter_many_shards", "512 shards, solved at different attempts; seed 7",
      R"({"fpr": 0.5})", {.fpr = 0.5, .hash = hasher::seeded(7), .shard_from = 16}, {{u64, 2500}}));
  out.push_back(set_file<binary_fuse_filter>(
      "binary_fuse_filter_keyed", "a secret key", R"({"fpr": 0.0078125})",
      {.fpr = 1.0 / 128, .hash = hasher::keyed(secret)}, {{string, 60}, {u64, 60}}));
  out.push_back(set_file<binary_fuse_filter>("binary_fuse_filter_one", "a single member",
                                             R"({"fpr": 0.0625})", {.fpr = 1.0 / 16},
                                             {{string, 1}}));
  out.push_back(
      set_file<binary_fuse_filter>("binary_fuse_filter_empty", "no member: every answer is no",
                                   R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256}, {{string, 0}}));
}

void add_binary_fuse_maps(std::vector<file>& out) {
  using enum key_type;
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_3", "values of 3 bits, 7 check bits", R"({"value_bits": 3, "fpr": 0.01})",
      {.value_bits = 3, .fpr = 0.01}, {{string, 250}}));
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_unchecked", "values of 5 bits and no check: non-members get a value; seed 7",
      R"({"value_bits": 5})", {.value_bits = 5, .hash = hasher::seeded(7)}, {{u64, 300}}));
  out.push_back(map_file<umbel::binary_fuse_map>("binary_fuse_map_64", "values of 64 bits",
                                                 R"({"value_bits": 64})", {.value_bits = 64},
                                                 {{i64, 100}}));
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_sharded", "sixteen shards", R"({"value_bits": 9, "fpr": 0.125})",
      {.value_bits = 9, .fpr = 1.0 / 8, .shard_from = 64}, {{u64, 300}}));
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_keyed", "a secret key", R"({"value_bits": 4, "fpr": 0.0625})",
      {.value_bits = 4, .fpr = 1.0 / 16, .hash = hasher::keyed(secret)}, {{bytes, 50}, {i32, 50}}));
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_empty", "no member: nothing is found", R"({"value_bits": 3, "fpr": 0.01})",
      {.value_bits = 3, .fpr = 0.01}, {{string, 0}}));
  // One bit of check and eleven names for sixteen values: some non-members that pass have a value
  // without a name.
  out.push_back(map_file<umbel::binary_fuse_map>(
      "binary_fuse_map_named",
      "values that stand for texts, one of them empty; a value without a text is not found",
      R"({"value_bits": 4, "fpr": 0.5, "texts": ["small", "", "sea green", "d\u00e9j\u00e0 vu", "4", "5", "6", "7", "8", "9", "ten"]})",
      {.value_bits = 4, .fpr = 0.5}, {{string, 200}},
      {"small", "", "sea green", "d\xc3\xa9j\xc3\xa0 vu", "4", "5", "6", "7", "8", "9", "ten"}));
}

// The other graphs of binary_fuse_filter and binary_fuse_map: the same engine.
template <class Set>
void add_peeled_filters(std::vector<file>& out, const std::string& name) {
  using enum key_type;
  out.push_back(set_file<Set>(name + "_8", "cells of 8 bits", R"({"fpr": 0.00390625})",
                              {.fpr = 1.0 / 256}, {{string, 200}}));
  out.push_back(set_file<Set>(name + "_12", "cells of 12 bits, packed; seed 7",
                              R"({"fpr": 0.000244140625})",
                              {.fpr = 1.0 / 4096, .hash = hasher::seeded(7)}, {{u64, 400}}));
  out.push_back(set_file<Set>(name + "_sharded", "sixteen shards", R"({"fpr": 0.015625})",
                              {.fpr = 1.0 / 64, .shard_from = 64}, {{u64, 300}}));
  out.push_back(set_file<Set>(name + "_keyed", "a secret key", R"({"fpr": 0.0078125})",
                              {.fpr = 1.0 / 128, .hash = hasher::keyed(secret)},
                              {{string, 60}, {u64, 60}}));
  out.push_back(set_file<Set>(name + "_one", "a single member", R"({"fpr": 0.0625})",
                              {.fpr = 1.0 / 16}, {{string, 1}}));
  out.push_back(set_file<Set>(name + "_empty", "no member: every answer is no",
                              R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256}, {{string, 0}}));
}
template <class Map>
void add_peeled_maps(std::vector<file>& out, const std::string& name) {
  using enum key_type;
  out.push_back(map_file<Map>(name + "_3", "values of 3 bits, 7 check bits",
                              R"({"value_bits": 3, "fpr": 0.01})", {.value_bits = 3, .fpr = 0.01},
                              {{string, 250}}));
  out.push_back(map_file<Map>(name + "_64", "values of 64 bits", R"({"value_bits": 64})",
                              {.value_bits = 64}, {{i64, 100}}));
  out.push_back(map_file<Map>(name + "_sharded", "sixteen shards",
                              R"({"value_bits": 9, "fpr": 0.125})",
                              {.value_bits = 9, .fpr = 1.0 / 8, .shard_from = 64}, {{u64, 300}}));
  out.push_back(map_file<Map>(name + "_empty", "no member: nothing is found",
                              R"({"value_bits": 3, "fpr": 0.01})", {.value_bits = 3, .fpr = 0.01},
                              {{string, 0}}));
}

void add_cascades(std::vector<file>& out) {
  using enum key_type;
  using umbel::cascade_map, umbel::exact_cascade_set, umbel::sizing::cascade_levels;
  out.push_back(exact_file<exact_cascade_set>("exact_cascade_set_strings",
                                              "one member among ten; several layers", {},
                                              {{string, 200}}, 1800));
  out.push_back(exact_file<exact_cascade_set>("exact_cascade_set_inverted",
                                              "nine of ten are members; seed 7",
                                              {.hash = hasher::seeded(7)}, {{u64, 400}}, 44));
  out.push_back(exact_file<exact_cascade_set>("exact_cascade_set_keyed", "a secret key",
                                              {.hash = hasher::keyed(secret)},
                                              {{bytes, 60}, {i64, 60}}, 200));
  out.push_back(exact_file<exact_cascade_set>("exact_cascade_set_empty",
                                              "no member: every answer is no", {}, {{u64, 0}}, 10));
  out.push_back(exact_file<exact_cascade_set>(
      "exact_cascade_set_full", "no others: every answer is yes", {}, {{string, 10}}, 0));
  using umbel::exact_set;
  out.push_back(exact_file<exact_set>("exact_set_strings", "one member among ten; two stages", {},
                                      {{string, 300}}, 2700));
  out.push_back(exact_file<exact_set>("exact_set_one_stage", "as many members as others", {},
                                      {{i64, 100}}, 100));
  out.push_back(exact_file<exact_set>("exact_set_inverted", "nine of ten are members; seed 7",
                                      {.hash = hasher::seeded(7)}, {{u64, 400}}, 44));
  out.push_back(exact_file<exact_set>("exact_set_keyed", "a secret key",
                                      {.hash = hasher::keyed(secret)}, {{bytes, 60}, {i64, 60}},
                                      200));
  out.push_back(exact_file<exact_set>("exact_set_empty", "no member: every answer is no", {},
                                      {{u64, 0}}, 10));
  out.push_back(exact_file<exact_set>("exact_set_parts",
                                      "both stages small, the second in several parts", {},
                                      {{u64, 2500}}, 7600));
  out.push_back(exact_file<exact_set>("exact_set_full", "no others: every answer is yes", {},
                                      {{string, 10}}, 0));
  out.push_back(blocks_file("exact_set_blocks", "six blocks, two first stages; block 0",
                            {string, 120}, 1000));
  out.push_back(map_file<cascade_map>(
      "cascade_map_two", "two values, filters below and from 4096 bits on",
      R"({"value_bits": 1, "fpr": 0.1})", {.value_bits = 1, .fpr = 0.1}, {{string, 1600}}));
  out.push_back(map_file<cascade_map>(
      "cascade_map_many", "sixteen values, later levels at 1/16; seed 7",
      R"({"value_bits": 4, "fpr": 0.05, "levels": "quick"})",
      {.value_bits = 4, .fpr = 0.05, .levels = cascade_levels::quick, .hash = hasher::seeded(7)},
      {{u64, 300}}));
  out.push_back(map_file<cascade_map>(
      "cascade_map_paper", "levels of the paper, k = 2, and a tail",
      R"({"value_bits": 1, "levels": "paper", "tail": true})",
      {.value_bits = 1, .levels = cascade_levels::paper, .tail = true}, {{i64, 600}}));
  out.push_back(map_file<cascade_map>(
      "cascade_map_tail_keyed", "nothing but a tail; a secret key",
      R"({"value_bits": 2, "fpr": 0.01, "tail": true})",
      {.value_bits = 2, .fpr = 0.01, .tail = true, .hash = hasher::keyed(secret)},
      {{bytes, 20}, {i32, 20}}));
  out.push_back(map_file<cascade_map>("cascade_map_empty", "no member: nothing is found",
                                      R"({"value_bits": 3})", {.value_bits = 3}, {{string, 0}}));
}

// Every form of graph, numbers of values that are not powers of two, filled and unfilled cells.
void add_bloomier_filters(std::vector<file>& out) {
  using enum key_type;
  using umbel::graph_form;
  const auto add = [&](const char* name, const char* what, const char* built_with,
                       const umbel::bloomier_filter::options_type& how,
                       const std::vector<group>& keys) {
    out.push_back(map_file<umbel::bloomier_filter>(std::string("bloomier_filter_") + name, what,
                                                   built_with, how, keys));
  };
  add("strings", "100 values, three blocks", R"({"values": 100, "fpr": 0.01})",
      {.fpr = 0.01, .values = 100}, {{string, 250}});
  add("random", "three cells anywhere, a few of them twice; seed 7",
      R"({"values": 5, "fpr": 0.01, "form": "random", "arity": 3})",
      {.fpr = 0.01, .values = 5, .graph = {.form = graph_form::random}, .hash = hasher::seeded(7)},
      {{u64, 60}});
  add("five", "five cells, in blocks; unused ones filled",
      R"({"values": 3, "fpr": 0.1, "form": "partitioned", "arity": 5, "fill": true})",
      {.fpr = 0.1,
       .values = 3,
       .graph = {.form = graph_form::partitioned, .arity = 5},
       .fill = true},
      {{i64, 100}});
  add("two_probe", "two cells, in halves",
      R"({"value_bits": 4, "fpr": 0.02, "preset": "two_probe"})",
      {.value_bits = 4, .fpr = 0.02, .graph = umbel::two_probe}, {{string, 150}});
  add("fuse", "three cells in segments; sixteen shards",
      R"({"values": 1000, "fpr": 0.05, "form": "fuse"})",
      {.fpr = 0.05, .values = 1000, .graph = {.form = graph_form::fuse}, .shard_from = 64},
      {{u64, 300}});
  add("keyed", "four cells in segments; a secret key",
      R"({"values": 6, "fpr": 0.1, "form": "fuse", "arity": 4})",
      {.fpr = 0.1,
       .values = 6,
       .graph = {.form = graph_form::fuse, .arity = 4},
       .hash = hasher::keyed(secret)},
      {{bytes, 50}, {i32, 50}});
  add("one_value", "a single value: a set", R"({"values": 1, "fpr": 0.03})",
      {.fpr = 0.03, .values = 1}, {{string, 80}});
  add("64", "values of 64 bits and no check", R"({"value_bits": 64})", {.value_bits = 64},
      {{i64, 100}});
  add("empty", "no member: nothing is found", R"({"values": 7, "fpr": 0.01})",
      {.fpr = 0.01, .values = 7}, {{string, 0}});
}

void add_mutable_bloomier_filters(std::vector<file>& out) {
  using enum key_type;
  using umbel::graph_form;
  const auto add = [&](const char* name, const char* what, const char* built_with,
                       const umbel::mutable_bloomier_filter::options_type& how,
                       const std::vector<group>& keys) {
    out.push_back(map_file<umbel::mutable_bloomier_filter>(
        std::string("mutable_bloomier_filter_") + name, what, built_with, how, keys));
  };
  add("strings", "values assigned after the build, in all but the empty one",
      R"({"value_bits": 7, "fpr": 0.02})", {.value_bits = 7, .fpr = 0.02}, {{string, 200}});
  add("random", "five cells anywhere, a few of them twice; seed 7",
      R"({"value_bits": 12, "fpr": 0.1, "form": "random", "arity": 5})",
      {.value_bits = 12,
       .fpr = 0.1,
       .graph = {.form = graph_form::random, .arity = 5},
       .hash = hasher::seeded(7)},
      {{u64, 60}});
  add("fuse4", "four cells in segments; four shards",
      R"({"value_bits": 64, "form": "fuse", "arity": 4})",
      {.value_bits = 64, .graph = {.form = graph_form::fuse, .arity = 4}, .shard_from = 64},
      {{u64, 100}});
  add("compact", "values of used cells alone, found by rank",
      R"({"value_bits": 10, "preset": "compact"})",
      {.value_bits = 10, .preset = umbel::mutable_bloomier_preset::compact}, {{string, 900}});
  add("empty", "no member: nothing is found", R"({"value_bits": 3})", {.value_bits = 3},
      {{string, 0}});
}

// A key's databases follow from its number: owners_of(i), ascending.
template <class OwnersOf>
file directory_file(const std::string& name, const std::string& what, const std::string& built_with,
                    const umbel::meta_map::options_type& how, const std::vector<group>& groups,
                    OwnersOf&& owners_of) {
  const auto shown_set = [](const std::vector<unsigned>& numbers) {
    std::vector<std::string> out;
    for (const unsigned number : numbers) out.push_back(std::to_string(number));
    return listed(out);
  };
  std::vector<std::pair<digest, unsigned>> pairs;
  for (const auto& [type, count] : groups)
    for (std::uint64_t i = 0; i < count; ++i)
      for (const unsigned database : owners_of(i))
        pairs.emplace_back(digest_of(how.hash, type, key_number(type, i, false)), database);
  const auto map = umbel::meta_map::build(pairs, how);
  std::vector<std::string> keys;
  for (const auto& [type, count] : groups) {
    const auto answer = [&, t = type](const std::string& key) {
      std::vector<unsigned> found;
      map.where(digest_of(how.hash, t, key)).for_each([&](unsigned database) {
        found.push_back(database);
      });
      return found;
    };
    std::vector<std::string> members, told, untold;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto key = key_number(type, i, false);
      members.push_back("[" + in_quotes(key) + ", " + shown_set(answer(key)) + "]");
    }
    for (std::uint64_t i = 0; i < tried && (told.size() < max_true || untold.size() < max_false);
         ++i) {
      const auto key = key_number(type, i, true);
      const auto found = answer(key);
      auto& to = found.empty() ? untold : told;
      if (to.size() < (found.empty() ? max_false : max_true))
        to.push_back("[" + in_quotes(key) + ", " + shown_set(found) + "]");
    }
    told.insert(told.end(), untold.begin(), untold.end());
    keys.push_back("{\"type\": " + in_quotes(name_of(type)) + ",\n        \"members_where\": " +
                   listed(members) + ",\n        \"non_members_where\": " + listed(told) + "}");
  }
  const std::string path = name + ".umbel";
  return {path, std::string(umbel::meta_map::kind), umbel::encode(map),
          object(path, umbel::meta_map::kind, what, how.hash, built_with, keys)};
}

void add_directories(std::vector<file>& out) {
  using enum key_type;
  using enum umbel::sizing::meta_form;
  const auto one = [](std::uint64_t i) { return std::vector{static_cast<unsigned>(i * i % 37)}; };
  const auto few = [](std::uint64_t i) {
    return i % 3 == 0   ? std::vector{1U, 69U}
           : i % 5 == 0 ? std::vector{0U, 64U, 65U}
                        : std::vector{2U};
  };
  // The bits of a number: most keys have the same, few keys share the others.
  const auto rare = [](std::uint64_t i) {
    std::vector<unsigned> set{0};
    if (i % 4 == 0)
      for (unsigned bit = 1; bit < 20; ++bit)
        if ((i * 0x9E3779B1 >> bit & 1) != 0) set.push_back(bit);
    return set;
  };
  out.push_back(directory_file("meta_map_bank", "a filter for each of 70 databases, bit-sliced",
                               R"({"fpr": 0.0625, "databases": 70, "form": "bank"})",
                               {.fpr = 1.0 / 16, .databases = 70, .form = bank}, {{string, 100}},
                               few));
  out.push_back(
      directory_file("meta_map_owner", "one owner each of 37; seed 7",
                     R"({"fpr": 0.015625, "databases": 37, "form": "owner"})",
                     {.fpr = 1.0 / 64, .databases = 37, .form = owner, .hash = hasher::seeded(7)},
                     {{u64, 200}}, one));
  out.push_back(directory_file("meta_map_dictionary", "three sets of 70 databases",
                               R"({"fpr": 0.015625, "databases": 70, "form": "dictionary"})",
                               {.fpr = 1.0 / 64, .databases = 70, .form = dictionary},
                               {{string, 200}}, few));
  out.push_back(directory_file(
      "meta_map_escapes_keyed", "a dictionary whose rarest sets escape; a secret key",
      R"({"fpr": 0.0625, "databases": 20, "form": "dictionary"})",
      {.fpr = 1.0 / 16, .databases = 20, .form = dictionary, .hash = hasher::keyed(secret)},
      {{u64, 400}}, rare));
  out.push_back(directory_file(
      "meta_map_bitmap", "sets of 20 databases as they are; sixteen shards",
      R"({"fpr": 0.0625, "databases": 20, "form": "bitmap"})",
      {.fpr = 1.0 / 16, .databases = 20, .form = bitmap, .shard_from = 64}, {{i64, 300}}, rare));
  out.push_back(directory_file("meta_map_empty", "no member: no database holds anything",
                               R"({"databases": 20})", {.databases = 20}, {{string, 0}}, rare));
}

void add_sparse(std::vector<file>& out) {
  using enum key_type;
  using umbel::sparse_filter, umbel::sparse_map;
  out.push_back(set_file<sparse_filter>("sparse_filter_8", "cells of 8 bits, four of them",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 200}}));
  out.push_back(set_file<sparse_filter>("sparse_filter_three", "three cells of 12 bits; seed 7",
                                        R"({"fpr": 0.000244140625, "probes": 3})",
                                        {.fpr = 1.0 / 4096, .probes = 3, .hash = hasher::seeded(7)},
                                        {{u64, 400}}));
  out.push_back(set_file<sparse_filter>(
      "sparse_filter_buckets", "three buckets; eight cells of 3 bits",
      R"({"fpr": 0.125, "probes": 8})", {.fpr = 1.0 / 8, .probes = 8}, {{u64, 3100}}));
  out.push_back(set_file<sparse_filter>(
      "sparse_filter_keyed", "a secret key", R"({"fpr": 0.0078125})",
      {.fpr = 1.0 / 128, .hash = hasher::keyed(secret)}, {{string, 60}, {u64, 60}}));
  out.push_back(set_file<sparse_filter>("sparse_filter_one", "a single member",
                                        R"({"fpr": 0.0625})", {.fpr = 1.0 / 16}, {{string, 1}}));
  out.push_back(set_file<sparse_filter>("sparse_filter_empty", "no member: every answer is no",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 0}}));
  out.push_back(map_file<sparse_map>("sparse_map_3", "values of 3 bits, 7 check bits",
                                     R"({"value_bits": 3, "fpr": 0.01})",
                                     {.value_bits = 3, .fpr = 0.01}, {{string, 250}}));
  out.push_back(map_file<sparse_map>("sparse_map_64", "values of 64 bits, five cells",
                                     R"({"value_bits": 64, "probes": 5})",
                                     {.value_bits = 64, .probes = 5}, {{i64, 100}}));
  out.push_back(map_file<sparse_map>("sparse_map_buckets", "two buckets, six cells",
                                     R"({"value_bits": 9, "fpr": 0.125, "probes": 6})",
                                     {.value_bits = 9, .fpr = 1.0 / 8, .probes = 6},
                                     {{u64, 1500}}));
  out.push_back(map_file<sparse_map>("sparse_map_empty", "no member: nothing is found",
                                     R"({"value_bits": 3, "fpr": 0.01})",
                                     {.value_bits = 3, .fpr = 0.01}, {{string, 0}}));
}

void add_matrices(std::vector<file>& out) {
  using enum key_type;
  using enum umbel::matrix_form;
  using umbel::matrix_filter, umbel::matrix_map;
  out.push_back(set_file<matrix_filter>("matrix_filter_8", "groups of 64, cells of 8 bits",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 200}}));
  out.push_back(set_file<matrix_filter>(
      "matrix_filter_large_keyed", "groups of 256, three spare unknowns; a secret key",
      R"({"fpr": 0.125, "group": 256, "spare": 3})",
      {.fpr = 1.0 / 8, .group = 256, .spare = 3, .hash = hasher::keyed(secret)},
      {{string, 600}, {u64, 600}}));
  out.push_back(set_file<matrix_filter>(
      "matrix_filter_tabulated", "groups of three; seed 7",
      R"({"fpr": 0.03125, "form": "tabulated"})",
      {.fpr = 1.0 / 32, .form = tabulated, .hash = hasher::seeded(7)}, {{u64, 400}}));
  out.push_back(set_file<matrix_filter>("matrix_filter_exact", "one system of sparse rows",
                                        R"({"fpr": 0.00390625, "form": "exact"})",
                                        {.fpr = 1.0 / 256, .form = exact}, {{string, 150}}));
  out.push_back(set_file<matrix_filter>("matrix_filter_one", "a single member",
                                        R"({"fpr": 0.0625})", {.fpr = 1.0 / 16}, {{string, 1}}));
  out.push_back(set_file<matrix_filter>("matrix_filter_empty", "no member: every answer is no",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 0}}));
  out.push_back(map_file<matrix_map>("matrix_map_3", "values of 3 bits, 7 check bits",
                                     R"({"value_bits": 3, "fpr": 0.01})",
                                     {.value_bits = 3, .fpr = 0.01}, {{string, 250}}));
  out.push_back(map_file<matrix_map>("matrix_map_one_level",
                                     "one level of groups of 128; values of 64 bits",
                                     R"({"value_bits": 64, "group": 128, "levels": 1})",
                                     {.value_bits = 64, .group = 128, .levels = 1}, {{i64, 400}}));
  out.push_back(map_file<matrix_map>("matrix_map_buckets", "two buckets", R"({"value_bits": 1})",
                                     {.value_bits = 1}, {{u64, 17'000}}));
  out.push_back(map_file<matrix_map>(
      "matrix_map_pairwise", "rows by pairwise hashing, some seeds listed",
      R"({"value_bits": 9, "fpr": 0.125, "source": "pairwise", "draw": 7})",
      {.value_bits = 9, .fpr = 1.0 / 8, .source = umbel::matrix_source::pairwise, .draw = 7},
      {{u64, 4000}}));
  out.push_back(map_file<matrix_map>(
      "matrix_map_exact", "64 keys, of whose rows one word each is enough",
      R"({"value_bits": 5, "form": "exact"})", {.value_bits = 5, .form = exact}, {{u64, 64}}));
  out.push_back(map_file<matrix_map>("matrix_map_dense",
                                     "one system of dense rows, two spare unknowns",
                                     R"({"value_bits": 7, "form": "dense", "spare": 2})",
                                     {.value_bits = 7, .form = dense, .spare = 2}, {{i64, 300}}));
  out.push_back(map_file<matrix_map>("matrix_map_empty", "no member: nothing is found",
                                     R"({"value_bits": 3, "fpr": 0.01, "form": "exact"})",
                                     {.value_bits = 3, .fpr = 0.01, .form = exact}, {{string, 0}}));
}

void add_perfect_hashes(std::vector<file>& out) {
  using enum key_type;
  using umbel::indexed_map;
  using umbel::perfect_filter;
  using umbel::perfect_preset;
  out.push_back(
      index_file("perfect_hash_strings", "few keys: even buckets", "{}", {}, {string, 200}));
  out.push_back(index_file("perfect_hash_skewed", "buckets of uneven size; seed 7", "{}",
                           {.hash = hasher::seeded(7)}, {u64, 1500}));
  out.push_back(index_file("perfect_hash_parts", "four parts of uneven buckets",
                           R"({"preset": "compact"})",
                           {.preset = perfect_preset::compact, .shard_from = 2000}, {u64, 4100}));
  out.push_back(index_file("perfect_hash_keyed", "a secret key", R"({"preset": "fast"})",
                           {.preset = perfect_preset::fast, .hash = hasher::keyed(secret)},
                           {bytes, 100}));
  out.push_back(index_file("perfect_hash_levels", "levels instead of pilots",
                           R"({"preset": "levels"})", {.preset = perfect_preset::levels},
                           {u64, 700}));
  out.push_back(index_file("perfect_hash_divisions", "four parts of keys divided",
                           R"({"preset": "smallest"})",
                           {.preset = perfect_preset::smallest, .shard_from = 1000}, {u64, 2100}));
  out.push_back(index_file("perfect_hash_few_divided", "one bucket of divided keys",
                           R"({"preset": "smallest"})", {.preset = perfect_preset::smallest},
                           {string, 25}));
  out.push_back(index_file("perfect_hash_coded", "two parts of uneven buckets, coded pilots",
                           R"({"preset": "coded"})",
                           {.preset = perfect_preset::coded, .shard_from = 2000}, {u64, 2400}));
  out.push_back(index_file("perfect_hash_peeled", "cells of two bits; four shards",
                           R"({"preset": "peeled"})",
                           {.preset = perfect_preset::peeled, .shard_from = 200}, {u64, 450}));
  out.push_back(index_file("perfect_hash_tree", "a Blooming tree", R"({"preset": "tree"})",
                           {.preset = perfect_preset::tree}, {string, 400}));
  out.push_back(index_file("perfect_hash_no_tree", "no member, as a tree", R"({"preset": "tree"})",
                           {.preset = perfect_preset::tree}, {u64, 0}));
  out.push_back(index_file("perfect_hash_solved", "two buckets of solved cells",
                           R"({"preset": "solved"})", {.preset = perfect_preset::solved},
                           {u64, 1600}));
  out.push_back(index_file(
      "perfect_hash_few_solved", "one bucket of solved cells; seed 7", R"({"preset": "solved"})",
      {.preset = perfect_preset::solved, .hash = hasher::seeded(7)}, {string, 20}));
  out.push_back(index_file("perfect_hash_none_solved", "no member, as solved cells",
                           R"({"preset": "solved"})", {.preset = perfect_preset::solved},
                           {u64, 0}));
  out.push_back(index_file("perfect_hash_one", "a single member", "{}", {}, {string, 1}));
  out.push_back(
      index_file("perfect_hash_empty", "no member: every index is 0", "{}", {}, {u64, 0}));
  out.push_back(set_file<perfect_filter>("perfect_filter_strings", "fingerprints of 8 bits",
                                         R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                         {{string, 200}}));
  out.push_back(set_file<perfect_filter>(
      "perfect_filter_parts", "fingerprints of 11 bits; two parts; seed 7",
      R"({"fpr": 0.00048828125})",
      {.fpr = 1.0 / 2048, .hash = hasher::seeded(7), .shard_from = 1000}, {{u64, 1200}}));
  out.push_back(set_file<perfect_filter>(
      "perfect_filter_divisions", "fingerprints of 8 bits where divisions lead",
      R"({"fpr": 0.00390625, "preset": "smallest"})",
      {.fpr = 1.0 / 256, .preset = perfect_preset::smallest}, {{string, 700}}));
  out.push_back(set_file<perfect_filter>("perfect_filter_empty", "no member: every answer is no",
                                         R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256}, {{u64, 0}}));
  out.push_back(map_file<indexed_map>("indexed_map_3", "values of 3 bits, 7 check bits",
                                      R"({"value_bits": 3, "fpr": 0.0078125})",
                                      {.value_bits = 3, .fpr = 1.0 / 128}, {{string, 200}}));
  out.push_back(map_file<indexed_map>(
      "indexed_map_keyed", "values of 24 bits, 8 check bits; a secret key", R"({"value_bits": 24})",
      {.value_bits = 24, .hash = hasher::keyed(secret)}, {{u64, 300}}));
  out.push_back(map_file<indexed_map>("indexed_map_empty", "no member: nothing is found",
                                      R"({"value_bits": 8})", {.value_bits = 8}, {{u64, 0}}));
}

void add_ribbons(std::vector<file>& out) {
  using enum key_type;
  using umbel::ribbon_filter;
  using umbel::ribbon_map;
  using umbel::ribbon_preset;
  out.push_back(set_file<ribbon_filter>("ribbon_filter_base", "few keys: a base and no layer",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 200}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_layer", "one layer of two shards, and a base; seed 7", R"({"fpr": 0.0625})",
      {.fpr = 1.0 / 16, .hash = hasher::seeded(7), .shard_from = 1000}, {{u64, 2500}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_compact", "rows of 128 coefficients", R"({"fpr": 0.25, "preset": "compact"})",
      {.fpr = 0.25, .preset = ribbon_preset::compact}, {{u64, 2100}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_smallest", "one bit per bucket, and an exception; seed 2",
      R"({"fpr": 0.5, "preset": "smallest"})",
      {.fpr = 0.5, .preset = ribbon_preset::smallest, .hash = hasher::seeded(2)}, {{u64, 2100}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_keyed", "a secret key", R"({"fpr": 0.0078125})",
      {.fpr = 1.0 / 128, .hash = hasher::keyed(secret)}, {{string, 60}, {u64, 60}}));
  out.push_back(set_file<ribbon_filter>("ribbon_filter_one", "a single member",
                                        R"({"fpr": 0.0625})", {.fpr = 1.0 / 16}, {{string, 1}}));
  out.push_back(set_file<ribbon_filter>("ribbon_filter_empty", "no member: every answer is no",
                                        R"({"fpr": 0.00390625})", {.fpr = 1.0 / 256},
                                        {{string, 0}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_standard", "no layer: one plain ribbon with crowded ends",
      R"({"fpr": 0.0625, "preset": "standard_64"})",
      {.fpr = 1.0 / 16, .preset = ribbon_preset::standard_64}, {{string, 300}}));
  out.push_back(set_file<ribbon_filter>("ribbon_filter_homogeneous",
                                        "members answer 0; two shards, 128 coefficients; seed 7",
                                        R"({"fpr": 0.0625, "preset": "homogeneous_128"})",
                                        {.fpr = 1.0 / 16,
                                         .preset = ribbon_preset::homogeneous_128,
                                         .hash = hasher::seeded(7),
                                         .shard_from = 1000},
                                        {{u64, 2500}}));
  out.push_back(set_file<ribbon_filter>(
      "ribbon_filter_homogeneous_wide", "so many slots that no end is crowded",
      R"({"fpr": 0.51, "preset": "homogeneous_64"})",
      {.fpr = 0.51, .preset = ribbon_preset::homogeneous_64}, {{u64, 9200}}));
  out.push_back(map_file<ribbon_map>(
      "ribbon_map_standard", "a plain ribbon that was drawn again; 128 coefficients",
      R"({"value_bits": 5, "fpr": 0.125, "preset": "standard_128"})",
      {.value_bits = 5, .fpr = 0.125, .preset = ribbon_preset::standard_128}, {{u64, 128}}));
  out.push_back(map_file<ribbon_map>("ribbon_map_3", "values of 3 bits, 7 check bits",
                                     R"({"value_bits": 3, "fpr": 0.01})",
                                     {.value_bits = 3, .fpr = 0.01}, {{string, 250}}));
  out.push_back(map_file<ribbon_map>(
      "ribbon_map_unchecked", "values of 5 bits and no check; 128 coefficients; seed 7",
      R"({"value_bits": 5, "preset": "smallest"})",
      {.value_bits = 5, .preset = ribbon_preset::smallest, .hash = hasher::seeded(7)},
      {{u64, 300}}));
  out.push_back(map_file<ribbon_map>("ribbon_map_64", "values of 64 bits", R"({"value_bits": 64})",
                                     {.value_bits = 64}, {{i64, 100}}));
  out.push_back(map_file<ribbon_map>("ribbon_map_empty", "no member: nothing is found",
                                     R"({"value_bits": 3, "fpr": 0.01})",
                                     {.value_bits = 3, .fpr = 0.01}, {{string, 0}}));
}

void add_coded_maps(std::vector<file>& out) {
  using enum key_type;
  using enum umbel::coded_form;
  using umbel::coded_map;
  constexpr auto halving = [](std::uint64_t wide) {
    return std::uint64_t(std::countl_zero(wide | 1 << 20));
  };
  constexpr auto rare_tail = [](std::uint64_t wide) {
    return wide >> 61 == 0 ? wide & 0xFFFFF : wide >> 62;
  };
  constexpr auto mostly_seven = [](std::uint64_t wide) {
    return wide >> 59 == 0 ? wide >> 57 & 3 : 7;
  };
  constexpr auto five = [](std::uint64_t) { return std::uint64_t{5}; };
  out.push_back(map_file<coded_map>("coded_map_plain", "values all alike: no code",
                                    R"({"value_bits": 5, "fpr": 0.01})",
                                    {.value_bits = 5, .fpr = 0.01}, {{string, 150}}));
  out.push_back(map_file<coded_map>(
      "coded_map_small", "a code in chunks, the check in the first; seed 7",
      R"({"value_bits": 6, "fpr": 0.0625, "form": "coded_small"})",
      {.value_bits = 6, .fpr = 1.0 / 16, .form = coded_small, .hash = hasher::seeded(7)},
      {{u64, 400}}, {}, halving));
  out.push_back(map_file<coded_map>(
      "coded_map_layers", "no check; a first chunk of many keys, rows of 128 coefficients",
      R"({"value_bits": 6, "form": "coded_small", "preset": "smallest"})",
      {.value_bits = 6, .form = coded_small, .preset = umbel::ribbon_preset::smallest},
      {{u64, 2100}}, {}, halving));
  out.push_back(map_file<coded_map>("coded_map_escape", "four values and an escape to literal ones",
                                    R"({"value_bits": 20, "fpr": 0.125, "form": "escape"})",
                                    {.value_bits = 20, .fpr = 1.0 / 8, .form = escape},
                                    {{u64, 200}}, {}, rare_tail));
  out.push_back(map_file<coded_map>("coded_map_dominant", "a filter first, and a check of its own",
                                    R"({"value_bits": 3, "fpr": 0.0625, "form": "dominant"})",
                                    {.value_bits = 3, .fpr = 1.0 / 16, .form = dominant},
                                    {{u64, 600}}, {}, mostly_seven));
  out.push_back(map_file<coded_map>(
      "coded_map_unchecked", "a filter first, no check", R"({"value_bits": 3, "form": "dominant"})",
      {.value_bits = 3, .form = dominant}, {{string, 300}}, {}, mostly_seven));
  out.push_back(map_file<coded_map>(
      "coded_map_graph_keyed", "a code in a graph, with an escape; a secret key",
      R"({"value_bits": 20, "fpr": 0.125, "form": "coded"})",
      {.value_bits = 20, .fpr = 1.0 / 8, .form = coded, .hash = hasher::keyed(secret)},
      {{string, 100}, {u64, 100}}, {}, rare_tail));
  out.push_back(map_file<coded_map>("coded_map_sharded", "a code in a graph of four shards",
                                    R"({"value_bits": 6, "form": "coded"})",
                                    {.value_bits = 6, .form = coded, .shard_from = 200},
                                    {{u64, 150}}, {}, halving));
  out.push_back(map_file<coded_map>("coded_map_one_value", "one value: nothing but the check",
                                    R"({"value_bits": 3, "fpr": 0.01})",
                                    {.value_bits = 3, .fpr = 0.01}, {{string, 100}}, {}, five));
  out.push_back(map_file<coded_map>(
      "coded_map_named", "values that stand for texts",
      R"({"value_bits": 3, "fpr": 0.125, "texts": ["admin", "", "devel", "libs", "x"]})",
      {.value_bits = 3, .fpr = 1.0 / 8, .form = coded_small}, {{string, 60}},
      {"admin", "", "devel", "libs", "x"}));
  out.push_back(map_file<coded_map>("coded_map_empty", "no member: nothing is found",
                                    R"({"value_bits": 3, "fpr": 0.01})",
                                    {.value_bits = 3, .fpr = 0.01}, {{string, 0}}));
}

}  // namespace

std::vector<file> files() {
  std::vector<file> out;
  add_blooms(out);
  add_schemes(out);
  add_banked(out);
  add_blocks(out);
  add_choices(out);
  add_chosen(out);
  add_golombs(out);
  add_hash_lists(out);
  add_hash_compactions(out);
  add_quotients(out);
  add_binary_fuse_filters(out);
  add_binary_fuse_maps(out);
  add_peeled_filters<umbel::binary_fuse4_filter>(out, "binary_fuse4_filter");
  add_peeled_maps<umbel::binary_fuse4_map>(out, "binary_fuse4_map");
  add_peeled_filters<umbel::xor_filter>(out, "xor_filter");
  add_peeled_maps<umbel::xor_map>(out, "xor_map");
  add_cascades(out);
  add_bloomier_filters(out);
  add_mutable_bloomier_filters(out);
  add_directories(out);
  add_sparse(out);
  add_matrices(out);
  add_ribbons(out);
  add_perfect_hashes(out);
  add_coded_maps(out);
  add_variants(out);
  add_growing(out);
  add_cuckoo(out);
  add_beside_stores(out);
  return out;
}

std::string answers(const std::vector<file>& all) {
  std::string out = R"({"about": [
    "What every golden file of this folder must answer. Made by test/codec (UMBEL_REGENERATE=1 rewrites it); read by anyone.",
    "hash: xxh3 is XXH3-128 with the seed; siphash is SipHash-2-4-128 under the 16 key bytes; parquet is XXH64, seed 0;",
    "  md5 is MD5, crc is CRC-32 beside CRC-32C, fnv is 64-bit FNV-1.",
    "type of keys: string is UTF-8 text, hashed as its bytes without any end mark; bytes is hexadecimal, hashed as those",
    "  bytes; u64, i64 and i32 are integers in decimal (as JSON strings, because JSON numbers lose digits beyond 2^53).",
    "  An integer is sign-extended to 64 bits; xxh3 then stands for the integer mixer of doc/format.md instead of XXH3,",
    "  siphash, md5, crc and fnv hash the 8 little-endian bytes, parquet hashes the low 4 bytes of an i32 and all 8 of an i64 or u64.",
    "Sets: members and non_members_true must answer true, non_members_false must answer false. non-members were never inserted.",
    "Maps: members are [key, value]. non-members are [key, find, value]: what `find` gives (null: nothing), and what `value`",
    "  gives, which does not look at the check bits. Values are decimal strings.",
    "  A map built with texts: value v stands for number v of them; a value that has no text is not found.",
    "Directories: members_where and non_members_where are [key, numbers]: the numbers that `where` gives, rising.",
    "built_with: the options it was built with; a reader does not need them, for the file holds all it takes."],
 "files": [
)";
  for (std::size_t i = 0; i < all.size(); ++i)
    out += "    " + all[i].answers + (i + 1 < all.size() ? ",\n" : "\n");
  return out + " ]}\n";
}

}  // namespace golden
