// fuse_built.hpp - the retrieval engine built from pairs, and how many of them it gets wrong.
#pragma once

#include <algorithm>
#include <span>

#include <umbel/core/fuse.hpp>

#include "support/fuse_keys.hpp"

namespace fuse_test {

[[nodiscard]] inline umbel::core::fuse built(std::span<const valued> all, const umbel::core::fuse::build_options& how) {
  return umbel::core::fuse::build(spooled(all), how, [](const valued& v) { return v.value; });
}
[[nodiscard]] inline std::size_t wrong(const umbel::core::fuse& f, std::span<const valued> all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const valued& v) { return f.value(v.key) != v.value; }));
}

}  // namespace fuse_test
