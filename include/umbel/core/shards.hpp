// shards.hpp - keys divided by the top bits of their digests: the units that static builds solve
// separately and in parallel.
//
// The shard of a key is fastrange(hi, shards). A shard is several bins of a spool, or a part of one
// bin, so no key is moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/core/record_source.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class shards {
 public:
  explicit shards(std::uint64_t bits) noexcept : bits_(static_cast<unsigned>(bits)) {}

  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return std::uint64_t{1} << bits_; }
  [[nodiscard]] std::uint64_t of(digest d) const noexcept {
    return detail::fastrange(d.hi, count());
  }

  // work(record) for every record of one shard.
  template <class Record, class Work>
  void for_each(const record_source<Record>& keys, std::uint64_t shard, Work&& work) const {
    constexpr unsigned bin_bits = record_source<Record>::bin_bits;
    if (bits_ <= bin_bits) {
      const unsigned joined = bin_bits - bits_;
      keys.for_each(shard << joined, (shard + 1) << joined, [&](std::span<const Record> block) {
        for (const Record& record : block) work(record);
      });
    } else {
      const std::size_t bin = shard >> (bits_ - bin_bits);
      keys.for_each(bin, bin + 1, [&](std::span<const Record> block) {
        for (const Record& record : block)
          if (of(key_of(record)) == shard) work(record);
      });
    }
  }

  // The number of keys in every shard.
  template <class Record>
  [[nodiscard]] std::vector<std::uint64_t> loads(const record_source<Record>& keys) const {
    constexpr unsigned bin_bits = record_source<Record>::bin_bits;
    std::vector<std::uint64_t> out(count());
    if (bits_ <= bin_bits) {
      const unsigned joined = bin_bits - bits_;
      for (std::uint64_t i = 0; i < out.size(); ++i)
        out[i] = keys.count(i << joined, (i + 1) << joined);
    } else {
      keys.for_each(0, record_source<Record>::bins, [&](std::span<const Record> block) {
        for (const Record& record : block) ++out[of(key_of(record))];
      });
    }
    return out;
  }

  // The same for structures in which every shard gets the capacity of the largest. Where shards are
  // more uneven than chance makes them, they are joined in pairs: crafted digests then cost speed,
  // not memory. Empty if duplicate keys may be the cause. `rows_of_a_key` is for keys with several
  // records: these are in one shard, so loads vary more.
  template <class Record>
  [[nodiscard]] std::vector<std::uint64_t> balance(const record_source<Record>& keys,
                                                   bool may_repeat, double rows_of_a_key = 1) {
    std::vector<std::uint64_t> load = loads(keys);
    for (; bits_ > 0; --bits_) {
      const double mean = static_cast<double>(keys.size()) / static_cast<double>(load.size());
      if (static_cast<double>(*std::max_element(load.begin(), load.end())) <=
          mean + 10 * std::sqrt(mean * rows_of_a_key) + 10)
        break;
      if (may_repeat) return {};
      for (std::uint64_t i = 0; i < load.size() / 2; ++i) load[i] = load[2 * i] + load[2 * i + 1];
      load.resize(load.size() / 2);
    }
    return load;
  }

  // Whether two records of a shard are equal in what row_of takes from them.
  template <class Record, class RowOf>
  [[nodiscard]] bool any_repeats(const record_source<Record>& keys, std::uint64_t shard,
                                 RowOf&& row_of) const {
    std::vector<decltype(row_of(Record{}))> all;
    for_each(keys, shard, [&](const Record& record) { all.push_back(row_of(record)); });
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) != all.end();
  }

 private:
  unsigned bits_;
};

}  // namespace umbel::core
