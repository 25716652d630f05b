// unpack.cpp - fuzz target: any bytes as a packed file are refused with a typed error, or unpacked
// as zlib and zstd unpack the whole at once; any packed bytes are unpacked again, for reads of any
// sizes.
// Input      A byte: how many of the next ones are sizes of reads from the file (modulo 16; from
//            128 on, zstd is used for packing); a byte: the same for the caller's buffers; these;
//            the rest is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include <umbel/base/error.hpp>

#include "../cli/unpack.hpp"
#include "../test/support/memory_file.hpp"
#include "gzip.hpp"
#include "require.hpp"
#include "short_reads.hpp"

namespace {

using bytes = std::vector<std::uint8_t>;
using view = std::span<const std::uint8_t>;
using umbel::fuzz::gzipped;
using umbel::fuzz::require;

// More than a libFuzzer input can hold.
constexpr std::size_t max_output = std::size_t{8} << 20;

[[nodiscard]] view cut(view& from, std::size_t size) {
  const view out = from.first(std::min(size, from.size()));
  from = from.subspan(out.size());
  return out;
}

[[nodiscard]] bool begins(view with, std::string_view magic) {
  return with.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), with.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Made once for all inputs: making it takes longer than filling it.
[[nodiscard]] std::span<std::uint8_t> output() {
  static bytes room(max_output);
  return room;
}

[[nodiscard]] view without_padding(view file) {
  while (!file.empty() && file.front() == 0) file = file.subspan(1);
  return file;
}

// The result of zlib: every member at once. Nothing if one of them is damaged.
[[nodiscard]] std::optional<bytes> gunzipped(view file) {
  const auto out = output();
  std::size_t size = 0;
  while (!file.empty()) {
    z_stream state{};
    require(::inflateInit2(&state, 15 + 16) == Z_OK, "zlib begins");
    state.next_in = const_cast<std::uint8_t*>(file.data());
    state.avail_in = static_cast<uInt>(file.size());
    state.next_out = out.data() + size;
    state.avail_out = static_cast<uInt>(out.size() - size);
    const int said = ::inflate(&state, Z_FINISH);
    file = file.last(state.avail_in);
    size = out.size() - state.avail_out;
    (void)::inflateEnd(&state);
    if (said != Z_STREAM_END) return std::nullopt;
    file = without_padding(file);
  }
  return bytes(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
}

// The result of the zstd tool's decoder, given a whole frame and room for all of its output.
// ZSTD_decompress alone will not do: it accepts blocks that are larger than the format allows.
[[nodiscard]] std::optional<bytes> unzstded(view file) {
  static ZSTD_DCtx* const state = ::ZSTD_createDCtx();
  const auto out = output();
  std::size_t size = 0;
  while (!file.empty()) {
    (void)::ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
    ZSTD_inBuffer in{file.data(), file.size(), 0};
    ZSTD_outBuffer room{out.data(), out.size(), size};
    if (::ZSTD_decompressStream(state, &room, &in) != 0) return std::nullopt;
    // Where both accept a frame, they agree on its contents. Only the zstd tool's decoder accepts a
    // compressed block of 0 bytes.
    bytes at_once(room.pos - size);
    const std::size_t found =
        ::ZSTD_decompress(at_once.data(), at_once.size(), file.data(), in.pos);
    require(
        ::ZSTD_isError(found) != 0 || (found == at_once.size() &&
                                       std::equal(at_once.begin(), at_once.end(),
                                                  out.begin() + static_cast<std::ptrdiff_t>(size))),
        "a frame decoded at once is the same");
    size = room.pos;
    file = without_padding(file.subspan(in.pos));
  }
  return bytes(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
}

// The result of the tool; nothing if it reports damage.
[[nodiscard]] std::optional<bytes> read_by_tool(view file, view reads, view rooms) {
  static umbel::test::memory_file disk;
  static const std::string path = disk.path();
  disk.assign(std::as_bytes(file));
  const umbel::fuzz::short_reads as_told(reads);
  bytes out;
  try {
    umbel::cli::byte_source source(path);
    // Each buffer is a separate allocation, so that an overrun of one byte is detected; up to 254^2
    // bytes, or more than a reader has.
    std::vector<std::vector<char>> buffers;
    for (const std::uint8_t room : rooms)
      buffers.emplace_back(room == 255 ? std::size_t{256} << 10
                                       : static_cast<std::size_t>(room * room));
    if (buffers.empty()) buffers.emplace_back(std::size_t{256} << 10);
    for (std::size_t i = 0; source.is_open(); ++i) {
      std::vector<char>& buffer = buffers[i % buffers.size()];
      const std::size_t got = source.read(buffer);
      require(got <= buffer.size(), "no more than there is room for");
      require(!buffer.empty() || (got == 0 && source.is_open()), "no room is not the end");
      out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got));
    }
    require(source.read(std::span<char>()) == 0, "an end stays one");
    return out;
  } catch (const umbel::corrupt& e) {
    require(std::string_view(e.what()).starts_with(path), "the error names the file");
    return std::nullopt;
  }
}

[[nodiscard]] bytes zstded(view data) {
  static ZSTD_CCtx* const state = ::ZSTD_createCCtx();
  bytes out(::ZSTD_compressBound(data.size()));
  const std::size_t size =
      ::ZSTD_compressCCtx(state, out.data(), out.size(), data.data(), data.size(), 1);
  require(::ZSTD_isError(size) == 0, "zstd ends");
  out.resize(size);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  view input(data, size);
  if (size < 2) return 0;
  const std::size_t read_sizes = input[0] % 16, room_sizes = input[1] % 16;
  input = input.subspan(2);
  const view reads = cut(input, read_sizes), rooms = cut(input, room_sizes);
  // Reads nothing, for ever.
  if (!rooms.empty() && std::ranges::all_of(rooms, [](auto r) { return r == 0; })) return 0;

  const auto found = read_by_tool(input, reads, rooms);
  if (begins(input, "\x1f\x8b"))
    require(found == gunzipped(input), "what zlib says of a gzip file");
  else if (begins(input, "\x28\xb5\x2f\xfd"))
    require(found == unzstded(input), "what zstd says of a zstd file");
  else
    require(found && std::ranges::equal(*found, input), "what is not packed is read as it is");

  const auto pack = data[0] < 128 ? gzipped : zstded;
  const view half = input.first(input.size() / 2), rest = input.subspan(half.size());
  bytes file;
  for (const view piece : {half, view(), rest}) {
    const bytes packed = pack(piece);
    file.insert(file.end(), packed.begin(), packed.end());
  }
  file.insert(file.end(), size % 7, 0);
  const auto back = read_by_tool(file, reads, rooms);
  require(back && std::ranges::equal(*back, input), "what was packed comes back");
  return 0;
}
