// choose.cpp - bodies of choose.hpp.
#include "choose.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "suggest.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

[[nodiscard]] contract contract_of(const any::kind& kind) {
  const umbel::traits& traits = kind.traits();
  if (traits.answers == output::numbers) return contract::directory;
  return traits.of == family::map ? contract::map : traits.exact ? contract::exact : contract::set;
}

[[nodiscard]] std::string_view needs_of(contract c) {
  constexpr std::string_view needs[] = {
      "is a set: leave out --map and --exact", "is a map and needs values: add --map",
      "is an exact set: leave out --map, and add --universe FILE", "can only be built by programs"};
  return needs[static_cast<int>(c)];
}

[[nodiscard]] std::vector<const any::kind*> kinds_for(contract c) {
  std::vector<const any::kind*> out;
  for (const any::kind* const kind : any::kinds())
    if (contract_of(*kind) == c) out.push_back(kind);
  return out;
}

}  // namespace

const any::kind* kind_for(contract given, std::string_view name) {
  if (name.empty()) return nullptr;
  const any::kind& kind = kind_called(name);
  if (contract_of(kind) == given) return &kind;
  std::vector<std::string_view> fit;
  for (const any::kind* const k : kinds_for(given)) fit.push_back(k->name());
  throw bad_parameter(fmt::format("--kind: {} {}. Other kinds that fit: {}",
                                  with_article(kind.name()), needs_of(contract_of(kind)),
                                  fmt::join(fit, ", ")));
}

choice smallest_for(contract given, const any::options& how) {
  choice best;
  std::string refusal = "no kind fits these options";
  for (const any::kind* const kind : kinds_for(given)) {
    try {
      const umbel::plan plan = kind->plan(how);
      if (best.kind == nullptr || plan.bits < best.plan.bits) {
        best = {kind, plan, best.kind, best.plan};
      } else if (best.next == nullptr || plan.bits < best.next_plan.bits) {
        best.next = kind;
        best.next_plan = plan;
      }
    } catch (const bad_parameter& refused) {
      refusal = refused.what();
    }
  }
  if (best.kind == nullptr) throw bad_parameter(refusal);
  return best;
}

}  // namespace umbel::cli
