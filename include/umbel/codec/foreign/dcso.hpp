// dcso.hpp - reads and writes files of DCSO's Bloom filter library and its `bloom` command.
//
// Layout     48 bytes, little-endian: version 1, capacity n, rate p (a double), probes k, bits m,
//            number N of keys that were new when inserted; then ceil(m/64) words of bits; then data
//            attached by the user. The library may gzip the file: unpack it before reading.
// Limits     Only filters that draw their bits as that library does can be written: scheme `dcso`.
// Source     Files and answers of that library, which tests compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/set/bloom_filter.hpp>

namespace umbel::codec {

struct dcso_file {
  bloom_filter filter;
  std::uint64_t capacity = 0;  // planned number of keys
  double fpr = 0;              // at capacity
  std::uint64_t keys = 0;
  std::vector<std::byte> attached{};
};

// Throws corrupt: what was expected, what was found. Allocates nothing larger than the input.
[[nodiscard]] dcso_file read_dcso(std::span<const std::byte> bytes);
// Throws incompatible for a filter of another scheme.
[[nodiscard]] std::vector<std::byte> write_dcso(const dcso_file& file);
// Derives the other fields from the filter: `keys` from its fill, `capacity` as the number of keys
// that fill one half.
[[nodiscard]] dcso_file dcso_of(bloom_filter filter);

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/foreign/dcso.ipp>
#endif
