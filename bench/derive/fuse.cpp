// fuse.cpp - how often graphs peel: binary fuse graphs [GL22] at the published shape, at umbel's,
// and by load; xor graphs [GL20] by size. The tables of doc/theory/fuse.md.
// Idea       The library's own placing and peeling, on fresh salts instead of fresh keys: one
//            attempt per number.
// Limits     Not a benchmark: run it as build/derive/fuse after `make build`; some minutes.
// Source     [GL22] for the published shape, [Wal21] for the threshold, [GL20] for xor graphs.
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/fuse.hpp>
#include <umbel/solve/peel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

using umbel::core::fuse;
using umbel::core::xor_graph;
using umbel::sizing::fuse_shape;
using row = umbel::solve::slim_row;

// Whether n keys peel in this shape under the salt of this attempt.
template <class Graph>
bool peels(const typename Graph::shape& shape, std::uint64_t n, std::uint64_t attempt) {
  const Graph graph(shape);
  const auto words = umbel::core::graph_words(attempt);
  std::vector<row> rows(n), sums(graph.size());
  for (std::uint64_t i = 0; i < n; ++i)
    rows[i] = row::make(graph.place(words(umbel::hasher()(i))), 0, 0);
  return umbel::solve::pile(graph, 0, std::span<const row>(rows), std::span(sums)) &&
         umbel::solve::peel(graph, 0, std::span(sums), std::span(rows)) == n;
}

template <class Graph>
unsigned successes(const typename Graph::shape& shape, std::uint64_t n, unsigned seeds) {
  unsigned out = 0;
  for (unsigned i = 0; i < seeds; ++i) out += peels<Graph>(shape, n, i);
  return out;
}

// The published formula for three cells, without the correction of sizing/fuse.hpp.
fuse_shape published(std::uint64_t n) {
  const auto keys = static_cast<double>(n);
  const double length = std::clamp(std::floor(std::log(keys) / std::log(3.33) + 2.25), 2.0, 18.0);
  const double factor = std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(keys));
  const double segments = std::ceil(std::round(keys * factor) / std::exp2(length)) - 2;
  return {static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(std::max(1.0, segments))};
}

template <class Graph>
void show(std::uint64_t n, const fuse_shape& shape, unsigned seeds) {
  std::printf("  %.0f segments of 2^%.0f, %.3f keys per start, %.3f cells per key: %u of %u",
              static_cast<double>(shape.segments), static_cast<double>(shape.length_bits),
              static_cast<double>(n) / static_cast<double>(shape.starts()),
              static_cast<double>(shape.cells(Graph::arity())) / static_cast<double>(n),
              successes<Graph>(shape, n, seeds), seeds);
}

void three_cells() {
  std::puts("three cells, published shape, then ours: attempts that peel");
  for (const std::uint64_t n :
       {100U, 1000U, 3551U, 10000U, 11521U, 12372U, 37454U, 39202U, 100000U, 126131U}) {
    std::printf("%.0f keys:", static_cast<double>(n));
    show<fuse<3>>(n, published(n), 20);
    show<fuse<3>>(n, fuse<3>::plan(n), 20);
    std::puts("");
  }
  std::puts("\nby load, 64 segments of 2^13: keys per start, attempts that peel");
  constexpr fuse_shape wide{13, 64};
  for (const double load : {0.86, 0.88, 0.89, 0.90, 0.905, 0.91, 0.915, 0.92, 0.93})
    std::printf(
        "%.3f: %u of 20\n", load,
        successes<fuse<3>>(
            wide, static_cast<std::uint64_t>(load * static_cast<double>(wide.starts())), 20));
  std::puts("\nby length, 2^19 starts at load 0.88: segments, cells per key, attempts that peel");
  constexpr std::uint64_t keys = (std::uint64_t{1} << 19) * 88 / 100;
  for (std::uint64_t bits = 7; bits <= 17; ++bits) {
    show<fuse<3>>(keys, {bits, std::uint64_t{1} << (19 - bits)}, 10);
    std::puts("");
  }
}

void four_cells() {
  std::puts("\nfour cells: attempts that peel");
  for (const std::uint64_t n :
       {22U, 41U, 122U, 1000U, 3000U, 10000U, 25000U, 73000U, 100000U, 210000U, 620000U}) {
    std::printf("%.0f keys:", static_cast<double>(n));
    show<fuse<4>>(n, fuse<4>::plan(n), n < 10'000 ? 200 : 20);
    std::puts("");
  }
  std::puts("\nfour cells, 2^20 starts, by length: load, attempts that peel");
  for (const std::uint64_t bits : {10U, 11U, 12U, 13U}) {
    std::printf("2^%.0f:", static_cast<double>(bits));
    const fuse_shape shape{bits, std::uint64_t{1} << (20 - bits)};
    for (const double load : {0.91, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965})
      std::printf(
          "  %.3f %u of 10", load,
          successes<fuse<4>>(
              shape, static_cast<std::uint64_t>(load * static_cast<double>(shape.starts())), 10));
    std::puts("");
  }
}

void blocks() {
  std::puts("\nthree blocks, 32 + 1.23 n cells: keys, attempts that peel");
  for (const std::uint64_t n : {10U, 100U, 300U, 1000U, 3000U, 10000U, 30000U, 100000U, 300000U}) {
    const unsigned seeds = n < 10'000 ? 1000 : n < 100'000 ? 200 : 20;
    std::printf("%.0f: %u of %u\n", static_cast<double>(n),
                successes<partitioned<3>>(partitioned<3>::plan(n), n, seeds), seeds);
  }
  std::puts("\nk cells anywhere: the load that peels, least of x / (k (1 - e^-x)^(k-1))");
  for (unsigned k = 2; k <= 8; ++k) {
    double least = 1;
    for (double x = 1e-5; x < 10; x += 1e-5)
      least = std::min(least, x / (k * std::pow(1 - std::exp(-x), k - 1)));
    std::printf("%u: %.6f\n", k, least);
  }
}

}  // namespace

int main() {
  three_cells();
  four_cells();
  blocks();
}
