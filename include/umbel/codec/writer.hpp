// writer.hpp - visitor that turns a structure's parts into the sections of a file.
//
// Arrays are not copied: a section refers to the words, so a large filter is written from its own
// memory.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/codec/envelope.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::codec {

class writer {
 public:
  template <class T>
  explicit writer(const T& structure, const key_recipe& keys = {}) {
    front_.keys = keys;
    front_.kind = T::kind;
    front_.kind_version = T::format_version;
    T::describe(structure, *this);
    if (front_.sections.size() > max_sections)
      throw bad_parameter(detail::text("this structure has ", front_.sections.size(),
                                       " sections; a file holds at most ", max_sections));
    lay_out(front_);
  }

  void hash(const hasher& h) {
    if (hashed_ &&
        (front_.hash != h.kind() || front_.seed != h.seed() || front_.key_check != h.key_check()))
      throw incompatible("the parts of this structure use different hashes; one file has one");
    front_.hash = h.kind();
    front_.seed = h.seed();
    front_.key_check = h.key_check();
    hashed_ = true;
  }
  template <class Object>
  void fields(std::string_view name, const Object& object) {
    std::vector<std::byte>& bytes = owned_.emplace_back();
    Object::fields(object, [&](std::string_view, const auto& value, const auto&...) {
      bytes.resize(bytes.size() + 8);
      umbel::detail::store_le(bytes.data() + bytes.size() - 8, std::bit_cast<std::uint64_t>(value));
    });
    add(name, section_type::fields, static_cast<std::uint32_t>(bytes.size() / 8), bytes);
  }
  template <std::unsigned_integral Word>
  void array(std::string_view name, const cells::words<Word>& words) {
    add(name, section_type::array, sizeof(Word), words.bytes().bytes());
  }
  template <class Item>
  void list(std::string_view name, const std::vector<Item>& items) {
    if (++depth_ > max_depth)
      throw bad_parameter(
          detail::text(name, ": lists in lists, deeper than the ", max_depth, " a file holds"));
    add(name, section_type::list, static_cast<std::uint32_t>(items.size()), {});
    for (const Item& item : items) Item::describe(item, *this);
    --depth_;
  }
  template <class Object>
  void optional(std::string_view, const Object& object) {
    if (!object.empty()) Object::describe(object, *this);
  }

  // Calls sink(span) for every run of bytes of the file, in order.
  template <class Sink>
  void write(Sink&& sink) const {
    static constexpr std::byte zeros[alignment]{};
    const auto front = encode_front(front_);
    sink(std::span<const std::byte>(front));
    std::uint64_t at = front.size();
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      if (const auto gap = aligned(at) - at; gap != 0) sink(std::span(zeros, gap));
      at = aligned(at) + payloads_[i].size();
      if (!payloads_[i].empty()) sink(payloads_[i]);
    }
    if (const auto gap = front_.file_bytes - at; gap != 0) sink(std::span(zeros, gap));
  }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return front_.file_bytes; }

 private:
  void add(std::string_view name, section_type type, std::uint32_t count,
           std::span<const std::byte> payload) {
    front_.sections.push_back(
        {std::string(name), type, count, 0, payload.size(),
         type == section_type::list ? 0 : umbel::detail::checksum(payload.data(), payload.size())});
    payloads_.push_back(payload);
  }

  envelope front_;
  std::vector<std::span<const std::byte>> payloads_;
  // field sections; a deque, because payloads_ refers to its elements
  std::deque<std::vector<std::byte>> owned_;
  bool hashed_ = false;
  unsigned depth_ = 0;
};

}  // namespace umbel::codec
