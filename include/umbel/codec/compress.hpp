// compress.hpp - compressed Bloom filters [Mit02]: entropy-coded files of structures for
// transmission, and differences between two files.
//
// A file says where its arrays are. Each array is coded as bits that are one with the same
// probability. For a Bloom filter with more bits and fewer probes than the optimum, that is a
// compressed Bloom filter, and sizing/compressed.hpp computes its size. Any other filter over bits
// is compressed as well as its fill allows. Arrays that look random are sent uncoded. A change is
// the XOR of two files of one shape, coded in the same way.
//
// Layout     A message: 16 bytes of its own, the front of the file, then every section that has
//            bytes. Fields are copied; an array has 24 bytes that say how it is coded, then its
//            code. doc/format.md specifies every byte.
// Invariant  decompress(compress(file)) equals the file. Every section is verified by the checksums
//            in the front. A change is applied to exactly the file it was made from, or rejected.
// Limits     The receiver gives the largest file it accepts. A message that claims more is rejected
//            before memory is allocated.
// Threads    Free functions.
// Source     [Mit02], [BM04] sec. 2.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/codec/codec.hpp>

namespace umbel {

// rice: 0.4 to 6 % larger, for receivers without a range coder
enum class bit_code { range, rice };

// Whether these bytes begin as a message does.
[[nodiscard]] bool is_compressed(std::span<const std::byte> bytes) noexcept;

// For a whole file, as returned by `encode`.
[[nodiscard]] std::vector<std::byte> compress(std::span<const std::byte> file,
                                              bit_code code = bit_code::range);
[[nodiscard]] std::vector<std::byte> decompress(std::span<const std::byte> message,
                                                std::uint64_t max_bytes);
// The change from the first file to the second, and its application to the first. Throws
// `incompatible` if the two differ in kind, hash or shape, or if the change was made from a
// different file.
[[nodiscard]] std::vector<std::byte> compress_change(std::span<const std::byte> before,
                                                     std::span<const std::byte> after,
                                                     bit_code code = bit_code::range);
[[nodiscard]] std::vector<std::byte> apply_change(std::span<const std::byte> before,
                                                  std::span<const std::byte> message);

// The same for structures.
template <class T>
concept stored = requires {
  T::kind, T::format_version;
};

template <stored T>
[[nodiscard]] std::vector<std::byte> compress(const T& structure, bit_code code = bit_code::range) {
  return compress(std::span<const std::byte>(encode(structure)), code);
}
template <stored T>
[[nodiscard]] T decompress(std::span<const std::byte> message, std::uint64_t max_bytes,
                           const load_options& options = {}) {
  return decode<T>(decompress(message, max_bytes), options);
}
template <stored T>
[[nodiscard]] std::vector<std::byte> compress_change(const T& before, const T& after,
                                                     bit_code code = bit_code::range) {
  return compress_change(std::span<const std::byte>(encode(before)),
                         std::span<const std::byte>(encode(after)), code);
}
template <stored T>
[[nodiscard]] T apply_change(const T& before, std::span<const std::byte> message,
                             const load_options& options = {}) {
  return decode<T>(apply_change(std::span<const std::byte>(encode(before)), message), options);
}

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/codec/compress.ipp>
#endif
