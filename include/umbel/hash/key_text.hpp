// key_text.hpp - preparation of text keys by a key recipe: trims white space and folds case.
//
// All interfaces (C++, tool, bindings) use these functions, so a key has the same digest in all of
// them.
//
// Layout     Trimming removes the characters with the Unicode property White_Space from both ends.
//            Folding is Unicode's simple case folding, one code point to one. Bytes that are not
//            UTF-8 are kept.
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
// Sets `out` to the folded text.
void fold_case(std::string_view text, std::string& out);

// The text to hash instead of `text`; it may be stored in `room`.
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
