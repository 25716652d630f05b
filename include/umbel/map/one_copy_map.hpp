// one_copy_map.hpp - fast hash table behind a Bloom filter [AW08]: exact map that keeps every
// record once and rejects most non-members without reading a bucket.
//
// A key sets k bits, as in any Bloom filter, and each bit has a bucket. Other designs store the
// record in all k buckets and read the emptiest one. Here an extra hash function chooses the
// bucket: n records are stored instead of k n, and one bucket is read if the filter accepts the
// key.
//
// Layout     m bits; for each the number of the first record of its bucket; records in the order of
//            inserts, linked into chains.
// Invariant  Exact: keys are compared. A key has at most one record.
// Limits     In memory only. A bucket has n/m records on average. 32 bits for each cell and for
//            each record, besides the key and the record.
// Threads    Many readers or one writer.
// Source     [AW08], the form for packet classifiers. The other form, with one bit per key, is
//            engine/probe/one_of_k.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/engine/probe/one_of_k.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

// Options of one_copy_map.
struct one_copy_options {
  std::uint64_t keys = 0;  // number of keys it is planned for
  double fpr = 0.01;       // share of non-members for which a bucket is read
  hasher hash{};           // hash function, and its seed or secret key
};

// The map from `Key` to `Record`.
template <key Key, class Record>
class one_copy_map {
 public:
  // An empty map. Throws bad_parameter for impossible options.
  explicit one_copy_map(const one_copy_options& options)
      : hash_(options.hash), index_(planned(options)), filter_(index_.all()) {
    first_.assign(index_.cells(), none);
  }

  // Inserts or replaces the record of a key. True: the key is new. Throws `full` above 2^32 - 1
  // records.
  bool insert(const Key& key, Record record) {
    const digest d = hash_(key);
    if (entry* const known = filter_.may_contain(d) ? look(key, d) : nullptr; known != nullptr) {
      known->record = std::move(record);
      return false;
    }
    if (entries_.size() == none) throw full("a one-copy map holds at most 2^32 - 1 records");
    const std::uint64_t bucket = index_.cell(d);
    entries_.push_back({key, std::move(record), first_[bucket]});
    first_[bucket] = static_cast<std::uint32_t>(entries_.size() - 1);
    filter_.insert(d);
    return true;
  }
  // The record of the key, or null. An insert invalidates the pointer.
  [[nodiscard]] const Record* find(const Key& key) const noexcept {
    const digest d = hash_(key);
    const entry* const known = filter_.may_contain(d) ? look(key, d) : nullptr;
    return known == nullptr ? nullptr : &known->record;
  }
  // Whether the filter accepts the key, so that find() reads a bucket.
  [[nodiscard]] bool may_contain(const Key& key) const noexcept {
    return filter_.may_contain(hash_(key));
  }
  // Number of records in the bucket of this key.
  [[nodiscard]] std::size_t bucket_length(const Key& key) const noexcept {
    std::size_t length = 0;
    for (std::uint32_t i = first_[index_.cell(hash_(key))]; i != none; i = entries_[i].next)
      ++length;
    return length;
  }
  [[nodiscard]] std::size_t keys() const noexcept { return entries_.size(); }  // number of keys
  [[nodiscard]] unsigned probes() const noexcept { return index_.all().probes(); }  // bits per key
  // bits of the filter, and number of buckets
  [[nodiscard]] std::uint64_t cells() const noexcept { return index_.cells(); }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct entry {
    Key key;
    Record record;
    std::uint32_t next;
  };
  [[nodiscard]] static core::one_of_k planned(const one_copy_options& options) {
    core::check_keys(options.keys);
    core::check_fpr(options.fpr);
    const auto made = sizing::plan_bloom_for_rate(options.keys, options.fpr);
    return core::one_of_k(core::k_probes(made.bits, made.probes));
  }
  [[nodiscard]] const entry* look(const Key& key, digest d) const noexcept {
    for (std::uint32_t i = first_[index_.cell(d)]; i != none; i = entries_[i].next)
      if (entries_[i].key == key) return &entries_[i];
    return nullptr;
  }
  [[nodiscard]] entry* look(const Key& key, digest d) noexcept {
    return const_cast<entry*>(std::as_const(*this).look(key, d));
  }

  hasher hash_;
  core::one_of_k index_;
  core::probes<core::k_probes, cells::bits> filter_;
  std::vector<std::uint32_t> first_;  // first record of each bucket
  std::vector<entry> entries_;
};

}  // namespace umbel
