// ribbon_built.hpp - the ribbon engine built from pairs, and its parts.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <umbel/engine/retrieval/ribbon/build.hpp>

#include "support/fuse_keys.hpp"

namespace ribbon_test {

using fuse_test::pairs;
using fuse_test::spooled;
using fuse_test::wrong;
using umbel::ribbon_preset;
using umbel::core::ribbon;
using umbel::core::valued;

inline constexpr ribbon_preset bumped[] = {ribbon_preset::fast, ribbon_preset::compact,
                                           ribbon_preset::smallest};
// All presets that hold values.
inline constexpr ribbon_preset presets[] = {ribbon_preset::fast, ribbon_preset::compact,
                                            ribbon_preset::smallest, ribbon_preset::standard_64,
                                            ribbon_preset::standard_128};

[[nodiscard]] inline ribbon built(std::span<const valued> all, const ribbon::build_options& how) {
  return ribbon::build(spooled(all), how, [](const valued& v) { return v.value; });
}

// Fields by name, sizes of arrays by name, and the layers.
class parts {
 public:
  explicit parts(const ribbon& of) { ribbon::describe(of, *this); }
  [[nodiscard]] std::uint64_t operator[](const std::string& name) const { return sizes_.at(name); }
  [[nodiscard]] std::uint64_t slots(std::size_t layer) const {
    return layers_.at(layer) & 0xFFFFFFFFFFFFFF;
  }
  [[nodiscard]] std::uint64_t shards(std::size_t layer) const {
    return std::uint64_t{1} << (layers_.at(layer) >> 56);
  }

  template <class Object>
  void fields(std::string_view, const Object& object) {
    Object::fields(object, [&](std::string_view name, const auto& value, const auto&...) {
      sizes_[std::string(name)] = value;
    });
  }
  template <class Word>
  void array(std::string_view name, const umbel::cells::words<Word>& words) {
    sizes_[std::string(name)] = words.size();
    if (name == "layers") layers_.assign(words.span().begin(), words.span().end());
  }

 private:
  std::map<std::string, std::uint64_t> sizes_;
  std::vector<std::uint64_t> layers_;
};

}  // namespace ribbon_test
