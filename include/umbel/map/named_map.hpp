// named_map.hpp - any map whose values may stand for texts: value v is number v of a table kept
// beside the cells.
// Idea       A map holds small integers. Where the values are words that repeat (sections,
//            countries, authors), each distinct word is stored once and the map holds its number.
//            The map's own code sees nothing of it.
// Layout     The sections of the map, under the map's own kind; then, if there are texts, those of
//            cells/texts.hpp. Without texts the file is the plain map's, byte for byte.
// Invariant  With texts, a value that has none is no answer: no key given has such a value, so it
//            was a non-member.
// Limits     As the map's. All texts are in memory, or in the mapping.
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

template <class Map>
class named_map : public Map {
 public:
  named_map() = default;
  explicit named_map(Map map, cells::texts names = {})
      : Map(std::move(map)), names_(std::move(names)) {}

  [[nodiscard]] const cells::texts& names() const noexcept { return names_; }
  void name(cells::texts names) noexcept { names_ = std::move(names); }

  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return named(Map::find(k));
  }
  template <core::key_span Keys>
  void find_batch(const Keys& keys,
                  std::span<std::optional<std::uint64_t>> answers) const noexcept {
    Map::find_batch(keys, answers);
    if (names_.empty()) return;
    for (auto& answer : answers.first(std::size(keys))) answer = named(answer);
  }
  // The text given with the key; for a non-member nothing, or with probability fpr some text.
  template <key K>
  [[nodiscard]] std::optional<std::string_view> find_name(const K& k) const noexcept {
    const auto number = find(k);
    if (!number || names_.empty()) return std::nullopt;
    return names_[*number];
  }

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
  // No answer counts as number 0, which has a name wherever there are names. The number is settled
  // before it is compared: from `value && *value >= size` g++ makes code that compares first and
  // asks whether there is a value afterwards. That is correct, but valgrind reports, in every
  // program that asks for keys that are not there, a jump that depends on memory nobody wrote.
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

// What a file of T's kind may hold: a T, and the names of its values if it answers with one.
template <class T>
using in_file = typename detail::filed<T>::type;

}  // namespace umbel
