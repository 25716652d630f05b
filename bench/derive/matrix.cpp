// matrix.cpp - when random systems are independent [Por09], the bits of groups, and square systems.
// The tables of doc/theory/matrix.md.
// Idea       Formulas of sizing/matrix.hpp beside what the library's own rows and solvers do, on
//            fresh seeds or fresh keys.
// Limits     Not a benchmark: run it as build/derive/matrix after `make build`; half a minute.
// Source     [Por09].
#include <umbel/engine/retrieval/matrix/build.hpp>
#include <umbel/engine/retrieval/matrix/sparse_rows.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/matrix.hpp>
#include <umbel/solve/band.hpp>
#include <umbel/solve/dense.hpp>
#include <umbel/solve/dense_rows.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using umbel::digest;
using umbel::matrix_form;
namespace sizing = umbel::sizing;

digest key(std::uint64_t i) { return umbel::hasher()(i); }

// Whether n keys' dense rows over n + c unknowns are independent, by seed.
bool independent(std::uint64_t n, std::uint64_t c, std::uint64_t seed) {
  umbel::solve::dense_system system;
  system.reset(n + c);
  std::vector<std::uint64_t> row(system.row_words() + 2);
  for (std::uint64_t i = 0; i < n; ++i) {
    umbel::solve::dense_rows::draw(key(seed * n + i), 0, n + c, row.data());
    row[system.row_words() - 1] = 0;
    (void)system.add(std::span(row).first(system.row_words()));
  }
  return system.rank() == n;
}
// The same of square systems with t different unknowns per row.
bool sparse_independent(std::uint64_t n, unsigned t, std::uint64_t seed) {
  umbel::solve::dense_system system;
  system.reset(n);
  std::vector<std::uint64_t> row(system.row_words());
  for (std::uint64_t i = 0; i < n; ++i) {
    row.assign(row.size(), 0);
    for (const std::uint32_t u : umbel::core::draw_sparse(key(i), seed, t, n))
      row[u / 64] ^= std::uint64_t{1} << u % 64;
    (void)system.add(row);
  }
  return system.rank() == n;
}

// Coefficients of 8 bits: the field x^8 + x^4 + x^3 + x + 1. Whether n random rows over n unknowns
// are independent.
class byte_field {
 public:
  byte_field() {
    std::uint8_t x = 1;
    for (unsigned i = 0; i < 255; ++i) {
      power_[i] = power_[i + 255] = x;
      log_[x] = static_cast<std::uint8_t>(i);
      x = static_cast<std::uint8_t>(x ^ x << 1 ^ (x >> 7) * 0x11B);
    }
  }
  [[nodiscard]] bool independent(std::uint64_t n, std::uint64_t seed) const {
    std::vector<std::vector<std::uint8_t>> pivots(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      std::vector<std::uint8_t> row(n);
      for (std::uint64_t u = 0; u < n; ++u)
        row[u] = static_cast<std::uint8_t>(umbel::detail::remix(umbel::detail::remix(seed, i), u));
      std::uint64_t u = 0;
      for (; u < n; ++u) {
        if (row[u] == 0) continue;
        if (pivots[u].empty()) break;
        const std::uint8_t factor = row[u];  // a pivot row has 1 there
        for (std::uint64_t j = u; j < n; ++j) row[j] ^= times(factor, pivots[u][j]);
      }
      if (u == n) return false;
      const std::uint8_t inverse = power_[255 - log_[row[u]]];
      for (std::uint8_t& x : row) x = times(inverse, x);
      pivots[u] = row;
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint8_t times(std::uint8_t a, std::uint8_t b) const noexcept {
    return a == 0 || b == 0 ? std::uint8_t{0} : power_[log_[a] + log_[b]];
  }
  std::array<std::uint8_t, 510> power_{};
  std::array<std::uint8_t, 256> log_{};
};

// The share of n keys with rows in windows of 64 slots that find a slot, with `slots` slots.
double in_windows(std::uint64_t n, std::uint64_t slots) {
  std::vector<umbel::solve::band_slot<std::uint64_t>> table(slots);
  umbel::solve::band<std::uint64_t> band(table);
  std::uint64_t in = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const digest d = key(i);
    const umbel::solve::band_row<std::uint64_t> row{
        d.lo | 1, d.hi, static_cast<std::uint32_t>(umbel::detail::fastrange(d.hi, slots - 63)), 0};
    in += band.insert({&row, 1});
  }
  return static_cast<double>(in) / static_cast<double>(n);
}

template <class Try>
double share(unsigned tries, Try&& attempt) {
  unsigned done = 0;
  for (unsigned seed = 0; seed < tries; ++seed) done += attempt(seed);
  return static_cast<double>(done) / tries;
}

}  // namespace

