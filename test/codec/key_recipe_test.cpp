// key_recipe_test.cpp - a file records how its keys were made, and a program that makes them
// differently gets an error.
#include <string>

#include <gtest/gtest.h>

#include <umbel/umbel.hpp>

#include "support/temp_dir.hpp"

namespace umbel::key_recipe_test {
namespace {

using umbel::test::temp_dir;

const key_recipe strings{.type = key_type::string}, integers{.type = key_type::integer},
    mixed{.type = key_type::mixed}, trimmed_strings{.type = key_type::string, .trimmed = true},
    folded_strings{.type = key_type::string, .case_folded = true},
    pairs{.type = key_type::tuple,
          .columns = 2,
          .column_types = {key_type::string, key_type::integer}},
    other_pairs{.type = key_type::tuple,
                .columns = 2,
                .column_types = {key_type::string, key_type::string}},
    triples{.type = key_type::tuple,
            .columns = 3,
            .column_types = {key_type::string, key_type::integer, key_type::string}};

bloom_filter filter() {
  bloom_filter out({.keys = 100, .fpr = 0.01});
  out.insert("alice");
  return out;
}

std::string refusal(const std::string& path, const load_options& how) {
  std::string said;
  try {
    (void)open<bloom_filter>(path, how);
  } catch (const incompatible& e) {
    said = e.what();
  }
  EXPECT_THROW((void)load<bloom_filter>(path, how), incompatible);
  return said;
}

TEST(KeyRecipe, SaveAloneRecordsNothingAndNothingIsRefused) {
  const temp_dir here;
  save(filter(), here.file("f"));
  for (const key_recipe& mine : {key_recipe{}, strings, integers, trimmed_strings, pairs})
    EXPECT_TRUE(open<bloom_filter>(here.file("f"), {.keys = mine})->may_contain("alice"));
}

TEST(KeyRecipe, KeysMustBeTransformedInTheSameWay) {
  const temp_dir here;
  for (const key_recipe& made : {trimmed_strings, folded_strings}) {
    save(filter(), here.file("f"), made);
    EXPECT_NE(refusal(here.file("f"), {}).find("load_options::keys"), std::string::npos);
    EXPECT_NE(refusal(here.file("f"), {.keys = strings}).find(made.text()), std::string::npos);
    EXPECT_NO_THROW((void)open<bloom_filter>(here.file("f"), {.keys = made}));
    key_recipe found;
    EXPECT_NO_THROW((void)open<bloom_filter>(here.file("f"), {.follow = &found}));
    EXPECT_EQ(found, made);
  }
}

// A program may compare text transformations without naming the key type.
TEST(KeyRecipe, TransformationsAreComparedWithoutAType) {
  const temp_dir here;
  const key_recipe trims{.trimmed = true}, folds{.case_folded = true};
  save(filter(), here.file("f"), trimmed_strings);
  EXPECT_TRUE(open<bloom_filter>(here.file("f"), {.keys = trims})->may_contain("alice"));
  EXPECT_NE(refusal(here.file("f"), {.keys = folds}).find("string; trimmed"), std::string::npos);
  key_recipe trimmed_pairs = pairs;
  trimmed_pairs.trimmed = true;
  save(filter(), here.file("f"), trimmed_pairs);
  EXPECT_NO_THROW((void)open<bloom_filter>(here.file("f"), {.keys = trims}));
  save(filter(), here.file("f"), strings);
  EXPECT_NE(refusal(here.file("f"), {.keys = trims}).find("trimmed"), std::string::npos);
  // Nothing to trim; nothing recorded.
  for (const key_recipe& made : {integers, key_recipe{}}) {
    save(filter(), here.file("f"), made);
    EXPECT_NO_THROW((void)open<bloom_filter>(here.file("f"), {.keys = trims}));
  }
}

TEST(KeyRecipe, TypesMustAgreeWhereBothAreKnown) {
  const temp_dir here;
  save(filter(), here.file("f"), integers);
  EXPECT_NO_THROW((void)open<bloom_filter>(here.file("f")));
  const std::string said = refusal(here.file("f"), {.keys = strings});
  EXPECT_NE(said.find("integer"), std::string::npos) << said;
  EXPECT_NE(said.find("string"), std::string::npos) << said;
}

TEST(KeyRecipe, KnowsWhichRecipesAreCompatible) {
  const key_recipe all[] = {{},    strings,     integers, mixed, trimmed_strings, folded_strings,
                            pairs, other_pairs, triples};
  const auto fits = [](const key_recipe& a, const key_recipe& b) {
    if (a == b || !a.known() || !b.known()) return true;
    const auto is = [&](const key_recipe& x, const key_recipe& y) {
      return (a == x && b == y) || (a == y && b == x);
    };
    return is(mixed, strings) || is(mixed, integers) || is(mixed, pairs) ||
           is(mixed, other_pairs) || is(mixed, triples);
  };
  for (const key_recipe& a : all)
    for (const key_recipe& b : all)
      EXPECT_EQ(compatible(a, b), fits(a, b)) << a.text() << " and " << b.text();
}

TEST(KeyRecipe, AUnionHasTheRecipeOfBoth) {
  EXPECT_EQ(joined(strings, strings), strings);
  EXPECT_EQ(joined(strings, {}), key_recipe{})
      << "the other file does not record how its keys were made";
  EXPECT_EQ(joined(strings, mixed), mixed);
  EXPECT_EQ(joined(mixed, integers), mixed);
}

TEST(KeyRecipe, IsDescribedInWords) {
  EXPECT_EQ(strings.text(), "string");
  EXPECT_EQ(pairs.text(), "tuple of string, integer");
  EXPECT_EQ(
      (key_recipe{.type = key_type::string, .keeps_cr = true, .trimmed = true, .case_folded = true}
           .text()),
      "string; trimmed; case folded; carriage returns kept");
}

}  // namespace
}  // namespace umbel::key_recipe_test
