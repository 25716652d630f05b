// select.hpp - the loop of `query` and `get`: reads keys and prints those found (or the others) in
// order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "ordered.hpp"
#include "progress.hpp"
#include "streams.hpp"

namespace umbel::cli {

struct select_options {
  bool invert = false, count = false, quiet = false, mapped = false;
  unsigned threads = all_threads();
  key_options keys;
};

inline void add_select_options(option_list& takes, select_options& into, const char* invert) {
  takes.flag("-v,--invert-match", into.invert, invert);
  takes.flag("-c,--count", into.count, "print only the number of lines");
  takes.flag("-q,--quiet", into.quiet,
             "print nothing and stop at the first line found; see the exit code");
  takes.flag("--mmap", into.mapped,
             "map the file instead of loading it: starts at once, without checking its checksums");
  takes.parsed("--threads", into.threads, parse_threads, "N",
               "number of threads (default: one for each core)");
  add_key_options(takes, into.keys);
}

// `next` and `bytes` are those of key_input. Each thread has a copy of Answers: ask(digests)
// queries a batch; then found(i) is the answer for key i, and print(out, batch, i) prints a
// selected key.
template <class Answers, class Next, class Wake>
[[nodiscard]] exit_code copy_selected(const select_options& options, const hasher& hash,
                                      const key_recipe& recipe, std::uint64_t bytes, Next&& next,
                                      Wake&& wake, const Answers& asked) {
  struct work {
    key_batch batch;
    std::optional<digester> digests;
    std::optional<Answers> answers;
    std::optional<line_output> out;
    std::uint64_t selected = 0;
  };
  const bool prints = !options.count && !options.quiet;
  std::uint64_t selected = 0, lines = 0;
  progress shown(!options.quiet && !(prints && out_is_terminal()), bytes);
  in_order<work>(
      options.threads, [&](work& w) { return next(w.batch); },
      [&](work& w) {
    if (!w.digests) {
      w.digests.emplace(hash, recipe, options.keys.trim);
      w.answers.emplace(asked);
      w.out.emplace(options.keys.nul ? '\0' : '\n');
    }
    w.answers->ask((*w.digests)(w.batch));
    if (prints && w.batch.has_header) w.out->line(w.batch.header);
    w.selected = 0;
    for (std::size_t i = 0; i < w.batch.lines.size(); ++i) {
      if (w.answers->found(i) == options.invert) continue;
      ++w.selected;
      if (prints) w.answers->print(*w.out, w.batch, i);
    }
      },
      [&](work& w) {
    selected += w.selected;
    lines += w.batch.lines.size();
    shown.at(lines, w.batch.bytes_read);
    w.out->flush();  // once per read: a slow producer sees every answer at once
    return !options.quiet || selected == 0;
  },
      wake);
  shown.wipe();
  if (options.count && !options.quiet) write_out(fmt::format("{}\n", selected));
  return selected != 0 ? exit_code::found : exit_code::none;
}

}  // namespace umbel::cli
