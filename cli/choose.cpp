// choose.cpp - bodies of choose.hpp.
#include "choose.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/base/error.hpp>

#include "suggest.hpp"

namespace umbel::cli {

namespace {

[[nodiscard]] contract contract_of(const any::kind& kind) {
  const traits& what = kind.what();
  if (what.answers == output::numbers) return contract::directory;
  return what.of == family::map ? contract::map : what.exact ? contract::exact : contract::set;
}

[[nodiscard]] std::string_view needs_of(contract c) {
  constexpr std::string_view needs[] = {"holds keys alone: leave out --map or --exact",
                                        "needs a value with every key: say --map",
                                        "needs all keys that will be asked: say --exact --universe FILE",
                                        "answers with several numbers, and is made by programs"};
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
  throw bad_parameter(fmt::format("--kind: a {} {}{}{}", kind.name(), needs_of(contract_of(kind)),
                                  fit.empty() ? "" : "; otherwise there are ", fmt::join(fit, ", ")));
}

choice smallest_for(contract given, const any::options& how) {
  choice best;
  std::string refusal = "this umbel has no kind for that";
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
