// named_maps.cpp - hostile files of maps with names for their values: the table of names is checked
// as any other part.
#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

class NamedMaps : public kind_test {
 protected:
  [[nodiscard]] file_image named(std::uint64_t keys, cells::texts names = some_names()) const {
    const auto made = build(members(keys, 7), {.value_bits = 4, .fpr = 0.5});
    made->name_values(std::move(names));
    return file_image(made->encode());
  }
  // Refused or safe, in memory and mapped.
  verdict judged(file_image& image) const {
    const auto said = decoded(kind(), image.seal().bytes(), 60);
    const memory_file file(image.bytes());
    (void)mapped(kind(), file.path(), image.size(), 60);
    return said;
  }
  [[nodiscard]] static file_image::entry section(const file_image& image, std::string_view name) {
    for (const auto& e : image.entries())
      if (e.name == name) return e;
    ADD_FAILURE() << "no section is called " << name;
    return {};
  }

  const file_image good_ = named(60);
};

TEST_P(NamedMaps, TheWholeFileIsFine) {
  EXPECT_EQ(decoded(kind(), good_.bytes()), verdict::taken);
  const memory_file file(good_.bytes());
  EXPECT_EQ(mapped(kind(), file.path(), good_.size()), verdict::taken);
  const auto loaded = any::load(file.path()), opened = any::open(file.path());
  EXPECT_TRUE(loaded->equals(*opened));
  ASSERT_NE(opened->names(), nullptr);
  EXPECT_EQ(*opened->names(), some_names());
  EXPECT_EQ(*opened->clone()->names(), some_names());
}

TEST_P(NamedMaps, CutAtEveryOffset) {
  for (std::size_t size = 0; size < good_.size(); ++size) {
    file_image cut(
        {good_.bytes().begin(), good_.bytes().begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_EQ(decoded(kind(), cut.bytes()), verdict::refused) << size;
    if (size >= at::header_end) {
      ASSERT_EQ(decoded(kind(), cut.claim_size().seal().bytes()), verdict::refused) << size;
    }
  }
}

TEST_P(NamedMaps, EveryFlipIsCaughtOnLoad) {
  for (std::size_t bit = 0; bit < good_.size() * 8; ++bit) {
    file_image image = good_;
    image.flip(bit);
    ASSERT_EQ(decoded(kind(), image.bytes()), verdict::refused)
        << "bit " << bit % 8 << " of byte " << bit / 8;
    if (bit % small_or(7, 1) == 0) (void)judged(image);  // with its checksums made right
    if (HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST_P(NamedMaps, FieldsOfTheTable) {
  const std::size_t at = section(good_, "texts").offset;
  for (const std::size_t field : {at, at + 8})
    for (unsigned bit = 0; bit < 64; ++bit)
      for (const std::uint64_t near : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
        file_image image = good_;
        const std::uint64_t value = (std::uint64_t{1} << bit) + near;
        if (value == good_.get<std::uint64_t>(field)) continue;
        image.set(field, value);
        EXPECT_EQ(judged(image), verdict::refused) << value << (field == at ? " texts" : " bytes");
      }
}

// An empty table would be a second encoding of a map without one.
TEST_P(NamedMaps, AnEmptyTableIsRefused) {
  EXPECT_EQ(build(members(60, 7))->names(), nullptr);
  const file_image none = named(60, {});
  for (const auto& e : none.entries()) EXPECT_NE(e.name, "texts");
  file_image image = good_;
  image.set(section(image, "texts").offset, std::uint64_t{0})
      .set(section(image, "texts").offset + 8, std::uint64_t{0});
  for (const char* const name : {"text_ends", "text_bytes"})
    image.set(section(image, name).at + at::entry_length, std::uint64_t{0});
  EXPECT_EQ(decoded(kind(), image.lay_out().seal().bytes()), verdict::refused);
}

// Twenty texts of 57 bytes in all: ends are 6 bits wide.
TEST_P(NamedMaps, DescendingOrWrongEndsAreRefused) {
  const std::size_t ends = section(good_, "text_ends").offset;
  for (std::size_t byte = 0; byte < 15; ++byte)
    for (const unsigned value : {0x00U, 0x3FU, 0xC0U, 0xFFU}) {
      file_image image = good_;
      image.set(ends + byte, static_cast<std::uint8_t>(value));
      (void)judged(image);
      if (HasFailure()) FAIL() << "byte " << byte;
    }
  file_image backwards = good_;
  EXPECT_EQ(judged(backwards.set(ends, std::uint64_t{0x3F})), verdict::refused);
  file_image short_by_one = good_;
  const auto last = short_by_one.get<std::uint8_t>(ends + 14);
  EXPECT_EQ(judged(short_by_one.set(ends + 14, static_cast<std::uint8_t>(last - 4))),
            verdict::refused);
}

// Values beyond the table belong to non-members, in batches and alone; members keep theirs.
TEST_P(NamedMaps, AValueWithoutANameIsNoAnswer) {
  const auto keys = members(300, 7);
  const auto made = build(keys, {.value_bits = 4, .fpr = 0.5});
  made->name_values(some_names(9));
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  made->find(keys, found);
  std::size_t named = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t value = value_for(keys[i], 4);
    EXPECT_EQ(found[i], value < 9 ? std::optional(value) : std::nullopt);
    EXPECT_EQ(made->may_contain_one(keys[i]), value < 9);
    named += value < 9;
  }
  EXPECT_GT(named, 0U);
  EXPECT_LT(named, keys.size());
}

UMBEL_KINDS_THAT(is_map, NamedMaps);

class Nameless : public kind_test {};
TEST_P(Nameless, SetsHaveNoValuesToName) {
  const auto made = empty_one(kind());
  EXPECT_EQ(made->names(), nullptr);
  EXPECT_THROW(made->name_values(some_names()), bad_parameter);
}
UMBEL_KINDS_THAT([](const any::kind& kind) { return !is_map(kind); }, Nameless);

}  // namespace
}  // namespace umbel::test
