// fields.cpp - bodies of fields.hpp.
#include "fields.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/hash/key_recipe.hpp>

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
  if (text.size() != 1 || text == "\n" || text == "\"")
    throw bad_parameter(
        fmt::format("{}: expected one byte, such as , or :, found {}", option, quoted(text)));
  return text.front();
}

// Names separated by commas, as a record: a name that contains a comma is quoted.
[[nodiscard]] std::vector<std::string> parse_fields(std::string_view option,
                                                    std::string_view text) {
  std::vector<std::string> out;
  std::string unquoted;
  for (record rest(text, ','); rest.has_more();) {
    const auto field = rest.next(unquoted);
    if (!field || field->empty())
      throw bad_parameter(fmt::format("{}: expected numbers or names between commas, found {}",
                                      option, quoted(text)));
    if (std::find(out.begin(), out.end(), *field) != out.end())
      throw bad_parameter(fmt::format("{}: {} is named twice", option, quoted(*field)));
    out.emplace_back(*field);
  }
  if (out.size() > key_recipe::max_columns)
    throw bad_parameter(fmt::format("{}: a key has at most {} fields, found {}", option,
                                    key_recipe::max_columns, out.size()));
  return out;
}

[[nodiscard]] std::vector<std::string> names_in(std::string_view header, char delimiter,
                                                std::string_view file) {
  std::vector<std::string> names;
  std::string unquoted;
  for (record rest(header, delimiter); rest.has_more();) {
    const auto field = rest.next(unquoted);
    if (!field) detail::refuse_quote(fmt::format("{}:1", file), header);
    names.emplace_back(*field);
  }
  return names;
}

// The name of a delimiter in messages: "tabs".
[[nodiscard]] std::string shown_delimiter(char delimiter) {
  return delimiter == '\t' ? "tabs" : quoted({&delimiter, 1});
}

[[nodiscard]] std::size_t column_called(std::string_view name,
                                        const std::vector<std::string>& names, char delimiter,
                                        std::string_view file) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin()) + 1;
  const std::vector<std::string_view> known(names.begin(), names.end());
  // A table that is read with the wrong delimiter has one field: its whole first line.
  const std::string near = known.size() == 1 ? "" : did_you_mean(name, known);
  throw bad_parameter(fmt::format(
      "{}:1: no field between {} is called {}{}", file, shown_delimiter(delimiter), quoted(name),
      near.empty() ? fmt::format("; there are {}; choose another delimiter with --delimiter",
                                 quoted(fmt::format("{}", fmt::join(known, ", "))))
                   : near));
}

}  // namespace

void add_field_options(option_list& takes, field_options& into) {
  takes.parsed("--field", into.fields, parse_fields, "FIELDS",
               "the key is this field of a table: its number, from 1, or its\nname in the first "
               "line; several, with "
               "commas between, make one\nkey of several columns");
  takes.parsed("-d,--delimiter", into.delimiter, parse_delimiter, "CHAR",
               "byte between fields, or between key and value (default: a tab, or a comma in a "
               "table without tabs)");
  takes.flag("--header", into.header,
             "skip the first line of each file (always done where --field is a name)");
}

void field_options::check() const {
  if (fields.empty() && header)
    throw bad_parameter("--header: only a table has one; name a --field");
  for (const std::string& field : fields)
    if (field.find_first_not_of('0') == field.npos)
      throw bad_parameter("--field: fields are counted from 1, found " + field);
}

bool field_options::has_header() const noexcept {
  const auto named = [](const std::string& field) { return number_in(field) == 0; };
  return !fields.empty() && (header || std::any_of(fields.begin(), fields.end(), named));
}

char delimiter_of(const field_options& how, std::string_view first_line) noexcept {
  if (how.delimiter != 0) return how.delimiter;
  return first_line.find('\t') != first_line.npos ? '\t' : ',';
}

field_places places_of_fields(const field_options& how, std::string_view first, char delimiter,
                              std::string_view file) {
  field_places out{{}, delimiter, how.all != 0};
  if (how.all != 0) {
    out.columns.resize(how.all);
    std::iota(out.columns.begin(), out.columns.end(), std::size_t{1});
    return out;
  }
  std::vector<std::string> names;
  for (const std::string& field : how.fields) {
    std::size_t column = number_in(field);
    if (column == 0) {
      if (names.empty()) names = names_in(first, delimiter, file);
      column = column_called(field, names, delimiter, file);
    }
    if (std::find(out.columns.begin(), out.columns.end(), column) != out.columns.end())
      throw bad_parameter(
          fmt::format("--field: {} is field {} of {}, which is already part of the key",
                      quoted(field), column, file));
    out.columns.push_back(column);
  }
  return out;
}

namespace detail {

void refuse_field(const std::string& where, std::string_view line, const field_places& places,
                  std::size_t fields) {
  const std::size_t last = *std::max_element(places.columns.begin(), places.columns.end());
  throw bad_parameter(fmt::format(
      "{}: expected {}{} fields between {}, found {} in {}; choose another with --delimiter", where,
      places.no_others ? "" : "at least ", last, shown_delimiter(places.delimiter), fields,
      quoted(line)));
}

void refuse_quote(const std::string& where, std::string_view line) {
  throw bad_parameter(
      fmt::format("{}: a quote is opened and not closed in {}", where, quoted(line)));
}

}  // namespace detail

}  // namespace umbel::cli
