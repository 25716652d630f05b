// golden_test.cpp - builds every golden file again and compares it with the stored one, byte for
// byte.
// Use        A difference is a change of format, of a hash or of a build. If it is intended, run
//            test_codec with UMBEL_REGENERATE=1, review the changes under test/golden/, raise the
//            kind's format version and describe it in changes/.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <umbel/umbel.hpp>

#include "golden_cases.hpp"
#include "support/fuse_keys.hpp"
#include "support/fuse_parts.hpp"

namespace golden_test {
namespace {

const std::string folder = UMBEL_SOURCE_DIR "/test/golden/";

const std::vector<golden::file>& files() {
  static const auto all = golden::files();
  return all;
}
std::string text_of(const std::string& name) {
  std::ifstream in(folder + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
void write(const std::string& name, const std::string& text) {
  std::ofstream(folder + name, std::ios::binary) << text;
}

class Golden : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!fuse_test::is_set("UMBEL_REGENERATE")) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".umbel") std::filesystem::remove(entry.path());
    for (const auto& f : files()) write(f.name, text_of(f.bytes));
    write("answers.json", golden::answers(files()));
  }
};

TEST_F(Golden, BytesAreAsStored) {
  for (const auto& f : files()) {
    const auto stored = text_of(f.name), now = text_of(f.bytes);
    const auto [a, b] = std::mismatch(stored.begin(), stored.end(), now.begin(), now.end());
    EXPECT_TRUE(stored == now) << f.name << ": " << stored.size() << " bytes are stored, "
                               << now.size() << " were built, the first difference is at "
                               << a - stored.begin();
  }
}

TEST_F(Golden, AnswersAreAsStored) {
  EXPECT_TRUE(text_of("answers.json") == golden::answers(files()));
}

TEST_F(Golden, NothingElseIsStored) {
  std::set<std::string> known = {"answers.json"}, found;
  for (const auto& f : files())
    EXPECT_TRUE(known.insert(f.name).second) << f.name << " is there twice";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, known);
}

TEST_F(Golden, EveryKindHasAGoldenFile) {
  std::set<std::string> kinds;
  for (const auto& f : files()) kinds.insert(f.kind);
#define UMBEL_KIND(folder, name, summary) \
  EXPECT_TRUE(kinds.contains(std::string(umbel::name::kind))) << #name;
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
}

TEST_F(Golden, FilesAreSmall) {
  for (const auto& f : files()) EXPECT_LE(f.bytes.size(), 8192U) << f.name;
}

// The sharded files must differ from those of one shard.
TEST_F(Golden, ShardedFilesHaveSeveralShards) {
  const auto few =
      umbel::load<umbel::binary_fuse_filter>(folder + "binary_fuse_filter_sharded.umbel");
  EXPECT_EQ(fuse_test::parts(few).shards(), 16U);
  const auto many =
      umbel::load<umbel::binary_fuse_filter>(folder + "binary_fuse_filter_many_shards.umbel");
  EXPECT_EQ(fuse_test::parts(many).shards(), 512U);
  const auto attempts = fuse_test::parts(many).attempts();
  EXPECT_GE(std::set(attempts.begin(), attempts.end()).size(), 2U);
}

// Decoding, loading and opening give back the stored bytes.
template <class T>
void expect_round_trip(const golden::file& f) {
  umbel::load_options how;
  if (f.name.find("keyed") != std::string::npos)
    how.key = umbel::secret_key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  EXPECT_EQ(umbel::encode(umbel::load<T>(folder + f.name, how)), f.bytes) << f.name;
  EXPECT_EQ(umbel::encode(*umbel::open<T>(folder + f.name, how)), f.bytes) << f.name;
  EXPECT_EQ(umbel::encode(umbel::decode<T>(f.bytes, how)), f.bytes) << f.name;
}

TEST_F(Golden, LoadsAndOpens) {
  for (const auto& f : files()) {
#define UMBEL_KIND(folder, name, summary) \
  if (f.kind == umbel::name::kind) expect_round_trip<umbel::in_file<umbel::name>>(f);
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
  }
}

}  // namespace
}  // namespace golden_test
