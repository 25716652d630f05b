// golden_cuckoo.cpp - golden files of cuckoo filters and their relatives.
#include <umbel/set/cuckoo_filter.hpp>
#include <umbel/set/taffy_cuckoo_filter.hpp>

#include "golden_make.hpp"

namespace golden {

void add_cuckoo(std::vector<file>& out) {
  using enum key_type;
  using umbel::cuckoo_filter;
  out.push_back(set_file<cuckoo_filter>("cuckoo_filter_strings", "rows that begin inside a byte",
                                        R"({"keys": 200, "fpr": 0.03})", {.keys = 200, .fpr = 0.03},
                                        {{string, 200}}));
  out.push_back(set_file<cuckoo_filter>(
      "cuckoo_filter_numbers", "rows of more than 64 bits; seed 7", R"({"keys": 200, "fpr": 1e-8})",
      {.keys = 200, .fpr = 1e-8, .hash = hasher::seeded(7)}, {{u64, 200}}));
  out.push_back(set_file<cuckoo_filter>("cuckoo_filter_pairs", "two slots in a bucket",
                                        R"({"keys": 100, "fpr": 0.02, "slots": 2})",
                                        {.keys = 100, .fpr = 0.02, .slots = 2}, {{i64, 100}}));
  out.push_back(
      set_file<cuckoo_filter>("cuckoo_filter_sorted", "sorted buckets, which begin inside a byte",
                              R"({"keys": 150, "fpr": 0.003, "sorted": true})",
                              {.keys = 150, .fpr = 0.003, .sorted = true}, {{string, 150}}));
  const auto crowded = [] {
    cuckoo_filter made({.keys = 16, .bits = 192, .slots = 8, .hash = hasher::keyed(secret)});
    std::uint64_t i = 0;
    while (made.try_insert(digest_of(made.hash(), bytes, key_number(bytes, i, false)))) ++i;
    return std::pair(made, i);
  }();
  out.push_back(file_of("cuckoo_filter_keyed",
                        "a secret key; eight slots in a bucket, all of them taken, and a victim",
                        R"({"keys": 16, "bits": 192, "slots": 8})", crowded.first,
                        {{bytes, crowded.second}}));
  out.push_back(set_file<cuckoo_filter>("cuckoo_filter_empty", "no member: every answer is no",
                                        R"({"keys": 10, "fpr": 0.01})", {.keys = 10, .fpr = 0.01},
                                        {{u64, 0}}));

  using umbel::taffy_cuckoo_filter;
  out.push_back(set_file<taffy_cuckoo_filter>("taffy_cuckoo_filter_strings", "not doubled yet",
                                              R"({"keys": 200, "fpr": 0.03})",
                                              {.keys = 200, .fpr = 0.03}, {{string, 200}}));
  out.push_back(set_file<taffy_cuckoo_filter>(
      "taffy_cuckoo_filter_numbers", "doubled seven times: tails of every length; seed 7",
      R"({"keys": 3, "fpr": 0.4})", {.keys = 3, .fpr = 0.4, .hash = hasher::seeded(7)},
      {{u64, 500}}));
  out.push_back(set_file<taffy_cuckoo_filter>(
      "taffy_cuckoo_filter_keyed", "a secret key; rows of more than 64 bits, doubled",
      R"({"keys": 40, "fpr": 1e-6})", {.keys = 40, .fpr = 1e-6, .hash = hasher::keyed(secret)},
      {{bytes, 200}}));
  out.push_back(set_file<taffy_cuckoo_filter>(
      "taffy_cuckoo_filter_empty", "no member: every answer is no", R"({"keys": 10, "fpr": 0.01})",
      {.keys = 10, .fpr = 0.01}, {{u64, 0}}));
  taffy_cuckoo_filter growing({.keys = 50, .fpr = 0.1});
  for (std::uint64_t i = 0; i < 230; ++i)
    growing.insert(digest_of(growing.hash(), string, key_number(string, i, false)));
  out.push_back(file_of("taffy_cuckoo_filter_frozen", "heads alone; rows of none, one and several",
                        R"({"keys": 50, "fpr": 0.1})", growing.freeze(), {{string, 230}}));
}

}  // namespace golden
