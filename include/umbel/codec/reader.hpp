// reader.hpp - visitor that reads a structure's parts from the sections of a file and verifies
// them.
//
// Invariant  A section is accepted only with the name, type and word size that the structure
//            requests. All sections must be used. Finally the structure's own check() must pass.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/codec/envelope.hpp>
#include <umbel/codec/source.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/hash/key_recipe.hpp>

namespace umbel {

struct load_options {
  std::optional<secret_key> key{};  // for files built with a keyed hash
  std::pmr::memory_resource* memory = nullptr;
  // How the caller makes its keys. Throws `incompatible` if the file's keys were made differently;
  // or, if nothing is given here, if they were trimmed or case-folded. A file without a recipe is
  // always accepted.
  key_recipe keys{};
  // Receives the recipe of the file. The caller then promises to make its keys by it, and every
  // recipe is accepted.
  key_recipe* follow = nullptr;
};

namespace codec {

[[nodiscard]] inline envelope read_front(const source& from) {
  const auto header = from.get(0, std::min<std::uint64_t>(from.size(), header_bytes), nullptr);
  const std::size_t size = check_header(header.bytes(), from.size()).bytes;
  const buffer front = from.get(0, size, nullptr);
  return decode_front(front.bytes(), from.size());
}

// The hash of the file; `incompatible` if the secret key is missing, wrong or not needed.
[[nodiscard]] inline hasher hash_of(const envelope& e, const std::optional<secret_key>& key) {
  if (e.hash != hash_kind::xxh3 && e.seed != 0)
    throw corrupt(
        detail::text("seed: expected 0, which a hash without a seed has, found ", e.seed));
  if (e.hash != hash_kind::siphash && e.key_check != 0)
    throw corrupt(
        detail::text("key check: expected 0, which a hash without a key has, found ", e.key_check));
  if (e.hash != hash_kind::siphash) {
    if (key) throw incompatible("a secret key was given, but this file was built without one");
    return e.hash == hash_kind::xxh3 ? hasher::seeded(e.seed) : hasher::foreign(e.hash);
  }
  if (!key) throw incompatible("this file was built with a secret key: give it to open the file");
  const hasher keyed = hasher::keyed(*key);
  if (keyed.key_check() != e.key_check)
    throw incompatible("this file was built with another secret key");
  return keyed;
}

inline void check_recipe(const key_recipe& file, const load_options& options) {
  // Options without a key type but with text preparation stand for whatever type the file has.
  key_recipe mine = options.keys;
  if (!mine.known() && mine.prepares()) {
    mine = file;
    if (file.known() && file.type != key_type::integer) {
      mine.trimmed = options.keys.trimmed;
      mine.case_folded = options.keys.case_folded;
    }
  }
  if (options.follow != nullptr) {
    *options.follow = file;
  } else if (!mine.known() && file.prepares()) {
    throw incompatible(detail::text(
        "the keys of this file were changed before they were hashed (", file.text(),
        "): do the same to yours (umbel::prepared), and say so in load_options::keys"));
  } else if (!compatible(file, mine)) {
    throw incompatible(detail::text("keys: this file has ", file.text(),
                                    "; load_options::keys says ", mine.text()));
  }
}

class reader {
 public:
  enum class trust { nothing, arrays };  // arrays: their checksums are not verified

  reader(const source& from, const load_options& options, trust what)
      : from_(from), options_(options), trust_(what), front_(read_front(from)) {}

  template <class T>
  [[nodiscard]] T read() {
    if (front_.kind != T::kind)
      throw incompatible(
          detail::text("kind: expected ", T::kind, ", the file holds a ", front_.kind));
    if (front_.kind_version != T::format_version)
      throw incompatible(detail::text(front_.kind, " version: this umbel reads ", T::format_version,
                                      ", found ", front_.kind_version));
    check_recipe(front_.keys, options_);
    T out;
    T::describe(out, *this);
    if (next_ != front_.sections.size())
      throw corrupt(
          detail::text("section ", front_.sections[next_].name, ": not a part of a ", front_.kind));
    if (trust_ == trust::nothing) check_padding();
    validate(out);
    return out;
  }

  // Verifies everything that needs neither a secret key nor the kind: the checksum of every
  // section, and the zeros between them. Throws corrupt.
  void check_sums() const {
    for (const section& s : front_.sections)
      if (s.type != section_type::list) (void)checked(s, true, options_.memory);
    check_padding();
  }

