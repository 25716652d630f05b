// cmd/info.cpp - the command `umbel info`: kind, hash and sizes of a file, and estimates from its
// cells.
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/codec/envelope.hpp>

#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "rate.hpp"
#include "saved.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string file;
  bool json = false;
  key_options keys;
};

struct facts {
  const codec::envelope& front;
  std::unique_ptr<any::structure> structure;  // null: it needs a secret key that was not given
};

[[nodiscard]] std::string_view name_of(hash_kind hash) {
  constexpr std::string_view names[] = {"XXH3-128", "SipHash-2-4-128",    "Parquet XXH64",
                                        "MD5",      "CRC-32 and CRC-32C", "FNV-1"};
  static_assert(std::size(names) == last_hash_kind);
  return names[static_cast<unsigned>(hash) - 1];
}
[[nodiscard]] std::string_view name_of(codec::section_type type) {
  constexpr std::string_view names[] = {"fields", "array", "list"};
  return names[static_cast<unsigned>(type) - 1];
}

[[nodiscard]] std::optional<double> bits_per_key(const any::structure& s) {
  const auto keys = s.keys();
  if (!keys || *keys == 0) return std::nullopt;
  return static_cast<double>(s.size_in_bits()) / static_cast<double>(*keys);
}

// null: not recorded in the file.
[[nodiscard]] json as_json(const key_recipe& keys) {
  if (!keys.known()) return nullptr;
  std::vector<json> columns;
  for (std::size_t i = 0; i < keys.columns; ++i)
    columns.emplace_back(umbel::name_of(keys.column_types[i]));
  return json::object({{"type", umbel::name_of(keys.type)},
                       {"columns", json::array(columns)},
                       {"trimmed", keys.trimmed},
                       {"case_folded", keys.case_folded},
                       {"keeps_cr", keys.keeps_cr}});
}

[[nodiscard]] std::string as_json(const std::string& path, const facts& f) {
  std::vector<json> sections, fields;
  for (const codec::section& s : f.front.sections)
    sections.push_back(json::object(
        {{"name", s.name}, {"type", name_of(s.type)}, {"offset", s.offset}, {"bytes", s.length}}));
  std::vector<json::member> out{{"file", path},
                                {"kind", f.front.kind},
                                {"version", f.front.kind_version},
                                {"hash", name_of(f.front.hash)},
                                {"seed", f.front.seed},
                                {"keyed", f.front.hash == hash_kind::siphash},
                                {"bytes", f.front.file_bytes},
                                {"key_recipe", as_json(f.front.keys)},
                                {"sections", json::array(sections)}};
  if (f.structure != nullptr) {
    const any::structure& s = *f.structure;
    for (const auto& [name, value] : s.fields())  // an array: names may repeat, inside lists
      fields.push_back(json::object(
          {{"name", name}, {"value", std::visit([](auto v) { return json(v); }, value)}}));
    json cardinality = nullptr;
    if (const auto c = s.cardinality())
      cardinality = json::object({{"value", c->value},
                                  {"standard_error", c->standard_error},
                                  {"saturated", c->saturated}});
    out.insert(out.end(),
               {{"fields", json::array(fields)},
                {"keys", s.keys()},
                {"size_in_bits", s.size_in_bits()},
                {"bits_per_key", bits_per_key(s)},
                {"universe", s.universe()},
                {"expected_fpr", fpr_of(s)},
                {"fpr_outside_universe", s.universe() ? json(s.expected_fpr()) : json(nullptr)},
                {"cardinality", cardinality}});
  }
  return json::object(out).document();
}

[[nodiscard]] std::string as_text(const facts& f) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<18}{}\n", name, value);
  };
  line("kind", fmt::format("{}, version {}", f.front.kind, f.front.kind_version));
  line("hash", f.front.hash == hash_kind::xxh3
                   ? fmt::format("{}, seed {}", name_of(f.front.hash), f.front.seed)
                   : fmt::format("{}", name_of(f.front.hash)));
  line("keyed",
       f.front.hash == hash_kind::siphash ? "yes: its secret key is needed to query it" : "no");
  line("key type", f.front.keys.known() ? f.front.keys.text() : "not recorded");
  line("file size", show_bytes(f.front.file_bytes));
  if (f.structure != nullptr) {
    const any::structure& s = *f.structure;
    if (const auto keys = s.keys()) line(s.universe() ? "members" : "keys", grouped(*keys));
    if (const auto all = s.universe()) line("non-members", grouped(*all - s.keys().value_or(0)));
    if (const auto c = s.cardinality())
      line("keys", c->saturated
                       ? fmt::format("more than {:.3g}: every bit is set", c->value)
                       : fmt::format("about {} (standard error {:.0f})",
                                     grouped(static_cast<std::uint64_t>(std::llround(c->value))),
                                     c->standard_error));
    if (const auto bits = bits_per_key(s)) line("bits per key", fmt::format("{:.2f}", *bits));
    line("false positives", show_fpr(s));
    for (const auto& [name, value] : s.fields())
      line("  " + name, std::visit([](auto v) { return fmt::format("{}", v); }, value));
  } else {
    line("more", "give --key-file to see its keys, rate and fields");
  }
  for (const codec::section& s : f.front.sections)
    line("section", fmt::format("{} ({}), {}", s.name, name_of(s.type), show_bytes(s.length)));
  return out;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("FILE", options->file, "FILE", "file made by `umbel build`; - is standard input");
  takes.require("FILE");
  takes.flag("--json", options->json, "print an object, for programs");
  add_key_file_option(takes, options->keys);
  return [options](const invocation&) {
    const auto secret = options->keys.secret();
    const saved_file file(options->file);
    const facts found{file.front(), file.keyed() && !secret ? nullptr : file.open(secret)};
    write_out(options->json ? as_json(options->file, found) : as_text(found));
    return exit_code::found;
  };
}

}  // namespace

const command info{.name = "info",
                   .group = command_group::inspect,
                   .summary = "Show what a file holds: kind, size, keys, false positive rate.",
                   .details = "",
                   .examples =
                       "  umbel info words.umbel                   # for people\n"
                       "  umbel info --json words.umbel            # for programs",
                   .define = define};

}  // namespace umbel::cli
