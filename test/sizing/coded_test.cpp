// coded_test.cpp - sizes of compressed static functions [HKP09], [GV18]: lengths of prefix codes,
// and the bits that follow from them.
#include <umbel/sizing/coded.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <random>

#include <gtest/gtest.h>

#include <umbel/sizing/fuse.hpp>

namespace umbel::sizing::coded_test {
namespace {

using counts_t = std::vector<std::uint64_t>;

double kraft(const std::vector<std::uint8_t>& lengths) {
  double sum = 0;
  for (const auto l : lengths) sum += std::exp2(-static_cast<double>(l));
  return sum;
}
std::uint64_t cost(const counts_t& counts, const std::vector<std::uint8_t>& lengths) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += counts[i] * lengths[i];
  return sum;
}
// The textbook's way [Huf52]: the weight of two joined nodes is paid once for each level above the
// leaves.
std::uint64_t min_cost(const counts_t& counts) {
  std::priority_queue<std::uint64_t, counts_t, std::greater<>> heap(counts.begin(), counts.end());
  std::uint64_t sum = 0;
  while (heap.size() > 1) {
    const std::uint64_t a = heap.top();
    heap.pop();
    const std::uint64_t b = heap.top();
    heap.pop();
    heap.push(a + b);
    sum += a + b;
  }
  return sum;
}
counts_t falling(std::size_t values, std::uint64_t most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  counts_t out(values);
  for (auto& c : out) c = 1 + (random() % most) / (1 + random() % 50);
  std::sort(out.begin(), out.end(), std::greater<>());
  return out;
}
counts_t fibonacci(std::size_t values) {
  counts_t out{1, 1};
  while (out.size() < values) out.push_back(out[out.size() - 1] + out[out.size() - 2]);
  std::reverse(out.begin(), out.end());
  return out;
}
counts_t dominated(std::uint64_t n, double share, std::size_t others) {
  counts_t out{static_cast<std::uint64_t>(share * static_cast<double>(n))};
  for (std::uint64_t left = n - out[0]; out.size() < others; left -= out.back())
    out.push_back((left + 1) / 2);
  out.push_back(n - std::accumulate(out.begin(), out.end(), std::uint64_t{0}));
  std::sort(out.begin(), out.end(), std::greater<>());
  return out;
}
std::uint64_t sum(const counts_t& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(Entropy, OfKnownShares) {
  EXPECT_EQ(entropy({}), 0);
  EXPECT_EQ(entropy(counts_t{7}), 0);
  EXPECT_DOUBLE_EQ(entropy(counts_t{5, 5}), 1);
  EXPECT_DOUBLE_EQ(entropy(counts_t{4, 2, 1, 1}), 1.75);
  EXPECT_NEAR(entropy(counts_t{97, 3}), 0.19439, 1e-5);
}

TEST(CodeLengths, AreOptimalAndComplete) {
  for (const std::size_t values : {1U, 2U, 3U, 4U, 5U, 17U, 256U, 1000U, 65536U})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto counts = falling(values, 100'000, seed);
      const auto lengths = code_lengths(counts);
      EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
      EXPECT_EQ(kraft(lengths), 1);
      EXPECT_EQ(cost(counts, lengths), min_cost(counts)) << values << " values, seed " << seed;
      EXPECT_LE(static_cast<double>(cost(counts, lengths)),
                (entropy(counts) + 1) * static_cast<double>(sum(counts)));
    }
  EXPECT_TRUE(code_lengths({}).empty());
  EXPECT_EQ(code_lengths(counts_t{9}), std::vector<std::uint8_t>{0});
}

// Fibonacci weights make the deepest Huffman tree: 60 values would take codes of 59 bits.
TEST(CodeLengths, HaveALimit) {
  const auto at_limit = fibonacci(33), beyond = fibonacci(60);
  EXPECT_EQ(code_lengths(at_limit).back(), 32);
  EXPECT_EQ(cost(at_limit, code_lengths(at_limit)), min_cost(at_limit));
  const auto lengths = code_lengths(beyond);
  EXPECT_LE(lengths.back(), max_code_bits);
  EXPECT_EQ(kraft(lengths), 1);
  EXPECT_LT(static_cast<double>(cost(beyond, lengths)),
            1.001 * static_cast<double>(min_cost(beyond)));
}

// A code covers the keys it says, whatever its kind, and its chunks are its positions.
TEST(CodedPrices, CodesCoverAllKeys) {
  const auto counts = falling(300, 10'000, 3);
  const coded_counts of{.counts = counts, .keys = sum(counts), .value_bits = 40};
  for (const auto form :
       {coded_form::plain, coded_form::escape, coded_form::coded_small, coded_form::coded}) {
    const auto price = price_coded(of, form);
    ASSERT_TRUE(price);
    const code_shape& code = price->code;
    double share = 0;
    for (std::size_t i = 0; i < code.codes.size(); ++i)
      share += std::exp2(-static_cast<double>(i)) * code.codes[i];
    EXPECT_EQ(share, 1);
    EXPECT_EQ(std::accumulate(code.codes.begin(), code.codes.end(), std::uint64_t{0}),
              code.symbols + code.escape.has_value());
    EXPECT_EQ(
        code.escaped,
        of.keys - std::accumulate(counts.begin(), counts.begin() + static_cast<long>(code.symbols),
                                  std::uint64_t{0}));
    EXPECT_EQ(code.beyond.size(), code.longest());
    EXPECT_TRUE(std::is_sorted(code.beyond.rbegin(), code.beyond.rend()));
    if (form != coded_form::coded) {
      EXPECT_EQ(std::accumulate(code.chunks.begin(), code.chunks.end(), 0U), code.longest());
    }
  }
}

// No other partition of the positions into chunks is cheaper.
TEST(CodedPrices, ChunksAreTheBest) {
  auto counts = fibonacci(11);
  for (auto& c : counts) c *= 1000;
  const coded_counts of{
      .counts = counts, .keys = sum(counts), .value_bits = 40, .check_bits = 8, .ranked = true};
  const auto best = price_code(of, code_kind::huffman, true);
  ASSERT_TRUE(best && best->code.longest() == 10);
  const auto& shape = shape_of(of.preset);
  for (unsigned cuts = 0; cuts < 1U << 9; ++cuts) {
    std::uint64_t bits = 0;
    for (unsigned begin = 0, end = 1; end <= 10; ++end) {
      if (end < 10 && (cuts >> (end - 1) & 1) == 0) continue;
      bits +=
          ribbon_bits(shape, best->code.beyond[begin], end - begin + (begin == 0 ? 8 : 0)) + 256;
      begin = end;
    }
    EXPECT_GE(bits, best->chunk_bits) << cuts;
  }
}

TEST(CodedPrices, TheFormFollowsFromTheCounts) {
  const auto chosen = [](const counts_t& counts, unsigned bits, unsigned check = 0) {
    return choose_coded(
               {.counts = counts, .keys = sum(counts), .value_bits = bits, .check_bits = check})
        .form;
  };
  // All values equal: a code would only add a table.
  EXPECT_EQ(chosen(counts_t(256, 4000), 8), coded_form::plain);
  EXPECT_EQ(chosen(dominated(1'000'000, 0.97, 6), 8), coded_form::dominant);
  EXPECT_EQ(chosen(dominated(1'000'000, 0.97, 6), 8, 8), coded_form::dominant);
  EXPECT_EQ(chosen(dominated(1'000'000, 0.4, 12), 8), coded_form::coded_small);
  // Nothing is known of the values.
  EXPECT_EQ(choose_coded({.keys = 1000, .value_bits = 8}).form, coded_form::plain);
  // A few values and very many that occur once: a table of all of them would be larger than what it
  // saves.
  counts_t tail(100'000, 1);
  tail[0] = 60'000;
  const auto price = choose_coded({.counts = tail, .keys = sum(tail), .value_bits = 32});
  EXPECT_TRUE(price.code.escape);
  EXPECT_LT(price.code.symbols, 1000U);
}

TEST(CodedPrices, NearTheEntropyOnceThereAreManyKeys) {
  const auto counts = dominated(10'000'000, 0.3, 20);
  const coded_counts of{.counts = counts, .keys = sum(counts), .value_bits = 5, .ranked = true};
  const auto lengths = code_lengths(counts);
  const auto length = static_cast<double>(cost(counts, lengths));
  EXPECT_LT(static_cast<double>(price_coded(of, coded_form::coded_small)->bits), 1.02 * length);
  EXPECT_NEAR(static_cast<double>(price_coded(of, coded_form::coded)->bits) / length, 1.125, 0.02);
  const auto skewed = dominated(5'300'000, 0.97, 4);
  const auto price = choose_coded({.counts = skewed, .keys = sum(skewed), .value_bits = 8});
  // Less than a bit, and less than published.
  EXPECT_LT(static_cast<double>(price.bits) / 5.3e6, 0.31);
  EXPECT_GT(static_cast<double>(price.bits) / 5.3e6, entropy(skewed));
}

TEST(CodedPrices, KeysWithoutCountsEscape) {
  // Of 1000 keys a hundred have values that were not counted.
  const counts_t counts{500, 300, 100};
  const auto price =
      price_coded({.counts = counts, .keys = 1000, .value_bits = 30}, coded_form::coded_small);
  ASSERT_TRUE(price && price->code.escape);
  EXPECT_EQ(price->code.escaped, 100U + (price->code.symbols < 3 ? 100U : 0U));
}

}  // namespace
}  // namespace umbel::sizing::coded_test
