// stored.hpp - an engine or an index written and read as files are, and its stored fields spoiled
// one by one: what the laws of a contract ask of describe() and check().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/codec/codec.hpp>

namespace umbel::test {

// A part under a kind of its own. One that is fields alone has no describe().
template <class Part>
struct stored {
  static constexpr std::string_view kind = "stored-part";
  static constexpr std::uint32_t format_version = 1;

  Part part{};

  static void describe(auto& self, auto& visitor) {
    if constexpr (requires { Part::describe(self.part, visitor); })
      Part::describe(self.part, visitor);
    else
      visitor.fields("part", self.part);
  }
  void check() { part.check(); }
};
template <class Part>
[[nodiscard]] std::vector<std::byte> bytes_of(const Part& part) {
  return encode(stored<Part>{part});
}
template <class Part>
[[nodiscard]] Part read_back(const Part& part) {
  return decode<stored<Part>>(bytes_of(part)).part;
}

// Gives one stored field another value, or takes the last word off one stored array.
class spoiler {
 public:
  [[nodiscard]] static spoiler field(std::size_t number, std::uint64_t value) {
    return {number, ~std::size_t{0}, value};
  }
  [[nodiscard]] static spoiler array(std::size_t number) { return {~std::size_t{0}, number, 0}; }

  // False if there is no such field or array, or if it was so before.
  template <class Part>
  [[nodiscard]] bool spoil(Part& part) {
    if constexpr (requires { Part::describe(part, *this); })
      Part::describe(part, *this);
    else
      fields("part", part);
    return changed_;
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool found() const noexcept { return found_; }

  // The visitor's side.
  template <class Object>
  void fields(std::string_view, Object& object) {
    Object::fields(object, [&](std::string_view name, auto& value, const auto&...) {
      if (fields_++ != field_) return;
      found_ = true;
      name_ = name;
      using type = std::remove_cvref_t<decltype(value)>;
      const auto spoiled = static_cast<type>(value_);
      changed_ = value != spoiled;
      value = spoiled;
    });
  }
  template <class Word>
  void array(std::string_view name, cells::words<Word>& words) {
    if (arrays_++ != array_) return;
    found_ = true;
    name_ = name;
    if (words.size() == 0) return;
    cells::words<Word> shorter(words.size() - 1);
    for (std::size_t i = 0; i < shorter.size(); ++i) shorter[i] = std::as_const(words)[i];
    words = std::move(shorter);
    changed_ = true;
  }

 private:
  spoiler(std::size_t field, std::size_t array, std::uint64_t value)
      : field_(field), array_(array), value_(value) {}

  std::size_t field_, array_, fields_ = 0, arrays_ = 0;
  std::uint64_t value_;
  std::string name_;
  bool found_ = false, changed_ = false;
};

// Whether check() takes it.
template <class Part>
[[nodiscard]] bool passes(Part& part) {
  try {
    part.check();
    return true;
  } catch (const error&) {
    return false;
  }
}

}  // namespace umbel::test
