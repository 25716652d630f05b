// key_recipe.hpp - how the keys of a file were made: their type, and how text was prepared before
// hashing.
//
// A filter holds digests, so a key that is prepared differently is silently absent. A file
// therefore records the recipe. A program that opens it follows the recipe or gets an error.
//
// Layout     The recipe is part of the file's header (codec/envelope.hpp). doc/keys.md says how
//            each type is hashed.
// Limits     Where a key was read (file, field, line) is not part of the recipe. A program that
//            only calls `save` records `unknown`, which is compatible with everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <umbel/base/config.hpp>

namespace umbel {

enum class key_type : std::uint8_t { unknown = 0, string = 1, integer = 2, tuple = 3, mixed = 4 };
inline constexpr std::uint8_t last_key_type = 4;

[[nodiscard]] constexpr std::string_view name_of(key_type type) noexcept {
  constexpr std::string_view names[] = {"unknown", "string", "integer", "tuple", "mixed"};
  return names[static_cast<std::size_t>(type)];
}

struct key_recipe {
  static constexpr std::size_t max_columns = 16;

  key_type type = key_type::unknown;
  // a carriage return before the line end is part of the key
  bool keeps_cr = false;
  // white space at both ends was removed (hash/key_text.hpp)
  bool trimmed = false;
  bool case_folded = false;                          // letters were case-folded
  std::uint8_t columns = 0;                          // for tuples: 2 to 16
  std::array<key_type, max_columns> column_types{};  // for tuples: string, integer or mixed

  [[nodiscard]] constexpr bool known() const noexcept { return type != key_type::unknown; }
  // Whether text keys must be prepared before they are hashed.
  [[nodiscard]] constexpr bool prepares() const noexcept { return trimmed || case_folded; }
  // Throws bad_parameter if the members contradict each other.
  void check() const;
  // For messages: "string; trimmed".
  [[nodiscard]] std::string text() const;

  friend constexpr bool operator==(const key_recipe&, const key_recipe&) = default;
};

// Whether keys of one recipe can be queried in a filter of the other. `unknown` is compatible with
// everything, `mixed` with every type.
[[nodiscard]] bool compatible(const key_recipe& a, const key_recipe& b) noexcept;
// The recipe of the union of two compatible filters.
[[nodiscard]] key_recipe joined(const key_recipe& a, const key_recipe& b) noexcept;

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/hash/key_recipe.ipp>
#endif
