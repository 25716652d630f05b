// compress.hpp - files of structures in as few bytes as their bits need on the wire; and what
// changed between two of them.
// Idea       A file says where its arrays are; each is coded as bits that are one with one
//            probability. For a Bloom filter with more bits and fewer probes than the best, that is
//            a compressed Bloom filter, and sizing/compressed.hpp says code many; for any filter
//            over bits it is as good as its fill allows; what looks random stays as it is. A change
//            is the XOR of two files of one shape, coded alike.
// Layout     A message: 16 bytes of its own, the front of the file, then every section that has
//            bytes: fields as they stand, arrays under 24 bytes that say code they are coded.
//            doc/format.md says it byte by byte.
// Invariant  decompress(compress(file)) is the file, byte for byte. Checksums of the front hold
//            every section to that; a change is applied to the very file it was made from, or
//            refused.
// Limits     A receiver says code large a file it takes; a message that claims more is refused
//            before memory is taken.
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

enum class bit_code { range, rice };  // rice: 0.4 to 6 % more, for receivers without a range coder

// Whether bytes begin as a message does.
[[nodiscard]] bool is_compressed(std::span<const std::byte> bytes) noexcept;

// Of a whole file, as `encode` gives it.
[[nodiscard]] std::vector<std::byte> compress(std::span<const std::byte> file,
                                              bit_code code = bit_code::range);
[[nodiscard]] std::vector<std::byte> decompress(std::span<const std::byte> message,
                                                std::uint64_t max_bytes);
// What makes the second file of the first; and the second file again. `incompatible`: the two
// differ in kind, hash or shape, or the change was made from another file than this.
[[nodiscard]] std::vector<std::byte> compress_change(std::span<const std::byte> before,
                                                     std::span<const std::byte> after,
                                                     bit_code code = bit_code::range);
[[nodiscard]] std::vector<std::byte> apply_change(std::span<const std::byte> before,
                                                  std::span<const std::byte> message);

// The same of structures.
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
