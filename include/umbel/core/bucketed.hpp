// bucketed.hpp - keys divided into buckets that are ranges of digests, read bin by bin: for builds
// that solve each bucket separately.
//
// Idea       The bucket of a digest is fastrange(hi, buckets), so buckets are in the order of
//            digests, like the bins of a spool. A piece of work is all buckets that begin in one
//            bin. One pass counts the keys of every bucket. A second pass collects a piece and
//            yields its buckets sorted: this shows duplicate keys, and gives solvers the same order
//            for every order of the input.
// Limits     Memory: one bin of records per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

class bucketed {
 public:
  static constexpr std::size_t pieces = std::size_t{1} << 8;  // as a spool has bins

  bucketed() = default;
  // Counts the keys of every bucket. `Source` has for_each(first bin, last bin, work(span of
  // records)).
  template <class Source>
  bucketed(const Source& keys, std::uint64_t buckets, unsigned threads) : load_(buckets) {
    detail::parallel_for(pieces, threads, [&](std::size_t piece) {
      for_piece(keys, piece, [&](const auto&, std::uint64_t bucket) { ++load_[bucket]; });
    });
  }
  // keys of every bucket
  [[nodiscard]] const std::vector<std::uint64_t>& load() const noexcept { return load_; }

  template <class Record>
  struct workspace {
    std::vector<Record> records;  // of a piece, bucket by bucket
    std::vector<std::uint64_t> next;
  };
  // work(bucket, span of its records in order) for every bucket of a piece. False if a key repeats.
  template <class Source, class Record, class Work>
  [[nodiscard]] bool for_each_bucket(const Source& keys, std::size_t piece,
                                     workspace<Record>& space, Work&& work) const {
    const std::uint64_t first = first_bucket(piece), end = first_bucket(piece + 1);
    std::uint64_t total = 0;
    space.next.clear();
    for (std::uint64_t bucket = first; bucket < end; total += load_[bucket++])
      space.next.push_back(total);
    space.records.resize(total);
    for_piece(keys, piece, [&](const Record& record, std::uint64_t bucket) {
      space.records[space.next[bucket - first]++] = record;
    });
    for (std::uint64_t bucket = first; bucket < end; ++bucket) {
      const std::size_t past = space.next[bucket - first];
      const std::span<Record> own(space.records.data() + past - load_[bucket], load_[bucket]);
      std::sort(own.begin(), own.end());
      const auto same = [](const Record& a, const Record& b) { return key_of(a) == key_of(b); };
      if (std::adjacent_find(own.begin(), own.end(), same) != own.end()) return false;
      work(bucket, std::span<const Record>(own));
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t first_bucket(std::uint64_t piece) const noexcept {
    return detail::ceil_div(piece * load_.size(), pieces);
  }
  // One past the last bin that holds keys of buckets below `bucket`.
  [[nodiscard]] std::size_t end_bin(std::uint64_t bucket) const noexcept {
    // of digests
    const auto past =
        ((static_cast<detail::uint128>(bucket) << 64) + load_.size() - 1) / load_.size();
    return static_cast<std::size_t>((past - 1) >> 56) + 1;
  }
  // work(record, bucket) for every record of a piece.
  template <class Source, class Work>
  void for_piece(const Source& keys, std::uint64_t piece, Work&& work) const {
    const std::uint64_t first = first_bucket(piece), end = first_bucket(piece + 1);
    if (first == end) return;
    keys.for_each(piece, end_bin(end), [&](const auto& block) {
      for (const auto& record : block) {
        const std::uint64_t bucket = detail::fastrange(key_of(record).hi, load_.size());
        if (bucket >= first && bucket < end) work(record, bucket);
      }
    });
  }

  std::vector<std::uint64_t> load_;
};

}  // namespace umbel::core
