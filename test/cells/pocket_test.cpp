// pocket_test.cpp - the smallest values in half a line, against an ordered set of them; both
// spellings, bit for bit.
#include <umbel/cells/kernel/pocket.hpp>

#include <array>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace umbel::cells::kernel::pocket_test {
namespace {

struct alignas(32) half_line {
  std::array<unsigned char, pocket_shape::bytes> bytes;
  friend bool operator==(const half_line&, const half_line&) = default;
};

// By definition: tags in rising order; the bucket of the last, or 31; a fence before every bucket
// and behind the last, a zero for every tag.
half_line written(const std::set<unsigned>& values, bool overflowed) {
  half_line out{};
  std::uint64_t end = overflowed ? *values.rbegin() >> 8 : 31;
  unsigned bit = 5, at = 0;
  for (unsigned bucket = 0; bucket < pocket_shape::buckets; ++bucket) {
    end |= std::uint64_t{1} << bit++;
    for (auto v = values.lower_bound(bucket << 8); v != values.end() && *v >> 8 == bucket;
         ++v, ++bit)
      out.bytes[at++] = static_cast<unsigned char>(*v);
  }
  end |= std::uint64_t{1} << bit;
  for (unsigned i = 0; i < 7; ++i) out.bytes[25 + i] = static_cast<unsigned char>(end >> (8 * i));
  return out;
}

// Values from all over, from few buckets, from one, and so few that they come again and again.
unsigned drawn(std::mt19937_64& random, std::uint64_t seed) {
  switch (seed % 4) {
    case 0: return static_cast<unsigned>(random() % pocket_shape::values);
    case 1: return static_cast<unsigned>(random() % 3 * 12 << 8 | random() % 256);
    case 2: return static_cast<unsigned>(seed % 25 << 8 | random() % 256);
    default: return static_cast<unsigned>(random() % 40 * 160);
  }
}

template <class Ops>
void hold_walk(std::uint64_t seed) {
  half_line pocket;
  Ops::clear(pocket.bytes.data());
  std::mt19937_64 random(seed);
  std::set<unsigned> kept, all;
  for (int step = 0; step < 300; ++step) {
    const unsigned value = drawn(random, seed);
    std::optional<unsigned> rest;
    const bool was_out = all.size() > pocket_shape::tags;
    const bool fresh = kept.insert(value).second;
    all.insert(value);
    if (kept.size() > pocket_shape::tags) {
      rest = *kept.rbegin();
      kept.erase(*rest);
    }
    const pocket_room said = Ops::add(pocket.bytes.data(), value);
    ASSERT_EQ(said, !fresh ? pocket_room::not_needed
                    : rest ? pocket_room::none
                           : pocket_room::taken)
        << step;
    if (said == pocket_room::none) {
      const pocket_pushed pushed = Ops::push(pocket.bytes.data(), value);
      ASSERT_EQ(pushed.rest, rest) << step;
      ASSERT_EQ(pushed.changed, rest != value || !was_out) << step;
    }
    ASSERT_EQ(pocket, written(kept, all.size() > pocket_shape::tags)) << step;
    ASSERT_EQ(Ops::used(pocket.bytes.data()), kept.size());
    ASSERT_EQ(Ops::overflowed(pocket.bytes.data()), all.size() > pocket_shape::tags);
    ASSERT_TRUE(all.size() <= pocket_shape::tags ||
                Ops::limit(pocket.bytes.data()) == *kept.rbegin());
    const unsigned asked = drawn(random, seed);
    ASSERT_EQ(Ops::find(pocket.bytes.data(), asked), kept.contains(asked)) << step;
    ASSERT_EQ(Ops::find_unfetched(pocket.bytes.data(), asked), kept.contains(asked)) << step;
    ASSERT_EQ(Ops::beyond(pocket.bytes.data(), asked),
              all.size() > pocket_shape::tags && asked > *kept.rbegin());
  }
  std::vector<unsigned> visited;
  Ops::each(pocket.bytes.data(), [&](unsigned value) { visited.push_back(value); });
  EXPECT_TRUE(std::equal(visited.begin(), visited.end(), kept.begin(), kept.end()));
}

TEST(Pocket, IsItsSmallestValues) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) hold_walk<portable_pocket>(seed);
}
TEST(Pocket, IsItsSmallestValuesInTheFastSpelling) {
  if (best() == level::portable) GTEST_SKIP() << "this processor has no vector kernels";
  for (std::uint64_t seed = 0; seed < 60; ++seed) hold_walk<fast_pocket>(seed);
}

TEST(Pocket, FindsEveryValueThereIs) {
  half_line pocket;
  portable_pocket::clear(pocket.bytes.data());
  for (unsigned value = 100; value < pocket_shape::values; value += 260)
    portable_pocket::add(pocket.bytes.data(), value);
  for (unsigned value = 0; value < pocket_shape::values; ++value)
    ASSERT_EQ(portable_pocket::find(pocket.bytes.data(), value),
              value >= 100 && (value - 100) % 260 == 0)
        << value;
}

// Whatever the bytes are, nothing outside them is touched (a sanitizer would see it) and both
// spellings agree.
TEST(Pocket, AnyContentIsSafe) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 6000; ++i) {
    half_line one;
    for (auto& byte : one.bytes)
      byte = static_cast<unsigned char>(i % 4 == 0   ? random() & random() & random()
                                        : i % 4 == 1 ? random()
                                        : i % 4 == 2 ? random() | random() | random()
                                        : i % 8 == 3 ? 0
                                                     : 255);
    half_line other = one;
    for (int k = 0; k < 20; ++k) {
      const auto value = static_cast<unsigned>(random() % pocket_shape::values);
      const bool found = portable_pocket::find(one.bytes.data(), value),
                 beyond = portable_pocket::beyond(one.bytes.data(), value);
      const pocket_room said = portable_pocket::add(one.bytes.data(), value);
      const bool pushes = said == pocket_room::none || k % 5 == 0;
      const unsigned rest = pushes ? portable_pocket::push(one.bytes.data(), value).rest : 0;
      unsigned visited = 0;
      portable_pocket::each(one.bytes.data(), [&](unsigned) { ++visited; });
      ASSERT_LE(visited, pocket_shape::tags);
      if (best() == level::portable) continue;
      ASSERT_EQ(found, fast_pocket::find(other.bytes.data(), value));
      ASSERT_EQ(found, fast_pocket::find_unfetched(other.bytes.data(), value));
      ASSERT_EQ(beyond, fast_pocket::beyond(other.bytes.data(), value));
      ASSERT_EQ(said, fast_pocket::add(other.bytes.data(), value));
      ASSERT_TRUE(!pushes || fast_pocket::push(other.bytes.data(), value).rest == rest);
      ASSERT_EQ(one, other);
    }
  }
}

}  // namespace
}  // namespace umbel::cells::kernel::pocket_test
