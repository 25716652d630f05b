// gives_up.hpp - what a kind cannot do, as the words of the column "gives up" of a plan.
#pragma once

#include <string>

#include <umbel/core/traits.hpp>

namespace umbel::cli {

[[nodiscard]] inline std::string gives_up(const umbel::traits& traits) {
  std::string out;
  const auto name = [&](bool lacks, const char* deed) {
    if (lacks) out += (out.empty() ? "" : ", ") + std::string(deed);
  };
  name(traits.is_static, "adding keys");
  name(!traits.mergeable, "merging");
  name(!traits.erases, "erasing");
  name(traits.may_forget, "certainty: may answer no for a member");
  name(traits.may_fill, "room for more keys than planned");
  return out;
}

}  // namespace umbel::cli
