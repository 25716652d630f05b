// join.hpp - Bloom join [ML86] and approximate set reconciliation: common or missing keys of two
// parties, for the cost of a filter.
//
// A sends a filter of its keys; B queries it with its own. The keys that it accepts are the
// candidates of the join: all common keys and a few non-members, which A drops. The keys that it
// rejects are certainly missing at A: all but a few of the difference.
//
// Invariant  common keys <= candidates <= all; missing <= difference. Candidates and missing keys
//            partition the keys queried.
// Limits     Traffic counts cells and keys only, without envelopes, lengths and frames. Duplicate
//            keys are not detected.
// Source     [ML86] (Bloom join), [TRL12] sec. II-B, [BM04] sec. 5.2 (approximate reconciliation).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/core/estimate.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/sizing/join.hpp>

namespace umbel::recon {

// Any approximate set without false negatives that has batches, a rate and a size.
template <class Filter>
concept filter = requires(const Filter& f, std::span<const digest> keys, std::span<bool> answers) {
  f.may_contain_batch(keys, answers);
  { f.expected_fpr() } -> std::convertible_to<double>;
  { f.size_in_bits() } -> std::convertible_to<std::uint64_t>;
};

// What was transmitted, and what a transmission of all keys would have cost.
struct traffic {
  std::uint64_t filter_bytes = 0;  // A to B: the cells of the filter
  std::uint64_t sent = 0;          // B to A: number of keys
  std::uint64_t sent_bytes = 0;    // and their bytes
  std::uint64_t asked = 0;         // keys queried in the filter
  std::uint64_t asked_bytes = 0;   // and their bytes: the cost of sending all of them
  double fpr = 0;                  // of the filter
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return filter_bytes + sent_bytes; }
  // Estimated number of queried keys that are not in the other set: the rejected ones, and a share
  // `fpr` that was accepted.
  [[nodiscard]] double non_members(std::uint64_t rejected) const noexcept {
    return fpr < 1 ? static_cast<double>(rejected) / (1 - fpr) : static_cast<double>(asked);
  }
};

template <class Key>
struct candidate_list {
  std::vector<Key> keys;
  traffic cost;
  [[nodiscard]] double expected_false() const noexcept {
    return cost.fpr * cost.non_members(cost.asked - cost.sent);
  }
  [[nodiscard]] double expected_common() const noexcept {
    return static_cast<double>(cost.sent) - expected_false();
  }
};
template <class Key>
struct missing_list {
  std::vector<Key> keys;
  traffic cost;
  [[nodiscard]] double expected_missed() const noexcept {
    return cost.fpr * cost.non_members(cost.sent);
  }
};

namespace detail {

template <key Key>
[[nodiscard]] std::uint64_t bytes_of(const Key& k) noexcept {
  if constexpr (umbel::detail::string_key<Key>)
    return std::string_view(k).size();
  else if constexpr (umbel::detail::bytes_key<Key>)
    return std::size(k);
  else
    return sizeof k;
}

// The keys for which the filter's answer is `wanted`.
template <class List, filter Filter, core::key_span Keys>
[[nodiscard]] List answered(bool wanted, const Filter& of, const Keys& keys) {
  List out;
  out.cost = {.filter_bytes = (of.size_in_bits() + 7) / 8,
              .asked = std::size(keys),
              .fpr = of.expected_fpr()};
  std::array<bool, 4096> answers;
  const auto all = core::as_span(keys);
  for (std::size_t first = 0; first < all.size(); first += answers.size()) {
    const auto part = all.subspan(first, std::min(answers.size(), all.size() - first));
    of.may_contain_batch(part, answers);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint64_t bytes = bytes_of(part[i]);
      out.cost.asked_bytes += bytes;
      if (answers[i] != wanted) continue;
      out.cost.sent_bytes += bytes;
      out.keys.push_back(part[i]);
    }
  }
  out.cost.sent = out.keys.size();
  return out;
}

}  // namespace detail

// B's part of a join: those of its keys that A's filter accepts. All common keys are among them.
template <filter Filter, core::key_span Keys>
[[nodiscard]] candidate_list<core::value_in<Keys>> candidates(const Filter& of_first,
                                                              const Keys& second) {
  return detail::answered<candidate_list<core::value_in<Keys>>>(true, of_first, second);
}

// A's part: those of the candidates that it has. `first` is a container with `contains`, or any
// range of keys.
template <class Key, class First>
[[nodiscard]] std::vector<Key> drop_non_members(const std::vector<Key>& found, const First& first) {
  std::vector<Key> out;
  const auto keep = [&](auto&& is_mine) {
    std::copy_if(found.begin(), found.end(), std::back_inserter(out), is_mine);
  };
  if constexpr (requires(const Key& k) { first.contains(k); }) {
    keep([&](const Key& k) { return first.contains(k); });
  } else {
    std::vector<core::value_in<First>> sorted(std::begin(first), std::end(first));
    std::sort(sorted.begin(), sorted.end());
    keep([&](const Key& k) { return std::binary_search(sorted.begin(), sorted.end(), k); });
  }
  return out;
}

// Those of A's keys that B's filter rejects: B lacks all of them. A share `fpr` of what B lacks is
// missed.
template <filter Filter, core::key_span Keys>
[[nodiscard]] missing_list<core::value_in<Keys>> missing(const Filter& of_other, const Keys& mine) {
  return detail::answered<missing_list<core::value_in<Keys>>>(false, of_other, mine);
}

// The overlap of two sets, from two filters of one shape, one of which was transmitted.
struct comparison {
  overlap sets;
  std::uint64_t filter_bytes = 0;
  [[nodiscard]] double common() const noexcept { return sets.common; }
  [[nodiscard]] double jaccard() const noexcept { return sets.jaccard(); }
};
template <filter Filter>
requires requires(const Filter& f) {
  { f.overlap_with(f) } -> std::same_as<overlap>;
}
[[nodiscard]] comparison compare(const Filter& mine, const Filter& theirs) {
  return {mine.overlap_with(theirs), (theirs.size_in_bits() + 7) / 8};
}

}  // namespace umbel::recon
