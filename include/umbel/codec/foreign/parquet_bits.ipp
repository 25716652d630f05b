// parquet_bits.ipp - bodies of parquet_bits.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/codec/foreign/parquet_bits.hpp>
#include <umbel/codec/foreign/parts.hpp>

namespace umbel::codec {

namespace parquet {

using word = core::parquet::pattern_type::word;
inline constexpr std::size_t block_bytes = 32;

// Field 1, a zigzag i32; then fields 2 to 4, each a union whose first member is an empty struct;
// then the stop byte.
inline constexpr unsigned char number_follows = 0x15;
inline constexpr unsigned char choices[] = {0x1C, 0x1C, 0,    0, 0x1C, 0x1C, 0,
                                            0,    0x1C, 0x1C, 0, 0,    0};

}  // namespace parquet

UMBEL_INLINE parquet_filter read_parquet_bits(std::span<const std::byte> bitset) {
  const std::size_t blocks = bitset.size() / parquet::block_bytes;
  if (blocks == 0 || bitset.size() % parquet::block_bytes != 0 ||
      blocks > core::parquet::max_blocks)
    throw corrupt(detail::text(
        "not the bits of a Parquet filter: expected 32 bytes for each block and at most 128 MiB, ",
        "found ", bitset.size(), " bytes"));
  cells::words<parquet::word> all(bitset.size() / sizeof(parquet::word));
  std::memcpy(all.data(), bitset.data(), bitset.size());
  return assembled<parquet_filter>(hasher::parquet(), core::parquet(blocks), std::move(all));
}

UMBEL_INLINE std::vector<std::byte> write_parquet_bits(const parquet_filter& filter) {
  return {filter.bitset().begin(), filter.bitset().end()};
}

UMBEL_INLINE parquet_filter read_parquet_section(std::span<const std::byte> bytes) {
  const auto refuse = [](const auto&... why) {
    throw corrupt(detail::text("not a Parquet filter with its header: ", why...));
  };
  if (bytes.empty() || bytes[0] != std::byte{parquet::number_follows})
    refuse("expected the number of bytes, a field of type 5, found ",
           bytes.empty() ? 0 : int(bytes[0]));
  std::uint64_t zigzag = 0;
  std::size_t at = 1;
  for (unsigned shift = 0;; shift += 7, ++at) {
    if (at == bytes.size() || shift > 28) refuse("the number of bytes does not end");
    zigzag |= std::uint64_t(bytes[at] & std::byte{0x7F}) << shift;
    if ((bytes[at] & std::byte{0x80}) == std::byte{0}) break;
  }
  ++at;
  const auto left = std::as_bytes(std::span(parquet::choices));
  if (bytes.size() - at < left.size() ||
      !std::equal(left.begin(), left.end(), bytes.subspan(at).begin()))
    refuse("expected algorithm BLOCK, hash XXHASH, no compression");
  const auto bitset = bytes.subspan(at + left.size());
  if (zigzag % 2 != 0 || zigzag / 2 != bitset.size())
    refuse("its header speaks of ", zigzag / 2, " bytes, ", bitset.size(), " follow");
  return read_parquet_bits(bitset);
}

UMBEL_INLINE std::vector<std::byte> write_parquet_section(const parquet_filter& filter) {
  const std::vector<std::byte> bitset = write_parquet_bits(filter);
  std::vector<std::byte> out{std::byte{parquet::number_follows}};
  for (std::uint64_t zigzag = 2 * bitset.size();; zigzag >>= 7) {
    out.push_back(
        std::byte(static_cast<unsigned char>((zigzag & 0x7F) | (zigzag > 0x7F ? 0x80 : 0))));
    if (zigzag <= 0x7F) break;
  }
  const auto left = std::as_bytes(std::span(parquet::choices));
  out.insert(out.end(), left.begin(), left.end());
  out.insert(out.end(), bitset.begin(), bitset.end());
  return out;
}

}  // namespace umbel::codec
