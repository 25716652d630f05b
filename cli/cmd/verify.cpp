// cmd/verify.cpp - read saved files to the last byte and say whether they are as they were written.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "command.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

struct options {
  std::vector<std::string> files;
  bool quiet = false, json = false;
  key_options keys;
};

struct verdict {
  std::string file, kind, wrong;  // `wrong` is empty where nothing is
  std::uint64_t bytes = 0;
};

[[nodiscard]] verdict look_at(const std::string& path, const std::optional<secret_key>& secret) {
  verdict out;
  out.file = path;
  try {
    const saved_file file(path);
    out.kind = file.front().kind;
    out.bytes = file.front().file_bytes;
    (void)file.load(secret);
  } catch (const corrupt& e) {
    out.wrong = e.what();
  }
  return out;
}

exit_code run(const options& wish) {
  const auto secret = wish.keys.secret();
  std::vector<json> all;
  bool whole = true;
  for (const std::string& path : wish.files) {
    const verdict v = look_at(path, secret);
    whole = whole && v.wrong.empty();
    if (wish.json)
      all.push_back(json::object({{"file", v.file},
                                  {"ok", v.wrong.empty()},
                                  {"kind", v.kind.empty() ? json(nullptr) : json(v.kind)},
                                  {"bytes", v.bytes},
                                  {"wrong", v.wrong.empty() ? json(nullptr) : json(v.wrong)}}));
    else if (!v.wrong.empty())
      note(v.wrong);
    else if (!wish.quiet)
      write_out(fmt::format("{}: ok, {}, {}\n", v.file, v.kind, show_bytes(v.bytes)));
  }
  if (wish.json) write_out(json::array(all).document());
  return whole ? exit_code::found : exit_code::none;
}

action define(option_list& takes) {
  const auto wish = std::make_shared<options>();
  takes.texts("FILE", wish->files, "FILE", "files made by umbel; - is standard input");
  takes.require("FILE");
  add_key_file_option(takes, wish->keys);
  takes.flag("-q,--quiet", wish->quiet, "print nothing of files that are whole");
  takes.flag("--json", wish->json, "for programs");
  return [wish](const invocation&) { return run(*wish); };
}

}  // namespace

const command verify{.name = "verify",
                     .summary = "Check every byte of FILE; exit 0 if all are whole, 1 if one is damaged.",
                     .examples =
                         "  umbel verify words.umbel\n"
                         "  umbel verify -q backup/*.umbel || echo restore something",
                     .define = define};

}  // namespace umbel::cli
