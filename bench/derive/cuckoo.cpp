// cuckoo.cpp - load of cuckoo filters [FAKM14] at the first failed insert: mean and deviation, by
// bucket size, tag width and number of buckets. Prints the figures of doc/theory/cuckoo.md. Usage:
// cuckoo [slots [width [slots in all, at most]]]
#include <umbel/engine/table/cuckoo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int count, char** words) {
  const auto number = [&](int i, std::uint64_t usual) {
    return count > i ? std::strtoull(words[i], nullptr, 10) : std::uint64_t{usual};
  };
  const auto slots = static_cast<unsigned>(number(1, 4)),
             width = static_cast<unsigned>(number(2, 12));
  const std::uint64_t most = number(3, 1 << 20);
  std::mt19937_64 random(1);
  for (std::uint64_t buckets = 2; buckets * slots <= most; buckets *= 2) {
    const auto room = static_cast<double>(buckets * slots);
    const int rounds = static_cast<int>(std::clamp(2e6 / room, 5.0, 5000.0));
    double sum = 0, squares = 0, least = room;
    for (int i = 0; i < rounds; ++i) {
      umbel::core::cuckoo table(umbel::core::bucket_pair(buckets, width), slots);
      double in = 0;
      while (!table.has_victim() && table.try_insert({random(), random()})) ++in;
      sum += in, squares += in * in, least = std::min(least, in);
    }
    const double mean = sum / rounds;
    std::printf(
        "%u slots of %u bits, %9.0f in all: first failed insert at %.4f, deviation %.1f keys, "
        "least of "
        "%d %.4f\n",
        slots, width, room, mean / room, std::sqrt(std::max(0.0, squares / rounds - mean * mean)),
        rounds, least / room);
  }
}
