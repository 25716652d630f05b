// codec.cpp - bytes, files and mappings give back the structure: decode(encode(x)) == x, load ==
// open == original.
#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

class Codec : public kind_test {
 protected:
  // Equal as an object, as bytes, and in its answers.
  void expect_same(const structure& a, const structure& b) const {
    EXPECT_TRUE(a.equals(b));
    EXPECT_TRUE(b.equals(a));
    EXPECT_EQ(a.encode(), b.encode());
    EXPECT_EQ(a.fields(), b.fields());
    EXPECT_EQ(a.hash(), b.hash());
    EXPECT_EQ(a.size_in_bits(), b.size_in_bits());
    EXPECT_EQ(a.expected_fpr(), b.expected_fpr());
    EXPECT_EQ(a.keys(), b.keys());
    const auto asked = joined(members(2000, 50), non_members(2000, 50));
    EXPECT_EQ(answers(a, asked), answers(b, asked));
    if (is_directory(kind())) {
      EXPECT_EQ(rows_of(a, asked), rows_of(b, asked));
    }
    if (is_map(kind()) || is_index(kind())) {
      std::vector<std::optional<std::uint64_t>> of_a(asked.size()), of_b(asked.size());
      a.find(asked, of_a);
      b.find(asked, of_b);
      EXPECT_EQ(of_a, of_b);
    }
  }
};

TEST_P(Codec, EveryWayBackGivesTheSame) {
  const temp_dir dir;
  const std::string path = dir.file("x.umbel");
  for (const std::uint64_t n : {0, 1, 2, 100, 2000}) {
    SCOPED_TRACE(n);
    const auto made = build(members(n, 50));
    const auto bytes = made->encode();
    expect_same(*made, *kind().decode(bytes, {}));
    made->save(path);
    EXPECT_EQ(bytes_of(path), bytes);
    expect_same(*made, *kind().load(path, {}));
    expect_same(*made, *kind().open(path, {}));
    expect_same(*made, *any::load(path));
    expect_same(*made, *any::open(path));
    expect_same(*made, *made->clone());
    expect_same(*made, *any::open(path)->clone());
  }
  EXPECT_EQ(dir.names(), std::set<std::string>{"x.umbel"}) << "a save leaves nothing beside";
}

TEST_P(Codec, AMappingCanBeSavedAgain) {
  const temp_dir dir;
  const auto made = build(members(500, 51));
  made->save(dir.file("a"));
  any::open(dir.file("a"))->save(dir.file("b"));
  EXPECT_EQ(bytes_of(dir.file("b")), made->encode());
  const auto onto_itself = any::open(dir.file("a"));
  // The mapping keeps the old file while the new one takes its name.
  onto_itself->save(dir.file("a"));
  EXPECT_TRUE(onto_itself->equals(*made));
  EXPECT_EQ(bytes_of(dir.file("a")), made->encode());
}

TEST_P(Codec, ACloneLivesOnWithoutItsMapping) {
  const temp_dir dir;
  const auto keys = members(1000, 52);
  build(keys)->save(dir.file("a"));
  auto mapped = any::open(dir.file("a"));
  const auto copy = mapped->clone();
  mapped.reset();
  EXPECT_TRUE(keeps_its_keys(*copy, keys));
}

TEST_P(Codec, APeekReportsKindAndHash) {
  const temp_dir dir;
  const auto made = build(members(100, 53));
  made->save(dir.file("a"));
  const auto front = any::peek(dir.file("a"));
  EXPECT_EQ(front.kind, kind().name());
  EXPECT_EQ(front.kind_version, kind().format_version());
  EXPECT_EQ(front.hash, made->hash().kind());
  EXPECT_EQ(front.seed, made->hash().seed());
  EXPECT_EQ(front.file_bytes, made->encode().size());
}

// The size a structure reports is the size of its file without the header, the fields and the
// padding of sections.
TEST_P(Codec, TheReportedSizeIsTheStoredSize) {
  const auto made = build(members(5000, 54));
  const auto bytes = made->encode();
  std::uint64_t around = codec::header_bytes + made->fields().size() * 8;
  const temp_dir dir;
  made->save(dir.file("a"));
  around += any::peek(dir.file("a")).sections.size() * (codec::entry_bytes + codec::alignment);
  EXPECT_LE(made->size_in_bits(), bytes.size() * 8);
  EXPECT_GE(made->size_in_bits(), (bytes.size() - around) * 8);
}

// A file of one kind is not read as another, however similar.
TEST_P(Codec, AnotherKindIsIncompatible) {
  const temp_dir dir;
  const auto bytes = build(members(100, 55))->encode();
  write_bytes(dir.file("a"), bytes);
  for (const any::kind* const other : any::kinds()) {
    if (other == &kind()) continue;
    EXPECT_THROW((void)other->decode(bytes, {}), incompatible) << other->name();
    EXPECT_THROW((void)other->load(dir.file("a"), {}), incompatible) << other->name();
    EXPECT_THROW((void)other->open(dir.file("a"), {}), incompatible) << other->name();
  }
}

class SeededCodec : public kind_test {};
TEST_P(SeededCodec, ASeedTravelsWithTheFile) {
  const temp_dir dir;
  const hasher seeded = hasher::seeded(0x0123456789ABCDEF);
  const auto keys = member_keys(1000, 56);
  const auto made = build(hashed(seeded, keys), {.fpr = 0.01, .hash = seeded});
  made->save(dir.file("a"));
  const auto again = any::open(dir.file("a"));
  EXPECT_EQ(again->hash(), seeded);
  EXPECT_TRUE(keeps_its_keys(*again, hashed(again->hash(), keys)));
}

UMBEL_EVERY_KIND(Codec);
UMBEL_KINDS_BUT(takes_a_seed, SeededCodec, "parquet-filter");  // whose hash is part of that format

}  // namespace
}  // namespace umbel::test
