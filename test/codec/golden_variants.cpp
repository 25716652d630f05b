// golden_variants.cpp - golden files of Bloom filters that clear bits or whose number of probes
// depends on the key.
#include <umbel/set/generalized_bloom_filter.hpp>
#include <umbel/set/retouched_bloom_filter.hpp>
#include <umbel/set/variable_bloom_filter.hpp>
#include <umbel/set/weighted_bloom_filter.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "golden_make.hpp"

namespace golden {
namespace {

std::vector<digest> digests(const hasher& hash, key_type type, std::uint64_t count,
                            bool non_members) {
  std::vector<digest> out;
  for (std::uint64_t i = 0; i < count; ++i)
    out.push_back(digest_of(hash, type, key_number(type, i, non_members)));
  return out;
}

// Sixty keys, and a non-member removed by retouching without losing any of the first fifty.
umbel::retouched_bloom_filter retouched() {
  const auto keys = digests({}, key_type::string, 60, false);
  umbel::retouched_bloom_filter filter({.keys = 60, .bits = 500, .probes = 4});
  filter.insert_batch(keys);
  for (const digest& d : digests({}, key_type::string, 10'000, true)) {
    if (!filter.may_contain(d)) continue;
    auto tried = filter;
    const auto report = tried.retouch(keys, std::vector<digest>{d});
    if (std::all_of(report.forgotten.begin(), report.forgotten.end(),
                    [](std::uint64_t i) { return i >= 50; }))
      return tried;
  }
  throw std::logic_error("no such non-member");
}

// Aged by 100 bits, its last fifty keys erased, then the other keys inserted.
umbel::variable_bloom_filter aged() {
  const hasher hash = hasher::seeded(7);
  const auto keys = digests(hash, key_type::u64, 300, false);
  umbel::variable_bloom_filter filter(
      {.keys = 300, .bits = 5000, .probes = 8, .marks = 5, .needed = 4, .hash = hash});
  filter.insert_batch(keys);
  filter.age(100);
  (void)filter.erase_batch(std::span(keys).last(50));
  filter.insert_batch(std::span(keys).first(250));
  return filter;
}

umbel::weighted_bloom_filter tabled() {
  const hasher hash = hasher::seeded(7);
  const auto keys = digests(hash, key_type::u64, 600, false);
  std::vector<std::pair<digest, unsigned>> table;
  for (std::size_t i = 0; i < 100; ++i) table.emplace_back(keys[i], static_cast<unsigned>(i % 20));
  for (const digest& d : digests(hash, key_type::u64, 20, true)) table.emplace_back(d, 12U);
  umbel::weighted_bloom_filter filter(table,
                                      {.keys = 600, .bits = 5000, .probes = 3, .hash = hash});
  filter.insert_batch(keys);
  return filter;
}

}  // namespace

void add_variants(std::vector<file>& out) {
  using enum key_type;
  out.push_back(set_file<umbel::generalized_bloom_filter>(
      "generalized_bloom_filter_strings", "independent probes; few keys, none forgotten",
      R"({"bits": 3900, "probes": 2})", {.keys = 8, .bits = 3900, .probes = 2}, {{string, 8}}));
  out.push_back(set_file<umbel::generalized_bloom_filter>(
      "generalized_bloom_filter_numbers",
      "independent probes of many bits; three set, two cleared; seed 7",
      R"({"bits": 20000, "probes": 3, "clears": 2})",
      {.keys = 20, .bits = 20'000, .probes = 3, .clears = 2, .hash = hasher::seeded(7)},
      {{u64, 20}}));
  out.push_back(set_file<umbel::generalized_bloom_filter>(
      "generalized_bloom_filter_plain", "nothing is cleared",
      R"({"bits": 500, "probes": 4, "clears": 0})",
      {.keys = 50, .bits = 500, .probes = 4, .clears = 0}, {{string, 50}}));
  out.push_back(file_of("retouched_bloom_filter_strings", "one non-member stopped",
                        R"({"bits": 500, "probes": 4})", retouched(), {{string, 50}}));
  out.push_back(set_file<umbel::variable_bloom_filter>(
      "variable_bloom_filter_strings", "seven bits set, six wanted of ten",
      R"({"keys": 50, "fpr": 0.1})", {.keys = 50, .fpr = 0.1}, {{string, 50}}));
  out.push_back(
      file_of("variable_bloom_filter_numbers", "triple hashing; aged, and keys erased; seed 7",
              R"({"bits": 5000, "probes": 8, "marks": 5, "needed": 4})", aged(), {{u64, 250}}));
  out.push_back(set_file<umbel::weighted_bloom_filter>(
      "weighted_bloom_filter_strings", "no table: a plain filter", R"({"keys": 50, "fpr": 0.1})",
      {.keys = 50, .fpr = 0.1}, {{string, 50}}));
  out.push_back(file_of("weighted_bloom_filter_numbers",
                        "120 keys with probes of their own, from 0 to 19; seed 7",
                        R"({"bits": 5000, "probes": 3})", tabled(), {{u64, 600}}));
}

}  // namespace golden
