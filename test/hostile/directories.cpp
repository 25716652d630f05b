// directories.cpp - hostile files of directories in every form; the tests that walk the registry see but the one form that
// keys with one database each lead to. Cut, flipped, with extreme fields and with noise for cells: refused, or safe.
#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>

#include "support/directories.hpp"
#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

using enum sizing::meta_form;

// The keys of asked_keys(): some answers are members'.
pair_spool asked(std::uint64_t keys, unsigned databases, bool single) {
  pair_spool out;
  for (const digest& d : members(keys, 7))
    for (unsigned i = 0; i < databases; ++i)
      if (single ? i == d.lo % databases : i == 0 || (d.lo % 8 == 0 && (d.hi >> i % 64 & 1) != 0))
        out.add(core::valued{d, i});
  return out;
}

struct sample {
  const char* what;
  sizing::meta_form as;
  unsigned databases;
  std::uint64_t keys = 60;
};
constexpr sample samples[] = {{"bank_5", bank, 5},    {"bank_130", bank, 130, 6},
                              {"owner", owner, 37},   {"dictionary", dictionary, 130},
                              {"bitmap", bitmap, 30}, {"escapes", dictionary, 12, 400}};

class Directories : public ::testing::TestWithParam<sample> {
 protected:
  const any::kind& kind_ = any::kind_named("meta-map");
  const meta_map made_ = meta_map::build(asked(GetParam().keys, GetParam().databases, GetParam().as == owner),
                                         {.fpr = 0.05, .databases = GetParam().databases, .form = GetParam().as});
  const file_image good_{encode(made_)};

  [[nodiscard]] verdict both(file_image image) const {
    const auto decoded_as = decoded(kind_, image.bytes(), 100);
    const memory_file file(image.bytes());
    (void)mapped(kind_, file.path(), image.size(), 100);
    return decoded_as;
  }
};

TEST_P(Directories, AreWhatTheyAreHereFor) {
  EXPECT_EQ(made_.chosen_form(), GetParam().as);
  EXPECT_EQ(made_.escapes() > 0, std::string_view(GetParam().what) == "escapes");
  EXPECT_EQ(both(good_), verdict::taken);
}
TEST_P(Directories, Cut) {
  for (std::size_t size = 0; size < good_.size(); size += small() ? 7 : 1) {
    file_image cut = good_;
    cut.resize(size);
    ASSERT_EQ(decoded(kind_, cut.bytes()), verdict::refused) << size;
    if (size < at::header_end) continue;
    ASSERT_EQ(decoded(kind_, cut.claim_size().seal().bytes()), verdict::refused) << size;
  }
}
TEST_P(Directories, Flipped) {
  for (std::size_t bit = 0; bit < good_.size() * 8; bit += small() ? 31 : 3) {
    file_image image = good_;
    image.flip(bit);
    ASSERT_EQ(decoded(kind_, image.bytes()), verdict::refused) << bit;
    (void)decoded(kind_, image.seal().bytes(), 100);  // judges by itself
    if (HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}
TEST_P(Directories, ExtremeFields) {
  for (const std::size_t place : good_.field_places()) {
    for (unsigned bit = 0; bit < 64; ++bit)
      for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        file_image image = good_;
        (void)both(image.set(place, (std::uint64_t{1} << bit) + near).seal());
        if (HasFailure()) FAIL() << "field at " << place << ", 2^" << bit << " + " << near;
      }
  }
}
TEST_P(Directories, CellsFullOfNoise) {
  for (std::uint64_t seed = 1; seed <= small_or(10, 100); ++seed) {
    file_image image = good_;
    std::mt19937_64 random(seed);
    for (std::size_t byte = 0; byte < image.size(); ++byte)
      if (image.in_array(byte) && random() % 3 == 0) image.set(byte, static_cast<std::uint8_t>(random()));
    const memory_file file(image.bytes());
    (void)mapped(kind_, file.path(), image.size());
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}
// rows * databases = 2^56 * 4096 wraps to nothing.
TEST_P(Directories, SizesThatWrap) {
  if (GetParam().as != bank) return;
  file_image image = good_;
  const auto places = image.field_places();
  image.set(places[1], std::uint64_t{4096}).set(places[3], std::uint64_t{1} << 52);
  EXPECT_EQ(both(image.seal()), verdict::refused);
  image.set(places[3], std::uint64_t{1} << 56);
  EXPECT_EQ(both(image.seal()), verdict::refused);
}

INSTANTIATE_TEST_SUITE_P(Forms, Directories, ::testing::ValuesIn(samples),
                         [](const auto& of) { return of.param.what; });

}  // namespace
}  // namespace umbel::test
