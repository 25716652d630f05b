// cmd/query.cpp - print the input lines that may be in a saved set.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "keys.hpp"
#include "saved.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::string filter;
  std::string input = "-";
  bool invert = false, count = false, quiet = false, mapped = false;
  key_options keys;
};

exit_code run(const options& wish) {
  if (wish.filter == "-" && wish.input == "-")
    throw bad_parameter("filter and lines cannot both come from standard input: name a file for one of them");
  const saved_file file(wish.filter);
  const auto secret = wish.keys.secret();
  const auto set = wish.mapped ? file.open(secret) : file.load(secret);

  key_input input({wish.input}, wish.keys.separator());
  digester digests(set->hash(), wish.keys.type);
  line_output out(wish.keys.separator());
  std::unique_ptr<bool[]> answers;
  std::size_t room = 0;
  std::uint64_t selected = 0;
  for (key_batch batch; input.next(batch);) {
    if (const std::size_t count = batch.keys.size(); count > room) {
      room = std::max(count, 2 * room);
      answers = std::make_unique<bool[]>(room);
    }
    set->may_contain(digests(batch), {answers.get(), room});
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      if (answers[i] == wish.invert) continue;
      ++selected;
      if (!wish.count && !wish.quiet) out.line(batch.keys[i]);
    }
    if (wish.quiet && selected != 0) return exit_code::found;
    out.flush();  // once per read: whoever feeds us slowly sees every answer at once
  }
  if (wish.count && !wish.quiet) write_out(fmt::format("{}\n", selected));
  return selected != 0 ? exit_code::found : exit_code::none;
}

action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.text("FILTER", wish->filter, "FILE", "file made by `umbel build`; - is standard input");
  takes.require("FILTER");
  takes.text("INPUT", wish->input, "FILE", "lines to ask about (default: standard input)");
  takes.flag("-v,--invert-match", wish->invert, "print the other lines: those certainly not in the set");
  takes.flag("-c,--count", wish->count, "print only how many lines that would be");
  takes.flag("-q,--quiet", wish->quiet, "print nothing, stop at the first: only the exit status");
  takes.flag("--mmap", wish->mapped, "map the filter instead of loading it: starts at once, skips\nits checksums");
  add_key_options(takes, wish->keys);
  return [wish](const invocation&) { return run(*wish); };
}

}  // namespace

const command query{.name = "query",
                    .summary = "Print the lines of INPUT that may be in FILTER; exit 0 if there are any, 1 if none.",
                    .examples =
                        "  umbel query seen.umbel new.txt           # lines that may have been seen\n"
                        "  umbel query -v seen.umbel < new.txt      # lines that certainly were not\n"
                        "  umbel query -qv seen.umbel new.txt && echo something is new",
                    .define = define};

}  // namespace umbel::cli
