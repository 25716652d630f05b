// cascade.cpp - depth, size and errors of filter cascades, and sizes of exact sets: the tables of
// doc/theory/cascade.md, doc/theory/exact-set.md and the guide.
// Idea       The library's own builds; non-members are keys that were not given.
// Limits     Not a benchmark: run it as build/derive/cascade after `make build`. 1e7 keys take
//            about 2 GB.
// Source     [CKRT04] sec. 2 for the claims; [LCL17] and [Sch25] for published sizes.
#include <umbel/map/cascade_map.hpp>
#include <umbel/set/exact_cascade_set.hpp>
#include <umbel/set/exact_set.hpp>
#include <umbel/sizing/exact_set.hpp>
#include <umbel/sizing/subset.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {

constexpr std::uint64_t non_members = 1'000'000, far = std::uint64_t{1} << 40;

umbel::pair_spool halves(std::uint64_t n) {
  umbel::pair_spool out;
  for (std::uint64_t i = 0; i < n; ++i) out.add(umbel::core::valued{umbel::hasher()(i), i % 2});
  return out;
}

void paper() {
  std::puts(
      "the paper's cascade: k, keys, levels (bound), bits per key (bound), non-members answered "
      "(bound), levels they "
      "visit");
  for (unsigned k = 2; k <= 4; ++k)
    for (std::uint64_t n = 1000; n <= 10'000'000; n *= 10) {
      const auto map = umbel::cascade_map::build(
          halves(n),
          {.levels = umbel::sizing::cascade_levels::paper, .paper_probes = k, .threads = 2});
      std::uint64_t hits = 0, visited = 0;
      for (std::uint64_t i = 0; i < non_members; ++i) {
        hits += map.find(far + i).has_value();
        visited += map.depth(far + i);
      }
      std::printf("| %u | %llu | %u (%.1f) | %.2f (%u) | %.4f (%.4f) | %.3f |\n", k,
                  static_cast<unsigned long long>(n), map.levels(),
                  umbel::sizing::paper_levels_bound(static_cast<double>(n), k),
                  static_cast<double>(map.size_in_bits()) / static_cast<double>(n), 3 * k,
                  static_cast<double>(hits) / static_cast<double>(non_members),
                  2 * std::exp2(-static_cast<double>(k)),
                  static_cast<double>(visited) / static_cast<double>(non_members));
    }
}

void sized() {
  std::puts(
      "\n1e6 keys at rate 1 %: value bits, levels, tail, bits per key, levels used, keys in the "
      "tail");
  for (const unsigned bits : {1U, 2U, 4U})
    for (const auto how :
         {umbel::sizing::cascade_levels::tight, umbel::sizing::cascade_levels::quick})
      for (const bool tail : {false, true}) {
        umbel::pair_spool pairs;
        for (std::uint64_t i = 0; i < 1'000'000; ++i)
          pairs.add(umbel::core::valued{umbel::hasher()(i), i % (1U << bits)});
        const auto map = umbel::cascade_map::build(
            pairs, {.value_bits = bits, .fpr = 0.01, .levels = how, .tail = tail});
        std::printf("| %u | %s | %s | %.3f | %u | %llu |\n", bits,
                    how == umbel::sizing::cascade_levels::tight ? "tight" : "quick",
                    tail ? "yes" : "no", static_cast<double>(map.size_in_bits()) / 1e6,
                    map.levels(), static_cast<unsigned long long>(map.tail_keys()));
      }
}

// row(set, members) for sets of these members among a million keys.
template <class Set, class Row>
void of_a_million(Row&& row) {
  constexpr std::uint64_t universe = 1'000'000;
  for (const std::uint64_t members :
       {1000U, 10'000U, 100'000U, 300'000U, 500'000U, 900'000U, 999'000U}) {
    umbel::digest_spool in, out;
    for (std::uint64_t i = 0; i < universe; ++i) (i < members ? in : out).add(umbel::hasher()(i));
    const auto set = Set::build(in, out, {});
    const auto m = static_cast<double>(members), u = static_cast<double>(universe);
    const auto [steps, formula] = row(set, members, universe - members);
    const double smaller = std::fmin(m, u - m);
    std::printf("| %llu | %u | %.2f | %.2f | %.2f |\n", static_cast<unsigned long long>(members),
                steps, static_cast<double>(set.size_in_bits()) / smaller, formula / smaller,
                umbel::sizing::subset_bits(u, m) / smaller);
  }
}

void exact() {
  std::puts(
      "\nexact cascades: members of 10^6, layers, bits per key of the smaller side, by formula, "
      "bound");
  of_a_million<umbel::exact_cascade_set>([](const auto& set, std::uint64_t r, std::uint64_t s) {
    return std::pair(set.layers(), umbel::sizing::exact_cascade_bits(static_cast<double>(r),
                                                                     static_cast<double>(s)));
  });
  std::printf(
      "11.7e6 of 816e6: %.2f MB by formula, %.2f MB planned, 19.3 MB published, bound %.2f MB\n",
      umbel::sizing::exact_cascade_bits(11.7e6, 804.3e6) / 8e6,
      static_cast<double>(umbel::sizing::plan_exact_cascade(11'700'000, 804'300'000).bits) / 8e6,
      umbel::sizing::subset_bits(816e6, 11.7e6) / 8e6);
  std::puts(
      "\nexact sets: members of 10^6, rank, bits per key of the smaller side, by formula, bound");
  of_a_million<umbel::exact_set>([](const auto& set, std::uint64_t c, std::uint64_t s) {
    return std::pair(set.rank(), umbel::sizing::exact_set_bits(c, s));
  });
  std::printf(
      "11.7e6 of 816e6: %.2f MB by formula, %.2f MB planned, 8.5 MB published with 795 blocks\n",
      umbel::sizing::exact_set_bits(11'700'000, 804'300'000) / 8e6,
      static_cast<double>(
          umbel::exact_set::plan({.keys = 11'700'000, .universe = 816'000'000}).bits) /
          8e6);
}

}  // namespace

int main() {
  paper();
  sized();
  exact();
}
