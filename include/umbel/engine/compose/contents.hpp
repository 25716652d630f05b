// contents.hpp - the words in which an engine of any type stores its cells or blocks.
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
