// count.hpp - single queries of one kind, between the marks at which callgrind counts.
//
// Each kind is a translation unit of its own (kind.cpp.in), compiled as a user's program is: the
// headers alone, at -O2. It loads a file, so that only the query is compiled and counted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <valgrind/callgrind.h>

#include <umbel/codec/codec.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/map/named_map.hpp>

namespace umbel::instructions {

// One file to be asked.
struct subject {
  std::string label, path;
  double fpr = 0;  // of others, the part that its structure accepts
};

struct counter {
  std::string_view kind;
  // Queries all members, then all others; callgrind dumps the cost of each under label + ".hit" and
  // label + ".miss". Throws if a member was not accepted, or if too many others were.
  void (*run)(const subject& of, std::span<const std::uint64_t> members,
              std::span<const std::uint64_t> others);
};

// The caller's loop; five or six of its instructions are its own. Returns the number of keys that
// were accepted, or, for a perfect hash, which accepts all, the sum of their indices.
template <class T>
[[gnu::noinline]] std::uint64_t accepted(const T& structure, std::span<const std::uint64_t> keys) {
  std::uint64_t sum = 0;
  for (const std::uint64_t k : keys) {
    if constexpr (T::traits.answers == output::value)
      sum += structure.find(k).has_value();
    else if constexpr (T::traits.answers == output::index)
      sum += structure.index(k);
    else if constexpr (T::traits.exact)
      sum += structure.contains(k);
    else
      sum += structure.may_contain(k);
  }
  return sum;
}

// Nobody can leave out what makes this.
inline void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

[[noreturn]] inline void refuse(const subject& of, std::uint64_t number, const char* what) {
  throw std::runtime_error(of.label + ": " + std::to_string(number) + " " + what +
                           ": its counts would be of other queries than they say");
}

// Members have distinct indices below their number.
template <class T>
void check_indices(const subject& of, const T& structure, std::span<const std::uint64_t> members) {
  std::vector<std::uint64_t> indices;
  for (const std::uint64_t k : members) indices.push_back(structure.index(k));
  std::sort(indices.begin(), indices.end());
  const auto repeats = indices.end() - std::unique(indices.begin(), indices.end());
  if (repeats != 0) refuse(of, static_cast<std::uint64_t>(repeats), "members have another's index");
  if (indices.back() >= structure.keys())
    refuse(of, indices.back(), "is an index beyond the number of members");
}

template <class T>
void run(const subject& of, std::span<const std::uint64_t> members,
         std::span<const std::uint64_t> others) {
  const in_file<T> loaded = load<in_file<T>>(of.path);
  const T& structure = loaded;
  const auto count = [&](std::span<const std::uint64_t> keys, const char* sort) {
    const std::string name = of.label + sort;  // the macro keeps a pointer
    // Once before: what a process does once, such as choosing a kernel, is not a query's.
    keep(accepted(structure, keys));
    CALLGRIND_TOGGLE_COLLECT;
    const std::uint64_t sum = accepted(structure, keys);
    CALLGRIND_TOGGLE_COLLECT;
    keep(sum);
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    return sum;
  };
  const std::uint64_t hits = count(members, ".hit"), passed = count(others, ".miss");
  if constexpr (T::traits.answers == output::index) {
    check_indices(of, structure, members);
  } else {
    // What may forget keeps most.
    const std::uint64_t least = T::traits.may_forget ? members.size() / 2 : members.size();
    if (hits < least) refuse(of, members.size() - hits, "members were not found");
    const double expected = of.fpr * static_cast<double>(others.size());
    if (static_cast<double>(passed) > expected + 5 * std::sqrt(expected * (1 - of.fpr)))
      refuse(of, passed, "non-members were accepted");
  }
}

}  // namespace umbel::instructions
