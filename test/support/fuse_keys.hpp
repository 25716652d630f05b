// fuse_keys.hpp - digests and pairs for the tests of static builds, in vectors and in spools.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <umbel/core/spool.hpp>
#include <umbel/hash/digest.hpp>

#include "support/environment.hpp"
#include "support/keys.hpp"

namespace fuse_test {

using umbel::digest;
using umbel::digest_spool;
using umbel::pair_spool;
using umbel::core::valued;
using umbel::test::sanitized;
using umbel::test::scatter;
using umbel::test::shuffled;
using umbel::test::value_for;

// A switch of the environment, such as UMBEL_LONG, which `make test-long` sets.
[[nodiscard]] inline bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

// Key i of family `seed`: two families have no key in common.
[[nodiscard]] constexpr digest digest_of(std::uint64_t i, std::uint64_t seed) noexcept {
  return umbel::test::digest_of(umbel::test::member_number(i, seed));
}
[[nodiscard]] inline std::vector<digest> digests(std::uint64_t n, std::uint64_t seed) {
  return umbel::test::members(n, seed);
}
[[nodiscard]] inline std::vector<valued> pairs(std::uint64_t n, unsigned width,
                                               std::uint64_t seed) {
  return umbel::test::sequence(n, [=](std::uint64_t i) {
    const digest d = digest_of(i, seed);
    return valued{d, value_for(d, width)};
  });
}

[[nodiscard]] inline digest_spool spooled(std::span<const digest> keys,
                                          umbel::spool_options how = {}) {
  digest_spool out(std::move(how));
  out.add(keys);
  return out;
}
[[nodiscard]] inline pair_spool spooled(std::span<const valued> all,
                                        umbel::spool_options how = {}) {
  pair_spool out(std::move(how));
  out.add(all);
  return out;
}

// The number of pairs that a retrieval engine answers wrongly, in single calls or in a batch.
template <class Engine>
[[nodiscard]] std::size_t wrong(const Engine& engine, std::span<const valued> all) {
  std::size_t out = 0;
  for (const valued& v : all) out += engine.value(v.key) != v.value;
  const auto digest_at = [&](std::size_t i) { return all[i].key; };
  // A batch stores the tag where the engine draws it together with the place of a key; otherwise
  // any bits of the digest.
  if constexpr (requires { engine.answer(umbel::digest{}); }) {
    const std::uint64_t mask = umbel::detail::low_mask(engine.width());
    engine.values(
        all.size(), digest_at, [=](std::uint64_t tag) { return tag & mask; },
        [&](std::size_t i, std::uint64_t note, std::uint64_t value) {
      out += engine.keys() != 0 && note != engine.answer(all[i].key).tag;
      out += value != all[i].value;
        });
  } else {
    engine.values(
        all.size(), digest_at, [](umbel::digest d) { return d.lo; },
        [&](std::size_t i, std::uint64_t note, std::uint64_t value) {
      out += note != all[i].key.lo;
      out += value != all[i].value;
        });
  }
  return out;
}

}  // namespace fuse_test
