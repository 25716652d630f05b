// fuse_parts.hpp - the parts that a static structure stores, read through its own `describe`:
// fields and arrays by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/cells/words.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/peel.hpp>

namespace fuse_test {

class parts {
 public:
  template <class T>
  explicit parts(const T& structure) {
    T::describe(structure, *this);
  }

  [[nodiscard]] std::uint64_t operator[](const std::string& field) const {
    return fields_.at(field);
  }
  [[nodiscard]] std::vector<std::uint8_t> attempts() const { return attempts_; }
  [[nodiscard]] const std::vector<std::uint64_t>& words(const std::string& array) const {
    return words_.at(array);
  }
  [[nodiscard]] std::uint64_t shards() const { return attempts_.size(); }

  // The visitor's side.
  void hash(const umbel::hasher&) {}
  template <class Object>
  void fields(std::string_view, const Object& object) {
    Object::fields(object, [&](std::string_view name, const auto& value, const auto&...) {
      fields_[std::string(name)] = value;
    });
  }
  template <class Word>
  void array(std::string_view name, const umbel::cells::words<Word>& words) {
    if (name == "attempts") attempts_.assign(words.span().begin(), words.span().end());
    if constexpr (sizeof(Word) == 8)
      words_[std::string(name)].assign(words.span().begin(), words.span().end());
  }

 private:
  std::map<std::string, std::uint64_t> fields_;
  std::vector<std::uint8_t> attempts_;
  std::map<std::string, std::vector<std::uint64_t>> words_;
};

// Graphs drawn until the slowest shard was solved, if the largest shard had `load` keys: three for
// each shape given up before, and those of the last shape.
template <class Engine>
[[nodiscard]] unsigned drawn(const Engine& solved, std::uint64_t load) {
  unsigned out = 1;
  for (auto shape = Engine::graph::plan(load); !(shape == solved.shape()); shape.grow())
    out += umbel::sizing::peel_attempts_per_shape;
  const auto attempts = parts(solved).attempts();
  return out + *std::max_element(attempts.begin(), attempts.end());
}

}  // namespace fuse_test
