// bundle.hpp - several structures of one kind in two sections of a file.
//
// Idea       A section costs a file about a hundred bytes, and a structure has several sections.
//            For many small structures that would be most of the file. Here the arrays of all items
//            are in one section; their lengths and fields are in another.
// Layout     `directory`: for each item its fields, and the length of each array in bytes, in the
//            order in which `describe` visits them. `words`: the arrays one after another, each
//            padded with zeros to whole words.
// Invariant  Items view `words`. A new bundle and a loaded one are checked by the same code.
// Limits     64 items: an item takes more memory than its entries in the directory. Building needs
//            the memory of all items twice for a short time.
// Threads    As its items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/words.hpp>

namespace umbel::core {

template <class Item>
class bundle {
 public:
  static constexpr std::size_t most = 64;

  bundle() = default;
  explicit bundle(const std::vector<Item>& items, std::pmr::memory_resource* memory = nullptr) {
    packer all;
    for (const Item& item : items) Item::describe(item, all);
    directory_ = cells::words<>(all.directory.size(), memory);
    std::copy(all.directory.begin(), all.directory.end(), directory_.data());
    words_ = cells::words<>(all.words, memory);
    std::uint64_t* next = words_.data();
    for (const std::span<const std::byte> array : all.arrays) {
      if (!array.empty()) std::memcpy(next, array.data(), array.size());
      next += words_for(array.size());
    }
    check();
  }
  bundle(const bundle& other) : directory_(other.directory_), words_(other.words_) { check(); }
  bundle(bundle&&) noexcept = default;  // the memory does not move, so views stay valid
  bundle& operator=(bundle other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(words_, other.words_);
    std::swap(items_, other.items_);
    return *this;
  }
  ~bundle() = default;

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] const Item& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return 64 * (directory_.size() + words_.size());
  }

  friend bool operator==(const bundle& a, const bundle& b) noexcept {
    return a.directory_ == b.directory_ && a.words_ == b.words_;
  }
  static void describe(auto& self, auto& part) {
    part.array("directory", self.directory_);
    part.array("words", self.words_);
  }
  // Recreates the items. Throws what their check() throws, and corrupt if the directory does not
  // fit.
  void check() {
    items_.clear();
    unpacker all{*this};
    while (all.at < directory_.size()) {
      if (items_.size() == most)
        throw corrupt(detail::text("directory: expected at most ", most, " items"));
      Item& item = items_.emplace_back();
      Item::describe(item, all);
      item.check();
    }
    if (all.next != words_.size())
      throw corrupt(detail::text("words: expected ", all.next,
                                 " in the items of the directory, found ", words_.size()));
  }

 private:
  [[nodiscard]] static std::uint64_t words_for(std::uint64_t bytes) noexcept {
    return bytes / 8 + (bytes % 8 != 0);
  }

  struct packer {
    std::vector<std::uint64_t> directory;
    std::vector<std::span<const std::byte>> arrays;
    std::uint64_t words = 0;

    template <class Object>
    void fields(std::string_view, const Object& object) {
      Object::fields(object, [&](std::string_view, std::uint64_t value, const auto&...) {
        directory.push_back(value);
      });
    }
    template <class Word>
    void array(std::string_view, const cells::words<Word>& from) {
      directory.push_back(from.bytes().size());
      arrays.push_back(from.bytes().bytes());
      words += words_for(from.bytes().size());
    }
  };
  struct unpacker {
    const bundle& from;
    std::uint64_t at = 0, next = 0;

    [[nodiscard]] std::uint64_t take() {
      if (at == from.directory_.size()) throw corrupt("directory: ends within an item");
      return from.directory_[at++];
    }
    template <class Object>
    void fields(std::string_view, Object& object) {
      Object::fields(
          object, [&](std::string_view, std::uint64_t& value, const auto&...) { value = take(); });
    }
    template <class Word>
    void array(std::string_view name, cells::words<Word>& to) {
      const std::uint64_t bytes = take();
      const auto all = from.words_.bytes().bytes().subspan(next * 8);
      if (bytes % sizeof(Word) != 0 || bytes > all.size())
        throw corrupt(detail::text("directory: ", bytes, " bytes of ", name, " do not fit"));
      next += words_for(bytes);
      for (std::uint64_t i = bytes; i % 8 != 0; ++i)
        if (all[i] != std::byte{0})
          throw corrupt(detail::text("words: expected zeros behind ", name));
      to = cells::words<Word>(buffer::view(all.first(bytes)));
    }
  };

  cells::words<> directory_;
  cells::words<> words_;
  std::vector<Item> items_;
};

}  // namespace umbel::core
