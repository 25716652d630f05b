// words.hpp - an array of machine words in a buffer: the storage of all kinds of cells.
//
// Kinds of cells differ in what a word means, not in how words are owned, viewed, compared or
// stored.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include <umbel/base/buffer.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/access.hpp>

namespace umbel::cells {

template <std::unsigned_integral Word = std::uint64_t>
class words {
 public:
  words() = default;
  explicit words(std::size_t count, std::pmr::memory_resource* memory = nullptr)
      : bytes_(count * sizeof(Word), memory) {}
  explicit words(buffer bytes) noexcept : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(Word); }
  [[nodiscard]] const Word* data() const noexcept {
    return reinterpret_cast<const Word*>(bytes_.data());
  }
  [[nodiscard]] Word* data() noexcept { return reinterpret_cast<Word*>(bytes_.data()); }
  [[nodiscard]] const Word& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] Word& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] std::span<const Word> span() const noexcept { return {data(), size()}; }
  [[nodiscard]] std::span<Word> span() noexcept { return {data(), size()}; }
  [[nodiscard]] const buffer& bytes() const noexcept { return bytes_; }

  // After loading: throws unless there are exactly this many words.
  void require(std::uint64_t count) const {
    if (bytes_.size() % sizeof(Word) != 0 || size() != count)
      throw corrupt(detail::text("cells: expected ", count * sizeof(Word),
                                 " bytes for this shape, found ", bytes_.size()));
  }

  // After loading: throws unless there are exactly this many words and only the first `used` bits
  // may be set.
  void require(std::uint64_t count, std::uint64_t used) const {
    require(count);
    constexpr unsigned bits = 8 * sizeof(Word);
    for (std::uint64_t i = used / bits; i < count; ++i)
      if ((i == used / bits ? data()[i] >> (used % bits) : data()[i]) != 0)
        throw corrupt(detail::text("cells: bits past the last one (", used, ") are set"));
  }

  // After loading, before the words are checked: copies them into memory of their own if they are a
  // view. A mapped file may change under a reader, so what is checked and then believed is read
  // from the file once.
  void own() {
    if (!bytes_.owns()) bytes_ = buffer(bytes_);
  }

  [[nodiscard]] std::uint64_t ones() const noexcept {
    std::uint64_t sum = 0;
    for (const Word& word : span())
      sum += static_cast<unsigned>(std::popcount(relaxed::load(word)));
    return sum;
  }
  void clear() noexcept {
    for (Word& word : span()) word = 0;
  }
  words& operator|=(const words& other) noexcept {
    for (std::size_t i = 0; i < size(); ++i) data()[i] |= other[i];
    return *this;
  }
  words& operator&=(const words& other) noexcept {
    for (std::size_t i = 0; i < size(); ++i) data()[i] &= other[i];
    return *this;
  }

  friend bool operator==(const words&, const words&) noexcept = default;

 private:
  buffer bytes_;
};

}  // namespace umbel::cells
