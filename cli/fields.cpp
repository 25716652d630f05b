// fields.cpp - bodies of fields.hpp.
#include "fields.hpp"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "keys.hpp"
#include "suggest.hpp"

namespace umbel::cli {

namespace {

[[nodiscard]] std::size_t number_in(std::string_view text) {
  std::size_t out = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  return wrong == std::errc() && end == text.data() + text.size() ? out : 0;
}

// One byte, or \\t.
[[nodiscard]] char parse_delimiter(std::string_view option, std::string_view text) {
  if (text == "\\t") return '\t';
  if (text.size() != 1)
    throw bad_parameter(fmt::format("{}: expected one byte, such as , or :, found {}", option, quoted(text)));
  return text.front();
}

[[nodiscard]] std::size_t column_called(std::string_view name, std::string_view header, char delimiter,
                                        std::string_view file) {
  std::vector<std::string> names;
  std::string unquoted;
  for (record rest(header, delimiter); rest.has_more();) {
    const auto field = rest.next(unquoted);
    if (!field) detail::refuse_quote(fmt::format("{}:1", file), header);
    names.emplace_back(*field);
    if (*field == name) return names.size();
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string near = did_you_mean(name, known);
  throw bad_parameter(
      fmt::format("{}:1: no field is called {}{}", file, quoted(name),
                  near.empty() ? "; there are " + quoted(fmt::format("{}", fmt::join(known, ", "))) : near));
}

}  // namespace

void add_field_options(option_list& takes, field_options& into) {
  takes.text("--field", into.field, "FIELD",
             "the key is this field of a table: its number, from 1, or its\nname in the first line");
  takes.parsed(
      "-d,--delimiter", into.delimiter, parse_delimiter, "CHAR",
      "what stands between fields, or between key and value\n(default: a tab; of a table without tabs, a comma)");
  takes.flag("--header", into.header, "the first line of each file is no record (always so with a\nname)");
}

void field_options::check() const {
  if (field.empty() && header) throw bad_parameter("--header: only a table has one; name a --field");
  if (!field.empty() && field.find_first_not_of('0') == field.npos)
    throw bad_parameter("--field: fields are counted from 1, found " + field);
}

bool field_options::has_header() const noexcept { return !field.empty() && (header || number_in(field) == 0); }

field_place place_of_field(const field_options& how, std::string_view first_line, std::string_view file) {
  if (how.field.empty()) return {};
  field_place out{number_in(how.field), how.delimiter};
  if (out.delimiter == 0) out.delimiter = first_line.find('\t') != first_line.npos ? '\t' : ',';
  if (out.column == 0) out.column = column_called(how.field, first_line, out.delimiter, file);
  return out;
}

namespace detail {

void refuse_field(const std::string& where, std::string_view line, field_place at, std::size_t fields) {
  throw bad_parameter(
      fmt::format("{}: expected at least {} fields between {}, found {} in {}; --delimiter takes another", where,
                  at.column, at.delimiter == '\t' ? "tabs" : quoted({&at.delimiter, 1}), fields, quoted(line)));
}

void refuse_quote(const std::string& where, std::string_view line) {
  throw bad_parameter(fmt::format("{}: a quote is not closed in {}; a field cannot span lines", where, quoted(line)));
}

}  // namespace detail

}  // namespace umbel::cli
