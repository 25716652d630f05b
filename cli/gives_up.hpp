// gives_up.hpp - what a kind cannot do, in words: the price in a plan that is not counted in bits.
#pragma once

#include <string>

#include <umbel/core/traits.hpp>

namespace umbel::cli {

[[nodiscard]] inline std::string gives_up(const traits& what) {
  std::string out;
  const auto name = [&](bool lacks, const char* deed) {
    if (lacks) out += (out.empty() ? "" : ", ") + std::string(deed);
  };
  name(what.is_static, "adding keys");
  name(!what.mergeable, "merging");
  name(!what.erases, "erasing");
  name(what.may_forget, "certainty: may answer no for a member");
  name(what.may_fill, "room for more keys than planned");
  return out;
}

}  // namespace umbel::cli
