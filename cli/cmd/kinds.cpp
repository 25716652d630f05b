// cmd/kinds.cpp - every kind and what it can do: Table II of the survey, computed from the classes themselves.
#include <memory>
#include <string>
#include <vector>

#include <umbel/any/any.hpp>

#include "command.hpp"
#include "json.hpp"
#include "streams.hpp"
#include "survey.hpp"
#include "table.hpp"

namespace umbel::cli {

namespace {

[[nodiscard]] std::string as_json() {
  std::vector<json> all;
  for (const any::kind* const k : any::kinds()) {
    const traits& what = k->what();
    all.push_back(json::object({{"kind", k->name()},
                                {"family", name_of(what.of)},
                                {"output", name_of(what.answers)},
                                {"counts", what.counts},
                                {"erases", what.erases},
                                {"popularity_aware", what.popularity_aware},
                                {"false_negatives", what.may_forget},
                                {"static", what.is_static},
                                {"mergeable", what.mergeable},
                                {"windowed", what.windowed},
                                {"expands", what.expands},
                                {"assigns", what.assigns},
                                {"order_dependent", what.order_dependent},
                                {"may_fill", what.may_fill},
                                {"exact", what.exact}}));
  }
  return json::array(all).document();
}

[[nodiscard]] std::string as_table() {
  table out({"kind", "family", "output", "counts", "erases", "popularity", "false neg.", "static", "exact", "merges",
             "ages", "fills", "expands", "assigns"},
            true);
  const auto mark = [](bool has) { return std::string(has ? "yes" : "-"); };
  for (const any::kind* const k : any::kinds()) {
    const traits& what = k->what();
    out.row({std::string(k->name()), std::string(name_of(what.of)), std::string(name_of(what.answers)),
             mark(what.counts), mark(what.erases), mark(what.popularity_aware), mark(what.may_forget),
             mark(what.is_static), mark(what.exact), mark(what.mergeable), mark(what.windowed), mark(what.may_fill),
             mark(what.expands), mark(what.assigns)});
  }
  return out.text() +
         "\nstatic: built at once from all keys.  false neg.: may forget a key.  popularity: treats popular keys "
         "apart.\nexact: no error on the universe it was built for.  fills: can run out of room.  expands: keeps its "
         "rate however many\nkeys come.  assigns: values can change.\n";
}

// Four letters with room between them, as the survey prints them.
[[nodiscard]] std::string spaced(std::string_view letters) {
  std::string out;
  for (const char c : letters) out += (out.empty() ? "" : " ") + std::string(1, c);
  return out;
}
[[nodiscard]] std::string survey_as_json() {
  std::vector<json> all;
  for (const survey_row& row : survey) {
    const any::kind* const ours = any::find_kind(row.kind);
    all.push_back(
        json::object({{"survey", row.name},
                      {"says", spaced(row.says)},
                      {"output", row.output},
                      {"kind", ours == nullptr ? json(nullptr) : json(row.kind)},
                      {"is", ours == nullptr ? json(nullptr) : json(spaced(survey_letters(ours->what()).text()))},
                      {"answers", ours == nullptr ? json(nullptr) : json(name_of(ours->what().answers))},
                      {"why", row.why.empty() ? json(nullptr) : json(row.why)}}));
  }
  return json::array(all).document();
}
[[nodiscard]] std::string survey_as_table() {
  table out({"survey", "kind", "C D P FN", "survey says", "why"}, true);
  for (const survey_row& row : survey) {
    const any::kind* const ours = any::find_kind(row.kind);
    const std::string is = ours == nullptr ? "" : spaced(survey_letters(ours->what()).text());
    out.row({std::string(row.name), ours == nullptr ? "-" : std::string(row.kind), ours == nullptr ? "-" : is,
             is == spaced(row.says) ? "the same" : spaced(row.says), std::string(row.why)});
  }
  return out.text() +
         "\nC: counts.  D: keys can be taken out, or age.  P: treats popular keys apart.  FN: may forget a key.\n";
}

action define(option_list& takes) {
  const auto json = std::make_shared<bool>(false), as_surveyed = std::make_shared<bool>(false);
  takes.flag("--survey", *as_surveyed, "beside Table II of Tarkoma, Rothenberg and Lagerspetz's survey (2012)");
  takes.flag("--json", *json, "an array of objects instead of a table");
  return [json, as_surveyed](const invocation&) {
    if (*as_surveyed)
      write_out(*json ? survey_as_json() : survey_as_table());
    else
      write_out(*json ? as_json() : as_table());
    return exit_code::found;
  };
}

}  // namespace

const command kinds{.name = "kinds",
                    .summary = "List every kind of structure and what it can do.",
                    .examples =
                        "  umbel kinds                              # what there is, and what each can do\n"
                        "  umbel kinds --survey                     # which filter of the literature each is",
                    .define = define};

}  // namespace umbel::cli
