// misfit.cpp - bodies of misfit.hpp.
#include "misfit.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

// Fields that define the shape of a set: the unit of each, and the options of `umbel build` that it
// follows from.
struct shape_field {
  std::string_view field, unit, options;
};
constexpr std::string_view by_size = "--keys and --fpr";
constexpr shape_field shapes[] = {{"cells", "bits", by_size},
                                  {"blocks", "blocks", by_size},
                                  {"buckets", "buckets", by_size},
                                  {"slots", "slots", by_size},
                                  {"lines", "cache lines", by_size},
                                  {"pockets", "pockets", by_size},
                                  {"width", "bits in a slot", by_size},
                                  {"tag_bits", "bits in a tag", by_size},
                                  {"first", "keys in its first part", by_size},
                                  {"first_buckets", "buckets at first", by_size},
                                  {"probes", "probes", "--probes"},
                                  {"scheme", "scheme", "--scheme"},
                                  {"rows", "rows", by_size}};

[[nodiscard]] std::string shown(const any::field_value& value) {
  if (const auto* const number = std::get_if<std::uint64_t>(&value)) return grouped(*number);
  if (const auto* const name = std::get_if<std::string_view>(&value)) return std::string(*name);
  return fmt::format("{}", std::get<double>(value));
}

// The first field in which the two shapes differ, and the options of all fields that differ: two
// sets planned for different numbers of probes differ in bits first.
[[nodiscard]] std::optional<std::string> shape_misfit(const named_set& a, const named_set& b) {
  const auto mine = a.set.fields(), theirs = b.set.fields();
  std::string first;
  std::vector<std::string_view> options;
  for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    if (mine[i] == theirs[i] || mine[i].first != theirs[i].first) continue;
    const auto* const known =
        std::find_if(std::begin(shapes), std::end(shapes),
                     [&](const shape_field& s) { return s.field == mine[i].first; });
    if (known == std::end(shapes)) continue;
    if (std::find(options.begin(), options.end(), known->options) == options.end())
      options.push_back(known->options);
    if (!first.empty()) continue;
    const bool named = std::holds_alternative<std::string_view>(mine[i].second);
    first = named ? fmt::format("{} has {} {}, {} has {}", a.file, known->unit,
                                shown(mine[i].second), b.file, shown(theirs[i].second))
                  : fmt::format("{} has {} {}, {} has {}", a.file, shown(mine[i].second),
                                known->unit, b.file, shown(theirs[i].second));
  }
  if (first.empty()) return std::nullopt;
  return fmt::format("{}. Build both with the same {}", first,
                     fmt::join(options, " and the same "));
}

[[nodiscard]] std::optional<std::string> hash_misfit(const named_set& a, const named_set& b) {
  const hasher &mine = a.set.hash(), &theirs = b.set.hash();
  if (mine == theirs) return std::nullopt;
  if (mine.kind() == hash_kind::xxh3 && theirs.kind() == hash_kind::xxh3)
    return fmt::format(
        "{} was built with --seed {}, {} with --seed {}. Build both with the same --seed", a.file,
        mine.seed(), b.file, theirs.seed());
  return fmt::format(
      "{} and {} were built with different hashes. Build both with the same --key-file and "
      "--scheme",
      a.file, b.file);
}

[[nodiscard]] std::optional<std::string> recipe_misfit(const named_set& a, const named_set& b) {
  const key_recipe &mine = a.set.recipe(), &theirs = b.set.recipe();
  if (compatible(mine, theirs)) return std::nullopt;
  return fmt::format(
      "the keys of {} are {}, those of {} are {}. Build both with the same --key-type, --field, "
      "--trim, "
      "--ignore-case and --keep-cr",
      a.file, mine.text(), b.file, theirs.text());
}

[[nodiscard]] std::string reason(std::string_view verb, const named_set& a, const named_set& b,
                                 const error& said) {
  const std::string_view kind = a.set.kind().name(), other = b.set.kind().name();
  if (kind != other)
    return fmt::format("{} holds {}, {} holds {}. Build both with the same --kind", a.file,
                       with_article(kind), b.file, with_article(other));
  if (dynamic_cast<const bad_parameter*>(&said) != nullptr)
    return fmt::format("{} does not {}. {}", with_article(kind), verb,
                       verb == "merge" ? "`umbel plan --keys N --merge` lists kinds that do"
                                       : "A bloom-filter does");
  if (dynamic_cast<const full*>(&said) != nullptr)
    return fmt::format("{} has no room for the keys of {} as well. Build both with a larger --keys",
                       a.file, b.file);
  if (const auto hash = hash_misfit(a, b)) return *hash;
  if (const auto recipe = recipe_misfit(a, b)) return *recipe;
  if (const auto shape = shape_misfit(a, b)) return *shape;
  return fmt::format("{} and {}: {}. Build both with the same --keys, --fpr and --seed", a.file,
                     b.file, said.what());
}

}  // namespace

std::string misfit(std::string_view verb, const named_set& a, const named_set& b,
                   const error& said) {
  return fmt::format("cannot {}: {}", verb, reason(verb, a, b, said));
}

}  // namespace umbel::cli
