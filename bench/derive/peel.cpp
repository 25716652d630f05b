// peel.cpp - FIND_MATCH [CKRT04]: cells per key against the share of seeds that peel, for every
// graph, around its threshold. The tables of doc/theory/bloomier.md.
// Idea       The library's own placing and peeling, on fresh salts instead of fresh keys: one
//            attempt per number.
// Limits     Not a benchmark: run it as build/derive/peel after `make build`; a minute or two.
// Source     [CKRT04] sec. 3.2; [Wal21] for the thresholds.
#include <umbel/engine/retrieval/any_graph.hpp>
#include <umbel/engine/retrieval/find_match.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using umbel::sizing::graph_form;
using umbel::sizing::graph_shape;

std::vector<umbel::digest> keys_of(std::uint64_t n) {
  std::vector<umbel::digest> out;
  for (std::uint64_t i = 0; i < n; ++i) out.push_back(umbel::hasher()(i));
  return out;
}
graph_shape shaped(graph_form form, std::uint64_t arity, std::uint64_t blocks,
                   std::uint64_t block) {
  return {static_cast<std::uint64_t>(form), arity, blocks, block};
}
unsigned successes(const graph_shape& shape, std::uint64_t n, unsigned seeds) {
  const auto keys = keys_of(n);
  unsigned out = 0;
  for (unsigned i = 0; i < seeds; ++i)
    out += umbel::core::find_match(umbel::core::any_graph(shape), i, keys);
  return out;
}
double per_key(std::uint64_t cells, std::uint64_t n) {
  return static_cast<double>(cells) / static_cast<double>(n);
}

void two_cells() {
  std::puts(
      "two cells, 20000 keys: cells per key, random: seeds of 300 that peel, predicted; in halves: "
      "the same");
  for (const double cells : {1.9, 2.0, 2.02, 2.05, 2.1, 2.2, 2.5, 3.0, 4.0}) {
    constexpr std::uint64_t n = 20'000;
    constexpr unsigned seeds = 300;
    const auto half = static_cast<std::uint64_t>(cells * n / 2);
    std::printf("%.2f: %u %.1f; %u %.1f\n", cells,
                successes(shaped(graph_form::random, 2, 1, 2 * half), n, seeds),
                seeds * umbel::sizing::acyclic_share(1 / cells, graph_form::random),
                successes(shaped(graph_form::partitioned, 2, 2, half), n, seeds),
                seeds * umbel::sizing::acyclic_share(1 / cells, graph_form::partitioned));
  }
}

// Loads as shares of the threshold.
constexpr double around[] = {0.96, 0.98, 0.99, 0.995, 1.0, 1.005, 1.01, 1.02};

void scattered() {
  for (unsigned arity = 3; arity <= 5; ++arity) {
    const double threshold = umbel::sizing::peel_threshold(arity);
    std::printf(
        "\n%u cells, 100000 keys, threshold %.4f keys per cell (%.4f cells per key): load / "
        "threshold, cells per"
        " key, seeds of 20 that peel: random, in blocks\n",
        arity, threshold, 1 / threshold);
    for (const double share : around) {
      constexpr std::uint64_t n = 100'000;
      const auto block = static_cast<std::uint64_t>(n / (share * threshold) / arity);
      std::printf("%.3f %.4f: %u %u\n", share, per_key(arity * block, n),
                  successes(shaped(graph_form::random, arity, 1, arity * block), n, 20),
                  successes(shaped(graph_form::partitioned, arity, arity, block), n, 20));
    }
  }
}

void fuse() {
  for (const unsigned arity : {3U, 4U}) {
    const double threshold = umbel::sizing::fuse_threshold(arity);
    std::printf(
        "\nfuse, %u cells, 100 segments of 2^13, threshold %.4f keys per start (%.4f starts per "
        "key): load /"
        " threshold, starts per key, cells per key, seeds of 10 that peel\n",
        arity, threshold, 1 / threshold);
    for (const double share : {0.92, 0.94, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 1.0, 1.01}) {
      const graph_shape shape = shaped(graph_form::fuse, arity, 100, 8192);
      const auto n = static_cast<std::uint64_t>(share * threshold * 100 * 8192);
      std::printf("%.3f %.4f %.4f: %u\n", share, per_key(100 * 8192, n), per_key(shape.cells(), n),
                  successes(shape, n, 10));
    }
  }
}

}  // namespace

int main() {
  two_cells();
  scattered();
  fuse();
}
