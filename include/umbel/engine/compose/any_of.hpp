// any_of.hpp - query to several filters: whether any of them accepts a key.
//
// Idea       Keys are processed in groups. Each filter gets, as one batch, the keys of the group
//            that no earlier filter accepted. So each filter's own batch loop hides the memory
//            latency, and a member is looked up only in the filters up to the one that accepts it.
// Threads    As the filters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <umbel/core/can.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// Keys of a group that are still unanswered, in their original order.
struct asked_keys {
  // fits in the first-level cache; a batch of 256 would stall too often at its ends
  static constexpr std::size_t most = 1024;
  digest key[most];
  std::uint32_t number[most];  // of the key in its group
  std::size_t size = 0;

  void take(std::size_t count, std::size_t first, auto& digest_at) noexcept {
    size = count;
    for (std::size_t i = 0; i < count; ++i)
      key[i] = digest_at(first + i), number[i] = static_cast<std::uint32_t>(i);
  }
  // Keeps only the keys with said[i] true.
  void keep(const bool* said) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      key[kept] = key[i];
      number[kept] = number[i];
      kept += said[i];
    }
    size = kept;
  }
  // Queries a filter for the keys from number `from` on, and drops those it accepts. Calls
  // sink(number, accepted) for each.
  template <class Filter, class Sink>
  void drop_accepted(const Filter& filter, std::size_t from, Sink&& sink) noexcept {
    bool said[most];
    filter.may_contain(size - from, detail::digest_list{key + from}, said);
    std::size_t kept = from;
    for (std::size_t i = from; i < size; ++i) {
      const bool accepted = said[i - from];
      sink(number[i], accepted);
      key[kept] = key[i];
      number[kept] = number[i];
      kept += !accepted;
    }
    size = kept;
  }
};

// out[i]: whether any of the filters 0 to count - 1 accepts key i. The filters are queried in that
// order.
template <class FilterAt, class DigestAt>
void query_any(std::size_t count, FilterAt&& filter_at, std::size_t total, DigestAt& digest_at,
               bool* out) noexcept {
  asked_keys asked;
  for (std::size_t first = 0; first < total; first += asked_keys::most) {
    const std::size_t size = std::min(asked_keys::most, total - first);
    bool* const said = out + first;
    std::fill_n(said, size, false);
    asked.take(size, first, digest_at);
    for (std::size_t j = 0; j < count && asked.size > 0; ++j)
      asked.drop_accepted(filter_at(j), 0,
                          [&](std::uint32_t i, bool accepted) { said[i] = accepted; });
  }
}
template <class FilterAt>
[[nodiscard]] bool query_any(std::size_t count, FilterAt&& filter_at, digest d) noexcept {
  for (std::size_t j = 0; j < count; ++j)
    if (filter_at(j).may_contain(d)) return true;
  return false;
}

template <class FilterAt>
[[nodiscard, gnu::always_inline]] inline bool query_any_near(std::size_t count,
                                                             FilterAt&& filter_at,
                                                             digest d) noexcept {
  for (std::size_t j = 0; j < count; ++j)
    if (may_contain_near(filter_at(j), d)) return true;
  return false;
}

// out[i]: whether `first` accepts key i and `second` does not. Only what the first accepts is asked
// of the second.
template <class First, class Second, class DigestAt>
void query_but(const First& first, const Second& second, std::size_t total, DigestAt& digest_at,
               bool* out) noexcept {
  asked_keys asked;
  for (std::size_t begin = 0; begin < total; begin += asked_keys::most) {
    bool* const said = out + begin;
    asked.take(std::min(asked_keys::most, total - begin), begin, digest_at);
    first.may_contain(asked.size, detail::digest_list{asked.key}, said);
    asked.keep(said);
    asked.drop_accepted(second, 0, [&](std::uint32_t i, bool accepted) { said[i] = !accepted; });
  }
}

}  // namespace umbel::core
