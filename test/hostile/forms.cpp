// forms.cpp - hostile files of kinds with several forms. The tests over the registry reach only one
// form: keys with one database each, and sets of one block. Files are cut, flipped, given extreme
// fields and random cells: each is refused, or taken and safe.
#include <gtest/gtest.h>

#include <umbel/codec/codec.hpp>
#include <umbel/map/mutable_bloomier_filter.hpp>
#include <umbel/map/ribbon_map.hpp>
#include <umbel/set/exact_set.hpp>
#include <umbel/set/perfect_hash.hpp>
#include <umbel/set/ribbon_filter.hpp>
#include <umbel/set/taffy_cuckoo_filter.hpp>

#include "support/directories.hpp"
#include "support/file_image.hpp"
#include "support/hostile_walks.hpp"
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

meta_map directory(sizing::meta_form as, unsigned databases, std::uint64_t keys) {
  return meta_map::build(asked(keys, databases, as == owner),
                         {.fpr = 0.05, .databases = databases, .form = as});
}
// Blocks of two ranks, of none, and with one side only; queries go to block 0.
exact_set in_blocks() {
  pair_spool in, out;
  const auto add = [&](std::uint64_t block, std::uint64_t members_there, std::uint64_t others) {
    for (const digest& d : members(members_there, 7)) in.add(exact_set::in_block(d, block));
    for (const digest& d : non_members(others, 7)) out.add(exact_set::in_block(d, block));
  };
  add(0, 20, 300);
  add(5, 300, 20);
  add(6, 30, 90);
  add(7, 10, 10);
  add(8, 3, 0);
  add(9, 0, 3);
  return exact_set::build_blocks(in, out, {});
}

mutable_bloomier_filter compact_map() {
  pair_spool pairs;
  for (const digest& d : members(100, 7)) pairs.add(core::valued{d, d.lo % 32});
  return mutable_bloomier_filter::build(
      pairs, {.value_bits = 5, .preset = mutable_bloomier_preset::compact});
}

// Ribbons without layers.
ribbon_map standard_map() {
  pair_spool pairs;
  for (const digest& d : members(150, 7)) pairs.add(core::valued{d, d.lo % 32});
  return ribbon_map::build(pairs,
                           {.value_bits = 5, .fpr = 0.1, .preset = ribbon_preset::standard_128});
}
ribbon_filter homogeneous_filter() {
  digest_spool keys;
  for (const digest& d : members(2500, 7)) keys.add(d);
  return ribbon_filter::build(
      keys, {.fpr = 0.1, .preset = ribbon_preset::homogeneous_64, .shard_from = 1000});
}

// The forms of a perfect hash that are not the default; in parts, where there are some.
template <perfect_preset Preset, std::uint64_t Keys = 300>
std::vector<std::byte> numbering() {
  return encode(perfect_hash::build(members(Keys, 7), {.preset = Preset, .shard_from = 100}));
}

// Sets that grow, in several stages or rows; and the forms that are not the default.
std::vector<std::byte> grown(std::string_view kind, std::string_view form = {}) {
  return any::kind_named(kind)
      .build(spooled(members(200, 7)), {.keys = 120, .fpr = 0.05, .form = form})
      ->encode();
}

taffy_cuckoo_filter frozen_filter() {
  taffy_cuckoo_filter growing({.keys = 60, .fpr = 0.05});
  growing.insert_batch(members(150, 7));
  return growing.freeze();
}

