// keys.hpp - members and non-members: keys that are in a structure, and keys that are not.
// Idea       Every key is a number run through a bijection. Members have even numbers, non-members
//            odd ones, and a seed has its own range of 2^40 numbers: disjoint by construction,
//            without asking the structure under test. The bijection (the finisher of splitmix64) is
//            not one the library uses, so keys are independent of its mixers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <umbel/hash/digest.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::test {

[[nodiscard]] constexpr std::uint64_t scatter(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Numbers before the bijection; i below 2^39, seeds below 2^24.
[[nodiscard]] constexpr std::uint64_t member_number(std::uint64_t i, std::uint64_t seed) noexcept {
  return (seed << 40) + 2 * i;
}
[[nodiscard]] constexpr std::uint64_t non_member_number(std::uint64_t i,
                                                        std::uint64_t seed) noexcept {
  return (seed << 40) + 2 * i + 1;
}

// Distinct numbers give distinct `hi`, the only part that some foreign formats use.
[[nodiscard]] constexpr digest digest_of(std::uint64_t number) noexcept {
  const std::uint64_t hi = scatter(number);
  return {.hi = hi, .lo = scatter(hi ^ 0x5851F42D4C957F2D)};
}

template <class Make>
[[nodiscard]] auto sequence(std::uint64_t n, Make&& make) {
  std::vector<decltype(make(std::uint64_t{0}))> out;
  out.reserve(n);
  for (std::uint64_t i = 0; i < n; ++i) out.push_back(make(i));
  return out;
}

// Ready digests.
[[nodiscard]] inline std::vector<digest> members(std::uint64_t n, std::uint64_t seed) {
  return sequence(n, [=](std::uint64_t i) { return digest_of(member_number(i, seed)); });
}
[[nodiscard]] inline std::vector<digest> non_members(std::uint64_t n, std::uint64_t seed) {
  return sequence(n, [=](std::uint64_t i) { return digest_of(non_member_number(i, seed)); });
}

// Keys still to be hashed: integers, and text.
[[nodiscard]] inline std::vector<std::uint64_t> member_keys(std::uint64_t n, std::uint64_t seed) {
  return sequence(n, [=](std::uint64_t i) { return scatter(member_number(i, seed)); });
}
[[nodiscard]] inline std::vector<std::uint64_t> non_member_keys(std::uint64_t n,
                                                                std::uint64_t seed) {
  return sequence(n, [=](std::uint64_t i) { return scatter(non_member_number(i, seed)); });
}
[[nodiscard]] inline std::vector<std::string> member_texts(std::uint64_t n, std::uint64_t seed) {
  return sequence(
      n, [=](std::uint64_t i) { return "key " + std::to_string(scatter(member_number(i, seed))); });
}

template <class Key>
[[nodiscard]] std::vector<digest> hashed(const hasher& hash, const std::vector<Key>& keys) {
  return sequence(keys.size(), [&](std::uint64_t i) { return hash(keys[i]); });
}

// The value that a map stores with a key: `bits` bits that follow from the key alone, so that no
// table is needed to check them.
[[nodiscard]] constexpr std::uint64_t value_for(digest d, unsigned bits) noexcept {
  return scatter(d.lo + 77) >> (64 - bits);
}

template <class T>
[[nodiscard]] std::vector<T> shuffled(std::vector<T> all, std::uint64_t seed) {
  std::shuffle(all.begin(), all.end(), std::mt19937_64(seed));
  return all;
}
template <class T>
[[nodiscard]] std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace umbel::test
