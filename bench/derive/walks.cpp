// walks.cpp - what cheap probe sequences cost in small filters: measured rate over rho^k, scheme by scheme.
// Idea       Many small filters; strangers that pass are compared with the sum of fill^k over the same filters, which is
//            what independent probes would let through whatever the fills came out as. z is the excess in deviations.
// Limits     Not a benchmark: run it as build/derive/walks after `make build`.
// Source     [DM04] for enhanced and triple hashing, [KM06] for double hashing; the table of doc/theory/hashing.md.
#include <umbel/hash/hasher.hpp>
#include <umbel/index/multi.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using umbel::digest;
using umbel::detail::fastrange;

enum class scheme { independent, plain_double, enhanced, triple, default_triple };
constexpr const char* names[] = {"independent", "double mod m", "enhanced mod m", "triple mod m", "triple, 64-bit"};

// visit(position) for every probe, while it answers true.
template <class Visit>
bool walk(scheme how, digest d, std::uint64_t m, unsigned k, Visit&& visit) {
  if (how == scheme::independent || how == scheme::default_triple) {
    using index = umbel::index::multi;
    const index at(m, k, 0, how == scheme::independent ? index::scheme::independent : index::scheme::triple);
    return umbel::index::all_of(at, d, visit);
  }
  std::uint64_t x = fastrange(umbel::detail::remix(d.hi, 1), m), y = fastrange(umbel::detail::remix(d.lo, 2), m);
  const std::uint64_t z = fastrange(umbel::detail::remix(d.hi ^ d.lo, 3), m);
  if (how == scheme::plain_double && y == 0) y = 1;
  for (unsigned i = 0; i < k; ++i) {
    if (!visit(x)) return false;
    x = (x + y) % m;
    if (how == scheme::enhanced) y = (y + i + 1) % m;
    if (how == scheme::triple) y = (y + z) % m;
  }
  return true;
}

void measure(std::uint64_t m, std::uint64_t n, unsigned k) {
  constexpr std::uint64_t filters = 2000, strangers = 4000;
  std::printf("\nm=%llu n=%llu k=%u: rate, rho^k, excess, z\n", static_cast<unsigned long long>(m),
              static_cast<unsigned long long>(n), k);
  for (const scheme how :
       {scheme::independent, scheme::plain_double, scheme::enhanced, scheme::triple, scheme::default_triple}) {
    std::uint64_t passed = 0;
    double expected = 0;
    for (std::uint64_t f = 0; f < filters; ++f) {
      const auto hash = umbel::hasher::seeded(f);
      std::vector<bool> bits(m);
      for (std::uint64_t i = 0; i < n; ++i)
        (void)walk(how, hash(2 * i), m, k, [&](std::uint64_t at) { return bits[at] = true; });
      double ones = 0;
      for (const bool bit : bits) ones += bit;
      expected += std::pow(ones / static_cast<double>(m), k);
      for (std::uint64_t i = 0; i < strangers; ++i)
        passed += walk(how, hash(2 * i + 1), m, k, [&](std::uint64_t at) { return bool{bits[at]}; });
    }
    const double rate = static_cast<double>(passed) / (filters * strangers), ideal = expected / filters;
    std::printf("%-15s %.3g %.3g %+.0f%% %.1f\n", names[static_cast<int>(how)], rate, ideal, 100 * (rate / ideal - 1),
                (rate - ideal) / std::sqrt(ideal / (filters * strangers)));
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
