// fields.hpp - one or several fields of a table as the key of a record.
//
// Records stay whole, so that `query` and `get` can print them; only the key's fields are hashed.
// The reader finds the columns from the first line of each file. After that any thread can pick the
// fields.
//
// Layout     Fields are counted from 1, or named as the first line of each file names them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "record.hpp"

namespace umbel::cli {

struct field_options {
  std::vector<std::string> fields;  // numbers or names; none: the key is the whole line
  // instead of `fields`: all fields of a record are the key, and there are this many
  std::size_t all = 0;
  char delimiter = 0;  // 0: a tab if the first line has one, else a comma
  // the first line of each file is not a record; implied if a field was named
  bool header = false;

  // Whether a line is a record of fields.
  [[nodiscard]] bool used() const noexcept { return !fields.empty() || all != 0; }
  // The delimiter between a key and its value.
  [[nodiscard]] char between() const noexcept { return delimiter != 0 ? delimiter : '\t'; }
  // Throws bad_parameter if the options contradict each other.
  void check() const;
  [[nodiscard]] bool has_header() const noexcept;
};
void add_field_options(option_list& takes, field_options& into);

struct field_places {
  std::vector<std::size_t> columns;  // from 1, in the order of the key; none: the whole line
  char delimiter = 0;
  bool no_others = false;  // a record has no fields beside the key's
};
[[nodiscard]] char delimiter_of(const field_options& how, std::string_view first_line) noexcept;
// The columns of the fields in a file that begins with this record. Throws a bad_parameter that
// names the file.
[[nodiscard]] field_places places_of_fields(const field_options& how, std::string_view first,
                                            char delimiter, std::string_view file);

// Picks the fields of one record after another.
class field_picker {
 public:
  // The fields at `places`, valid until the next call. Throws a bad_parameter that begins with
  // where(), such as "file:7".
  template <class Where>
  [[nodiscard]] const std::vector<std::string_view>& operator()(std::string_view line,
                                                                const field_places& places,
                                                                Where&& where);

 private:
  std::vector<std::string> unquoted_;
  std::vector<std::string_view> found_;
};

namespace detail {
[[noreturn]] void refuse_field(const std::string& where, std::string_view line,
                               const field_places& places, std::size_t fields);
[[noreturn]] void refuse_quote(const std::string& where, std::string_view line);
}  // namespace detail

template <class Where>
const std::vector<std::string_view>& field_picker::operator()(std::string_view line,
                                                              const field_places& places,
                                                              Where&& where) {
  const std::size_t wanted = places.columns.size();
  found_.assign(wanted, {});
  // one more, for fields that are not picked
  if (unquoted_.size() < wanted + 1) unquoted_.resize(wanted + 1);
  std::size_t fields = 0, missing = wanted;
  for (record rest(line, places.delimiter);
       rest.has_more() && (missing != 0 || places.no_others);) {
    ++fields;
    const auto at = std::find(places.columns.begin(), places.columns.end(), fields);
    const auto place = static_cast<std::size_t>(at - places.columns.begin());
    const auto field = rest.next(unquoted_[place]);
    if (!field) detail::refuse_quote(where(), line);
    if (place == wanted) continue;
    found_[place] = *field;
    --missing;
  }
  if (missing != 0 || (places.no_others && fields != wanted))
    detail::refuse_field(where(), line, places, fields);
  return found_;
}

}  // namespace umbel::cli
