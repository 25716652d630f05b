// file_image.hpp - the bytes of an umbel file, to be damaged with or without correct checksums.
// Idea       Checksums detect random damage. To test what is behind them, change a field and
//            correct the checksums: that is the file an attacker sends. Written from doc/format.md,
//            not with the library's writer.
// Layout     Header 128 bytes, 64 per section, then the sections; offsets below. Shared with the
//            fuzz targets, so it does not trust what it reads either.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <umbel/hash/hasher.hpp>

namespace umbel::test {

// Offsets in the header, and in an entry of the section table.
namespace at {
inline constexpr std::size_t magic = 0, version = 8, byte_order = 12, kind = 16, kind_version = 48,
                             hash = 52, seed = 56, key_check = 64, file_bytes = 72, sections = 80,
                             recipe = 84, reserved = 104, table_check = 112, header_check = 120,
                             header_end = 128;
inline constexpr std::size_t entry_type = 24, entry_count = 28, entry_offset = 32,
                             entry_length = 40, entry_check = 48, entry_reserved = 56,
                             entry_end = 64;
}  // namespace at

class file_image {
 public:
  struct entry {
    std::size_t at = 0;  // of the entry itself
    std::string name;
    std::uint32_t type = 0, count = 0;  // type 1: fields, 2: array, 3: list
    std::uint64_t offset = 0, length = 0;
  };

  explicit file_image(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  void resize(std::size_t size) { bytes_.resize(size); }

  // Little-endian words at any offset. Outside the bytes: read as 0, not written.
  template <class Word>
  [[nodiscard]] Word get(std::size_t where) const noexcept {
    Word word{};
    if (fits(where, sizeof word)) std::memcpy(&word, bytes_.data() + where, sizeof word);
    return word;
  }
  template <class Word>
  file_image& set(std::size_t where, Word word) noexcept {
    if (fits(where, sizeof word)) std::memcpy(bytes_.data() + where, &word, sizeof word);
    return *this;
  }
  void flip(std::size_t bit) noexcept {
    if (bit / 8 < bytes_.size()) bytes_[bit / 8] ^= std::byte(1U << (bit % 8));
  }

  [[nodiscard]] std::size_t front_bytes() const noexcept {
    return std::min<std::uint64_t>(
        at::header_end + get<std::uint32_t>(at::sections) * std::uint64_t{at::entry_end},
        bytes_.size());
  }
  [[nodiscard]] std::vector<entry> entries() const {
    std::vector<entry> out;
    out.reserve(front_bytes() / at::entry_end);  // small tests seal thousands of images
    for (std::size_t i = at::header_end; i + at::entry_end <= front_bytes(); i += at::entry_end) {
      const auto* const letters = reinterpret_cast<const char*>(bytes_.data() + i);
      out.push_back({i,
                     {letters, ::strnlen(letters, at::entry_type)},
                     get<std::uint32_t>(i + at::entry_type),
                     get<std::uint32_t>(i + at::entry_count),
                     get<std::uint64_t>(i + at::entry_offset),
                     get<std::uint64_t>(i + at::entry_length)});
    }
    return out;
  }
  // The offset of every 8-byte field, in the order in which the structure lists them.
  [[nodiscard]] std::vector<std::size_t> field_places() const {
    std::vector<std::size_t> out;
    for (const entry& e : entries())
      for (std::uint64_t i = 0; e.type == 1 && i + 8 <= e.length; i += 8)
        if (fits(e.offset + i, 8)) out.push_back(e.offset + i);
    return out;
  }
  // For each byte, whether `open` accepts it without checking.
  [[nodiscard]] std::vector<bool> in_arrays() const {
    std::vector<bool> out(bytes_.size());
    for (const entry& e : entries())
      for (std::uint64_t i = 0; e.type == 2 && i < e.length && fits(e.offset, i + 1); ++i)
        out[e.offset + i] = true;
    return out;
  }

  // Corrects every checksum, from the sections up to the header.
  file_image& seal() {
    for (const entry& e : entries())
      if (e.type != 3 && e.length <= bytes_.size() && fits(e.offset, e.length))
        set(e.at + at::entry_check, detail::checksum(bytes_.data() + e.offset, e.length));
    return seal_front();
  }
  file_image& seal_front() {
    if (bytes_.size() < at::header_end) return *this;
    set(at::table_check,
        detail::checksum(bytes_.data() + at::header_end, front_bytes() - at::header_end));
    return set(at::header_check, detail::checksum(bytes_.data(), at::header_check));
  }
  // Sets the header's size to that of the bytes.
  file_image& claim_size() { return set(at::file_bytes, std::uint64_t{bytes_.size()}); }

  // Puts sections where a writer would put them, with their stated lengths as long as those fit,
  // and sets the size to match. A fuzzer needs this to change a length and still pass the reader.
  // Bytes keep their offsets.
  file_image& lay_out() {
    std::uint64_t place = front_bytes();
    for (const entry& e : entries()) {
      place = (place + 63) / 64 * 64;
      set(e.at + at::entry_offset, e.type == 3 ? std::uint64_t{0} : place);
      if (e.length > max_grown || place + e.length > max_grown) return *this;
      place += e.length;
    }
    bytes_.resize((place + 63) / 64 * 64);
    return claim_size();
  }

 private:
  static constexpr std::uint64_t max_grown = 1 << 16;
  [[nodiscard]] bool fits(std::uint64_t where, std::uint64_t length) const noexcept {
    return where <= bytes_.size() && length <= bytes_.size() - where;
  }
  std::vector<std::byte> bytes_;
};

}  // namespace umbel::test
