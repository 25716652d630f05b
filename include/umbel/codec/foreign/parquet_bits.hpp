// parquet_bits.hpp - Parquet Bloom filters without the file: the bitset alone, or with its header
// as in a column chunk.
//
// Layout     The bitset is blocks of 32 bytes. The header is a struct in Thrift's compact protocol:
//            the bitset's bytes, algorithm BLOCK, hash XXHASH, compression UNCOMPRESSED; 14 bytes
//            and a number.
// Source     The Bloom filter page of the Parquet format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/set/parquet_filter.hpp>

namespace umbel::codec {

// Throws corrupt.
[[nodiscard]] parquet_filter read_parquet_bits(std::span<const std::byte> bitset);
[[nodiscard]] std::vector<std::byte> write_parquet_bits(const parquet_filter& filter);
// The same with the header before the bitset.
[[nodiscard]] parquet_filter read_parquet_section(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> write_parquet_section(const parquet_filter& filter);

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/foreign/parquet_bits.ipp>
#endif