struct sample {
  const char* what;
  const char* kind;
  std::vector<std::byte> (*file)();
};
const sample samples[] =
    {
        {"bank_5", "meta-map", [] { return encode(directory(bank, 5, 60)); }},
        {"bank_130", "meta-map", [] { return encode(directory(bank, 130, 6)); }},
        {"owner", "meta-map", [] { return encode(directory(owner, 37, 60)); }},
        {"dictionary", "meta-map", [] { return encode(directory(dictionary, 130, 60)); }},
        {"bitmap", "meta-map", [] { return encode(directory(bitmap, 30, 60)); }},
        {"escapes", "meta-map", [] { return encode(directory(dictionary, 12, 400)); }},
        {"blocks", "exact-set", [] { return encode(in_blocks()); }},
        {"stages", "scalable-bloom-filter", [] { return grown("scalable-bloom-filter"); }},
        {"levels_of_blocks", "taffy-block-filter", [] { return grown("taffy-block-filter"); }},
        {"rows_of_counters", "dynamic-bloom-filter", [] { return grown("dynamic-bloom-filter"); }},
        {"two_buffers", "aging-bloom-filter",
         [] { return grown("aging-bloom-filter", "double-buffering"); }},
        {"rows_by_hash", "split-bloom-filter",
         [] {
  return any::kind_named("split-bloom-filter")
      .build(spooled(members(200, 7)), {.fpr = 0.05, .form = "hash"})
      ->encode();
         }},
        {"heads", "taffy-cuckoo-filter", [] { return encode(frozen_filter()); }},
        {"compact", "mutable-bloomier-filter", [] { return encode(compact_map()); }},
        {"standard", "ribbon-map", [] { return encode(standard_map()); }},
        {"homogeneous", "ribbon-filter", [] { return encode(homogeneous_filter()); }},
        {"levels", "perfect-hash", numbering<perfect_preset::levels>},
        {"divisions", "perfect-hash", numbering<perfect_preset::smallest>},
        {"coded_pilots", "perfect-hash", numbering<perfect_preset::coded>},
        {"peeled", "perfect-hash", numbering<perfect_preset::peeled>},
        {"tree", "perfect-hash", numbering<perfect_preset::tree>},
        {"solved", "perfect-hash", numbering<perfect_preset::solved>},
        {"solved_buckets", "perfect-hash", numbering<perfect_preset::solved, 3200>},
};

class Forms : public ::testing::TestWithParam<sample> {
 protected:
  const any::kind& kind_ = any::kind_named(GetParam().kind);
  const file_image good_{GetParam().file()};
};

