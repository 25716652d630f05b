// key_recipe.ipp - bodies of key_recipe.hpp.
#pragma once

#include <algorithm>
#include <span>

#include <umbel/base/config.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/key_recipe.hpp>

namespace umbel {

UMBEL_INLINE void key_recipe::check() const {
  const bool tuple = type == key_type::tuple;
  if (static_cast<std::uint8_t>(type) > last_key_type)
    throw bad_parameter(detail::text("key type: expected 0 to ", last_key_type, ", found ",
                                     static_cast<unsigned>(type)));
  if (!known() && *this != key_recipe{})
    throw bad_parameter("key recipe: keys of unknown type, yet it says what was done to them");
  if (type == key_type::integer && (prepares() || keeps_cr))
    throw bad_parameter("key recipe: integers have no line ends, white space or case");
  if (tuple ? columns < 2 || columns > max_columns : columns != 0)
    throw bad_parameter(detail::text("key columns: expected ", tuple ? "2 to 16" : "0", ", found ",
                                     unsigned{columns}));
  for (std::size_t i = 0; i < max_columns; ++i) {
    const key_type column = column_types[i];
    const bool fits = i < columns ? column == key_type::string || column == key_type::integer ||
                                        column == key_type::mixed
                                  : column == key_type::unknown;
    if (!fits)
      throw bad_parameter(detail::text("key column ", i + 1, ": a type that it cannot have"));
  }
}

UMBEL_INLINE std::string key_recipe::text() const {
  std::string out(name_of(type));
  if (type == key_type::tuple) {
    out += " of";
    for (std::size_t i = 0; i < columns; ++i)
      out += detail::text(i == 0 ? " " : ", ", name_of(column_types[i]));
  }
  if (trimmed) out += "; trimmed";
  if (case_folded) out += "; case folded";
  if (keeps_cr) out += "; carriage returns kept";
  return out;
}

namespace detail {
[[nodiscard]] inline bool same_type(key_type a, key_type b) noexcept {
  return a == b || a == key_type::mixed || b == key_type::mixed;
}
}  // namespace detail

UMBEL_INLINE bool compatible(const key_recipe& a, const key_recipe& b) noexcept {
  if (!a.known() || !b.known()) return true;
  if (!detail::same_type(a.type, b.type)) return false;
  // Integers have no line ends, white space or case, so these flags do not matter for them.
  if (a.type != key_type::integer && b.type != key_type::integer &&
      (a.keeps_cr != b.keeps_cr || a.trimmed != b.trimmed || a.case_folded != b.case_folded))
    return false;
  if (a.type != key_type::tuple || b.type != key_type::tuple) return true;
  return a.columns == b.columns && std::equal(a.column_types.begin(), a.column_types.end(),
                                              b.column_types.begin(), detail::same_type);
}

UMBEL_INLINE key_recipe joined(const key_recipe& a, const key_recipe& b) noexcept {
  if (a == b) return a;
  if (!a.known() || !b.known()) return {};
  if (a.type == key_type::mixed) return a;
  if (b.type == key_type::mixed) return b;
  key_recipe out = a;  // two tuples that differ in the types of some columns
  for (std::size_t i = 0; i < out.columns; ++i)
    if (a.column_types[i] != b.column_types[i]) out.column_types[i] = key_type::mixed;
  return out;
}

}  // namespace umbel
