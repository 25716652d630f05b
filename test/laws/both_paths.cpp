// both_paths.cpp - every batch of queries answers what single calls answer, along both ways that a
// batch can go: the engine's own, and the loop of single calls that core/keyed.hpp runs where the
// engine is small (`batch_from`).
// Idea       A structure of a few thousand keys goes one way only. So the engine is asked by
//            itself, whatever its size, for each verb it has; and the face beside it.
#include <memory>
#include <type_traits>

#include <umbel/any/adapt.hpp>
#include <umbel/umbel.hpp>

#include "support/kind_test.hpp"

namespace umbel::test {
namespace {

constexpr std::size_t longest = 1000;
constexpr std::size_t batch_lengths[] = {0, 1, 2, 3, 17, 64, longest};

[[nodiscard]] std::uint64_t as_word(bool answer) { return answer; }
[[nodiscard]] std::uint64_t as_word(std::uint64_t answer) { return answer; }
[[nodiscard]] std::string as_word(const std::optional<std::uint64_t>& answer) {
  return answer ? std::to_string(*answer) : "nothing";
}

// One verb: single(digest), and two batches of it, (keys, out), of the engine and of the face.
template <class Single, class OfEngine, class OfFace>
void compare(std::string_view verb, std::span<const digest> keys, Single&& single,
             OfEngine&& of_engine, OfFace&& of_face) {
  using answer = decltype(single(digest{}));
  // Neither a value of 8 bits nor an index: whoever does not write is seen.
  const answer unwritten = std::is_same_v<answer, bool> ? answer(true) : answer(123'456);
  const auto room = std::make_unique<answer[]>(longest + 1);
  std::size_t first = 0;
  for (const std::size_t length : batch_lengths) {
    const auto part = keys.subspan(first++, length);
    for (const bool face : {false, true}) {
      std::fill_n(room.get(), length + 1, unwritten);
      if (face)
        of_face(part, std::span(room.get(), length));
      else
        of_engine(part, room.get());
      for (std::size_t i = 0; i < length; ++i)
        ASSERT_EQ(as_word(room[i]), as_word(single(part[i])))
            << verb << " by the " << (face ? "face" : "engine") << ", key " << i << " of "
            << length;
      ASSERT_EQ(as_word(room[length]), as_word(unwritten))
          << verb << " wrote outside a batch of " << length;
    }
  }
}

// How many verbs there were.
template <class T>
unsigned compare_all(const structure& made, std::span<const digest> keys) {
  const T& face = static_cast<const any::structure_of<T>&>(made).get();
  const auto& engine = face.engine();
  using engine_type = std::remove_cvref_t<decltype(engine)>;
  unsigned verbs = 0;
#define UMBEL_VERB(can_it, one, many)                                                   \
  if constexpr (core::can::can_it<engine_type>) {                                       \
    ++verbs;                                                                            \
    compare(                                                                            \
        #one, keys, [&](const digest& d) { return face.one(d); },                       \
        [&](std::span<const digest> part, auto* out) {                                  \
      detail::digest_list digest_at{part.data()};                                       \
      engine.one(part.size(), digest_at, out);                                          \
        },                                                                              \
        [&](std::span<const digest> part, auto answers) { face.many(part, answers); }); \
  }
  UMBEL_VERB(may_contain, may_contain, may_contain_batch)
  UMBEL_VERB(contain, contains, contains_batch)
  UMBEL_VERB(find, find, find_batch)
  UMBEL_VERB(value, value, value_batch)
  UMBEL_VERB(index, index, index_batch)
#undef UMBEL_VERB
  return verbs;
}

using comparison = unsigned (*)(const structure&, std::span<const digest>);
[[nodiscard]] const std::map<std::string_view, comparison>& comparisons() {
  static const std::map<std::string_view, comparison> all{
#define UMBEL_KIND(folder, kind_class, summary) \
  {umbel::kind_class::kind, compare_all<umbel::kind_class>},
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
  };
  return all;
}

class BothPaths : public kind_test {
 protected:
  // Hits and misses in random order, false positives among them: the rate is coarse.
  void compare_at(std::uint64_t size, std::uint64_t seed) const {
    const auto keys = members(size, seed);
    const auto some = std::span(keys).first(std::min<std::size_t>(keys.size(), longest / 2 + 10));
    const auto asked = shuffled(
        joined({some.begin(), some.end()}, non_members(longest + 20 - some.size(), seed)), seed);
    EXPECT_GT(comparisons().at(kind().name())(*build(keys, {.fpr = 0.2}), asked), 0U);
  }
};

TEST_P(BothPaths, AnswerAsSingleCallsDo) { compare_at(5000, 21); }
TEST_P(BothPaths, AnswerAsSingleCallsDoForAFewKeys) { compare_at(3, 22); }
TEST_P(BothPaths, AnswerAsSingleCallsDoForNoKey) { compare_at(0, 23); }

UMBEL_EVERY_KIND(BothPaths);

}  // namespace
}  // namespace umbel::test
