// perfect.cpp - prints what sizing/perfect.hpp rests on: evictions, failures and time of searches, by load and keys per bucket.
// Limits     Run it as build/derive/perfect [keys of a part] [seeds] after `make build`; times are of this machine.
// Source     [GK25].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/index/buckets.hpp>
#include <umbel/solve/pilots.hpp>

namespace {

using umbel::detail::remix;

struct figures {
  unsigned solved = 0;
  double evictions = 0, nanoseconds = 0;  // per key
};

figures search(std::uint32_t keys, double lambda, bool skewed, double load, unsigned seeds) {
  figures out;
  const auto buckets = static_cast<std::uint32_t>(keys / lambda) + 1, slots = static_cast<std::uint32_t>(keys / load);
  const umbel::index::buckets at(buckets, skewed);
  umbel::solve::pilot_search pilots;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::vector<std::vector<std::uint32_t>> in(buckets);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::uint64_t word = remix(seed, i);
      in[at.bucket(word)].push_back(umbel::index::buckets::hash(word));
    }
    std::vector<std::uint32_t> starts{0}, hashes, taken(slots / 32 + 1);
    for (const auto& bucket : in) {
      hashes.insert(hashes.end(), bucket.begin(), bucket.end());
      starts.push_back(static_cast<std::uint32_t>(hashes.size()));
    }
    std::vector<std::uint32_t> found(buckets);
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome =
        pilots.run(starts, hashes.data(), slots, seed, umbel::solve::pilot_search::width::byte, found, taken.data());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    out.solved += outcome == umbel::solve::pilot_search::outcome::solved;
    out.evictions += static_cast<double>(pilots.evictions()) / keys / seeds;
    out.nanoseconds += took.count() / keys / seeds;
  }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  const auto keys = static_cast<std::uint32_t>(count > 1 ? std::atol(arguments[1]) : 150'000);
  const auto seeds = static_cast<unsigned>(count > 2 ? std::atol(arguments[2]) : 5);
  std::printf("lambda  buckets  load   solved  evictions per key  ns per key\n");
  for (const double lambda : {3.0, 3.5, 4.0, 4.05, 4.1})
    for (const bool skewed : {false, true}) {
      if (!skewed && lambda > 3) continue;
      for (const double load : {0.987, 0.99, 0.994, 0.998}) {
        const figures f = search(keys, lambda, skewed, load, seeds);
        std::printf("%5.2f   %-7s  %.3f  %2u/%u   %.4f             %.0f\n", lambda, skewed ? "uneven" : "even", load,
                    f.solved, seeds, f.evictions, f.nanoseconds);
      }
    }
}
