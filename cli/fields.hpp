// fields.hpp - the key inside a line that holds more than it: one field of a table.
// Idea       Lines stay whole for whoever prints them; only what is hashed is the field. Who reads learns where it stands,
//            from the first line of each file; then any thread can pick it.
// Layout     Fields are counted from 1, or named as the first line of each file names them.
// Limits     A line is a record (record.hpp): a quoted field that spans lines is refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "options.hpp"
#include "record.hpp"

namespace umbel::cli {

struct field_options {
  std::string field;    // number or name; empty: the key is the whole line
  char delimiter = 0;   // 0: a tab if the first line has one, else a comma
  bool header = false;  // the first line of each file is no record; so it is where a name was given

  // Between a key and its value.
  [[nodiscard]] char between() const noexcept { return delimiter != 0 ? delimiter : '\t'; }
  // Throws bad_parameter if they make no sense together.
  void check() const;
  [[nodiscard]] bool has_header() const noexcept;
};
void add_field_options(option_list& takes, field_options& into);

struct field_place {
  std::size_t column = 0;  // from 1; 0: the whole line
  char delimiter = 0;
};
// Where the field stands in a file that begins with this line. Throws bad_parameter, naming the file.
[[nodiscard]] field_place place_of_field(const field_options& how, std::string_view first_line, std::string_view file);

// The field of a line, perhaps in `unquoted`. Throws bad_parameter that begins with where(), such as "file:7".
template <class Where>
[[nodiscard]] std::string_view field_of(std::string_view line, field_place at, std::string& unquoted, Where&& where);

namespace detail {
[[noreturn]] void refuse_field(const std::string& where, std::string_view line, field_place at, std::size_t fields);
[[noreturn]] void refuse_quote(const std::string& where, std::string_view line);
}  // namespace detail

template <class Where>
std::string_view field_of(std::string_view line, field_place at, std::string& unquoted, Where&& where) {
  std::size_t fields = 0;
  for (record rest(line, at.delimiter); rest.has_more();) {
    const auto field = rest.next(unquoted);
    if (!field) detail::refuse_quote(where(), line);
    if (++fields == at.column) return *field;
  }
  detail::refuse_field(where(), line, at, fields);
}

}  // namespace umbel::cli
