// bench.hpp - input and result of a measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace umbel::bench {

class subject;  // measure.hpp: a kind under measurement

struct workload {
  std::uint64_t keys = 1'000'000;
  // default: 12 for growing kinds, rate 2^-8 for static ones
  std::optional<double> bits_per_key{};
  std::optional<double> fpr{};
  unsigned threads = 1;
  unsigned key_length = 0;  // bytes of keys that are text; 0: keys are 64-bit integers
  unsigned rounds = 9;      // medians are over these
  std::uint64_t non_members = 10'000'000;  // number of queries for the measured rate
};

// One line of a table. Times are medians in nanoseconds per key.
struct row {
  std::string kind;
  std::uint64_t keys = 0;
  unsigned key_length = 0;  // as the workload has it
  double bits_per_key = 0;
  double fpr = 0;
  // bits_per_key divided by the lower bound: log2(1/fpr), for a map plus its value bits; log2(e)
  // for an index
  double overhead = 0;
  double build_ns = 0;
  // the first build of a process, whose memory is not yet mapped; of integers only
  std::optional<double> build_cold_ns{};
  double hit_ns = 0, miss_ns = 0, batch_hit_ns = 0, batch_miss_ns = 0;
  // of keys already present, if inserting them again changes nothing; otherwise nothing
  std::optional<double> batch_insert_ns{};
  double line_read_ns = 0;  // reading one random cache line of an array of this size
};

}  // namespace umbel::bench
