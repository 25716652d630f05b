// cmd/convert.cpp - the command `umbel convert`: reads and writes filters of other programs. The
// bits stay the same, and so do all answers.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/codec/compress.hpp>
#include <umbel/codec/foreign/dcso.hpp>
#include <umbel/codec/foreign/parquet_bits.hpp>

#include "command.hpp"
#include "destination.hpp"
#include "formats.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "saved.hpp"
#include "streams.hpp"
#include "suggest.hpp"
#include "unpack.hpp"

namespace umbel::cli {

namespace {

struct arguments {
  std::string input, output = "-";
  std::optional<format> from{}, to{};
  std::optional<std::uint64_t> capacity{}, count{};
  bool gzip = false, quiet = false;
};

[[nodiscard]] format parse_format(std::string_view option, std::string_view text) {
  for (std::size_t i = 0; i < std::size(format_names); ++i)
    if (format_names[i] == text) return static_cast<format>(i);
  throw bad_parameter(
      fmt::format("{}: no format is called {}{}", option, text, did_you_mean(text, format_names)));
}

[[nodiscard]] bool looks_like_dcso(std::span<const std::byte> bytes) {
  constexpr std::byte version_one[8] = {std::byte{1}};
  return bytes.size() >= 8 && std::equal(bytes.begin(), bytes.begin() + 8, version_one);
}
[[nodiscard]] bool is_umbel_or_dcso(std::span<const std::byte> bytes) {
  return looks_like_umbel(bytes) || looks_like_dcso(bytes);
}

// A bare bitset of Parquet has no magic number: --from must name it.
[[nodiscard]] format format_of(std::span<const std::byte> bytes) {
  if (looks_like_umbel(bytes)) return format::umbel;
  if (looks_like_dcso(bytes)) return format::dcso;
  if (is_compressed(bytes))
    (void)front_of(codec::memory_source(bytes));  // throws, and says what to do
  throw corrupt("neither an umbel file nor a DCSO file; for a Parquet filter add --from parquet");
}

// Converts a foreign filter to ours. A note names everything in it that our format cannot hold.
[[nodiscard]] std::vector<std::byte> as_umbel(std::span<const std::byte> bytes, format from,
                                              const arguments& options) {
  if (from == format::parquet) return encode(codec::read_parquet_section(bytes));
  if (from == format::parquet_bits) return encode(codec::read_parquet_bits(bytes));
  const codec::dcso_file file = codec::read_dcso(bytes);
  if (!options.quiet && !file.attached.empty())
    note(fmt::format("{}: {} of attached data are dropped: an umbel file has no place for them",
                     options.input, show_bytes(file.attached.size())));
  return encode(file.filter);
}

[[nodiscard]] std::vector<std::byte> as_foreign(std::span<const std::byte> bytes, format to,
                                                const arguments& options) {
  const codec::envelope front = codec::read_front(codec::memory_source(bytes));
  const std::string& kind = front.kind;
  const std::string wanted = to == format::dcso ? "bloom-filter" : "parquet-filter";
  if (kind != wanted)
    throw incompatible(fmt::format("holds a {}; {} takes a {}: build one with --kind {}{}", kind,
                                   format_names[static_cast<int>(to)], wanted, wanted,
                                   to == format::dcso ? " --scheme dcso" : ""));
  key_recipe recipe;  // a foreign format cannot store it
  const load_options how{.follow = &recipe};
  const auto told = [&](std::vector<std::byte> made) {
    const bool plain = !recipe.known() || recipe == key_recipe{.type = key_type::string} ||
                       (recipe.type == key_type::integer && to != format::dcso);  // as a column has
    if (!options.quiet && !plain)
      note(fmt::format(
          "{}: {} does not record how keys were made ({}); make them alike before you ask",
          shown_name(options.input), format_names[static_cast<int>(to)], recipe.text()));
    return made;
  };
  if (to == format::parquet)
    return told(codec::write_parquet_section(decode<parquet_filter>(bytes, how)));
  if (to == format::parquet_bits)
    return told(codec::write_parquet_bits(decode<parquet_filter>(bytes, how)));
  codec::dcso_file file = codec::dcso_of(decode<bloom_filter>(bytes, how));
  file.capacity = options.capacity.value_or(file.capacity);
  file.keys = options.count.value_or(file.keys);
  try {
    return told(codec::write_dcso(file));
  } catch (const incompatible& e) {  // another scheme
    throw incompatible(
        fmt::format("{}. `umbel build --kind bloom-filter --scheme dcso` makes one", e.what()));
  }
}

[[nodiscard]] std::vector<std::byte> gzipped(const std::vector<std::byte>& bytes) {
  z_stream state{};
  if (::deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::vector<std::byte> out(::deflateBound(&state, bytes.size()));
  constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::size_t read = 0, written = 0;
  int said = Z_OK;
  while (said == Z_OK) {
    const std::size_t in = std::min(most, bytes.size() - read),
                      room = std::min(most, out.size() - written);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + read));
    state.avail_in = static_cast<uInt>(in);
    state.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    state.avail_out = static_cast<uInt>(room);
    said = ::deflate(&state, read + in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - state.avail_in;
    written += room - state.avail_out;
  }
  (void)::deflateEnd(&state);
  out.resize(written);
  return out;
}

exit_code run(const arguments& options) {
  destination result(options.output, {});
  result.refuse_input(options.input);
  const bool known_by_content =
      !options.from || *options.from == format::umbel || *options.from == format::dcso;
  const std::vector<std::byte> bytes =
      read_whole(options.input, memory_bytes() / 2, known_by_content ? is_umbel_or_dcso : nullptr);
  const auto made = naming(options.input, [&] {
    const format from = options.from ? *options.from : format_of(bytes),
                 to = options.to.value_or(format::umbel);
    if ((from == format::umbel) == (to == format::umbel))
      throw bad_parameter(
          from == format::umbel
              ? "is an umbel file: choose its new format with --to dcso or --to parquet"
              : "--from and --to: one of them must be umbel");
    return to == format::umbel ? as_umbel(bytes, from, options) : as_foreign(bytes, to, options);
  });
  result.deliver(options.gzip ? gzipped(made) : made);
  return exit_code::found;
}

action define(option_list& takes) {
  const auto options = std::make_shared<arguments>();
  takes.text("INPUT", options->input, "FILE",
             "filter, plain or packed by gzip or zstd; - is standard input");
  takes.require("INPUT");
  takes.text("-o,--output", options->output, "FILE",
             "where to save the filter (default: standard output)");
  takes.parsed("--from", options->from, parse_format, "FORMAT",
               "format of INPUT: umbel, dcso, parquet (a header and its bits, as in a column "
               "chunk) or parquet-bits "
               "(default: umbel or dcso, by content)");
  takes.parsed("--to", options->to, parse_format, "FORMAT",
               "format to write: one of the same (default: umbel)");
  takes.parsed("--capacity", options->capacity, parse_count, "N",
               "for dcso: number of keys to record as its capacity (default: as many as fill half "
               "its bits)");
  takes.parsed("--count", options->count, parse_count, "N",
               "for dcso: number of keys to record as held (default: estimated from its bits)");
  takes.flag("--gzip", options->gzip, "pack the output with gzip");
  takes.flag("-q,--quiet", options->quiet, "no notes on standard error");
  return [options](const invocation&) { return run(*options); };
}

}  // namespace

const command convert{.name = "convert",
                      .group = command_group::change,
                      .summary = "Convert filters from and to other formats: DCSO bloom, Parquet.",
                      .details = "",
                      .examples =
                          "  umbel convert evil.bloom -o evil.umbel   # made by DCSO's bloom tool\n"
                          "  umbel build --kind bloom-filter --scheme dcso evil.txt -o evil.umbel\n"
                          "  umbel convert evil.umbel --to dcso -o evil.bloom\n"
                          "  umbel convert column.bits --from parquet-bits -o column.umbel\n"
                          "  umbel convert column.umbel --to parquet -o column.bin",
                      .define = define};

}  // namespace umbel::cli
