// texts.hpp - table of strings by index, as stored in a file: their bytes one after another, and
// the end of each.
//
// Layout     `ends` are packed cells just wide enough for the number of bytes. Text i is bytes
//            ends[i-1] .. ends[i]-1; the first begins at 0.
// Invariant  After check(): ends never fall, and the last is the number of bytes. A table without
//            texts has no bytes.
// Limits     A mapped file may change after it was checked, so operator[] clamps what it reads to
//            the bytes that exist.
// Threads    Immutable: any number of readers.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::cells {

class texts {
 public:
  static constexpr std::uint64_t max_texts = std::uint64_t{1} << 40,
                                 max_bytes = std::uint64_t{1} << 50;

  texts() = default;
  // From a range of strings; string i gets index i.
  template <class Range>
  explicit texts(const Range& all, std::pmr::memory_resource* memory = nullptr) {
    for (const std::string_view one : all) {
      ++size_;
      total_ += one.size();
    }
    if (size_ == 0) return;
    bytes_ = words<std::uint8_t>(total_, memory);
    ends_ = packed(size_, width(), memory);
    std::uint64_t number = 0, end = 0;
    for (const std::string_view one : all) {
      if (!one.empty()) std::memcpy(bytes_.data() + end, one.data(), one.size());
      ends_.set(number++, end += one.size());
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view operator[](std::uint64_t number) const noexcept {
    assert(number < size_);
    const std::uint64_t end = std::min(ends_.get(number), total_);
    const std::uint64_t start = number == 0 ? 0 : std::min(ends_.get(number - 1), end);
    return {reinterpret_cast<const char*>(bytes_.data()) + start, end - start};
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return ends_.storage().size() * 64 + total_ * 8;
  }

  friend bool operator==(const texts&, const texts&) noexcept = default;

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("texts", self.size_);
    field("text_bytes", self.total_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("texts", self);
    part.array("text_ends", self.ends_.storage());
    part.array("text_bytes", self.bytes_);
  }
  void check() {
    if (size_ == 0 || size_ > max_texts)
      throw corrupt(detail::text("texts: expected 1 to 2^40, found ", size_));
    if (total_ > max_bytes)
      throw corrupt(detail::text("text_bytes: expected at most 2^50, found ", total_));
    bytes_.require(total_);
    ends_.reshape(size_, width());
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < size_; ++i) {
      const std::uint64_t end = ends_.get(i);
      if (end < last)
        throw corrupt(detail::text("text_ends: text ", i, " ends at ", end, ", before it begins"));
      last = end;
    }
    if (last != total_)
      throw corrupt(detail::text("text_ends: expected the last to be ", total_, ", found ", last));
  }

 private:
  [[nodiscard]] unsigned width() const noexcept {
    return std::max(1U, static_cast<unsigned>(std::bit_width(total_)));
  }

  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;  // bytes
  packed ends_;
  words<std::uint8_t> bytes_;
};

}  // namespace umbel::cells
