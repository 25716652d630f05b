// bench.hpp - what a measurement asks for and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace umbel::bench {

class subject;  // measure.hpp: a kind as the harness sees it

struct workload {
  std::uint64_t keys = 1'000'000;
  // default: 12 for kinds that grow, rate 2^-8 for static ones
  std::optional<double> bits_per_key{};
  std::optional<double> fpr{};
  unsigned threads = 1;
  unsigned key_length = 0;  // bytes of keys that are text; 0: keys are 64-bit integers
  unsigned rounds = 9;      // medians are over these
  std::uint64_t non_members = 10'000'000;  // the measured rate comes from this many
};

// One line of a table; times are nanoseconds per key, medians.
struct row {
  std::string kind;
  std::uint64_t keys = 0;
  unsigned key_length = 0;  // as the workload has it
  double bits_per_key = 0;
  double fpr = 0;
  // bits_per_key over the bound: log2(1/fpr), and a map's value bits; log2(e) of an index
  double overhead = 0;
  double build_ns = 0;
  // of the first build of a process, which has no memory yet; of integers only
  std::optional<double> build_cold_ns{};
  double hit_ns = 0, miss_ns = 0, batch_hit_ns = 0, batch_miss_ns = 0;
  // of keys that are in, where that changes nothing; none for others
  std::optional<double> batch_insert_ns{};
  double line_read_ns = 0;  // the memory's limit at this size
};

}  // namespace umbel::bench
