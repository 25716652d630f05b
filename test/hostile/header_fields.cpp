// header_fields.cpp - headers of other formats, of future versions, or with invalid fields
// (bad-inputs 30 to 33, 38, 41). Every checksum is right, so that the field itself must be
// detected.
#include <string_view>

#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

class HeaderFields : public kind_test {
 protected:
  const file_image good_{build(members(100, 7))->encode()};

  // Every way in throws this type of error, and the message contains this word.
  template <class Error>
  void expect(const file_image& image, std::string_view word) const {
    const memory_file file(image.bytes());
    const std::string path = file.path();
    const auto refusal = [&](auto&& read) {
      const auto made = received(image.size(), [&]() -> structure_ptr {
        try {
          return read();
        } catch (const Error& refused) {
          EXPECT_NE(std::string_view(refused.what()).find(word), std::string_view::npos)
              << refused.what();
          throw;
        } catch (const std::exception& other) {
          ADD_FAILURE() << "another type of error: " << other.what();
          throw;
        }
      });
      EXPECT_EQ(made, nullptr) << "taken";
    };
    refusal([&] { return kind().decode(image.bytes(), {}); });
    refusal([&] { return kind().load(path, {}); });
    refusal([&] { return kind().open(path, {}); });
    refusal([&] { return any::open(path); });
  }
  template <class Word>
  [[nodiscard]] file_image with(std::size_t where, Word word) const {
    file_image out = good_;
    out.set(where, word).seal_front();
    return out;
  }
};

TEST_P(HeaderFields, WrongMagic) {
  for (std::size_t i = 0; i < 8; ++i) {
    file_image image = good_;
    image.flip(8 * i);
    expect<corrupt>(image, "not an umbel file");
    image.seal_front();
    expect<corrupt>(image, "not an umbel file");
  }
  for (const std::string_view other : {"PAR1PAR1", "\x89PNG\r\n\x1a\n", "umbel\0\0\0",
                                       "\x7f"
                                       "ELF\2\1\1\0"}) {
    file_image image = good_;
    for (std::size_t i = 0; i < 8; ++i) image.set(i, i < other.size() ? other[i] : '\0');
    expect<corrupt>(image.seal_front(), "not an umbel file");
  }
}

TEST_P(HeaderFields, OtherVersions) {
  expect<incompatible>(with(at::version, std::uint32_t{2}), "version");
  expect<incompatible>(with(at::version, std::uint32_t{0}), "version");
  expect<incompatible>(with(at::version, ~std::uint32_t{0}), "version");
  // A future version may have its checksum elsewhere, so the version is checked first.
  file_image unsealed = good_;
  expect<incompatible>(unsealed.set(at::version, std::uint32_t{2}), "newer");
  expect<incompatible>(with(at::kind_version, kind().format_version() + 1), "version");
  expect<incompatible>(with(at::kind_version, std::uint32_t{0}), "version");
}

TEST_P(HeaderFields, OtherByteOrder) {
  expect<corrupt>(with(at::byte_order, std::uint32_t{0x04030201}), "byte order");
  expect<corrupt>(with(at::byte_order, std::uint32_t{0}), "byte order");
  expect<corrupt>(with(at::byte_order, std::uint32_t{0x01020305}), "byte order");
}

TEST_P(HeaderFields, UnknownHash) {
  for (const std::uint32_t hash : {0U, last_hash_kind + 1, 255U, ~0U})
    expect<incompatible>(with(at::hash, hash), "hash");
}

// A hash that the kind does not work with, or with an impossible seed or check value.
TEST_P(HeaderFields, TheWrongHash) {
  const bool own_hash = good_.get<std::uint32_t>(at::hash) != 1;
  const auto said = [&](std::uint32_t hash) { return with(at::hash, hash); };
  expect<incompatible>(said(2), "secret key");  // keyed, and no key was given
  if (own_hash) {
    EXPECT_EQ(decoded(kind(), said(1).bytes()), verdict::refused);
    EXPECT_EQ(decoded(kind(), with(at::seed, std::uint64_t{1}).bytes()), verdict::refused);
  }
  EXPECT_EQ(decoded(kind(), with(at::key_check, std::uint64_t{1}).bytes()), verdict::refused)
      << "a check value of a key that an unkeyed file does not have";
}

