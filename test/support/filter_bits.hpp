// filter_bits.hpp - the bits of a filter, read through the structure's `describe`.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <umbel/cells/words.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::support {

struct cells_visitor {
  std::vector<std::uint64_t> words{};
  void hash(const hasher&) {}
  void fields(std::string_view, const auto&) {}
  template <class Word>
  void array(std::string_view name, const cells::words<Word>& all) {
    if (name == "cells") words.assign(all.span().begin(), all.span().end());
  }
};

// The words of a structure's section `cells`, copied.
template <class Filter>
[[nodiscard]] std::vector<std::uint64_t> words_of(const Filter& filter) {
  cells_visitor visit;
  Filter::describe(filter, visit);
  return visit.words;
}

[[nodiscard]] inline bool bit_of(const std::vector<std::uint64_t>& words, std::uint64_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}
[[nodiscard]] inline std::uint64_t ones_of(const std::vector<std::uint64_t>& words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += static_cast<unsigned>(std::popcount(word));
  return sum;
}

}  // namespace umbel::support
