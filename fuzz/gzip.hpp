// gzip.hpp - compresses bytes with gzip, for targets that read packed files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <zlib.h>

#include "require.hpp"

namespace umbel::fuzz {

[[nodiscard]] inline std::vector<std::uint8_t> gzipped(std::span<const std::uint8_t> data) {
  z_stream state{};
  // A small window: zlib clears all of it for every member.
  require(::deflateInit2(&state, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib begins");
  std::vector<std::uint8_t> out(::deflateBound(&state, data.size()));
  state.next_in = const_cast<std::uint8_t*>(data.data());
  state.avail_in = static_cast<uInt>(data.size());
  state.next_out = out.data();
  state.avail_out = static_cast<uInt>(out.size());
  require(::deflate(&state, Z_FINISH) == Z_STREAM_END, "zlib ends");
  out.resize(out.size() - state.avail_out);
  (void)::deflateEnd(&state);
  return out;
}

}  // namespace umbel::fuzz
