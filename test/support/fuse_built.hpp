// fuse_built.hpp - the retrieval engine built from pairs, and how many of them it gets wrong.
#pragma once

#include <algorithm>
#include <span>

#include <umbel/core/peeled_build.hpp>
#include <umbel/index/fuse.hpp>

#include "support/fuse_keys.hpp"

namespace fuse_test {

using engine = umbel::core::peeled<umbel::index::fuse<3>>;

[[nodiscard]] inline engine built(std::span<const valued> all, const engine::build_options& how) {
  return engine::build(spooled(all), how, [](const valued& v) { return v.value; });
}
[[nodiscard]] inline std::size_t wrong(const engine& f, std::span<const valued> all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const valued& v) { return f.value(v.key) != v.value; }));
}

}  // namespace fuse_test
