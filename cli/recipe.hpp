// recipe.hpp - how to make what `umbel plan` recommends: a command, and a line of C++.
//
// Both are templates, because the page of `umbel plan --html` fills them in for every position of
// its sliders: @keys@, @rate@, @bits@ and @per_key@ stand for numbers.
#pragma once

#include <cstdint>
#include <string>

#include <umbel/any/any.hpp>

namespace umbel::cli {

struct recipe {
  std::string command, line;
};

struct recipe_options {
  bool by_size = false;     // a size was given, not a rate
  unsigned value_bits = 8;  // of a map
  bool secret = false;      // hash with a secret key
};
[[nodiscard]] recipe recipe_of(const any::kind& kind, const recipe_options& options);

struct recipe_numbers {
  std::uint64_t keys = 0;
  double rate = 0, per_key = 0;
};
[[nodiscard]] std::string filled(std::string text, const recipe_numbers& numbers);

// The rate rounded up to three digits: a static kind planned for it takes no more than for `rate`.
[[nodiscard]] double rounded_up(double rate);

}  // namespace umbel::cli
