// misfit.hpp - why two saved sets cannot be combined, in words that name both files and say what
// to do.
// Idea       The library knows the two sets; which options of `umbel build` they came from is
//            known here.
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

// Runs `work`, which does `verb` to the two sets; what does not fit is said of both files.
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
