// cmd/verify.cpp - the command `umbel verify`: reads saved files completely and checks them.
//
// Every file gets a line of output, whatever happened to those before it. The exit code is that of
// the worst file.
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

struct arguments {
  std::vector<std::string> files;
  bool quiet = false, json = false;
  key_options keys;
};

// From good to bad, in the order of the exit codes.
enum class state { whole, damaged, unchecked };
constexpr std::string_view state_names[] = {"whole", "damaged", "unchecked"};

struct verdict {
  std::string file, kind, why;  // `why` is empty where the file is whole
  std::uint64_t bytes = 0;
  bool compressed = false;  // a message, which was restored to be checked
  cli::state state = cli::state::whole;
};

[[nodiscard]] verdict look_at(const std::string& path, const std::optional<secret_key>& secret) {
  verdict out;
  out.file = shown_name(path);
  const auto is = [&](state found, std::string why) {
    out.state = found;
    out.why = std::move(why);
  };
  const auto unchecked = [&](std::string_view why) {
    is(state::unchecked, fmt::format("{}: {}", out.file, why));
  };
  try {
    const saved_file file(path, saved_file::messages::restored);
    out.kind = file.front().kind;
    out.bytes = file.bytes();
    out.compressed = file.compressed();
    file.check_sums();  // first: needs neither the secret key nor a known kind
    if (file.keyed() && !secret)
      unchecked("checksums match; keyed: give --key-file to check its contents");
    else
      (void)file.load(file.keyed() ? secret : std::nullopt);
  } catch (const io_error& e) {
    unchecked(e.what());  // its message does not begin with the file's name
  } catch (const corrupt& e) {
    is(state::damaged, e.what());
  } catch (const error& e) {
    is(state::unchecked, e.what());
  } catch (const std::bad_alloc&) {
    unchecked("not enough memory to check it");
  }
  return out;
}

exit_code run(const arguments& options) {
  const auto secret = options.keys.secret();
  std::vector<json> all;
  state worst = state::whole;
  for (const std::string& path : options.files) {
    const verdict v = look_at(path, secret);
    worst = std::max(worst, v.state);
    if (options.json)
      all.push_back(json::object({{"file", path},
                                  {"ok", v.state == state::whole},
                                  {"state", state_names[static_cast<int>(v.state)]},
                                  {"kind", v.kind.empty() ? json(nullptr) : json(v.kind)},
                                  {"compressed", v.compressed},
                                  {"bytes", v.bytes},
                                  {"wrong", v.why.empty() ? json(nullptr) : json(v.why)}}));
    else if (v.state != state::whole)
      note(v.why);
    else if (!options.quiet)
      write_out(fmt::format("{}: ok, {}{}, {}\n", v.file, v.compressed ? "compressed " : "", v.kind,
                            show_bytes(v.bytes)));
  }
  if (options.json) write_out(json::array(all).document());
  return static_cast<exit_code>(worst);
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.texts("FILE", options->files, "FILE", "files made by umbel; - is standard input");
  takes.require("FILE");
  add_key_file_option(takes, options->keys);
  takes.flag("-q,--quiet", options->quiet, "print nothing about files that are whole");
  takes.flag("--json", options->json, "print an array of objects, for programs");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command verify{
    .name = "verify",
    .group = command_group::inspect,
    .summary = "Check that files are as they were written, to the last byte.",
    .details =
        "Every file gets a line. The exit code is that of the worst file: 0 if all are whole, 1 if "
        "one is damaged, 2 if one could not be checked: it is missing, keyed and --key-file was "
        "not "
        "given, or of a kind this umbel does not know. Checksums are checked in any case. A "
        "message of `umbel compress` is restored in memory and checked; one that holds only "
        "changes cannot "
        "be checked alone.",
    .examples =
        "  umbel verify words.umbel\n"
        "  umbel verify -q backup/*.umbel || echo restore something",
    .define = define};

}  // namespace umbel::cli
