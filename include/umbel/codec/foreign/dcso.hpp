// dcso.hpp - the files of DCSO's Bloom filter library and `bloom` command, read into a bloom_filter
// and written from one.
// Layout     48 bytes, little-endian: version 1, capacity n, rate p (a double), probes k, bits m,
//            keys N that were new when they came; then ceil(m/64) words of bits; then whatever its
//            user attached. The library may gzip all of it: unpack before you read.
// Limits     A filter is written if it draws its bits as that library does: scheme `dcso`.
// Source     The library's own files and answers, which tests compare.
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
  std::uint64_t capacity = 0;  // keys it was made for
  double fpr = 0;              // with so many
  std::uint64_t keys = 0;
  std::vector<std::byte> attached{};
};

// Throws corrupt: what was expected, what was found. Nothing larger than the input is allocated.
[[nodiscard]] dcso_file read_dcso(std::span<const std::byte> bytes);
// Throws incompatible for a filter under another scheme.
[[nodiscard]] std::vector<std::byte> write_dcso(const dcso_file& file);
// What a filter alone can say of the rest: keys by its bits, capacity as many as fill half of them.
[[nodiscard]] dcso_file dcso_of(bloom_filter filter);

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/foreign/dcso.ipp>
#endif
