// select.hpp - the loop of query and get: keys in, those that were found (or the others) out, in order, as they come.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "command.hpp"
#include "keys.hpp"
#include "streams.hpp"

namespace umbel::cli {

struct select_options {
  bool invert = false, count = false, quiet = false, mapped = false;
  key_options keys;
};

inline void add_select_options(option_list& takes, select_options& into, const char* invert) {
  takes.flag("-v,--invert-match", into.invert, invert);
  takes.flag("-c,--count", into.count, "print only how many that would be");
  takes.flag("-q,--quiet", into.quiet, "print nothing, stop at the first: only the exit status");
  takes.flag("--mmap", into.mapped, "map the file instead of loading it: starts at once, skips\nits checksums");
  add_key_options(takes, into.keys);
}

// next(batch) as key_input has it. ask(digests) answers a batch; then found(i) is the answer to key i, and
// print(out, key, i) writes what is to be said of a selected one.
template <class Next, class Ask, class Found, class Print>
[[nodiscard]] exit_code copy_selected(const select_options& wish, const hasher& hash, Next&& next, Ask&& ask,
                                      Found&& found, Print&& print) {
  digester digests(hash, wish.keys.type);
  line_output out(wish.keys.separator());
  std::uint64_t selected = 0;
  for (key_batch batch; next(batch);) {
    ask(digests(batch));
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      if (found(i) == wish.invert) continue;
      ++selected;
      if (!wish.count && !wish.quiet) print(out, batch.keys[i], i);
    }
    if (wish.quiet && selected != 0) return exit_code::found;
    out.flush();  // once per read: whoever feeds us slowly sees every answer at once
  }
  if (wish.count && !wish.quiet) write_out(fmt::format("{}\n", selected));
  return selected != 0 ? exit_code::found : exit_code::none;
}

}  // namespace umbel::cli
