// golden_beside_stores.cpp - golden files of adaptive filters, which work beside a store of keys:
// some false positives were reported to each.
#include <unordered_map>
#include <vector>

#include <umbel/set/adaptive_cuckoo_filter.hpp>
#include <umbel/set/telescoping_filter.hpp>

#include "golden_cases.hpp"
#include "golden_make.hpp"

namespace golden {
namespace {

constexpr std::uint64_t reported = 400;  // non-members, as far as they passed

file learned(const std::string& name) {
  umbel::adaptive_cuckoo_filter made(
      {.keys = 150, .fpr = 0.1, .selector_bits = 3, .hash = hasher::seeded(7)});
  struct {
    std::vector<digest> keys;
    [[nodiscard]] digest key(std::uint64_t slot) const { return keys[slot]; }
    void move(std::uint64_t from, std::uint64_t to) { keys[to] = keys[from]; }
  } behind{std::vector<digest>(made.size())};
  const auto key = [&](std::uint64_t i, bool non_member) {
    return digest_of(made.hash(), key_type::u64, key_number(key_type::u64, i, non_member));
  };
  for (std::uint64_t i = 0; i < 150; ++i)
    if (const auto slot = made.insert(key(i, false), behind)) behind.keys[*slot] = key(i, false);
  for (std::uint64_t i = 0; i < reported; ++i)
    if (made.may_contain(key(i, true))) (void)made.adapt(key(i, true), behind);
  return file_of(name, "seed 7; eight selectors, and non-members that were reported",
                 R"({"keys": 150, "fpr": 0.1, "selector_bits": 3})", made, {{key_type::u64, 150}});
}

file unlearned(const std::string& name) {
  umbel::telescoping_filter made({.keys = 150, .fpr = 0.1, .hash = hasher::keyed(secret)});
  std::unordered_multimap<std::uint64_t, digest> shelf;
  const auto store = [&](std::uint64_t home, auto&& visit) {
    for (auto [at, end] = shelf.equal_range(home); at != end; ++at) visit(at->second);
  };
  const auto key = [&](std::uint64_t i, bool non_member) {
    return digest_of(made.hash(), key_type::string, key_number(key_type::string, i, non_member));
  };
  for (std::uint64_t i = 0; i < 150; ++i) {
    (void)made.insert(key(i, false));
    shelf.emplace(made.home(key(i, false)), key(i, false));
  }
  for (std::uint64_t i = 0; i < reported; ++i)
    if (made.may_contain(key(i, true))) (void)made.adapt(key(i, true), store);
  return file_of(name, "a secret key; selectors of non-members that were reported",
                 R"({"keys": 150, "fpr": 0.1})", made, {{key_type::string, 150}});
}

}  // namespace

void add_beside_stores(std::vector<file>& out) {
  out.push_back(learned("adaptive_cuckoo_filter_learned"));
  out.push_back(unlearned("telescoping_filter_keyed"));
}

}  // namespace golden
