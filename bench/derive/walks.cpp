// walks.cpp - excess rate of double, enhanced double and triple hashing in small filters: measured
// rate over rho^k, scheme by scheme.
// Idea       False positives of many small filters are compared with the sum of fill^k over the
//            same filters, the number that independent probes would give at these fills. z is the
//            excess in deviations. Beside it the excess that sizing/walks.hpp predicts.
// Limits     Not a benchmark: run it as build/derive/walks after `make build`. Two schemes have a
//            fixed hash and get numbers as keys; the others get digests under 2000 seeds.
// Source     [DM04] for enhanced and triple hashing, [KM06] for double hashing; the table of
//            doc/theory/hashing.md.
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/sizing/walks.hpp>

namespace {

using umbel::hasher;
using umbel::core::k_probes;
using umbel::core::scheme;

constexpr std::uint64_t filters = 2000, non_members = 4000;

double predicted_excess(const k_probes& at, double n) {
  const auto m = static_cast<double>(at.cells());
  const double rho = umbel::sizing::fill_after(n, m, at.probes());
  if (at.how() == scheme::triple_modular) return umbel::sizing::triple_excess(m, at.probes(), rho);
  if (at.how() == scheme::enhanced) return umbel::sizing::enhanced_excess(n, m);
  if (at.how() == scheme::extended) return umbel::sizing::extended_excess(n, m, at.probes(), rho);
  return umbel::core::steps_modulo(at.how()) ? umbel::sizing::double_excess(n, m, rho) : 0;
}

void measure(const k_probes& at, std::uint64_t n) {
  std::uint64_t passed = 0;
  double expected = 0;
  for (std::uint64_t f = 0; f < filters; ++f) {
    const auto key = [&](std::uint64_t i) { return umbel::detail::mix64(f << 32 | i); };
    const hasher hash = umbel::core::has_own_hash(at.how()) ? k_probes::right_hash(at.how(), {})
                                                            : hasher::seeded(f);
    umbel::core::probes<k_probes, umbel::cells::bits> filter(at);
    for (std::uint64_t i = 0; i < n; ++i) (void)filter.insert(hash(key(2 * i)));
    const double fill =
        static_cast<double>(filter.cells().storage().ones()) / static_cast<double>(at.cells());
    expected += std::pow(fill, at.probes());
    for (std::uint64_t i = 0; i < non_members; ++i)
      passed += filter.may_contain(hash(key(2 * i + 1)));
  }
  constexpr double asked = static_cast<double>(filters * non_members);
  const double rate = static_cast<double>(passed) / asked, ideal = expected / filters;
  std::printf("%-15.*s %8.3g %8.3g %9.2g %9.2g %7.1f\n", static_cast<int>(name_of(at.how()).size()),
              name_of(at.how()).data(), rate, ideal, rate - ideal,
              predicted_excess(at, static_cast<double>(n)),
              (rate - ideal) / std::sqrt(ideal / asked));
}

void measure(std::uint64_t m, std::uint64_t n, unsigned k) {
  std::printf("\nm=%llu n=%llu k=%u%s\n", static_cast<unsigned long long>(m),
              static_cast<unsigned long long>(n), k,
              "; chunks: k=4; partitioned and h3: the next size below that suits them");
  std::printf("scheme              rate    rho^k    excess predicted       z\n");
  for (std::size_t i = 0; i < umbel::core::scheme_names.size(); ++i) {
    const auto how = static_cast<scheme>(i);
    const unsigned probes = how == scheme::chunks ? 4 : k;
    const std::uint64_t cells = how == scheme::partitioned ? m / k * k
                                : how == scheme::h3        ? std::bit_floor(m)
                                                           : m;
    measure(k_probes(cells, probes, 0, how), n);
  }
}

}  // namespace

int main() {
  measure(1021, 50, 14);
  measure(512, 32, 10);
  measure(512, 64, 6);
  measure(4096, 200, 14);
  measure(65536, 6554, 7);
}
