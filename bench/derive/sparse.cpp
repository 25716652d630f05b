// sparse.cpp - when random sparse systems are solvable, and the cost of solving them. The tables of
// doc/theory/sparse.md.
// Idea       The library's own graph and solver, on fresh salts instead of fresh keys: one attempt
//            per number.
// Limits     Not a benchmark: run it as build/derive/sparse after `make build`; a minute or two.
// Source     [DP08] for the systems, [GOV20] for 1.10 and 1.03.
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/sparse.hpp>
#include <umbel/solve/lazy.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using umbel::solve::wide_row;

// Cells per key: k (1 - e^-x)^(k-1) / x, where k = x (e^x - 1) / (e^x - 1 - x), which grows with x.
double threshold(unsigned k) {
  double low = 1e-6, high = 20;
  for (int i = 0; i < 100; ++i) {
    const double x = (low + high) / 2;
    (x * std::expm1(x) / (std::expm1(x) - x) < k ? low : high) = x;
  }
  return k * std::pow(-std::expm1(-low), k - 1) / low;
}

struct outcome {
  double solved = 0, core = 0, active = 0;  // shares: of attempts, of equations, of equations
};

outcome attempt(unsigned probes, std::uint64_t keys, std::uint64_t cells, unsigned seeds) {
  const umbel::core::scattered graph({.arity = probes, .blocks = 1, .block = cells});
  umbel::solve::sparse_solver solver;
  std::vector<wide_row> rows(keys);
  outcome out;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto words = umbel::core::graph_words(seed);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto d = umbel::hasher()(i);
      rows[i] = wide_row::make(graph.place(words(d)), d.lo, 0);
    }
    out.solved += solver.solve(graph, rows) ? 1.0 / seeds : 0;
    out.core += static_cast<double>(solver.core().equations()) / static_cast<double>(keys * seeds);
    out.active += static_cast<double>(solver.core().active()) / static_cast<double>(keys * seeds);
  }
  return out;
}

}  // namespace

int main() {
  std::puts("probes, threshold in cells per key, 1 + e^-k");
  for (unsigned k = umbel::sizing::sparse_least_probes; k <= umbel::sizing::sparse_max_probes; ++k)
    std::printf("%u: %.6f %.6f\n", k, threshold(k), 1 + std::exp(-static_cast<double>(k)));
  std::puts(
      "\nprobes: share of attempts solved with the cells of sizing/sparse.hpp, for 10, 30, 50, "
      "200, 1500 and 3000 "
      "keys;");
  std::puts("of 1500 keys, the share left by peeling and the share of active unknowns");
  for (unsigned k = umbel::sizing::sparse_least_probes; k <= umbel::sizing::sparse_max_probes;
       ++k) {
    std::printf("%u:", k);
    for (const std::uint64_t keys : {10U, 30U, 50U, 200U, 1500U, 3000U})
      std::printf(
          " %.2f",
          attempt(k, keys, umbel::sizing::sparse_cells(k, keys), keys < 1000 ? 1000 : 200).solved);
    const auto bucket = attempt(k, 1500, umbel::sizing::sparse_cells(k, 1500), 100);
    std::printf("  %.3f %.3f\n", bucket.core, bucket.active);
  }
  std::puts(
      "\n10000 keys, probes: share of attempts solved at 0.99, 0.995, 1, 1.003, 1.005 and 1.01 "
      "times the threshold");
  for (unsigned k = 3; k <= 6; ++k) {
    std::printf("%u:", k);
    for (const double factor : {0.99, 0.995, 1.0, 1.003, 1.005, 1.01})
      std::printf(
          " %.2f",
          attempt(k, 10'000, static_cast<std::uint64_t>(std::ceil(1e4 * threshold(k) * factor)), 50)
              .solved);
    std::puts("");
  }
}