TEST_P(HeaderFields, OtherNames) {
  file_image image = good_;
  for (const char letter : {'A', ' ', '/', '\x80', '\0'})
    EXPECT_EQ(decoded(kind(), image.set(at::kind, letter).seal_front().bytes()), verdict::refused);
  image = good_;
  expect<corrupt>(image.set(at::kind_version - 1, 'x').seal_front(), "kind");  // after the zeros
  image = good_;
  for (std::size_t i = at::kind; i < at::kind_version; ++i) image.set(i, 'x');
  expect<corrupt>(image.seal_front(), "kind");  // no zero at the end
  image = good_;
  for (std::size_t i = at::kind; i < at::kind_version; ++i)
    image.set(i, i < at::kind + 7 ? "unknown"[i - at::kind] : '\0');
  expect<incompatible>(image.seal_front(), "unknown");
  for (const auto& entry : good_.entries()) {
    image = good_;
    expect<corrupt>(image.set(entry.at, 'z').seal_front(), "section");
  }
}

TEST_P(HeaderFields, ReservedBytes) {
  for (std::size_t i = at::reserved; i < at::table_check; ++i)
    expect<corrupt>(with(i, std::uint8_t{1}), "reserved");
  for (const auto& entry : good_.entries())
    for (std::size_t i = at::entry_reserved; i < at::entry_end; ++i)
      expect<corrupt>(with(entry.at + i, std::uint8_t{0x80}), "reserved");
}

TEST_P(HeaderFields, NumberOfSections) {
  const auto sections = static_cast<std::uint32_t>(good_.entries().size());
  for (const std::uint32_t count :
       {0U, 1U << 16, (1U << 16) + 1, 1U << 26, (1U << 26) + sections, ~0U})
    expect<corrupt>(with(at::sections, count), "section");
  for (std::uint32_t count = 1; count < 40; ++count)
    if (count != sections) {
      EXPECT_EQ(decoded(kind(), with(at::sections, count).bytes()), verdict::refused) << count;
    }
}

// Types, counts, offsets and lengths that a writer never writes, among them an offset that is not a
// multiple of 64.
TEST_P(HeaderFields, SectionEntries) {
  for (const auto& entry : good_.entries()) {
    SCOPED_TRACE(entry.name);
    const auto expect_refused = [&](std::size_t field, auto word) {
      EXPECT_EQ(decoded(kind(), with(entry.at + field, word).bytes()), verdict::refused)
          << field << " = " << word;
      file_image sealed = with(entry.at + field, word);
      EXPECT_EQ(decoded(kind(), sealed.seal().bytes()), verdict::refused)
          << field << " = " << word << ", sealed";
      const memory_file file(sealed.bytes());
      EXPECT_EQ(mapped(kind(), file.path(), sealed.size()), verdict::refused)
          << field << " = " << word << ", mapped";
    };
    for (const std::uint32_t type : {0U, 1U, 2U, 3U, 4U, ~0U})
      if (type != entry.type) expect_refused(at::entry_type, type);
    for (const std::uint32_t count : {0U, 1U, 2U, 4U, 8U, 16U, entry.count + 1, ~0U})
      if (count != entry.count) expect_refused(at::entry_count, count);
    for (const std::uint64_t wrong :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 32,
          std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{63}}) {
      if (wrong != entry.offset) expect_refused(at::entry_offset, wrong);
      if (wrong != entry.length) expect_refused(at::entry_length, wrong);
    }
    for (const std::uint64_t by : {1, 8, 32, 64}) {
      expect_refused(at::entry_offset, entry.offset + by);
      expect_refused(at::entry_offset, entry.offset - by);
      expect_refused(at::entry_length, entry.length + by);
      expect_refused(at::entry_length, entry.length - by);
    }
  }
}

UMBEL_EVERY_KIND(HeaderFields);

}  // namespace
}  // namespace umbel::test