TEST(FormsOf, SamplesHaveTheirForms) {
  for (const auto form : {bank, owner, dictionary, bitmap})
    EXPECT_EQ(directory(form, 30, 60).chosen_form(), form);
  EXPECT_EQ(directory(dictionary, 130, 60).escapes(), 0U);
  EXPECT_GT(directory(dictionary, 12, 400).escapes(), 0U);
  const auto set = in_blocks();
  EXPECT_EQ(set.rank(0), set.rank(5));
  EXPECT_NE(set.rank(0), set.rank(6));
}
TEST_P(Forms, AreTaken) { EXPECT_EQ(both_ways(kind_, good_), verdict::taken); }
TEST_P(Forms, Cut) { cut_everywhere(kind_, good_, small() ? 7 : 1); }
TEST_P(Forms, Flipped) { flip_everywhere(kind_, good_, small() ? 31 : 3); }
TEST_P(Forms, ExtremeFields) { make_fields_extreme(kind_, good_); }
TEST_P(Forms, RandomCellsAreSafe) {
  const auto in_array = good_.in_arrays();
  for (std::uint64_t seed = 1; seed <= small_or(10, 100); ++seed) {
    file_image image = good_;
    std::mt19937_64 random(seed);
    for (std::size_t byte = 0; byte < image.size(); ++byte)
      if (in_array[byte] && random() % 3 == 0) image.set(byte, static_cast<std::uint8_t>(random()));
    const memory_file file(image.bytes());
    (void)mapped(kind_, file.path(), image.size());
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}
// rows * databases = 2^56 * 4096 wraps to 0.
TEST(FormsOf, DirectoriesWhoseSizesWrapAreRefused) {
  file_image image(encode(directory(bank, 5, 60)));
  const auto places = image.field_places();
  for (const unsigned bits : {52U, 56U}) {
    image.set(places[1], std::uint64_t{4096}).set(places[3], std::uint64_t{1} << bits);
    EXPECT_EQ(decoded(any::kind_named("meta-map"), image.seal().bytes()), verdict::refused);
  }
}
// Queries use ids and modes without checks, so they are validated even where arrays are not.
TEST(FormsOf, InconsistentBlocksAreRefusedOrSafe) {
  const file_image good(encode(in_blocks()));
  const any::kind& kind = any::kind_named("exact-set");
  for (const auto& e : good.entries()) {
    if (e.name != "ids" && e.name != "ways") continue;
    for (std::uint64_t i = 0; i < e.length; ++i)
      for (unsigned bit = 0; bit < 8; ++bit) {
        file_image image = good;
        image.flip((e.offset + i) * 8 + bit);
        (void)decoded(kind, image.seal().bytes(), 100);
        const memory_file file(image.bytes());
        (void)mapped(kind, file.path(), image.size(), 100);
      }
    file_image image = good;
    // Descending ids; one stage too many.
    image.set(e.offset, e.name == "ids" ? std::uint8_t{255} : std::uint8_t{4});
    EXPECT_EQ(decoded(kind, image.seal().bytes()), verdict::refused) << e.name;
  }
}

// The head of a small set is validated too. Its second stage has four parts, and the head says
// where they begin.
TEST(FormsOf, InconsistentHeadsAreRefused) {
  const auto good_set =
      exact_set::build(spooled(members(3100, 7)), spooled(non_members(6200, 7)), {});
  const file_image good(encode(good_set));
  const any::kind& kind = any::kind_named("exact-set");
  ASSERT_EQ(good.entries()[0].name, "head");
  const auto e = good.entries()[0];
  constexpr std::uint64_t front = 3 + 2 + 2 + 1;
  ASSERT_EQ(e.length, front + 9)
      << "three numbers, the entry of the first stage, and four of 18 bits";
  for (std::uint64_t i = 0; i < e.length; ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      file_image image = good;
      image.flip((e.offset + i) * 8 + bit);
      const verdict said = decoded(kind, image.seal().bytes(), 100);
      // Any seed is valid, and so is a number that selects no other cells.
      const bool free = i < front || (8 * (i - front) + bit) % 18 < 8;
      if (!free) {
        EXPECT_EQ(said, verdict::refused) << "byte " << i << ", bit " << bit;
      }
      const memory_file file(image.bytes());
      (void)mapped(kind, file.path(), image.size(), 100);
    }
}

// Offsets that queries use without checks are validated when the file is read: number of keys
// before every bucket. Any seed is valid.
TEST(FormsOf, InconsistentDirectoriesOfSolvedHashesAreRefused) {
  const file_image good(numbering<perfect_preset::solved, 3200>());
  const any::kind& kind = any::kind_named("perfect-hash");
  for (const auto& e : good.entries()) {
    if (e.name != "directory") continue;
    ASSERT_EQ(e.length, 8 * 4U);
    for (std::uint64_t bit = 0; bit < 8 * e.length; ++bit) {
      file_image image = good;
      image.flip(e.offset * 8 + bit);
      // 0 and all keys; the last entry has no seed.
      const bool is_end = bit / 64 == 3, is_known = is_end || bit / 64 == 0;
      const bool refused = decoded(kind, image.seal().bytes(), 100) == verdict::refused;
      EXPECT_TRUE(!is_known || refused == (is_end || bit % 64 >= 8)) << bit;
      const memory_file file(image.bytes());
      (void)mapped(kind, file.path(), image.size(), 100);
    }
    for (const std::uint64_t first : {std::uint64_t{2000}, ~std::uint64_t{0} >> 8}) {  // falling
      file_image image = good;
      image.set(e.offset + 8, first << 8).set(e.offset + 16, (first - 1) << 8);
      EXPECT_EQ(decoded(kind, image.seal().bytes()), verdict::refused) << first;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Several, Forms, ::testing::ValuesIn(samples),
                         [](const auto& of) { return of.param.what; });

}  // namespace
}  // namespace umbel::test
