// cmd/estimate.cpp - the command `umbel estimate`: the number of keys of saved sets and the overlap
// of two, estimated from their cells.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "misfit.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "table.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::vector<std::string> files;
  bool json = false;
  key_options keys;
};

// The number of keys of a file: counted at its build, or estimated.
struct size_of_set {
  std::string file;
  std::unique_ptr<any::structure> set;
  umbel::estimate keys;
  bool counted = false;
};

[[nodiscard]] size_of_set measured(const std::string& path,
                                   const std::optional<secret_key>& secret) {
  size_of_set out{path, saved_file(path).load(secret), {}};
  if (const auto inferred = out.set->cardinality()) {
    out.keys = *inferred;
  } else if (const auto counted = out.set->keys()) {
    out.keys.value = static_cast<double>(*counted);
    out.counted = true;
  } else {
    throw incompatible(fmt::format("{}: cannot tell how many keys {} holds", path,
                                   with_article(out.set->kind().name())));
  }
  return out;
}

[[nodiscard]] std::string shown(double keys) {
  return grouped(static_cast<std::uint64_t>(keys + 0.5));
}
[[nodiscard]] std::string shown(const umbel::estimate& e) {
  return e.saturated ? fmt::format("more than {}", shown(e.value)) : shown(e.value);
}

[[nodiscard]] json as_json(const umbel::estimate& e) {
  return json::object(
      {{"value", e.value}, {"standard_error", e.standard_error}, {"saturated", e.saturated}});
}

struct pair {
  const size_of_set& first;
  const size_of_set& second;
  overlap is;
};

[[nodiscard]] std::vector<pair> pairs_of(const std::vector<size_of_set>& sets) {
  std::vector<pair> out;
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = a + 1; b < sets.size(); ++b)
      out.push_back({sets[a], sets[b],
                     fitting("compare", {sets[a].file, *sets[a].set}, {sets[b].file, *sets[b].set},
                             [&] { return sets[a].set->overlap_with(*sets[b].set); })});
  return out;
}

void print(const std::vector<size_of_set>& sets, const std::vector<pair>& pairs) {
  table sizes({"file", "keys", "standard error"});
  for (const size_of_set& s : sets)
    sizes.row({s.file, shown(s.keys),
               s.counted ? "counted" : fmt::format("{:.3g}", s.keys.standard_error)});
  write_out(sizes.text());
  if (pairs.empty()) return;
  table both({"files", "in either", "in both", "Jaccard"});
  for (const pair& p : pairs)
    both.row({fmt::format("{} {}", p.first.file, p.second.file), shown(p.is.either),
              shown(p.is.common), fmt::format("{:.4f}", p.is.jaccard())});
  write_out("\n" + both.text());
}

exit_code run(const arguments& options) {
  const auto secret = options.keys.secret();
  std::vector<size_of_set> sets;
  for (const std::string& path : options.files) sets.push_back(measured(path, secret));
  const std::vector<pair> pairs = pairs_of(sets);
  if (!options.json) {
    print(sets, pairs);
    return exit_code::found;
  }
  std::vector<json> files, overlaps;
  for (const size_of_set& s : sets)
    files.push_back(
        json::object({{"file", s.file}, {"keys", as_json(s.keys)}, {"counted", s.counted}}));
  for (const pair& p : pairs)
    overlaps.push_back(json::object({{"first", p.first.file},
                                     {"second", p.second.file},
                                     {"union", as_json(p.is.either)},
                                     {"intersection", p.is.common},
                                     {"jaccard", p.is.jaccard()}}));
  write_out(
      json::object({{"files", json::array(files)}, {"pairs", json::array(overlaps)}}).document());
  return exit_code::found;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("FILTER", options->files, "FILE",
              "files made by `umbel build`; several must be of the same kind, size, hash and seed");
  takes.require("FILTER");
  add_key_file_option(takes, options->keys);
  takes.flag("--json", options->json, "print an object, for programs");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command estimate{.name = "estimate",
                       .group = command_group::inspect,
                       .summary = "Estimate how many keys sets hold, and how they overlap.",
                       .details = "",
                       .examples =
                           "  umbel estimate seen.umbel                # how many keys\n"
                           "  umbel estimate mon.umbel tue.umbel       # and how they overlap",
                       .define = define};

}  // namespace umbel::cli
