// keyed.cpp - structures under a secret key: a file opens with that key, and neither with another
// nor without one; a key for a file without one is refused too. The key is never in the file.
#include <algorithm>

#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

constexpr secret_key right{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                           0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};

class Keyed : public kind_test {
 protected:
  void SetUp() override {
    made_ = build(hashed(hasher::keyed(right), keys_), {.fpr = 0.01, .hash = hasher::keyed(right)});
    made_->save(path());
  }
  [[nodiscard]] std::string path() const { return dir_.file("keyed"); }
  // Every way in refuses with the same error.
  void expect_incompatible(const load_options& how) const {
    EXPECT_THROW((void)kind().decode(made_->encode(), how), incompatible);
    EXPECT_THROW((void)kind().load(path(), how), incompatible);
    EXPECT_THROW((void)kind().open(path(), how), incompatible);
    EXPECT_THROW((void)any::load(path(), how), incompatible);
    EXPECT_THROW((void)any::open(path(), how), incompatible);
  }

  const std::vector<std::string> keys_ = member_texts(1000, 80);
  temp_dir dir_;
  structure_ptr made_;
};

TEST_P(Keyed, TheRightKeyOpensTheFile) {
  const load_options how{.key = right};
  for (const auto& again :
       {kind().decode(made_->encode(), how), kind().load(path(), how), kind().open(path(), how)}) {
    EXPECT_TRUE(again->equals(*made_));
    EXPECT_EQ(again->hash(), hasher::keyed(right));
    EXPECT_TRUE(keeps_its_keys(*again, hashed(again->hash(), keys_)));
  }
}

TEST_P(Keyed, AWrongKeyIsIncompatible) {
  for (std::size_t byte = 0; byte < right.size(); ++byte) {
    secret_key wrong = right;
    wrong[byte] ^= 1;
    expect_incompatible({.key = wrong});
  }
}

TEST_P(Keyed, AMissingKeyIsIncompatible) { expect_incompatible({}); }

TEST_P(Keyed, ASuperfluousKeyIsIncompatible) {
  made_ = build(members(100, 81));
  made_->save(path());
  expect_incompatible({.key = right});
}

TEST_P(Keyed, ThePeekNeedsNoKey) {
  const auto front = any::peek(path());
  EXPECT_EQ(front.kind, kind().name());
  EXPECT_EQ(front.hash, hash_kind::siphash);
}

TEST_P(Keyed, TheKeyIsNotInTheFile) {
  const auto bytes = made_->encode();
  const auto* const raw = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (const std::size_t run : {16, 8, 4})  // nor half nor a quarter of it, from its start
    EXPECT_EQ(std::search(raw, raw + bytes.size(), right.begin(),
                          right.begin() + static_cast<std::ptrdiff_t>(run)),
              raw + bytes.size());
}

TEST_P(Keyed, OtherKeysGiveOtherBytes) {
  const auto keyed = hasher::keyed({1});
  EXPECT_NE(build(hashed(keyed, keys_), {.fpr = 0.01, .hash = keyed})->encode(), made_->encode());
}

UMBEL_KINDS_BUT(takes_a_secret, Keyed, "parquet-filter");  // whose hash is part of that format

}  // namespace
}  // namespace umbel::test
