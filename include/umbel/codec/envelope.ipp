// envelope.ipp - bodies of envelope.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/codec/envelope.hpp>

namespace umbel::codec {

namespace bytes {
using umbel::detail::load_le;
using umbel::detail::store_le;
using umbel::detail::text;

// The first byte is not text and the last two are a line end, so a transfer in text mode is
// detected.
inline constexpr std::array<unsigned char, 8> magic = {0x89, 'u', 'm', 'b', 'e', 'l', '\r', '\n'};
inline constexpr std::uint32_t byte_order = 0x01020304;
inline constexpr std::size_t kind_bytes = 32, name_bytes = 24;

inline void put_name(std::byte* to, std::string_view name, std::size_t room) {
  if (name.size() >= room) throw bad_parameter(text("name too long for the file format: ", name));
  std::memcpy(to, name.data(), name.size());
}

// Zero-padded lower-case words; anything else is an error.
inline std::string get_name(const std::byte* from, std::size_t room, std::string_view what) {
  const auto* const letters = reinterpret_cast<const char*>(from);
  const auto size = static_cast<std::size_t>(std::find(letters, letters + room, '\0') - letters);
  const bool clean = size > 0 && size < room &&
                     std::all_of(
                         letters, letters + size,
                         [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
                         }) &&
      std::all_of(letters + size, letters + room, [](char c) { return c == '\0'; });
  if (!clean) throw corrupt(text(what, ": expected a short lower-case name, found something else"));
  return {letters, size};
}

inline void require_zero(std::span<const std::byte> bytes, std::string_view what) {
  if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; }))
    throw corrupt(text(what, ": expected zeros; the file is damaged or from a newer umbel"));
}

// The key recipe: type, flags, number of columns, a zero byte, and the type of each column.
inline constexpr std::size_t recipe_at = 84, recipe_bytes = 4 + key_recipe::max_columns;
enum recipe_flag : unsigned { keeps_cr = 1, trimmed = 2, case_folded = 4 };

inline void put_recipe(std::byte* to, const key_recipe& keys) {
  keys.check();
  to[0] = static_cast<std::byte>(keys.type);
  to[1] = static_cast<std::byte>((keys.keeps_cr ? keeps_cr : 0U) | (keys.trimmed ? trimmed : 0U) |
                                 (keys.case_folded ? case_folded : 0U));
  to[2] = static_cast<std::byte>(keys.columns);
  for (std::size_t i = 0; i < key_recipe::max_columns; ++i)
    to[4 + i] = static_cast<std::byte>(keys.column_types[i]);
}

inline key_recipe get_recipe(const std::byte* from) {
  const auto type_at = [&](std::size_t i) {
    const auto type = static_cast<std::uint8_t>(from[i]);
    if (type > last_key_type)
      throw incompatible(text("key type: this umbel knows 0 to ", last_key_type, ", found ",
                              unsigned{type}, "; use a newer umbel"));
    return static_cast<key_type>(type);
  };
  const auto flags = static_cast<unsigned>(from[1]);
  if (flags > (keeps_cr | trimmed | case_folded) || from[3] != std::byte{0})
    throw incompatible(
        "the keys of this file were made in a way that this umbel does not know; use a newer "
        "umbel");
  key_recipe keys;
  keys.type = type_at(0);
  keys.keeps_cr = (flags & keeps_cr) != 0;
  keys.trimmed = (flags & trimmed) != 0;
  keys.case_folded = (flags & case_folded) != 0;
  keys.columns = static_cast<std::uint8_t>(from[2]);
  for (std::size_t i = 0; i < key_recipe::max_columns; ++i) keys.column_types[i] = type_at(4 + i);
  try {
    keys.check();
  } catch (const bad_parameter& wrong) {
    throw corrupt(wrong.what());
  }
  return keys;
}
}  // namespace bytes

UMBEL_INLINE void lay_out(envelope& e) {
  std::uint64_t at = header_bytes + e.sections.size() * entry_bytes;
  for (section& s : e.sections) {
    at = aligned(at);
    s.offset = s.type == section_type::list ? 0 : at;
    at += s.length;
  }
  e.file_bytes = aligned(at);
}

UMBEL_INLINE std::vector<std::byte> encode_front(const envelope& e) {
  using namespace bytes;
  std::vector<std::byte> front(header_bytes + e.sections.size() * entry_bytes);
  std::byte* const h = front.data();
  for (std::size_t i = 0; i < e.sections.size(); ++i) {
    const section& s = e.sections[i];
    std::byte* const t = h + header_bytes + i * entry_bytes;
    put_name(t, s.name, name_bytes);
    store_le(t + 24, static_cast<std::uint32_t>(s.type));
    store_le(t + 28, s.count);
    store_le(t + 32, s.offset);
    store_le(t + 40, s.length);
    store_le(t + 48, s.checksum);
  }
  std::memcpy(h, magic.data(), magic.size());
  store_le(h + 8, format_version);
  store_le(h + 12, byte_order);
  put_name(h + 16, e.kind, kind_bytes);
  store_le(h + 48, e.kind_version);
  store_le(h + 52, static_cast<std::uint32_t>(e.hash));
  store_le(h + 56, e.seed);
  store_le(h + 64, e.key_check);
  store_le(h + 72, e.file_bytes);
  store_le(h + 80, static_cast<std::uint32_t>(e.sections.size()));
  put_recipe(h + recipe_at, e.keys);
  store_le(h + 112, umbel::detail::checksum(h + header_bytes, front.size() - header_bytes));
  store_le(h + 120, umbel::detail::checksum(h, 120));
  return front;
}

