// golden_quotients.cpp - golden files of the filters that store quotients and remainders.
#include <vector>

#include <umbel/set/expandable_filter.hpp>
#include <umbel/set/prefix_filter.hpp>
#include <umbel/set/quotient_filter.hpp>
#include <umbel/set/vector_quotient_filter.hpp>

#include "golden_cases.hpp"
#include "golden_make.hpp"

namespace golden {
namespace {

// A run of 300 copies, longer than a block's offset can count, then as many keys as fit, then some
// erases.
file crowded(const std::string& name) {
  umbel::quotient_filter made({.keys = 700, .fpr = 0.02, .hash = hasher::keyed(secret)});
  const auto key = [&](std::uint64_t i) {
    return digest_of(made.hash(), key_type::bytes, key_number(key_type::bytes, i, false));
  };
  for (int i = 0; i < 300; ++i) (void)made.insert(key(0));
  for (std::uint64_t i = 1; i <= 400; ++i) (void)made.insert(key(i));
  for (std::uint64_t i = 200; i <= 400; ++i) (void)made.erase(key(i));
  return file_of(name, "a secret key; 300 copies of one key, and erased ones",
                 R"({"keys": 700, "fpr": 0.02})", made, {{key_type::bytes, 200}});
}

// A few keys through four doublings, the last one without need: fingerprints of five lengths, some
// void, some rejuvenated.
file expanded(const std::string& name) {
  umbel::expandable_filter made({.keys = 50, .fpr = 0.3});
  const auto key = [&](std::uint64_t i) {
    return digest_of(made.hash(), key_type::i64, key_number(key_type::i64, i, false));
  };
  for (std::uint64_t i = 0; i < 400; ++i) (void)made.insert(key(i));
  made.expand();
  for (std::uint64_t i = 0; i < 30; ++i) (void)made.rejuvenate(key(i));
  for (std::uint64_t i = 300; i < 400; ++i) (void)made.erase(key(i));
  return file_of(name, "four doublings: fingerprints of many lengths, void ones too",
                 R"({"keys": 50, "fpr": 0.3})", made, {{key_type::i64, 300}});
}

}  // namespace

void add_quotients(std::vector<file>& out) {
  using enum key_type;
  using umbel::quotient_filter;
  out.push_back(set_file<quotient_filter>("quotient_filter_strings", "four blocks, nearly full",
                                          R"({"keys": 240, "fpr": 0.03})",
                                          {.keys = 240, .fpr = 0.03}, {{string, 240}}));
  out.push_back(set_file<quotient_filter>(
      "quotient_filter_numbers", "wide slots; seed 7", R"({"keys": 200, "fpr": 1e-14})",
      {.keys = 200, .fpr = 1e-14, .hash = hasher::seeded(7)}, {{u64, 200}}));
  out.push_back(crowded("quotient_filter_crowded_keyed"));
  out.push_back(set_file<quotient_filter>("quotient_filter_empty", "no member: every answer is no",
                                          R"({"keys": 10, "fpr": 0.01})", {.keys = 10, .fpr = 0.01},
                                          {{u64, 0}}));

  using umbel::vector_quotient_filter;
  out.push_back(set_file<vector_quotient_filter>(
      "vector_quotient_filter_strings", "tags of 8 bits in six lines",
      R"({"keys": 240, "fpr": 0.01})", {.keys = 240, .fpr = 0.01}, {{string, 240}}));
  out.push_back(set_file<vector_quotient_filter>(
      "vector_quotient_filter_numbers", "tags of 16 bits; seed 7",
      R"({"keys": 200, "fpr": 0.0001})", {.keys = 200, .fpr = 1e-4, .hash = hasher::seeded(7)},
      {{u64, 200}}));
  out.push_back(set_file<vector_quotient_filter>(
      "vector_quotient_filter_keyed", "a secret key; two full lines",
      R"({"keys": 96, "bits": 1024})", {.keys = 96, .bits = 1024, .hash = hasher::keyed(secret)},
      {{bytes, 96}}));
  out.push_back(set_file<vector_quotient_filter>(
      "vector_quotient_filter_empty", "no member: every answer is no",
      R"({"keys": 10, "fpr": 0.01})", {.keys = 10, .fpr = 0.01}, {{u64, 0}}));

  using umbel::prefix_filter;
  out.push_back(set_file<prefix_filter>(
      "prefix_filter_strings", "pockets that have overflowed, and others",
      R"({"keys": 240, "fpr": 0.01})", {.keys = 240, .fpr = 0.01}, {{string, 240}}));
  out.push_back(set_file<prefix_filter>(
      "prefix_filter_keyed", "a secret key; twice the keys that were planned",
      R"({"keys": 100, "bits": 1280})", {.keys = 100, .bits = 1280, .hash = hasher::keyed(secret)},
      {{bytes, 200}}));
  out.push_back(
      set_file<prefix_filter>("prefix_filter_empty", "no member: every answer is no; seed 7",
                              R"({"keys": 10, "fpr": 0.01})",
                              {.keys = 10, .fpr = 0.01, .hash = hasher::seeded(7)}, {{u64, 0}}));

  using umbel::expandable_filter;
  out.push_back(set_file<expandable_filter>(
      "expandable_filter_keyed", "as planned; a secret key", R"({"keys": 240, "fpr": 0.01})",
      {.keys = 240, .fpr = 0.01, .hash = hasher::keyed(secret)}, {{string, 240}}));
  out.push_back(expanded("expandable_filter_expanded"));
  out.push_back(set_file<expandable_filter>(
      "expandable_filter_long", "fingerprints of 55 bits; seed 7", R"({"keys": 100, "fpr": 1e-16})",
      {.keys = 100, .fpr = 1e-16, .hash = hasher::seeded(7)}, {{u64, 100}}));
  out.push_back(set_file<expandable_filter>(
      "expandable_filter_empty", "no member: every answer is no", R"({"keys": 10, "fpr": 0.01})",
      {.keys = 10, .fpr = 0.01}, {{u64, 0}}));
}

}  // namespace golden
