// cmd/kinds.cpp - the command `umbel kinds`: every kind with a sentence and its traits, and Table
// II of the survey [TRL12] from these traits.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>

#include "command.hpp"
#include "groups.hpp"
#include "json.hpp"
#include "streams.hpp"
#include "survey.hpp"
#include "table.hpp"
#include "wrap.hpp"

namespace umbel::cli {

namespace {

[[nodiscard]] std::string as_json() {
  std::vector<json> all;
  for (const any::kind* const k : any::kinds()) {
    const umbel::traits& traits = k->traits();
    all.push_back(json::object({{"kind", k->name()},
                                {"group", text_of(group_of(traits)).name},
                                {"family", name_of(traits.of)},
                                {"output", name_of(traits.answers)},
                                {"counts", traits.counts},
                                {"erases", traits.erases},
                                {"popularity_aware", traits.popularity_aware},
                                {"false_negatives", traits.may_forget},
                                {"static", traits.is_static},
                                {"mergeable", traits.mergeable},
                                {"windowed", traits.windowed},
                                {"expands", traits.expands},
                                {"assigns", traits.assigns},
                                {"order_dependent", traits.order_dependent},
                                {"may_fill", traits.may_fill},
                                {"exact", traits.exact},
                                {"adapts", traits.adapts},
                                {"summary", any::summary_of(*k)}}));
  }
  return json::array(all).document();
}

[[nodiscard]] std::string as_table() {
  table out({"kind", "family", "output", "counts", "erases", "popularity", "false neg.", "static",
             "exact", "merges", "ages", "fills", "expands", "assigns", "adapts"},
            true);
  const auto mark = [](bool has) { return std::string(has ? "yes" : "-"); };
  for (const any::kind* const k : any::kinds()) {
    const umbel::traits& traits = k->traits();
    out.row({std::string(k->name()), std::string(name_of(traits.of)),
             std::string(name_of(traits.answers)), mark(traits.counts), mark(traits.erases),
             mark(traits.popularity_aware), mark(traits.may_forget), mark(traits.is_static),
             mark(traits.exact), mark(traits.mergeable), mark(traits.windowed),
             mark(traits.may_fill), mark(traits.expands), mark(traits.assigns),
             mark(traits.adapts)});
  }
  return out.text() +
         "\nstatic: built from all keys at once.  false neg.: may answer no for a member.  "
         "popularity: treats popular keys apart.\n"
         "exact: no error on the universe it was built for.  ages: forgets old keys.  fills: can "
         "be "
         "full.  expands: keeps its\n"
         "rate however many keys come.  assigns: values can change.  adapts: in a program, a "
         "reported false positive is not repeated.\n";
}

// What a kind can do besides answering queries, in words.
[[nodiscard]] std::string abilities(const umbel::traits& traits) {
  std::string out;
  const auto say = [&](bool has, std::string_view word) {
    if (has) out.append(out.empty() ? "" : ", ").append(word);
  };
  say(traits.is_static, "static");
  say(!traits.is_static, "add");
  say(traits.erases, "erase");
  say(traits.mergeable, "merge");
  say(traits.counts, "count");
  say(traits.assigns, "assign");
  say(traits.expands, "expands");
  say(traits.windowed, "ages");
  say(traits.popularity_aware, "weights");
  say(traits.adapts, "adapts");
  say(traits.may_fill, "can be full");
  say(traits.may_forget && !traits.windowed, "may forget");
  return out;
}

[[nodiscard]] std::string as_list() {
  constexpr std::size_t indent = 28;
  std::string out;
  for (const kind_group group : {kind_group::grow, kind_group::erasing, kind_group::fixed,
                                 kind_group::maps, kind_group::exact}) {
    out += fmt::format("{}: {}\n", text_of(group).name, text_of(group).about);
    for (const any::kind* const k : any::kinds())
      if (group_of(k->traits()) == group)
        out += wrapped(fmt::format("  {}", k->name()),
                       fmt::format("{} ({})", any::summary_of(*k), abilities(k->traits())), indent);
    out += "\n";
  }
  const group_text& networks = text_of(kind_group::networks);
  out += fmt::format("{}: {}\n  {}\n\n", networks.name, networks.about, networks.first);
  return out +
         wrapped("",
                 "In brackets: what a kind can do. static: built from all keys at once. expands: "
                 "keeps its rate however many keys come. ages: forgets old keys. assign: values "
                 "can change. weights: treats popular keys apart. adapts: in a program, a reported "
                 "false positive is not repeated, and keys can be erased. can be full: takes the "
                 "keys it was planned for, and few more. may forget: may answer no for a member. "
                 "`umbel kinds --wide` prints a table.",
                 0);
}

// Four letters separated by spaces, as in the survey.
[[nodiscard]] std::string spaced(std::string_view letters) {
  std::string out;
  for (const char c : letters) out += (out.empty() ? "" : " ") + std::string(1, c);
  return out;
}
[[nodiscard]] std::string survey_as_json() {
  std::vector<json> all;
  for (const survey_row& row : survey) {
    const any::kind* const ours = any::find_kind(row.kind);
    all.push_back(json::object(
        {{"survey", row.name},
         {"says", spaced(row.says)},
         {"output", row.output},
         {"kind", ours == nullptr ? json(nullptr) : json(row.kind)},
         {"is",
          ours == nullptr ? json(nullptr) : json(spaced(survey_letters(ours->traits()).text()))},
         {"answers", ours == nullptr ? json(nullptr) : json(name_of(ours->traits().answers))},
         {"why", row.why.empty() ? json(nullptr) : json(row.why)}}));
  }
  return json::array(all).document();
}
[[nodiscard]] std::string survey_as_table() {
  table out({"survey", "kind", "C D P FN", "survey says", "why"}, true);
  for (const survey_row& row : survey) {
    const any::kind* const ours = any::find_kind(row.kind);
    const std::string is = ours == nullptr ? "" : spaced(survey_letters(ours->traits()).text());
    out.row({std::string(row.name), ours == nullptr ? "-" : std::string(row.kind),
             ours == nullptr ? "-" : is, is == spaced(row.says) ? "the same" : spaced(row.says),
             std::string(row.why)});
  }
  return out.text() +
         "\nC: counts.  D: keys can be erased, or age.  P: treats popular keys apart.  FN: may "
         "answer no for a member.\n";
}

action define(option_list& takes) {
  struct arguments {
    bool json = false, survey = false, wide = false;
  };
  const auto options = std::make_shared<arguments>();
  takes.flag("--wide", options->wide,
             "print a table with a column for everything that a kind can do");
  takes.flag("--survey", options->survey,
             "compare with Table II of the survey by Tarkoma, Rothenberg and Lagerspetz (2012)");
  takes.flag("--json", options->json, "print an array of objects, for programs");
  takes.exclude("--wide", "--survey");
  return [options](const invocation&) {
    if (options->survey)
      write_out(options->json ? survey_as_json() : survey_as_table());
    else
      write_out(options->json ? as_json() : options->wide ? as_table() : as_list());
    return exit_code::found;
  };
}

}  // namespace

const command kinds{
    .name = "kinds",
    .group = command_group::choose,
    .summary = "List every kind of set and map, and what it can do.",
    .details = "",
    .examples =
        "  umbel kinds                              # one sentence for each\n"
        "  umbel kinds --wide                       # a table of what each can do\n"
        "  umbel kinds --survey                     # which filter of a survey each is",
    .define = define};

}  // namespace umbel::cli