  void hash(hasher& h) const { h = hash_of(front_, options_.key); }
  template <class Object>
  void fields(std::string_view name, Object& object) {
    const section& s = take(name, section_type::fields);
    // checked before anything is read: the length may be anything up to the file's size
    if (s.length != std::uint64_t{8} * s.count)
      throw corrupt(
          detail::text("section ", s.name, ": ", s.length, " bytes for ", s.count, " fields"));
    const buffer bytes = checked(s, true, nullptr);
    std::size_t used = 0;
    std::remove_const_t<Object>::fields(object, [&](std::string_view, auto& value, const auto&...) {
      if (used + 8 > bytes.size())
        throw corrupt(detail::text("section ", s.name, ": fields are missing"));
      value = std::bit_cast<std::remove_reference_t<decltype(value)>>(
          detail::load_le<std::uint64_t>(std::as_const(bytes).data() + used));
      used += 8;
    });
    if (used != bytes.size() || s.count != used / 8)
      throw corrupt(
          detail::text("section ", s.name, ": expected ", used / 8, " fields, found ", s.count));
  }
  template <std::unsigned_integral Word>
  void array(std::string_view name, cells::words<Word>& words) {
    const section& s = take(name, section_type::array);
    if (s.count != sizeof(Word) || s.length % sizeof(Word) != 0)
      throw corrupt(detail::text("section ", s.name, ": expected words of ", sizeof(Word),
                                 " bytes, found ", s.count));
    words = cells::words<Word>(checked(s, trust_ == trust::nothing, options_.memory));
  }
  template <class Item>
  void list(std::string_view name, std::vector<Item>& items) {
    const section& s = take(name, section_type::list);
    if (s.length != 0 || s.checksum != 0 || s.count > front_.sections.size() - next_ ||
        ++depth_ > max_depth)
      throw corrupt(detail::text("section ", s.name, ": a list of ", s.count,
                                 " items does not fit the file"));
    items.clear();
    for (std::uint32_t i = 0, count = s.count; i < count; ++i) {
      Item::describe(items.emplace_back(), *this);
      validate(items.back());
    }
    --depth_;
  }
  // An optional part, present if the next section is called `name`.
  void optional(std::string_view name, auto& object) {
    if (next_ == front_.sections.size() || front_.sections[next_].name != name) return;
    std::remove_cvref_t<decltype(object)>::describe(object, *this);
    validate(object);
  }

 private:
  // Constructors and files use the same check(); only the type of the exception differs.
  static void validate(auto& part) {
    try {
      part.check();
    } catch (const bad_parameter& wrong) {
      throw corrupt(wrong.what());
    }
  }
  [[nodiscard]] const section& take(std::string_view name, section_type type) {
    if (next_ == front_.sections.size()) throw corrupt(detail::text("section ", name, ": missing"));
    const section& s = front_.sections[next_++];
    if (s.name != name || s.type != type)
      throw corrupt(detail::text("section ", name, ": expected here, found ", s.name));
    return s;
  }
  [[nodiscard]] buffer checked(const section& s, bool verify,
                               std::pmr::memory_resource* memory) const {
    buffer bytes = from_.get(s.offset, s.length, memory);
    const auto view = std::as_const(bytes).bytes();
    if (verify && detail::checksum(view.data(), view.size()) != s.checksum)
      throw corrupt(
          detail::text("section ", s.name, ": checksum does not match: the file is damaged"));
    return bytes;
  }
  void check_padding() const {
    std::uint64_t at = header_bytes + front_.sections.size() * entry_bytes;
    const auto require_zeros = [&](std::uint64_t to) {
      const buffer gap = from_.get(at, to - at, nullptr);
      for (const std::byte b : gap.bytes())
        if (b != std::byte{0}) throw corrupt("padding: expected zeros; the file is damaged");
    };
    for (const section& s : front_.sections) {
      if (s.type == section_type::list) continue;
      require_zeros(s.offset);
      at = s.offset + s.length;
    }
    require_zeros(front_.file_bytes);
  }

  const source& from_;
  load_options options_;
  trust trust_;
  envelope front_;
  std::size_t next_ = 0;
  unsigned depth_ = 0;
};

}  // namespace codec
}  // namespace umbel
