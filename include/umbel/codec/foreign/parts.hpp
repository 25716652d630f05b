// parts.hpp - conversion between a filter and its parts (shape and cells), for files of other
// programs.
//
// `describe` gives access to the parts of a structure for this library's files; the same function
// is used here.
#pragma once

#include <string_view>
#include <utility>

#include <umbel/cells/words.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::codec {

// A visitor that assigns the parts of a filter with one index and one array of cells.
template <class Index, class Word>
struct given_parts {
  hasher under;
  Index at;
  cells::words<Word> all;
  void hash(hasher& into) const noexcept { into = under; }
  void fields(std::string_view, Index& into) const { into = at; }
  void array(std::string_view, cells::words<Word>& into) { into = std::move(all); }
};
// Throws as a file with such contents would: corrupt or bad_parameter.
template <class Filter, class Index, class Word>
[[nodiscard]] Filter assembled(const hasher& under, const Index& at, cells::words<Word> all) {
  given_parts<Index, Word> parts{under, at, std::move(all)};
  Filter out;
  Filter::describe(out, parts);
  out.check();
  return out;
}

template <class Index, class Word>
struct seen_parts {
  const Index* at = nullptr;
  const cells::words<Word>* all = nullptr;
  void hash(const hasher&) const noexcept {}
  void fields(std::string_view, const Index& seen) noexcept { at = &seen; }
  void array(std::string_view, const cells::words<Word>& seen) noexcept { all = &seen; }
};
template <class Index, class Word, class Filter>
[[nodiscard]] seen_parts<Index, Word> parts_of(const Filter& filter) noexcept {
  seen_parts<Index, Word> out;
  Filter::describe(filter, out);
  return out;
}

}  // namespace umbel::codec
