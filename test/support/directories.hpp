// directories.hpp - keys and the databases that hold them, for tests of meta_map: distributions of
// owner sets.
#pragma once

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <umbel/map/meta_map.hpp>

#include "support/keys.hpp"

namespace umbel::test {

using directory_pairs = std::vector<std::pair<std::uint64_t, unsigned>>;
using truth = std::map<std::uint64_t, std::set<unsigned>>;

// `owners_of(number, random)` names the databases of a key, at least one, repeats allowed.
template <class OwnersOf>
[[nodiscard]] directory_pairs directory_of(std::uint64_t keys, std::uint64_t seed,
                                           OwnersOf&& owners_of) {
  directory_pairs out;
  std::mt19937_64 random(seed);
  for (const std::uint64_t key : member_keys(keys, seed))
    for (const unsigned database : owners_of(random)) out.emplace_back(key, database);
  return out;
}
// One database each.
[[nodiscard]] inline directory_pairs single_owners(std::uint64_t keys, unsigned databases,
                                                   std::uint64_t seed) {
  return directory_of(keys, seed, [=](auto& random) {
    return std::vector{static_cast<unsigned>(random() % databases)};
  });
}
// One of `kinds` sets; number i is twice as likely as number i + 1.
[[nodiscard]] inline directory_pairs skewed_sets(std::uint64_t keys, unsigned databases,
                                                 unsigned kinds, std::uint64_t seed) {
  return directory_of(keys, seed, [=](auto& random) {
    std::mt19937_64 content(
        std::min<unsigned>(kinds - 1, static_cast<unsigned>(std::countl_zero(random() | 1))));
    std::vector<unsigned> out{static_cast<unsigned>(content() % databases)};
    while (content() % 3 != 0) out.push_back(static_cast<unsigned>(content() % databases));
    return out;
  });
}
// Each database with probability 1/2.
[[nodiscard]] inline directory_pairs random_sets(std::uint64_t keys, unsigned databases,
                                                 std::uint64_t seed) {
  return directory_of(keys, seed, [=](auto& random) {
    std::vector<unsigned> out{static_cast<unsigned>(random() % databases)};
    for (unsigned i = 0; i < databases; ++i)
      if (random() % 2 == 0) out.push_back(i);
    return out;
  });
}

[[nodiscard]] inline truth truth_of(const directory_pairs& pairs) {
  truth out;
  for (const auto& [key, database] : pairs) out[key].insert(database);
  return out;
}
[[nodiscard]] inline std::set<unsigned> listed(const owners& found) {
  std::set<unsigned> out;
  found.for_each([&](unsigned database) { out.insert(database); });
  return out;
}

}  // namespace umbel::test
