// prefix_bank.hpp - longest prefix matching with Bloom filters [DKT03]: a filter per prefix length
// decides which tables are read.
//
// The prefixes of one length are in a hash table, which is slow, behind a filter, which is fast. An
// address is tested in the filters from the longest length down. Where one accepts, its table is
// read; the first table that has the prefix gives the answer.
//
// Layout     The bits of a length are proportional to its prefixes, so all filters have one false
//            positive rate. The empty prefix, the default route, has neither filter nor table.
// Invariant  Answers are exact: a filter only decides whether a table is read.
// Limits     Mean number of tables read per address: at most 1 + (lengths beyond the match) * rate,
//            sizing::prefix_probes. Prefixes may be added later; then the rate rises above the
//            planned one.
// Threads    Many readers or one writer.
// Source     [DKT03], [TRL12] sec. IV-C (which misprints an exponent: sizing/bank.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/set/bloom_filter.hpp>
#include <umbel/sizing/bank.hpp>

namespace umbel::net {

// Up to 128 bits, from the top down. Shorter addresses end in zeros.
struct address {
  static constexpr unsigned bits = 128;
  std::uint64_t high = 0, low = 0;

  [[nodiscard]] static constexpr address v4(std::uint32_t a) noexcept {
    return {std::uint64_t{a} << 32, 0};
  }
  // The first `length` bits.
  [[nodiscard]] constexpr address first(unsigned length) const noexcept {
    const auto top = [](std::uint64_t word, unsigned count) {
      return word & ~(count == 0 ? ~std::uint64_t{0} : detail::low_mask(64 - count));
    };
    return length <= 64 ? address{top(high, length), 0} : address{high, top(low, length - 64)};
  }
  friend constexpr auto operator<=>(const address&, const address&) = default;
  friend digest umbel_digest(const hasher& hash, const address& a) noexcept {
    std::array<unsigned char, 16> bytes;
    for (unsigned i = 0; i < 16; ++i)
      bytes[i] = static_cast<unsigned char>((i < 8 ? a.high : a.low) >> (56 - i % 8 * 8));
    return hash(bytes);
  }
};

template <class Value>
class prefix_bank {
 public:
  struct route {
    address prefix;
    unsigned length;
    Value value;
  };
  struct options_type {
    double bits_per_prefix = 10;
    hasher hash{};
  };
  // The result of find(): nothing, or the longest matching prefix. `tables` is the number of tables
  // read.
  struct match {
    const Value* value = nullptr;
    unsigned length = 0;
    unsigned tables = 0;
  };

  explicit prefix_bank(const std::vector<route>& routes) : prefix_bank(routes, options_type{}) {}
  // Throws conflict if a prefix has two values.
  prefix_bank(const std::vector<route>& routes, const options_type& options) : hash_(options.hash) {
    if (!(options.bits_per_prefix > 0 && options.bits_per_prefix <= 1024))
      throw bad_parameter(
          detail::text("bits_per_prefix: expected up to 1024, found ", options.bits_per_prefix));
    std::array<std::uint64_t, address::bits + 1> count{};
    for (const route& r : routes) check_length(r.length), ++count[r.length];
    for (unsigned length = address::bits; length > 0; --length) {
      const std::uint64_t n = count[length];
      if (n == 0) continue;
      const auto bits = static_cast<std::uint64_t>(
          std::max(1.0, static_cast<double>(n) * options.bits_per_prefix));
      levels_.push_back(
          {length, bloom_filter({.keys = n, .bits = bits, .hash = options.hash}), {}});
      levels_.back().table.reserve(n);
    }
    for (const route& r : routes) insert(r);
  }

  // Returns true if the prefix is new. A length without routes so far gets a filter for 256
  // prefixes.
  bool insert(const route& r) {
    check_length(r.length);
    if (r.length == 0) {
      const bool fresh = !everything_;
      if (fresh) everything_ = r.value;
      return settle(fresh, *everything_, r);
    }
    auto at = std::find_if(levels_.begin(), levels_.end(),
                           [&](const level& l) { return l.length <= r.length; });
    if (at == levels_.end() || at->length != r.length)
      at = levels_.insert(at,
                          {r.length, bloom_filter({.keys = 256, .bits = 4096, .hash = hash_}), {}});
    const address prefix = r.prefix.first(r.length);
    const auto [there, fresh] = at->table.try_emplace(prefix, r.value);
    if (fresh) at->filter.insert(prefix);
    return settle(fresh, there->second, r);
  }

  [[nodiscard]] match find(const address& a) const noexcept {
    match out;
    for (const level& l : levels_) {
      const address prefix = a.first(l.length);
      if (!l.filter.may_contain(prefix)) continue;
      ++out.tables;
      if (const auto there = l.table.find(prefix); there != l.table.end()) {
        out.value = &there->second;
        out.length = l.length;
        return out;
      }
    }
    if (everything_) out.value = &*everything_;
    return out;
  }

  [[nodiscard]] std::size_t lengths() const noexcept { return levels_.size(); }
  // Upper bound on the mean number of tables read per address, for any match.
  [[nodiscard]] double expected_tables() const noexcept {
    double sum = 1;
    for (const level& l : levels_) sum += l.filter.expected_fpr();
    return sum;
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {  // of the filters
    std::uint64_t sum = 0;
    for (const level& l : levels_) sum += l.filter.size_in_bits();
    return sum;
  }

 private:
  struct scattered {
    [[nodiscard]] std::size_t operator()(const address& a) const noexcept {
      return static_cast<std::size_t>(detail::remix(detail::mix64(a.high), a.low));
    }
  };
  struct level {
    unsigned length;
    bloom_filter filter;
    std::unordered_map<address, Value, scattered> table;
  };
  static void check_length(unsigned length) {
    if (length > address::bits)
      throw bad_parameter(
          detail::text("length: expected at most ", address::bits, ", found ", length));
  }
  static bool settle(bool fresh, const Value& there, const route& r) {
    if (!(there == r.value))
      throw conflict(detail::text("the prefix ", r.prefix.high, ":", r.prefix.low, "/", r.length,
                                  " has two values"));
    return fresh;
  }

  hasher hash_;
  std::vector<level> levels_;  // longest length first
  std::optional<Value> everything_;
};

}  // namespace umbel::net
