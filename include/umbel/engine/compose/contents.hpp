// contents.hpp - the words an engine keeps its cells in, whichever engine it is.
#pragma once

namespace umbel::core {

template <class Engine>
[[nodiscard]] auto& contents(Engine& engine) noexcept {
  if constexpr (requires { engine.blocks(); })
    return engine.blocks().storage();
  else
    return engine.cells().storage();
}

}  // namespace umbel::core
