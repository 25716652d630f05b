// fuse_built.hpp - the retrieval engine built from pairs.
#pragma once

#include <span>

#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

#include "support/fuse_keys.hpp"

namespace fuse_test {

using engine = umbel::core::peeled<umbel::core::fuse<3>>;

[[nodiscard]] inline engine built(std::span<const valued> all, const engine::build_options& how) {
  return engine::build(spooled(all), how, [](const valued& v, std::uint64_t) { return v.value; });
}

}  // namespace fuse_test
