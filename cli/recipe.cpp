// recipe.cpp - bodies of recipe.hpp.
#include "recipe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "budget.hpp"

namespace umbel::cli {

recipe recipe_of(const any::kind& kind, const recipe_options& options) {
  const umbel::traits& traits = kind.traits();
  std::string name(kind.name());
  std::replace(name.begin(), name.end(), '-', '_');
  const bool map = traits.of == family::map;
  const bool sized_in_bits = options.by_size && takes_a_size(kind);
  const std::string secret = options.secret ? " --key-file secret.key" : "";
  const std::string hash = options.secret ? ".hash = umbel::hasher::keyed(secret)" : "";
  const std::string include = fmt::format("  // umbel/{}/{}.hpp", map ? "map" : "set", name);
  if (traits.exact)
    return {fmt::format("umbel build --kind {} --universe all.txt{} members.txt -o members.umbel",
                        kind.name(), secret),
            fmt::format("const auto members = umbel::{}::build(list, universe, {{{}}});{}", name,
                        hash, include)};
  const std::string given = sized_in_bits ? ".bits = @bits@" : ".fpr = @rate@";
  const std::string last = given + (hash.empty() ? "" : ", ") + hash;
  if (map)
    return {fmt::format("umbel build --map --kind {} --fpr @rate@{} pairs.tsv -o pairs.umbel",
                        kind.name(), secret),
            fmt::format("{}auto map = umbel::{}::build(pairs, {{.value_bits = {}, {}}});{}",
                        traits.assigns ? "" : "const ", name, options.value_bits, last, include)};
  return {
      fmt::format("umbel build --kind {}{} {}{} keys.txt -o keys.umbel", kind.name(),
                  traits.is_static ? "" : " --keys @keys@",
                  options.by_size ? "--bits-per-key @per_key@" : "--fpr @rate@", secret),
      traits.is_static
          ? fmt::format("const auto set = umbel::{}::build(keys, {{{}}});{}", name, last, include)
          : fmt::format("umbel::{} set({{.keys = @keys@, {}}});{}", name, last, include)};
}

std::string filled(std::string text, const recipe_numbers& numbers) {
  const auto put = [&](std::string_view mark, const std::string& number) {
    if (const std::size_t at = text.find(mark); at != text.npos)
      text.replace(at, mark.size(), number);
  };
  put("@keys@", fmt::format("{}", numbers.keys));
  put("@rate@", fmt::format("{}", numbers.rate));
  put("@per_key@", fmt::format("{}", numbers.per_key));
  put("@bits@",
      fmt::format("{:.0f}", std::floor(numbers.per_key * static_cast<double>(numbers.keys))));
  return text;
}

double rounded_up(double rate) {
  const double power = std::floor(std::log10(rate)) - 2;
  const double digits = std::ceil(rate / std::pow(10, power) * (1 - 1e-9));
  return std::strtod(fmt::format("{:.0f}e{:.0f}", digits, power).c_str(), nullptr);
}

}  // namespace umbel::cli
