// theory.cpp - prints the figures of doc/theory/ and of the sizes in doc/guide/ that follow from
// formulas alone.
// Idea       Every number comes from sizing/ or from a plan; none is typed in here.
// Limits     Not a benchmark: run it as build/derive/theory after `make build`.
#include <umbel/map/binary_fuse_map.hpp>
#include <umbel/set/best_of_bloom_filter.hpp>
#include <umbel/set/binary_fuse_filter.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/set/golomb_coded_set.hpp>
#include <umbel/set/selected_bloom_filter.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>
#include <umbel/sizing/blocked.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

namespace {

using namespace umbel;
using namespace umbel::sizing;

void bloom_rates() {
  std::puts("\nbloom: m n k: asymptotic classic corrected exact");
  for (const auto& [m, n, k] : {std::tuple{2U, 1U, 2U},
                                {16U, 3U, 3U},
                                {64U, 5U, 8U},
                                {128U, 20U, 4U},
                                {512U, 51U, 7U},
                                {1024U, 102U, 7U}})
    std::printf("%u %u %u: %.6g %.6g %.6g %.6g\n", m, n, k, bloom_fpr_asymptotic(n, m, k),
                bloom_fpr_classic(n, m, k), bloom_fpr_corrected(n, m, k), bloom_fpr_exact(n, m, k));
  std::puts(
      "\nbloom: bits per key, best probes, rate, bits over log2(1/rate); probes per non-member");
  for (const std::uint64_t c : {6U, 8U, 10U, 12U, 16U, 20U, 24U}) {
    const unsigned k = bloom_probes(1'000'000, c * 1'000'000);
    const double f = bloom_fpr(1'000'000, c * 1'000'000, k);
    const double fill = -std::expm1(-static_cast<double>(k) / static_cast<double>(c));
    std::printf("%llu %u %.4g %.4f %.3f\n", static_cast<unsigned long long>(c), k, f,
                static_cast<double>(c) / -std::log2(f), bloom_probes_per_non_member(fill, k));
  }
  std::printf("\noptimal probes, m=64 n=8: classic %.4f, asymptotic %.4f\n",
              bloom_optimal_probes(8, 64), 8 * std::numbers::ln2);
  std::printf("cardinality: m=95851 k=7 n=1e4: standard error %.2f\n",
              bloom_cardinality_error(1e4, 95851, 7));
  std::printf(
      "zeros: m=95851 k=7 n=1e4: deviation %.1f, Azuma's bound on missing by 5 of them %.2g\n",
      std::sqrt(bloom_variance_of_zeros(1e4, 95851, 7)),
      bloom_azuma_bound(1e4, 95851, 7,
                        5 * std::sqrt(bloom_variance_of_zeros(1e4, 95851, 7)) / 95851));
  std::puts("\nlower bounds, bits per key at n=1e4: universe, rates 0.1 0.01 0.001");
  for (const int log_u : {16, 20, 32}) {
    std::printf("2^%d", log_u);
    for (const double eps : {0.1, 0.01, 0.001})
      std::printf(" %.3f", set_lower_bound(1e4, eps, std::exp2(log_u)) / 1e4);
    std::puts("");
  }
  std::printf("none");
  for (const double eps : {0.1, 0.01, 0.001}) std::printf(" %.3f", set_lower_bound(1, eps));
  std::puts("");
}

void blocked_rates() {
  std::puts(
      "\nsplit block: bits per key, mean load, deviation, quick rule's rate, rate, plain bloom's, "
      "x bound");
  for (const double c : {6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0}) {
    const double load = 256 / c, f = block_fpr({32, 8, 8, 1}, c);
    const auto m = static_cast<std::uint64_t>(c * 1e6);
    std::printf("%g %.1f %.1f %.4g %.4g %.4g %.3f\n", c, load, std::sqrt(load),
                std::pow(-std::expm1(-8 / c), 8), f,
                bloom_fpr(1'000'000, m, bloom_probes(1'000'000, m)), c / -std::log2(f));
  }
  std::puts("\nbits per key for a rate, 1e6 keys: bloom, split-block, golomb, fuse");
  for (const double eps : {0.1, 0.01, 1.0 / 256, 0.001, 0.0001, 0.00001})
    std::printf("%.4g: %.2f %.2f %.2f %.2f\n", eps,
                bloom_filter::plan({.keys = 1'000'000, .fpr = eps}).bits_per_key(),
                split_block_bloom_filter::plan({.keys = 1'000'000, .fpr = eps}).bits_per_key(),
                golomb_coded_set::plan({.keys = 1'000'000, .fpr = eps}).bits_per_key(),
                binary_fuse_filter::plan({.keys = 1'000'000, .fpr = eps}).bits_per_key());
}

void golomb_sizes() {
  std::puts("\ngolomb: log2 M, P, bits of the code, entropy of the gaps, over log2 M");
  for (const int r : {4, 6, 8, 10, 12, 16, 20}) {
    const double spread = std::exp2(r), p = 1 / spread;
    const auto plan = plan_golomb(p);
    const double entropy = (-p * std::log2(p) - (1 - p) * std::log2(1 - p)) / p;
    const double bits = golomb_bits_per_key(spread, plan.remainder_bits);
    std::printf("%d %u %.3f %.3f %.3f\n", r, plan.remainder_bits, bits, entropy, bits - r);
  }
  const double bip = 784931;
  std::printf("M=784931 P=19: %.3f, over log2 M %.3f\n", golomb_bits_per_key(bip, 19),
              golomb_bits_per_key(bip, 19) - std::log2(bip));
}

void fuse_sizes() {
  std::puts("\nfuse: keys, shards, length, segments of one shard, cells per key by plan");
  for (const std::uint64_t n : {10ULL, 100ULL, 1'000ULL, 10'000ULL, 100'000ULL, 1'000'000ULL,
                                3'999'999ULL, 10'000'000ULL, 100'000'000ULL, 1'000'000'000ULL}) {
    const auto plan = binary_fuse_filter::plan({.keys = n});
    const unsigned shards = peel_shard_bits(n);
    const auto shape = plan_fuse(3, n >> shards);
    std::printf("%llu 2^%u 2^%.0f %.0f %.4f\n", static_cast<unsigned long long>(n), shards,
                static_cast<double>(shape.length_bits), static_cast<double>(shape.segments),
                static_cast<double>(plan.cells) / static_cast<double>(n));
  }
  std::puts("\nfuse-map: 1e6 keys, value bits, rate (0: none), bits per key");
  for (const auto& [bits, eps] :
       {std::pair{1U, 0.0}, {4U, 0.0}, {8U, 0.0}, {8U, 0.01}, {8U, 0.001}, {32U, 0.001}}) {
    binary_fuse_map::options_type options{.keys = 1'000'000, .value_bits = bits};
    if (eps > 0) options.fpr = eps;
    std::printf("%u %g %.2f\n", bits, eps, binary_fuse_map::plan(options).bits_per_key());
  }
}

void selection_rates() {
  std::puts("\nselection: mean of the largest of C normals");
  for (const double c : {2., 4., 8., 16., 32., 64., 256.})
    std::printf("%g %.4f\n", c, mean_largest_normal(c));
  std::puts(
      "\nselection: 1e6 keys, 12 bits per key with the table: keys per group, rate and probes at C "
      "= 2 8 32 64 256");
  for (const std::uint64_t size : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    std::printf("%llu:", static_cast<unsigned long long>(size));
    for (const unsigned c : {2U, 8U, 32U, 64U, 256U}) {
      const auto plan = selected_bloom_filter::plan(
          {.keys = 1'000'000, .bits = 12'000'000, .groups = 1'000'000 / size, .candidates = c});
      std::printf(" %.3g (%u)", plan.fpr, plan.probes);
    }
    std::puts("");
  }
  std::puts(
      "\nselection: bits per key for a rate, 1e6 keys; bits for 100 keys: best of 16 and of 256, "
      "bloom");
  for (const double eps : {0.1, 0.01, 1.0 / 256, 0.001, 0.0001})
    std::printf("%.4g: %.2f; %.2f %.2f %.2f\n", eps,
                selected_bloom_filter::plan({.keys = 1'000'000, .fpr = eps}).bits_per_key(),
                best_of_bloom_filter::plan({.keys = 100, .fpr = eps}).bits_per_key(),
                best_of_bloom_filter::plan({.keys = 100, .fpr = eps, .tries = 256}).bits_per_key(),
                bloom_filter::plan({.keys = 100, .fpr = eps}).bits_per_key());
  std::puts("\nbest of N: m = 8n, k = 6: rate over that of one, N = 16 and 256");
  for (const double m : {800., 8000., 80'000., 800'000.}) {
    const double one = selected_fpr(m / 8, m, 6, {1, 1});
    std::printf("%g: %.3f %.3f\n", m, selected_fpr(m / 8, m, 6, {1, 16}) / one,
                selected_fpr(m / 8, m, 6, {1, 256}) / one);
  }
}

}  // namespace

int main() {
  bloom_rates();
  blocked_rates();
  golomb_sizes();
  fuse_sizes();
  selection_rates();
}
