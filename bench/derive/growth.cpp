// growth.cpp - sets that grow from a thousand keys to ten million: bits per key and rate at each
// doubling, the tables of doc/theory/growing.md.
// Idea       Keys are inserted one by one into each filter; at every doubling a million non-members
//            are queried.
// Limits     Not a benchmark: run it as build/derive/growth after `make build`. It takes a minute;
//            a number as argument is the last size.
#include <umbel/set/dynamic_bloom_filter.hpp>
#include <umbel/set/expandable_filter.hpp>
#include <umbel/set/scalable_bloom_filter.hpp>
#include <umbel/set/taffy_block_filter.hpp>
#include <umbel/set/taffy_cuckoo_filter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

constexpr std::uint64_t first = 1000, non_members = 1'000'000, non_member = std::uint64_t{1} << 40,
                        chunk = 4096;

template <class Filter>
[[nodiscard]] double measured(const Filter& filter) {
  std::vector<std::uint64_t> keys(chunk);
  bool answers[chunk];
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < non_members; i += chunk) {
    std::iota(keys.begin(), keys.end(), non_member + i);
    filter.may_contain_batch(keys, answers);
    passed += static_cast<std::uint64_t>(std::count(answers, answers + chunk, true));
  }
  return static_cast<double>(passed) /
         static_cast<double>((non_members + chunk - 1) / chunk * chunk);
}

template <class Filter>
void grow(Filter filter, const char* name, std::uint64_t most) {
  std::printf("%s\n%12s %14s %10s %10s\n", name, "keys", "bits per key", "rate", "expected");
  std::vector<std::uint64_t> keys;
  std::uint64_t in = 0;
  for (std::uint64_t until = first; in < most; until = std::min(2 * until, most)) {
    while (in < until) {
      keys.resize(std::min<std::uint64_t>(until - in, 1 << 16));
      std::iota(keys.begin(), keys.end(), in);
      filter.insert_batch(keys);
      in += keys.size();
    }
    std::printf("%12llu %14.2f %9.4f%% %9.4f%%\n", static_cast<unsigned long long>(in),
                static_cast<double>(filter.size_in_bits()) / static_cast<double>(in),
                100 * measured(filter), 100 * filter.expected_fpr());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  grow(umbel::scalable_bloom_filter({.keys = first, .fpr = 0.01}),
       "scalable_bloom_filter, a guess of 1000 at 1 %", most);
  grow(umbel::taffy_block_filter({.keys = first, .fpr = 0.01}),
       "taffy_block_filter, a guess of 1000 at 1 %", most);
  grow(umbel::taffy_cuckoo_filter({.keys = first, .fpr = 0.01}),
       "taffy_cuckoo_filter, a guess of 1000 at 1 %", most);
  grow(umbel::expandable_filter({.keys = first, .fpr = 0.01}),
       "expandable_filter, a guess of 1000 at 1 %", most);
  // Its rate grows with the number of rows by design: rows for a hundredth of the keys.
  grow(umbel::dynamic_bloom_filter({.keys = most / 100, .fpr = 0.01}),
       "dynamic_bloom_filter, rows of a hundredth at 1 %", most);
}
