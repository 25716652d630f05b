// cmd/compress.cpp - the commands `umbel compress` and `umbel decompress`: a filter, or the
// difference between two, as a message near its entropy.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <umbel/base/error.hpp>
#include <umbel/codec/compress.hpp>
#include <umbel/codec/source.hpp>

#include "command.hpp"
#include "destination.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "unpack.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string input, output = "-";
  std::string before;  // the file that the change applies to; empty: the whole filter is sent
  bool rice = false, no_wait = false;
  std::uint64_t max_size = std::uint64_t{1} << 30;
};

[[nodiscard]] bool looks_compressed(std::span<const std::byte> bytes) {
  return is_compressed(bytes);
}

// Reads a saved file. If it is not one, the error names this file and not the other one.
[[nodiscard]] std::vector<std::byte> read_saved(const std::string& path) {
  std::vector<std::byte> out = read_whole(path, memory_bytes() / 2, looks_like_umbel);
  naming(path, [&] { (void)front_of(codec::memory_source(out)); });
  return out;
}

exit_code run_compress(const arguments& options) {
  destination result(options.output, {});
  result.refuse_input(options.input);
  result.refuse_input(options.before);
  const std::vector<std::byte> file = read_saved(options.input);
  const std::vector<std::byte> before =
      options.before.empty() ? std::vector<std::byte>() : read_saved(options.before);
  const bit_code how = options.rice ? bit_code::rice : bit_code::range;
  const auto message = naming(options.input, [&] {
    return options.before.empty() ? compress(file, how) : compress_change(before, file, how);
  });
  result.deliver(message);
  return exit_code::found;
}

exit_code run_decompress(const arguments& options) {
  constexpr std::uint64_t front = std::uint64_t{1} << 20;  // bytes of a message besides its arrays
  destination result(options.output, {});
  result.refuse_input(options.input);
  result.lock(options.no_wait);  // it may be the file that the change is applied to
  const bool whole = options.before.empty();
  const std::uint64_t most =
      whole ? std::max(options.max_size, options.max_size + front) : memory_bytes() / 2;
  const auto within_size = [&](auto&& work) {
    try {
      return work();
    } catch (const bad_parameter& e) {
      if (!whole) throw;
      throw bad_parameter(fmt::format("{}; --max-size SIZE allows more", e.what()));
    }
  };
  const std::vector<std::byte> message =
      within_size([&] { return read_whole(options.input, most, looks_compressed); });
  const std::vector<std::byte> before =
      whole ? std::vector<std::byte>() : read_saved(options.before);
  const auto file = naming(options.input, [&] {
    return within_size([&] {
      return whole ? decompress(message, options.max_size) : apply_change(before, message);
    });
  });
  result.deliver(file);
  return exit_code::found;
}

action define_compress(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("FILTER", options->input, "FILE", "file made by `umbel build`; - is standard input");
  takes.require("FILTER");
  takes.text("--since", options->before, "FILE",
             "compress only the changes since this file, of the same kind, hash and size");
  takes.flag("--rice", options->rice,
             "use Rice codes, for receivers without a range coder; a few percent larger");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the message (default: standard output)");
  return [options](const invocation&) { return run_compress(*options); };
}

action define_decompress(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("MESSAGE", options->input, "FILE",
             "file made by `umbel compress`; - is standard input");
  takes.require("MESSAGE");
  takes.text("--onto", options->before, "FILE",
             "the file that --since named when the message was made");
  takes.parsed("--max-size", options->max_size, parse_bytes, "SIZE",
               "refuse a filter larger than this (default: 1GiB)");
  takes.exclude("--onto", "--max-size");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the filter (default: standard output)");
  add_no_wait_option(takes, options->no_wait);
  return [options](const invocation&) { return run_decompress(*options); };
}

}  // namespace

const command compress_file{
    .name = "compress",
    .group = command_group::change,
    .summary = "Compress a filter for sending, or only what changed in it.",
    .details = "",
    .examples =
        "  umbel compress seen.umbel | ssh there umbel decompress - -o seen.umbel\n"
        "  umbel compress today.umbel --since yesterday.umbel -o change",
    .define = define_compress};

const command decompress_file{.name = "decompress",
                              .group = command_group::change,
                              .summary = "Restore a filter that `umbel compress` made smaller.",
                              .details = "",
                              .examples =
                                  "  umbel decompress message -o seen.umbel --max-size 64MiB\n"
                                  "  umbel decompress change --onto yesterday.umbel -o today.umbel",
                              .define = define_decompress};

}  // namespace umbel::cli
