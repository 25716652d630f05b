// named_map.hpp - dictionary encoding: a map whose values may stand for texts. Value v is the
// number of a text in a table stored with the map.
//
// A map stores small integers. If the values are words that repeat (sections, countries, authors),
// each distinct word is stored once and the map stores its number. The code of the map itself is
// not affected.
//
// Layout     The sections of the map, under the map's own kind; then, if there are texts, those of
//            cells/texts.hpp. Without texts the file is that of the plain map, byte for byte.
// Invariant  With texts, a value without a text is no answer: no key of the build has it, so the
//            key is a non-member.
// Limits     Those of the map. All texts are in memory, or in the mapped file.
// Threads    Immutable: any number of readers.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <umbel/cells/texts.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

// The map `Map` with texts; all verbs that are not declared here are those of `Map`.
template <class Map>
class named_map : public Map {
 public:
  named_map() = default;
  // A map and its texts, numbered as the values are; empty: values stand for themselves.
  explicit named_map(Map map, cells::texts names = {})
      : Map(std::move(map)), names_(std::move(names)) {}

  // The texts by value; empty if there are none.
  [[nodiscard]] const cells::texts& names() const noexcept { return names_; }
  // Replaces the texts.
  void name(cells::texts names) noexcept { names_ = std::move(names); }

  // The value of the key; for a non-member nullopt, or with probability fpr some value. With texts,
  // a value without a text counts as nullopt.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return named(Map::find(k));
  }
  // answers[i] = find(keys[i]), faster than single calls.
  template <core::key_span Keys>
  void find_batch(const Keys& keys,
                  std::span<std::optional<std::uint64_t>> answers) const noexcept {
    Map::find_batch(keys, answers);
    if (names_.empty()) return;
    for (auto& answer : answers.first(std::size(keys))) answer = named(answer);
  }
  // The text of the key; for a non-member nullopt, or with probability fpr some text.
  template <key K>
  [[nodiscard]] std::optional<std::string_view> find_name(const K& k) const noexcept {
    const auto number = find(k);
    if (!number || names_.empty()) return std::nullopt;
    return names_[*number];
  }

  // Size of the map and of the texts.
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return Map::size_in_bits() + names_.size_in_bits();
  }

  friend bool operator==(const named_map& a, const named_map& b) noexcept {
    return plain(a) == plain(b) && a.names_ == b.names_;
  }
  static void describe(auto& self, auto& part) {
    Map::describe(plain(self), part);
    part.optional("texts", self.names_);
  }

 private:
  [[nodiscard]] static const Map& plain(const named_map& self) noexcept { return self; }
  [[nodiscard]] static Map& plain(named_map& self) noexcept { return self; }
  // nullopt counts as number 0, which has a text if there are any. The number is computed before
  // the comparison: for `value && *value >= size` g++ generates code that compares first and tests
  // has_value() afterwards. That is correct, but valgrind then reports, for every query of an
  // absent key, a jump that depends on uninitialised memory.
  [[nodiscard]] std::optional<std::uint64_t> named(
      std::optional<std::uint64_t> value) const noexcept {
    std::uint64_t number = value ? *value : 0;
    asm("" : "+r"(number));
    return !names_.empty() && number >= names_.size() ? std::nullopt : value;
  }

  cells::texts names_;
};

namespace detail {
template <class T, bool has_values = T::traits.answers == output::value>
struct filed {
  using type = T;
};
template <class T>
struct filed<T, true> {
  using type = named_map<T>;
};
}  // namespace detail

// The type that a file of T's kind holds: named_map<T> if T answers with values, else T.
template <class T>
using in_file = typename detail::filed<T>::type;

}  // namespace umbel