UMBEL_INLINE front_size check_header(std::span<const std::byte> header,
                                     std::uint64_t actual_bytes) {
  using namespace bytes;
  if (header.size() < header_bytes)
    throw corrupt(text("not an umbel file: expected at least ", header_bytes, " bytes, found ",
                       actual_bytes));
  const std::byte* const h = header.data();
  if (std::memcmp(h, magic.data(), magic.size()) != 0)
    throw corrupt("not an umbel file: it does not start with the umbel magic");
  const auto version = load_le<std::uint32_t>(h + 8);
  const auto order = load_le<std::uint32_t>(h + 12);
  if (order == 0x04030201)
    throw corrupt("the file has the other byte order: umbel files are little-endian");
  if (order != byte_order)
    throw corrupt(text("byte order mark: expected ", byte_order, ", found ", order));
  if (version != format_version)
    throw incompatible(text("format version: this umbel reads ", format_version, ", found ",
                            version, version > format_version ? "; use a newer umbel" : ""));
  if (load_le<std::uint64_t>(h + 120) != umbel::detail::checksum(h, 120))
    throw corrupt("header checksum does not match: the file is damaged");
  require_zero(header.subspan(recipe_at + recipe_bytes, 112 - recipe_at - recipe_bytes),
               "reserved header bytes");
  const auto file_bytes = load_le<std::uint64_t>(h + 72);
  if (file_bytes != actual_bytes)
    throw corrupt(text(
        "file size: the header says ", file_bytes, " bytes, found ", actual_bytes,
        file_bytes > actual_bytes ? "; the file is cut short" : "; something follows the end"));
  const auto sections = load_le<std::uint32_t>(h + 80);
  const std::uint64_t front = header_bytes + std::uint64_t{sections} * entry_bytes;
  if (sections == 0 || sections > max_sections || front > file_bytes)
    throw corrupt(
        text("sections: expected 1 to ", max_sections, " that fit the file, found ", sections));
  return {static_cast<std::size_t>(front)};
}

UMBEL_INLINE envelope decode_front(std::span<const std::byte> front, std::uint64_t actual_bytes) {
  using namespace bytes;
  const std::size_t size = check_header(front, actual_bytes).bytes;
  if (front.size() < size) throw corrupt("the section table is cut short");
  const std::byte* const h = front.data();
  if (load_le<std::uint64_t>(h + 112) !=
      umbel::detail::checksum(h + header_bytes, size - header_bytes))
    throw corrupt("section table checksum does not match: the file is damaged");
  envelope e;
  e.kind = get_name(h + 16, kind_bytes, "kind");
  e.kind_version = load_le<std::uint32_t>(h + 48);
  const auto hash = load_le<std::uint32_t>(h + 52);
  if (hash < 1 || hash > last_hash_kind)
    throw incompatible(text("hash: this umbel knows 1 to ", last_hash_kind, ", found ", hash,
                            "; use a newer umbel"));
  e.hash = static_cast<hash_kind>(hash);
  e.seed = load_le<std::uint64_t>(h + 56);
  e.key_check = load_le<std::uint64_t>(h + 64);
  e.file_bytes = actual_bytes;
  e.keys = get_recipe(h + recipe_at);
  std::uint64_t at = size;
  e.sections.reserve((size - header_bytes) / entry_bytes);
  for (std::size_t i = header_bytes; i < size; i += entry_bytes) {
    const std::byte* const t = h + i;
    section s;
    s.name = get_name(t, name_bytes, "section name");
    const auto type = load_le<std::uint32_t>(t + 24);
    if (type < 1 || type > 3)
      throw corrupt(text("section ", s.name, ": type: expected 1 to 3, found ", type));
    s.type = static_cast<section_type>(type);
    s.count = load_le<std::uint32_t>(t + 28);
    s.offset = load_le<std::uint64_t>(t + 32);
    s.length = load_le<std::uint64_t>(t + 40);
    s.checksum = load_le<std::uint64_t>(t + 48);
    require_zero(front.subspan(i + 56, 8), "reserved section bytes");
    at = aligned(at);
    if (s.offset != (s.type == section_type::list ? 0 : at))
      throw corrupt(text("section ", s.name, ": offset: expected ", at, ", found ", s.offset));
    if (s.length > actual_bytes - std::min(at, actual_bytes))
      throw corrupt(
          text("section ", s.name, ": ", s.length, " bytes do not fit the file of ", actual_bytes));
    at += s.length;
    e.sections.push_back(std::move(s));
  }
  if (aligned(at) != actual_bytes)
    throw corrupt(text("the sections end at ", aligned(at), ", the file at ", actual_bytes));
  return e;
}

}  // namespace umbel::codec
