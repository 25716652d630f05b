// misfit.hpp - the message for two saved sets that cannot be combined: names both files and the
// remedy.
//
// The library compares the two sets; this file knows which options of `umbel build` they came from.
#pragma once

#include <string>
#include <string_view>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

namespace umbel::cli {

struct named_set {
  const std::string& file;
  const any::structure& set;
};

// "cannot merge: mon.umbel has 11,544 bits, tue.umbel has 1,157. Build both with the same --keys
// and --fpr".
[[nodiscard]] std::string misfit(std::string_view verb, const named_set& a, const named_set& b,
                                 const error& said);

// Runs `work`, which applies `verb` to the two sets; an error names both files.
template <class Work>
auto fitting(std::string_view verb, const named_set& a, const named_set& b, Work&& work) {
  try {
    return work();
  } catch (const incompatible& e) {
    throw incompatible(misfit(verb, a, b, e));
  } catch (const full& e) {
    throw full(misfit(verb, a, b, e));
  } catch (const bad_parameter& e) {  // a verb that the kind does not have
    throw incompatible(misfit(verb, a, b, e));
  }
}

}  // namespace umbel::cli
