// count.hpp - single queries of one kind, between the marks at which callgrind counts.
//
// Each kind is a translation unit of its own (kind.cpp.in), compiled as a user's program is: the
// headers at -O2. It loads a file, so that only the query is compiled and counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <valgrind/callgrind.h>

#include <umbel/codec/codec.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/map/named_map.hpp>

namespace umbel::instructions {

struct counter {
  std::string_view kind;
  // Queries all members, then all others; callgrind dumps the cost of each under label + ".hit" and
  // label + ".miss". Returns how many of both were accepted, so that nothing is optimised away.
  std::uint64_t (*run)(const std::string& path, const std::string& label,
                       std::span<const std::uint64_t> members,
                       std::span<const std::uint64_t> others);
};

// The caller's loop. Five or six of its instructions are its own.
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

template <class T>
std::uint64_t run(const std::string& path, const std::string& label,
                  std::span<const std::uint64_t> members, std::span<const std::uint64_t> others) {
  const in_file<T> loaded = load<in_file<T>>(path);
  const T& structure = loaded;
  const auto count = [&](std::span<const std::uint64_t> keys, const std::string& of) {
    CALLGRIND_TOGGLE_COLLECT;
    const std::uint64_t sum = accepted(structure, keys);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(of.c_str());
    return sum;
  };
  return count(members, label + ".hit") + count(others, label + ".miss");
}

}  // namespace umbel::instructions
