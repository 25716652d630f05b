// needs.hpp - what a set or a map must do, and what of it a kind lacks, in words.
// Idea       A kind says of itself what it does (core/traits.hpp); what was asked for and is not
//            there is the reason to leave it out.
#pragma once

#include <optional>
#include <string>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "budget.hpp"

namespace umbel::cli {

struct needs {
  std::optional<unsigned> values{};  // bits of each: a map
  bool grow = false, expand = false, erase = false, count = false, merge = false, assign = false,
       window = false;
  bool forget = false;  // it may
  bool exact = false, untrusted = false;
};

// A kind with a hash of its own refuses another.
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

// Nothing: the kind will do.
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