int main() {
  std::puts(
      "c: odds that 64 rows over 64 + c unknowns are independent, seen in 4000 tries, the paper's "
      "bound");
  for (const unsigned c : {0U, 1U, 2U, 3U, 4U, 6U, 8U})
    std::printf("%u: %.4f %.4f %.4f\n", c, sizing::independence(64, c),
                share(4000, [&](unsigned seed) { return independent(64, c, seed); }),
                sizing::independence_bound(c, 2));
  const byte_field field;
  std::printf("coefficients of 8 bits, c = 0: %.4f %.4f %.4f\n", sizing::independence(64, 0, 256),
              share(1000, [&](unsigned seed) { return field.independent(64, seed); }),
              sizing::independence_bound(0, 256));

  std::puts("\nrank defect d: odds");
  for (unsigned d = 0; d < 4; ++d) std::printf("%u: %.4f\n", d, sizing::rank_defect(d));

  std::puts(
      "\ngroup, spare, r: expected tries, tries, bits per key beyond r, overhead, of 200 000 keys");
  for (const auto& [group, spare, r] : {std::array<std::uint64_t, 3>{64, 0, 1},
                                        {64, 0, 2},
                                        {64, 0, 4},
                                        {64, 0, 8},
                                        {64, 0, 12},
                                        {64, 3, 8},
                                        {128, 0, 8},
                                        {256, 0, 8}}) {
    umbel::digest_spool keys;
    for (std::uint64_t i = 0; i < 200'000; ++i) keys.add(key(i));
    const auto width = static_cast<unsigned>(r);
    const auto made = umbel::core::matrix::build(
        keys, {.width = width, .group = group, .spare = spare},
        [=](const digest& d) { return umbel::detail::mix64(d.lo) >> (64 - width); });
    const auto& groups = made.groups();
    double tries = 0;
    for (std::uint64_t i = 0; i < groups.groups(); ++i)
      tries += static_cast<double>(groups.seed_of(i) + 1);
    const double beyond =
        static_cast<double>(made.size_in_bits()) / 200'000 - static_cast<double>(r);
    std::printf("%3u %u %2u: %.2f %.2f %.3f %.2f%%\n", static_cast<unsigned>(group),
                static_cast<unsigned>(spare), width,
                spare == 0 ? sizing::matrix_tries(width) : 1 / sizing::independence(64, spare),
                tries / static_cast<double>(groups.groups()), beyond,
                100 * beyond / static_cast<double>(r));
  }

  std::puts("\n500 keys, 500 unknowns, t per row: odds by the rule, seen in 250 tries");
  for (const unsigned t : {5U, 7U, 8U, 9U, 10U, 13U})
    std::printf("%2u: %.2f %.2f\n", t, t % 2 == 0 ? 0 : sizing::sparse_independence(500, t),
                share(250, [&](unsigned seed) { return sparse_independent(500, t, seed); }));

  std::puts("\nwindows of 64 slots, 100 000 keys: slots per key, share of keys that find one");
  for (const double each : {1.0, 1.02, 1.05, 1.1, 1.2})
    std::printf("%.2f: %.5f\n", each,
                in_windows(100'000, static_cast<std::uint64_t>(100'000 * each)));

  const auto paper = sizing::paper_matrix(1e6, 8);
  std::printf(
      "\nthe paper's parameters at 10^6 keys of 8 bits: %.0f buckets, bad from %.0f keys, groups "
      "of %.2f, at most "
      "%.2f\n",
      paper.buckets, paper.bad_from, paper.group, paper.group_most);
  std::printf(
      "its opening figure, 10^8 keys at rate 1/2: %.4g bits of a Bloom filter, %.4g of a "
      "matrix_filter\n",
      1e8 / std::log(2.0),
      static_cast<double>(umbel::core::matrix::plan(100'000'000, 1, {.width = 1}).bits));
}
