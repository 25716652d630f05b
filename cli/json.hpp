// json.hpp - JSON output: members in the order given, indented by two spaces per level.
//
// A value is its text. A container indents the text of its parts; line ends inside strings are
// written \n, so indenting is safe. JSON is written and never read, so there is no tree.
//
// Limits     Whole numbers are unsigned. A double is the shortest text that reads back as the same
//            double, and has a point or an exponent; one that is not finite is null. Bytes that are
//            not UTF-8 become U+FFFD: a path need not be UTF-8, JSON must be.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umbel::cli {

class json {
 public:
  struct member;

  json(std::nullptr_t) : text_("null") {}
  json(bool value) : text_(value ? "true" : "false") {}
  json(double value);
  template <std::unsigned_integral T>
  json(T value) : text_(std::to_string(value)) {}
  json(const std::convertible_to<std::string_view> auto& value) : text_(quoted(value)) {}
  template <class T>
  json(const std::optional<T>& value) : json(value ? json(*value) : json(nullptr)) {}

  [[nodiscard]] static json object(const std::vector<member>& members);
  [[nodiscard]] static json array(const std::vector<json>& items);

  [[nodiscard]] std::string document() const { return text_ + "\n"; }

 private:
  [[nodiscard]] static std::string quoted(std::string_view text);
  [[nodiscard]] static json container(std::string_view ends, const std::vector<std::string>& parts);

  std::string text_;
};

struct json::member {
  std::string_view name;
  json value;
};

}  // namespace umbel::cli
