// key_text.hpp - text made ready to be hashed, as a key recipe says: white space trimmed, case
// folded.
// Idea       Every door (C++, tool, bindings) prepares text by these functions, so that a key has
//            one digest.
// Layout     Trimming removes the characters that Unicode calls White_Space from both ends. Folding
//            is Unicode's simple case folding, one code point for one. Bytes that are not UTF-8
//            stay as they are.
// Limits     No normalisation: a composed and a decomposed accent stay different, and so do "ss"
//            and the sharp s.
// Source     [Uni22] sections 4.10 and 5.18, CaseFolding.txt statuses C and S.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <umbel/base/config.hpp>
#include <umbel/hash/key_recipe.hpp>

namespace umbel {

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

// The simple case folding of one code point.
[[nodiscard]] std::uint32_t folded(std::uint32_t code_point) noexcept;
// `out` becomes the folded text.
void fold_case(std::string_view text, std::string& out);

// What is hashed in place of `text`; it may lie in `room`.
[[nodiscard]] inline std::string_view prepared(std::string_view text, const key_recipe& recipe,
                                               std::string& room) {
  if (recipe.trimmed) text = trimmed(text);
  if (!recipe.case_folded) return text;
  fold_case(text, room);
  return room;
}

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/hash/key_text.ipp>
#endif
