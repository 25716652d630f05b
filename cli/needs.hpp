// needs.hpp - what a set or a map must be able to do, and what a kind lacks of it, in words.
//
// Kinds are compared by their traits (core/traits.hpp).
#pragma once

#include <optional>
#include <string>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "budget.hpp"

namespace umbel::cli {

struct needs {
  std::optional<unsigned> values{};  // bits of each value: a map is needed
  bool grow = false, expand = false, erase = false, count = false, merge = false, assign = false,
       window = false;
  bool forget = false;  // kinds with false negatives are allowed
  bool exact = false, untrusted = false;
};

// A kind of a foreign format has a fixed hash and refuses a keyed one.
[[nodiscard]] inline bool takes_a_secret(const any::kind& kind) {
  constexpr secret_key any_key{};
  try {
    if (!kind.traits().is_static)
      (void)kind.create({.keys = 1000, .fpr = default_fpr, .hash = hasher::keyed(any_key)});
    return true;
  } catch (const bad_parameter&) {
    return false;
  }
}

// Empty if the kind has everything that is needed.
[[nodiscard]] inline std::string lacking(const any::kind& kind, const needs& need) {
  const umbel::traits& traits = kind.traits();
  std::string out;
  const auto say = [&](bool lacks, const char* words) {
    if (lacks) out += (out.empty() ? "" : ", ") + std::string(words);
  };
  say(traits.answers == output::numbers || traits.answers == output::index,
      "answers with numbers, not yes or no");
  say(traits.of == family::map && !need.values, "is a map");
  say(traits.of != family::map && need.values, "holds no values");
  say(traits.exact && !need.exact, "is an exact set: add --exact");
  say(!traits.exact && need.exact, "has false positives");
  say(traits.may_forget && !need.forget && !need.window, "may answer no for a member");
  say(need.grow && traits.is_static, "is static");
  say(need.expand && !traits.expands, "does not keep its rate as more keys come");
  say(need.erase && !traits.erases, "does not erase");
  say(need.count && !traits.counts, "does not count");
  say(need.merge && !traits.mergeable, "does not merge");
  say(need.assign && !traits.assigns, "its values cannot change");
  say(need.window && !traits.windowed, "does not forget old keys");
  if (out.empty() && need.untrusted && !takes_a_secret(kind)) out = "cannot use a secret key";
  return out;
}

}  // namespace umbel::cli
