// envelope.hpp - the front of every file: what it holds, under which hash, and where each section
// is.
//
// Layout     128 bytes of header, 64 bytes per section, then the sections, each aligned to 64
//            bytes. doc/format.md specifies every byte.
// Invariant  A structure has exactly one encoding: sections are consecutive and in order, padding
//            and reserved bytes are zero. A reader rejects anything else, and checks every length
//            against the file size before using it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/hash/key_recipe.hpp>

namespace umbel::codec {

inline constexpr std::size_t header_bytes = 128;
inline constexpr std::size_t entry_bytes = 64;
inline constexpr std::size_t alignment = 64;
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t max_sections = 1 << 13;  // a decoded table then stays below 1 MiB
inline constexpr unsigned max_depth = 8;              // of nested lists

enum class section_type : std::uint32_t { fields = 1, array = 2, list = 3 };

struct section {
  std::string name;
  section_type type = section_type::fields;
  std::uint32_t count = 0;  // fields: number; array: bytes per word; list: number of items
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

struct envelope {
  std::string kind;
  std::uint32_t kind_version = 0;
  hash_kind hash = hash_kind::xxh3;
  std::uint64_t seed = 0;
  std::uint64_t key_check = 0;
  std::uint64_t file_bytes = 0;
  key_recipe keys;  // how the keys were made
  std::vector<section> sections;
};

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
  return (offset + alignment - 1) / alignment * alignment;
}

// Assigns an offset to every section and computes the size of the file.
void lay_out(envelope& e);
// Header and section table, as in the file.
[[nodiscard]] std::vector<std::byte> encode_front(const envelope& e);

// Verifies the header of a file of `actual_bytes` and returns the size of header and section table.
// Throws corrupt or incompatible.
struct front_size {
  std::size_t bytes;
};
[[nodiscard]] front_size check_header(std::span<const std::byte> header,
                                      std::uint64_t actual_bytes);
// Decodes header and section table; `front` has the size that check_header() returned.
[[nodiscard]] envelope decode_front(std::span<const std::byte> front, std::uint64_t actual_bytes);

}  // namespace umbel::codec

#if UMBEL_WITH_BODIES
#include <umbel/codec/envelope.ipp>
#endif
