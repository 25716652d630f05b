// keys.hpp - concepts of the arguments of all functions: a key, a contiguous batch of keys, a range
// of keys or of (key, value) pairs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// Defined with <iterator> alone; <ranges> would double the compile time of this header.
template <class R>
using value_in = std::remove_cvref_t<decltype(*std::begin(std::declval<const R&>()))>;
// A contiguous sequence of keys: the argument of batch functions.
template <class R>
concept key_span = key<value_in<R>> && requires(const R& keys) {
  { std::data(keys) } -> std::convertible_to<const value_in<R>*>;
  { std::size(keys) } -> std::convertible_to<std::size_t>;
};
// A sequence of keys that can be read twice: the argument of builds.
template <class R>
concept key_range =
    key<value_in<R>> && std::forward_iterator<decltype(std::begin(std::declval<const R&>()))>;
// A range of pairs whose first is a key and whose second is an unsigned value.
template <class R>
concept pair_range = requires(const value_in<R>& pair) {
  requires key<std::remove_cvref_t<decltype(pair.first)>>;
  requires std::convertible_to<decltype(pair.second), std::uint64_t>;
};
// The same that can be entered anywhere, and read as often as one likes.
template <class R>
concept random_pairs = pair_range<R> && std::random_access_iterator<
    std::remove_cvref_t<decltype(std::begin(std::declval<const R&>()))>>;

template <key_span Keys>
[[nodiscard]] std::span<const value_in<Keys>> as_span(const Keys& keys) noexcept {
  return {std::data(keys), std::size(keys)};
}

}  // namespace umbel::core
