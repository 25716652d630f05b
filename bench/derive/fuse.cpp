// fuse.cpp - how often a fuse graph peels: at the published shape, at ours, and by load. The tables of doc/theory/fuse.md.
// Idea       The library's own placing and peeling, on fresh salts instead of fresh keys: one attempt per number.
// Limits     Not a benchmark: run it as build/derive/fuse after `make build`.
// Source     [GL22] for the published shape, [Wal21] for the threshold.
#include <umbel/hash/hasher.hpp>
#include <umbel/index/fuse.hpp>
#include <umbel/sizing/fuse.hpp>
#include <umbel/solve/peel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

using umbel::sizing::fuse_shape;
using row = umbel::solve::slim_row;

// Whether n keys peel in this shape under the salt of this attempt.
bool peels(const fuse_shape& shape, std::uint64_t n, std::uint64_t attempt) {
  const umbel::index::fuse<3> graph(shape);
  const auto words = umbel::index::graph_words(attempt);
  std::vector<row> rows(n), sums(shape.cells(3));
  for (std::uint64_t i = 0; i < n; ++i) rows[i] = row::make(graph.place(words(umbel::hasher()(i))), 0, 0);
  return umbel::solve::pile(graph, 0, std::span<const row>(rows), std::span(sums)) &&
         umbel::solve::peel(graph, 0, std::span(sums), std::span(rows)) == n;
}

unsigned successes(const fuse_shape& shape, std::uint64_t n, unsigned seeds) {
  unsigned out = 0;
  for (unsigned i = 0; i < seeds; ++i) out += peels(shape, n, i);
  return out;
}

// As the paper has it, without the mending of sizing/fuse.hpp.
fuse_shape published(std::uint64_t n) {
  const auto keys = static_cast<double>(n);
  const double length = std::clamp(std::floor(std::log(keys) / std::log(3.33) + 2.25), 2.0, 18.0);
  const double factor = std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(keys));
  const double segments = std::ceil(std::round(keys * factor) / std::exp2(length)) - 2;
  return {static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(std::max(1.0, segments))};
}

void show(std::uint64_t n, const fuse_shape& shape, unsigned seeds) {
  std::printf("  %u segments of 2^%u, %.3f keys per start, %.3f cells per key: %u of %u", shape.segments,
              shape.length_bits, static_cast<double>(n) / static_cast<double>(shape.starts()),
              static_cast<double>(shape.cells(3)) / static_cast<double>(n), successes(shape, n, seeds), seeds);
}

}  // namespace

int main() {
  std::puts("published shape, then ours: attempts that peel");
  for (const std::uint64_t n : {100U, 1000U, 3551U, 10000U, 11521U, 12372U, 37454U, 39202U, 100000U, 126131U}) {
    std::printf("%llu keys:", static_cast<unsigned long long>(n));
    show(n, published(n), 20);
    show(n, umbel::sizing::plan_fuse(3, n), 20);
    std::puts("");
  }
  std::puts("\nby load, 64 segments of 2^13: keys per start, attempts that peel");
  constexpr fuse_shape wide{13, 64};
  for (const double load : {0.86, 0.88, 0.89, 0.90, 0.905, 0.91, 0.915, 0.92, 0.93})
    std::printf("%.3f: %u of 20\n", load,
                successes(wide, static_cast<std::uint64_t>(load * static_cast<double>(wide.starts())), 20));
  std::puts("\nby length, 2^19 starts at load 0.88: segments, cells per key, attempts that peel");
  constexpr std::uint64_t keys = (std::uint64_t{1} << 19) * 88 / 100;
  for (std::uint32_t bits = 7; bits <= 17; ++bits) {
    const fuse_shape shape{bits, 1U << (19 - bits)};
    std::printf("%u of 2^%u, %.3f: %u of 10\n", shape.segments, bits,
                static_cast<double>(shape.cells(3)) / static_cast<double>(keys), successes(shape, keys, 10));
  }
}
