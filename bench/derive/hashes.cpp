// hashes.cpp - every probing scheme on random and on structured keys: how evenly it loads the
// cells, the rate of its filter, and the cost of a query.
// Idea       After the survey's study of 25 hash functions [TRL12]. Good hashing makes structured
//            keys as good as random ones. Schemes that hash little (pairwise, h3, crc) depend on
//            the keys; the table shows how much.
// Columns    chi2: chi-square of the cells' loads over its degrees of freedom, 1 for even loads, of
//            all keys asked or given; rate/rho^k and z: false positives against independent probes
//            at the same fill; ns: hash and probes of one non-member.
// Limits     Reported, not asserted: test/set/bloom_schemes_test.cpp asserts what is promised. Run
//            as build/derive/hashes.
// Source     [TRL12] sec. II-C, [MV08]; the table of doc/theory/hashing.md.
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/hasher.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <umbel/cells/bits.hpp>
#include <umbel/engine/probe/probes.hpp>

namespace {

using umbel::hasher;
using umbel::core::k_probes;
using umbel::core::scheme;

constexpr std::uint64_t cells = std::uint64_t{1} << 17, members = cells / 10,
                        non_members = 1'000'000;
constexpr unsigned probes = 7;

template <class Key>
void measure(scheme how, const char* family, const std::vector<Key>& keys) {
  const unsigned k = how == scheme::chunks ? 4 : probes;
  const k_probes at(how == scheme::partitioned ? cells / k * k : cells, k, 0, how);
  const hasher hash = k_probes::right_hash(how, {});
  std::vector<std::uint32_t> loads(at.cells());
  for (const Key& key : keys)
    (void)umbel::core::all_of(at, hash(key),
                              [&](std::uint64_t cell) { return ++loads[cell] != 0; });
  const double mean = static_cast<double>(keys.size() * k) / static_cast<double>(at.cells());
  double square = 0;
  for (const std::uint32_t load : loads) square += (load - mean) * (load - mean) / mean;

  umbel::core::probes<k_probes, umbel::cells::bits> filter(at);
  for (std::uint64_t i = 0; i < members; ++i) (void)filter.insert(hash(keys[i]));
  const double fill =
      static_cast<double>(filter.cells().storage().ones()) / static_cast<double>(at.cells());
  std::uint64_t passed = 0;
  const std::clock_t start = std::clock();  // the processor's time, whatever else it does
  for (std::uint64_t i = members; i < keys.size(); ++i) passed += filter.may_contain(hash(keys[i]));
  const double ns = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / non_members;
  const double ideal = std::pow(fill, k) * non_members;
  std::printf("| %.*s | %s | %.3f | %.3f | %.1f | %.0f |\n", static_cast<int>(name_of(how).size()),
              name_of(how).data(), family, square / static_cast<double>(at.cells() - 1),
              static_cast<double>(passed) / ideal,
              (static_cast<double>(passed) - ideal) / std::sqrt(ideal), ns);
}

template <class Make>
auto family(Make&& make) {
  std::vector<decltype(make(std::uint64_t{0}))> keys;
  for (std::uint64_t i = 0; i < members + non_members; ++i) keys.push_back(make(i));
  return keys;
}

}  // namespace

int main() {
  const auto random =
      family([](std::uint64_t i) { return umbel::detail::mix64(i ^ 0x5851F42D4C957F2D); });
  const auto counters = family([](std::uint64_t i) { return i; });
  const auto urls = family([](std::uint64_t i) {
    return "http://www.host" + std::to_string(i / 64) + ".example.org/articles/" +
           std::to_string(i % 64) + ".html";
  });
  // Neighbouring networks of 256 addresses: four bytes of address and one of length.
  const auto prefixes = family([](std::uint64_t i) {
    return std::string{10, static_cast<char>(i >> 16), static_cast<char>(i >> 8),
                       static_cast<char>(i), 24};
  });
  std::printf("| scheme | keys | chi2 | rate/rho^k | z | ns |\n|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < umbel::core::scheme_names.size(); ++i) {
    const auto how = static_cast<scheme>(i);
    measure(how, "random", random);
    measure(how, "counters", counters);
    measure(how, "URLs", urls);
    measure(how, "prefixes", prefixes);
  }
}
