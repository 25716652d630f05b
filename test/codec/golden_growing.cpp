// golden_growing.cpp - golden files of sets that grow or erase.
#include <umbel/set/aging_bloom_filter.hpp>
#include <umbel/set/deletable_bloom_filter.hpp>
#include <umbel/set/dynamic_bloom_filter.hpp>
#include <umbel/set/removable_bloom_filter.hpp>
#include <umbel/set/scalable_bloom_filter.hpp>
#include <umbel/set/split_bloom_filter.hpp>
#include <umbel/set/taffy_block_filter.hpp>

#include "golden_make.hpp"

namespace golden {
namespace {

constexpr group numbers{key_type::u64, 200}, texts{key_type::string, 60};

template <class Filter>
void add_staged(std::vector<file>& out, const std::string& name) {
  out.push_back(set_file<Filter>(name + "_strings", "one stage, with room to spare",
                                 R"({"keys": 100, "fpr": 0.02})", {.keys = 100, .fpr = 0.02},
                                 {texts}));
  out.push_back(set_file<Filter>(name + "_stages", "several stages, two types of keys",
                                 R"({"keys": 20, "fpr": 0.1})", {.keys = 20, .fpr = 0.1},
                                 {numbers, texts}));
  out.push_back(set_file<Filter>(name + "_keyed", "a guess of one key, under a secret key",
                                 R"({"keys": 1, "fpr": 0.05})",
                                 {.keys = 1, .fpr = 0.05, .hash = hasher::keyed(secret)}, {texts}));
  const typename Filter::options_type how{.keys = 15, .fpr = 0.1};
  Filter first(how), second(how);
  for (std::uint64_t i = 0; i < texts.members; ++i)
    (i % 3 == 0 ? first : second)
        .insert(digest_of(how.hash, texts.type, key_number(texts.type, i, false)));
  first.merge(second);
  out.push_back(file_of(name + "_union", "a union: stages of one number beside each other",
                        R"({"keys": 15, "fpr": 0.1})", first, {texts}));
}

// Members were inserted twice, and non-members were inserted and erased where the kind erases.
template <class Filter>
file erased_file(const std::string& name, const std::string& what, const std::string& built_with,
                 const typename Filter::options_type& how, const group& of) {
  Filter made(how);
  for (std::uint64_t i = 0; i < 2 * of.members; ++i)
    made.insert(digest_of(how.hash, of.type, key_number(of.type, i, false)));
  for (std::uint64_t i = of.members; i < 2 * of.members; ++i)
    made.erase(digest_of(how.hash, of.type, key_number(of.type, i, false)));
  return file_of(name, what, built_with, made, {of});
}

}  // namespace

void add_growing(std::vector<file>& out) {
  add_staged<umbel::scalable_bloom_filter>(out, "scalable_bloom_filter");
  add_staged<umbel::taffy_block_filter>(out, "taffy_block_filter");
  using deletable = umbel::deletable_bloom_filter;
  out.push_back(set_file<deletable>("deletable_bloom_filter_numbers", "as planned",
                                    R"({"fpr": 0.02})", {.fpr = 0.02}, {numbers}));
  out.push_back(erased_file<deletable>(
      "deletable_bloom_filter_erased_keyed", "half of the keys erased, 40 regions, keyed",
      R"({"keys": 120, "fpr": 0.02, "regions": 40})",
      {.keys = 120, .fpr = 0.02, .regions = 40, .hash = hasher::keyed(secret)}, texts));
  using dynamic = umbel::dynamic_bloom_filter;
  out.push_back(
      set_file<dynamic>("dynamic_bloom_filter_rows", "five rows, of which the last has room",
                        R"({"keys": 45, "fpr": 0.02})", {.keys = 45, .fpr = 0.02}, {numbers}));
  out.push_back(erased_file<dynamic>(
      "dynamic_bloom_filter_erased_keyed", "half of the keys erased, rows added up, keyed",
      R"({"keys": 30, "fpr": 0.02})", {.keys = 30, .fpr = 0.02, .hash = hasher::keyed(secret)},
      texts));
  using split = umbel::split_bloom_filter;
  out.push_back(set_file<split>("split_bloom_filter_fill", "three rows of eight in use",
                                R"({"keys": 500, "fpr": 0.02})", {.keys = 500, .fpr = 0.02},
                                {numbers}));
  out.push_back(set_file<split>("split_bloom_filter_hash_keyed", "a row for each key, keyed",
                                R"({"keys": 60, "fpr": 0.02, "rows": 5, "form": "hash"})",
                                {.keys = 60,
                                 .fpr = 0.02,
                                 .rows = 5,
                                 .form = umbel::split_form::hash,
                                 .hash = hasher::keyed(secret)},
                                {texts}));
  using removable = umbel::removable_bloom_filter;
  out.push_back(set_file<removable>("removable_bloom_filter_numbers", "nothing erased",
                                    R"({"fpr": 0.02})", {.fpr = 0.02}, {numbers}));
  out.push_back(
      erased_file<removable>("removable_bloom_filter_erased_keyed",
                             "half of the keys erased, keyed", R"({"keys": 120, "fpr": 0.001})",
                             {.keys = 120, .fpr = 0.001, .hash = hasher::keyed(secret)}, texts));
  using aging = umbel::aging_bloom_filter;
  out.push_back(set_file<aging>("aging_bloom_filter_a2", "one filter and a half",
                                R"({"keys": 140, "fpr": 0.02})", {.keys = 140, .fpr = 0.02},
                                {numbers}));
  out.push_back(set_file<aging>("aging_bloom_filter_double_keyed", "both filters in use, keyed",
                                R"({"keys": 60, "fpr": 0.02, "form": "double-buffering"})",
                                {.keys = 60,
                                 .fpr = 0.02,
                                 .form = umbel::aging_form::double_buffering,
                                 .hash = hasher::keyed(secret)},
                                {texts}));
  aging turned({.keys = 300, .fpr = 0.001});
  for (std::uint64_t i = 301; i < 601; ++i)
    turned.insert(digest_of(turned.hash(), numbers.type, key_number(numbers.type, i, false)));
  for (std::uint64_t i = 0; i < 301; ++i)
    turned.insert(digest_of(turned.hash(), numbers.type, key_number(numbers.type, i, false)));
  out.push_back(file_of("aging_bloom_filter_turned",
                        "just after a turn: lines that are still to be cleared",
                        R"({"keys": 300, "fpr": 0.001})", turned, {{numbers.type, 301}}));
}

}  // namespace golden
